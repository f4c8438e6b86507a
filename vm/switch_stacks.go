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
	controls[wasm.OpStackNew] = transfer.stackNew
	controls[wasm.OpStackNewRef] = transfer.stackNew
	controls[wasm.OpStackBind] = transfer.stackBind
	controls[wasm.OpStacksSwitch] = withFlag(transfer.stackSwitch, false)
	controls[wasm.OpSwitchRetire] = withFlag(transfer.stackSwitch, true)
}

// stackNew makes a coroutine of the function of the instruction, or of the reference at o.b.
func (x transfer) stackNew() (*Stack, wasm.TrapKind) {
	r := &x.s.refs[x.fr.refBase+uint32(x.o.B)]
	var fn *Func
	if x.pt.Kind == wasm.OpStackNew {
		fn = x.fr.fn.inst.funcs[x.pt.Func]
	} else {
		if r.obj == nil {
			return nil, wasm.TrapNullFunction
		}
		fn = r.asFunc()
	}
	t := x.create(fn, wasm.DialectStacks)
	if t == nil {
		return nil, x.m.exhausted()
	}
	*r = t.ref()
	return next(x.s, x.fr)
}

// stackOperand checks a stack operand.
func stackOperand(r Ref) (*Stack, wasm.TrapKind) {
	return named(r, wasm.TrapNullStack, wasm.TrapStackConsumed)
}

// stackBind consumes a reference and leaves one to the same stack, with its first arguments stored
// where it gets them.
func (x transfer) stackBind() (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	at := rb + uint32(x.pt.Refs)
	t, tk := stackOperand(x.s.refs[at])
	if tk != 0 {
		return nil, tk
	}
	if x.m.watched {
		x.m.emitSwitch(EventBind, t, x.s, x.s, x.fr, nil, x.fr.stackPayload(x.pt), nb, rb)
		x.m.recordUse(t)
	}
	leaf := t.Leaf()
	copyArgs(x.s, nb, rb, leaf, x.pt.Nums, x.pt.Refs)
	leaf.recvN += uint32(x.pt.Nums)
	leaf.recvR += uint32(x.pt.Refs)
	t.generation++
	x.s.refs[at] = Ref{}
	x.s.refs[rb] = t.ref()
	return next(x.s, x.fr)
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
func (x transfer) stackSwitch(retire bool) (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	at := rb + uint32(x.pt.Refs)
	t, tk := stackOperand(x.s.refs[at])
	if tk != 0 {
		return nil, tk
	}
	if t.rooted && t != x.m.acts[len(x.m.acts)-1].root {
		return nil, wasm.TrapHostFrame
	}
	head := x.s
	for {
		if x.m.barriers && crossesBarrier(head) {
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
	if x.m.watched {
		x.m.emitSwitch(EventSwitch, head, t, x.s, x.fr, nil, x.fr.stackPayload(x.pt), nb, rb)
		x.m.recordUse(t)
		x.m.emitBegin(leaf, x.s.id)
	}
	copyArgs(x.s, nb, rb, leaf, x.pt.Nums, x.pt.Refs)
	x.s.refs[at] = Ref{}
	if retire {
		leaf.refs[leaf.recvR+uint32(x.pt.Refs)] = Ref{}
		x.m.endSegment(head, x.s, t, EventFinish, x.fr.site(), end{kind: EndRetired, by: x.s.id})
	} else {
		leaf.refs[leaf.recvR+uint32(x.pt.Refs)] = head.ref()
		unlink(head, x.s, x.fr, x.o, nil)
	}
	x.m.link(t, leaf, nil, nil)
	return leaf, 0
}
