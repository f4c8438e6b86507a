package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// faults ends host calls with traps and exceptions that nothing catches, unless a debugger averts
// it.
type faults struct {
	m        *Machine
	detail   string // of the trap that is about to happen
	missed   *Tag   // and, of an unhandled event, the event
	missedAt *Stack // and the stack that was to take it
}

// trap ends the host call on s's chain with a trap. The probe sees it before anything is unwound;
// if it has made a frame go on elsewhere, there is no error and the running stack goes on.
func (fs *faults) trap(s *Stack, k wasm.TrapKind) error {
	if k == wasm.TrapUnhandledEvent && fs.missedAt == nil && s.tag != nil { // at an event.switch: the event is there
		fs.detail, fs.missed, fs.missedAt = s.tag.String(), s.tag, s
	}
	t := NewTrap(k, fs.detail)
	t.Tag, t.At = fs.missed, fs.missedAt
	switch {
	case k.Stale():
		t.Stale = staleOperand(s)
	case k.Misplaced():
		t.Misplaced = misplacedOperand(s, k)
	}
	fs.detail, fs.missed, fs.missedAt = "", nil, nil
	return fs.raise(s, t, StopTrap)
}

func (fs *faults) raise(s *Stack, t *Trap, why StopReason) error {
	t.Backtrace = fs.m.Backtrace()
	if fs.averted(s, &Stop{Reason: why, Trap: t}) {
		return nil
	}
	fs.kill(s, EndTrapped, nil)
	return t
}

// raiseHost is trap for what a host function has given: the call has happened, so it cannot be
// undone.
func (fs *faults) raiseHost(s *Stack, t *Trap) error {
	if t.Backtrace == nil {
		t.Backtrace = fs.m.Backtrace()
		fs.m.stop(s, &Stop{Reason: StopTrap, Trap: t})
	}
	fs.kill(s, EndTrapped, nil)
	return t
}

// fault is what can be done about a fault while the probe looks at it.
type fault uint8

const (
	noFault          fault = iota
	faultOpen              // a frame can be made to go on elsewhere
	faultRestartOnly       // a frame can restart; the operands of what failed are gone
	faultAverted           // that has been done
)

// averted calls the probe because of a fault, and reports whether that has made a frame go on
// elsewhere. The probe may run other calls meanwhile, with faults of their own.
func (fs *faults) averted(s *Stack, st *Stop) bool {
	outer := fs.m.fault
	if fs.m.fault = faultOpen; fs.m.lateFault {
		fs.m.fault = faultRestartOnly
	}
	fs.m.stop(s, st)
	yes := fs.m.fault == faultAverted
	fs.m.fault = outer
	return yes
}

// unhandled ends the host call because of a suspension or switch at o that nothing handles.
func (fs *faults) unhandled(s *Stack, tag *Tag, o *code.Op) error {
	fr := s.top()
	t := &Trap{Kind: wasm.TrapUnhandledTag, Message: wasm.TrapUnhandledTag.String() + " " + tag.String(), Tag: tag}
	for x := s; x.parent != nil; x = x.parent {
		if !x.dialect.Info().HandlerClauses {
			t.Message += " (the search ends at a stack of the dialect " + x.dialect.String() + ")"
			break
		}
	}
	if fr.fn.code.Body[fr.pc].Op == wasm.OpSuspend {
		t.Values = getValues(tag.params, s.nums[fr.numBase+uint32(o.A):], s.refs[fr.refBase+uint32(o.B):])
	}
	return fs.raise(s, t, StopUnhandled)
}

// uncaught ends the host call because of an exception that nothing catches. It may be averted, see
// trap.
func (fs *faults) uncaught(s *Stack, e *Exn) error {
	x := &Exception{Tag: e.tag, Values: e.Values(), Ref: Ref{obj: &e.object}, Backtrace: fs.m.Backtrace()}
	if fs.averted(s, &Stop{Reason: StopThrow, Exception: x}) {
		return nil
	}
	fs.kill(s, EndThrew, e.tag)
	return x
}

// kill makes every stack of s's chain moribund, because of what happened on s: a trap, or an
// exception with a tag.
func (fs *faults) kill(s *Stack, k EndKind, tag *Tag) {
	e := end{kind: k, by: s.id, tag: tag}
	for s != nil {
		p := s.parent
		fs.m.emitEnd(s, p, e)
		fs.m.retire(s)
		s = p
	}
}

// stop calls the probe, if there is one.
func (d *Debugging) stop(s *Stack, st *Stop) {
	if d.probe == nil {
		return
	}
	st.Machine, st.Stack = d.m, s
	if len(s.frames) > 0 {
		st.Site = s.site(len(s.frames) - 1)
	}
	d.probe(st)
}

// site returns the place of a frame.
func (s *Stack) site(depth int) Site {
	fr := &s.frames[depth]
	if fr.fn.thunk != nil {
		return Site{fr.fn.thunk, -1}
	}
	return Site{fr.fn, int(fr.pc)}
}

// Backtrace returns the running chain, and those of outer host calls. Of a stack with many frames
// it has the innermost 100 and the outermost 20, and of a chain of many stacks likewise.
func (v Inspection) Backtrace() Backtrace {
	const inner, outer = 100, 20
	var bt Backtrace
	stacks, last, omitted := v.ChainEnds()
	for k, s := range append(stacks, last...) {
		st := StackTrace{Stack: s.id, Rooted: s.rooted}
		if host := v.hostOf(s); host != nil {
			st.Frames = append(st.Frames, Site{host, -1})
		}
		n := len(s.frames)
		for i := n - 1; i >= 0; i-- {
			if n > inner+outer && i == n-1-inner {
				st.Omitted = i + 1 - outer
				st.OmittedAt = len(st.Frames)
				i = outer - 1
			}
			st.Frames = append(st.Frames, s.site(i))
		}
		st.HandlerClauses = waitingClauses(s)
		if omitted > 0 && k == chainInner-1 {
			st.Skipped = omitted
		}
		bt = append(bt, st)
	}
	return bt
}
