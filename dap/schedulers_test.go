package dap_test

import (
	"fmt"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/stackview"
	"stackscope/wasm"
)

// makers has, for each design, what a program needs to make stacks, the type of a reference, and the
// instruction.
var makers = map[string]struct{ fields, ref, create string }{
	"cont": {
		"(type $f (func)) (type $ct (cont $f)) (func $w) (elem declare func $w)", "(ref null $ct)",
		"(cont.new $ct (ref.func $w))",
	},
	"stacks": {
		"(rec (type $s (stack (ref null $s)))) (func $w (param (ref null $s)) (unreachable))", "(ref null $s)",
		"(stack.new $s $w)",
	},
	"fibers-mount": {
		"(tag $go) (tag $done) (func $w (param (ref fiber)))", "fiberref", "(fiber.new $done ($go $w))",
	},
	"fibers-handle": {
		"(type $ft (fiber)) (tag $go) (func $w (param (ref $ft)) (event $go))", "(ref null $ft)", "(fiber.new $w)",
	},
	"tasks": {
		"(tag $go) (func $w (param taskref) (block $x (event.switch ($go $x))) (unreachable))", "taskref",
		"(task.new $w)",
	},
}

// scheduled asks for the tree by scheduler.
func (c *client) scheduled(args map[string]any) *stackview.JSONTree {
	c.t.Helper()
	args["by"] = "scheduler"
	var tree stackview.JSONTree
	c.must("stackscope/stacks", args, &tree)
	return &tree
}

// TestQueues finds where stacks stand in line, in each design: in a ring in a table, in a list of
// structures, and in an array.
func TestQueues(t *testing.T) {
	for _, d := range wasm.Dialects() {
		t.Run(d.String(), func(t *testing.T) {
			m := makers[d.String()]
			p := wat(t, strings.NewReplacer("NEW", m.create, "REF", m.ref).Replace(fmt.Sprintf(`(module (@stack-switching %q)
  %s
  (type $node (struct (field $stack REF) (field $next (ref null $node))))
  (type $all (array (mut REF)))
  (table $queue 4 REF)
  (global $head (mut i32) (i32.const 3))
  (global $ready (mut (ref null $node)) (ref.null $node))
  (global $each (mut (ref null $all)) (ref.null $all))
  (func (export "main")
    (table.set $queue (i32.const 0) NEW)
    (table.set $queue (i32.const 1) NEW)
    (table.set $queue (i32.const 3) NEW)
    (global.set $ready (struct.new $node NEW (struct.new $node NEW (ref.null $node))))
    (global.set $each (array.new_fixed $all 2 NEW NEW))
    (nop) ;; ring
    (global.set $head (i32.const 2))
    (nop) ;; no ring
    ))`, d, m.fields)))
			c := real(t)
			c.start(map[string]any{"program": p}, lineOf(t, p, ";; ring"), lineOf(t, p, ";; no ring"))
			lines := func(tree *stackview.JSONTree) string {
				var out []string
				for _, n := range append(tree.Stacks, tree.Stacks[0].Children...) {
					if n.Queue != nil {
						out = append(out, fmt.Sprintf("#%d %s by #%d", n.ID, n.Queue, n.ManagedBy))
					}
				}
				return strings.Join(out, ", ")
			}
			rest := ", #5 1st of 2 in global $ready by #1, #6 2nd of 2 in global $ready by #1"
			each := "#7 1st of 2 in global $each by #1, #8 2nd of 2 in global $each by #1"
			want := each + rest + ", #4 1st of 3 in table $queue by #1, #2 2nd of 3 in table $queue by #1, #3 3rd of 3 in table $queue by #1"
			if got := lines(c.scheduled(map[string]any{})); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			var plain stackview.JSONTree // the tree by parent has it too
			c.must("stackscope/stacks", map[string]any{}, &plain)
			if got := lines(&plain); !strings.Contains(got, "#4 1st of 3 in table $queue by #1") {
				t.Error(got)
			}
			c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
			c.stopped()
			if got := lines(c.scheduled(map[string]any{})); !strings.HasSuffix(
				got, "#2 1st of 3 in table $queue by #1, #3 2nd of 3 in table $queue by #1, #4 3rd of 3 in table $queue by #1",
			) {
				t.Error(got)
			}
			for _, args := range []map[string]any{{"by": "nobody"}, {"by": "scheduler", "state": "new"}} {
				if got := c.refused("stackscope/stacks", args); got == "" {
					t.Error(args)
				}
			}
		})
	}
}

// TestManyScheduled has a scheduler with thousands of stacks: the first ones in line are listed, the
// others counted.
func TestManyScheduled(t *testing.T) {
	for _, d := range wasm.Dialects() {
		t.Run(d.String(), func(t *testing.T) {
			m := makers[d.String()]
			p := wat(t, strings.NewReplacer("NEW", m.create, "REF", m.ref).Replace(fmt.Sprintf(`(module (@stack-switching %q)
  %s
  (table $queue 5000 REF)
  (func (export "main") (local $i i32)
    (loop $l
      (table.set $queue (local.get $i) NEW)
      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 5000))))
    (nop) ;; here
    ))`, d, m.fields)))
			c := real(t)
			c.start(map[string]any{"program": p}, lineOf(t, p, ";; here"))
			tree := c.scheduled(map[string]any{"max": 30})
			main := tree.Stacks[0]
			if main.Manages != 5000 || len(main.Children) != 29 || main.Children[28].Queue.Position != 29 ||
				fmt.Sprint(main.Unlisted) != "[{$w · not started 4971}]" || tree.Omitted != 4971 {
				t.Errorf("%d, %d listed, %v, %d", main.Manages, len(main.Children), main.Unlisted, tree.Omitted)
			}
			var b godap.EvaluateResponseBody
			c.must("evaluate", godap.EvaluateArguments{Expression: "schedulers", Context: "repl"}, &b)
			if n := strings.Count(b.Result, "\n"); n > 120 || !strings.Contains(b.Result, "manages 5000 "+d.Info().Plural) ||
				!strings.Contains(b.Result, "… also 4950 × $w · not started") {
				t.Errorf("%d lines: %.300s", n, b.Result)
			}
		})
	}
}
