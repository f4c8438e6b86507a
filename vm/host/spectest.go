package host

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"stackscope/vm"
	"stackscope/wasm"
)

// Spectest makes the module that the specification's scripts import: five constants of 666 and a
// bit, a table of 10 to 20 functions (and one with 64-bit indices), a memory of 1 to 2 pages, and
// functions that print their arguments on w, one a line, as the reference interpreter does: `42 :
// i32`. w may be nil.
func Spectest(m *vm.Machine, w io.Writer) Module {
	if w == nil {
		w = io.Discard
	}
	mod := Module{
		"global_i32": m.NewGlobal(wasm.I32, false, vm.I32(666)),
		"global_i64": m.NewGlobal(wasm.I64, false, vm.I64(666)),
		"global_f32": m.NewGlobal(wasm.F32, false, vm.F32(666.6)),
		"global_f64": m.NewGlobal(wasm.F64, false, vm.F64(666.6)),
	}
	for name, l := range map[string]wasm.Limits{"table": {}, "table64": {Is64: true}} {
		l.Min, l.Max, l.HasMax = 10, 20, true
		if t, err := m.NewTable(wasm.FuncRef, l, vm.Ref{}); err == nil {
			mod[name] = t
		}
	}
	if mem, err := m.NewMemory(wasm.Limits{Min: 1, Max: 2, HasMax: true}); err == nil {
		mod["memory"] = mem
	}
	for name, sig := range map[string]string{
		"print": "", "print_i32": "i", "print_i64": "I", "print_f32": "f", "print_f64": "F", "print_i32_f32": "if", "print_f64_f64": "FF",
	} {
		mod[name] = m.NewFunc(SpectestName+"."+name, types(sig), nil, func(c *vm.Call) error {
			for _, v := range c.Args() {
				if _, err := fmt.Fprintf(w, "%s : %s\n", formatNumber(v), v.Type); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return mod
}

// formatNumber returns a number as the text format writes it.
func formatNumber(v vm.Value) string {
	switch v.Type {
	case wasm.I32:
		return strconv.FormatInt(int64(v.I32()), 10)
	case wasm.I64:
		return strconv.FormatInt(v.I64(), 10)
	case wasm.F32:
		return formatFloat(float64(v.F32()), 32)
	}
	return formatFloat(v.F64(), 64)
}

func formatFloat(x float64, bits int) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return strconv.FormatFloat(x, 'g', -1, bits)
}
