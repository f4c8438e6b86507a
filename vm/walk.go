package vm

import (
	"math"

	"stackscope/wasm"
)

// walker finds every stack that exists: those in running chains, and those to which a reference that
// is still good can be reached. Dead slots are not followed.
type walker struct {
	m      *Machine
	visit  func(*Stack, Holder)
	mark   uint32 // what Stack.seen of a visited stack is
	heap   map[*object]struct{}
	todo   []found
	counts map[place]uint32
	budget int // how much may still be looked at; see survey
}

// found is something whose references are still to be followed.
type found struct {
	stack *Stack
	obj   Ref
}

type place struct {
	c     *code
	pc    uint32
	begun bool
}

// walk calls visit once for each stack.
func (m *Machine) walk(visit func(*Stack, Holder)) { m.survey(math.MaxInt, visit) }

// survey is walk that gives up after a number of stacks, objects and table slots. It tells whether it
// has seen all. The running chain is always visited.
func (m *Machine) survey(budget int, visit func(*Stack, Holder)) bool {
	m.walks++
	w := &walker{m: m, visit: visit, mark: m.walks, heap: map[*object]struct{}{}, counts: map[place]uint32{}, budget: budget}
	for s := range m.Chain() {
		w.stack(s, Holder{Kind: HeldByChain})
	}
	for i := range m.acts {
		if s := m.acts[i].root; s != nil && s.state != StackMoribund {
			w.segment(s, Holder{Kind: HeldByHost})
		}
	}
	for _, in := range m.insts {
		for i, g := range in.globals {
			w.ref(g.ref, Holder{Kind: HeldByGlobal, Instance: in, Index: uint32(i)})
		}
		for i, t := range in.tables {
			for j, r := range t.elems {
				if w.budget--; w.budget < 0 {
					return false
				}
				w.ref(r, Holder{Kind: HeldByTable, Instance: in, Index: uint32(i), Slot: uint64(j)})
			}
		}
		for _, e := range in.elems {
			if w.budget -= len(e); w.budget < 0 {
				return false
			}
			for _, r := range e {
				w.ref(r, Holder{Kind: HeldByObject, Instance: in})
			}
		}
	}
	for len(w.todo) > 0 {
		if w.budget < 0 {
			return false
		}
		f := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if f.stack != nil {
			w.frames(f.stack)
			continue
		}
		switch h := (Holder{Kind: HeldByObject}); f.obj.kind() {
		case objStruct:
			for _, r := range f.obj.asStruct().refs {
				w.ref(r, h)
			}
		case objArray:
			for _, r := range f.obj.asArray().refs {
				w.ref(r, h)
			}
		case objExn:
			for _, r := range f.obj.asExn().refs {
				w.ref(r, h)
			}
		}
	}
	return w.budget >= 0
}

func (w *walker) stack(s *Stack, h Holder) {
	if s.seen == w.mark {
		return
	}
	s.seen = w.mark
	w.budget--
	w.visit(s, h)
	w.todo = append(w.todo, found{stack: s})
}

// segment visits a head and what hangs below it.
func (w *walker) segment(s *Stack, h Holder) {
	w.stack(s, h)
	for t := s.Leaf(); t != s && t != nil; t = t.parent {
		w.stack(t, Holder{Kind: HeldBySegment, Stack: s})
	}
}

// ref follows a reference.
func (w *walker) ref(r Ref, h Holder) {
	switch r.kind() {
	case objStack:
		s := r.asStack()
		if s.generation != r.aux || s.state == StackMoribund {
			return
		}
		if s.seen == w.mark {
			return
		}
		w.stack(s, h)
		if head := s.Head(); !head.rooted {
			w.segment(head, Holder{Kind: HeldBySegment, Stack: s})
		}
	case objStruct, objArray, objExn:
		if _, ok := w.heap[r.obj]; !ok {
			w.heap[r.obj] = struct{}{}
			w.budget--
			w.todo = append(w.todo, found{obj: r})
		}
	}
}

// frames follows the references in the locals and operands of a stack.
func (w *walker) frames(s *Stack) {
	for i := range s.frames {
		fr := &s.frames[i]
		c := fr.fn.code
		if c.refs == 0 {
			continue
		}
		end := fr.refBase + c.locRefs + w.operands(&Frame{s, i})
		if i == len(s.frames)-1 && s.state != StackRunning {
			end = max(end, s.recvR)
		}
		if s.pending > 0 && i == len(s.frames)-1 { // its values lie above the operands
			end += uint32(s.tag.parRefs)
		}
		for k, r := range s.refs[fr.refBase:min(end, uint32(len(s.refs)))] {
			w.ref(r, Holder{Kind: HeldByFrame, Stack: s, Depth: i, Slot: uint64(k)})
		}
	}
}

// operands counts the references among a frame's operands.
func (w *walker) operands(f *Frame) uint32 {
	fr := f.raw()
	if fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex {
		return fr.fn.code.refs - fr.fn.code.locRefs
	}
	at := place{fr.fn.code, fr.pc, f.Waiting()}
	n, ok := w.counts[at]
	if !ok {
		_, r := slotsOf(f.types())
		n = uint32(r)
		w.counts[at] = n
	}
	return n
}
