package entry

import (
	"strings"

	"stackscope/wasm"
)

// Function is an exported function.
type Function struct {
	Name  string // of the export
	Index uint32 // in Module.Funcs
	Type  *wasm.SubType
}

// Functions returns the exported functions of a module in the order of its exports.
func Functions(m *wasm.Module) []Function {
	var out []Function
	for _, e := range m.Exports {
		if e.Kind != wasm.ExternFunc || int64(e.Index) >= int64(len(m.Funcs)) {
			continue
		}
		if t := m.FuncType(m.Funcs[e.Index].Type); t != nil {
			out = append(out, Function{Name: e.Name, Index: e.Index, Type: t})
		}
	}
	return out
}

// Find returns the exported function of a name.
func Find(fs []Function, name string) (Function, bool) {
	for _, f := range fs {
		if f.Name == name {
			return f, true
		}
	}
	return Function{}, false
}

// Default returns the function that a program runs if none is named: `_start`, else `main`, else
// the only one. It reports false if there is no such function.
func Default(fs []Function) (Function, bool) {
	for _, name := range []string{"_start", "main"} {
		if f, ok := Find(fs, name); ok {
			return f, true
		}
	}
	if len(fs) == 1 {
		return fs[0], true
	}
	return Function{}, false
}

// Candidates returns the functions that a module defines and could export, in the order of the
// text. It lists at most limit of them: those with a name first, then the others.
func Candidates(m *wasm.Module, limit int) []uint32 {
	var named, other []uint32
	for i := range m.Funcs {
		switch _, ok := m.Names.Funcs[uint32(i)]; {
		case m.Funcs[i].Import >= 0:
		case ok && len(named) < limit:
			named = append(named, uint32(i))
		case !ok && len(other) < limit:
			other = append(other, uint32(i))
		}
	}
	all := append(named, other...)
	return all[:min(len(all), limit)]
}

// Signature returns the type of a function in the text format, `(param $n i32) (result i64)`. local
// returns the name of a parameter without its `$`, or "".
func Signature(m *wasm.Module, t *wasm.SubType, local func(i int) string) string {
	var parts []string
	group := func(word string, ts []wasm.ValType) {
		if len(ts) > 0 {
			s := "(" + word
			for _, t := range ts {
				s += " " + t.Format(m.Names.Type)
			}
			parts = append(parts, s+")")
		}
	}
	var plain []wasm.ValType
	for i, p := range t.Params {
		name := local(i)
		if name == "" {
			plain = append(plain, p)
			continue
		}
		group("param", plain)
		plain = nil
		parts = append(parts, "(param $"+name+" "+p.Format(m.Names.Type)+")")
	}
	group("param", plain)
	group("result", t.Results)
	return strings.Join(parts, " ")
}
