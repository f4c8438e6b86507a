package dap_test

import (
	"path/filepath"
	"sort"
	"stackscope/dap"
	"stackscope/internal/launch"
	"strings"
	"testing"
)

// TestStepInTargets steps into a stack, to a handler, out to a handler, and into one call of
// several.
func TestStepInTargets(t *testing.T) {
	step := func(c *client, label string) string {
		t.Helper()
		ts := c.targets(1)
		if ts[label] == 0 {
			t.Fatalf("no target %q in %v", label, ts)
		}
		c.must("stepIn", map[string]any{"threadId": 1, "targetId": ts[label]}, nil)
		return c.stopped()
	}
	c := connect(t, dap.Config{})
	c.start(prog, 27)
	c.breakpoints("test.wat")
	if got := step(c, "into #2 $gen (test.wat:1)"); got != "step #2 test.wat:2" {
		t.Error(got)
	}
	c = connect(t, dap.Config{})
	c.start(prog, 27)
	c.breakpoints("test.wat")
	if got := step(c, "on $yield → test.wat:31"); got != "step #1 test.wat:30" &&
		got != "step #1 test.wat:31" {
		t.Error(got)
	}
	c = connect(t, dap.Config{})
	c.start(prog, 8)
	c.breakpoints("test.wat")
	ts := c.targets(2)
	if len(ts) != 1 || ts["out to #1 main, on $yield → test.wat:31"] == 0 {
		t.Errorf("%v", ts)
	}
	c.refused("stepIn", map[string]any{"threadId": 2, "targetId": 99999})

	p := wat(t, `(module
  (func $f (result i32) (i32.const 1))
  (func $g (result i32) (i32.const 2))
  (func (export "main") (result i32)
    (i32.add (call $f) (call $g))))
`)
	c = connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p}, 5)
	if got := step(c, "call $g"); got != "step #1 prog.wat:3" {
		t.Error(got)
	}
}

// TestStepInTargetsOfDesigns steps into targets of resumes, mounts and switches in all five
// designs.
func TestStepInTargetsOfDesigns(t *testing.T) {
	for _, x := range []struct{ design, line, want, choose, to string }{
		{"cont", "(resume $ct", "into the continuation that resume names; on $value → $on_value (cont.wat:33)", "on $value", "#1 filter"},
		{"stacks", "(switch $source", "switch to the stack that it names", "switch to", "#3 producer"},
		{"fibers-mount", "(fiber.mount $next", "$done → $on_done (fibers-mount.wat:40); $value → $on_value (fibers-mount.wat:34); into the fiber that fiber.mount names", "$value", "filter"},
		{"fibers-handle", "(fiber.resume $next", "event $next → fibers-handle.wat:29; event $value → fibers-handle.wat:36; into the fiber that fiber.resume names", "event $value", "filter"},
		{"tasks", "(task.resume (local.get $source) ($next))", "$done → $on_done (tasks.wat:46); $value → $on_value (tasks.wat:39); into the task that task.resume names", "into", "producer"},
	} {
		t.Run(x.design, func(t *testing.T) {
			p, err := filepath.Abs(filepath.Join("../testdata/examples/scenario", x.design+".wat"))
			if err != nil {
				t.Fatal(err)
			}
			c := real(t)
			c.start(map[string]any{"program": p, "invoke": "run", "args": []any{9}}, lineOf(t, p, x.line))
			id := c.running()
			ts := c.targets(id)
			var labels []string
			chosen := 0
			for l, n := range ts {
				labels = append(labels, l)
				if strings.HasPrefix(l, x.choose) {
					chosen = n
				}
			}
			sort.Strings(labels)
			if got := strings.Join(labels, "; "); got != x.want {
				t.Errorf("%s", got)
			}
			c.breakpoints(p)
			c.must("stepIn", map[string]any{"threadId": id, "targetId": chosen}, nil)
			c.stopped()
			if f := c.frames(c.running())[0]; !strings.HasSuffix(x.to, strings.TrimPrefix(f.Name, "$")) {
				t.Errorf("it stops in %s", f.Name)
			}
		})
	}
}
