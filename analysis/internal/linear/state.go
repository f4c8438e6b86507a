package linear

import (
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// follower follows one-shot references in the locals of one body. A continuation is consumed by
// resume, resume_throw, resume_throw_ref, switch and cont.bind, a stack reference by switch,
// switch_retire and stack.bind; using it again traps. Fibers and tasks may be used again until they
// are released. What is said holds on every path to the place (in a loop: on every path of a second
// turn). References in globals, tables and structures are not followed, nor those that a callee may
// consume.
type follower struct {
	b      *lower.Body
	report cursor.Report
	slot   []int32 // by local: its place in a state, or -1
	ends   []int32 // by block instruction: its end
	elses  []int32 // by `if`: its else, or 0
	hot    []int32 // number of interesting instructions before each
	fresh  int32   // last value number given out
	steps  int     // how much work is left
	open   []openBlock
	live   []bool // by instruction: a path leads to it, and it does not trap for the reference that it takes
	said   map[[2]int]bool
}

// status is what is known of a value.
type status uint8

const (
	statusUnknown status = iota
	statusLive
	statusNull
	statusConsumed
)

// value is what a local holds: values with one number are the same reference.
type value struct {
	id     int32
	status status
	by     int32 // the consuming instruction
}

// state is what is known at a point, nil where no path leads.
type state []value

// openBlock is an open block: the states of the branches to it.
type openBlock struct {
	state   state
	catches []int // of a try_table: the open blocks its clauses go to
}

// Check reports what is wrong with the use of one-shot references in the body lowered last.
func Check(b *lower.Body, report cursor.Report) (inert []int32) {
	found := false
	for i := range b.Instrs {
		switch op := b.Instrs[i].Op; op {
		case wasm.OpHandle, wasm.OpEvent:
			return nil // control may come to an event clause from everywhere in its handle
		default:
			found = found || op.Info().Dialect != wasm.DialectNone
		}
	}
	if !found {
		return nil
	}
	x := &follower{
		b: b, report: report, said: map[[2]int]bool{},
		steps: 50*len(b.Instrs) + 1000, live: make([]bool, len(b.Instrs)),
	}
	start := x.prepare()
	x.open = append(x.open, openBlock{})
	x.run(0, len(b.Instrs)-1, start)
	if x.steps <= 0 {
		return nil // some paths are not followed
	}
	for i := range b.Instrs {
		if !x.live[i] && b.Instrs[i].Op.Info().Effect >= wasm.EffectThrow {
			inert = append(inert, int32(i))
		}
	}
	return inert
}

// prepare finds the locals to follow and the shape of the body, and returns the state at its start.
func (x *follower) prepare() state {
	b := x.b
	params := b.NumParams()
	start := state{{id: x.next()}} // slot 0 is nobody's: a state is never empty
	x.slot = make([]int32, len(b.Locals))
	for i, t := range b.Locals {
		x.slot[i] = -1
		if !followed(b, t) && !isFuncRef(b, t) {
			continue
		}
		x.slot[i] = int32(len(start))
		v := value{id: x.next(), status: statusLive}
		if i >= params && t.Nullable() {
			v.status = statusNull
		}
		start = append(start, v)
	}
	n := len(b.Instrs)
	x.ends, x.elses, x.hot = make([]int32, n), make([]int32, n), make([]int32, n+1)
	var open []int
	for i := range b.Instrs {
		in := &b.Instrs[i]
		x.hot[i+1] = x.hot[i]
		switch {
		case in.Op.Info().Dialect != wasm.DialectNone,
			(in.Op == wasm.OpLocalSet || in.Op == wasm.OpLocalTee) && x.tracked(in.A) >= 0:
			x.hot[i+1]++
		case in.Op.OpensBlock():
			open = append(open, i)
		case in.Op == wasm.OpElse && len(open) > 0:
			x.elses[open[len(open)-1]] = int32(i)
		case (in.Op == wasm.OpEnd || in.Op == wasm.OpDelegate) && len(open) > 0:
			x.ends[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		}
	}
	for _, o := range open { // cannot be in a body that the lowerer made
		x.ends[o] = int32(n - 1)
	}
	return start
}

func (x *follower) next() int32 { x.fresh++; return x.fresh }

func (x *follower) tracked(local uint32) int32 {
	if int64(local) < int64(len(x.slot)) {
		return x.slot[local]
	}
	return -1
}

// join merges a state into another; either may be nil.
func (x *follower) join(a, b state) state {
	if a == nil {
		return append(state(nil), b...)
	}
	if b == nil {
		return a
	}
	for i := range a {
		u, v := a[i], b[i]
		switch {
		case u.status == v.status && (u.status != statusConsumed || u.by == v.by):
		case u.status == statusConsumed && v.status == statusConsumed:
			u.by = min(u.by, v.by)
		default:
			u.status = statusUnknown
		}
		if u.id != v.id {
			u.id = x.next()
		}
		a[i] = u
	}
	return a
}

// same reports whether two states say the same.
func (a state) same(b state) bool {
	if (a == nil) != (b == nil) {
		return false
	}
	for i := range a {
		if a[i].status != b[i].status {
			return false
		}
	}
	return true
}

// branch brings a state to a label counted from the innermost.
func (x *follower) branch(depth uint32, s state) {
	if i := len(x.open) - 1 - int(depth); s != nil && depth < 1<<20 && i >= 0 {
		x.open[i].state = x.join(x.open[i].state, s)
	}
}

// raise brings a state to the clauses of every try_table around.
func (x *follower) raise(s state) {
	if s == nil {
		return
	}
	for i := len(x.open) - 1; i >= 0; i-- {
		for _, c := range x.open[i].catches {
			x.open[c].state = x.join(x.open[c].state, s)
		}
	}
}

// source returns the local whose value is on top of the stack before instruction i, or whether it
// is a null written right there.
func (x *follower) source(i int) (local int32, null bool) {
	for k := i - 1; k >= 0; k-- {
		in := &x.b.Instrs[k]
		switch in.Op {
		case wasm.OpRefAsNonNull:
			continue
		case wasm.OpLocalGet, wasm.OpLocalTee:
			return x.tracked(in.A), false
		case wasm.OpRefNull:
			return -1, true
		}
		return -1, false
	}
	return -1, false
}
