package vm

import (
	"slices"

	"stackscope/wasm"
)

// What makes and ends stacks of the dialects other than cont, out of the fast form: see
// fast_switch.go.

// fastMake is fastNew for their instructions.
//
//go:noinline
func (m *Machine) fastMake(v *vars, o *op) *Stack {
	pt := &v.cd.resumes[o.c]
	at := &v.inst.clauses[pt.set]
	t := m.fastNew(v, o, pt.makes(v.inst, v.r, o.b), &m.free[at.dialect])
	if t != nil {
		v.supply(pt, at, o, t)
	}
	return t
}

// makes returns the function of an instruction that makes a stack, nil if that is left to the plain
// form.
func (pt *resumePoint) makes(inst *Instance, r rslots, b uint16) *Func {
	switch {
	case pt.kind == wasm.OpStackNewRef:
		return r.at(b).asFunc()
	case pt.kind != wasm.OpMountFiberNew:
		return inst.funcs[pt.fn]
	case len(pt.handlers) == 0:
		return nil
	}
	return inst.funcs[pt.handlers[0].pc]
}

// supply gives a new stack the arguments of the instruction that made it, and that the reference.
func (v *vars) supply(pt *resumePoint, at *clauses, o *op, t *Stack) {
	ref := t.ref()
	first := uint32(0) // where the arguments go
	switch pt.kind {
	case wasm.OpStackNew, wasm.OpStackNewRef:
		*v.r.at(o.b) = ref
		return
	case wasm.OpMountFiberNew:
	case wasm.OpFiberMountNew:
		*t.refsAt(0).at(pt.refs) = ref
	default:
		first = 1
		*t.refsAt(0).at(0) = ref
		at = t.base.takes()
	}
	v.moveNums(o.a, pt.nums, t.numsAt(0))
	v.moveRefs(o.b, pt.refs, t.refsAt(first))
	t.recvN, t.recvR = uint32(pt.nums), first+uint32(pt.refs)
	t.stands(at)
	if pt.kind != wasm.OpFiberSpawn {
		*v.r.at(o.b) = ref
	}
}

// moveNums and moveRefs move values from slots of v.
func (v *vars) moveNums(a, n uint16, to nslots) {
	for i := range n {
		to.set(i, v.f.u64(a+i))
	}
}

func (v *vars) moveRefs(a, n uint16, to rslots) {
	for i := range n {
		*to.at(i) = *v.r.at(a + i)
		*v.r.at(a + i) = Ref{}
	}
}

// fastEnd is fastFinish for fibers; others may not return.
//
//go:noinline
func (m *Machine) fastEnd(v *vars, na, nn, ra, nr uint16) (*Stack, *frame, *op) {
	s, p := v.s, v.s.parent
	free := &m.free[s.dialect]
	if s.rooted || p == nil || m.observer != nil || !s.spare(*free) {
		return nil, nil, nil
	}
	var (
		tag  *Tag
		next *op
		fr   = p.last()
	)
	switch s.dialect {
	case wasm.DialectFibersMount: // the results are the values of an event
		tag = s.sends()
		h := p.fastFind(tag)
		if h == nil {
			return nil, nil, nil
		}
		p.along(fr, h)
		nums, refs := p.land(fr, h)
		next = h.at
		v.moveNums(na, nn, nums)
		v.moveRefs(ra, nr, refs)
		p.tag, p.recvR = tag, 0
	case wasm.DialectFibersHandle:
		pt, o := fr.point()
		if c := s.base.code; len(c.gives) != len(c.results) || !slices.Equal(c.gives, pt.results) {
			return nil, nil, nil
		}
		v.moveNums(na, nn, p.numsAt(fr.numBase+uint32(o.a)))
		v.moveRefs(ra, nr, p.refsAt(fr.refBase+uint32(o.b)))
		fr.pc++
	default: // it traps
		return nil, nil, nil
	}
	v.clear()
	m.recycle(s, free)
	p.state = StackRunning
	m.stats.Switches++
	if r := m.recorder; r != nil {
		r.note(EventFinish, s, p.id, s.base, uint32(len(s.base.code.body)-1), tag, nil)
	}
	return p, fr, next
}
