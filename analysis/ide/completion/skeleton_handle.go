package completion

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/wasm"
)

var handleSkeletons = []skeleton{
	{wasm.OpHandle, []string{"handle"}, (*pieces).handleBlocks},
	{wasm.OpFiberResume, []string{"fiber.resume"}, (*pieces).handleBlocks},
	{wasm.OpFiberResume, []string{"fiber.resume"}, func(c *pieces) { c.sendSkeletons("fiber.resume", 1) }},
	{wasm.OpFiberSuspend, []string{"fiber.suspend"}, func(c *pieces) { c.sendSkeletons("fiber.suspend", 1) }},
	{wasm.OpFiberRetire, []string{"fiber.retire"}, func(c *pieces) { c.sendSkeletons("fiber.retire", 1) }},
	{wasm.OpHandleFiberSwitch, []string{"fiber.switch"}, func(c *pieces) { c.sendSkeletons("fiber.switch", 2) }},
	{wasm.OpFiberRetireto, []string{"fiber.retireto"}, func(c *pieces) { c.sendSkeletons("fiber.retireto", 2) }},
	{wasm.OpHandleFiberNew, []string{"fiber.new"}, func(c *pieces) { c.fiberNewSkeletons(wasm.OpHandleFiberNew) }},
	{wasm.OpFiberSpawn, []string{"fiber.spawn"}, func(c *pieces) { c.fiberNewSkeletons(wasm.OpFiberSpawn) }},
}

// handleBlocks offers a handle block with a clause for each tag.
func (c *pieces) handleBlocks() {
	n := 0
	c.tags(func(tag analysis.Symbol, ft *wasm.SubType) bool {
		name := query.Display(tag)
		drops := strings.Repeat("\n    (drop)", len(ft.Params))
		c.piece(
			"handle",
			"handle … event "+name,
			"handler clause for "+name+" "+c.t.List(ft.Params),
			"handle \\$${1:turn}\n  (fiber.resume ${2:\\$tag} ($3))\n  (br \\$${1:turn})\n  (event "+esc(name)+
				"${0:"+drops+"}))",
		)
		n++
		return n < maxSkeletons
	})
}

// sendSkeletons offers an instruction that sends an event with each tag, with places for the stacks
// that it names and for the payload.
func (c *pieces) sendSkeletons(word string, stacks int) {
	n := 0
	c.tags(func(tag analysis.Symbol, ft *wasm.SubType) bool {
		name := query.Display(tag)
		c.piece(word, word+" "+name, c.t.Describe(tag), word+" "+esc(name)+holes(1, stacks+len(ft.Params))+")")
		n++
		return n < maxSkeletons
	})
}

// fiberNewSkeletons offers an instruction that makes a stack with each function that suits it.
func (c *pieces) fiberNewSkeletons(op wasm.Op) {
	n := 0
	for k, fn := range c.m.Symbols(analysis.SpaceFunc) {
		if k >= maxLooked || n >= maxSkeletons {
			return
		}
		a, ok := c.m.Env().Ask(&wasm.Instr{Op: op, A: fn.Index}, nil)
		if !ok || !a.Fits {
			continue
		}
		n++
		text := op.String() + " " + query.Display(fn)
		c.piece(op.String(), text, c.t.Arrow(a.Params, a.Results), esc(text)+holes(1, len(a.Params))+")")
	}
}

// generatorHandle is a generator fiber and a function that consumes its elements.
const generatorHandle = `(type \$${1:gen} (fiber))
(tag \$${2:next})
(tag \$${3:value} (param ${4:i32}))

(func \$${5:produce} (param \$me (ref \$${1:gen}))
  (unreachable)
  (event \$${2:next}
    (handle
      (fiber.suspend \$${3:value} (local.get \$me) (${4:i32}.const 1))
      (event \$${2:next}))
    $0))

(func \$${6:consume}
  (local \$g (ref null \$${1:gen}))
  (local.set \$g (fiber.new \$${5:produce}))
  (block \$end
    (loop \$again
      (handle
        (fiber.resume \$${2:next} (local.get \$g))
        (br \$end)
        (event \$${3:value}
          (drop))) ;; the element
      (br \$again))))`
