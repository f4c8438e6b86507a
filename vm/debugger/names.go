package debugger

import (
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// lookupLocal finds a local of a function by name, with or without `$`.
func lookupLocal(fi *funcInfo, name string) (int, bool) {
	if fi == nil {
		return 0, false
	}
	i, ok := lookupName(fi.mod.Names.Locals[fi.id.Func], name)
	return int(i), ok
}

// lookupName finds a name, with or without `$`. In a binary module several may be equal: the first
// counts.
func lookupName(names map[uint32]string, name string) (at uint32, found bool) {
	name = strings.TrimPrefix(name, "$")
	for i, n := range names {
		if n == name && (!found || i < at) {
			at, found = i, true
		}
	}
	return at, found
}

// literal reads a number: an integer as i64, else an f64.
func literal(s string) (Typed, bool) {
	t := strings.ReplaceAll(s, "_", "")
	if t == "" {
		return Typed{}, false
	}
	if n, err := strconv.ParseInt(t, 0, 64); err == nil {
		return Typed{Value: vm.I64(n), Type: wasm.I64}, true
	}
	if n, err := strconv.ParseUint(t, 0, 64); err == nil {
		return Typed{Value: vm.I64(int64(n)), Type: wasm.I64}, true
	}
	if c := t[0]; c >= '0' && c <= '9' || c == '-' || c == '+' {
		if f, err := strconv.ParseFloat(t, 64); err == nil {
			return Typed{Value: vm.F64(f), Type: wasm.F64}, true
		}
	}
	return Typed{}, false
}
