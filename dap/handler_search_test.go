package dap_test

import (
	"fmt"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestSearchForExceptionHandler reads why nothing caught an exception: frame by frame and stack by
// stack, in every design.
func TestSearchForExceptionHandler(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"cont", `(module
  (type $f (func)) (type $c (cont $f))
  (tag $e (param i32)) (tag $a) (tag $b)
  (func $throw
    (block $l (try_table (catch $a $l) (throw $e (i32.const 3)))))
  (func $body
    (block $l (try_table (catch $a $l) (catch $b $l) (try_table (call $throw)))))
  (func $outer
    (resume $c (cont.new $c (ref.func $body))))
  (elem declare func $body $outer)
  (func (export "main")
    (block $l (try_table (catch $b $l)
      (resume $c (cont.new $c (ref.func $outer)))))))
`, `uncaught exception $e with 3
  #3 $body, at prog.wat:5: the try_table at prog.wat:5 catches only $a; the try_table at prog.wat:7 catches nothing; the try_table at prog.wat:7 catches only $a, $b
  #2 $outer, waiting at prog.wat:9: its frame is not in a try_table
  #1 main, waiting at prog.wat:13: the try_table at prog.wat:12 catches only $b
  #1 main, called by the host: the host catches no exceptions`},
		{"no try_table", `(module (tag $e)
  (func $throw (throw $e))
  (func (export "main") (call $throw)))
`, `uncaught exception $e
  #1 main, at prog.wat:2: none of its 2 frames is in a try_table
  #1 main, called by the host: the host catches no exceptions`},
		{"after the try_table", `(module (tag $e)
  (func (export "main")
    (block $l (try_table (catch_all $l) (nop)))
    (throw $e)))
`, `uncaught exception $e
  #1 main, at prog.wat:4: its frame is not in a try_table
  #1 main, called by the host: the host catches no exceptions`},
		{"legacy", `(module (tag $e) (tag $a) (tag $b)
  (func (export "main")
    (try (do
      (try (do
        (try (do (throw $e)) (delegate 1)))
        (catch_all)))
      (catch $a) (catch $b))))
`, `uncaught exception $e
  #1 main, at prog.wat:5: the try at prog.wat:3 catches only $a, $b
  #1 main, called by the host: the host catches no exceptions`},
		{"many", `(module (tag $e) (tag $a)
  (func $f (param $n i32)
    (block $l (try_table (catch $a $l)
      (if (local.get $n) (then (call $f (i32.sub (local.get $n) (i32.const 1)))))
      (throw $e))))
  (func (export "main") (call $f (i32.const 9))))
`, `uncaught exception $e
  #1 main, at prog.wat:5: ` + strings.Repeat("the try_table at prog.wat:3 catches only $a; ", 5) + `5 more catch other tags
  #1 main, called by the host: the host catches no exceptions`},
		{"stacks", `(module (@stack-switching "stacks")
  (type $s (stack (param (ref null $s)))) (tag $e) (tag $a)
  (func $body (param (ref null $s))
    (throw $e))
  (func (export "main")
    (block $l (try_table (catch $e $l)
      (drop (switch $s (stack.new $s $body)))))))
`, `uncaught exception in a coroutine $e
  #2 $body, at prog.wat:4: its frame is not in a try_table; an exception that leaves a stack traps`},
		{"tasks", `(module (@stack-switching "tasks")
  (tag $go) (tag $e) (tag $a)
  (func $body (param $me taskref)
    (block $l (event.switch ($go $l)))
    (throw $e))
  (func (export "main")
    (block $l
      (task.resume (task.new $body) ($go))
      (event.switch ($go $l)))))
`, `uncaught exception in a task $e
  #2 $body, at prog.wat:5: its frame is not in a try_table; an exception that leaves a task traps`},
		{"fibers-mount", `(module (@stack-switching "fibers-mount")
  (tag $ret) (tag $go) (tag $e)
  (func $body (param $me (ref fiber))
    (throw $e))
  (func (export "main")
    (fiber.mount $go (fiber.new $ret ($go $body)))))
`, `uncaught exception $e
  #2 $body, at prog.wat:4: its frame is not in a try_table
  #1 main, waiting at prog.wat:6: its frame is not in a try_table
  #1 main, called by the host: the host catches no exceptions`},
		{"fibers-handle", `(module (@stack-switching "fibers-handle")
  (tag $go) (tag $e)
  (type $ft (fiber))
  (func $body (param $me (ref $ft))
    (event $go (throw $e)))
  (func (export "main")
    (fiber.resume $go (fiber.new $body))))
`, `uncaught exception $e
  #2 $body, at prog.wat:5: its frame is not in a try_table
  #1 main, waiting at prog.wat:7: its frame is not in a try_table
  #1 main, called by the host: the host catches no exceptions`},
	} {
		t.Run(x.name, func(t *testing.T) {
			i := explained(t, x.text)
			if i.Description != x.want {
				t.Errorf("%s\nwant %s", i.Description, x.want)
			}
			if n := strings.Count(x.want, "\n  "); len(i.Details.InnerException) != n {
				t.Errorf("%d inner exceptions, want %d", len(i.Details.InnerException), n)
			}
		})
	}
}

// explained runs a program until it stops at a fault.
func explained(t *testing.T, text string) (i godap.ExceptionInfoResponseBody) {
	c := real(t)
	got := c.start(map[string]any{"program": wat(t, text)})
	if !strings.HasPrefix(got, "exception") {
		t.Fatal(got, c.output("stderr"))
	}
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: c.last.ThreadId}, &i)
	return i
}

// TestLongHandlerSearchIsCut reads a search across many stacks: it is cut in the middle.
func TestLongHandlerSearchIsCut(t *testing.T) {
	const stacks = 500
	for name, fault := range map[string]string{"uncaught": "(throw $e)", "unhandled": "(suspend $e)"} {
		i := explained(t, fmt.Sprintf(`(module
  (type $f (func (param i32))) (type $c (cont $f)) (tag $e)
  (func $body (param $n i32)
    (if (local.get $n)
      (then (resume $c (i32.sub (local.get $n) (i32.const 1)) (cont.new $c (ref.func $body))))
      (else %s)))
  (elem declare func $body)
  (func (export "main") (call $body (i32.const %d))))
`, fault, stacks))
		in := i.Details.InnerException
		if len(in) < 60 || len(in) > 80 {
			t.Fatalf("%s: %d levels", name, len(in))
		}
		if in[50].TypeName != fmt.Sprintf("… %d more stacks", stacks+2-(len(in)-1)) && name == "uncaught" {
			t.Errorf("%s: %s, with %d levels", name, in[50].TypeName, len(in))
		}
		if last := in[len(in)-1]; last.TypeName != "#1 main, called by the host" {
			t.Errorf("%s: %s", name, last.TypeName)
		}
	}
}

// TestSearchForEventClause explains, in the designs with events, which clauses the stack had that
// was to take one.
func TestSearchForEventClause(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"fibers-mount", `(module (@stack-switching "fibers-mount")
  (tag $go) (tag $done) (tag $other)
  (func $body (param $me (ref fiber)))
  (func (export "main")
    (block $l
      (fiber.mount $go ($other $l) (fiber.new $done ($go $body))))))
`, "unhandled event $done\n  #1 main, at prog.wat:6: it accepts only $other there"},
		{"fibers-handle", `(module (@stack-switching "fibers-handle")
  (tag $go) (tag $other)
  (type $ft (fiber))
  (func $body (param $me (ref $ft))
    (event $other))
  (func (export "main")
    (fiber.resume $go (fiber.new $body))))
`, "unhandled event $go\n  #2 $body, at prog.wat:4: it accepts only $other there"},
		{"tasks", `(module (@stack-switching "tasks")
  (tag $go) (tag $other)
  (func $body (param $me taskref)
    (block $l (event.switch ($other $l))))
  (func (export "main")
    (block $l
      (task.resume (task.new $body) ($go))
      (event.switch ($other $l)))))
`, "unhandled event $go\n  #2 $body, at prog.wat:4: it accepts only $other there"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := real(t)
			if got := c.start(map[string]any{"program": wat(t, x.text)}); got == "terminated" {
				t.Fatal(c.output("stderr"))
			}
			var i godap.ExceptionInfoResponseBody
			c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
			if i.Description != x.want {
				t.Errorf("%s", i.Description)
			}
		})
	}
}
