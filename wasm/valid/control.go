package valid

import "stackscope/wasm"

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
