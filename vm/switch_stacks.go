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
	controls[wasm.OpReturnSwitch] = withFlag(transfer.stackSwitch, false)
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

// stackPayload returns the types of what the instruction at a frame's pc binds or sends.
func (fr *frame) stackPayload(pt *code.ResumePoint) []wasm.ValType {
	mod, in := fr.fn.inst.mod, &fr.fn.code.Body[fr.pc]
	if pt.Kind.Info().Throws {
		ts := fr.fn.inst.tags[pt.Tag].params
		return ts[:len(ts)-1]
	}
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
	t, head, tk := x.switchTarget(at)
	if tk != 0 {
		return nil, tk
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
		x.park(head)
	}
	x.m.link(t, leaf, nil, nil)
	return leaf, 0
}

// stackThrow consumes a reference and runs that stack in place of the running chain, which is
// parked. It returns the exception to throw there, which has the reference to what is parked.
func (x transfer) stackThrow() (*Stack, *Exn, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	at := rb + uint32(x.pt.Refs)
	t, head, tk := x.switchTarget(at)
	if tk != 0 {
		return nil, nil, tk
	}
	tag := x.fr.fn.inst.tags[x.pt.Tag]
	if !x.m.alloc(tag.exnBytes) {
		return nil, nil, wasm.TrapOutOfMemory
	}
	leaf := t.Leaf()
	if x.m.watched {
		x.m.emitSwitch(EventSwitch, head, t, x.s, x.fr, tag, x.fr.stackPayload(x.pt), nb, rb)
		x.m.recordUse(t)
	}
	x.s.refs[at] = head.ref()
	exn := x.m.newExn(x.s, tag, x.o.A, x.o.B)
	x.park(head)
	t.generation++
	t.resumes++
	t.leaf = nil
	leaf.state, leaf.pending = StackRunning, 0
	x.m.cur = leaf
	x.m.stats.Switches++
	return leaf, exn, 0
}

// switchTarget checks that the reference in a slot can be switched to. It returns its stack, and the
// head of the running chain. For an instruction that leaves its function it makes room for the
// function that is called when control comes back.
func (x transfer) switchTarget(at uint32) (t, head *Stack, tk wasm.TrapKind) {
	if t, tk = stackOperand(x.s.refs[at]); tk != 0 {
		return nil, nil, tk
	}
	if t.rooted && t != x.m.acts[len(x.m.acts)-1].root {
		return nil, nil, wasm.TrapHostFrame
	}
	leaves := x.pt.Kind.Info().Leaves
	frames := x.s.frames
	if leaves { // its own barriers are left
		frames = frames[:len(frames)-1]
	}
	for head = x.s; ; frames = head.frames {
		if x.m.barriers && anyInBarrier(frames) {
			return nil, nil, wasm.TrapBarrier
		}
		if head.parent == nil {
			break
		}
		head = head.parent
	}
	if leaves {
		cd := x.callee().code
		n, r := x.fr.numBase+cd.Nums, x.fr.refBase+cd.Refs
		if (n > uint32(len(x.s.nums)) || r > uint32(len(x.s.refs))) && !x.m.grow(x.s, n, r) {
			return nil, nil, x.m.exhausted()
		}
	}
	return t, head, 0
}

// callee returns the function that is called when control comes back.
func (x transfer) callee() *Func {
	fn := x.fr.fn.inst.funcs[x.pt.Func]
	if fn.code == nil {
		fn = x.m.thunk(fn)
	}
	return fn
}

// entering is the pending event of a stack that return_switch has parked: when control comes back
// it begins with the function of its innermost frame, whose last parameters are what it is sent.
// Its state is that of a stack which a debugger has moved.
const entering = -2

// Entering reports that the function of the stack's innermost frame has not begun: return_switch
// has put it there, and it begins with what the next switch to the stack brings.
func Entering(s *Stack) bool { return s.state == StackNew && s.pending == entering }

// GoesOnHere reports that a stack that does not run goes on at the instruction where it stands, not
// after it: it is Moved, or Entering.
func GoesOnHere(s *Stack) bool { return s.Moved() || Entering(s) }

// Awaits reports whether a parameter of the frame is one that the next switch to its stack brings: the
// stack is Entering.
func (f *Frame) Awaits(i int) bool {
	s, fr := f.stack, f.raw()
	if !Entering(s) || f.depth < len(s.frames)-1 || fr.fn.thunk != nil ||
		i >= len(fr.fn.inst.mach.types.Type(fr.fn.canon).Params) {
		return false
	}
	l := fr.fn.code.Locals[i]
	if l.Type.IsRef() {
		return fr.refBase+uint32(l.Slot) >= s.recvR
	}
	return fr.numBase+uint32(l.Slot) >= s.recvN
}

// park suspends the running chain where it stands, or, of an instruction that leaves its function,
// before the call of the other function in its place. What the instruction sends has been sent.
func (x transfer) park(head *Stack) {
	s, fr := x.s, x.s.top() // s may have grown
	unlink(head, s, fr, x.o, nil)
	if !x.pt.Kind.Info().Leaves {
		return
	}
	fn, old := x.callee(), fr.fn.code
	cd, n, r := fn.code, uint32(x.pt.KeptNums), uint32(x.pt.KeptRefs)
	copy(s.nums[fr.numBase:fr.numBase+n], s.nums[s.recvN-n:])
	clear(s.nums[fr.numBase+n : fr.numBase+max(n, cd.LocNums)])
	copy(s.refs[fr.refBase:fr.refBase+r], s.refs[s.recvR-r:])
	clear(s.refs[fr.refBase+r : fr.refBase+max(r, cd.Refs, old.Refs)])
	fr.fn, fr.pc, fr.mark, fr.at = fn, 0, 0, nil
	s.recvN, s.recvR = fr.numBase+n, fr.refBase+r
	s.state, s.pending = StackNew, entering
}
