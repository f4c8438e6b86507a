package vm

import (
	"math"
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// HeapWalk finds every stack that exists, a part at a time: those in running chains, and those to
// which a reference that is still good can be reached. Dead slots are not followed. The order is
// the same each time, as long as nothing runs; when something has, or another walk was begun, it
// can go on no longer.
type HeapWalk struct {
	m      *Machine
	visit  func(*Stack, Holder)
	mark   uint32 // what Stack.seen of a visited stack is
	heap   map[*object]struct{}
	todo   []found
	counts map[place]uint32
	budget int               // how much may still be looked at
	at     stage             // in the roots
	left   int               // of the stacks that Count counts, how many were not found
	stale  func(Ref, Holder) // see StaleRefs; nil: only stacks are wanted
}

// stage is how far the roots were looked at.
type stage struct{ inst, table, slot, elem int }

// found is something whose references are still to be followed.
type found struct {
	stack *Stack
	obj   Ref
	from  *Holder // of the object, if there is a HeapWalk.stale
}

type place struct {
	c     *code.Func
	pc    uint32
	begun bool
}

// forEachStack calls visit once for each stack.
func (v Inspection) forEachStack(visit func(*Stack, Holder)) { v.WalkHeap(visit).More(math.MaxInt) }

// WalkHeap begins a walk: it visits the running chain. visit is called once for each stack.
func (v Inspection) WalkHeap(visit func(*Stack, Holder)) *HeapWalk {
	v.m.walks++
	w := &HeapWalk{
		m: v.m, visit: visit, mark: v.m.walks, heap: map[*object]struct{}{},
		counts: map[place]uint32{}, left: v.m.live,
	}
	for s := range v.Chain() {
		w.stack(s, Holder{Kind: HeldByChain})
	}
	for _, p := range v.m.parked {
		for s := p.leaf; s != nil; s = s.parent {
			w.stack(s, Holder{Kind: HeldByPromise})
		}
		w.segment(p.root, Holder{Kind: HeldByHost})
	}
	for i := range v.m.acts {
		if s := v.m.acts[i].root; s != nil && s.state != StackMoribund {
			w.segment(s, Holder{Kind: HeldByHost})
		}
	}
	return w
}

// StaleRefs calls visit for each reference to a stack that has ended, in what can be reached: the
// locals and operands of stacks, globals, tables, objects and element segments. It looks at about
// budget stacks, objects and table slots, and reports whether these were all.
func (v Inspection) StaleRefs(budget int, visit func(Ref, Holder)) (all bool) {
	w := v.WalkHeap(func(*Stack, Holder) {})
	w.stale, w.left = visit, math.MaxInt
	return !w.More(budget)
}

// Valid reports whether no other walk was begun.
func (w *HeapWalk) Valid() bool { return w.mark == w.m.walks }

// Found reports whether a stack was visited.
func (w *HeapWalk) Found(s *Stack) bool { return s.seen == w.mark }

// More goes on until about budget stacks, objects and table slots were looked at. It reports
// whether there may be stacks that were not found.
func (w *HeapWalk) More(budget int) bool {
	w.budget = budget
	for w.left > 0 {
		if w.budget < 0 {
			return true
		}
		if !w.root() && !w.follow() {
			return false
		}
	}
	return false // what is not looked at leads to no others
}

// root looks at the next root; false if there is none.
func (w *HeapWalk) root() bool {
	at := &w.at
	if at.inst == len(w.m.insts) {
		return false
	}
	in := w.m.insts[at.inst]
	if at.table == 0 && at.slot == 0 && at.elem == 0 {
		for i, g := range in.globals {
			w.ref(g.ref, Holder{Kind: HeldByGlobal, Instance: in, Index: uint32(i)})
		}
	}
	for ; at.table < len(in.tables); at.table, at.slot = at.table+1, 0 {
		refs := in.tables[at.table].elems
		for ; at.slot < len(refs); at.slot++ {
			if w.budget--; w.budget < 0 || w.left == 0 {
				return true
			}
			w.ref(
				refs[at.slot],
				Holder{Kind: HeldByTable, Instance: in, Index: uint32(at.table), Slot: uint64(at.slot)},
			)
		}
	}
	for ; at.elem < len(in.elems); at.elem++ {
		w.refs(in.elems[at.elem], Holder{Kind: HeldByObject, Instance: in})
	}
	*at = stage{inst: at.inst + 1}
	return true
}

// follow looks at the next of what was found; false if there is none.
func (w *HeapWalk) follow() bool {
	if len(w.todo) == 0 {
		return false
	}
	f := w.todo[len(w.todo)-1]
	w.todo = w.todo[:len(w.todo)-1]
	if f.stack != nil {
		w.budget--
		w.frames(f.stack)
		return true
	}
	switch h := (Holder{Kind: HeldByObject, Object: f.obj, In: f.from}); f.obj.kind() {
	case objStruct:
		w.refs(f.obj.asStruct().refs, h)
	case objArray:
		w.refs(f.obj.asArray().refs, h)
	case objExn:
		w.refs(f.obj.asExn().refs, h)
	}
	return true
}

func (w *HeapWalk) refs(rs []Ref, h Holder) {
	w.budget -= len(rs)
	for i, r := range rs {
		h.Slot = uint64(i)
		w.ref(r, h)
	}
}

func (w *HeapWalk) stack(s *Stack, h Holder) {
	if s.seen == w.mark {
		return
	}
	s.seen = w.mark
	w.budget--
	if !s.rooted {
		w.left--
	}
	w.visit(s, h)
	w.todo = append(w.todo, found{stack: s})
}

// segment visits a head and what hangs below it.
func (w *HeapWalk) segment(s *Stack, h Holder) {
	w.stack(s, h)
	for t := s.Leaf(); t != s && t != nil; t = t.parent {
		w.stack(t, Holder{Kind: HeldBySegment, Stack: s})
	}
}

// ref follows a reference.
func (w *HeapWalk) ref(r Ref, h Holder) {
	switch r.kind() {
	case objStack:
		s := r.asStack()
		if s.generation != r.aux || s.state == StackMoribund {
			if w.stale != nil && (s.id != r.StackID() || s.state == StackMoribund) {
				w.stale(r, h)
			}
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
			f := found{obj: r}
			if w.stale != nil {
				from := h
				f.from = &from
			}
			w.todo = append(w.todo, f)
		}
	}
}

// frames follows the references in the locals and operands of a stack.
func (w *HeapWalk) frames(s *Stack) {
	for i := range s.frames {
		fr := &s.frames[i]
		c := fr.fn.code
		if c.Refs == 0 {
			continue
		}
		end := fr.refBase + c.LocRefs + w.operands(&Frame{s, i})
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
func (w *HeapWalk) operands(f *Frame) uint32 {
	fr := f.raw()
	if fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex {
		return fr.fn.code.Refs - fr.fn.code.LocRefs
	}
	at := place{fr.fn.code, fr.pc, f.Waiting()}
	n, ok := w.counts[at]
	if !ok {
		_, r := code.SlotsOf(f.types())
		n = uint32(r)
		w.counts[at] = n
	}
	return n
}
