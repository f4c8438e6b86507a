package linear

import (
	"strconv"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// run follows the instructions from i up to end (exclusive), and returns the state after them.
func (x *follower) run(i, end int, s state) state {
	for i < end {
		if x.steps--; x.steps < 0 {
			return nil
		}
		in := &x.b.Instrs[i]
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
func (x *follower) block(i int, s state) state {
	var lb openBlock
	if in := &x.b.Instrs[i]; in.Ext != nil {
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
func (x *follower) close(out state) state {
	lb := x.open[len(x.open)-1]
	x.open = x.open[:len(x.open)-1]
	if lb.state == nil {
		return out
	}
	return x.join(lb.state, out)
}

// choice follows an if with its else.
func (x *follower) choice(i int, s state) state {
	end := int(x.ends[i])
	x.open = append(x.open, openBlock{})
	other := append(state(nil), s...)
	var out state
	if e := int(x.elses[i]); e > 0 {
		a := x.run(i+1, e, s)
		out = x.join(x.run(e+1, end, other), a)
	} else {
		out = x.join(other, x.run(i+1, end, s))
	}
	return x.close(out)
}

// loop follows a loop: its first turn, its second, and what holds on all.
func (x *follower) loop(i int, s state) state {
	end := int(x.ends[i])
	turn := func(head state) (out, again state) {
		x.open = append(x.open, openBlock{})
		out = x.run(i+1, end, append(state(nil), head...))
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
func (x *follower) step(i int, in *wasm.Instr, s state) state {
	if uses, consumes := refOp(x.b, in); !uses && !consumes {
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
			s[k] = value{id: x.next(), status: statusNull}
		default:
			s[k] = value{id: x.next(), status: statusLive}
		}
	case wasm.OpRefIsNull, wasm.OpBrOnNull, wasm.OpBrOnNonNull, wasm.OpRefTest, wasm.OpRefCast, wasm.OpRefEq:
		// The program asks: no more is known than it will find out.
		if from, _ := x.source(i); from >= 0 && s[from].status == statusNull {
			x.set(s, from, value{status: statusUnknown})
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
func (x *follower) set(s state, k int32, v value) {
	id := s[k].id
	for i := range s {
		if s[i].id == id {
			s[i].status, s[i].by = v.status, v.by
		}
	}
}

// consume follows an instruction that may use a reference, and use it up.
func (x *follower) consume(i int, in *wasm.Instr, s state) state {
	uses, consumes := refOp(x.b, in)
	from, null := int32(-1), false
	if uses || consumes {
		from, null = x.source(i)
	}
	noun, op := noun(x.b), in.Op.String()
	if in.Op == wasm.OpContNew {
		noun = "function"
	}
	switch {
	case null:
		x.say(i, -1, -1, diag.NullContinuation, op+" of a null "+noun+" always traps")
		return nil
	case from >= 0 && s[from].status == statusNull:
		x.say(i, from, -1, diag.NullContinuation, op+" traps: "+x.name(from)+" is null here")
		return nil
	case from >= 0 && s[from].status == statusConsumed && uses:
		by := int(s[from].by)
		code, msg := diag.ConsumedContinuation, op+" traps: the "+noun+" in "+x.name(
			from,
		)+" is used after it was consumed"
		if by >= i {
			msg = op + " traps in the loop's next iteration: the " + noun + " in " + x.name(
				from,
			) + " was consumed in the previous one"
		}
		if !oneShot(x.b) {
			code, msg = diag.MoribundUse, op+" traps: the "+noun+" in "+x.name(from)+" was released"
			if by >= i {
				msg = op + " traps in the loop's next iteration: the " + noun + " in " + x.name(
					from,
				) + " was released in the previous one"
			}
		}
		x.say(i, from, by, code, msg)
		return nil
	case from >= 0 && consumes:
		x.set(s, from, value{status: statusConsumed, by: int32(i)})
	}
	x.live[i] = true
	if !in.Op.Info().Leaves { // else what is thrown there comes out of the function
		x.raise(s)
	}
	for _, h := range lower.HandlerClauses(in) {
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
func (x *follower) name(k int32) string {
	for i, s := range x.slot {
		if s == k {
			if n := x.b.LocalNames[i]; n != "" {
				return "$" + n
			}
			return "local " + strconv.Itoa(int(i))
		}
	}
	return "the local"
}

// done is what has happened to a reference that is no good any more.
func (x *follower) done() string {
	if oneShot(x.b) {
		return "it is consumed"
	}
	return "it is released"
}

// say reports once per place.
func (x *follower) say(i int, slot int32, by int, code diag.Code, msg string) {
	if x.said[[2]int{i, 0}] {
		return
	}
	x.said[[2]int{i, 0}] = true
	b := x.b
	f := cursor.Finding{Code: code, At: b.OwnPlace(b.Nodes[i]), Msg: msg}
	switch {
	case by == i:
		f.Related = append(
			f.Related, cursor.Related{At: b.OwnPlace(b.Nodes[by]), Msg: x.done() + " here, in every iteration"},
		)
	case by >= 0:
		f.Related = append(f.Related, cursor.Related{At: b.OwnPlace(b.Nodes[by]), Msg: x.done() + " here"})
	case slot >= 0:
		for k, s := range x.slot {
			if s == slot && b.LocalItems[k].Node != 0 {
				f.Related = append(
					f.Related,
					cursor.Related{
						At:  b.Unit.NodePlace(b.LocalItems[k].Node),
						Msg: "the local starts as null; nothing sets it on the path to here",
					},
				)
			}
		}
	}
	x.report(f)
}

// Shadowed reports handler clauses that can never fire: an earlier one has the same tag and
// kind.
func Shadowed(b *lower.Body, report cursor.Report) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if in.Ext == nil || len(in.Ext.HandlerClauses) < 2 {
			continue
		}
		hs := in.Ext.HandlerClauses
		for k := 1; k < len(hs); k++ {
			for j := range k {
				if hs[j].Tag == hs[k].Tag && hs[j].Switch == hs[k].Switch && hs[k].Tag != wasm.BadIndex {
					f := cursor.Finding{
						Code: diag.ShadowedHandler, At: b.ClausePlace(hs[k].At),
						Msg: "this clause never fires: an earlier clause of the same " + in.Op.String() + " handles the tag",
					}
					f.Related = append(
						f.Related,
						cursor.Related{At: b.ClausePlace(hs[j].At), Msg: "the clause that handles it"},
					)
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
