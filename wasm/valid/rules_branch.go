package valid

import (
	"fmt"

	"stackscope/wasm"
)

func branchRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpBr:           typeBr,
		wasm.OpBrIf:         typeBrIf,
		wasm.OpBrTable:      typeBrTable,
		wasm.OpReturn:       typeRet,
		wasm.OpBrOnNull:     typeBrOnNull,
		wasm.OpBrOnNonNull:  typeBrOnNonNull,
		wasm.OpBrOnCast:     typeBrOnCast,
		wasm.OpBrOnCastFail: typeBrOnCast,
	}
}

// label returns the block that a label names; nil, reported, if there is none.
func (t *Typer) label(depth uint32, imm int) *Control {
	if depth == wasm.BadIndex {
		return nil
	}
	c := t.Label(depth)
	if c == nil {
		t.fail(CodeUnknownLabel, imm, "unknown label %d: there are %d enclosing labels here", depth, len(t.ctl))
	}
	return c
}

func typeBr(t *Typer, in *wasm.Instr) {
	if c := t.label(in.A, 0); c != nil && !c.Opaque {
		t.take(in, c.Label())
	} else {
		t.takeRest()
	}
	t.setUnreachable()
}

// takeRest takes off whatever operands the innermost block has.
func (o *operands) takeRest() {
	o.popped = append(o.popped, o.ops[o.top().Height:]...)
	o.ops = o.ops[:o.top().Height]
	o.low = len(o.ops)
}

func typeBrIf(t *Typer, in *wasm.Instr) {
	c := t.label(in.A, 0)
	if c == nil || c.Opaque {
		t.take(in, t.wants(wasm.I32))
		return
	}
	ts := c.Label()
	t.take(in, append(t.wants(ts...), wasm.I32))
	t.pushAll(ts)
}

func typeBrTable(t *Typer, in *wasm.Instr) {
	if in.Ext == nil || len(in.Ext.Labels) == 0 {
		t.giveUp()
		return
	}
	ls := in.Ext.Labels
	last := len(ls) - 1
	c := t.label(ls[last], last)
	if c == nil || c.Opaque {
		t.giveUp()
		return
	}
	want := c.Label()
	ok := t.take(in, append(t.wants(want...), wasm.I32))
	prev := ls[last]
	for i, l := range ls[:last] {
		if l == prev {
			continue
		}
		prev = l
		d := t.label(l, i)
		if d == nil || d.Opaque || !ok {
			continue
		}
		ts := d.Label()
		fits := len(ts) == len(want)
		for k := 0; fits && k < len(ts); k++ {
			fits = t.e.Match(t.popped[k], ts[k])
		}
		if !fits {
			t.labelMismatch(
				i,
				ts,
				t.popped[:len(want)],
				fmt.Sprintf("type mismatch: label %d of br_table takes %s, but the branch carries %s",
					i, t.e.FormatTypes(ts), t.e.FormatTypes(t.popped[:len(want)])),
			)
		}
	}
	t.setUnreachable()
}

// labelMismatch reports a label, immediate imm, that takes other types than it would get.
func (s *scope) labelMismatch(imm int, want, got []wasm.ValType, msg string) {
	s.failed = true
	if s.report == nil {
		return
	}
	p := s.place
	p.Imm, p.Operand = imm, -1
	s.report(Error{Place: p, Code: CodeTypeMismatch, Want: clone(want), Got: clone(got), Msg: msg})
}

func typeRet(t *Typer, in *wasm.Instr) {
	if c := &t.ctl[0]; !c.Opaque {
		t.take(in, c.Results)
	} else {
		t.takeRest()
	}
	t.setUnreachable()
}

// typeBrOnNull : [t* (ref null ht)] -> [t* (ref ht)], label [t*].
func typeBrOnNull(t *Typer, in *wasm.Instr) {
	r := t.peekRef(0)
	c := t.label(in.A, 0)
	if c == nil || c.Opaque {
		t.take(in, t.wants(r))
	} else {
		ts := c.Label()
		t.take(in, append(t.wants(ts...), r))
		t.pushAll(ts)
	}
	t.push(r.NonNull())
}

// typeBrOnNonNull : [t* (ref null ht)] -> [t*], label [t* (ref ht)].
func typeBrOnNonNull(t *Typer, in *wasm.Instr) {
	r := t.peekRef(0)
	c := t.label(in.A, 0)
	if c == nil || c.Opaque {
		t.take(in, t.wants(r))
		return
	}
	ts := c.Label()
	n := len(ts) - 1
	if n < 0 || !ts[n].IsRef() && ts[n] != wasm.Unknown {
		t.labelMismatch(0, ts, []wasm.ValType{r.NonNull()}, fmt.Sprintf(
			"type mismatch: the label of br_on_non_null must take a reference last, but takes %s", t.e.FormatTypes(ts)))
		t.giveUp()
		return
	}
	if r == anyRef || t.e.Match(r.NonNull(), ts[n]) {
		t.take(in, append(t.wants(ts[:n]...), r))
	} else {
		t.take(in, append(t.wants(ts[:n]...), ts[n].OrNull()))
	}
	t.pushAll(ts[:n])
}

// typeBrOnCast types br_on_cast: [t* rt1] -> [t* rt1\rt2], label [t* rt2], and br_on_cast_fail:
// with the two swapped.
func typeBrOnCast(t *Typer, in *wasm.Instr) {
	r1, r2 := in.Ref(), wasm.ValType(wasm.Unknown)
	if in.Ext != nil && len(in.Ext.Types) > 0 {
		r2 = in.Ext.Types[0]
	}
	c := t.label(in.A, 0)
	if !t.checkType(r1, 1) || !t.checkType(r2, 2) || !r1.IsRef() || !r2.IsRef() {
		t.take(in, t.wants(wasm.Unknown))
		t.push(r2)
		return
	}
	switch {
	case !t.castable(r1, 1) || !t.castable(r2, 2):
	case !t.e.Match(r2, r1):
		t.labelMismatch(
			2,
			[]wasm.ValType{r1},
			[]wasm.ValType{r2},
			fmt.Sprintf(
				"type mismatch on %s: %s is not a subtype of %s", in.Op, t.e.FormatType(r2), t.e.FormatType(r1),
			),
		)
	}
	diff := r1
	if r2.Nullable() {
		diff = r1.NonNull()
	}
	jump, stay := r2, diff
	if in.Op == wasm.OpBrOnCastFail {
		jump, stay = diff, r2
	}
	if c == nil || c.Opaque {
		t.take(in, t.wants(r1))
		t.push(stay)
		return
	}
	ts := c.Label()
	n := len(ts) - 1
	if n < 0 || !t.e.Match(jump, ts[n]) {
		if !t.failed {
			t.labelMismatch(
				0,
				ts,
				[]wasm.ValType{jump},
				fmt.Sprintf(
					"type mismatch: the label of %s must take %s last, but takes %s", in.Op,
					t.e.FormatType(jump), t.e.FormatTypes(ts),
				),
			)
		}
		t.take(in, t.wants(r1))
		t.push(stay)
		return
	}
	t.take(in, append(t.wants(ts[:n]...), r1))
	t.pushAll(ts[:n])
	t.push(stay)
}
