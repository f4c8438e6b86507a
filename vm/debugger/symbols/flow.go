package symbols

import (
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// flow is how control can come to the instructions of a function.
type flow struct {
	// live reports by pc whether control can come to the instruction at all
	live []bool
	// joins reports by pc whether it can come from elsewhere than the instruction before: by a label,
	// or as the beginning of an arm
	joins []bool
	// own are the pcs of the function's own event clauses
	own []int
}

// openBlock is a block that is open where flowOf is.
type openBlock struct {
	op     wasm.Op
	begins bool // control can come to its beginning
	leaves bool // control can come to its end from inside, but for the last arm
	joins  bool // more than one way leads to its end
	// taken are the tags of its arms: of two clauses for one tag the first takes it
	taken map[uint32]bool
}

// takes reports whether an arm for a tag can take it, and records that it does.
func (b *openBlock) takes(tag uint32) bool {
	if b.taken == nil {
		b.taken = map[uint32]bool{}
	}
	first := !b.taken[tag]
	b.taken[tag] = true
	return first
}

// flowOf finds how control goes through a function. An instruction that ends its sequence is one
// after which the typing engine takes nothing for reachable.
//
// cut are instructions that control is taken not to pass.
func flowOf(t *valid.Typer, fn uint32, body []wasm.Instr, cut map[int]bool) *flow {
	fl := &flow{live: make([]bool, len(body)), joins: make([]bool, len(body)+1)}
	open := []openBlock{{begins: true}}
	live := true
	to := func(depth uint32) { // a branch
		i := len(open) - 1 - int(depth)
		if i >= 0 && open[i].op == wasm.OpEvent {
			i--
		}
		if i >= 0 {
			open[i].leaves, open[i].joins = true, true
		}
	}
	t.Begin(fn)
	for pc := range body {
		in := &body[pc]
		top := &open[len(open)-1]
		switch in.Op {
		case wasm.OpEnd, wasm.OpDelegate:
			joins := false
			if top.op == wasm.OpEvent { // with its handle
				open[len(open)-2].leaves = open[len(open)-2].leaves || live
				open, joins = open[:len(open)-1], true
				top = &open[len(open)-1]
				live = false
			}
			switch {
			case top.op == wasm.OpIf: // without an else
				live, joins = live || top.begins, true
			case top.op != wasm.OpLoop:
				live, joins = live || top.leaves, joins || top.joins
			}
			fl.live[pc] = live
			live = live && !cut[pc]
			if fl.joins[pc+1] = joins; len(open) == 1 { // branches to the function's label go to its end
				fl.joins[pc] = joins
			}
			open = open[:len(open)-1]
		case wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll:
			top.leaves, top.joins = top.leaves || live, true
			top.op = in.Op
			fl.live[pc], live = live, top.begins && (in.Op != wasm.OpCatch || top.takes(in.A))
			fl.joins[pc+1] = true
		case wasm.OpEvent:
			if top.op == wasm.OpEvent {
				open = open[:len(open)-1]
				top = &open[len(open)-1]
			}
			top.leaves, top.joins = top.leaves || live, true
			fl.live[pc], live = live, top.begins && top.takes(in.A)
			fl.joins[pc+1] = true
			if len(open) == 1 {
				fl.own = append(fl.own, pc)
			}
			open = append(open, openBlock{op: wasm.OpEvent, begins: live})
		default:
			fl.live[pc] = live
			if live = live && !cut[pc]; live {
				labels(in, to)
			}
			if in.Op == wasm.OpLoop {
				fl.joins[pc] = true
			}
		}
		t.Step(in)
		if in.Op.OpensBlock() {
			open = append(open, openBlock{op: in.Op, begins: live})
		} else if in.Op != wasm.OpEvent && in.Op != wasm.OpEnd && t.Unreachable() {
			live = false
		}
		if len(open) == 0 {
			break
		}
	}
	t.End()
	return fl
}

// labels calls f with the labels that an instruction may branch to.
func labels(in *wasm.Instr, f func(uint32)) {
	if l, ok := Index(in, wasm.ImmLabel, 0); ok && in.Op != wasm.OpRethrow {
		f(l)
	}
	if in.Ext == nil {
		return
	}
	for _, l := range in.Ext.Labels {
		f(l)
	}
	for _, c := range in.Ext.Catches {
		f(c.Label)
	}
	for _, h := range in.Ext.HandlerClauses {
		if !h.Switch && in.Op != wasm.OpMountFiberNew {
			f(h.Label)
		}
	}
}

// flow returns how control goes through the function.
func (c *Code) flow(fi *Function) *flow {
	if fi.flow == nil {
		fi.flow = flowOf(c.typer(fi.Module), fi.ID.Func, fi.Func.Body, nil)
	}
	return fi.flow
}

// Live reports whether control can come to the instruction at pc.
func (c *Code) Live(fi *Function, pc int) bool { return c.flow(fi).live[pc] }

// Begins returns the tags of the events by which a stack begins that an instruction of the function
// makes: those of its list, or of the event clauses or the event.switch of the function that it
// names. Of an imported function they are not known.
func (fi *Function) Begins(in *wasm.Instr) (tags []uint32) {
	add := func(in *wasm.Instr) {
		if in.Ext != nil {
			for _, h := range in.Ext.HandlerClauses {
				tags = append(tags, h.Tag)
			}
		}
	}
	if info := in.Op.Info(); info.Then == wasm.EffectNone {
		add(in)
	}
	fn, ok := Index(in, wasm.ImmFunc, 0)
	if !ok {
		return tags
	}
	depth := 0
	for i := range fi.Module.Funcs[fn].Body {
		switch in := &fi.Module.Funcs[fn].Body[i]; {
		case in.Op == wasm.OpEventSwitch && depth == i:
			add(in)
		case in.Op == wasm.OpEvent && depth == 0:
			tags = append(tags, in.A)
		case in.Op.OpensBlock():
			depth++
		case in.Op == wasm.OpEnd:
			depth--
		}
	}
	return tags
}

// clausesOf returns the instruction that has the clauses for what the one at pc gives control away
// for: that one itself, or the event.switch that follows.
func (fi *Function) clausesOf(pc int) int {
	in := fi.Instr(pc)
	if in == nil || !in.Op.Info().Dialect.Info().EventSwitch {
		return pc
	}
	for i := pc; ; i++ {
		next := fi.Instr(i)
		switch {
		case next == nil:
			return pc
		case next.Op == wasm.OpEventSwitch:
			return i
		case i > pc && next.Op != wasm.OpBlock && next.Op != wasm.OpLoop:
			return pc
		}
	}
}
