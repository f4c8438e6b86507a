package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// The dialect stacks (docs/design/dialects.md §3): one-shot references, no parents. A switch parks
// the whole running chain: its head is a coroutine or the rooted stack, below it there may be
// stacks of other dialects.

func init() {
	designs[wasm.DialectStacks] = design{
		returns: func(*Machine, *Stack) wasm.TrapKind { return wasm.TrapCoroutineReturned },
	}
	controls[wasm.OpStackNew] = (*Machine).stackNew
	controls[wasm.OpStackNewRef] = (*Machine).stackNew
	controls[wasm.OpStackBind] = (*Machine).stackBind
	controls[wasm.OpStacksSwitch] = withFlag((*Machine).stackSwitch, false)
	controls[wasm.OpSwitchRetire] = withFlag((*Machine).stackSwitch, true)
}

// stackNew makes a coroutine of the function of the instruction, or of the reference at o.b.
func (m *Machine) stackNew(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	r := &s.refs[fr.refBase+uint32(o.B)]
	var fn *Func
	if pt.Kind == wasm.OpStackNew {
		fn = fr.fn.inst.funcs[pt.Func]
	} else {
		if r.obj == nil {
			return nil, wasm.TrapNullFunction
		}
		fn = r.asFunc()
	}
	t := m.create(s, fr, fn, wasm.DialectStacks)
	if t == nil {
		return nil, m.exhausted()
	}
	*r = t.ref()
	return next(s, fr)
}

// stackOperand checks a stack operand.
func stackOperand(r Ref) (*Stack, wasm.TrapKind) {
	return named(r, wasm.TrapNullStack, wasm.TrapStackConsumed)
}

// stackBind consumes a reference and leaves one to the same stack, with its first arguments stored
// where it gets them.
func (m *Machine) stackBind(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	at := rb + uint32(pt.Refs)
	t, tk := stackOperand(s.refs[at])
	if tk != 0 {
		return nil, tk
	}
	if m.watched {
		m.emitSwitch(EventBind, t, s, s, fr, nil, fr.stackPayload(pt), nb, rb)
		m.recordUse(t)
	}
	leaf := t.Leaf()
	copyArgs(s, nb, rb, leaf, pt.Nums, pt.Refs)
	leaf.recvN += uint32(pt.Nums)
	leaf.recvR += uint32(pt.Refs)
	t.generation++
	s.refs[at] = Ref{}
	s.refs[rb] = t.ref()
	return next(s, fr)
}

// stackPayload returns the types of the arguments of the instruction at a frame's pc.
func (fr *frame) stackPayload(pt *code.ResumePoint) []wasm.ValType {
	mod, in := fr.fn.inst.mod, &fr.fn.code.Body[fr.pc]
	ts := mod.Types[in.A].Params
	if pt.Kind == wasm.OpStackBind {
		ts = ts[:len(ts)-len(mod.Types[in.B].Params)]
	}
	return ts
}

// stackSwitch consumes a reference and runs that stack in place of the running chain, which is
// parked, or ends.
func (m *Machine) stackSwitch(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op, retire bool) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	at := rb + uint32(pt.Refs)
	t, tk := stackOperand(s.refs[at])
	if tk != 0 {
		return nil, tk
	}
	if t.rooted && t != m.acts[len(m.acts)-1].root {
		return nil, wasm.TrapHostFrame
	}
	head := s
	for {
		if m.barriers && crossesBarrier(head) {
			return nil, wasm.TrapBarrier
		}
		if head.parent == nil {
			break
		}
		head = head.parent
	}
	if retire && head.rooted {
		return nil, wasm.TrapRootedRetire
	}
	leaf := t.Leaf()
	if m.watched {
		m.emitSwitch(EventSwitch, head, t, s, fr, nil, fr.stackPayload(pt), nb, rb)
		m.recordUse(t)
		m.emitBegin(leaf, s.id)
	}
	copyArgs(s, nb, rb, leaf, pt.Nums, pt.Refs)
	s.refs[at] = Ref{}
	if retire {
		leaf.refs[leaf.recvR+uint32(pt.Refs)] = Ref{}
		m.endSegment(head, s, t, EventFinish, fr.site())
	} else {
		leaf.refs[leaf.recvR+uint32(pt.Refs)] = head.ref()
		unlink(head, s, fr, o, nil)
	}
	m.link(t, leaf, nil, nil)
	return leaf, 0
}
