package dap_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestSameScenarioInEachDesign debugs the scenario of the five designs in the same way: break in
// the producer, step over, into and out, list the threads, walk the running chain. What is seen, in
// terms of functions and values, is the same in all five; only the chain is the innermost stack
// alone where a design has no parents (`stacks`).
func TestSameScenarioInEachDesign(t *testing.T) {
	want := strings.TrimSpace(`
break: $producer at count, $i=0
threads: 3, running $producer
over the count: $producer, $i=1
over the answer: $producer at count, $i=1
over the count: $producer, $i=2
into the answer: $filter, $v=1
out of the filter: $consume
end: terminated`)
	for _, design := range []string{"cont", "stacks", "fibers-mount", "fibers-handle", "tasks"} {
		t.Run(design, func(t *testing.T) {
			p, err := filepath.Abs(filepath.Join("../testdata/examples/scenario", design+".wat"))
			if err != nil {
				t.Fatal(err)
			}
			c := real(t)
			count := lineOf(t, p, "(local.set $i (i32.add (local.get $i) (i32.const 1)))")
			var log []string
			// at reports where the running stack is: the function, and its variables of interest.
			at := func(title, vars string) int {
				var th godap.ThreadsResponseBody
				c.must("threads", nil, &th)
				id := th.Threads[0].Id
				for _, f := range c.frames(id) {
					if f.PresentationHint == "label" {
						continue
					}
					line := f.Name
					if f.Line == count {
						line += " at count"
					}
					for _, v := range c.scope(f.Id, "Locals") {
						if v.Name == vars {
							line += ", " + v.Name + "=" + v.Value
						}
					}
					log = append(log, title+": "+line)
					break
				}
				return id
			}
			c.start(map[string]any{"program": p, "invoke": "run", "args": []any{9}}, count)
			id := at("break", "$i")
			var th godap.ThreadsResponseBody
			c.must("threads", nil, &th)
			_, name, _ := strings.Cut(th.Threads[0].Name, " ")
			log = append(log, fmt.Sprintf("threads: %d, running %s", len(th.Threads), strings.TrimSuffix(name, " · running")))
			var chain []string
			for _, f := range c.frames(id) {
				if f.PresentationHint != "label" {
					chain = append(chain, f.Name)
				}
			}
			if got, whole := strings.Join(chain, " "), design != "stacks"; whole &&
				!strings.Contains(got, "$producer $filter $consume") ||
				!whole && got != "$producer" {
				t.Errorf("chain: %s", got)
			}
			c.step("next", id, "statement")
			id = at("over the count", "$i")
			c.step("next", id, "statement")
			for { // what follows the answer in this design, up to the count again
				var f godap.StackFrame
				for _, f = range c.frames(id) {
					if f.PresentationHint != "label" {
						break
					}
				}
				if f.Line == count || f.Name != "$producer" {
					break
				}
				if c.step("next", id, "statement") == "terminated" {
					break
				}
			}
			id = at("over the answer", "$i")
			c.step("next", id, "statement")
			id = at("over the count", "$i")
			c.breakpoints(p)
			for range 6 { // the operands of the answer, then control
				c.step("stepIn", id, "statement")
				if f := c.frames(c.running()); f[0].Name != "$producer" {
					break
				}
			}
			id = at("into the answer", "$v")
			c.step("stepOut", id, "statement")
			id = at("out of the filter", "")
			c.must("continue", godap.ContinueArguments{ThreadId: id}, nil)
			log = append(log, "end: "+c.stopped())
			if got := strings.Join(log, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// running returns the thread of the running stack.
func (c *client) running() int {
	c.t.Helper()
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	return th.Threads[0].Id
}
