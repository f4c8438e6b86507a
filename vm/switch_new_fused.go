package vm

import (
	"slices"

	"stackscope/wasm"
)

// What makes and ends stacks of the dialects other than cont, out of the fused form: see
// switch_cont_fused.go.

// fusedMake is fastNew for their instructions.
//
//go:noinline
func (m *Machine) fusedMake(v *vars, o *op) *Stack {
	pt := &v.cd.points[o.c]
	at := &v.inst.clauses[pt.table]
	t := m.fusedNew(v, o, pt.funcToRun(v.inst, v.r, o.b), &m.pool[at.dialect])
	if t != nil {
		v.passInitial(pt, at, o, t)
	}
	return t
}

// funcToRun returns the function of an instruction that makes a stack, nil if that is left to the
// baseline form.
func (pt *resumePoint) funcToRun(inst *Instance, r rslots, b uint16) *Func {
	switch {
	case pt.kind == wasm.OpStackNewRef:
		return r.at(b).asFunc()
	case pt.kind != wasm.OpMountFiberNew:
		return inst.funcs[pt.fn]
	case len(pt.clauses) == 0:
		return nil
	}
	return inst.funcs[pt.clauses[0].pc]
}

// passInitial gives a new stack the arguments of the instruction that made it, and that the
// reference.
func (v *vars) passInitial(pt *resumePoint, at *clauseTable, o *op, t *Stack) {
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
		at = t.base.entryTable()
	}
	v.moveNums(o.a, pt.nums, t.numsAt(0))
	v.moveRefs(o.b, pt.refs, t.refsAt(first))
	t.recvN, t.recvR = uint32(pt.nums), first+uint32(pt.refs)
	t.setEventTable(at)
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

// fusedEnd is fastFinish for fibers; others may not return.
//
//go:noinline
func (m *Machine) fusedEnd(v *vars, na, nn, ra, nr uint16) (*Stack, *frame, *op) {
	s, p := v.s, v.s.parent
	free := &m.pool[s.dialect]
	if s.rooted || p == nil || m.observer != nil || !s.recyclable(*free) {
		return nil, nil, nil
	}
	var (
		tag  *Tag
		next *op
		fr   = p.last()
	)
	switch s.dialect {
	case wasm.DialectFibersMount: // the results are the values of an event
		tag = s.returnTag()
		h := p.fusedEventClause(tag)
		if h == nil {
			return nil, nil, nil
		}
		p.copySaved(fr, h)
		nums, refs := p.enterClause(fr, h)
		next = h.op
		v.moveNums(na, nn, nums)
		v.moveRefs(ra, nr, refs)
		p.tag, p.recvR = tag, 0
	case wasm.DialectFibersHandle:
		pt, o := fr.point()
		if c := s.base.code; len(c.canonResults) != len(c.results) || !slices.Equal(c.canonResults, pt.results) {
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
		r.recordSwitch(EventFinish, s, p.id, s.base, uint32(len(s.base.code.body)-1), tag, nil)
	}
	return p, fr, next
}
