package valid

import "stackscope/wasm"

// anyRef stands in lists of wanted types for a reference of any type.
var anyRef = wasm.Ref(true, wasm.HeapBad)

// operands is the part of a Typer that holds the types of the operand stack, and the open blocks.
type operands struct {
	ops    []wasm.ValType // operand stack
	low    int            // height after the operands of the step were taken off
	popped []wasm.ValType
	ctl    []Control
	height int            // Height of the innermost block
	want   []wasm.ValType // scratch for rules
	asking *asking        // see Env.Ask; nil elsewhere
}

// top returns the innermost block.
func (o *operands) top() *Control { return &o.ctl[len(o.ctl)-1] }

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
	if t.asking != nil {
		t.asking.took, t.asking.want = true, clone(want)
	}
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
func (o *operands) peek(depth int) wasm.ValType {
	if o.asking != nil {
		o.asking.peeked = true
	}
	i := len(o.ops) - 1 - depth
	if i < o.top().Height {
		return wasm.Unknown
	}
	return o.ops[i]
}

// peekRef returns an operand's type if it is a reference; else anyRef, which take will then ask
// for.
func (o *operands) peekRef(depth int) wasm.ValType {
	if r := o.peek(depth); r.IsRef() {
		return r
	}
	return anyRef
}

func (o *operands) push(r wasm.ValType) { o.ops = append(o.ops, r) }

// pushAll is push of each; most lists have one type at most.
func (o *operands) pushAll(ts []wasm.ValType) {
	if len(ts) == 1 {
		o.ops = append(o.ops, ts[0])
		return
	}
	o.ops = append(o.ops, ts...)
}

// setUnreachable drops the operands of the innermost block: what follows is not reached.
func (o *operands) setUnreachable() {
	c := o.top()
	o.ops = o.ops[:c.Height]
	o.low = len(o.ops)
	c.Unreachable = true
}

// giveUp makes the operands unknown after an error that leaves no idea of them.
func (t *Typer) giveUp() {
	t.failed = true
	t.setUnreachable()
}

// wants returns the scratch list, with the types.
func (o *operands) wants(ts ...wasm.ValType) []wasm.ValType {
	o.want = append(o.want[:0], ts...)
	return o.want
}

// Control is an open block, innermost last. The outermost is the function body or the constant
// expression itself.
type Control struct {
	// Op is what opened it: block, loop, if, try, try_table, barrier …; else, catch and catch_all
	// after these. OpInvalid: the function body or constant expression.
	Op wasm.Op
	// Start is the index of the instruction that opened it (of the `if`, not the `else`), -1 for
	// the outermost.
	Start int
	// Height is the number of operands below the block's parameters.
	Height int
	// Params and Results are the block's type. They must not be changed.
	Params, Results []wasm.ValType
	// Unreachable reports that the code here cannot be reached: missing operands are of type
	// Unknown. It is set as well where an error left the operands unknown.
	Unreachable bool
	// Opaque reports that the block's type is unknown, because of an error: anything fits.
	Opaque bool

	// doubt is set where a clause's label does not fit, to one more than the number of types that
	// would: what the block gives is then not known.
	doubt   int
	surplus int // operands that were left over at the end of its first part, which has been reported
	inits   int // how many locals were on the list of initialised ones at its start
}

// doubted records that the label should take n values.
func (c *Control) doubted(n int) {
	if c.doubt == 0 && c.Op != wasm.OpLoop && c.Start >= 0 {
		c.doubt = n + 1
	}
}

// Label returns what a branch to the block takes: a loop's parameters, else the results.
func (c *Control) Label() []wasm.ValType {
	if c.Op == wasm.OpLoop {
		return c.Params
	}
	return c.Results
}
