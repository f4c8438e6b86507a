package vm_test

import (
	"context"
	"testing"

	"stackscope/vm"
	"stackscope/wasm"
)

const tasksPrelude = `
  (tag $go) (tag $v (param i32)) (tag $other) (tag $x (param i32))
  (tag $wide (param i32 taskref i64))
  (global $g (mut i32) (i32.const 0))
  (global $a (mut taskref) (ref.null task))
  (global $b (mut taskref) (ref.null task))
  ;; yields n, n+1 …
  (func $gen (param $me taskref) (param $n i32)
    (block $on (event.switch ($go $on)))
    (loop $l
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (block $on
        (task.suspend $v (local.get $me) (i32.sub (local.get $n) (i32.const 1)))
        (event.switch ($go $on)))
      (br $l)))
  ;; ends with twice its argument
  (func $end (param $me taskref) (param $n i32)
    (block $on (event.switch ($go $on)))
    (task.retire $v (local.get $me) (i32.mul (local.get $n) (i32.const 2))))
  ;; resumes a task with $go and gives the value of its $v
  (func $next (param $t taskref) (result i32)
    (block $h (result i32)
      (task.resume $go (local.get $t))
      (event.switch ($v $h))))
  (func $returns (param taskref) (block $on (event.switch ($go $on))))
  (func $throws (param taskref) (block $on (event.switch ($go $on))) (throw $x (i32.const 5)))
`

var tasksPrograms = []program{
	{"a generator", "33", `
	  (func (export "run") (result i32) (local $t taskref)
	    (local.set $t (task.new $gen (i32.const 10)))
	    (i32.add (call $next (local.get $t)) (i32.add (call $next (local.get $t)) (call $next (local.get $t)))))`},
	{"a task keeps its identity", "1", `
	  (func (export "run") (result i32) (local $t taskref)
	    (local.set $t (task.new $gen (i32.const 10)))
	    (drop (call $next (local.get $t)))
	    (drop (call $next (local.get $t)))
	    (i32.const 1))`},
	{"retiring", "42", `(func (export "run") (result i32) (call $next (task.new $end (i32.const 21))))`},
	{"a retired task", "task is moribund", `
	  (func (export "run") (result i32) (local $t taskref)
	    (local.set $t (task.new $end (i32.const 21)))
	    (drop (call $next (local.get $t)))
	    (call $next (local.get $t)))`},
	{"a released task", "task is moribund", `
	  (func (export "run") (result i32) (local $t taskref)
	    (local.set $t (task.new $end (i32.const 21)))
	    (task.release (local.get $t))
	    (task.release (local.get $t))
	    (i32.const 0))`},
	{"a new task does not revive old references", "task is moribund", `
	  (func (export "run") (result i32) (local $t taskref)
	    (local.set $t (task.new $end (i32.const 21)))
	    (task.release (local.get $t))
	    (drop (task.new $end (i32.const 1)))
	    (call $next (local.get $t)))`},
	{"resume of null", "null task reference", `(func (export "run") (result i32) (call $next (ref.null task)))`},
	{
		"release of null", "null task reference",
		`(func (export "run") (result i32) (task.release (ref.null task)) (i32.const 0))`,
	},
	{"suspend of null", "null task reference", `
	  (func (export "run") (result i32) (task.suspend $go (ref.null task)) (event.switch))`},
	{"retire of null", "null task reference", `(func (export "run") (result i32) (task.retire $go (ref.null task)))`},
	{"switchto from null", "null task reference", `
	  (func (export "run") (result i32) (task.switchto $go (ref.null task) (ref.null task)) (event.switch))`},
	{"switchto to null", "null task reference", `
	  (func $co (param $me taskref) (block $on (event.switch ($go $on))) (task.switchto $go (local.get $me) (ref.null task)) (event.switch))
	  (func (export "run") (result i32) (call $next (task.new $co)))`},
	{"switchto from what is not active", "task is not active", `
	  (func (export "run") (result i32) (task.switchto $go (task.new $returns) (ref.null task)) (event.switch))`},
	{"suspend of what is not active", "task is not active", `
	  (func (export "run") (result i32) (task.suspend $go (task.new $returns)) (event.switch))`},
	{"resume of the running task", "task is not suspended", `
	  (func $co (param $me taskref) (block $on (event.switch ($go $on))) (task.resume $go (local.get $me)) (event.switch))
	  (func (export "run") (result i32) (call $next (task.new $co)))`},
	{"release of the running task", "task is not suspended", `
	  (func $co (param $me taskref) (block $on (event.switch ($go $on))) (task.release (local.get $me)))
	  (func (export "run") (result i32) (call $next (task.new $co)))`},
	{
		"a task returns", "task returned without retiring",
		`(func (export "run") (result i32) (call $next (task.new $returns)))`,
	},
	{"an exception leaves a task", "uncaught exception in a task $x", `
	  (func (export "run") (result i32)
	    (block $h (result i32) (try_table (catch $x $h) (return (call $next (task.new $throws)))) (unreachable)))`},
	{"no pair for an event", "unhandled event", `
	  (func $co (param $me taskref) (block $on (event.switch ($other $on))))
	  (func (export "run") (result i32) (call $next (task.new $co)))`},
	{"no pair in the parent", "unhandled event", `
	  (func (export "run") (result i32)
	    (block $h (task.resume $go (task.new $end (i32.const 1))) (event.switch ($other $h)))
	    (i32.const 1))`},
	{"no event is pending", "no event is pending", `
	  (func (export "run") (result i32) (block $h (event.switch ($go $h))) (i32.const 1))`},
	{"no event is pending after a branch back", "no event is pending", `
	  (func $co (param $me taskref) (loop $l (event.switch ($go $l))))
	  (func (export "run") (result i32) (call $next (task.new $co)))`},
	{"no event is pending in a plain call", "no event is pending", `
	  (func (export "run") (result i32) (call $returns (ref.null task)) (i32.const 1))`},
	{"operands below go along", "45", `
	  (func (export "run") (result i32)
	    (block $h (result i32 i32)
	      (i32.const 3)
	      (task.resume $go (task.new $end (i32.const 21)))
	      (event.switch ($v $h)))
	    (i32.add))`},
	{"each pair takes its own operands", "7", `
	  (func (export "run") (result i32)
	    (i32.const 7)
	    (block $p (param i32) (result i32)
	      (block $q (param i32) (result i32 i32)
	        (task.resume $go (task.new $end (i32.const 21)))
	        (event.switch ($other $p) ($v $q)))
	      (drop)))`},
	{"the first pair counts", "1", `
	  (func (export "run") (result i32)
	    (block $h (result i32)
	      (block $first (result i32)
	        (task.resume $go (task.new $end (i32.const 21)))
	        (event.switch ($v $first) ($v $h)))
	      (drop) (return (i32.const 1))))`},
	{"values of every class", "12", `
	  (func $co (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (task.retire $wide (local.get $me) (i32.const 4) (local.get $me) (i64.const 7)))
	  (func (export "run") (result i32) (local $i i64) (local $t taskref)
	    (block $h (result i32 taskref i64)
	      (task.resume $go (task.new $co))
	      (event.switch ($wide $h)))
	    (local.set $i) (local.set $t)
	    (i32.add (i32.wrap_i64 (local.get $i)))
	    (i32.add (i32.eqz (ref.is_null (local.get $t)))))`},
	{"headers of blocks and loops are looked through", "8", `
	  (func $co (param $me taskref) (param $n i32)
	    (block $a (loop $b (block $on (event.switch ($go $on))) (task.retire $v (local.get $me) (local.get $n)))))
	  (func (export "run") (result i32) (call $next (task.new $co (i32.const 8))))`},
	{"switchto", "11", `
	  (func $one (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (block $back (task.switchto $go (local.get $me) (global.get $b)) (event.switch ($go $back)))
	    (task.retire $v (local.get $me) (global.get $g)))
	  (func $two (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (global.set $g (i32.const 11))
	    (block $back (task.switchto $go (local.get $me) (global.get $a)) (event.switch ($go $back))))
	  (func (export "run") (result i32)
	    (global.set $a (task.new $one)) (global.set $b (task.new $two))
	    (call $next (global.get $a)))`},
	{"switchto itself", "9", `
	  (func $co (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (block $v (result i32) (task.switchto $v (local.get $me) (local.get $me) (i32.const 9)) (event.switch ($v $v)))
	    (local.get $me) (global.set $a) (global.set $g)
	    (task.retire $v (global.get $a) (global.get $g)))
	  (func (export "run") (result i32) (call $next (task.new $co)))`},
	{"switchto to an active task", "task is not suspended", `
	  (func $inner (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (task.switchto $go (local.get $me) (global.get $a)) (event.switch))
	  (func $outer (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (drop (call $next (task.new $inner))))
	  (func (export "run") (result i32) (global.set $a (task.new $outer)) (call $next (global.get $a)))`},
	{"suspending an ancestor detaches a segment", "123", `
	  (func $inner (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (block $on (task.suspend $v (global.get $a) (i32.const 1)) (event.switch ($go $on)))
	    (task.retire $v (local.get $me) (i32.const 20)))
	  (func $outer (param $me taskref) (local $n i32)
	    (block $on (event.switch ($go $on)))
	    (local.set $n (call $next (task.new $inner)))
	    (task.retire $v (local.get $me) (i32.add (local.get $n) (i32.const 3))))
	  (func (export "run") (result i32)
	    (global.set $a (task.new $outer))
	    (i32.add (i32.mul (call $next (global.get $a)) (i32.const 100)) (call $next (global.get $a))))`},
	{"a task within a segment cannot be resumed", "task is not suspended", `
	  (func $inner (param $me taskref)
	    (global.set $b (local.get $me))
	    (unreachable))
	  (func $in (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (global.set $b (local.get $me))
	    (block $on (task.suspend $v (global.get $a) (i32.const 1)) (event.switch ($go $on))))
	  (func $outer (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (drop (call $next (task.new $in))))
	  (func (export "run") (result i32)
	    (global.set $a (task.new $outer))
	    (drop (call $next (global.get $a)))
	    (call $next (global.get $b)))`},
	{"retiring an ancestor takes the segment along", "task is moribund", `
	  (func $in (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (global.set $b (local.get $me))
	    (task.retire $v (global.get $a) (i32.const 1)))
	  (func $outer (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (drop (call $next (task.new $in))))
	  (func (export "run") (result i32)
	    (global.set $a (task.new $outer))
	    (drop (call $next (global.get $a)))
	    (call $next (global.get $b)))`},
	{"release takes the segment along", "task is moribund", `
	  (func $in (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (global.set $b (local.get $me))
	    (block $on (task.suspend $v (global.get $a) (i32.const 1)) (event.switch ($go $on))))
	  (func $outer (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (drop (call $next (task.new $in))))
	  (func (export "run") (result i32)
	    (global.set $a (task.new $outer))
	    (drop (call $next (global.get $a)))
	    (task.release (global.get $a))
	    (call $next (global.get $b)))`},
	{"many live tasks", "20000", `
	  (table $t 20000 taskref)
	  (func (export "run") (result i32) (local $i i32) (local $n i32)
	    (loop $fill
	      (table.set $t (local.get $i) (task.new $gen (local.get $i)))
	      (drop (call $next (table.get $t (local.get $i))))
	      (br_if $fill (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 20000))))
	    (local.set $i (i32.const 0))
	    (loop $all
	      (local.set $n (i32.add (local.get $n) (i32.eq (call $next (table.get $t (local.get $i))) (i32.add (local.get $i) (i32.const 1)))))
	      (br_if $all (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 20000))))
	    (local.get $n))`},
}

func TestTasks(t *testing.T) {
	runPrograms(t, wasm.DialectTasks, `(@stack-switching "tasks")`+tasksPrelude, tasksPrograms)
}

// An imported function may begin otherwise than with event.switch; and a link of another dialect,
// or a call of the host, ends the search for an ancestor.
func TestTasksLinked(t *testing.T) {
	m := vm.New(vm.Options{})
	ctx := context.Background()
	var ins []*vm.Instance
	var inner string
	again := m.NewFunc("again", []wasm.ValType{wasm.TaskRef}, nil, func(c *vm.Call) error {
		_, err := ins[0].Invoke(ctx, "leave", vm.RefValue(c.Ref(0)))
		inner = err.Error()
		return nil
	})
	ins = texts(t, m, vm.ImportMap{"host": {"again": again}}, `(module (@stack-switching "tasks")
	  (tag $go)
	  (func (export "leave") (param $t taskref) (task.suspend $go (local.get $t)) (event.switch))
	  (func (export "other") (param taskref) (nop)))`,
		`(module (@stack-switching "tasks")
	  (import "m0" "other" (func $other (param taskref)))
	  (import "host" "again" (func $again (param taskref)))
	  (tag $go)
	  (func (export "run") (result i32) (task.resume $go (task.new $other)) (event.switch))
	  (func $co (param $me taskref)
	    (block $on (event.switch ($go $on)))
	    (call $again (local.get $me))
	    (task.retire $go (local.get $me)))
	  (func (export "host") (result i32)
	    (block $on (task.resume $go (task.new $co)) (event.switch ($go $on)))
	    (i32.const 7)))`)
	if got := outcome(ins[1].Invoke(ctx, "run")); got != "unhandled event $go" {
		t.Error(got)
	}
	if got := outcome(ins[1].Invoke(ctx, "host")); got != "7" ||
		inner != "task is not active (a call of the host is in between)" {
		t.Error(got, inner)
	}
}

// An event.switch is an instruction of its own for whoever looks: a breakpoint there stops each
// time, in whatever form the stack runs that sends the event, and reports what is pending.
func TestEventSwitchBreakpoint(t *testing.T) {
	for form, opt := range forms {
		m := vm.New(opt)
		in := texts(t, m, nil, `(module (@stack-switching "tasks")
		  (tag $go) (tag $v (param i32))
		  (func $gen (param $me taskref) (local $i i32)
		    (block $on (event.switch ($go $on)))
		    (loop $l
		      (task.suspend $v (local.get $me) (local.tee $i (i32.add (local.get $i) (i32.const 1))))
		      (event.switch ($go $l))))
		  (func (export "run") (result i32) (local $t taskref) (local $n i32) (local $s i32)
		    (local.set $t (task.new $gen))
		    (loop $l
		      (block $h (result i32) (task.resume $go (local.get $t)) (event.switch ($v $h)))
		      (local.set $s (i32.add (local.get $s)))
		      (br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 50))))
		    (local.get $s)))`)[0]
		stops := map[uint32]int{}
		m.SetProbe(func(s *vm.Stop) {
			if s.Reason == vm.StopBreak {
				stops[s.Site.Func.Index()]++
			}
		})
		for i := range uint32(2) {
			fn := in.Func(i)
			for pc, op := range in.Module().Funcs[i].Body {
				if op.Op == wasm.OpEventSwitch {
					m.SetBreakpoint(fn, pc)
				}
			}
		}
		if got := outcome(in.Invoke(context.Background(), "run")); got != "1275" || stops[0] != 50 || stops[1] != 50 {
			t.Errorf("%s: %s, stops %v", form, got, stops)
		}
	}
}
