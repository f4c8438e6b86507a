package vm

import (
	"context"
	"errors"
	"slices"

	"stackscope/wasm"
)

// A host call that is promising can be suspended as a whole by a host function, as JavaScript
// Promise Integration does: the chain from the running stack to the rooted one stays as it is, and
// the call returns to the host, which may make other calls, and continues it later. To the program
// a suspended call is one whose host function has not returned yet: nothing that the program does
// meanwhile can resume, release or leave a stack of it.

// Parked is a host call that a host function has suspended.
type Parked struct {
	m     *Machine
	fn    *Func  // the function of the call
	root  *Stack // its rooted stack
	leaf  *Stack // the stack that called the host function
	host  *Func  // the host function
	on    any    // what it waits for
	depth int    // of the call of the host function: the frames of the leaf, and the pc
	pc    uint32
}

// Answer is what a suspended host function returns when its call continues: values of its result
// types, or an error as a host function may return.
type Answer struct {
	Values []Value
	Err    error
}

// answer is an answer on its way.
type answer struct {
	to *Parked
	Answer
}

// hosting is the part of a Machine that a host uses for calls that can be suspended, and for imports
// of any type.
type hosting struct {
	m      *Machine
	parked []*Parked // in the order in which they were suspended
	answer *answer   // for the host function that is called next, where its call continues
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
	outer := m.answer
	m.answer = &answer{p, a}
	defer func() { m.answer = outer }()
	return entry{fn: p.fn, promising: true, again: p}.callPromising(ctx, m)
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
func (v Inspection) ParkedCall(s *Stack) *Parked {
	if len(v.m.parked) == 0 {
		return nil
	}
	head := s.Head()
	for _, p := range v.m.parked {
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
	if !m.answers(m.cur) {
		return Answer{}, false
	}
	a = m.answer.Answer
	m.answer = nil
	return a, true
}

// answers reports whether a stack stands at the call of a host function that is about to get its
// answer. An answer for a call that a debugger has left is dropped.
func (h *hosting) answers(s *Stack) bool {
	a := h.answer
	if a == nil || a.to.leaf != s {
		return false
	}
	if len(s.frames) != a.to.depth || s.top().pc != a.to.pc {
		h.answer = nil
		return false
	}
	return true
}

// park keeps the host call that was running, of root, and returns errParked.
func (h *hosting) park(root *Stack, fn *Func) error {
	m := h.m
	s := m.cur
	fr := s.top()
	p := &Parked{
		m: m, fn: fn, root: root, leaf: s, host: m.awaits, on: m.await, depth: len(s.frames), pc: fr.pc,
	}
	m.await, m.awaits = nil, nil
	m.parked = append(m.parked, p)
	if m.watched && m.record(EventAwait, s, 0, fr.fn, fr.pc, 0) {
		m.notify(Event{
			Kind: EventAwait, Stack: s.id, Base: s.BaseFunc(), Site: s.site(len(s.frames) - 1), Dialect: s.dialect,
		})
	}
	return errParked
}

// unpark makes a suspended call the running one, and returns its rooted stack.
func (h *hosting) unpark(p *Parked) *Stack {
	m := h.m
	m.remove(p)
	s := p.leaf
	m.cur = s
	fr := s.top()
	if m.watched && m.record(EventSettle, s, 0, fr.fn, fr.pc, 0) {
		var vs []Value
		if m.answer != nil {
			vs = m.answer.Values
		}
		m.notify(Event{
			Kind: EventSettle, Stack: s.id, Base: s.BaseFunc(), Site: s.site(len(s.frames) - 1), Values: vs,
			Dialect: s.dialect,
		})
	}
	return p.root
}

func (h *hosting) remove(p *Parked) {
	h.parked = slices.DeleteFunc(h.parked, func(q *Parked) bool { return q == p })
}
