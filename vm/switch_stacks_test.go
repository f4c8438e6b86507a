package vm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"stackscope/vm"
	"stackscope/wasm"
)

const stacksPrelude = `
  (rec (type $c (stack (param i32) (ref null $d))) (type $d (stack (param i32) (ref null $c))))
  (type $fc (func (param i32 (ref null $d))))
  (tag $x (param i32))
  (global $g (mut i32) (i32.const 0))
  (global $kept (mut (ref null $c)) (ref.null $c))
  (func $inc (param $i i32) (param $from (ref null $d))
    (loop $l
      (switch $d (i32.add (local.get $i) (i32.const 1)) (local.get $from))
      (local.set $from) (local.set $i)
      (br $l)))
  (func $quit (param $i i32) (param $from (ref null $d))
    (switch_retire $d (i32.mul (local.get $i) (i32.const 2)) (local.get $from)))
  (func $ret (param i32 (ref null $d)))
  (func $throws (param i32 (ref null $d)) (throw $x (local.get 0)))
  (elem declare func $inc $ret)
`

var stacksPrograms = []program{
	{"to and fro", "12", `
	  (func (export "run") (result i32) (local $k (ref null $c)) (local $i i32)
	    (local.set $k (stack.new $c $inc))
	    (local.set $i (i32.const 10))
	    (switch $c (local.get $i) (local.get $k)) (local.set $k) (local.set $i)
	    (switch $c (local.get $i) (local.get $k)) (local.set $k) (local.set $i)
	    (local.get $i))`},
	{"retiring passes null", "1", `
	  (func (export "run") (result i32)
	    (switch $c (i32.const 7) (stack.new $c $quit))
	    (ref.is_null) (global.set $g) (drop) (global.get $g))`},
	{"stack.new_ref", "6", `
	  (func (export "run") (result i32)
	    (switch $c (i32.const 5) (stack.new_ref $c (ref.func $inc))) (drop))`},
	{"stack.new_ref of null", "null function reference", `
	  (func (export "run") (result i32)
	    (switch $c (i32.const 5) (stack.new_ref $c (ref.null $fc))) (drop))`},
	{"bound arguments come first", "123", `
	  (type $c3 (stack (param i32 i64 i32) (ref null $d)))
	  (type $c2 (stack (param i64 i32) (ref null $d)))
	  (func $sum (param i32 i64 i32 (ref null $d))
	    (switch_retire $d
	      (i32.add (i32.mul (local.get 0) (i32.const 100)) (i32.add (i32.mul (i32.wrap_i64 (local.get 1)) (i32.const 10)) (local.get 2)))
	      (local.get 3)))
	  (func (export "run") (result i32)
	    (switch $c (i32.const 3) (stack.bind $c2 $c (i64.const 2) (stack.bind $c3 $c2 (i32.const 1) (stack.new $c3 $sum)))) (drop))`},
	{"binding to a parked stack", "9", `
	  (rec (type $p (stack (ref null $q))) (type $q (stack (param i32) (ref null $p))))
	  (func $co (param (ref null $q))
	    (local $n i32)
	    (loop $l
	      (local.set $n (i32.add (local.get $n) (i32.const 4)))
	      (switch $q (local.get $n) (local.get 0)) (local.set 0)
	      (br $l)))
	  (rec (type $r0 (stack (param i32 i32) (ref null $s0))) (type $s0 (stack (param i32) (ref null $r0))))
	  (type $r1 (stack (param i32) (ref null $s0)))
	  (func $two (param i32 i32 (ref null $s0))
	    (loop $l
	      (switch $s0 (i32.add (local.get 0) (local.get 1)) (local.get 2)) (local.set 2) (local.set 1) (local.set 0)
	      (br $l)))
	  (func (export "run") (result i32) (local $k (ref null $r0))
	    (switch $r0 (i32.const 1) (i32.const 2) (stack.new $r0 $two)) (local.set $k) (drop)
	    (switch $r1 (i32.const 5) (stack.bind $r0 $r1 (i32.const 4) (local.get $k))) (drop))`},
	{"a consumed reference", "stack already consumed", `
	  (func (export "run") (result i32) (local $k (ref null $c))
	    (local.set $k (stack.new $c $inc))
	    (switch $c (i32.const 1) (local.get $k)) (drop) (drop)
	    (switch $c (i32.const 1) (local.get $k)) (drop))`},
	{"a reference consumed by bind", "stack already consumed", `
	  (func (export "run") (result i32) (local $k (ref null $c))
	    (local.set $k (stack.new $c $inc))
	    (drop (stack.bind $c $c (local.get $k)))
	    (switch $c (i32.const 1) (local.get $k)) (drop))`},
	{"a reference to a retired stack", "stack already consumed", `
	  (func $keeps (param $i i32) (param $from (ref null $d))
	    (switch $d (local.get $i) (local.get $from)) (local.set $from) (local.set $i)
	    (switch_retire $d (local.get $i) (local.get $from)))
	  (func (export "run") (result i32) (local $k (ref null $c))
	    (switch $c (i32.const 1) (stack.new $c $keeps)) (local.set $k) (drop)
	    (switch $c (i32.const 1) (local.get $k)) (drop) (drop)
	    (switch $c (i32.const 1) (local.get $k)) (drop))`},
	{"null", "null stack reference", `
	  (func (export "run") (result i32) (switch $c (i32.const 1) (ref.null $c)) (drop))`},
	{"null to retire to", "null stack reference", `
	  (func $co (param i32 (ref null $d)) (switch_retire $d (i32.const 1) (ref.null $d)))
	  (func (export "run") (result i32) (switch $c (i32.const 1) (stack.new $c $co)) (drop))`},
	{"null to bind", "null stack reference", `
	  (func (export "run") (result i32) (drop (stack.bind $c $c (ref.null $c))) (i32.const 0))`},
	{"a coroutine returns", "coroutine returned", `
	  (func (export "run") (result i32) (switch $c (i32.const 1) (stack.new $c $ret)) (drop))`},
	{"an exception leaves a coroutine", "uncaught exception in a coroutine $x", `
	  (func (export "run") (result i32)
	    (block $h (result i32)
	      (try_table (catch $x $h) (switch $c (i32.const 1) (stack.new $c $throws)) (drop) (drop))
	      (i32.const 1)))`},
	{"an exception is caught within a coroutine", "5", `
	  (func $catches (param i32 (ref null $d))
	    (switch_retire $d (block $h (result i32) (try_table (catch $x $h) (call $throws (local.get 0) (ref.null $d))) (i32.const 1)) (local.get 1)))
	  (func (export "run") (result i32) (switch $c (i32.const 5) (stack.new $c $catches)) (drop))`},
	{"the rooted stack cannot retire", "rooted stack cannot retire", `
	  (func (export "run") (result i32) (switch_retire $c (i32.const 1) (stack.new $c $inc)))`},
	{"operands are checked before the root", "null stack reference", `
	  (func (export "run") (result i32) (switch_retire $c (i32.const 1) (ref.null $c)))`},
	{"two coroutines switch to each other", "30", `
	  (rec (type $e (stack (ref null $e))))
	  (global $root (mut (ref null $e)) (ref.null $e))
	  (func $a (param $k (ref null $e))
	    (loop $l
	      (if (i32.eq (global.get $g) (i32.const 30)) (then (switch_retire $e (global.get $root))))
	      (global.set $g (i32.add (global.get $g) (i32.const 1)))
	      (local.set $k (switch $e (local.get $k)))
	      (br $l)))
	  (func $first (param $from (ref null $e))
	    (global.set $root (local.get $from))
	    (call $a (stack.new $e $a)))
	  (func (export "run") (result i32)
	    (drop (switch $e (stack.new $e $first)))
	    (global.get $g))`},
	{"a tail call in a coroutine", "24", `
	  (func $t (param i32 (ref null $d)) (return_call $quit (i32.add (local.get 0) (i32.const 1)) (local.get 1)))
	  (func (export "run") (result i32) (switch $c (i32.const 11) (stack.new $c $t)) (drop))`},
	{"switching deep inside calls", "5051", `
	  (func $rec (param $n i32) (param $from (ref null $d)) (result i32)
	    (if (i32.eqz (local.get $n)) (then
	      (switch $d (i32.const 0) (local.get $from)) (global.set $kept2) (return)))
	    (i32.add (local.get $n) (call $rec (i32.sub (local.get $n) (i32.const 1)) (local.get $from))))
	  (global $kept2 (mut (ref null $d)) (ref.null $d))
	  (func $co (param i32 (ref null $d))
	    (call $rec (local.get 0) (local.get 1)) (global.set $g)
	    (switch_retire $d (global.get $g) (global.get $kept2)))
	  (func (export "run") (result i32) (local $k (ref null $c))
	    (switch $c (i32.const 100) (stack.new $c $co)) (local.set $k) (drop)
	    (switch $c (i32.const 1) (local.get $k)) (drop))`},
}

func TestStacks(t *testing.T) {
	runPrograms(t, wasm.DialectStacks, `(@stack-switching "stacks")`+stacksPrelude, stacksPrograms)
}

const stacksCalls = `(module (@stack-switching "stacks")
  (rec (type $c (stack (param i32) (ref null $d))) (type $d (stack (param i32) (ref null $c))))
  (import "host" "again" (func $again))
  (global $k (mut (ref null $c)) (ref.null $c))
  (global $root (mut (ref null $d)) (ref.null $d))
  (func $count (param $i i32) (param $from (ref null $d))
    (loop $l
      (switch $d (local.get $i) (local.get $from))
      (local.set $from) (i32.add (local.get $i)) (local.set $i)
      (br $l)))
  (func $keep (param $i i32) (param $from (ref null $d))
    (global.set $root (local.get $from))
    (call $again)
    (switch_retire $d (local.get $i) (global.get $root)))
  (func (export "start") (global.set $k (stack.new $c $count)))
  (func (export "add") (param i32) (result i32)
    (switch $c (local.get 0) (global.get $k)) (global.set $k))
  (func $trap (param $i i32) (param $from (ref null $d))
    (global.set $root (local.get $from)) (unreachable))
  (func (export "trap") (switch $c (i32.const 0) (stack.new $c $trap)) (drop) (drop))
  (func (export "keep") (result i32) (switch $c (i32.const 3) (stack.new $c $keep)) (drop))
  (func (export "root") (switch $d (i32.const 0) (global.get $root)) (drop) (drop)))`

// A coroutine stays usable over several calls of the host; the rooted stack of a call does not.
func TestStacksOverCalls(t *testing.T) {
	m := vm.New(vm.Options{})
	ctx := context.Background()
	var in *vm.Instance
	var inner string
	what := "add"
	again := m.NewFunc("again", nil, nil, func(*vm.Call) error {
		if what == "root" {
			_, err := in.Invoke(ctx, "root")
			inner = err.Error()
			return nil
		}
		vs, err := in.Invoke(ctx, "add", vm.I32(100))
		inner = outcome(vs, err)
		return nil
	})
	in = texts(t, m, vm.ImportMap{"host": {"again": again}}, stacksCalls)[0]
	if _, err := in.Invoke(ctx, "start"); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1", "3", "6"} {
		if got := outcome(in.Invoke(ctx, "add", vm.I32(int32(i+1)))); got != want {
			t.Fatalf("call %d: %s, not %s", i, got, want)
		}
	}
	if got := outcome(in.Invoke(ctx, "keep")); got != "3" || inner != "106" {
		t.Errorf("nested call: %s, inner %s", got, inner)
	}
	what = "root"
	if got := outcome(in.Invoke(ctx, "keep")); got != "3" || inner != "switch across a host frame" {
		t.Errorf("to the rooted stack of an outer call: %s, inner %q", got, inner)
	}
	if _, err := in.Invoke(ctx, "root"); err == nil || err.Error() != "stack already consumed" {
		t.Error("to the rooted stack of a call that has ended:", err)
	}
	if _, err := in.Invoke(ctx, "trap"); err == nil || err.Error() != "unreachable" {
		t.Error(err)
	}
	if _, err := in.Invoke(ctx, "root"); err == nil || err.Error() != "stack already consumed" {
		t.Error("to the rooted stack of a call that has trapped:", err)
	}
	if got := outcome(in.Invoke(ctx, "add", vm.I32(0))); got != "106" {
		t.Error("after a trap elsewhere:", got)
	}
	if live := m.LiveStacks(0); len(live) != 1 || live[0].Dialect() != wasm.DialectStacks ||
		live[0].Holder.Kind != vm.HeldByGlobal {
		t.Error(live)
	}
}

// While a coroutine runs, the rooted stack is parked and can be found.
func TestStacksInspect(t *testing.T) {
	m := vm.New(vm.Options{})
	var seen []string
	see := m.NewFunc("again", nil, nil, func(c *vm.Call) error {
		for _, s := range c.Machine().LiveStacks(0) {
			seen = append(seen, fmt.Sprint(s.State(), s.Dialect(), s.Rooted(), s.Holder.Kind == vm.HeldByHost))
		}
		return nil
	})
	in := texts(t, m, vm.ImportMap{"host": {"again": see}}, stacksCalls)[0]
	var kinds []string
	m.SetObserver(func(e *vm.Event) { kinds = append(kinds, e.Kind.String()) })
	if _, err := in.Invoke(context.Background(), "keep"); err != nil {
		t.Fatal(err)
	}
	if got := join(seen); got != "running stacks false false suspended  true true" {
		t.Error(got)
	}
	want := "[create start create switch start switch finish finish]"
	if got := "[" + join(kinds) + "]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A switch parks the stacks of another dialect that are on the running chain.
func TestStacksParkAChain(t *testing.T) {
	m := vm.New(vm.Options{})
	ins := texts(t, m, nil, `(module (@stack-switching "stacks")
	  (rec (type $c (stack (param i32) (ref null $d))) (type $d (stack (param i32) (ref null $c))))
	  (func $twice (param $i i32) (param $from (ref null $d))
	    (loop $l
	      (switch $d (i32.mul (local.get $i) (i32.const 2)) (local.get $from)) (local.set $from) (local.set $i)
	      (br $l)))
	  (func (export "twice") (param i32) (result i32) (switch $c (local.get 0) (stack.new $c $twice)) (drop))
	  (func (export "retire") (switch_retire $c (i32.const 0) (stack.new $c $twice))))`,
		`(module (@stack-switching "cont")
	  (import "m0" "twice" (func $twice (param i32) (result i32)))
	  (import "m0" "retire" (func $retire))
	  (type $f (func (result i32))) (type $k (cont $f))
	  (func $g (result i32) (i32.add (i32.const 1) (call $twice (i32.const 20))))
	  (func $b (result i32) (barrier $b (result i32) (call $twice (i32.const 20))))
	  (func $r (result i32) (call $retire) (i32.const 1))
	  (elem declare func $g $b $r)
	  (func (export "run") (result i32) (i32.add (i32.const 1) (resume $k (cont.new $k (ref.func $g)))))
	  (func (export "barred") (result i32) (resume $k (cont.new $k (ref.func $b))))
	  (func (export "retire") (result i32) (resume $k (cont.new $k (ref.func $r)))))`)
	for _, c := range []struct{ name, want string }{{"run", "42"}, {"barred", "suspension across a barrier"}, {"retire", "rooted stack cannot retire"}} {
		if got := outcome(ins[1].Invoke(context.Background(), c.name)); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

// What a stack calls when control comes back may be code of another module or of the host, and
// return_switch leaves the barriers of its own frame, but no others.
func TestReturnSwitchElsewhere(t *testing.T) {
	m := vm.New(vm.Options{})
	var got []string
	stack := wasm.Ref(true, wasm.HeapStack)
	hear := m.NewFunc("hear", []wasm.ValType{wasm.I64, wasm.I32, stack}, []wasm.ValType{wasm.I32}, func(c *vm.Call) error {
		got = append(got, fmt.Sprint(c.Num(0), c.I32(1), c.Ref(0).IsNull()))
		c.ReturnI32(0, c.I32(1)+1)
		return nil
	})
	fail := m.NewFunc("fail", []wasm.ValType{wasm.I32, stack}, []wasm.ValType{wasm.I32}, func(*vm.Call) error {
		return errors.New("refused")
	})
	ins := texts(t, m, vm.ImportMap{"host": {"hear": hear, "fail": fail}}, `(module (@stack-switching "stacks")
	  (type $s (stack (param i32) (ref null $s)))
	  (import "host" "hear" (func $hear (param i64 i32 (ref null stack)) (result i32)))
	  (import "host" "fail" (func $fail (param i32 (ref null stack)) (result i32)))
	  (global $kept (mut (ref null $s)) (ref.null $s))
	  (func $echo (param $v i32) (param $from (ref null $s))
	    (loop $l
	      (switch $s (i32.mul (local.get $v) (i32.const 3)) (local.get $from))
	      (local.set $from) (local.set $v) (br $l)))
	  (func (export "hear") (param i32) (result i32)
	    (return_switch $s $hear (i64.const 9) (local.get 0) (stack.new $s $echo)))
	  (func $hears (param i32) (result i32)
	    (return_switch $s $hear (i64.const 8) (local.get 0) (stack.new $s $echo)))
	  (func (export "hear-deep") (param i32) (result i32) (i32.add (call $hears (local.get 0)) (i32.const 100)))
	  (func (export "fail") (result i32) (return_switch $s $fail (i32.const 1) (stack.new $s $echo)))
	  (func $second (export "second") (param $v i32) (param (ref null $s)) (result i32) (local.get $v))
	  (func $leave (export "leave") (param i32) (result i32)
	    (return_switch $s $second (local.get 0) (stack.new $s $echo))))`,
		`(module (@stack-switching "cont")
	  (import "m0" "leave" (func $leave (param i32) (result i32)))
	  (type $f (func (result i32))) (type $k (cont $f))
	  (func $g (result i32) (i32.add (i32.const 1) (call $leave (i32.const 20))))
	  (func $b (result i32) (barrier $b (result i32) (call $leave (i32.const 20))))
	  (elem declare func $g $b)
	  (func (export "run") (result i32) (resume $k (cont.new $k (ref.func $g))))
	  (func (export "barred") (result i32) (resume $k (cont.new $k (ref.func $b)))))`)
	for _, c := range []struct {
		in         int
		name, want string
		args       []vm.Value
	}{
		{0, "hear", "22", []vm.Value{vm.I32(7)}}, {0, "hear-deep", "122", []vm.Value{vm.I32(7)}},
		{0, "fail", "host function failed: refused", nil},
		{1, "run", "61", nil}, {1, "barred", "suspension across a barrier", nil},
	} {
		if got := outcome(ins[c.in].Invoke(context.Background(), c.name, c.args...)); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
	if want := "9 21 false 8 21 false"; join(got) != want {
		t.Errorf("the host got %s, not %s", join(got), want)
	}
}

// A stack that return_switch has parked stands before a function, which cannot be moved or begin
// again before it has begun; the frames below it can.
func TestReturnSwitchParked(t *testing.T) {
	for form, o := range forms {
		m := vm.New(o)
		m.SetStepping(form == "stepping")
		var kinds []string
		if form == "observed" {
			m.SetObserver(func(e *vm.Event) { kinds = append(kinds, e.Kind.String()) })
		}
		in := texts(t, m, nil, `(module (@stack-switching "stacks")
		  (type $s (stack (param i32) (ref null $s)))
		  (global $k (export "k") (mut (ref null $s)) (ref.null $s))
		  (func $next (param $kept i32) (param $v i32) (param $from (ref null $s)) (local $l i32)
		    (local.set $l (i32.add (local.get $kept) (local.get $v)))
		    (switch $s (local.get $l) (local.get $from))
		    (unreachable))
		  (func $leave (param $v i32) (param $from (ref null $s)) (local i64 i64)
		    (return_switch $s $next (i32.const 10) (local.get $v) (local.get $from)))
		  (func $base (param $v i32) (param $from (ref null $s))
		    (call $leave (local.get $v) (local.get $from))
		    (unreachable))
		  (func (export "park") (param $new i32) (result i32)
		    (if (result i32) (local.get $new)
		      (then (global.set $k (switch $s (i32.const 5) (stack.new $s $base))))
		      (else (global.set $k (switch $s (i32.const 6) (stack.new $s $leave)))))))`)[0]
		for _, arg := range []int32{0, 1} {
			if got := outcome(in.Invoke(context.Background(), "park", vm.I32(arg))); got != fmt.Sprint(6-arg) {
				t.Fatalf("%s: %s", form, got)
			}
			var s *vm.Stack
			for _, l := range m.LiveStacks(0) {
				if l.Holder.Kind == vm.HeldByGlobal {
					s = l.Stack
				}
			}
			if s == nil || s.State() != vm.StackSuspended || !vm.Entering(s) || s.Moved() || !vm.GoesOnHere(s) {
				t.Fatalf("%s: %v", form, s)
			}
			f := s.Frames()[0]
			if f.PC() != 0 || f.Waiting() || f.Awaits(0) || !f.Awaits(1) || !f.Awaits(2) || f.Awaits(3) ||
				f.Local(0).I32() != 10 || len(f.Operands()) > 0 || s.NumFrames() != int(arg)+1 {
				t.Errorf("%s: the frame is %v at %d, %v", form, f.Func(), f.PC(), f.Locals())
			}
			if err := f.Restart(); err == nil {
				t.Errorf("%s: a function that has not begun begins again", form)
			}
			if err := f.CanJump(1); err == nil {
				t.Errorf("%s: a function that has not begun is moved", form)
			}
			if arg == 1 {
				err := s.Frames()[1].Restart()
				if err != nil || vm.Entering(s) || !s.Moved() && s.State() != vm.StackNew {
					t.Errorf("%s: %v, %v", form, err, s.State())
				}
			}
		}
		if form == "observed" {
			want := "create start create switch start switch finish create start create switch start switch finish"
			if join(kinds) != want {
				t.Errorf("events %s, not %s", join(kinds), want)
			}
		}
	}
}
