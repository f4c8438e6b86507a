package valid

import "stackscope/wasm"

// anyRef stands in lists of wanted types for a reference of any type.
var anyRef = wasm.Ref(true, wasm.HeapBad)

// top returns the innermost block.
func (t *Typer) top() *Control { return &t.ctl[len(t.ctl)-1] }

// take takes the operands of an instruction off the stack, want[len(want)-1] on top. What is
// missing or does not match is reported, once, and taken off as well.
func (t *Typer) take(in *wasm.Instr, want []wasm.ValType) bool {
	n := len(t.ops) - len(want)
	if n < t.height {
		return t.takeSlow(in, want)
	}
	got := t.ops[n:]
	popped := t.popped
	for i, g := range got {
		if w := want[i]; g != w && !t.e.Match(g, w) {
			return t.takeSlow(in, want)
		}
		popped = append(popped, g)
	}
	t.popped = popped
	t.ops = t.ops[:n]
	t.low = n
	return true
}

func (t *Typer) takeSlow(in *wasm.Instr, want []wasm.ValType) bool {
	c := t.top()
	have := len(t.ops) - c.Height
	missing := max(0, len(want)-have)
	got := t.ops[len(t.ops)-(len(want)-missing):]
	bad := -1
	for i := len(got) - 1; i >= 0 && bad < 0; i-- {
		if !t.e.Match(got[i], want[missing+i]) {
			bad = missing + i
		}
	}
	if lost := missing > 0 && !c.Unreachable; lost || bad >= 0 {
		switch {
		case bad < 0 && missing <= t.surplus: // reported where they were left over
			t.surplus -= missing
			t.failed = true
		default:
			if lost {
				bad = 0
				t.debt += missing
			}
			t.mismatch(in, bad, want, got)
		}
		bad = 0
	}
	for range missing {
		t.popped = append(t.popped, wasm.Unknown)
	}
	t.popped = append(t.popped, got...)
	t.ops = t.ops[:len(t.ops)-len(got)]
	t.low = len(t.ops)
	return bad < 0
}

// peek returns the type of an operand, depth 0 on top: Unknown if it is not there or not known.
func (t *Typer) peek(depth int) wasm.ValType {
	i := len(t.ops) - 1 - depth
	if i < t.top().Height {
		return wasm.Unknown
	}
	return t.ops[i]
}

// peekRef returns an operand's type if it is a reference; else anyRef, which take will then ask
// for.
func (t *Typer) peekRef(depth int) wasm.ValType {
	if r := t.peek(depth); r.IsRef() {
		return r
	}
	return anyRef
}

func (t *Typer) push(r wasm.ValType) { t.ops = append(t.ops, r) }

// pushAll is push of each; most lists have one type at most.
func (t *Typer) pushAll(ts []wasm.ValType) {
	if len(ts) == 1 {
		t.ops = append(t.ops, ts[0])
		return
	}
	t.ops = append(t.ops, ts...)
}

// setUnreachable drops the operands of the innermost block: what follows is not reached.
func (t *Typer) setUnreachable() {
	c := t.top()
	t.ops = t.ops[:c.Height]
	t.low = len(t.ops)
	c.Unreachable = true
}

// giveUp makes the operands unknown after an error that leaves no idea of them.
func (t *Typer) giveUp() {
	t.failed = true
	t.setUnreachable()
}

// wants returns the scratch list, with the types.
func (t *Typer) wants(ts ...wasm.ValType) []wasm.ValType {
	t.want = append(t.want[:0], ts...)
	return t.want
}
