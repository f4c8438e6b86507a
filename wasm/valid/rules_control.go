package valid

import (
	"fmt"

	"stackscope/wasm"
)

func controlRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpUnreachable: func(t *Typer, _ *wasm.Instr) { t.setUnreachable() },
		wasm.OpBlock:       typeBlock,
		wasm.OpLoop:        typeBlock,
		wasm.OpBarrier:     typeBlock,
		wasm.OpTry:         typeBlock,
		wasm.OpIf:          typeBlock,
		wasm.OpElse:        typeElseArm,
		wasm.OpEnd:         typeEnd,
		wasm.OpDrop:        typeDrop,
		wasm.OpSelect:      typeSelectOp,
	}
}

// blockType returns the type of a block instruction without allocating. Not ok: it is unknown,
// which has been reported.
func (t *Typer) blockType(in *wasm.Instr) (params, results []wasm.ValType, ok bool) {
	bt := in.Block()
	if i, indexed := bt.Index(); indexed {
		if i == wasm.BadIndex {
			return nil, nil, false
		}
		ft := t.funcType(i, 0)
		if ft == nil {
			return nil, nil, false
		}
		return ft.Params, ft.Results, true
	}
	if r, has := bt.Result(); has {
		if s := single(r); s != nil {
			return nil, s, true
		}
		t.checkType(r, 0)
		t.arena = append(t.arena, r)
		return nil, t.arena[len(t.arena)-1:], true
	}
	return nil, nil, true
}

// typeBlock begins block, loop, if, try, try_table, barrier.
func typeBlock(t *Typer, in *wasm.Instr) {
	params, results, ok := t.blockType(in)
	c := Control{Op: in.Op, Start: t.place.Instr, Params: params, Results: results, inits: len(t.inits)}
	if !ok {
		t.giveUp()
		c.Opaque, c.Unreachable = true, true
	} else {
		want := params
		if in.Op == wasm.OpIf {
			want = append(t.wants(params...), wasm.I32)
		}
		t.take(in, want)
	}
	c.Height = len(t.ops)
	t.pushControl(c)
	t.pushAll(params)
}

func (o *operands) pushControl(c Control) {
	o.height = c.Height
	o.ctl = append(o.ctl, c)
}

func (o *operands) popControl() {
	o.ctl = o.ctl[:len(o.ctl)-1]
	if n := len(o.ctl); n > 0 {
		o.height = o.ctl[n-1].Height
	}
}

// fallThrough checks that the innermost block ends with its results, and takes them off.
func (t *Typer) fallThrough(in *wasm.Instr) {
	c := t.top()
	t.closed, t.isClosed = *c, true
	if c.Opaque {
		t.popped = append(t.popped, t.ops[c.Height:]...)
		t.setUnreachable()
		return
	}
	got := t.ops[c.Height:]
	missing := len(c.Results) - len(got)
	fits := missing == 0 || missing > 0 && c.Unreachable
	bad := max(0, missing)
	if fits {
		for i := range got {
			if w := c.Results[missing+i]; got[i] != w && !t.e.Match(got[i], w) {
				fits, bad = false, missing+i
				break
			}
		}
	}
	for range missing {
		t.popped = append(t.popped, wasm.Unknown)
	}
	t.popped = append(t.popped, got[max(0, len(got)-len(c.Results)):]...)
	if !fits && !t.explained(c, missing, got) {
		t.endMismatch(in, c, bad, got)
		if missing > 0 {
			t.debt += missing
		} else {
			t.surplus -= missing
			c.surplus = -missing
		}
	}
	t.ops = t.ops[:c.Height]
	t.low = c.Height
}

// explained reports that a block ends with too few or too many operands because of an error before:
// what an instruction missed, what was left over at the end of another block or of the other arm,
// or what an error left unknown.
func (t *Typer) explained(c *Control, missing int, got []wasm.ValType) bool {
	extra := -missing
	switch {
	case c.doubt > 0:
	case missing > 0 && missing <= t.surplus && t.e.MatchAll(got, c.Results[missing:]):
		t.surplus -= missing
	case extra > 0 && extra <= t.debt:
		t.debt -= extra
	case extra > 0 && extra == c.surplus:
	case extra > 0:
		for _, g := range got {
			if g == wasm.Unknown && (t.erred || !c.Unreachable) {
				return true
			}
		}
		return false
	default:
		return false
	}
	t.failed = true
	return true
}

func (s *scope) endMismatch(in *wasm.Instr, c *Control, bad int, got []wasm.ValType) {
	s.failed = true
	if s.report == nil {
		return
	}
	p := s.place
	p.Imm, p.Operand = -1, bad
	what := "function body"
	switch {
	case c.Start >= 0:
		what = c.Op.String()
	case s.konst:
		what = "constant expression"
	}
	if in.Op == wasm.OpEvent && c.Op != wasm.OpEvent { // control may fall through to the clauses
		what += " before its event clauses"
	}
	msg := fmt.Sprintf(
		"type mismatch: %s requires %s but stack has %s", what, s.e.FormatTypes(c.Results),
		s.e.FormatTypes(got),
	)
	if n := len(got) - len(c.Results); n > 0 {
		msg += fmt.Sprintf(" (%d too many)", n)
	}
	s.report(Error{Place: p, Code: CodeTypeMismatch, Want: clone(c.Results), Got: clone(got), Msg: msg})
}

// undoInits makes locals uninitialised again that were set inside a block.
func (t *Typer) undoInits(c *Control) {
	for _, l := range t.inits[c.inits:] {
		t.init[l] = false
	}
	t.inits = t.inits[:c.inits]
}

// typeNextArm turns the innermost block into its next part, with other operands at its start.
func typeNextArm(t *Typer, op wasm.Op, start []wasm.ValType) {
	c := t.top()
	t.undoInits(c)
	c.Op, c.Unreachable = op, c.Opaque
	t.pushAll(start)
}

func typeElseArm(t *Typer, in *wasm.Instr) {
	if t.top().Op != wasm.OpIf {
		t.fail(CodeBlocks, -1, "unexpected token: else without if")
		return
	}
	t.fallThrough(in)
	typeNextArm(t, wasm.OpElse, t.top().Params)
}

func typeEnd(t *Typer, in *wasm.Instr) {
	t.fallThrough(in)
	c := t.top()
	if c.Op == wasm.OpIf && !c.Opaque && !t.failed && !t.e.MatchAll(c.Params, c.Results) {
		t.failed = true
		if t.report != nil {
			p := t.place
			p.Imm, p.Operand = -1, -1
			t.report(
				Error{Place: p, Code: CodeTypeMismatch, Want: clone(c.Results), Got: clone(c.Params), Msg: fmt.Sprintf(
					"type mismatch: if without else must give what it takes, but has type %s -> %s",
					t.e.FormatTypes(c.Params), t.e.FormatTypes(c.Results),
				)},
			)
		}
	}
	t.undoInits(c)
	if c.Op == wasm.OpEvent { // the handle, whose own instructions ended at its first clause
		t.popControl()
		c = t.top()
		t.undoInits(c)
	}
	results, opaque, doubt := c.Results, c.Opaque, c.doubt
	t.popControl()
	if len(t.ctl) > 0 && opaque {
		t.giveUp()
		return
	}
	if doubt > 0 {
		for range doubt - 1 {
			t.push(wasm.Unknown)
		}
		return
	}
	t.pushAll(results)
}

func typeDrop(t *Typer, in *wasm.Instr) { t.take(in, t.wants(wasm.Unknown)) }

func typeSelectOp(t *Typer, in *wasm.Instr) {
	if in.Ext != nil && in.Ext.Types != nil {
		if len(in.Ext.Types) != 1 {
			t.fail(CodeSelectArity, 0, "invalid result arity: select takes exactly one result type")
			t.giveUp()
			return
		}
		r := in.Ext.Types[0]
		t.checkType(r, 0)
		t.take(in, t.wants(r, r, wasm.I32))
		t.push(r)
		return
	}
	a, b := t.peek(2), t.peek(1)
	if a == wasm.Unknown {
		a = b
	}
	// A value that is not there in reachable code is reported by take, one of a reference type
	// here.
	if c := t.top(); (a.IsRef() || b.IsRef()) && (c.Unreachable || len(t.ops)-c.Height >= 3) {
		t.fail(
			CodeTypeMismatch, -1,
			"type mismatch: select of references needs its result type written out: (select (result %s))",
			t.e.FormatType(pick(a, b)),
		)
		r := pick(a, b)
		quiet := t.report
		t.report = nil
		t.take(in, t.wants(r, r, wasm.I32))
		t.report = quiet
		t.push(r)
		return
	}
	t.take(in, t.wants(a, a, wasm.I32))
	t.push(a)
}

// pick returns the one that is a reference.
func pick(a, b wasm.ValType) wasm.ValType {
	if a.IsRef() {
		return a
	}
	return b
}
