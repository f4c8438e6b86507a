package vm

import (
	"encoding/binary"
	"hash/maphash"
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// What a machine that runs in one form does can be compared, at every safe point, with what another
// one does that runs the same in another form: see internal/testing/lockstep.

// AtSafePoints makes the machine call a function at every safe point (before a call, a loop's next
// round, a switch), on the running goroutine, after a pause that was asked for and before it goes
// on; nil for none. The function may do what a probe may do at a stop. The machine is slow
// meanwhile.
func (d *Debugging) AtSafePoints(f func()) {
	d.atSafe = f
	d.m.regain()
}

// Digester hashes what is visible of machines that stand still. Two machines that have done the
// same give the same hashes, whatever form of code they run; the seed makes them those of one
// process.
type Digester struct {
	seed   maphash.Seed
	words  []byte
	shapes map[place]*shape
}

// shape is what is alive in a frame at a place: the types of its number slots (a v128 has two), and
// how many reference slots.
type shape struct {
	nums []wasm.ValType
	refs uint32
}

// NewDigester returns a digester with a seed, that of another one to compare with.
func NewDigester(seed maphash.Seed) *Digester {
	return &Digester{seed: seed, shapes: map[place]*shape{}}
}

func (d *Digester) word(x uint64) { d.words = binary.LittleEndian.AppendUint64(d.words, x) }

// Point hashes the running chain (who is in it, where its innermost frames stand), the locals and
// operands of the innermost frame, the globals of its instance, and the counters. That is cheap
// enough for every safe point: what is not innermost was hashed when it was, or will be.
func (d *Digester) Point(m *Machine) uint64 {
	d.words = d.words[:0]
	const deep = 16
	n := 0
	for s := range m.Chain() {
		if n++; n > deep {
			break
		}
		d.word(s.id)
		d.word(uint64(s.state) | uint64(len(s.frames))<<8 | s.resumes<<32)
		d.word(s.generation)
		if s.tag != nil {
			d.word(uint64(s.tag.number))
		}
		for i := len(s.frames) - 1; i >= max(0, len(s.frames)-4); i-- {
			fr := &s.frames[i]
			d.word(uint64(fr.fn.number)<<32 | uint64(fr.pc))
			d.word(uint64(fr.numBase)<<32 | uint64(fr.refBase))
		}
	}
	if s := m.cur; s != nil && len(s.frames) > 0 {
		d.frame(s)
		for _, g := range s.top().fn.inst.globals {
			d.global(g)
		}
	}
	d.word(m.stats.Created)
	d.word(m.stats.Switches)
	d.word(uint64(m.live))
	return maphash.Bytes(d.seed, d.words)
}

// All hashes every global, table and memory.
func (d *Digester) All(m *Machine) uint64 {
	d.words = d.words[:0]
	var mems []uint64
	for _, in := range m.insts {
		for _, g := range in.globals {
			d.global(g)
		}
		for _, t := range in.tables {
			d.word(uint64(len(t.elems)))
			for _, r := range t.elems {
				d.ref(r)
			}
		}
		for _, mem := range in.mems {
			mems = append(mems, maphash.Bytes(d.seed, mem.bytes))
		}
	}
	for _, x := range mems {
		d.word(x)
	}
	return maphash.Bytes(d.seed, d.words)
}

// Bytes returns the size of all that All hashes, roughly.
func (d *Digester) Bytes(m *Machine) (n int) {
	for _, in := range m.insts {
		n += 32 * len(in.globals)
		for _, t := range in.tables {
			n += 64 * len(t.elems)
		}
		for _, mem := range in.mems {
			n += len(mem.bytes) / 8 // eight times faster than the rest
		}
	}
	return n
}

func (d *Digester) global(g *Global) {
	d.word(meaning(g.typ, g.lo))
	d.word(g.hi)
	d.ref(g.ref)
}

// meaning returns what a number slot means: without bits that are not of the type, and one NaN for
// all of which an operation may choose.
func meaning(t wasm.ValType, x uint64) uint64 {
	switch t {
	case wasm.I32:
		return uint64(uint32(x))
	case wasm.F32:
		if x = uint64(uint32(x)); x&0x7fffffff > 0x7f800000 {
			return 0x7fc00000
		}
	case wasm.F64:
		if x&(1<<63-1) > 0x7ff0000000000000 {
			return 0x7ff8000000000000
		}
	}
	return x
}

// ref hashes a reference by what it refers to, not by where that is.
func (d *Digester) ref(r Ref) {
	x := uint64(r.kind())
	switch r.kind() {
	case objFunc:
		fn := r.asFunc()
		if fn.host != nil { // made in no order that counts
			x |= maphash.String(d.seed, fn.name) << 8
		} else {
			x |= uint64(fn.number) << 8
		}
	case objI31:
		x |= r.aux << 8
	case objStack:
		s := r.asStack()
		if x |= s.id << 9; s.generation == r.aux {
			x |= 1<<8 | uint64(s.state)<<56
			if s.tag != nil {
				x ^= uint64(s.tag.number) << 40
			}
		}
	case objStruct:
		for _, n := range r.asStruct().nums {
			d.word(n)
		}
	case objExn:
		x |= uint64(r.asExn().tag.number) << 8
		for _, n := range r.asExn().nums {
			d.word(n)
		}
	}
	d.word(x)
}

// frame hashes what is alive in the innermost frame of the running stack.
func (d *Digester) frame(s *Stack) {
	f := Frame{s, len(s.frames) - 1}
	fr := f.raw()
	if fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex {
		return
	}
	c := fr.fn.code
	at := place{c, fr.pc, f.Waiting()}
	sh := d.shapes[at]
	if sh == nil {
		sh = &shape{refs: c.LocRefs - c.HiddenRefs}
		add := func(t wasm.ValType) {
			n, r := code.Slots(t)
			sh.refs += uint32(r)
			for range n {
				sh.nums = append(sh.nums, t)
			}
		}
		for _, l := range c.Locals {
			if !l.Type.IsRef() {
				add(l.Type)
			}
		}
		for _, t := range f.types() {
			add(t)
		}
		d.shapes[at] = sh
	}
	for i, x := range s.nums[fr.numBase : fr.numBase+uint32(len(sh.nums))] {
		d.word(meaning(sh.nums[i], x))
	}
	refs := s.refs[fr.refBase:]
	for i := range sh.refs {
		k := i
		if i >= c.LocRefs-c.HiddenRefs {
			k += c.HiddenRefs
		}
		d.ref(refs[k])
	}
}
