package host

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf16"

	"stackscope/vm"
	"stackscope/wasm"
)

// EnvName is the name of the module that AssemblyScript's runtime imports from.
const EnvName = "env"

// assembly are the functions of AssemblyScript's runtime that its bindings for JavaScript offer:
// their parameters and results as letters (see types).
var assembly = map[string]struct {
	params, results string
	do              func(*assemblyScript, *vm.Call) error
}{
	"abort":           {"iiii", "", (*assemblyScript).abort},
	"trace":           {"iiFFFFF", "", (*assemblyScript).trace},
	"seed":            {"", "F", (*assemblyScript).random},
	"Math.random":     {"", "F", (*assemblyScript).random},
	"Date.now":        {"", "F", (*assemblyScript).now},
	"performance.now": {"", "F", (*assemblyScript).now},
	"process.exit":    {"i", "", func(_ *assemblyScript, c *vm.Call) error { return &vm.Exit{Code: c.U32(0)} }},
	"console.assert":  {"ii", "", (*assemblyScript).assert},
	"console.log":     {"i", "", (*assemblyScript).log},
	"console.debug":   {"i", "", (*assemblyScript).log},
	"console.info":    {"i", "", (*assemblyScript).log},
	"console.warn":    {"i", "", (*assemblyScript).warn},
	"console.error":   {"i", "", (*assemblyScript).warn},
}

// assemblyScript is the host of a program in AssemblyScript.
type assemblyScript struct{ w WASI }

// AssemblyScript makes what AssemblyScript's runtime imports from "env", for a module that looks
// like one of its: those functions that the module imports with the types that they have there. It
// is nil for other modules.
func AssemblyScript(m *vm.Machine, mod *wasm.Module, w WASI) Module {
	h := &assemblyScript{w.defaults()}
	out, looks := Module{}, false
	for _, im := range mod.Imports {
		f, ok := assembly[im.Name]
		if im.Module != EnvName || im.Kind != wasm.ExternFunc || !ok || int64(im.Index) >= int64(len(mod.Funcs)) {
			continue
		}
		t := mod.FuncType(mod.Funcs[im.Index].Type)
		params, results := types(f.params), types(f.results)
		if t == nil || !slices.Equal(t.Params, params) || !slices.Equal(t.Results, results) {
			continue
		}
		looks = looks || im.Name == "abort" || strings.Contains(im.Name, ".")
		out[im.Name] = m.NewFunc(EnvName+"."+im.Name, params, results, func(c *vm.Call) error { return f.do(h, c) })
	}
	if !looks {
		return nil
	}
	return out
}

// maxText bounds a string that is read, in bytes.
const maxText = 1 << 20

// text returns a string of the program: UTF-16, its length in bytes in the 4 bytes before it.
func (h *assemblyScript) text(c *vm.Call, at uint32) string {
	mem := c.Memory()
	if mem == nil || at < 4 || uint64(at) > uint64(len(mem.Bytes())) {
		return ""
	}
	b := mem.Bytes()
	n := min(uint64(binary.LittleEndian.Uint32(b[at-4:])), uint64(len(b))-uint64(at), maxText) &^ 1
	u := make([]uint16, n/2)
	for i := range u {
		u[i] = binary.LittleEndian.Uint16(b[int(at)+2*i:])
	}
	return string(utf16.Decode(u))
}

func (h *assemblyScript) abort(c *vm.Call) error {
	message := h.text(c, c.U32(0))
	if message == "" {
		message = "abort"
	}
	return fmt.Errorf("%s in %s:%d:%d", message, h.text(c, c.U32(1)), c.U32(2), c.U32(3))
}

func (h *assemblyScript) trace(c *vm.Call) error {
	s := "trace: " + h.text(c, c.U32(0))
	for i, v := range c.Args()[2:] {
		if i < int(c.U32(1)) {
			s += fmt.Sprintf("%s%s", map[bool]string{true: " ", false: ", "}[i == 0], formatFloat(v.F64(), 64))
		}
	}
	return line(h.w.Stdout, s)
}

func (h *assemblyScript) log(c *vm.Call) error  { return line(h.w.Stdout, h.text(c, c.U32(0))) }
func (h *assemblyScript) warn(c *vm.Call) error { return line(h.w.Stderr, h.text(c, c.U32(0))) }

func (h *assemblyScript) assert(c *vm.Call) error {
	if c.U32(0) != 0 {
		return nil
	}
	return line(h.w.Stderr, "Assertion failed: "+h.text(c, c.U32(1)))
}

func (h *assemblyScript) now(c *vm.Call) error {
	c.Return(vm.F64(float64(h.w.Now().UnixMilli())))
	return nil
}

// random returns a number from 0 up to 1.
func (h *assemblyScript) random(c *vm.Call) error {
	var b [8]byte
	if _, err := io.ReadFull(h.w.Random, b[:]); err != nil {
		return errors.New("there are no random numbers")
	}
	c.Return(vm.F64(math.Ldexp(float64(binary.LittleEndian.Uint64(b[:])>>11), -53)))
	return nil
}

func line(w io.Writer, s string) error {
	_, err := io.WriteString(w, s+"\n")
	return err
}
