package analysis

import (
	"strconv"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/wasm"
)

// run follows the instructions from i up to end (exclusive), and gives the state behind them.
func (x *linear) run(i, end int, s linState) linState {
	for i < end {
		if x.steps--; x.steps < 0 {
			return nil
		}
		in := &x.b.instrs[i]
		switch in.Op {
		case wasm.OpLoop:
			s = x.loop(i, s)
			i = int(x.ends[i]) + 1
			continue
		case wasm.OpIf:
			s = x.choice(i, s)
			i = int(x.ends[i]) + 1
			continue
		case wasm.OpTry:
			// Legacy exception handling: what its clauses see is not followed.
			x.steps = 0
			return nil
		}
		if in.Op.OpensBlock() {
			s = x.block(i, s)
			i = int(x.ends[i]) + 1
			continue
		}
		if s != nil {
			s = x.step(i, in, s)
		}
		i++
	}
	return s
}

// block follows block and try_table.
func (x *linear) block(i int, s linState) linState {
	var lb linLabel
	if in := &x.b.instrs[i]; in.Ext != nil {
		for _, c := range in.Ext.Catches {
			if k := len(x.open) - 1 - int(c.Label); c.Label < 1<<20 && k >= 0 {
				lb.catches = append(lb.catches, k)
			}
		}
	}
	x.open = append(x.open, lb)
	out := x.run(i+1, int(x.ends[i]), s)
	return x.close(out)
}

// close ends the innermost block.
func (x *linear) close(out linState) linState {
	lb := x.open[len(x.open)-1]
	x.open = x.open[:len(x.open)-1]
	if lb.state == nil {
		return out
	}
	return x.join(lb.state, out)
}

// choice follows an if with its else.
func (x *linear) choice(i int, s linState) linState {
	end := int(x.ends[i])
	x.open = append(x.open, linLabel{})
	other := append(linState(nil), s...)
	var out linState
	if e := int(x.elses[i]); e > 0 {
		a := x.run(i+1, e, s)
		out = x.join(x.run(e+1, end, other), a)
	} else {
		out = x.join(other, x.run(i+1, end, s))
	}
	return x.close(out)
}

// loop follows a loop: its first turn, its second, and what holds on all.
func (x *linear) loop(i int, s linState) linState {
	end := int(x.ends[i])
	turn := func(head linState) (out, again linState) {
		x.open = append(x.open, linLabel{})
		out = x.run(i+1, end, append(linState(nil), head...))
		again = x.open[len(x.open)-1].state
		x.open = x.open[:len(x.open)-1]
		return out, again
	}
	if s == nil {
		return nil
	}
	out, again := turn(s)
	if again == nil || x.hot[end] == x.hot[i] {
		return out
	}
	for range 4 {
		o, a := turn(again)
		out = x.join(o, out)
		if a == nil || a.same(again) {
			return out
		}
		again = a
	}
	x.steps = 0 // what still changes is not followed
	return nil
}

// step follows one instruction that opens no block.
func (x *linear) step(i int, in *wasm.Instr, s linState) linState {
	if uses, consumes := x.b.refOp(in); !uses && !consumes {
		x.live[i] = true
	}
	switch in.Op {
	case wasm.OpLocalSet, wasm.OpLocalTee:
		k := x.tracked(in.A)
		if k < 0 {
			return s
		}
		from, null := x.source(i)
		switch {
		case from >= 0:
			s[k] = s[from]
		case null:
			s[k] = linValue{id: x.next(), status: linNull}
		default:
			s[k] = linValue{id: x.next(), status: linLive}
		}
	case wasm.OpRefIsNull, wasm.OpBrOnNull, wasm.OpBrOnNonNull, wasm.OpRefTest, wasm.OpRefCast, wasm.OpRefEq:
		// The program asks: no more is known than it will find out.
		if from, _ := x.source(i); from >= 0 && s[from].status == linNull {
			x.set(s, from, linValue{status: linUnknown})
		}
		if in.Op == wasm.OpBrOnNull || in.Op == wasm.OpBrOnNonNull {
			x.branch(in.A, s)
		}
	case wasm.OpBr:
		x.branch(in.A, s)
		return nil
	case wasm.OpBrIf:
		x.branch(in.A, s)
	case wasm.OpBrOnCast, wasm.OpBrOnCastFail:
		x.branch(in.A, s)
	case wasm.OpBrTable:
		x.branch(in.A, s)
		if in.Ext != nil {
			for _, d := range in.Ext.Labels {
				x.branch(d, s)
			}
		}
		return nil
	case wasm.OpUnreachable, wasm.OpReturn, wasm.OpReturnCall, wasm.OpReturnCallRef, wasm.OpReturnCallIndirect:
		return nil
	case wasm.OpThrow, wasm.OpThrowRef, wasm.OpRethrow:
		x.raise(s)
		return nil
	case wasm.OpCall, wasm.OpCallRef, wasm.OpCallIndirect, wasm.OpSuspend:
		x.raise(s)
	default:
		if in.Op.Info().Dialect != wasm.DialectNone {
			return x.consume(i, in, s)
		}
	}
	return s
}

// set changes what is known of the value of a slot, in every local that holds it.
func (x *linear) set(s linState, k int32, v linValue) {
	id := s[k].id
	for i := range s {
		if s[i].id == id {
			s[i].status, s[i].by = v.status, v.by
		}
	}
}

// consume follows an instruction that may use a reference, and use it up.
func (x *linear) consume(i int, in *wasm.Instr, s linState) linState {
	uses, consumes := x.b.refOp(in)
	from, null := int32(-1), false
	if uses || consumes {
		from, null = x.source(i)
	}
	noun, op := x.b.noun(), in.Op.String()
	if in.Op == wasm.OpContNew {
		noun = "function"
	}
	switch {
	case null:
		x.say(i, -1, -1, diag.NullContinuation, op+" of a null "+noun+" always traps")
		return nil
	case from >= 0 && s[from].status == linNull:
		x.say(i, from, -1, diag.NullContinuation, op+" traps: "+x.name(from)+" is null here")
		return nil
	case from >= 0 && s[from].status == linConsumed && uses:
		by := int(s[from].by)
		code, msg := diag.ConsumedContinuation, op+" traps: the "+noun+" in "+x.name(
			from,
		)+" is used again after it was consumed"
		if by >= i {
			msg = op + " traps in the loop's next turn: the " + noun + " in " + x.name(from) + " was consumed in the one before"
		}
		if !x.b.oneShot() {
			code, msg = diag.MoribundUse, op+" traps: the "+noun+" in "+x.name(from)+" was released"
			if by >= i {
				msg = op + " traps in the loop's next turn: the " + noun + " in " + x.name(from) + " was released in the one before"
			}
		}
		x.say(i, from, by, code, msg)
		return nil
	case from >= 0 && consumes:
		x.set(s, from, linValue{status: linConsumed, by: int32(i)})
	}
	x.live[i] = true
	x.raise(s)
	for _, h := range handlersOf(in) {
		if !h.Switch && in.Op != wasm.OpMountFiberNew {
			x.branch(h.Label, s)
		}
	}
	if leavesForGood(in.Op) {
		return nil
	}
	return s
}

// name returns what to call the local of a slot.
func (x *linear) name(k int32) string {
	for i, s := range x.slot {
		if s == k {
			if n := x.b.localNames[i]; n != "" {
				return "$" + n
			}
			return "local " + strconv.Itoa(int(i))
		}
	}
	return "the local"
}

// done is what has happened to a reference that is no good any more.
func (x *linear) done() string {
	if x.b.oneShot() {
		return "it is consumed"
	}
	return "it is released"
}

// say reports once per place.
func (x *linear) say(i int, slot int32, by int, code diag.Code, msg string) {
	if x.said[[2]int{i, 0}] {
		return
	}
	x.said[[2]int{i, 0}] = true
	b := x.b
	f := cursor.Finding{Code: code, At: b.ownPlace(b.nodes[i]), Msg: msg}
	switch {
	case by == i:
		f.Related = append(f.Related, cursor.Related{At: b.ownPlace(b.nodes[by]), Msg: x.done() + " here, in every turn"})
	case by >= 0:
		f.Related = append(f.Related, cursor.Related{At: b.ownPlace(b.nodes[by]), Msg: x.done() + " here"})
	case slot >= 0:
		for k, s := range x.slot {
			if s == slot && b.localItems[k].Node != 0 {
				f.Related = append(
					f.Related,
					cursor.Related{At: b.u.NodePlace(b.localItems[k].Node), Msg: "the local begins as null; nothing has set it on the way here"},
				)
			}
		}
	}
	x.report(f)
}

// shadowedClauses reports handler clauses that can never fire: an earlier one has the same tag and
// kind.
func (b *loweredBody) shadowedClauses(report cursor.Report) {
	for i := range b.instrs {
		in := &b.instrs[i]
		if in.Ext == nil || len(in.Ext.Handlers) < 2 {
			continue
		}
		hs := in.Ext.Handlers
		for k := 1; k < len(hs); k++ {
			for j := range k {
				if hs[j].Tag == hs[k].Tag && hs[j].Switch == hs[k].Switch && hs[k].Tag != wasm.BadIndex {
					f := cursor.Finding{
						Code: diag.ShadowedHandler, At: b.clausePlace(hs[k].At),
						Msg: "this clause never fires: an earlier one of the same " + in.Op.String() + " takes the tag",
					}
					f.Related = append(f.Related, cursor.Related{At: b.clausePlace(hs[j].At), Msg: "the clause that takes it"})
					report(f)
					break
				}
			}
			if k > 64 {
				break
			}
		}
	}
}
