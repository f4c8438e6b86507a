package binary

import (
	"cmp"
	"slices"

	"stackscope/wasm"
)

// hintSection is the name of the custom section with the branch hints, see the appendix of the
// specification: for each function with hints its index, and for each hint the offset of the
// instruction from the function's local declarations, the length of the hint, which is 1, and 0
// (unlikely) or 1 (likely).
const hintSection = "metadata.code.branch_hint"

// funcHints are the hints of an encoded function.
type funcHints struct {
	fn    uint32
	offs  []uint32
	hints []wasm.Hint
}

// mark records the offset of the next instruction, Body[i], if there is a hint at it.
func (e *encoder) mark(i int) {
	if k := len(e.offs); k < len(e.hinted) && int(e.hinted[k].PC) == i {
		e.offs = append(e.offs, uint32(len(e.b)))
	}
}

// encodeHints returns the contents of the section.
func encodeHints(all []funcHints) []byte {
	w := &writer{}
	w.u32(uint32(len(all)))
	for _, f := range all {
		w.u32(f.fn)
		w.u32(uint32(len(f.offs)))
		for i, off := range f.offs {
			w.u32(off)
			w.u32(1)
			w.byte(0)
			if f.hints[i].Likely {
				w.b[len(w.b)-1] = 1
			}
		}
	}
	return w.b
}

// takeHints moves the hints from their section to the functions. A section that is not well-formed,
// or that has hints where none may be, stays a section like others: this never makes a module
// malformed.
func (d *decoder) takeHints() {
	is := func(c wasm.Custom) bool { return c.Name == hintSection }
	i := slices.IndexFunc(d.m.Customs, is)
	if i < 0 || slices.IndexFunc(d.m.Customs[i+1:], is) >= 0 {
		return
	}
	all, ok := d.readHints(d.m.Customs[i].Bytes)
	if !ok {
		return
	}
	for fn, hs := range all {
		d.m.Funcs[fn].Hints = hs
	}
	d.m.Customs = slices.Delete(d.m.Customs, i, i+1)
}

// readHints reads the section.
func (d *decoder) readHints(b []byte) (all map[uint32][]wasm.Hint, ok bool) {
	r := &reader{b: b}
	all = map[uint32][]wasm.Hint{}
	lastFn := -1
	for n := r.count(); n > 0 && r.err == nil; n-- {
		fn := r.u32()
		if int64(fn) <= int64(lastFn) || int64(fn) >= int64(len(d.m.Funcs)) {
			return nil, false
		}
		lastFn = int(fn)
		f := &d.m.Funcs[fn]
		last := -1
		for k := r.count(); k > 0 && r.err == nil; k-- {
			off, size, v := r.u32(), r.u32(), r.byte()
			pc, found := slices.BinarySearchFunc(
				f.Body, int64(f.At)+int64(off),
				func(in wasm.Instr, at int64) int { return cmp.Compare(int64(in.At), at) },
			)
			if !found || pc <= last || size != 1 || v > 1 || !f.Body[pc].Op.Hintable() {
				return nil, false
			}
			last = pc
			all[fn] = append(all[fn], wasm.Hint{PC: uint32(pc), Likely: v == 1})
		}
		if last < 0 {
			return nil, false // a function without hints would be lost
		}
	}
	return all, r.err == nil && r.eof() && lastFn >= 0
}
