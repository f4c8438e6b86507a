package coverage_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"stackscope/vm/debugger"
	"stackscope/wasm"
)

var update = flag.Bool("update", false, "write docs/reference/coverage.md")

const page = "../../../docs/reference/coverage.md"

// A layer is a column of the page.
type layer struct {
	name   string
	proves func(c *construct, o occurrence) error
	// without reports why a construct has no such cell; "" if it has one.
	without func(c *construct) string
}

const (
	notInstruction = "only instructions and clauses have operands"
	noStop         = "types and annotations are not executed: a program does not stop at them"
	ofInstruction  = "it is an operand of the instruction: see there"
	lookedFor      = "control does not arrive by it: a `switch` looks for it"
	noTransfer     = "it passes no control to another stack"
	noEvent        = "nothing happens to a stack"
)

// ofKind returns the proof for an instruction, or for a clause.
func ofKind(f, ofClause func(*construct, occurrence) error) func(*construct, occurrence) error {
	return func(c *construct, o occurrence) error {
		if c.kind == clause {
			return ofClause(c, o)
		}
		return f(c, o)
	}
}

func always(*construct) string { return "" }

func onlyCode(c *construct) string {
	if c.kind == typeForm || c.kind == annotation {
		return notInstruction
	}
	return ""
}

func onlyStops(c *construct) string {
	switch c.kind {
	case typeForm, annotation:
		return noStop
	}
	return c.nowhere
}

func onlyRuns(c *construct) string {
	if c.kind == typeForm || c.kind == annotation {
		return noStop
	}
	return ""
}

// layers returns the columns. ps runs the examples under the debugger.
func layers(ps *programs) []layer {
	return []layer{
		{"text", provesText, always},
		{"check", provesCheck, always},
		{"hover", provesHover, always},
		{"completion", provesCompletion, always},
		{"signature", provesSignature, onlyCode},
		{"effects", provesEffects, func(c *construct) string {
			if why := onlyCode(c); why != "" {
				return noTransfer
			}
			if c.kind == instruction && c.op != wasm.OpEvent && !transfers(c.op) {
				return noTransfer
			}
			return c.nowhere
		}},
		{"run", provesRun, onlyRuns},
		{"step", ofKind(ps.provesStep, ps.provesClauseStep), onlyStops},
		{"break", ofKind(ps.provesBreak, ps.provesClauseBreak), onlyStops},
		{"inspect", ofKind(ps.provesInspect, ps.provesClauseInspect), onlyStops},
		{"tree", ofKind(ps.provesTree, ps.provesClauseTree), onlyStops},
		{"trace", ofKind(ps.provesTrace, ps.provesClauseTrace), func(c *construct) string {
			if why := onlyStops(c); why != "" {
				return why
			}
			if _, ok := happens[c.op.Info().Effect]; !ok && c.kind == instruction {
				return noEvent
			}
			return ""
		}},
	}
}

// provesRun: the script of an example executes it; a clause takes an event.
func provesRun(c *construct, o occurrence) error {
	if o.script == nil {
		return errors.New("no example has it")
	}
	ts := targets(o.body, o.pc)
	if c.kind != clause || len(ts) == 0 {
		if !o.reached[place{o.body.Func, o.pc}] {
			return errors.New("it is not executed")
		}
		return nil
	}
	for _, t := range ts {
		for _, at := range t {
			if o.entered[at] {
				return nil
			}
		}
		// A clause of a switch leads nowhere: it is what the switch looks for.
		if t == nil && slices.ContainsFunc(o.reachedOps(), func(op wasm.Op) bool {
			return op.Info().Effect == wasm.EffectSwitch
		}) {
			return nil
		}
	}
	return errors.New("it is not taken")
}

// TestConstructs proves each cell of the page: each construct of each design in each layer.
func TestConstructs(t *testing.T) {
	var mu sync.Mutex
	cells := map[string]string{}
	t.Run("designs", func(t *testing.T) {
		for _, d := range wasm.Dialects() {
			t.Run(d.String(), func(t *testing.T) {
				t.Parallel()
				own := cellsOf(t, d)
				mu.Lock()
				defer mu.Unlock()
				for k, v := range own {
					cells[k] = v
				}
			})
		}
	})
	for k := range notYet {
		if _, ok := cells[k]; !ok {
			t.Errorf("notYet has %s, which is no cell", k)
		}
	}
	if t.Failed() && !*update {
		return
	}
	text := writePage(cells)
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if old, _ := os.ReadFile(page); string(old) != text {
		t.Errorf("%s is not current: go test ./internal/testing/coverage -update", page)
	}
}

// cellsOf returns what the page has in the cells of a design: `construct/layer`.
func cellsOf(t *testing.T, d wasm.Dialect) map[string]string {
	xs, err := readExamples(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range xs {
		if err := x.run(); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	ps := &programs{dir: t.TempDir(), each: map[*example]*debugger.Program{}}
	cells := map[string]string{}
	for _, c := range constructs(d) {
		t.Run(c.name, func(t *testing.T) {
			all := c.occurrences(xs)
			if len(all) == 0 {
				t.Fatal("it stands nowhere")
			}
			// The examples that execute it are asked first.
			slices.SortStableFunc(all, func(a, b occurrence) int {
				return executed(&c, b) - executed(&c, a)
			})
			for _, l := range layers(ps) {
				key := d.String() + "/" + c.name + "/" + l.name
				if why := l.without(&c); why != "" {
					cells[key] = why
					continue
				}
				cells[key] = ""
				t.Run(l.name, func(t *testing.T) {
					err := proof(&c, l, all)
					if err != nil && !notYet[key] {
						t.Errorf("%s: %v", key, err)
					}
					if err == nil && notYet[key] {
						t.Errorf("%s holds: remove it from notYet", key)
					}
				})
			}
			cells[d.String()+"/"+c.name+"/example"] = exampleOf(&c, all)
		})
	}
	return cells
}

// proof tries a layer at the first occurrences of a construct, in different examples.
func proof(c *construct, l layer, all []occurrence) (err error) {
	seen := map[*example]int{}
	for _, o := range all {
		if seen[o.example]++; seen[o.example] > 3 || len(seen) > 4 {
			continue
		}
		if o.script == nil && slices.Contains([]string{"step", "break", "inspect", "tree", "trace"}, l.name) {
			return errors.New("no example has it")
		}
		e := l.proves(c, o)
		if e == nil {
			return nil
		}
		if err == nil {
			ln, _ := o.file.LineCol(o.at)
			err = fmt.Errorf("%s:%d: %w", o.name, ln, e)
		}
	}
	return err
}

func executed(c *construct, o occurrence) int {
	if o.script != nil && o.pc >= 0 && provesRun(c, o) == nil {
		return 1
	}
	return 0
}

// exampleOf returns the example that shows a construct: the one with most occurrences.
func exampleOf(c *construct, all []occurrence) string {
	count := map[string]int{}
	best := ""
	for _, o := range all {
		if c.snippet != "" {
			return ""
		}
		if executed(c, o) == 0 && c.kind <= clause {
			continue
		}
		if count[o.name]++; best == "" || count[o.name] > count[best] {
			best = o.name
		}
	}
	return best
}

// writePage returns the page.
func writePage(cells map[string]string) string {
	var b strings.Builder
	b.WriteString(pageHead)
	var notes []string
	note := func(why string) string {
		i := slices.Index(notes, why)
		if i < 0 {
			i = len(notes)
			notes = append(notes, why)
		}
		return fmt.Sprintf("–<sup>%d</sup>", i+1)
	}
	for _, d := range wasm.Dialects() {
		fmt.Fprintf(&b, "\n## %s\n\n| construct |", d)
		rule := "|---|"
		for _, l := range layers(nil) {
			fmt.Fprintf(&b, " %s |", l.name)
			rule += "---|"
		}
		fmt.Fprintf(&b, " example |\n%s---|\n", rule)
		for _, c := range constructs(d) {
			fmt.Fprintf(&b, "| `%s` |", c.name)
			for _, l := range layers(nil) {
				key := d.String() + "/" + c.name + "/" + l.name
				switch why := cells[key]; {
				case why != "":
					fmt.Fprintf(&b, " %s |", note(why))
				case notYet[key]:
					b.WriteString(" no |")
				default:
					b.WriteString(" ✓ |")
				}
			}
			if x := cells[d.String()+"/"+c.name+"/example"]; x != "" {
				fmt.Fprintf(&b, " [%s](../../testdata/examples/%s) |\n", strings.TrimSuffix(x, ".wat"), x)
			} else {
				fmt.Fprintf(&b, " %s |\n", note("no example needs it: the test has a text of its own"))
			}
		}
	}
	b.WriteString("\n")
	for i, n := range notes {
		fmt.Fprintf(&b, "%d. %s.\n", i+1, strings.ToUpper(n[:1])+n[1:])
	}
	return b.String()
}

const pageHead = `# Constructs and layers

What each of the five designs adds to WebAssembly, and where the tools know it. Each cell is a
subtest, ` + "`TestConstructs/designs/DESIGN/CONSTRUCT/LAYER`" + ` of
[internal/testing/coverage](../../internal/testing/coverage/table_test.go), which writes this page.
For one cell:

    go test ./internal/testing/coverage -run 'TestConstructs/designs/cont/resume/hover$'

| layer | what its test proves | proof |
|---|---|---|
| text | It is read, formatted whatever its layout is, printed from the module that it became, and read again as the same. | [provesText](../../internal/testing/coverage/text_test.go) |
| check | A mistake in it is an error at that place. | [provesCheck](../../internal/testing/coverage/text_test.go) |
| hover | Its hover describes it. | [provesHover](../../internal/testing/coverage/text_test.go) |
| completion | Where its beginning is written, it is offered. | [provesCompletion](../../internal/testing/coverage/text_test.go) |
| signature | Inside of it there is signature help. | [provesSignature](../../internal/testing/coverage/text_test.go) |
| effects | The lens above the function shows what it does to stacks, with its tag. | [provesEffects](../../internal/testing/coverage/text_test.go) |
| run | The script of an example executes it; a clause takes an event. | [provesRun](../../internal/testing/coverage/table_test.go) |
| step | A step over it stops at the next place of its stack, a step into it on the other stack. A step from a clause stops at the next place. | [provesStep, provesClauseStep](../../internal/testing/coverage/run_test.go) |
| break | A breakpoint on its line stops there; one on a clause where control arrives by it. | [provesBreak, provesClauseBreak](../../internal/testing/coverage/run_test.go) |
| inspect | Stopped at it, its operands are shown, stacks by their number; at a clause, the payload. | [provesInspect, provesClauseInspect](../../internal/testing/coverage/run_test.go) |
| tree | Stopped at it, the tree of stacks has the place. | [provesTree, provesClauseTree](../../internal/testing/coverage/run_test.go) |
| trace | When it has been executed, the trace has the event with its place. | [provesTrace, provesClauseTrace](../../internal/testing/coverage/run_test.go) |
| example | A program that shows it, and that its script runs. | [TestEachInstruction](../../internal/testing/coverage/examples_test.go) |
`
