package completion

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/wasm"
)

var tasksSkeletons = []skeleton{
	{wasm.OpTaskResume, []string{"task.resume"}, func(c *pieces) { c.taskBlocks("task.resume", "on", 1) }},
	{wasm.OpTaskSuspend, []string{"task.suspend"}, func(c *pieces) { c.taskBlocks("task.suspend", "resumed", 1) }},
	{wasm.OpTaskSwitchto, []string{"task.switchto"}, func(c *pieces) { c.taskBlocks("task.switchto", "resumed", 2) }},
	{wasm.OpTaskRetire, []string{"task.retire"}, func(c *pieces) { c.sendSkeletons("task.retire", 1) }},
	{wasm.OpTaskNew, []string{"task.new"}, func(c *pieces) { c.fiberNewSkeletons(wasm.OpTaskNew) }},
	{wasm.OpEventSwitch, []string{"event.switch"}, (*pieces).eventSwitchBlocks},
}

// taskBlocks offers what sends an event, with the event.switch that takes the answer and the block
// that the answer goes to, for each tag that the answer can have.
func (c *pieces) taskBlocks(word, label string, tasks int) {
	tag := "${" + query.Index(uint32(2+tasks)) + ":\\$tag}"
	c.answerBlocks(word, label, func(clause string) string {
		return "(" + word + holes(2, tasks) + " (" + tag + "))\n  (event.switch (" + clause + ")))"
	})
}

// eventSwitchBlocks offers an event.switch with a block for each tag, and for all of the first few.
func (c *pieces) eventSwitchBlocks() {
	var all []analysis.Symbol
	c.tags(func(tag analysis.Symbol, _ *wasm.SubType) bool {
		all = append(all, tag)
		return len(all) < maxSkeletons
	})
	if len(all) > 1 {
		c.eventSwitch("event.switch … all tags", all[:min(len(all), 4)])
	}
	for _, tag := range all {
		c.eventSwitch("event.switch … "+query.Display(tag), []analysis.Symbol{tag})
	}
}

// eventSwitch offers an event.switch in a block for each of the tags, the first one innermost.
func (c *pieces) eventSwitch(title string, tags []analysis.Symbol) {
	on := func(k int) string {
		return "${" + query.Index(uint32(k+1)) + ":" + esc("$on_"+strings.TrimPrefix(query.Display(tags[k]), "$")) + "}"
	}
	text := "(event.switch"
	for k, tag := range tags {
		text += " (" + esc(query.Display(tag)) + " " + on(k) + ")"
	}
	text += ")"
	var names []string
	for k, tag := range tags {
		names = append(names, query.Display(tag))
		after := ""
		if k > 0 { // what the inner block's event does, then control leaves this one
			inner := c.t.TagType(tags[k-1].Index)
			after = "\n;; " + esc(query.Display(tags[k-1])) + " arrived" +
				strings.Repeat("\n(drop)", len(inner.Params)) + "\n(return)"
		}
		text = "(block " + on(k) + esc(c.t.Sig(nil, c.t.TagType(tag.Index).Params)) + "\n  " +
			strings.ReplaceAll(text+after, "\n", "\n  ") + ")"
	}
	slices.Reverse(names)
	text = strings.TrimPrefix(text, "(") + "\n;; " + esc(names[0]) + " arrived$0"
	c.piece("event.switch", title, "blocks for "+strings.Join(names, ", "), text)
}

// generatorTasks is a generator task and a function that consumes its elements.
const generatorTasks = `(tag \$${1:next})
(tag \$${2:value} (param ${3:i32}))
(tag \$${4:done})

(func \$${5:produce} (param \$me taskref)
  (block \$begin
    (event.switch (\$${1:next} \$begin)))
  (block \$resumed
    (task.suspend \$${2:value} (local.get \$me) (${3:i32}.const 1))
    (event.switch (\$${1:next} \$resumed)))
  $0
  (task.retire \$${4:done} (local.get \$me)))

(func \$${6:consume}
  (local \$g taskref)
  (local.set \$g (task.new \$${5:produce}))
  (block \$end
    (loop \$again
      (block \$got (result ${3:i32})
        (task.resume \$${1:next} (local.get \$g))
        (event.switch (\$${2:value} \$got) (\$${4:done} \$end)))
      (drop) ;; the element
      (br \$again))))`

// nextEventSwitch offers an event.switch first after an instruction that one must follow, with a pair
// for each tag that there is a label for.
func (c *pieces) nextEventSwitch(folded bool) {
	b := c.body()
	if b == nil || len(c.stack) < 2 {
		return
	}
	around, at := c.frame(0), c.replace.Start
	if folded {
		around, at = c.frame(1), c.frame(0).open
	}
	i := b.Next(at) - 1
	if i < 0 || i >= len(b.Instrs) {
		return
	}
	op := b.Instrs[i].Op
	d := op.Info().Dialect.Info()
	if does := op.Does(); !d.EventSwitch || does&wasm.DoesSwitch == 0 || does&wasm.DoesEnd != 0 ||
		around.headAt >= int(b.Instrs[i].At) { // in the operands of it
		return
	}
	in := wasm.Instr{Op: wasm.OpEventSwitch}
	text, n := "event.switch", 0
	c.tags(func(tag analysis.Symbol, _ *wasm.SubType) bool {
		if l := c.bestLabel(c.clauseTakes(&in, tag.Index)); l != "" {
			text += " (" + query.Display(tag) + " " + l + ")"
			n++
		}
		return n < maxSkeletons
	})
	const detail = "takes the event that continues the task"
	switch {
	case !folded:
		c.add(Item{Label: text, Filter: "event.switch", Kind: ItemSnippet, Detail: detail})
	case n > 0:
		c.piece("event.switch", text, detail, esc(text)+")")
	}
	if folded {
		c.piece("event.switch", "event.switch", detail, "event.switch ($0))")
	}
}
