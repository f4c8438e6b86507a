package completion

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// typedImms are the immediates of an instruction that are written already, while the k-th one is
// being completed.
type typedImms struct {
	op wasm.Op
	k  int
	in wasm.Instr // with those that name something
}

// read looks the written immediates up.
func (c *operands) read(op wasm.Op, args []arg, k int) {
	c.typed = typedImms{op, k, unwritten(op)}
	if c.m == nil || c.t.Declared == nil {
		return
	}
	for n, imm := range op.Info().Imms {
		if sp, ok := immSpaces[imm]; ok && n < k && n < len(args) {
			if i, ok := c.indexOf(sp, args[n].text); ok {
				c.typed.in.SetIndex(n, i)
			}
		}
	}
}

// unwritten returns an instruction of a dialect none of whose immediates is written yet.
func unwritten(op wasm.Op) wasm.Instr {
	in := wasm.Instr{Op: op}
	for k := range 3 {
		in.SetIndex(k, wasm.BadIndex)
	}
	return in
}

// indexOf returns the item that a name or an index stands for.
func (c *operands) indexOf(sp analysis.Space, text string) (uint32, bool) {
	if name, ok := strings.CutPrefix(text, "$"); ok {
		y, ok := c.m.Lookup(sp, name)
		return y.Index, ok
	}
	i, err := syntax.ParseNat(text, 32)
	return uint32(i), err == nil && i < uint64(c.countOf(sp))
}

// maxAsked bounds how many items are tried as the immediate of an instruction that is not written
// yet.
const maxAsked = 64

// immSpaces has the spaces of the immediates that are names of types, functions and tags.
var immSpaces = map[wasm.Imm]analysis.Space{
	wasm.ImmType: analysis.SpaceType, wasm.ImmFunc: analysis.SpaceFunc, wasm.ImmTag: analysis.SpaceTag,
}

// typedFit reports how well an item goes with the other immediates of an instruction of a dialect,
// and with the operands, where it is the immediate that is being written.
func (c *operands) typedFit(index uint32, folded bool) uint8 {
	t := c.typed
	t.in.SetIndex(t.k, index)
	return c.askFit(&t.in, folded)
}

// askFit reports how well an instruction of a dialect goes with the operands.
func (c *operands) askFit(in *wasm.Instr, folded bool) uint8 {
	o := &c.ops
	own := o.own && folded // the operands stand after the cursor
	before := o.stack
	if own {
		before = o.given
	}
	if folded && !own {
		before = nil
	}
	a, ok := c.m.Env().Ask(in, before)
	switch {
	case !ok && (in.A == wasm.BadIndex || wantsSecond(in)):
		return c.partFit(in)
	case !ok, !a.Fits:
		return fitNot
	case own && len(a.Params) == len(before):
		return fitExact
	case own:
		return fitNot
	case in.Op.Does()&wasm.DoesNotContinue != 0: // it fits wherever its operands are
		if folded || c.onStack(a.Params) {
			return fitLikely
		}
		return fitNot
	}
	fit := c.gives(a.Params, a.Results, folded)
	if fit == fitExact && !folded && len(a.Params) < len(o.stack) {
		return fitLikely // something stays below
	}
	return fit
}

// wantsSecond reports whether an instruction lacks its second immediate.
func wantsSecond(in *wasm.Instr) bool {
	imms := in.Op.Info().Imms
	return in.B == wasm.BadIndex && len(imms) > 1 && immSpaces[imms[1]] != analysis.SpaceNone
}

// partFit reports how well the first immediate of two goes with the operands: the type of a stack
// reference that is there.
func (c *operands) partFit(in *wasm.Instr) uint8 {
	o := &c.ops
	if in.A == wasm.BadIndex || immSpaces[in.Op.Info().Imms[0]] != analysis.SpaceType || !o.takes || !o.taken.IsRef() {
		return fitUnknown
	}
	if c.match(o.taken, wasm.Ref(true, wasm.HeapType(in.A))) {
		return fitExact
	}
	return fitNot
}

// switchingFit reports how well an instruction of a dialect fits at the cursor, with the best first
// immediate that the module has.
func (c *operands) switchingFit(op wasm.Op, folded bool) uint8 {
	imms := op.Info().Imms
	in := unwritten(op)
	if op.OpensBlock() || op.Info().Effect == wasm.EffectBranch {
		return fitUnknown
	}
	if len(imms) == 0 {
		return c.askFit(&in, folded)
	}
	best := fitUnknown
	if c.countOf(immSpaces[imms[0]]) > 0 {
		best = fitNot
	}
	for i := range uint32(min(c.countOf(immSpaces[imms[0]]), maxAsked)) {
		in.A = i
		if best = min(best, c.askFit(&in, folded)); best == fitExact {
			break
		}
	}
	return best
}

// countOf returns how many items of a space the module has.
func (c *operands) countOf(sp analysis.Space) int {
	d := c.t.Declared
	switch sp {
	case analysis.SpaceType:
		return len(d.Types)
	case analysis.SpaceFunc:
		return len(d.Funcs)
	case analysis.SpaceTag:
		return len(d.Tags)
	}
	return 0
}
