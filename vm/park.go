package vm

import (
	"context"
	"errors"
	"slices"

	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// A host call that is promising can be suspended as a whole by a host function, as JavaScript
// Promise Integration does: the chain from the running stack to the rooted one stays as it is, and
// the call returns to the host, which may make other calls, and continues it later. To the program
// a suspended call is one whose host function has not returned yet: nothing that the program does
// meanwhile can resume, release or leave a stack of it.

// Parked is a host call that a host function has suspended.
type Parked struct {
	m    *Machine
	fn   *Func  // the function of the call
	root *Stack // its rooted stack
	leaf *Stack // the stack that called the host function
	host *Func  // the host function
	on   any    // what it waits for
}

// Answer is what a suspended host function returns when its call continues: values of its result
// types, or an error as a host function may return.
type Answer struct {
	Values []Value
	Err    error
}

// hosting is the part of a Machine that a host uses for calls that can be suspended, and for imports
// of any type.
type hosting struct {
	m      *Machine
	parked []*Parked // in the order in which they were suspended
	answer *Answer   // for the host function that is called next, where its call continues
	await  any       // what the host call waits for that is about to be suspended
	awaits *Func     // and the host function that suspends it
}

// errParked ends the loop where a host call is suspended.
var errParked = errors.New("the host call is suspended")

// CallPromising calls a function as Call does. If a host function suspends the call, see
// Call.Suspend, it returns the suspended call instead of results.
func (h *hosting) CallPromising(ctx context.Context, fn *Func, args ...Value) ([]Value, *Parked, error) {
	if err := checkArgs(h.m, fn, args); err != nil {
		return nil, nil, err
	}
	return entry{
		fn: fn, promising: true, put: func(s *Stack) { putValues(args, s.nums, s.refs) },
	}.callPromising(ctx, h.m)
}

func (e entry) callPromising(ctx context.Context, m *Machine) ([]Value, *Parked, error) {
	vs, err := e.call(ctx, m)
	if err == errParked {
		return nil, m.parked[len(m.parked)-1], nil
	}
	return vs, nil, err
}

// Continue continues a suspended call: the host function that has suspended it returns the answer.
// It returns what CallPromising does.
func (p *Parked) Continue(ctx context.Context, a Answer) ([]Value, *Parked, error) {
	m := p.m
	if !p.Waits() {
		return nil, nil, errors.New("the call is not suspended")
	}
	if len(m.acts) >= maxNesting { // it stays suspended
		return nil, nil, NewTrap(wasm.TrapStackExhausted, "")
	}
	return entry{fn: p.fn, promising: true, again: p, answer: a}.callPromising(ctx, m)
}

// Waits reports whether the call is still suspended.
func (p *Parked) Waits() bool { return slices.Contains(p.m.parked, p) }

// Drop ends a suspended call, with the stacks of its chain.
func (p *Parked) Drop() {
	if !p.Waits() {
		return
	}
	p.m.remove(p)
	id := p.root.id
	p.m.kill(p.leaf, EndReleased, nil)
	if p.root.id == id && p.root.state != StackMoribund {
		p.m.kill(p.root.Leaf(), EndReleased, nil)
	}
}

// Root returns the rooted stack of the call.
func (p *Parked) Root() *Stack { return p.root }

// Leaf returns the stack that has called the host function.
func (p *Parked) Leaf() *Stack { return p.leaf }

// Func returns the function of the call.
func (p *Parked) Func() *Func { return p.fn.callee() }

// Host returns the host function that has suspended the call.
func (p *Parked) Host() *Func { return p.host }

// On returns what the host function has said that the call waits for.
func (p *Parked) On() any { return p.on }

// callee returns the function that a thunk calls, or the function itself.
func (f *Func) callee() *Func {
	if f.thunk != nil {
		return f.thunk
	}
	return f
}

// Parked returns the suspended host calls, in the order in which they were suspended.
func (v Inspection) Parked() []*Parked { return slices.Clone(v.m.parked) }

// ParkedCall returns the suspended host call that a stack is part of, nil if there is none.
func ParkedCall(s *Stack) *Parked {
	if len(s.frames) == 0 || len(s.top().fn.inst.mach.parked) == 0 {
		return nil
	}
	head := s.Head()
	for _, p := range s.top().fn.inst.mach.parked {
		if p.root == s || p.leaf.Head() == head {
			return p
		}
	}
	return nil
}

// Suspend suspends the host call in progress: the host function returns the error that it returns,
// and is called again when the call continues, see Resumed. On is for people. The call must be
// promising, and no other call of the host and no barrier may be in between, else the error is a
// trap.
func (c *Call) Suspend(on any) error {
	m := c.mach
	act := &m.acts[len(m.acts)-1]
	if !act.promising {
		detail := ""
		for _, a := range m.acts {
			if a.promising {
				detail = "(a call of the host is in between)"
			}
		}
		return NewTrap(wasm.TrapNotPromising, detail)
	}
	for s := m.cur; m.barriers && s != nil; s = s.parent {
		if crossesBarrier(s) {
			return NewTrap(wasm.TrapBarrier, "")
		}
	}
	if len(m.parked) >= m.opt.MaxStacks {
		return NewTrap(wasm.TrapStackExhausted, "")
	}
	m.await, m.awaits = on, c.fn
	return errParked
}

// Resumed returns the answer of a host function that has suspended its call; ok is false
// if the program has just called it.
func (c *Call) Resumed() (a Answer, ok bool) {
	m := c.mach
	if m.answer == nil {
		return Answer{}, false
	}
	a = *m.answer
	m.answer = nil
	return a, true
}

// park keeps the host call that was running, of root, and returns errParked.
func (h *hosting) park(root *Stack, fn *Func) error {
	m := h.m
	s := m.cur
	fr := s.top()
	p := &Parked{m: m, fn: fn, root: root, leaf: s, host: m.awaits, on: m.await}
	m.await, m.awaits = nil, nil
	m.parked = append(m.parked, p)
	if m.watched && m.record(EventAwait, s, 0, fr.fn, fr.pc, 0) {
		m.notify(Event{
			Kind: EventAwait, Stack: s.id, Base: s.BaseFunc(), Site: s.site(len(s.frames) - 1), Dialect: s.dialect,
		})
	}
	return errParked
}

// unpark makes a suspended call the running one: its host function returns the answer. done reports
// that the rooted stack has returned with that, so that nothing is left to run.
func (h *hosting) unpark(p *Parked, a Answer) (done bool, err error) {
	m, s := h.m, p.leaf
	m.remove(p)
	m.cur = s
	fr := s.top()
	if m.watched && m.record(EventSettle, s, 0, fr.fn, fr.pc, 0) {
		m.notify(Event{
			Kind: EventSettle, Stack: s.id, Base: s.BaseFunc(), Site: s.site(len(s.frames) - 1), Values: a.Values,
			Dialect: s.dialect,
		})
	}
	o := &fr.fn.code.Baseline[fr.pc]
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	if fr.fn.thunk != nil {
		nb, rb = 0, 0
	}
	m.answer = &a
	exn, err := m.callHost(s, p.host, nb, rb)
	m.answer = nil
	switch {
	case err != nil:
		return false, err
	case exn != nil:
		_, err = m.throw(s, exn)
		return false, err
	}
	if fr.fn.thunk == nil {
		switch wasm.Op(fr.fn.code.Original(fr.pc)) {
		case wasm.OpReturnCall, wasm.OpReturnCallIndirect, wasm.OpReturnCallRef:
			return h.leave(s, o)
		}
	}
	s.top().pc++
	return false, nil
}

// leave returns from the innermost frame of a stack with the results of a tail call, o.
func (h *hosting) leave(s *Stack, o *code.Op) (done bool, err error) {
	m, fr := h.m, s.top()
	if len(s.frames) == 1 && !s.rooted {
		if tk := m.returns(s); tk != 0 {
			return false, m.trap(s, tk)
		}
	}
	cd := fr.fn.code
	copy(s.nums[fr.numBase:], s.nums[fr.numBase+uint32(o.A):][:cd.ResNums])
	copy(s.refs[fr.refBase:], s.refs[fr.refBase+uint32(o.B):][:cd.ResRefs])
	clear(s.refs[fr.refBase+cd.ResRefs : fr.refBase+cd.Refs])
	s.frames = s.frames[:len(s.frames)-1]
	switch {
	case len(s.frames) > 0:
		s.top().pc++
	case s.rooted:
		return true, nil
	default:
		m.finish(s)
	}
	return false, nil
}

func (h *hosting) remove(p *Parked) {
	h.parked = slices.DeleteFunc(h.parked, func(q *Parked) bool { return q == p })
}
