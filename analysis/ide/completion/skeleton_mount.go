package completion

import (
	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/wasm"
)

var mountSkeletons = []skeleton{
	{wasm.OpFiberMount, []string{"fiber.mount"}, func(c *pieces) { c.mountBlocks("fiber.mount", "on") }},
	{wasm.OpFiberDismount, []string{"fiber.dismount"}, func(c *pieces) { c.mountBlocks("fiber.dismount", "resumed") }},
	{wasm.OpMountFiberNew, []string{"fiber.new"}, (*pieces).mountNewSkeletons},
}

// mountBlocks offers what sends an event, in the block that the answer goes to, for each tag that
// the answer can have.
func (c *pieces) mountBlocks(word, label string) {
	c.answerBlocks(word, label, func(clause string) string {
		return "(" + word + " ${2:\\$tag} (" + clause + ") ($3))\n  (unreachable))"
	})
}

// mountNewSkeletons offers a new fiber for each tag that its return can send, with an entry for
// each tag that a function suits.
func (c *pieces) mountNewSkeletons() {
	n := 0
	c.tags(func(ret analysis.Symbol, _ *wasm.SubType) bool {
		in := wasm.Instr{Op: wasm.OpMountFiberNew, A: ret.Index}
		text := "fiber.new " + query.Display(ret)
		entries := 0
		c.tags(func(on analysis.Symbol, _ *wasm.SubType) bool {
			if name, fn := c.bestEntry(&in, on.Index); name != "" {
				entries++
				text += " (" + query.Display(on) + " " + name + ")"
				in.Ext = &wasm.Ext{HandlerClauses: append(clausesOf(&in), wasm.HandlerClause{Tag: on.Index, Label: fn})}
			}
			return entries < maxSkeletons
		})
		if a, ok := c.m.Env().Ask(&in, nil); ok && entries > 0 {
			c.piece("fiber.new", text, "fiber whose return sends "+query.Display(ret), esc(text)+holes(1, len(a.Params))+")")
			n++
		}
		return n < maxSkeletons
	})
}

func clausesOf(in *wasm.Instr) []wasm.HandlerClause {
	if in.Ext == nil {
		return nil
	}
	return in.Ext.HandlerClauses
}

// generatorMount is a generator fiber and a function that consumes its elements.
const generatorMount = `(tag \$${1:next})
(tag \$${2:value} (param ${3:i32}))
(tag \$${4:done})

(func \$${5:produce} (param \$me (ref fiber))
  (block \$resumed
    (fiber.dismount \$${2:value} (\$${1:next} \$resumed) (${3:i32}.const 1) (local.get \$me))
    (unreachable))
  $0)

(func \$${6:consume}
  (local \$g fiberref)
  (local.set \$g (fiber.new \$${4:done} (\$${1:next} \$${5:produce})))
  (block \$end
    (loop \$again
      (block \$got (result ${3:i32})
        (fiber.mount \$${1:next} (\$${2:value} \$got) (\$${4:done} \$end) (local.get \$g))
        (unreachable))
      (drop) ;; the element
      (br \$again))))`
