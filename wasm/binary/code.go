package binary

import "stackscope/wasm"

// Code is where the functions of a module are in its encoding.
type Code struct {
	m     *wasm.Module
	bytes []byte      // the encoding without the names
	first uint32      // the first function that is not imported
	funcs []codeRange // from that one on
}

// codeRange is where a function's locals and instructions are.
type codeRange struct{ at, end uint32 }

// EncodeCode encodes what identifies the code of a module: what Encode writes, without the names and
// without custom sections after the code, where no offset of code depends on them. The error is
// that of Encode.
func EncodeCode(m *wasm.Module) (*Code, error) {
	e := &encoder{m: m}
	e.header()
	before := true
	for _, id := range wasm.Sections() {
		if e.wrapped(id); e.err != nil {
			return nil, e.err
		}
		if before = before && id != wasm.SectionCode; before {
			e.customs(id, false)
		}
	}
	return &Code{m, e.b, uint32(m.NumImported(wasm.ExternFunc)), e.funcs}, nil
}

// Func returns the offsets in the encoding between which a function's locals and instructions are.
// ok is false if it is imported.
func (c *Code) Func(fn uint32) (at, end uint32, ok bool) {
	i := int64(fn) - int64(c.first)
	if i < 0 || i >= int64(len(c.funcs)) {
		return 0, 0, false
	}
	return c.funcs[i].at, c.funcs[i].end, true
}

// Instrs returns the offsets in the encoding at which the instructions of a function begin; nil if
// it is imported.
func (c *Code) Instrs(fn uint32) []uint32 {
	at, _, ok := c.Func(fn)
	if !ok {
		return nil
	}
	e := &encoder{m: c.m, places: true}
	e.body(&c.m.Funcs[fn])
	for i := range e.starts {
		e.starts[i] += at
	}
	return e.starts
}

// Bytes returns what is encoded between two offsets of a function.
func (c *Code) Bytes(from, to uint32) []byte { return c.bytes[from:to:to] }
