package dap_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/stackview"
	"stackscope/wasm"
)

// endings are the programs of a design in which the stack #2, $worker, ends in each way that the
// design has. The module has what keeps references to it; $worker runs, gives control back once
// within a try_table, and then ends as the global $mode says: 0 returns, 1 retires, 2 throws, 3
// traps.
type endings struct {
	ref     string // the type of a reference
	decls   string
	param   string
	pause   string // in $worker: gives control to main
	retire  string // in $worker
	create  string // in main: leaves the reference
	first   string // in main: lets it run until pause
	again   string // lets it run to its end, where that returns or throws
	message string // lets it run to where it retires
	release string
	use     string
	ways    []string
	trap    string // the trap of use
}

var endingsOf = map[wasm.Dialect]endings{
	wasm.DialectCont: {
		ref: "(ref null $ct)", decls: "(type $ft (func)) (type $ct (cont $ft)) (elem declare func $worker)",
		pause:  "(suspend $yield)",
		create: "(cont.new $ct (ref.func $worker))",
		first:  "(global.set $next (block $on (result (ref $ct)) (resume $ct (on $yield $on) (global.get $g)) (unreachable)))",
		again:  "(resume $ct (global.get $next))",
		use:    "(resume $ct (global.get $g))",
		ways:   []string{"returned", "threw", "trapped", "ended"}, trap: "continuation already consumed",
	},
	wasm.DialectStacks: {
		ref: "(ref null $ct)", decls: "(rec (type $ct (stack (ref null $ct))))", param: "(param $back (ref null $ct))",
		pause:   "(local.set $back (switch $ct (local.get $back)))",
		retire:  "(switch_retire $ct (local.get $back))",
		create:  "(stack.new $ct $worker)",
		first:   "(global.set $next (switch $ct (global.get $g)))",
		message: "(drop (switch $ct (global.get $next)))", again: "(drop (switch $ct (global.get $next)))",
		use:  "(drop (switch $ct (global.get $g)))",
		ways: []string{"retired", "trapped", "ended"}, trap: "stack already consumed",
	},
	wasm.DialectFibersMount: {
		ref: "fiberref", param: "(param $me (ref fiber))",
		pause:   "(block $l (fiber.dismount $yield ($go $l) (local.get $me)) (unreachable))",
		retire:  "(fiber.dismount_release $done (local.get $me))",
		create:  "(fiber.new $ret ($go $worker))",
		first:   "(block $l (fiber.mount $go ($yield $l) (global.get $g)) (unreachable))",
		again:   "(block $l (fiber.mount $go ($ret $l) (global.get $g)) (unreachable))",
		message: "(block $l (fiber.mount $go ($done $l) (global.get $g)) (unreachable))",
		release: "(fiber.release (global.get $g))",
		use:     "(fiber.mount $go (global.get $g))",
		ways:    []string{"returned", "retired", "released", "threw", "trapped", "ended"}, trap: "fiber is moribund",
	},
	wasm.DialectFibersHandle: {
		ref: "(ref null $ft)", decls: "(type $ft (fiber))", param: "(param $me (ref null $ft))",
		pause:   "(handle (fiber.suspend (local.get $me) $yield) (event $go))",
		retire:  "(fiber.retire (local.get $me) $done)",
		create:  "(fiber.new $worker)",
		first:   "(handle (fiber.resume (global.get $g) $go) (event $yield))",
		again:   "(fiber.resume (global.get $g) $go)",
		message: "(handle (fiber.resume (global.get $g) $go) (event $done))",
		release: "(fiber.release (global.get $g))",
		use:     "(fiber.resume (global.get $g) $go)",
		ways:    []string{"returned", "retired", "released", "threw", "trapped", "ended"}, trap: "fiber is moribund",
	},
	wasm.DialectTasks: {
		ref: "taskref", param: "(param $me (ref task))",
		pause:   "(block $l (task.suspend $yield (local.get $me)) (event.switch ($go $l)))",
		retire:  "(task.retire $done (local.get $me))",
		create:  "(task.new $worker)",
		first:   "(block $l (task.resume $go (global.get $g)) (event.switch ($yield $l)))",
		again:   "(block $l (task.resume $go (global.get $g)) (event.switch ($done $l)))",
		message: "(block $l (task.resume $go (global.get $g)) (event.switch ($done $l)))",
		release: "(task.release (global.get $g))",
		use:     "(block $l (task.resume $go (global.get $g)) (event.switch ($done $l)))",
		ways:    []string{"retired", "released", "trapped", "ended"}, trap: "task is moribund",
	},
}

// script returns the script of one way to end.
func (x *endings) script(d wasm.Dialect, way string) string {
	end, mode := x.again, 0
	switch way {
	case "retired":
		end, mode = x.message, 1
	case "released":
		end = x.release
	case "threw":
		mode = 2
		end = "(block $b (try_table (catch $stop $b)\n      " + x.again + " ;; end\n    ))"
	case "trapped":
		mode = 3
	case "ended":
		end = "(nop)"
	}
	retire, caught := x.retire, ""
	if retire == "" {
		retire = "(nop)"
	}
	entry, exit := "", ""
	switch d {
	case wasm.DialectFibersHandle:
		entry, exit = "(unreachable) (event $go", ")"
	case wasm.DialectTasks:
		entry, exit = "(block $in (event.switch ($go $in)))", "(unreachable)"
	case wasm.DialectStacks:
		exit = "(unreachable)"
	}
	if d == wasm.DialectStacks || d == wasm.DialectTasks { // no exception may leave it
		caught = "(nop)"
	}
	throw := "(throw $stop)"
	if caught != "" {
		throw = caught
	}
	if way != "threw" {
		end += " ;; end"
	}
	run := `(assert_return (invoke "main"))`
	if way == "trapped" {
		run = `(assert_trap (invoke "main") "unreachable")`
	}
	return fmt.Sprintf(`(module (@stack-switching "%s")
  %s
  (tag $go) (tag $yield) (tag $done) (tag $ret) (tag $stop)
  (type $box (struct (field $who (mut %[3]s))))
  (table $t 4 %[3]s)
  (global $mode (mut i32) (i32.const %[4]d))
  (global $g (mut %[3]s) (ref.null %[5]s))
  (global $next (mut %[3]s) (ref.null %[5]s))
  (global $box (mut (ref null $box)) (ref.null $box))
  (func $worker %[6]s
    %[7]s
    (block $caught (try_table (catch_all $caught) ;; try
      %[8]s ;; pause
      (if (i32.eq (global.get $mode) (i32.const 1)) (then
        %[9]s ;; retire
      ))
    ))
    (if (i32.eq (global.get $mode) (i32.const 2)) (then
      %[10]s ;; throw
    ))
    (if (i32.eq (global.get $mode) (i32.const 3)) (then
      (unreachable) ;; trap
    ))
    %[11]s)
  (func (export "main")
    (global.set $g %[12]s)
    (table.set $t (i32.const 3) (global.get $g))
    (global.set $box (struct.new $box (global.get $g)))
    %[13]s ;; first
    %[14]s
    (nop))
  (func (export "look") (local $it %[3]s)
    (local.set $it (global.get $g))
    (nop) ;; here
    %[15]s ;; use
    ))
%[16]s
(assert_return (invoke "look"))
`, d, x.decls, x.ref, mode, nullOf(x.ref), x.param, entry, x.pause, retire, throw, exit, x.create, x.first, end, x.use, run)
}

// nullOf returns the heap type of a reference type.
func nullOf(ref string) string {
	if h, ok := strings.CutPrefix(ref, "(ref null "); ok {
		return strings.TrimSuffix(h, ")")
	}
	return strings.TrimSuffix(ref, "ref")
}

// expect returns the title of #2 that each way gives, and the end alone.
func (x *endings) expect(t *testing.T, d wasm.Dialect, way, p string) (title, end string) {
	at := func(mark string) string { return fmt.Sprintf("prog.wast:%d", lineOf(t, p, ";; "+mark)) }
	w := d.Info()
	switch way {
	case "returned":
		if end = "returned"; d == wasm.DialectFibersMount {
			end += " with $ret"
		}
	case "retired":
		end = w.Retired + " with $done at " + at("retire")
		if d == wasm.DialectStacks {
			end = w.Retired + " at " + at("retire")
		}
	case "released":
		end = "released by #1 at " + at("end")
	case "threw":
		end = "ended by the exception $stop at " + at("throw")
	case "trapped":
		end = "ended by a trap at " + at("trap")
	case "ended":
		end = "ended by the debugger"
	}
	if w.OneShot {
		return fmt.Sprintf("#2 $worker · consumed, %s by #1 at %s", w.Resumed, at("first")), end
	}
	return "#2 $worker · finished, " + end, end
}

// TestEndedStacks ends a stack in each way of each design and looks for it wherever a stack is
// shown: with its number, its name and its end.
func TestEndedStacks(t *testing.T) {
	for _, d := range wasm.Dialects() {
		x, ok := endingsOf[d]
		if !ok {
			t.Errorf("no programs of %s", d)
		}
		for _, way := range x.ways {
			t.Run(d.String()+"/"+way, func(t *testing.T) {
				p := filepath.Join(t.TempDir(), "prog.wast")
				if err := os.WriteFile(p, []byte(x.script(d, way)), 0o666); err != nil {
					t.Fatal(err)
				}
				title, end := x.expect(t, d, way, p)
				testEnded(t, d, &x, way, p, title, end)
			})
		}
	}
}

func testEnded(t *testing.T, d wasm.Dialect, x *endings, way, p, title, end string) {
	c := real(t)
	here := lineOf(t, p, ";; here")
	lines := []int{here}
	if way == "ended" {
		lines = append(lines, lineOf(t, p, ";; end"))
	}
	got := c.start(map[string]any{"program": p}, lines...)
	if way == "ended" { // by the debugger
		c.must("stackscope/cancel", map[string]any{"threadId": 2}, nil)
		c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
		got = c.stopped()
	}
	if !strings.HasPrefix(got, "breakpoint") || !strings.HasSuffix(got, fmt.Sprint(":", here)) {
		t.Fatal(got, c.output("stderr"))
	}
	has := func(what, text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("%s: %s\nlacks %s", what, text, want)
		}
	}
	frame := c.frames(c.last.ThreadId)[0].Id

	// Variables and expressions.
	for _, s := range []string{"Locals", "Globals"} {
		has(s, text(c.scope(frame, s)), title)
	}
	for _, context := range []string{"repl", "hover", "watch"} {
		has(context, c.eval(frame, context, "$it"), title)
		has(context, c.eval(frame, context, "#2"), end)
		has(context, c.eval(frame, context, "#2.function"), "$worker")
	}

	// The tree, as text and as JSON.
	tree := c.eval(frame, "repl", "tree")
	has("tree", tree, "#2 $worker · finished, "+end)
	var js stackview.JSONTree
	c.must("stackscope/stacks", nil, &js)
	if len(js.Ended) != 1 || js.Ended[0].ID != 2 || js.Ended[0].End == nil || js.Ended[0].End.Text != end ||
		js.Ended[0].End.Kind.String() != way {
		t.Errorf("stackscope/stacks: %+v", js.Ended)
	} else {
		var held []string
		for _, h := range js.Ended[0].HeldBy {
			held = append(held, h.What)
		}
		slices.Sort(held)
		want := []string{"global $box.$who", "global $g", `local $it of "look"`, "table $t[3]"}
		if d.Info().OneShot {
			held = slices.DeleteFunc(held, func(s string) bool { return s == "global $next" })
		}
		if !slices.Equal(held, want) {
			t.Errorf("held by %q, want %q", held, want)
		}
		try := fmt.Sprintf("prog.wast:%d", lineOf(t, p, ";; try"))
		switch skipped := js.Ended[0].End.Skipped; way {
		case "retired", "released", "ended":
			if len(skipped) != 1 || skipped[0].Short() != try || skipped[0].Func != "$worker" {
				t.Errorf("skipped %+v, want %s", skipped, try)
			}
		default:
			if len(skipped) > 0 {
				t.Errorf("skipped %+v", skipped)
			}
		}
	}

	// It is not a thread; the error says why.
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	for _, y := range th.Threads {
		if y.Id == 2 {
			t.Errorf("thread %s", y.Name)
		}
	}
	for _, r := range []struct {
		name string
		args any
	}{
		{"stackTrace", godap.StackTraceArguments{ThreadId: 2}},
		{"stackscope/focus", map[string]any{"threadId": 2}},
		{"stackscope/cancel", map[string]any{"threadId": 2}},
	} {
		has(r.name, c.refused(r.name, r.args), end)
	}

	// The history.
	word := map[string]string{
		"retired": d.Info().Retired, "released": "release", "threw": "exception", "trapped": "(trap)",
		"ended": "ended by the debugger", "returned": "finish",
	}[way]
	found := false
	for _, l := range strings.Split(c.eval(frame, "repl", "history"), "\n") {
		found = found || strings.Contains(l, "#2 $worker") && strings.Contains(l, word) &&
			(strings.Contains(l, "finish") || strings.Contains(l, "release"))
	}
	if !found {
		t.Errorf("no end with %q in the history:\n%s", word, c.eval(frame, "repl", "history"))
	}

	// The use of the reference.
	c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{
		Filters: []string{}, FilterOptions: []godap.ExceptionFilterOptions{{FilterId: "consumed", Condition: "#2"}},
	}, nil)
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got, want := c.stopped(), fmt.Sprint(":", lineOf(t, p, ";; use")); !strings.HasPrefix(got, "exception") ||
		!strings.HasSuffix(got, want) {
		t.Errorf("%s, want an exception at %s", got, want)
		return
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: c.last.ThreadId}, &i)
	has("exceptionInfo", i.Description, x.trap)
	want := "it is #2 $worker, which has finished: "
	switch {
	case d.Info().OneShot:
		want = fmt.Sprintf(
			"it was to stack #2 $worker, which was %s at prog.wast:%d by stack #1", d.Info().Resumed,
			lineOf(t, p, ";; first"),
		)
	case way == "returned":
		want += "its function returned"
	default:
		want += end
	}
	has("exceptionInfo", i.Description, want)

	// The end of the program.
	c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{}}, nil)
	c.must("continue", godap.ContinueArguments{ThreadId: c.last.ThreadId}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
	skipped := fmt.Sprintf(
		"catch clauses were skipped 1 time by stacks that ended without being unwound:\n  try_table at prog.wast:%d in $worker\n",
		lineOf(t, p, ";; try"),
	)
	switch out := c.output("console"); way {
	case "retired", "released", "ended":
		has("the end", out, skipped)
	default:
		if strings.Contains(out, "skipped") {
			t.Error(out)
		}
	}
	if way == "trapped" || way == "ended" {
		return
	}

	// The stop that a filter asks for.
	c = real(t)
	if bad := c.filtered(p, godap.ExceptionFilterOptions{FilterId: "finish", Condition: "#2"}); bad != nil {
		t.Error(bad)
	}
	if got := c.stopped(); !strings.HasPrefix(got, "exception") {
		t.Fatal(got)
	}
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: c.last.ThreadId}, &i)
	want = " of #2 $worker"
	if end != "returned" {
		want += ": " + end
	}
	if has("finish", i.Description, want); way == "retired" || way == "released" {
		has("finish", i.Description, fmt.Sprintf(
			"; skipped the catch clauses of try_table at prog.wast:%d in $worker", lineOf(t, p, ";; try"),
		))
	}
}
