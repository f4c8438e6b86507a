package vm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/wasm"
)

// A program that mixes locals, constants, comparisons, branches with and without operands, calls,
// switches and exceptions, and calls the host in the midst of expressions.
const mixedProgram = `(module (@stack-switching "cont")
  (type $f (func (result i64))) (type $k (cont $f))
  (import "m" "tick" (func $tick (param i32) (result i32)))
  (tag $y (param i64)) (tag $x (param i32))
  (memory 1)
  (global $g (mut i32) (i32.const 3))
  (func $step (param $a i32) (param $b i64) (result i64) (local $t i32)
    (local.set $t (i32.sub (local.get $a) (i32.const 5)))
    (i32.store (i32.and (local.get $a) (i32.const 0xfff)) (local.get $t))
    (block $out (result i64)
      (if (i32.gt_s (local.tee $t (i32.rem_s (local.get $a) (i32.const 7))) (i32.const 3))
        (then (br $out (i64.mul (local.get $b) (i64.const 3)))))
      (drop (br_if $out (i64.add (local.get $b) (i64.extend_i32_s (call $tick (local.get $t)))) (i64.lt_s (local.get $b) (i64.const 100))))
      (i64.xor (local.get $b) (i64.extend_i32_u (i32.load (i32.and (local.get $a) (i32.const 0xfff)))))))
  (func $gen (result i64) (local $i i32) (local $s i64)
    (local.set $s (i64.const 1))
    (loop $l
      (local.get $i)
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (local.set $s (call $step (local.get $s)))
      (suspend $y (local.get $s))
      (global.set $g (i32.add (global.get $g) (i32.const 1)))
      (br_if $l (i32.lt_u (local.get $i) (i32.const 200))))
    (local.get $s))
  (func $maybe (param $n i32)
    (if (i32.eqz (i32.rem_u (local.get $n) (i32.const 5))) (then (throw $x (local.get $n)))))
  (elem declare func $gen)
  (func (export "run") (result i64) (local $c (ref null $k)) (local $h i64) (local $n i32)
    (local.set $c (cont.new $k (ref.func $gen)))
    (loop $next
      (block $on (result i64 (ref $k))
        (return (i64.add (i64.add (local.get $h) (i64.extend_i32_u (global.get $g))) (resume $k (on $y $on) (local.get $c)))))
      (local.set $c)
      (local.set $h (i64.rotl (i64.add (local.get $h)) (i64.const 7)))
      (block $skip
        (local.set $n (i32.add (local.get $n) (block $caught (result i32)
          (try_table (catch $x $caught) (call $maybe (local.get $n)))
          (br_if $caught (i32.const 1) (i32.ne (call $tick (local.get $n)) (i32.const -1)))
          (br $skip)))))
      (local.set $n (i32.add (local.get $n) (i32.const 2)))
      (br $next))
    (unreachable)))`

// A comparison whose result is dropped does not join the branch after it.
func TestDroppedComparison(t *testing.T) {
	u, err := loader.Text(source.NewFile("dropped.wat", `(module (func (export "run") (param i32) (result i32)
	  (i32.lt_u (local.get 0) (i32.const 5)) (drop)
	  (if (result i32) (i32.const 1) (then (i32.const 7)) (else (i32.const 8)))))`), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, err := vm.New(vm.Options{}).Instantiate(context.Background(), u.Module, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int32{3, 9} {
		if r, err := in.Invoke(context.Background(), "run", vm.I32(n)); err != nil || r[0].I32() != 7 {
			t.Errorf("run(%d) = %v, %v", n, r, err)
		}
	}
}

// A loop that begins with a branch into its body, not out of it, has a safe point in each round
// too.
func TestLoopsTakeFuel(t *testing.T) {
	u, err := loader.Text(source.NewFile("loop.wat", `(module (func (export "run") (param $i i64) (local $n i64)
	  (block $done
	    (loop $again
	      (if (i64.eq (local.get $i) (i64.const 0)) (then (br $done)) (else (local.set $n (i64.add (local.get $n) (local.get $i)))))
	      (br $again)))))`), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, baseline := range []bool{true, false} {
		m := vm.New(vm.Options{Fuel: 1000, Baseline: baseline})
		in, err := m.Instantiate(context.Background(), u.Module, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		_, err = in.Invoke(ctx, "run", vm.I64(1))
		cancel()
		var trap *vm.Trap
		if !errors.As(err, &trap) || trap.Kind != wasm.TrapOutOfFuel {
			t.Errorf("baseline %v: %v", baseline, err)
		}
	}
}

// The forms give the same result, also if the form changes while frames are in progress.
func TestForms(t *testing.T) {
	u, err := loader.Text(source.NewFile("mixed.wat", mixedProgram), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(baseline bool, change func(m *vm.Machine, n int)) int64 {
		m := vm.New(vm.Options{Baseline: baseline})
		n := 0
		tick := m.NewFunc("tick", []wasm.ValType{wasm.I32}, []wasm.ValType{wasm.I32}, func(c *vm.Call) error {
			n++
			change(m, n)
			c.ReturnI32(0, c.I32(0)*3+1)
			return nil
		})
		in, err := m.Instantiate(context.Background(), u.Module, "", vm.ImportMap{"m": {"tick": tick}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := in.Invoke(context.Background(), "run")
		if err != nil {
			t.Fatal(err)
		}
		return r[0].I64()
	}
	ticks := 0
	want := run(true, func(_ *vm.Machine, n int) { ticks = n })
	if ticks < 100 {
		t.Fatal(ticks)
	}
	probe := func(*vm.Stop) {}
	for name, change := range map[string]func(m *vm.Machine, n int){
		"fused":        func(*vm.Machine, int) {},
		"instrumented": func(m *vm.Machine, n int) { m.SetProbe(probe); m.SetStepping(true) },
		"all": func(m *vm.Machine, n int) {
			m.SetStepping(n%3 == 0)
			if m.SetProbe(nil); n%3 == 1 {
				m.SetProbe(probe)
			}
		},
		"stop while stepping": func(m *vm.Machine, n int) {
			left := n % 13
			m.SetProbe(func(*vm.Stop) {
				if left--; left < 0 {
					m.SetStepping(false)
					m.SetProbe(nil)
				}
			})
			m.SetStepping(true)
		},
		"pauses": func(m *vm.Machine, n int) {
			m.SetProbe(func(*vm.Stop) { m.SetProbe(nil) })
			m.RequestPause()
		},
	} {
		if got := run(false, change); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
}
