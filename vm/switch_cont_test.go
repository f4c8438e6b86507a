package vm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/wasm"
)

const contPrelude = `
  (type $f (func)) (type $k (cont $f))
  (type $fi (func (param i32))) (type $ki (cont $fi))
  (type $fii (func (param i32) (result i32))) (type $kii (cont $fii))
  (type $fr (func (result i32))) (type $kr (cont $fr))
  (tag $e) (tag $v (param i32)) (tag $ask (param i32) (result i32)) (tag $x (param i32))
`

// Each program exports `run : [] -> [i32]`. want is its result, or the beginning of the text of its
// trap.
var contPrograms = []struct{ name, want, text string }{
	{"handler label is a loop", "3", `
	  (global $n (mut i32) (i32.const 0))
	  (func $g (suspend $e) (suspend $e) (suspend $e))
	  (elem declare func $g)
	  (func (export "run") (result i32)
	    (global.set $n (i32.const 0))
	    (cont.new $k (ref.func $g))
	    (loop $l (param (ref $k))
	      (global.set $n (i32.add (global.get $n) (i32.const 1)))
	      (resume $k (on $e $l)))
	    (i32.sub (global.get $n) (i32.const 1)))`},
	{"a segment is resumed at its leaf", "42", `
	  (func $leaf (result i32) (suspend $ask (i32.const 20)))
	  (func $mid (result i32) (i32.add (i32.const 1) (resume $kr (cont.new $kr (ref.func $leaf)))))
	  (elem declare func $leaf $mid)
	  (func (export "run") (result i32) (local $c (ref null $kii)) (local $p i32)
	    (block $h (result i32 (ref $kii))
	      (resume $kr (on $ask $h) (cont.new $kr (ref.func $mid)))
	      (return (i32.const -1)))
	    (local.set $c) (local.set $p)
	    (resume $kii (i32.add (local.get $p) (i32.const 21)) (local.get $c)))`},
	{"arguments are bound to a suspended stack, in order", "123", `
	  (type $f3 (func (param i32 i64 i32) (result i32))) (type $k3 (cont $f3))
	  (type $f2 (func (param i64 i32) (result i32))) (type $k2 (cont $f2))
	  (tag $three (result i32 i64 i32))
	  (func $g (result i32) (local $a i32) (local $b i64) (local $c i32)
	    (suspend $three) (local.set $c) (local.set $b) (local.set $a)
	    (i32.add (i32.mul (i32.const 100) (local.get $a))
	      (i32.add (i32.mul (i32.const 10) (i32.wrap_i64 (local.get $b))) (local.get $c))))
	  (elem declare func $g)
	  (func (export "run") (result i32) (local $c (ref null $k3))
	    (block $h (result (ref $k3))
	      (resume $kr (on $three $h) (cont.new $kr (ref.func $g)))
	      (return (i32.const -1)))
	    (local.set $c)
	    (resume $kr (cont.bind $kii $kr (i32.const 3) (cont.bind $k2 $kii (i64.const 2) (cont.bind $k3 $k2 (i32.const 1) (local.get $c))))))`},
	{"values of every class travel", "15", `
	  (type $fm (func (param i32 v128 externref f64) (result externref i32 v128))) (type $km (cont $fm))
	  (type $fb (func (param v128 externref f64) (result externref i32 v128))) (type $kb (cont $fb))
	  (func $g (type $fm) (local.get 2) (i32.add (local.get 0) (i32.trunc_f64_s (local.get 3))) (local.get 1))
	  (elem declare func $g)
	  (func (export "run") (result i32) (local $r externref) (local $i i32) (local $v v128)
	    (v128.const i32x4 1 2 3 4) (ref.null extern) (f64.const 7)
	    (i32.const 4) (cont.new $km (ref.func $g)) (cont.bind $km $kb)
	    (resume $kb)
	    (local.set $v) (local.set $i) (local.set $r)
	    (i32.add (i32.add (local.get $i) (i32x4.extract_lane 2 (local.get $v))) (ref.is_null (local.get $r))))`},
	{"suspended deep inside calls", "5050", `
	  (func $rec (param $n i32) (result i32)
	    (if (i32.eqz (local.get $n)) (then (suspend $e) (return (i32.const 0))))
	    (i32.add (local.get $n) (call $rec (i32.sub (local.get $n) (i32.const 1)))))
	  (func $g (result i32) (call $rec (i32.const 100)))
	  (elem declare func $g)
	  (func (export "run") (result i32)
	    (block $h (result (ref $kr))
	      (resume $kr (on $e $h) (cont.new $kr (ref.func $g)))
	      (return (i32.const -1)))
	    (resume $kr))`},
	{"only a clause of the right kind counts", "7", `
	  (func $g (suspend $e))
	  (func $mid (resume $k (on $e switch) (cont.new $k (ref.func $g))))
	  (elem declare func $g $mid)
	  (func (export "run") (result i32)
	    (block $h (result (ref $k))
	      (resume $k (on $e $h) (cont.new $k (ref.func $mid)))
	      (return (i32.const -1)))
	    (resume $k)
	    (i32.const 7))`},
	{"tags are compared by identity", "unhandled tag $x", `
	  (func $g (suspend $x (i32.const 1)))
	  (elem declare func $g)
	  (func (export "run") (result i32)
	    (block $h (result i32 (ref $k))
	      (resume $k (on $v $h) (cont.new $k (ref.func $g)))
	      (return (i32.const -1)))
	    (unreachable))`},
	{"an exception leaves a continuation", "9", `
	  (func $g (throw $x (i32.const 9)))
	  (elem declare func $g)
	  (func (export "run") (result i32)
	    (block $c (result i32)
	      (try_table (catch $x $c) (resume $k (cont.new $k (ref.func $g))))
	      (unreachable)))`},
	{"resume_throw reaches the leaf of a segment", "30", `
	  (global $trace (mut i32) (i32.const 0))
	  (func $leaf
	    (block $c (result i32)
	      (try_table (catch $x $c) (suspend $e))
	      (unreachable))
	    (global.set $trace))
	  (func $mid
	    (resume $k (cont.new $k (ref.func $leaf)))
	    (global.set $trace (i32.mul (global.get $trace) (i32.const 2))))
	  (elem declare func $leaf $mid)
	  (func (export "run") (result i32) (local $c (ref null $k))
	    (block $h (result (ref $k))
	      (resume $k (on $e $h) (cont.new $k (ref.func $mid)))
	      (return (i32.const -1)))
	    (local.set $c)
	    (resume_throw $k $x (i32.const 15) (local.get $c))
	    (global.get $trace))`},
	{"resume_throw kills what has not begun", "4", `
	  (func $g (unreachable))
	  (elem declare func $g)
	  (func (export "run") (result i32) (local $c (ref null $k))
	    (local.set $c (cont.new $k (ref.func $g)))
	    (block $h (result i32)
	      (try_table (catch $x $h) (resume_throw $k $x (i32.const 4) (local.get $c)))
	      (unreachable)))`},
	{"a consumed continuation is stale after resume_throw", "continuation already consumed", `
	  (func $g)
	  (elem declare func $g)
	  (func (export "run") (result i32) (local $c (ref null $k))
	    (local.set $c (cont.new $k (ref.func $g)))
	    (block $h (result i32)
	      (try_table (catch $x $h) (resume_throw $k $x (i32.const 4) (local.get $c)))
	      (unreachable))
	    (drop)
	    (resume $k (local.get $c))
	    (i32.const 0))`},
	{"null is found before stale state, left to right", "null exception reference", `
	  (func (export "run") (result i32)
	    (resume_throw_ref $k (ref.null exn) (ref.null $k))
	    (i32.const 0))`},
	{"nothing is consumed by a failed switch", "unhandled tag $e", `
	  (rec (type $fs (func (param (ref null $ks)))) (type $ks (cont $fs)))
	  (func $g (type $fs))
	  (elem declare func $g)
	  (func (export "run") (result i32)
	    (drop (switch $ks $e (cont.new $ks (ref.func $g))))
	    (i32.const 0))`},
	{"a barrier stops a search", "suspension across a barrier", `
	  (func $g (barrier $b (suspend $e)))
	  (elem declare func $g)
	  (func (export "run") (result i32)
	    (block $h (result (ref $k))
	      (resume $k (on $e $h) (cont.new $k (ref.func $g)))
	      (return (i32.const -1)))
	    (drop) (i32.const 0))`},
	{"a barrier around the resume's parent is after its clauses", "3", `
	  (func $g (suspend $e))
	  (elem declare func $g)
	  (func (export "run") (result i32)
	    (barrier $b (result i32)
	      (block $h (result (ref $k))
	        (resume $k (on $e $h) (cont.new $k (ref.func $g)))
	        (br $b (i32.const -1)))
	      (drop) (i32.const 3)))`},
	{"a barrier lets branches and exceptions pass", "8", `
	  (func $g (barrier (throw $x (i32.const 5))))
	  (func (export "run") (result i32)
	    (i32.add
	      (block $c (result i32) (try_table (catch $x $c) (call $g)) (i32.const 0))
	      (block $o (result i32) (barrier $b (result i32) (br $o (i32.const 3))))))`},
	{"after a barrier again all is well", "1", `
	  (func $g (barrier (nop)) (suspend $e))
	  (elem declare func $g)
	  (func (export "run") (result i32)
	    (block $h (result (ref $k))
	      (resume $k (on $e $h) (cont.new $k (ref.func $g)))
	      (return (i32.const -1)))
	    (drop) (i32.const 1))`},
	{"a tail call in a continuation", "11", `
	  (func $big (param i32) (result i32) (local i64 i64 i64 externref externref) (suspend $e) (local.get 0))
	  (func $g (param i32) (result i32) (return_call $big (i32.add (local.get 0) (i32.const 1))))
	  (elem declare func $g)
	  (func (export "run") (result i32)
	    (block $h (result (ref $kr))
	      (return (resume $kii (on $e $h) (i32.const 10) (cont.new $kii (ref.func $g)))))
	    (resume $kr))`},
	{"resumed twice", "continuation already consumed", `
	  (func $g)
	  (elem declare func $g)
	  (func (export "run") (result i32) (local $c (ref null $k))
	    (local.set $c (cont.new $k (ref.func $g)))
	    (resume $k (local.get $c)) (resume $k (local.get $c)) (i32.const 0))`},
	{"a new stack does not revive old references", "continuation already consumed", `
	  (func $g)
	  (elem declare func $g)
	  (func (export "run") (result i32) (local $c (ref null $k))
	    (local.set $c (cont.new $k (ref.func $g)))
	    (resume $k (local.get $c))
	    (drop (cont.new $k (ref.func $g)))
	    (resume $k (local.get $c)) (i32.const 0))`},
}

func TestCont(t *testing.T) {
	for _, p := range contPrograms {
		t.Run(p.name, func(t *testing.T) {
			m, in := instance(t, `(module (@stack-switching "cont")`+contPrelude+p.text+")")
			for _, stepping := range []bool{false, true} {
				m.SetStepping(stepping)
				got := outcome(in.Invoke(context.Background(), "run"))
				if !strings.HasPrefix(got, p.want) {
					t.Errorf("stepping %v: got %q, want %q", stepping, got, p.want)
				}
				if n := len(m.LiveStacks(0)); n != 0 {
					t.Errorf("%d stacks live", n)
				}
				if _, err := in.Invoke(context.Background(), "none"); !errors.Is(err, vm.ErrNoExport) {
					t.Error(err)
				}
			}
		})
	}
}

func outcome(vs []vm.Value, err error) string {
	var c *vm.Crash
	if errors.As(err, &c) {
		return c.Error() + "\n" + c.Stack
	}
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(vs[0].I32())
}

func instance(t testing.TB, text string) (*vm.Machine, *vm.Instance) {
	t.Helper()
	u, err := loader.Text(source.NewFile("test.wat", text), analysis.Options{Dialect: wasm.DialectCont})
	if err != nil {
		t.Fatal(err)
	}
	m := vm.New(vm.Options{})
	in, err := m.Instantiate(context.Background(), u.Module, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, in
}
