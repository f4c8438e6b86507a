package dap_test

import (
	"fmt"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
	"stackscope/wasm"
)

// words returns the words of a design.
func words(t *testing.T, design string) *wasm.Words {
	t.Helper()
	name, _, _ := strings.Cut(design, " ") // "fibers-mount entered"
	d, ok := wasm.ParseDialect(name)
	if !ok {
		t.Fatal(design)
	}
	return &d.Info().Words
}

func designs() []string { return []string{"cont", "stacks", "fibers-mount", "fibers-handle", "tasks"} }

// code returns the frames of a stack that are no labels.
func (c *client) code(stack int) (out []godap.StackFrame) {
	c.t.Helper()
	for _, f := range c.frames(stack) {
		if f.PresentationHint != "label" {
			out = append(out, f)
		}
	}
	return out
}

// named returns a stop by the name that its line has: `breakpoint #2 first`.
func (c *client) named(p string) string {
	c.t.Helper()
	at := c.stopped()
	if at == "terminated" {
		return at
	}
	_, name, _ := strings.Cut(sourceLine(c.t, p, c.code(c.last.ThreadId)[0].Line), ";; ")
	return fmt.Sprintf("%s #%d %s", c.last.Reason, c.last.ThreadId, name)
}

// jump makes a stack go on at the line of a name.
func (c *client) jump(stack int, p, name string) {
	c.t.Helper()
	c.frames(stack) // the client looks at it
	ts := c.gotoTargets(p, lineOf(c.t, p, ";; "+name+"\n"))
	if len(ts) != 1 {
		c.t.Fatalf("%+v", ts)
	}
	c.must("goto", godap.GotoArguments{ThreadId: stack, TargetId: ts[0].Id}, nil)
	if got, want := c.named(p), fmt.Sprintf("goto #%d %s", stack, name); got != want {
		c.t.Fatalf("%s, want %s", got, want)
	}
}

func (c *client) noJump(stack int, p, name string) string {
	c.t.Helper()
	c.frames(stack)
	return c.refused(
		"gotoTargets",
		godap.GotoTargetsArguments{Source: godap.Source{Path: p}, Line: lineOf(c.t, p, ";; "+name+"\n")},
	)
}

func (c *client) title(stack int) string {
	c.t.Helper()
	var b godap.ThreadsResponseBody
	c.must("threads", nil, &b)
	for _, t := range b.Threads {
		if t.Id == stack {
			return t.Name
		}
	}
	return ""
}

// TestGotoSuspended makes a stack that is suspended go on elsewhere when it is resumed, in the five
// designs, in both forms of code: with breakpoints in its function, and without.
func TestGotoSuspended(t *testing.T) {
	for _, design := range designs() {
		for _, plain := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", design, plain), func(t *testing.T) {
				p := wat(t, alone()[design])
				c := real(t)
				at := func(name string) int { return lineOf(t, p, ";; "+name+"\n") }
				c.start(map[string]any{"program": p, "args": []int{1}}, at("between"))
				c.jump(2, p, "end") // past the call that traps
				if got, want := c.title(2), fmt.Sprintf(
					"#2 $worker · %s at prog.wat:%d", words(t, design).Suspended, at("end"),
				); got != want {
					t.Errorf("%s, want %s", got, want)
				}
				if got, want := c.frames(2)[0].Name, fmt.Sprintf(
					"continues at prog.wat:%d when it is %s", at("end"), words(t, design).Resumed,
				); got != want {
					t.Errorf("%s, want %s", got, want)
				}
				if got := c.output("console"); !strings.Contains(got, "when it is "+words(t, design).Resumed) ||
					!strings.Contains(got, "dropped") {
					t.Error(got)
				}
				// The running stack is where it was; and all stacks are found.
				if got := c.code(1)[0].Line; got != at("between") {
					t.Error(got)
				}
				c.must("stackscope/stacks", map[string]any{"holders": true}, nil)
				lines := []int{at("after")}
				if plain {
					lines = append(lines, at("end"), at("again"))
				}
				c.breakpoints(p, lines...)
				c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
				got := c.named(p)
				if plain {
					if got != "breakpoint #2 end" {
						t.Fatal(got)
					}
					c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
					got = c.named(p)
				}
				want := "breakpoint #1 after"
				if design == "stacks" { // the reference to who switched to it was dropped with the values
					want = "exception #2 end"
				}
				if got != want {
					t.Errorf("%s, want %s", got, want)
				}
			})
		}
	}
}

// TestGotoAgain moves a suspended stack more than once, steps into it, ends it.
func TestGotoAgain(t *testing.T) {
	for _, design := range designs() {
		t.Run(design, func(t *testing.T) {
			p := wat(t, alone()[design])
			at := func(name string) int { return lineOf(t, p, ";; "+name+"\n") }
			c := real(t)
			c.start(map[string]any{"program": p, "args": []int{0}}, at("between"))
			c.jump(2, p, "end")
			c.jump(2, p, "first")
			c.jump(2, p, "again")
			if got := c.step("next", 2, ""); got != fmt.Sprintf("step #2 prog.wat:%d", at("again")) {
				t.Error(got)
			}
			if got := c.step("next", 2, ""); got != fmt.Sprintf("step #2 prog.wat:%d", at("end")) {
				t.Error(got)
			}
			c = real(t)
			c.start(map[string]any{"program": p, "args": []int{0}}, at("between"))
			c.jump(2, p, "end")
			c.must("terminateThreads", map[string]any{"threadIds": []int{2}}, nil)
			if got := c.stacksOf(); len(got) != 1 {
				t.Error(got)
			}
			c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
			if got := c.named(p); got != "exception #1 two" {
				t.Error(got)
			}
		})
	}
}

// TestGotoRefused is told why a stack cannot go on elsewhere.
func TestGotoRefused(t *testing.T) {
	const calls, resumed, begun = "waits for the one that it called", "waits for the one that it resumed", "has not begun"
	for _, x := range []struct {
		designs  string
		at       string
		stack    int
		to, want string
	}{
		{"cont stacks fibers-mount fibers-handle tasks", "help", 2, "end", calls},
		{"cont fibers-mount fibers-handle tasks", "help", 1, "between", resumed},
		{"fibers-mount fibers-handle tasks", "one", 2, "end", begun},
		{"cont stacks fibers-mount fibers-handle tasks", "between", 2, "last", "no code of"},
		{"fibers-handle", "again", 2, "give", "handle or event clause that this place is not in"},
	} {
		for _, design := range strings.Fields(x.designs) {
			t.Run(design+" "+x.at+" to "+x.to, func(t *testing.T) {
				p := wat(t, alone()[design])
				c := real(t)
				c.start(map[string]any{"program": p, "args": []int{0}}, lineOf(t, p, ";; "+x.at+"\n"))
				if got := c.noJump(x.stack, p, x.to); !strings.Contains(got, x.want) {
					t.Error(got)
				}
			})
		}
	}
	// A target is good for the stacks that are in its function, and can go there.
	p := wat(t, alone()["cont"])
	c := real(t)
	c.start(map[string]any{"program": p, "args": []int{0}}, lineOf(t, p, ";; between"))
	ts := c.gotoTargets(p, lineOf(t, p, ";; after"))
	if got := c.refused("goto", godap.GotoArguments{ThreadId: 2, TargetId: ts[0].Id}); got != `#2 $worker is in $worker, and this place is in another function` {
		t.Error(got)
	}
	if got := c.refused("goto", godap.GotoArguments{ThreadId: 77, TargetId: ts[0].Id}); got != "there is no stack #77" {
		t.Error(got)
	}
	if got := c.noJump(2, p, "throw"); !strings.Contains(got, "no code of") {
		t.Error(got)
	}
}

// TestGotoParked moves the stack of a call of the host, which a coroutine has switched away from.
func TestGotoParked(t *testing.T) {
	p := wat(t, alone()["stacks"])
	c := real(t)
	c.start(map[string]any{"program": p, "args": []int{0}}, lineOf(t, p, ";; help"))
	c.jump(1, p, "caught")
	c.breakpoints(p, lineOf(t, p, ";; caught"), lineOf(t, p, ";; between"))
	c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
	if got := c.named(p); got != "breakpoint #1 caught" {
		t.Fatal(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.named(p); got != "terminated" {
		t.Error(got)
	}
	c = real(t)
	c.start(map[string]any{"program": p, "args": []int{0}}, lineOf(t, p, ";; help"))
	c.must("restartFrame", godap.RestartFrameArguments{FrameId: c.code(1)[0].Id}, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "restart #1 ") {
		t.Fatal(got)
	}
	c.breakpoints(p, lineOf(t, p, ";; one"))
	c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
	if got := c.named(p); got != "breakpoint #1 one" {
		t.Fatal(got)
	}
	if got := text(c.scope(c.code(1)[0].Id, "Locals")); got != "$how=0, $k=null" {
		t.Error(got)
	}
}

// throwing has continuations that are suspended outside of their try_table, and are cancelled by
// the program.
const throwing = `(module
  (type $f (func)) (type $c (cont $f)) (type $g (func (param i32))) (type $d (cont $g)) (tag $pause (result i32)) (tag $oops)
  (global $saved (mut i32) (i32.const 0))
  (elem declare func $worker)
  (func $worker
    (drop (suspend $pause))
    (block $h
      (try_table (catch $oops $h)
        (nop) ;; inside
        (return)))
    (global.set $saved (i32.add (global.get $saved) (i32.const 1)))) ;; saved
  (func $make (result (ref $d))
    (block $on (result (ref $d)) (resume $c (on $pause $on) (cont.new $c (ref.func $worker))) (unreachable)))
  (func (export "main") (result i32) (local $a (ref null $d)) (local $b (ref null $d)) (local $bound (ref null $c))
    (local.set $a (call $make))
    (local.set $b (call $make))
    (nop) ;; here
    (block $h (try_table (catch $oops $h) (resume_throw $d $oops (local.get $a)))) ;; thrown
    (local.set $bound (cont.bind $d $c (i32.const 5) (local.get $b)))
    (nop) ;; bound
    (resume $c (local.get $bound))
    (global.get $saved))) ;; done
`

// TestThrownIntoMoved throws into continuations that were moved, restarted, or bound before: the
// exception is thrown where they stand now.
func TestThrownIntoMoved(t *testing.T) {
	p := wat(t, throwing)
	start := func(at string) *client {
		c := real(t)
		c.start(map[string]any{"program": p}, lineOf(t, p, ";; "+at))
		return c
	}
	saved := func(c *client) string {
		c.breakpoints(p, lineOf(t, p, ";; done"))
		c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
		if got := c.named(p); got != "breakpoint #1 done" {
			t.Fatal(got)
		}
		return c.eval(0, "watch", "$saved")
	}
	if got := saved(start("here")); got != "0" {
		t.Error(got)
	}
	// Two stacks stand in the same function: only the one that is named moves.
	c := start("here")
	c.jump(2, p, "inside")
	if a, b := c.code(2)[0].Line, c.code(3)[0].Line; a == b {
		t.Error("both have moved")
	}
	if got := saved(c); got != "1" {
		t.Errorf("moved into the try_table: %s", got)
	}
	c = start("here")
	c.jump(2, p, "inside")
	c.must("restartFrame", godap.RestartFrameArguments{FrameId: c.code(2)[0].Id}, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "restart #2 ") {
		t.Fatal(got)
	}
	if got := c.title(2); got != "#2 $worker · not started" {
		t.Error(got)
	}
	if got := saved(c); got != "0" {
		t.Errorf("restarted: %s", got)
	}
	// What was bound before is dropped too; and a bound one is moved like others.
	c = start("here")
	c.jump(3, p, "saved")
	if got := saved(c); got != "1" {
		t.Errorf("bound after it was moved: %s", got)
	}
	c = start("bound")
	c.jump(3, p, "saved")
	if got := saved(c); got != "1" {
		t.Errorf("moved after it was bound: %s", got)
	}
	// The debugger's cancellation throws there, too.
	c = start("here")
	c.jump(3, p, "inside")
	c.breakpoints(p, lineOf(t, p, ";; saved"))
	c.must("stackscope/cancel", map[string]any{"threadId": 3, "tag": "$oops"}, nil)
	if got := c.named(p); got != "breakpoint #3 saved" {
		t.Error(got)
	}
}

// deep are programs in which a function that the worker has called gives control back.
func deep() map[string]string {
	const begin = `
  (tag $back) (tag $go) (tag $done)
  (global $n (mut i32) (i32.const 0))
`
	const count = `(local $x i32)
    (global.set $n (i32.add (global.get $n) (i32.const 1))) ;; inner
    (local.set $x (i32.const 7))`
	return map[string]string{
		"cont": `(module (@stack-switching "cont") (type $f (func)) (type $c (cont $f)) (elem declare func $worker)` + begin + `
  (func $inner ` + count + `
    (suspend $back)) ;; give
  (func $worker
    (nop) ;; outer
    (call $inner) ;; call
    (nop)) ;; end
  (func (export "main") (local $k (ref null $c))
    (local.set $k (block $on (result (ref $c)) (resume $c (on $back $on) (cont.new $c (ref.func $worker))) (unreachable)))
    (nop) ;; between
    (block $on (result (ref $c)) (resume $c (on $back $on) (local.get $k)) (unreachable)) (drop)
    (nop))) ;; after
`,
		"stacks": `(module (@stack-switching "stacks") (rec (type $s (stack (ref null $s)))) (global $main (mut (ref null $s)) (ref.null $s))` + begin + `
  (func $inner ` + count + `
    (global.set $main (switch $s (global.get $main)))) ;; give
  (func $worker (param $to (ref null $s))
    (if (i32.eqz (global.get $n)) (then (global.set $main (local.get $to)))) ;; outer
    (call $inner) ;; call
    (switch_retire $s (global.get $main))) ;; end
  (func (export "main") (local $k (ref null $s))
    (local.set $k (switch $s (stack.new $s $worker)))
    (nop) ;; between
    (drop (switch $s (local.get $k)))
    (nop))) ;; after
`,
		"fibers-mount": `(module (@stack-switching "fibers-mount")` + begin + `
  (func $inner (param $me (ref fiber)) ` + count + `
    (block $on
      (fiber.dismount $back ($go $on) (local.get $me)) ;; give
      (unreachable)))
  (func $worker (param $me (ref fiber))
    (nop) ;; outer
    (call $inner (local.get $me)) ;; call
    (nop)) ;; end
  (func (export "main") (local $k (ref null fiber))
    (local.set $k (fiber.new $done ($go $worker)))
    (block $on (fiber.mount $go ($back $on) (local.get $k)) (unreachable))
    (nop) ;; between
    (block $on (fiber.mount $go ($back $on) ($done $on) (local.get $k)) (unreachable))
    (nop))) ;; after
`,
		"fibers-mount entered": `(module (@stack-switching "fibers-mount")` + begin + `
  (func $inner (param $me (ref fiber)) ` + count + `
    (block $on
      (fiber.dismount $back ($go $on) (local.get $me)) ;; give
      (unreachable)))
  (func $worker (param $me (ref fiber))
    (nop) ;; outer
    (call $inner (local.get $me)) ;; call
    (nop)) ;; end
  (func (export "main") (local $k (ref null fiber))
    (local.set $k (block $on (result (ref fiber)) (fiber.mount_new $done $worker ($back $on)) (unreachable)))
    (nop) ;; between
    (block $on (fiber.mount $go ($back $on) ($done $on) (local.get $k)) (unreachable))
    (nop))) ;; after
`,
		"fibers-handle": `(module (@stack-switching "fibers-handle") (type $ft (fiber))` + begin + `
  (func $inner (param $me (ref $ft)) ` + count + `
    (handle
      (fiber.suspend $back (local.get $me)) ;; give
      (event $go)))
  (func $worker (param $me (ref $ft))
    (event $go
      (nop) ;; outer
      (call $inner (local.get $me)) ;; call
      (nop))) ;; end
  (func (export "main") (local $k (ref null $ft))
    (local.set $k (fiber.new $worker))
    (handle (fiber.resume $go (local.get $k)) (unreachable) (event $back))
    (nop) ;; between
    (handle (fiber.resume $go (local.get $k)) (event $back))
    (nop))) ;; after
`,
		"fibers-handle spawned": `(module (@stack-switching "fibers-handle") (type $ft (fiber)) (global $k (mut (ref null $ft)) (ref.null $ft))` + begin + `
  (func $inner (param $me (ref $ft)) ` + count + `
    (handle
      (fiber.suspend $back (local.get $me)) ;; give
      (event $go)))
  (func $worker (param $me (ref $ft))
    (global.set $k (local.get $me)) ;; outer
    (call $inner (local.get $me)) ;; call
    (nop)) ;; end
  (func (export "main")
    (handle (fiber.spawn $worker) (unreachable) (event $back))
    (nop) ;; between
    (handle (fiber.resume $go (global.get $k)) (event $back))
    (nop))) ;; after
`,
		"tasks": `(module (@stack-switching "tasks")` + begin + `
  (func $inner (param $me taskref) ` + count + `
    (block $on
      (task.suspend (local.get $me) ($back)) ;; give
      (event.switch ($go $on))))
  (func $worker (param $me taskref)
    (block $on (event.switch ($go $on)))
    (nop) ;; outer
    (call $inner (local.get $me)) ;; call
    (task.retire (local.get $me) ($done))) ;; end
  (func (export "main") (local $k taskref)
    (local.set $k (task.new $worker))
    (block $on (task.resume (local.get $k) ($go)) (event.switch ($back $on)))
    (nop) ;; between
    (block $on (task.resume (local.get $k) ($go)) (event.switch ($back $on) ($done $on)))
    (nop))) ;; after
`,
	}
}

// TestRestartInDesigns begins frames of suspended stacks again in the five designs, the innermost
// one and the base, in both forms of code.
func TestRestartInDesigns(t *testing.T) {
	for design, program := range deep() {
		for _, depth := range []int{0, 1} {
			for _, plain := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%d/%v", design, depth, plain), func(t *testing.T) {
					p := wat(t, program)
					at := func(name string) int { return lineOf(t, p, ";; "+name+"\n") }
					c := real(t)
					c.start(map[string]any{"program": p}, at("between"))
					fs := c.code(2)
					if len(fs) != 2 {
						t.Fatalf("%+v", fs)
					}
					c.must("restartFrame", godap.RestartFrameArguments{FrameId: fs[depth].Id}, nil)
					if got := c.stopped(); !strings.HasPrefix(got, "restart #2 ") ||
						!strings.HasSuffix(c.last.Description, " when it is "+words(t, design).Resumed) {
						t.Fatal(got, c.last.Description)
					}
					renewed := depth == 1 &&
						(design == "fibers-mount" || design == "fibers-handle" || design == "tasks")
					if got := strings.Contains(c.output("console"), "stack #2 is new again: $worker begins with the event that it is "+words(t, design).Resumed+" with"); got != renewed {
						t.Error(c.output("console"))
					}
					if got := len(c.code(2)); got != 2-depth {
						t.Errorf("%d frames", got)
					}
					if depth == 0 {
						if got := text(c.scope(c.code(2)[0].Id, "Locals")); !strings.HasSuffix(got, "$x=0") {
							t.Error(got)
						}
					}
					c.must("stackscope/stacks", map[string]any{"holders": true}, nil)
					lines := []int{at("after")}
					want := []string{"breakpoint #1 after"}
					if design == "stacks" { // the reference to who switched to it was dropped with the values
						want[0] = "exception #2 give"
					}
					if plain {
						lines, want = append(lines, at("inner")), append([]string{"breakpoint #2 inner"}, want...)
						if depth == 1 {
							lines, want = append(lines, at("outer")), append([]string{"breakpoint #2 outer"}, want...)
						}
					}
					c.breakpoints(p, lines...)
					for _, w := range want {
						c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
						if got := c.named(p); got != w {
							t.Fatalf("%s, want %s", got, w)
						}
					}
					// It has gone through there twice, and given control back again.
					if got := c.eval(0, "watch", "$n"); got != "2" {
						t.Error(got)
					}
					if design == "stacks" {
						return
					}
					if fs := c.code(2); len(fs) != 2 || fs[0].Line != at("give") {
						t.Errorf("%+v", fs)
					}
					c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
					if got := c.named(p); got != "terminated" {
						t.Error(got)
					}
				})
			}
		}
	}
}

// TestMovedAttached moves and restarts in one of two sessions on a program: the other one is told
// that it stands elsewhere, may look at it, and what it knew of frames and targets is good no more.
func TestMovedAttached(t *testing.T) {
	p := wat(t, deep()["tasks"])
	at := func(name string) int { return lineOf(t, p, ";; "+name+"\n") }
	prog, err := launch.Load(&dap.Launch{Program: p})
	if err != nil {
		t.Fatal(err)
	}
	target := dap.NewTarget(prog, debugger.Options{})
	join := func() *client {
		c := connect(t, dap.Config{Target: target})
		c.initialize()
		c.must("attach", map[string]any{}, nil)
		c.await("initialized", nil)
		c.breakpoints(p, at("between"))
		c.must("configurationDone", nil, nil)
		if got := c.named(p); got != "breakpoint #1 between" {
			t.Fatal(got)
		}
		return c
	}
	a, b := join(), join()
	old := b.code(2)[0].Id
	goal := b.gotoTargets(p, at("after"))[0].Id
	a.must("restartFrame", godap.RestartFrameArguments{FrameId: a.code(2)[0].Id}, nil)
	if got := a.named(p); got != "restart #2 inner" {
		t.Fatal(got)
	}
	b.await("continued", nil)
	if got := b.named(p); got != "restart #2 inner" {
		t.Fatal(got)
	}
	b.refused("scopes", godap.ScopesArguments{FrameId: old})
	b.refused("goto", godap.GotoArguments{ThreadId: 1, TargetId: goal})
	// Both restart the same frame: the second does it on what the first has made.
	b.must("restartFrame", godap.RestartFrameArguments{FrameId: b.code(2)[1].Id}, nil)
	if got := b.stopped(); !strings.HasPrefix(got, "restart #2 ") {
		t.Fatal(got)
	}
	a.await("continued", nil)
	if got := a.stopped(); !strings.HasPrefix(got, "restart #2 ") || len(a.code(2)) != 1 {
		t.Fatal(got)
	}
	// The running stack goes on elsewhere.
	a.jump(1, p, "after")
	b.await("continued", nil)
	if got := b.named(p); got != "goto #1 after" {
		t.Fatal(got)
	}
	b.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	a.await("continued", nil)
	for _, c := range []*client{a, b} {
		if got := c.stopped(); got != "terminated" {
			t.Error(got)
		}
	}
}
