package vm

import (
	"errors"

	"stackscope/wasm"
)

var (
	errEnded    = errors.New("this frame has ended")
	errHostRuns = errors.New("a call of the host has not returned: what called it cannot be left")
	errEvent    = errors.New("an event is pending: event.switch has to take it first")
	errOnTop    = errors.New("a cancellation runs on top of this stack: it can go on elsewhere when that has ended")
	errHostCode = errors.New("this is not code of the program")
)

// Restart makes a frame begin again: those that it called are left, with the stacks that these had
// resumed, which end. Its locals are zero again, and its parameters are what they are now. What was
// done to memories, tables, globals and objects stays done, and references that were used up stay
// so.
//
// A frame of the running stack, or of one that waits in the running chain, goes on at once; that
// averts a fault that the probe looks at. One of a stack that does not run goes on when that is
// resumed; the values that the resumption brings are dropped. The base frame of a fiber or task
// that begins with an event takes that again, with its values: the stack is new again. The error
// says why a frame cannot begin again.
func (f *Frame) Restart() error {
	s := f.stack
	if s.state == StackMoribund || f.depth >= len(s.frames) {
		return errEnded
	}
	m := s.top().fn.inst.mach
	fr := f.raw()
	switch {
	case fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex:
		return errHostCode
	case s.pending > 0:
		return errEvent
	}
	for x := m.cur; x != nil; x = x.parent {
		if x != s {
			continue
		}
		if m.host != nil {
			return errHostRuns
		}
		m.abandon(m.cur, s)
		f.cutHere()
		s.state, s.recvR = StackRunning, 0
		m.cur = s
		m.avert()
		return nil
	}
	if s.neverRan() {
		return errors.New("this stack has not begun")
	}
	if err := detachedSegment(s); err != nil {
		return err
	}
	return f.restartLater(m)
}

// restartLater is Restart for a stack of a suspended segment.
func (f *Frame) restartLater(m *Machine) error {
	s, fr := f.stack, f.raw()
	head := s.Head()
	leaf, c := head.Leaf(), fr.fn.code
	byEvent := s.ByEvent()
	var from *clauseTable
	n, r := fr.numBase+c.LocNums, fr.refBase+c.LocRefs
	if byEvent {
		from = leaf.findEventTable()
	} else {
		room := leaf.top().fn.code // what the resumption brings has its place in this frame
		if !m.grow(s, n+max(c.Nums, room.Nums), r+max(c.Refs, room.Refs)) {
			return NewTrap(m.exhausted(), "")
		}
	}
	m.abandon(leaf, s)
	f.cutHere()
	if head.leaf = s; head == s {
		head.leaf = nil
	}
	if byEvent && f.depth == 0 && renew(s) {
		return nil
	}
	s.recvN, s.recvR = n, r
	s.move(from)
	return nil
}

// renew makes a stack new again that was made by an instruction after which it begins with an
// event, and reports whether it is one.
func renew(s *Stack) bool {
	made := s.makerFrame()
	pt, _ := made.point()
	switch pt.Kind {
	case wasm.OpMountFiberNew:
		s.recvN, s.recvR = uint32(pt.Nums), uint32(pt.Refs)
	case wasm.OpHandleFiberNew, wasm.OpTaskNew:
		s.recvN, s.recvR = uint32(pt.Nums), uint32(pt.Refs)+1
	default:
		return false
	}
	s.state, s.at, s.tag, s.eventTable = StackNew, nil, nil, nil
	s.eventTable = s.findEventTable()
	return true
}

// abandon ends the stacks from s up to an ancestor of it.
func (d *Debugging) abandon(s, ancestor *Stack) {
	for s != ancestor {
		p := s.parent
		if d.m.watched {
			d.m.emit(Event{Kind: EventRelease, Stack: s.id, Base: s.BaseFunc(), Site: Site{PC: -1}, Dialect: s.dialect})
			d.m.recordUse(s)
		}
		d.m.retire(s)
		s = p
	}
}

// cutHere cuts a stack to a frame, which is at its beginning.
func (f *Frame) cutHere() {
	s, fr := f.stack, f.raw()
	c := fr.fn.code
	s.frames = s.frames[:f.depth+1]
	clear(s.nums[fr.numBase+c.ParNums : fr.numBase+c.LocNums])
	clear(s.refs[min(fr.refBase+c.ParRefs, uint32(len(s.refs))):])
	fr.pc = 0
}
