package dap_test

import (
	"fmt"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/wasm"
)

// givers are programs in each design in which a stack gives 1, 2 and 3, one for each time that it
// gets control, and then ends. The line `taken` is where each value arrives: a clause, and in the
// design without clauses what follows the switch. At `resumes` control is given away, and a step
// over that leads to `lands`. The function $gen is entered at `enters`.
func givers() map[wasm.Dialect]string {
	return map[wasm.Dialect]string{
		wasm.DialectCont: `(module
  (type $f (func)) (type $ct (cont $f)) (tag $value (param i32))
  (func $gen ;; header
    (suspend $value (i32.const 1)) ;; enters
    (suspend $value (i32.const 2))
    (suspend $value (i32.const 3)))
  (elem declare func $gen)
  (func (export "main") (local $k (ref null $ct))
    (local.set $k (cont.new $ct (ref.func $gen)))
    (loop $again
      (block $on_value (result i32 (ref $ct))
        (resume $ct ;; resumes
          (on $value $on_value) ;; taken
          (local.get $k))
        (return))
      (local.set $k) ;; lands
      (drop)
      (br $again))))`,
		wasm.DialectStacks: `(module (@stack-switching "stacks")
  (rec (type $ask (stack (ref null $give))) (type $give (stack (param i32) (ref null $ask))))
  (func $gen (param $back (ref null $give)) ;; header
    (local.set $back (switch $give (i32.const 1) (local.get $back))) ;; enters
    (local.set $back (switch $give (i32.const 2) (local.get $back)))
    (local.set $back (switch $give (i32.const 3) (local.get $back)))
    (switch_retire $give (i32.const 0) (local.get $back)))
  (func (export "main") (local $k (ref null $ask)) (local $v i32)
    (local.set $k (stack.new $ask $gen))
    (block $out
      (loop $again
        (switch $ask (local.get $k)) ;; resumes
        (local.set $k) ;; lands
        (br_if $out (ref.is_null (local.get $k)))
        (local.set $v) ;; taken
        (br $again)))))`,
		wasm.DialectFibersMount: `(module (@stack-switching "fibers-mount")
  (tag $next) (tag $value (param i32)) (tag $done)
  (func $gen (param $me (ref fiber)) ;; header
    (block $on (fiber.dismount $value ($next $on) (i32.const 1) (local.get $me))) ;; enters
    (block $on (fiber.dismount $value ($next $on) (i32.const 2) (local.get $me)))
    (block $on (fiber.dismount $value ($next $on) (i32.const 3) (local.get $me))))
  (func (export "main") (local $k fiberref)
    (local.set $k (fiber.new $done
      ($next $gen))) ;; begins
    (loop $again
      (block $on_done
        (block $on_value (result i32)
          (fiber.mount $next ;; resumes
            ($value $on_value) ;; taken
            ($done $on_done)
            (local.get $k))
          (unreachable))
        (drop) ;; lands
        (br $again)))))`,
		wasm.DialectFibersHandle: `(module (@stack-switching "fibers-handle") (type $ft (fiber))
  (tag $next) (tag $value (param i32))
  (func $gen (param $me (ref $ft)) ;; header
    (event $next ;; enters
      (handle (fiber.suspend $value (local.get $me) (i32.const 1)) (event $next))
      (handle (fiber.suspend $value (local.get $me) (i32.const 2)) (event $next))
      (handle (fiber.suspend $value (local.get $me) (i32.const 3)) (event $next))))
  (func (export "main") (local $k (ref null $ft))
    (local.set $k (fiber.new $gen))
    (loop $again
      (handle
        (fiber.resume $next (local.get $k)) ;; resumes
        (return)
        (event $value drop (br $again)))))) ;; taken; lands`,
		wasm.DialectTasks: `(module (@stack-switching "tasks")
  (tag $next) (tag $value (param i32)) (tag $done)
  (func $gen (param $me taskref) ;; header
    (block $on (event.switch ($next $on))) ;; enters
    (block $on (task.suspend (local.get $me) ($value (i32.const 1))) (event.switch ($next $on)))
    (block $on (task.suspend (local.get $me) ($value (i32.const 2))) (event.switch ($next $on)))
    (block $on (task.suspend (local.get $me) ($value (i32.const 3))) (event.switch ($next $on)))
    (task.retire (local.get $me) ($done)))
  (func (export "main") (local $k taskref)
    (local.set $k (task.new $gen))
    (loop $again
      (block $on_done
        (block $on_value (result i32)
          (task.resume (local.get $k) ($next)) ;; resumes
          (event.switch ;; lands
            ($value $on_value) ;; taken
            ($done $on_done)))
        (drop)
        (br $again)))))`,
	}
}

// marked returns the line of a marker.
func marked(t *testing.T, text, marker string) int {
	t.Helper()
	for i, l := range strings.Split(text, "\n") {
		if _, marks, ok := strings.Cut(l, ";; "); ok {
			for _, m := range strings.Split(marks, "; ") {
				if m == marker {
					return i + 1
				}
			}
		}
	}
	t.Fatalf("no line %s", marker)
	return 0
}

// TestClauseBreakpoints sets breakpoints where control arrives, in all designs: each stops once for
// each value that is given, with the value to be seen, also by conditions, hit conditions and log
// messages.
func TestClauseBreakpoints(t *testing.T) {
	for _, d := range wasm.Dialects() {
		text := givers()[d]
		p := wat(t, text)
		taken := marked(t, text, "taken")
		for _, x := range []struct {
			b    godap.SourceBreakpoint
			want string // the values at the stops
			logs string
		}{
			{godap.SourceBreakpoint{}, "1 2 3", ""},
			{godap.SourceBreakpoint{Condition: "operand 0 == 2"}, "2", ""},
			{godap.SourceBreakpoint{HitCondition: ">= 2"}, "2 3", ""},
			{godap.SourceBreakpoint{HitCondition: "2", Condition: "operand 0 != 1"}, "3", ""},
			{godap.SourceBreakpoint{LogMessage: "gives {operand 0}"}, "", "gives 1\ngives 2\ngives 3\n"},
			{godap.SourceBreakpoint{Condition: "#2"}, "", ""},
		} {
			t.Run(fmt.Sprintf("%s/%s%s%s", d, x.b.Condition, x.b.HitCondition, x.b.LogMessage), func(t *testing.T) {
				c := real(t)
				c.initialize()
				c.must("launch", map[string]any{"program": p}, nil)
				c.await("initialized", nil)
				x.b.Line = taken
				var b godap.SetBreakpointsResponseBody
				c.must("setBreakpoints", godap.SetBreakpointsArguments{
					Source: godap.Source{Path: p}, Breakpoints: []godap.SourceBreakpoint{x.b},
				}, &b)
				if y := b.Breakpoints[0]; !y.Verified || y.Line != taken {
					t.Fatalf("verified %v, line %d, not %d: %s", y.Verified, y.Line, taken, y.Message)
				}
				c.must("configurationDone", nil, nil)
				var values []string
				for {
					got := c.stopped()
					if got == "terminated" {
						break
					}
					f := c.frames(1)[0]
					if want := fmt.Sprintf("breakpoint #1 prog.wat:%d", taken); got != want || f.Line != taken {
						t.Fatalf("%s, the frame is at %d, want %s", got, f.Line, want)
					}
					for _, v := range c.scope(f.Id, "Operand stack") {
						if strings.HasPrefix(v.Name, "[0]") {
							values = append(values, v.Value)
						}
					}
					c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
				}
				if got := strings.Join(values, " "); got != x.want {
					t.Errorf("stops at %s, not at %s", got, x.want)
				}
				if got := c.output("console"); !strings.Contains(got, x.logs) {
					t.Errorf("logs %q", got)
				}
			})
		}
	}
}

// TestTakenBreakpoints stops where a tag is taken, by its name, in all designs that have clauses.
func TestTakenBreakpoints(t *testing.T) {
	for _, d := range wasm.Dialects() {
		text := givers()[d]
		p := wat(t, text)
		c := real(t)
		c.initialize()
		c.must("launch", map[string]any{"program": p}, nil)
		c.await("initialized", nil)
		refused := c.functionBreakpoints("on $value", "on $nothing")
		want, line := 1, marked(t, text, "taken")
		if d == wasm.DialectStacks { // it has no tags
			want = 2
		}
		if len(refused) != want {
			t.Errorf("%s: refused %q", d, refused)
			continue
		}
		c.must("configurationDone", nil, nil)
		for range 3 * (2 - want) {
			if got := c.stopped(); !strings.HasSuffix(got, fmt.Sprintf("breakpoint #1 prog.wat:%d", line)) {
				t.Errorf("%s: %s", d, got)
			}
			c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
		}
		if got := c.stopped(); got != "terminated" {
			t.Errorf("%s stops again: %s", d, got)
		}
	}
}

// TestEntryBreakpoints stops where a stack enters its function, in all designs once: by the name of
// the function, by the line of its header, and where its first instruction or clause is.
func TestEntryBreakpoints(t *testing.T) {
	for _, d := range wasm.Dialects() {
		text := givers()[d]
		p := wat(t, text)
		enters := marked(t, text, "enters")
		for _, how := range []string{"function", "header", "enters", "begins"} {
			if how == "begins" && d != wasm.DialectFibersMount {
				continue
			}
			t.Run(d.String()+"/"+how, func(t *testing.T) {
				c := real(t)
				c.initialize()
				c.must("launch", map[string]any{"program": p}, nil)
				c.await("initialized", nil)
				if how == "function" {
					c.functionBreakpoints("$gen")
				} else if b := c.breakpoints(p, marked(t, text, how)); !b[0].Verified {
					t.Fatal(b[0].Message)
				}
				c.must("configurationDone", nil, nil)
				want := enters
				if how == "begins" {
					want = marked(t, text, how)
				}
				if got := c.stopped(); !strings.HasSuffix(got, fmt.Sprintf("breakpoint #2 prog.wat:%d", want)) {
					t.Errorf("%s, want %d", got, want)
				}
				c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
				if got := c.stopped(); got != "terminated" {
					t.Errorf("stops again: %s", got)
				}
			})
		}
	}
}

// TestStepsToClauses steps over what gives control away, in all designs: by statement and by line
// to where control comes back. An event clause is a stop of its own, its first instruction the
// next one.
func TestStepsToClauses(t *testing.T) {
	for _, d := range wasm.Dialects() {
		text := givers()[d]
		for _, g := range []string{"statement", "line"} {
			t.Run(d.String()+"/"+g, func(t *testing.T) {
				p := wat(t, text)
				c := real(t)
				c.start(map[string]any{"program": p}, marked(t, text, "resumes"))
				c.breakpoints(p)
				for range 3 {
					want := fmt.Sprintf("step #1 prog.wat:%d", marked(t, text, "lands"))
					if got := c.step("next", 1, g); got != want {
						t.Fatalf("%s, want %s", got, want)
					}
					f := c.frames(1)[0]
					if got := c.scope(f.Id, "Operand stack"); d != wasm.DialectTasks && len(got) == 0 {
						t.Error("no operands")
					}
					for {
						if got := c.step("next", 1, g); strings.HasSuffix(got, fmt.Sprintf(":%d", marked(t, text, "resumes"))) {
							break
						}
					}
				}
			})
		}
	}
}

// TestClauseLocations lists where breakpoints can be set on the lines of clauses.
func TestClauseLocations(t *testing.T) {
	for _, d := range wasm.Dialects() {
		text := givers()[d]
		p := wat(t, text)
		line := marked(t, text, "taken")
		c := real(t)
		c.start(map[string]any{"program": p, "stopOnEntry": true})
		var b godap.BreakpointLocationsResponseBody
		c.must("breakpointLocations", godap.BreakpointLocationsArguments{Source: godap.Source{Path: p}, Line: line}, &b)
		if len(b.Breakpoints) == 0 {
			t.Errorf("%s: none", d)
			continue
		}
		// With a column, as without one.
		var set godap.SetBreakpointsResponseBody
		x := godap.SourceBreakpoint{Line: line, Column: b.Breakpoints[0].Column}
		c.must("setBreakpoints", godap.SetBreakpointsArguments{
			Source: godap.Source{Path: p}, Breakpoints: []godap.SourceBreakpoint{x},
		}, &set)
		if y := set.Breakpoints[0]; !y.Verified || y.Line != line || y.Column != x.Column {
			t.Errorf("%s: %+v", d, y)
		}
		for i := range 3 {
			c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
			if got := c.stopped(); got != fmt.Sprintf("breakpoint #1 prog.wat:%d", line) {
				t.Errorf("%s, stop %d: %s", d, i, got)
			}
		}
	}
}

// TestDeadBreakpoints refuses breakpoints where control cannot come: code after what does not fall
// through, clauses for a tag that one before takes, and `event` or `catch` as what sends a tag.
func TestDeadBreakpoints(t *testing.T) {
	for name, text := range map[string]string{
		"after a branch": `(module
  (func (export "main")
    (block $out
      (br $out)
      (nop)) ;; dead
    (return)
    (nop) ;; dead
  )) ;; dead`,
		"event clauses": `(module (@stack-switching "fibers-handle") (type $ft (fiber)) (tag $go)
  (func $f (param $me (ref $ft))
    (event $go (nop))
    (event $go ;; dead
      (nop))) ;; end
  (func (export "main") (fiber.resume $go (fiber.new $f))))`,
		"handler clauses": `(module (type $f (func)) (type $ct (cont $f)) (tag $e)
  (func $gen (suspend $e)) (elem declare func $gen)
  (func (export "main")
    (block $l (result (ref $ct))
      (resume $ct
        (on $e $l)
        (on $e $l) ;; dead
        (cont.new $ct (ref.func $gen)))
      (return))
    (drop)))`,
		"catch clauses": `(module (tag $e)
  (func (export "main")
    (block $l
      (try_table
        (catch $e $l)
        (catch $e $l) ;; dead
        (catch_all $l)
        (catch_all $l) ;; dead
        (nop)))))`,
	} {
		t.Run(name, func(t *testing.T) {
			p := wat(t, text)
			c := real(t)
			c.start(map[string]any{"program": p, "stopOnEntry": true})
			var dead []int
			for i, l := range strings.Split(text, "\n") {
				if strings.HasSuffix(l, ";; dead") {
					dead = append(dead, i+1)
				}
			}
			for i, b := range c.breakpoints(p, dead...) {
				if b.Verified && b.Line == dead[i] {
					t.Errorf("line %d is verified", dead[i])
				}
			}
			if bad := c.functionBreakpoints("$e", "$go"); strings.Contains(name, "catch") && len(bad) != 2 {
				t.Errorf("%q", bad)
			}
			c.breakpoints(p)
			c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
			if got := c.stopped(); strings.Contains(name, "catch") && got != "terminated" {
				t.Error(got)
			}
		})
	}
}
