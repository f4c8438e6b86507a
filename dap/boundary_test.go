package dap_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/internal/testing/sidebyside"
	"stackscope/stackview"
	"stackscope/wasm"
)

// sandwiches are programs in each design in which code of the module $app gives control away while
// a function of the module $lib waits for it: on a stack, in a call.
var sandwiches = map[string]string{
	"cont": `(type $ct (cont $f)) (tag $e)
  (global $held (mut (ref null $ct)) (ref.null $ct))
  (func $cb
    (suspend $e)) ;; gives away
  (func $worker (call $through (ref.func $cb)))
  (elem declare func $worker)
  (func (export "main")
    (block $on (result (ref $ct))
      (resume $ct (on $e $on) (cont.new $ct (ref.func $worker)))
      (return))
    (global.set $held)
    (nop)) ;; captured`,
	"stacks": `(rec (type $s (stack (ref null $s))))
  (global $back (mut (ref null $s)) (ref.null $s))
  (global $held (mut (ref null $s)) (ref.null $s))
  (func $cb
    (global.set $back (switch $s (global.get $back)))) ;; gives away
  (func $worker (param $b (ref null $s))
    (global.set $back (local.get $b))
    (call $through (ref.func $cb))
    (switch_retire $s (global.get $back)))
  (func (export "main")
    (global.set $held (switch $s (stack.new $s $worker)))
    (nop)) ;; captured`,
	"fibers-mount": `(tag $go) (tag $done) (tag $e)
  (global $me (mut fiberref) (ref.null fiber))
  (func $cb
    (block $x
      (fiber.dismount $e ($go $x) (global.get $me)))) ;; gives away
  (func $worker (param $f (ref fiber))
    (global.set $me (local.get $f))
    (call $through (ref.func $cb)))
  (func (export "main")
    (block $on (fiber.mount $go ($e $on) ($done $on) (fiber.new $done ($go $worker))))
    (nop)) ;; captured`,
	"fibers-handle": `(type $ft (fiber)) (tag $go) (tag $e)
  (global $me (mut (ref null $ft)) (ref.null $ft))
  (func $cb
    (handle
      (fiber.suspend $e (global.get $me)) ;; gives away
      (event $go)))
  (func $worker (param $f (ref $ft))
    (event $go
      (global.set $me (local.get $f))
      (call $through (ref.func $cb))))
  (func (export "main")
    (handle (fiber.resume $go (fiber.new $worker)) (event $e))
    (nop)) ;; captured`,
	"tasks": `(tag $go) (tag $done) (tag $e)
  (global $me (mut taskref) (ref.null task))
  (func $cb
    (block $x
      (task.suspend (global.get $me) ($e)) ;; gives away
      (event.switch ($go $x))))
  (func $worker (param $t taskref)
    (block $x (event.switch ($go $x)))
    (global.set $me (local.get $t))
    (call $through (ref.func $cb))
    (task.retire (local.get $t) ($done)))
  (func (export "main")
    (block $on
      (task.resume (task.new $worker) ($go))
      (event.switch ($e $on) ($done $on)))
    (nop)) ;; captured`,
}

// TestBoundary stops, in each design, where frames of more than one module are about to be
// captured, and finds the modules of the captured segment wherever stacks are shown.
func TestBoundary(t *testing.T) {
	for _, d := range wasm.Dialects() {
		t.Run(d.String(), func(t *testing.T) {
			lib := wat(t, `(module $lib
  (type $f (func))
  (func (export "through") (param (ref $f)) (call_ref $f (local.get 0))))`)
			p := filepath.Join(t.TempDir(), "app.wat")
			write(t, p, fmt.Sprintf(`(module $app (@stack-switching %q)
  (type $f (func))
  (import "lib" "through" (func $through (param (ref $f))))
  (elem declare func $cb)
  %s
)`, d, sandwiches[d.String()]))
			c := real(t)
			c.initialize()
			c.must("launch", map[string]any{"program": p, "imports": map[string]string{"lib": lib}}, nil)
			c.await("initialized", nil)
			var bs godap.SetExceptionBreakpointsResponse
			for cond, ok := range map[string]bool{
				"module $none": false, "module": false, "tag $none": false, "module lib": true,
			} {
				c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{
					Filters:       []string{},
					FilterOptions: []godap.ExceptionFilterOptions{{FilterId: "boundary", Condition: cond}},
				}, &bs.Body)
				if b := bs.Body.Breakpoints[0]; b.Verified != ok {
					t.Errorf("%s: %+v", cond, b)
				}
			}
			c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{
				Filters:       []string{},
				FilterOptions: []godap.ExceptionFilterOptions{{FilterId: "boundary", Condition: "module $lib"}},
			}, nil)
			c.breakpoints(p, lineOf(t, p, ";; captured"))
			c.must("configurationDone", nil, nil)
			if got, want := c.stopped(), fmt.Sprintf(
				"exception #2 app.wat:%d", lineOf(t, p, ";; gives away"),
			); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
			const frames = "$app (2 frames), $lib (1 frame)"
			for _, s := range []string{"boundary: ", "in #2 $worker captures frames of " + frames, "; $lib did not ask for it (sandwich)"} {
				if !strings.Contains(c.last.Text, s) {
					t.Error(c.last.Text)
				}
			}
			var i godap.ExceptionInfoResponseBody
			c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 2}, &i)
			if i.ExceptionId != "boundary" {
				t.Error(i.ExceptionId)
			}
			c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
			if got, want := c.stopped(), fmt.Sprintf(
				"breakpoint #1 app.wat:%d", lineOf(t, p, ";; captured"),
			); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
			var tree stackview.JSONTree
			c.must("stackscope/stacks", nil, &tree)
			found := ""
			for _, n := range tree.Stacks {
				if n.ID == 2 {
					found = fmt.Sprint(n.Modules)
				} else if len(n.Modules) > 0 {
					t.Errorf("%s: %v", n.Name, n.Modules)
				}
			}
			if found != "["+strings.ReplaceAll(frames, ",", "")+"]" {
				t.Error(found)
			}
			for _, word := range []string{"tree", "#2"} {
				var b godap.EvaluateResponseBody
				c.must("evaluate", godap.EvaluateArguments{Expression: word, Context: "repl"}, &b)
				got := b.Result
				if b.VariablesReference > 0 {
					got += " " + strings.ReplaceAll(text(c.children(b.VariablesReference)), "frames of=", "frames of ")
				}
				if !strings.Contains(got, "frames of "+frames) {
					t.Errorf("%s: %s", word, got)
				}
				for _, f := range sidebyside.Foreign(d, got) {
					t.Error(f)
				}
			}
			c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
			if got := c.stopped(); got != "terminated" {
				t.Error(got)
			}
			left := c.output("console") // what was left when the run ended
			if !strings.Contains(left, "1 "+d.Info().Noun+" has not ended") {
				t.Error(left)
			}
			for _, f := range sidebyside.Foreign(d, left) {
				t.Error(f)
			}
		})
	}
}

// TestInheritedParent throws an exception that reaches a parent that did not resume the stack
// itself, in each design in which that is possible.
func TestInheritedParent(t *testing.T) {
	for design, text := range map[string]string{
		"cont": `(type $f0 (func)) (type $c0 (cont $f0)) (type $f (func (param (ref null $c0)))) (type $c (cont $f))
  (tag $swap)
  (tag $oops)
  (elem declare func $a $b)
  (func $b (param (ref null $c0)) (throw $oops))
  (func $a (switch $c $swap (cont.new $c (ref.func $b))))
  (func (export "main") (resume $c0 (on $swap switch) (cont.new $c0 (ref.func $a))))`,
		"fibers-mount": `(tag $go) (tag $done) (tag $oops)
  (func $b (param $me (ref fiber)) (throw $oops))
  (func $a (param $me (ref fiber))
    (fiber.switch $go (local.get $me) (fiber.new $done ($go $b))))
  (func (export "main") (fiber.mount $go (fiber.new $done ($go $a))))`,
		"fibers-handle": `(type $ft (fiber)) (tag $go) (tag $oops)
  (func $b (param $me (ref $ft)) (event $go (throw $oops)))
  (func $a (param $me (ref $ft))
    (event $go (fiber.switch $go (local.get $me) (fiber.new $b))))
  (func (export "main") (fiber.resume $go (fiber.new $a)))`,
	} {
		t.Run(design, func(t *testing.T) {
			d, _ := wasm.ParseDialect(design)
			c := real(t)
			got := c.start(map[string]any{"program": wat(t, fmt.Sprintf(`(module (@stack-switching %q)
  %s)`, design, text))})
			if !strings.HasPrefix(got, "exception #3") {
				t.Fatal(got, c.output("stderr"))
			}
			note := fmt.Sprintf("note: #1 did not %s #3 itself: #2 switched to #3 and gave it its %s", d.Info().Resume,
				d.Info().Parent)
			var i godap.ExceptionInfoResponseBody
			c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 3}, &i)
			if !strings.Contains(i.Description, note) || strings.Count(i.Details.StackTrace, note) != 1 {
				t.Errorf("%s\n%s", i.Description, i.Details.StackTrace)
			}
			c.must("continue", godap.ContinueArguments{ThreadId: 3}, nil)
			if got := c.stopped(); got != "terminated" {
				t.Error(got)
			}
			told := 0
			c.mu.Lock()
			for l := range strings.SplitSeq(c.log.String(), "\n") {
				if strings.Contains(l, `"event":"output"`) {
					told += strings.Count(l, note)
				}
			}
			c.mu.Unlock()
			if told != 1 {
				t.Errorf("the end reports it %d times", told)
			}
		})
	}
}
