package vm

import (
	"slices"
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// What makes and ends stacks of the dialects other than cont, out of the fused form: see
// switch_cont_fused.go.

// fusedMake is fastNew for their instructions.
//
//go:noinline
func (v *vars) fusedMake(m *Machine, o *code.Op) *Stack {
	pt := &v.cd.Points[o.C]
	at := &v.inst.clauses[pt.Table]
	t := v.fusedNew(m, o, funcToRun(pt, v.inst, v.r, o.B), &m.pool[at.dialect])
	if t != nil {
		v.passInitial(pt, at, o, t)
	}
	return t
}

// funcToRun returns the function of an instruction that makes a stack, nil if that is left to the
// baseline form.
func funcToRun(pt *code.ResumePoint, inst *Instance, r rslots, b uint16) *Func {
	switch {
	case pt.Kind == wasm.OpStackNewRef:
		return r.at(b).asFunc()
	case pt.Kind != wasm.OpMountFiberNew:
		return inst.funcs[pt.Func]
	case len(pt.Clauses) == 0:
		return nil
	}
	return inst.funcs[pt.Clauses[0].PC]
}

// passInitial passes a new stack the arguments of the instruction that made it, and that the
// reference.
func (v *vars) passInitial(pt *code.ResumePoint, at *clauseTable, o *code.Op, t *Stack) {
	ref := t.ref()
	first := uint32(0) // where the arguments go
	switch pt.Kind {
	case wasm.OpStackNew, wasm.OpStackNewRef:
		*v.r.at(o.B) = ref
		return
	case wasm.OpMountFiberNew:
	case wasm.OpFiberMountNew:
		*t.refsAt(0).at(pt.Refs) = ref
	default:
		first = 1
		*t.refsAt(0).at(0) = ref
		at = t.base.entryTable()
	}
	v.moveNums(o.A, pt.Nums, t.numsAt(0))
	v.moveRefs(o.B, pt.Refs, t.refsAt(first))
	t.recvN, t.recvR = uint32(pt.Nums), first+uint32(pt.Refs)
	t.setEventTable(at)
	if pt.Kind != wasm.OpFiberSpawn {
		*v.r.at(o.B) = ref
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
func (v *vars) fusedEnd(m *Machine, na, nn, ra, nr uint16) (*Stack, *frame, *code.Op) {
	s, p := v.s, v.s.parent
	free := &m.pool[s.dialect]
	if s.rooted || p == nil || m.aside || !s.recyclable(*free) {
		return nil, nil, nil
	}
	var (
		tag  *Tag
		next *code.Op
		fr   = p.last()
	)
	switch d := s.dialect.Info(); {
	case d.ReturnEvent: // the results are the values of an event
		tag = s.returnTag()
		h := p.fusedEventClause(tag)
		if h == nil {
			if h = p.fusedIndexedClause(tag); h == nil {
				return nil, nil, nil
			}
		}
		copySaved(p, fr, h)
		nums, refs := enterClause(p, fr, h)
		next = h.Op
		v.moveNums(na, nn, nums)
		v.moveRefs(ra, nr, refs)
		p.tag, p.recvR = tag, 0
	case d.FrameEvents:
		pt, o := fr.point()
		if c := s.base.code; len(c.CanonResults) != len(c.Results) || !slices.Equal(c.CanonResults, pt.Results) {
			return nil, nil, nil
		}
		v.moveNums(na, nn, p.numsAt(fr.numBase+uint32(o.A)))
		v.moveRefs(ra, nr, p.refsAt(fr.refBase+uint32(o.B)))
		fr.pc++
	default: // it traps
		return nil, nil, nil
	}
	v.clear()
	m.recycle(s, free)
	p.state = StackRunning
	m.stats.Switches++
	if r := m.recorder; r != nil {
		r.recordFused(s, p.id, nil, s.base, uint32(len(s.base.code.Body)-1), end{kind: EndReturned, tag: tag})
	}
	return p, fr, next
}
