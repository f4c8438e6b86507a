package analysis

import (
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// TestDialectTexts checks a text of each dialect, with what is to be said of it: one diagnostic
// each that begins with the words, in order; nothing if there are none.
func TestDialectTexts(t *testing.T) {
	const (
		stacks = `(rec (type $gen (stack (param (ref $con)))) (type $con (stack (param $v i32) (ref null $gen))))
			(type $init (stack (param i32) (ref null $gen))) (type $rest (stack (ref null $gen))) (func $g (param i32) (param (ref null $gen)))`
		mount = `(tag $ret (param i32)) (tag $go (param i32)) (tag $stop)
			(func $f (param i64 (ref fiber) i32) (result i32) (local.get 2))`
		handle = `(type $ft (fiber (result i32))) (tag $yield (param i32)) (tag $next)
			(func $f (param $me (ref $ft)) (param i64) (result i32) (i32.const 0) (event $next (i32.const 1)))`
		tasks = `(tag $yield (param i32)) (tag $next)
			(func $f (param $me taskref) (param i32) (block $l (event.switch ($next $l))) (task.retire (local.get $me) ($next)))`
	)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"stacks: both spellings", `(type $a (stack (param i32) (ref null $a))) (type $b (stack (param i32) (param (ref null $b))))`, nil},
		{"stacks: all instructions", stacks + `(func (param (ref $init)) (param $r (ref func)) (local $k (ref null $con))
			(drop (stack.bind $init $rest (i32.const 1) (stack.new $init $g)))
			(switch $con (i32.const 1) (local.get $k)) (drop)
			(switch_retire $init (i32.const 1) (local.get 0)))`, nil},
		{"stacks: no reference", `(type $s (stack (param i32)))`, []string{"stack type 0 must end in a reference"}},
		{"stacks: results", stacks + `(type $s (stack (result i32) (ref null $gen)))`, []string{"unexpected token `(result`"}},
		{"stacks: bare types", stacks + `(type $s (stack i32 (ref null $gen)))`, []string{"unexpected token i32"}},
		{"stacks: label names", stacks + `(func (block (param $x $y)))`, []string{"unexpected token `$x`: no name"}},
		{"mount: both clauses", mount + `(func (param $x fiberref) (drop (fiber.new $ret ($go $f) (i64.const 1)))
			(block $r (result i32) (fiber.mount $stop (on $go $r) ($ret $r) (local.get $x)) (i32.const 1)) (drop)
			(fiber.switch $stop (local.get $x) (local.get $x)) (fiber.release (local.get $x)))`, nil},
		{"mount: tag after", mount + `(func (param $x fiberref) (fiber.switch (local.get $x) (local.get $x) $stop (on $stop 0)))`,
			[]string{"unexpected token `(on`: expected an operand"}},
		{"mount: only tag after", mount + `(func (param $x fiberref) (fiber.mount $stop (local.get $x)) (fiber.switch (local.get $x) (local.get $x) $stop))`,
			[]string{"unexpected token $stop: in dialect fibers-mount the tag stands right after fiber.switch"}},
		{"mount: event of tasks", mount + `(func (param $x fiberref) (fiber.mount (local.get $x) ($go (i32.const 1))))`,
			[]string{"unexpected token `($go`: in dialect fibers-mount"}},
		{"mount: typed fiber", mount + `(func (param fiberref (ref null fiber i32)))`, []string{"another dialect: the type `(ref null fiber i32)` belongs to fibers-handle, but the module is in fibers-mount"}},
		{"handle: inline and aliases", `(type $g (ref null fiber i32)) (type $t ref fiber) (type $fn (func (param (ref null fiber f32))))
			(tag $next) (func (param $x $g) (result $t) (local $y $g) (local $z (ref null fiber i32)) (local.set $y (local.get $z)) (unreachable))
			(func (type $fn) (drop (block (param) (result (ref null fiber f32)) (local.get 0))))`, nil},
		{"handle: inline before definition", `(type $fn (func (param (ref null fiber i32)))) (type $g (fiber (result i32))) (func (param (ref $g)) (call $f (local.get 0))) (func $f (type $fn))`, nil},
		{"handle: flat and folded", handle + `(func (param $x (ref $ft)) (result i32)
			(handle $h (result i32) (fiber.resume (local.get $x) $next) (event $out $yield (br $out)) (event $next (br $h (i32.const 1))))
			handle (param i32) (result i32) drop (fiber.resume $next (local.get $x)) event $yield (param i32 i32) (result i32) i32.add event $next i32.const 1 end)`, nil},
		{"handle: event of tasks", handle + `(func (param $x (ref $ft)) (fiber.retire (local.get $x) ($yield (i32.const 1))))`,
			[]string{"unexpected token `($yield`: in dialect fibers-handle the tag stands right after fiber.retire"}},
		{"handle: two tags", handle + `(func (param $x (ref $ft)) (fiber.suspend $next (local.get $x) $yield))`,
			[]string{"unexpected token $yield: fiber.suspend takes one tag"}},
		{"handle: after the clauses", handle + `(func (handle (event $next) (nop)))`, []string{"unexpected token"}},
		{"handle: fiber without events", handle + `(func $n (param (ref $ft)) (result i32) (i32.const 1)) (func (drop (fiber.new $n)))`,
			[]string{"no event clause: $n"}},
		{"handle: name of another type", `(type $ft (fiber)) (func (param $x $ft))`, []string{"unexpected token $ft: it names a type that is not defined as a reference"}},
		{"handle: label of a clause ends with it", handle + `(func (handle (event $out $next) (event $next (br $out))))`, []string{"unknown label $out"}},
		{"handle: wrong clause type", handle + `(func (handle (result i32) (i32.const 1) (event $yield (param i64) (result i32) (drop) (i32.const 1))) (drop))`,
			[]string{"type mismatch: the clause for event $yield takes [i64]"}},
		{"tasks: both spellings", tasks + `(func (param $t taskref) (result i32) (block $y (result i32)
			(task.resume $next (local.get $t)) (event.switch ($yield $y))) (drop)
			(block $y (result i32) (task.switchto (local.get $t) (task.new $f (i32.const 1)) ($yield (i32.const 1))) (loop (event.switch ($yield $y))) (i32.const 1)))`, nil},
		{"tasks: nothing follows", tasks + `(func (param $t taskref) (task.resume (local.get $t) ($next)))`, []string{"event.switch required"}},
		{"tasks: not first", tasks + `(func $n (param taskref) (nop)) (func (drop (task.new $n)))`, []string{"event.switch required: the function of a task"}},
		{"tasks: event first", tasks + `(func (param $t taskref) (task.retire ($next) (local.get $t)))`, []string{"unexpected token: the event with its values is the last operand"}},
		{"tasks: on", tasks + `(func (event.switch (on $next 0)))`, []string{"unexpected token `on`"}},
		{"tasks: all foreign", tasks + `(type $c (cont 0)) (type $s (stack (param i32))) (func (param taskref (ref cont) (ref $c) (ref $s))
			(drop (fiber.new 1)) (drop (fiber.new $nope ($next $nope))) (handle (event $next (nop $x)) (event $nope)) (suspend $next) (switch $c) (resume $c ($x $y)))`,
			[]string{"another dialect: the type `cont`", "another dialect: the type `stack`", "another dialect: the type `cont`", "another dialect: `fiber.new` belongs to fibers-mount and fibers-handle, but the module is in tasks",
				"another dialect: `fiber.new`", "another dialect: `handle`", "another dialect: `suspend` belongs to cont", "another dialect: `switch` belongs to cont and stacks", "another dialect: `resume`"}},
		{"cont: bare clause", `(type $f (func)) (type $c (cont $f)) (tag $e) (func (param (ref $c)) (block $l (result (ref $c)) (resume $c ($e $l) (local.get 0)) (return)) (drop))`, []string{"unexpected token ($e $l): in dialect cont"}},
		{"cont: names for types", `(type $f (func)) (type $c (cont $f)) (func (param $x $c))`, []string{"unexpected token $c: a type is expected"}},
		{"cont: event clause", `(type $f (func)) (type $c (cont $f)) (tag $e) (func (event $e (nop)))`, []string{"another dialect: `event`"}},
		{"none: names for results", `(type $f (func)) (func (result $f) (unreachable))`, []string{"unexpected token $f: a type is expected"}},
		{"none: clauses", `(func (nop ($x $y)) (drop (i32.add (i32.const 1) ($x (i32.const 2)))))`, []string{"unexpected token ($x $y)", "unexpected token `($x`"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile("d.wat", "(module\n"+c.text+")")
			s := Open(f, Options{})
			ds := slices.DeleteFunc(
				noHints(s.Diagnostics()),
				func(d diag.Diagnostic) bool { return d.Code == diag.NullContinuation },
			)
			for i, d := range ds {
				if i >= len(c.want) || !strings.HasPrefix(d.Message, c.want[i]) {
					t.Errorf("%d: %q: %s", i, f.Text[d.Span.Start:d.Span.End], d.Message)
				}
				for _, x := range d.Fixes {
					if !x.Preferred || len(ds) > 1 {
						continue
					}
					text, ok := source.ApplyAll(f.Text, x.Edits)
					if left := Open(source.NewFile("e.wat", text), Options{}).Diagnostics(); !ok ||
						len(left) > 0 && left[0].Severity <= d.Severity && left[0].Code == d.Code {
						t.Errorf("the fix %q leaves %s\n%s", x.Title, left[0].Message, text)
					}
				}
			}
			if len(ds) < len(c.want) {
				t.Errorf("%d diagnostics, want %q", len(ds), c.want)
			}
			if len(c.want) == 0 {
				if _, ok := s.Modules()[0].Lower(); !ok {
					t.Error("it cannot be lowered")
				}
			}
		})
	}
}

// TestDetectDialect finds the dialect of modules.
func TestDetectDialect(t *testing.T) {
	for text, want := range map[string]wasm.Dialect{
		`(func)`:                                                               wasm.DialectNone,
		`(tag $e (result i32))`:                                                wasm.DialectNone,
		`(func (suspend 0)) (func (handle))`:                                   wasm.DialectCont,
		`(func (switch 0))`:                                                    wasm.DialectStacks,
		`(func (switch 0 1))`:                                                  wasm.DialectCont,
		`(tag $f) (func $g) (func (fiber.new $f))`:                             wasm.DialectFibersMount,
		`(tag $f) (func $g) (func (fiber.new $g))`:                             wasm.DialectFibersHandle,
		`(tag $f) (func $g) (func (fiber.new 1))`:                              wasm.DialectFibersHandle,
		`(tag $f) (func $f) (func (fiber.new $f))`:                             wasm.DialectFibersMount,
		`(tag $f) (func $f (fiber.release)) (func (handle))`:                   wasm.DialectFibersHandle,
		`(tag $f) (func $f (fiber.new $f ($f $f)))`:                            wasm.DialectFibersMount,
		`(func (fiber.switch 0 (0 0)))`:                                        wasm.DialectFibersMount,
		`(func (param (ref null fiber)))`:                                      wasm.DialectFibersMount,
		`(func (param (ref null fiber i32)))`:                                  wasm.DialectFibersHandle,
		`(type $t ref fiber)`:                                                  wasm.DialectFibersHandle,
		`(type $t (fiber))`:                                                    wasm.DialectFibersHandle,
		`(func (event 0))`:                                                     wasm.DialectFibersHandle,
		`(func (drop (ref.null task)))`:                                        wasm.DialectTasks,
		`(func (param fiberref)) (func (param taskref))`:                       wasm.DialectFibersMount,
		`(@stack-switching "tasks") (func (param fiberref))`:                   wasm.DialectTasks,
		`(func (param (ref fiber)) (fiber.release)) (func (param (ref cont)))`: wasm.DialectCont,
	} {
		if got := Open(source.NewFile("d.wat", "(module "+text+")"), Options{}).Modules()[0].Dialect(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
