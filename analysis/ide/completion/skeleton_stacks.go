package completion

import (
	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/wasm"
)

var stacksSkeletons = []skeleton{
	{wasm.OpStacksSwitch, []string{"switch", "switch_retire"}, (*pieces).stackSkeletons},
	{wasm.OpStackNew, []string{"stack.new"}, (*pieces).stackNewSkeletons},
	{wasm.OpSwitchThrow, []string{"switch_throw"}, asked(wasm.OpSwitchThrow)},
	{wasm.OpReturnSwitch, []string{"return_switch"}, asked(wasm.OpReturnSwitch)},
	{wasm.OpReturnSwitchThrow, []string{"return_switch_throw"}, asked(wasm.OpReturnSwitchThrow)},
}

// stackTypes calls f for the stack types with a name, as long as it is true.
func (c *pieces) stackTypes(f func(y analysis.Symbol, ty *wasm.SubType) bool) {
	for _, y := range c.m.Symbols(analysis.SpaceType) {
		if ty := c.t.Sub(y.Index); ty != nil && ty.Kind == wasm.CompStack && len(ty.Results) == 1 && !f(y, ty) {
			return
		}
	}
}

// stackSkeletons offers a switch to each type of stacks, with a place for each argument, and the
// retiring one where the other side accepts null.
func (c *pieces) stackSkeletons() {
	n := 0
	c.stackTypes(func(st analysis.Symbol, ty *wasm.SubType) bool {
		words := []string{"switch"}
		if ty.Results[0].Nullable() {
			words = append(words, "switch_retire")
		}
		for _, word := range words {
			c.piece(
				word,
				word+" "+query.Display(st),
				c.t.Short(st.Index),
				word+" "+esc(query.Display(st))+holes(1, len(ty.Params)+1)+")",
			)
		}
		n++
		return n < maxSkeletons
	})
}

// asked offers an instruction with all immediates that suit each other, and a place for each
// operand.
func asked(op wasm.Op) func(*pieces) {
	return func(c *pieces) {
		found, looked := 0, 0
		var fill func(in wasm.Instr, k int, text string)
		fill = func(in wasm.Instr, k int, text string) {
			imms := op.Info().Imms
			if k == len(imms) {
				if a, ok := c.m.Env().Ask(&in, nil); ok && a.Fits {
					found++
					c.piece(op.String(), text, c.t.Arrow(a.Params, a.Results), esc(text)+holes(1, len(a.Params))+")")
				}
				return
			}
			for n, y := range c.m.Symbols(immSpaces[imms[k]]) {
				if n >= maxAsked || found >= maxSkeletons || looked >= maxLooked {
					return
				}
				looked++
				if ty := c.t.Sub(y.Index); imms[k] == wasm.ImmType && (ty == nil || ty.Kind != wasm.CompStack) {
					continue
				}
				if op.Info().Leaves && imms[k] == wasm.ImmFunc && !c.returnsAlike(y.Index) {
					continue
				}
				in.SetIndex(k, y.Index)
				fill(in, k+1, text+" "+query.Display(y))
			}
		}
		fill(unwritten(op), 0, op.String())
	}
}

// returnsAlike reports whether a function returns what the one at the cursor does.
func (c *pieces) returnsAlike(fn uint32) bool {
	own, other := c.t.FuncType(c.fn), c.t.FuncType(fn)
	return own != nil && other != nil && c.m.Env().MatchAll(other.Results, own.Results)
}

// stackNewSkeletons offers a new stack of each type, with each function that suits it.
func (c *pieces) stackNewSkeletons() {
	n := 0
	c.stackTypes(func(st analysis.Symbol, _ *wasm.SubType) bool {
		for k, fn := range c.m.Symbols(analysis.SpaceFunc) {
			if k >= maxAsked || n >= maxSkeletons {
				break
			}
			in := wasm.Instr{Op: wasm.OpStackNew, A: st.Index, B: fn.Index}
			if a, ok := c.m.Env().Ask(&in, nil); !ok || !a.Fits {
				continue
			}
			n++
			text := "stack.new " + query.Display(st) + " " + query.Display(fn)
			c.piece("stack.new", text, c.t.Short(st.Index), esc(text)+")")
		}
		return n < maxSkeletons
	})
}

// generatorStacks is a generator and a function that consumes its elements: each switches to the
// other, and gives it the reference to itself.
const generatorStacks = `(rec
  (type \$${1:gen} (stack (ref null \$${2:caller})))
  (type \$${2:caller} (stack (param ${3:i32}) (ref null \$${1:gen}))))

(func \$${4:produce} (param \$back (ref null \$${2:caller}))
  (switch \$${2:caller} (${3:i32}.const 1) (local.get \$back))
  (local.set \$back)
  $0
  (switch_retire \$${2:caller} (${3:i32}.const 0) (local.get \$back)))

(func \$${5:consume}
  (local \$g (ref null \$${1:gen}))
  (local.set \$g (stack.new \$${1:gen} \$${4:produce}))
  (loop \$next
    (switch \$${1:gen} (local.get \$g))
    (local.set \$g)
    (drop) ;; the element
    (br_if \$next (i32.eqz (ref.is_null (local.get \$g))))))`
