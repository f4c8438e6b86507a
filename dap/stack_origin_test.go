package dap_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"stackscope/dap"
	"stackscope/stackview"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// wat writes a program to a file of its own.
func wat(t testing.TB, text string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "prog.wat")
	if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

// stacksOf returns the flat list of the stacks in stackscope/stacks.
func (c *client) stacksOf() map[int]map[string]any {
	c.t.Helper()
	var raw json.RawMessage
	c.must("stackscope/stacks", map[string]any{}, &raw)
	var tree struct{ Stacks []map[string]any }
	if err := json.Unmarshal(raw, &tree); err != nil {
		c.t.Fatal(err)
	}
	out := map[int]map[string]any{}
	var walk func([]any)
	walk = func(ns []any) {
		for _, n := range ns {
			m := n.(map[string]any)
			out[int(m["id"].(float64))] = m
			if ch, ok := m["children"].([]any); ok {
				walk(ch)
			}
		}
	}
	for _, s := range tree.Stacks {
		walk([]any{s})
	}
	return out
}

// TestStackCreator reads who made a stack and how often it was resumed.
func TestStackCreator(t *testing.T) {
	c := connect(t, dap.Config{})
	if got := c.start(prog, 31); got != "breakpoint #1 test.wat:31" {
		t.Fatal(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	c.stopped()
	s := c.stacksOf()[2]
	if s["createdBy"] != 1.0 || s["resumes"] != 2.0 {
		t.Errorf("created by %v, resumed %v times", s["createdBy"], s["resumes"])
	}
}

const structs = `(module
  (type $point (struct (field $x (mut i32)) (field $y i64) (field f32)))
  (global $g (mut i32) (i32.const 0))
  (func (export "main") (result i32) (local $p (ref null $point)) (local $i i32)
    (local.set $p (struct.new $point (i32.const 3) (i64.const 4) (f32.const 0.5)))
    (loop $l
      (global.set $g (i32.mul (local.get $i) (i32.const 2)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $l (i32.lt_u (local.get $i) (i32.const 20))))
    (struct.get $point $x (local.get $p))))
`

const loop = `(module (func (export "main") (local $i i32)
  (loop $l
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $l (i32.lt_u (local.get $i) (i32.const 1000000))))))
`

// filtered launches a program with exception filters and returns the messages of those refused.
func (c *client) filtered(program string, options ...godap.ExceptionFilterOptions) []string {
	c.t.Helper()
	c.initialize()
	c.must("launch", map[string]any{"program": program}, nil)
	c.await("initialized", nil)
	var b godap.SetExceptionBreakpointsResponseBody
	c.must(
		"setExceptionBreakpoints",
		godap.SetExceptionBreakpointsArguments{Filters: []string{}, FilterOptions: options}, &b,
	)
	var out []string
	for _, x := range b.Breakpoints {
		if !x.Verified {
			out = append(out, x.Message)
		}
	}
	c.must("configurationDone", nil, nil)
	return out
}

const twice = `(module
  (type $f (func)) (type $c (cont $f)) (tag $e)
  (func $nop) (elem declare func $nop)
  (func (export "main") (local $k (ref null $c))
    (local.set $k (cont.new $c (ref.func $nop)))
    (block $h (try_table (catch $e $h) (throw $e)))
    (resume $c (local.get $k))
    (resume $c (local.get $k))))
`

// targets returns the step targets of the top frame by their labels.
func (c *client) targets(thread int) map[string]int {
	c.t.Helper()
	var b godap.StepInTargetsResponseBody
	c.must("stepInTargets", godap.StepInTargetsArguments{FrameId: c.frames(thread)[0].Id}, &b)
	out := map[string]int{}
	for _, x := range b.Targets {
		out[x.Label] = x.Id
	}
	return out
}

// TestStackSwitchedBy stops after one stack has switched to another, in every design where control
// passes between peers, and reads who switched to whom: in the names of threads, in stack traces,
// in the tree of stacks and in the backtrace of a trap.
func TestStackSwitchedBy(t *testing.T) {
	const mount = `(module (@stack-switching "fibers-mount")
  (tag $ret) (tag $go) (global $g (mut fiberref) (ref.null fiber))
  (func $b (param $me (ref fiber))
    (unreachable))
  (func $a (param $me (ref fiber)) (global.set $g (local.get $me))
    ` + "\x00" + `)
  (func (export "main")
    (fiber.mount $go (fiber.new $ret ($go $a)))))
`
	const handle = `(module (@stack-switching "fibers-handle")
  (tag $go)
  (type $ft (fiber)) (global $g (mut (ref null $ft)) (ref.null $ft))
  (func $b (param $me (ref $ft))
    (event $go (unreachable)))
  (func $a (param $me (ref $ft))
    (event $go (global.set $g (local.get $me))
      ` + "\x00" + `))
  (func (export "main")
    (fiber.resume $go (fiber.new $a))))
`
	const cont = `(module
  (rec (type $f (func (param (ref null $c)))) (type $c (cont $f)))
  (tag $swap)
  (elem declare func $a $b)
  (func $b (type $f) (param $k (ref null $c))
    ` + "\x00" + `
    (unreachable))
  (func $a (type $f) (param $k (ref null $c))
    (drop (switch $c $swap (cont.new $c (ref.func $b))))
    (unreachable))
  (func (export "main")
    (resume $c (on $swap switch) (ref.null $c) (cont.new $c (ref.func $a)))))
`
	const stacks = `(module (@stack-switching "stacks")
  (type $s (stack (param (ref null $s))))
  (func $b (param $from (ref null $s))
    (unreachable))
  (func $a (param $from (ref null $s))
    ` + "\x00" + `)
  (func (export "main") (local $k (ref null $s))
    (local.set $k (switch $s (stack.new $s $a)))
    (unreachable)))
`
	with := func(module, text string) string { return strings.Replace(module, "\x00", text, 1) }
	for _, x := range []struct {
		name, text string
		running    int
		label      string // below the running stack's frames
		away       string // of stack #2; "": it has ended
		thread     string // its name
	}{
		{"cont", with(cont, "(nop)"), 3, "switched to by #2 $a at prog.wat:9, parent #1 main at prog.wat:12 (on $swap switch)", "switched away to #3 $b with $swap at prog.wat:9", "#2 $a · switched away to #3 at prog.wat:9"},
		{"cont, back", with(cont, "(drop (switch $c $swap (local.get $k)))"), 2, "switched to by #3 $b at prog.wat:6, parent #1 main at prog.wat:12 (on $swap switch)", "", ""},
		{"stacks", with(stacks, "(drop (switch $s (stack.new $s $b)))"), 3, "switched to by #2 $a at prog.wat:6", "switched away to #3 $b at prog.wat:6", "#2 $a · switched away to #3 at prog.wat:6"},
		{"stacks, retire", with(stacks, "(switch_retire $s (stack.new $s $b))"), 3, "switched to by #2 $a at prog.wat:6", "", ""},
		{"stacks, back", with(stacks, "(drop (switch $s (local.get $from)))"), 1, "switched to by #2 $a at prog.wat:6", "switched away to #1 main at prog.wat:6", "#2 $a · switched away to #1 at prog.wat:6"},
		{"fibers-mount", with(mount, "(fiber.switch $go (local.get $me) (fiber.new $ret ($go $b)))"), 3, "switched to by #2 $a at prog.wat:6, control parent #1 main at prog.wat:8", "switched away to #3 $b with $go at prog.wat:6", "#2 $a · switched away to #3 at prog.wat:6"},
		{"fibers-mount, release", with(mount, "(fiber.switch_release $go (local.get $me) (fiber.new $ret ($go $b)))"), 3, "switched to by #2 $a at prog.wat:6, control parent #1 main at prog.wat:8", "", ""},
		{"fibers-mount, new", with(mount, "(fiber.switch_new $ret $b (local.get $me)) (drop)"), 3, "switched to by #2 $a at prog.wat:6, control parent #1 main at prog.wat:8", "switched away to #3 $b at prog.wat:6", "#2 $a · switched away to #3 at prog.wat:6"},
		{"fibers-handle", with(handle, "(fiber.switch $go (local.get $me) (fiber.new $b))"), 3, "switched to by #2 $a at prog.wat:8, resume parent #1 main at prog.wat:10", "switched away to #3 $b with $go at prog.wat:8", "#2 $a · switched away to #3 at prog.wat:8"},
		{"fibers-handle, retire", with(handle, "(fiber.retireto $go (local.get $me) (fiber.new $b))"), 3, "switched to by #2 $a at prog.wat:8, resume parent #1 main at prog.wat:10", "", ""},
		{"tasks", `(module (@stack-switching "tasks")
  (tag $go) (global $g (mut taskref) (ref.null task))
  (func $b (param $me taskref)
    (block $l (event.switch ($go $l)))
    (unreachable))
  (func $a (param $me taskref)
    (block $l (event.switch ($go $l))) (global.set $g (local.get $me))
    (block $l
      (task.switchto (local.get $me) (task.new $b) ($go))
      (event.switch ($go $l))))
  (func (export "main")
    (block $l
      (task.resume (task.new $a) ($go))
      (event.switch ($go $l)))))
`, 3, "switched to by #2 $a at prog.wat:9, parent #1 main at prog.wat:13 ($go → $l)", "switched away to #3 $b with $go at prog.wat:9", "#2 $a · switched away to #3 at prog.wat:9"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := real(t)
			if got := c.start(map[string]any{"program": wat(t, x.text)}); !strings.HasPrefix(got, "exception") ||
				c.last.ThreadId != x.running {
				t.Fatal(got, c.output("stderr"))
			}
			labels := func(thread int) (out []string) {
				for _, f := range c.frames(thread) {
					if f.PresentationHint == "label" {
						out = append(out, f.Name)
					}
				}
				return out
			}
			if got := labels(x.running); len(got) == 0 || got[0] != x.label {
				t.Errorf("%q, want %q", got, x.label)
			}
			var tree stackview.JSONTree
			c.must("stackscope/stacks", nil, &tree)
			var find func(ns []*stackview.JSONNode, id int) *stackview.JSONNode
			find = func(ns []*stackview.JSONNode, id int) *stackview.JSONNode {
				for _, n := range ns {
					if n.ID == id {
						return n
					}
					if n := find(n.Children, id); n != nil {
						return n
					}
				}
				return nil
			}
			by := map[string]int{"#2": 2, "#3": 3}[strings.Fields(x.label)[3]]
			if n := find(tree.Stacks, x.running); n == nil || n.SwitchedBy != by || n.SwitchedAt == nil {
				t.Errorf("%+v", n)
			}
			if x.away != "" {
				if got := labels(2); len(got) == 0 || got[0] != x.away {
					t.Errorf("%q, want %q", got, x.away)
				}
				if n := find(tree.Stacks, 2); n == nil || n.SwitchedTo != x.running || n.Title != x.thread {
					t.Errorf("%+v", n)
				}
				var th godap.ThreadsResponseBody
				c.must("threads", nil, &th)
				found := false
				for _, y := range th.Threads {
					found = found || y.Name == x.thread
				}
				if !found {
					t.Errorf("%+v", th.Threads)
				}
				// The filter finds the title that is shown.
				var page stackview.JSONTree
				c.must("stackscope/stacks", map[string]any{"text": "Switched away to #"}, &page)
				if len(page.Stacks) == 0 {
					t.Error("the text of the title finds nothing")
				}
			}
			var i godap.ExceptionInfoResponseBody
			c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: x.running}, &i)
			if by, _, _ := strings.Cut(x.label, " main"); !strings.Contains(i.Details.StackTrace, by) {
				t.Error(i.Details.StackTrace)
			}
		})
	}
	t.Run("no history", func(t *testing.T) {
		c := real(t)
		c.start(map[string]any{"program": wat(t, with(cont, "(nop)")), "history": "off"})
		if got := c.frames(2)[0].Name; got != "switched away with $swap at prog.wat:9" {
			t.Error(got)
		}
	})
}
