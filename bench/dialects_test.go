package bench

import (
	"context"
	"slices"
	"testing"

	"stackscope/vm"
	"stackscope/wasm"
)

// pipes is one scenario in each design: a producer counts, a filter doubles what it gets, and `run :
// [i32 n] -> [i64]` adds up n values of the filter. A value costs four switches.
var pipes = map[wasm.Dialect]string{
	wasm.DialectCont: `(module (@stack-switching "cont")
  (type $f (func)) (type $c (cont $f))
  (tag $v (param i32))
  (func $producer (local $i i32)
    (loop $l
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (suspend $v (local.get $i))
      (br $l)))
  (func $filter (local $p (ref null $c)) (local $x i32)
    (local.set $p (cont.new $c (ref.func $producer)))
    (loop $l
      (block $h (result i32 (ref $c))
        (resume $c (on $v $h) (local.get $p))
        (unreachable))
      (local.set $p) (local.set $x)
      (suspend $v (i32.mul (local.get $x) (i32.const 2)))
      (br $l)))
  (elem declare func $producer $filter)
  (func (export "run") (param $n i32) (result i64) (local $p (ref null $c)) (local $x i32) (local $s i64)
    (local.set $p (cont.new $c (ref.func $filter)))
    (loop $l
      (block $h (result i32 (ref $c))
        (resume $c (on $v $h) (local.get $p))
        (unreachable))
      (local.set $p) (local.set $x)
      (local.set $s (i64.add (local.get $s) (i64.extend_i32_u (local.get $x))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))`,

	wasm.DialectStacks: `(module (@stack-switching "stacks")
  (rec (type $ask (stack (ref null $give))) (type $give (stack (param i32) (ref null $ask))))
  (func $producer (param $to (ref null $give)) (local $i i32)
    (loop $l
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (local.set $to (switch $give (local.get $i) (local.get $to)))
      (br $l)))
  (func $filter (param $to (ref null $give)) (local $p (ref null $ask)) (local $x i32)
    (local.set $p (stack.new $ask $producer))
    (loop $l
      (switch $ask (local.get $p))
      (local.set $p) (local.set $x)
      (local.set $to (switch $give (i32.mul (local.get $x) (i32.const 2)) (local.get $to)))
      (br $l)))
  (func (export "run") (param $n i32) (result i64) (local $p (ref null $ask)) (local $x i32) (local $s i64)
    (local.set $p (stack.new $ask $filter))
    (loop $l
      (switch $ask (local.get $p))
      (local.set $p) (local.set $x)
      (local.set $s (i64.add (local.get $s) (i64.extend_i32_u (local.get $x))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))`,

	wasm.DialectFibersMount: `(module (@stack-switching "fibers-mount")
  (tag $ask) (tag $v (param i32)) (tag $end)
  (func $producer (param $me (ref fiber)) (local $i i32)
    (loop $l
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (fiber.dismount $v ($ask $l) (local.get $i) (local.get $me))
      (unreachable)))
  (func $filter (param $me (ref fiber)) (local $p fiberref) (local $x i32)
    (local.set $p (fiber.new $end ($ask $producer)))
    (loop $l
      (block $h (result i32)
        (fiber.mount $ask ($v $h) (local.get $p))
        (unreachable))
      (local.set $x)
      (fiber.dismount $v ($ask $l) (i32.mul (local.get $x) (i32.const 2)) (local.get $me))
      (unreachable)))
  (func (export "run") (param $n i32) (result i64) (local $p fiberref) (local $x i32) (local $s i64)
    (local.set $p (fiber.new $end ($ask $filter)))
    (loop $l
      (block $h (result i32)
        (fiber.mount $ask ($v $h) (local.get $p))
        (unreachable))
      (local.set $x)
      (local.set $s (i64.add (local.get $s) (i64.extend_i32_u (local.get $x))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))`,

	wasm.DialectFibersHandle: `(module (@stack-switching "fibers-handle")
  (type $ft (fiber))
  (tag $ask) (tag $v (param i32))
  (func $producer (param $me (ref null $ft)) (local $i i32)
    (unreachable)
    (event $ask
      (loop $l
        (handle
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (fiber.suspend (local.get $me) $v (local.get $i))
          (event $ask (br $l))))))
  (func $filter (param $me (ref null $ft)) (local $p (ref null $ft)) (local $x i32)
    (unreachable)
    (event $ask
      (local.set $p (fiber.new $producer))
      (loop $l
        (handle
          (handle
            (fiber.resume (local.get $p) $ask)
            (unreachable)
            (event $v (local.set $x)))
          (fiber.suspend (local.get $me) $v (i32.mul (local.get $x) (i32.const 2)))
          (event $ask (br $l))))))
  (func (export "run") (param $n i32) (result i64) (local $p (ref null $ft)) (local $x i32) (local $s i64)
    (local.set $p (fiber.new $filter))
    (loop $l
      (handle
        (fiber.resume (local.get $p) $ask)
        (unreachable)
        (event $v (local.set $x)))
      (local.set $s (i64.add (local.get $s) (i64.extend_i32_u (local.get $x))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))`,

	wasm.DialectTasks: `(module (@stack-switching "tasks")
  (tag $ask) (tag $v (param i32))
  (func $producer (param $me taskref) (local $i i32)
    (block $on (event.switch ($ask $on)))
    (loop $l
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (task.suspend $v (local.get $me) (local.get $i))
      (event.switch ($ask $l))))
  (func $filter (param $me taskref) (local $p taskref) (local $x i32)
    (block $on (event.switch ($ask $on)))
    (local.set $p (task.new $producer))
    (loop $l
      (block $h (result i32)
        (task.resume $ask (local.get $p))
        (event.switch ($v $h)))
      (local.set $x)
      (task.suspend $v (local.get $me) (i32.mul (local.get $x) (i32.const 2)))
      (event.switch ($ask $l))))
  (func (export "run") (param $n i32) (result i64) (local $p taskref) (local $x i32) (local $s i64)
    (local.set $p (task.new $filter))
    (loop $l
      (block $h (result i32)
        (task.resume $ask (local.get $p))
        (event.switch ($v $h)))
      (local.set $x)
      (local.set $s (i64.add (local.get $s) (i64.extend_i32_u (local.get $x))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))`,
}

// BenchmarkDialects measures the scenario in each design: ns/unit is the cost of one value, four
// switches. No design should be slower than cont by half.
func BenchmarkDialects(b *testing.B) {
	for _, d := range wasm.Dialects() {
		b.Run("work=pipe/dialect="+d.String()+"/engine=stackscope", func(b *testing.B) { unitsOf(b, pipes[d]) })
	}
}

// The designs agree on the scenario, also in which stack has control when, and none allocates for a
// switch.
func TestDialects(t *testing.T) {
	var first []uint64
	for _, d := range wasm.Dialects() {
		m, fn := instantiate(t, d.String(), pipes[d])
		var to []uint64 // who gets control
		m.SetObserver(func(e *vm.Event) {
			switch e.Kind {
			case vm.EventResume:
				to = append(to, e.Stack)
			case vm.EventSuspend, vm.EventSwitch:
				to = append(to, e.Other)
			}
		})
		if _, err := m.Call(context.Background(), fn, vm.I32(5)); err != nil {
			t.Fatal(err)
		}
		m.SetObserver(nil)
		if first == nil {
			first = to
		}
		if len(to) != 20 || !slices.Equal(to, first) {
			t.Errorf("%v: control goes to %v, in cont to %v", d, to, first)
		}
		sum := func(n int32) {
			r, err := m.Call(context.Background(), fn, vm.I32(n))
			if err != nil {
				t.Fatalf("%v: %v", d, err)
			}
			if want := int64(n) * int64(n+1); r[0].I64() != want {
				t.Errorf("%v: %d, not %d", d, r[0].I64(), want)
			}
		}
		few, many := testing.AllocsPerRun(3, func() { sum(10) }), testing.AllocsPerRun(3, func() { sum(1000) })
		if many > few+5 {
			t.Errorf("%v: %v allocations for 4000 switches, %v for 40", d, many, few)
		}
	}
}
