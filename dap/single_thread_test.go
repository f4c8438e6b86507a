package dap_test

import (
	"fmt"
	"stackscope/dap"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestControlStepping steps by the alternative law: a step also ends where control leaves the
// stack.
func TestControlStepping(t *testing.T) {
	for law, want := range map[string]string{"stack": "step #2 test.wat:9", "control": "step #1 test.wat:31"} {
		c := connect(t, dap.Config{})
		c.start(map[string]any{"program": "test.wat", "stepping": law}, 8)
		c.breakpoints("test.wat")
		if got := c.step("next", 2, ""); got != want {
			t.Errorf("%s: %s", law, got)
		}
	}
}

// alone are programs of the same shape in the five designs: main creates a worker and gives it
// control twice. The worker calls, gives control back, and then ends, traps or throws, as main is
// told. Lines have names, so that one table says where steps lead in all five.
func alone() map[string]string {
	const help = `
  (tag $oops) (tag $back) (tag $go) (tag $done)
  (global $how (mut i32) (i32.const 0))
  (func $help
    (nop)) ;; help
  (func $last
    (if (i32.eq (global.get $how) (i32.const 1)) ;; last
      (then (unreachable))) ;; trap
    (if (i32.eq (global.get $how) (i32.const 2))
      (then (throw $oops))) ;; throw
    (nop)) ;; lastly
`
	return map[string]string{
		"cont": `(module (@stack-switching "cont")
  (type $f (func)) (type $c (cont $f)) (elem declare func $worker)` + help + `
  (func $worker
    (call $help) ;; first
    (suspend $back) ;; give
    (call $last) ;; again
    (nop)) ;; end
  (func (export "main") (param $how i32) (local $k (ref null $c))
    (global.set $how (local.get $how))
    (local.set $k (block $on (result (ref $c)) (resume $c (on $back $on) (cont.new $c (ref.func $worker))) (unreachable))) ;; one
    (nop) ;; between
    (block $caught (try_table (catch_all $caught)
      (resume $c (local.get $k)) ;; two
      (nop) ;; after
      (return))) 
    (nop))) ;; caught
`,
		"stacks": `(module (@stack-switching "stacks")
  (rec (type $s (stack (ref null $s))))` + help + `
  (func $worker (param $to (ref null $s))
    (call $help) ;; first
    (local.set $to (switch $s (local.get $to))) ;; give
    (call $last) ;; again
    (switch_retire $s (local.get $to))) ;; end
  (func (export "main") (param $how i32) (local $k (ref null $s))
    (global.set $how (local.get $how))
    (local.set $k (switch $s (stack.new $s $worker))) ;; one
    (nop) ;; between
    (block $caught (try_table (catch_all $caught)
      (local.set $k (switch $s (local.get $k))) ;; two
      (nop) ;; after
      (return)))
    (nop))) ;; caught
`,
		"fibers-mount": `(module (@stack-switching "fibers-mount")` + help + `
  (func $worker (param $me (ref fiber))
    (call $help) ;; first
    (block $on ;; opens
      (fiber.dismount $back ($go $on) (local.get $me)) ;; give
      (unreachable))
    (call $last) ;; again
    (nop)) ;; end
  (func (export "main") (param $how i32) (local $k (ref null fiber))
    (global.set $how (local.get $how))
    (local.set $k (fiber.new $done ($go $worker)))
    (block $on
      (fiber.mount $go ($back $on) (local.get $k)) ;; one
      (unreachable))
    (nop) ;; between
    (block $caught (try_table (catch_all $caught)
      (block $on
        (fiber.mount $go ($done $on) (local.get $k)) ;; two
        (unreachable))
      (nop) ;; after
      (return)))
    (nop))) ;; caught
`,
		"fibers-handle": `(module (@stack-switching "fibers-handle") (type $ft (fiber))` + help + `
  (func $worker (param $me (ref $ft))
    (event $go
      (call $help) ;; first
      (handle ;; opens
        (fiber.suspend $back (local.get $me)) ;; give
        (event $go)) ;; given
      (call $last) ;; again
      (nop))) ;; end
  (func (export "main") (param $how i32) (local $k (ref null $ft))
    (global.set $how (local.get $how))
    (local.set $k (fiber.new $worker))
    (handle
      (fiber.resume $go (local.get $k)) ;; one
      (unreachable)
      (event $back)) ;; gotten
    (nop) ;; between
    (block $caught (try_table (catch_all $caught)
      (fiber.resume $go (local.get $k)) ;; two
      (nop) ;; after
      (return)))
    (nop))) ;; caught
`,
		"tasks": `(module (@stack-switching "tasks")` + help + `
  (func $worker (param $me taskref)
    (block $on (event.switch ($go $on)))
    (call $help) ;; first
    (block $on ;; opens
      (task.suspend (local.get $me) ($back)) ;; give
      (event.switch ($go $on))) ;; given
    (call $last) ;; again
    (task.retire (local.get $me) ($done))) ;; end
  (func (export "main") (param $how i32) (local $k taskref)
    (global.set $how (local.get $how))
    (local.set $k (task.new $worker))
    (block $on
      (task.resume (local.get $k) ($go)) ;; one
      (event.switch ($back $on))) ;; gotten
    (nop) ;; between
    (block $caught (try_table (catch_all $caught)
      (block $on
        (task.resume (local.get $k) ($go)) ;; two
        (event.switch ($done $on))) ;; got
      (nop) ;; after
      (return)))
    (nop))) ;; caught
`,
	}
}

// TestSingleThread steps and goes on with singleThread in the five designs: the program also stops
// when control leaves the stack, by a switch, its end, a trap, or an exception that its resumer
// catches.
func TestSingleThread(t *testing.T) {
	designs := []string{"cont", "stacks", "fibers-mount", "fibers-handle", "tasks"}
	for _, x := range []struct {
		how     int
		from    string // the line of the breakpoint that it begins at
		command string
		thread  int
		filters bool   // stop at traps and uncaught exceptions
		want    string // by design, the stack and the line; the last one is that of the others, too
	}{
		// Control leaves by a switch.
		{0, "first", "continue", 2, true, "#1 one, #1 one, #1 between, #1 gotten"},
		{0, "first", "next", 2, true, "#2 give, #2 give, #2 opens"},
		{0, "first", "stepIn", 2, true, "#2 help"},
		{0, "first", "stepOut", 2, true, "#1 one, #1 one, #1 between, #1 gotten"},
		{0, "help", "stepOut", 2, true, "#2 give, #2 give, #2 opens"},
		{0, "help", "continue", 2, true, "#1 one, #1 one, #1 between, #1 gotten"},
		{0, "give", "next", 2, true, "#1 one, #1 one, #1 between, #1 gotten"},
		{0, "give", "stepIn", 2, true, "#1 one, #1 one, #1 between, #1 gotten"},
		{0, "give", "stepOut", 2, true, "#1 one, #1 one, #1 between, #1 gotten"},
		{0, "give", "continue", 2, true, "#1 one, #1 one, #1 between, #1 gotten"},
		// By its end.
		{0, "again", "continue", 2, true, "#1 after, #1 two, #1 after, #1 after, #1 got"},
		{0, "again", "next", 2, true, "#2 end"},
		{0, "again", "stepIn", 2, true, "#2 last"},
		{0, "again", "stepOut", 2, true, "#1 after, #1 two, #1 after, #1 after, #1 got"},
		{0, "lastly", "stepOut", 2, true, "#2 end"},
		{0, "end", "next", 2, true, "#1 after, #1 two, #1 after, #1 after, #1 got"},
		{0, "end", "stepIn", 2, true, "#1 after, #1 two, #1 after, #1 after, #1 got"},
		{0, "end", "stepOut", 2, true, "#1 after, #1 two, #1 after, #1 after, #1 got"},
		// By a trap, with and without a filter that stops at it.
		{1, "again", "continue", 2, true, "exception"},
		{1, "again", "next", 2, true, "exception"},
		{1, "trap", "stepIn", 2, true, "exception"},
		{1, "trap", "stepOut", 2, true, "exception"},
		{1, "again", "continue", 2, false, "terminated"},
		{1, "again", "next", 2, false, "terminated"},
		{1, "again", "stepOut", 2, false, "terminated"},
		// By an exception through the resume; in two designs that is a trap.
		{2, "again", "continue", 2, true, "#1 caught, exception, #1 caught, #1 caught, exception"},
		{2, "again", "next", 2, true, "#1 caught, exception, #1 caught, #1 caught, exception"},
		{2, "again", "stepOut", 2, true, "#1 caught, exception, #1 caught, #1 caught, exception"},
		{2, "throw", "next", 2, true, "#1 caught, exception, #1 caught, #1 caught, exception"},
		{2, "throw", "stepOut", 2, false, "#1 caught, terminated, #1 caught, #1 caught, terminated"},
		{2, "throw", "continue", 2, false, "#1 caught, terminated, #1 caught, #1 caught, terminated"},
		// Who has resumed another stack has not left: it waits. In the design without parents it
		// has.
		{0, "one", "continue", 1, true, "terminated, #2 first, terminated"},
		{0, "one", "next", 1, true, "#1 one, #2 first, #1 between, #1 gotten, #1 gotten"},
		{0, "one", "stepOut", 1, true, "terminated, #2 first, terminated"},
		{0, "two", "next", 1, true, "#1 after, #2 give, #1 after, #1 after, #1 got"},
		{2, "two", "next", 1, true, "#1 caught, #2 give, #1 caught, #1 caught, exception"},
		// A stack that waits, while another one runs; and stacks that do not run: leaving is after
		// they were resumed.
		{0, "first", "next", 1, true, "#1 between, #1 between, #1 between, #1 gotten, #1 gotten"},
		{0, "first", "continue", 1, true, "terminated, #2 give, terminated"},
		{0, "between", "continue", 2, true, "#1 after, #1 two, #1 after, #1 after, #1 got"},
		{0, "between", "next", 2, true, "#2 again, #2 again, #2 again, #2 given, #2 given"},
	} {
		wants := strings.Split(x.want, ", ")
		for i, design := range designs {
			want := wants[min(i, len(wants)-1)]
			t.Run(fmt.Sprintf(
				"%s/%s by #%d at %s, %d", design, x.command, x.thread, x.from, x.how,
			), func(t *testing.T) {
				p := wat(t, alone()[design])
				c := real(t)
				c.start(map[string]any{"program": p, "args": []int{x.how}}, lineOf(t, p, ";; "+x.from+"\n"))
				c.breakpoints(p)
				if !x.filters {
					c.filters()
				}
				c.must(x.command, map[string]any{"threadId": x.thread, "singleThread": true}, nil)
				got := c.stopped()
				if got != "terminated" && c.last.Reason == "exception" {
					got = "exception"
				} else if got != "terminated" {
					var f godap.StackFrame
					for _, f = range c.frames(c.last.ThreadId) {
						if f.PresentationHint != "label" {
							break
						}
					}
					_, name, _ := strings.Cut(sourceLine(t, p, f.Line), ";; ")
					got = fmt.Sprintf("#%d %s", c.last.ThreadId, name)
				}
				if got != want {
					t.Errorf("%s, want %s", got, want)
				}
			})
		}
	}
}
