package vm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/wasm"
)

const handlePrelude = `
  (type $ft (fiber (result i32)))
  (type $void (fiber))
  (tag $go) (tag $v (param i32)) (tag $in (param i32)) (tag $x (param i32)) (tag $none)
  (tag $wide (param i32 (ref null $ft) i64))
  (global $g (mut i32) (i32.const 0))
  (global $a (mut (ref null $ft)) (ref.null $ft))
  (global $b (mut (ref null $ft)) (ref.null $ft))
  ;; yields n, n+1 … for each $go, ends with an $in
  (func $gen (param $me (ref null $ft)) (param $n i32) (result i32)
    (unreachable)
    (event $go
      (loop $l
        (handle
          (local.set $n (i32.add (local.get $n) (i32.const 1)))
          (fiber.suspend (local.get $me) $v (i32.sub (local.get $n) (i32.const 1)))
          (event $go (br $l))))
      (unreachable))
    (event $in))
  ;; resumes with $go: the value of its $v, or of its return and 1000
  (func $next (param $f (ref null $ft)) (result i32)
    (handle (result i32)
      (i32.add (i32.const 1000) (fiber.resume (local.get $f) $go))
      (event $v)))
  (func $end (param $me (ref null $ft)) (result i32) (unreachable) (event $go (i32.const 7)))
  (func $throws (param $me (ref null $ft)) (result i32) (unreachable) (event $go (throw $x (i32.const 5))))
`

var handlePrograms = []program{
	{"a generator", "33", `
	  (func (export "run") (result i32) (local $f (ref null $ft))
	    (local.set $f (fiber.new $gen (i32.const 10)))
	    (i32.add (call $next (local.get $f)) (i32.add (call $next (local.get $f)) (call $next (local.get $f)))))`},
	{"a return goes on after the resume", "1007", `
	  (func (export "run") (result i32) (call $next (fiber.new $end)))`},
	{"a clause of the function", "99", `
	  (func (export "run") (result i32) (local $f (ref null $ft))
	    (local.set $f (fiber.new $gen (i32.const 10)))
	    (drop (call $next (local.get $f)))
	    (fiber.resume (local.get $f) $in (i32.const 99)))`},
	{"an event for a new fiber", "98", `
	  (func (export "run") (result i32) (fiber.resume (fiber.new $gen (i32.const 10)) $in (i32.const 98)))`},
	{"spawn enters the body", "31", `
	  (func $f (param $me (ref null $ft)) (param $n i32) (result i32)
	    (i32.add (local.get $n) (i32.const 1))
	    (event $go (unreachable)))
	  (func (export "run") (result i32) (fiber.spawn $f (i32.const 30)))`},
	{"spawn and suspend", "8", `
	  (func $f (param $me (ref null $ft)) (result i32)
	    (global.set $a (local.get $me))
	    (fiber.suspend (local.get $me) $v (i32.const 5))
	    (event $go (i32.const 3)))
	  (func (export "run") (result i32)
	    (i32.add
	      (handle (result i32) (fiber.spawn $f) (drop) (unreachable) (event $v))
	      (fiber.resume (global.get $a) $go)))`},
	{"a spawned function needs no clauses", "4", `
	  (func $f (param $me (ref null $ft)) (result i32) (i32.const 4))
	  (func (export "run") (result i32) (fiber.spawn $f))`},
	{"resume of a function without clauses", "unhandled event $go", `
	  (func $f (param $me (ref null $ft)) (result i32) (i32.const 4))
	  (func (export "run") (result i32) (fiber.resume (fiber.new $f) $go))`},
	{"no clause for an event", "unhandled event $none", `
	  (func (export "run") (result i32) (fiber.resume (fiber.new $end) $none))`},
	{"no clause in the parent", "unhandled event $v", `
	  (func (export "run") (result i32) (fiber.resume (fiber.new $gen (i32.const 1)) $go))`},
	{"inner clauses first", "21", `
	  (func (export "run") (result i32)
	    (handle $out (result i32)
	      (handle $in (result i32)
	        (fiber.resume (fiber.new $gen (i32.const 1)) $go)
	        (event $v (i32.add (i32.const 20))))
	      (event $v (drop) (i32.const -1))))`},
	{"the first clause of a handle", "21", `
	  (func (export "run") (result i32)
	    (handle (result i32)
	      (fiber.resume (fiber.new $gen (i32.const 1)) $go)
	      (event $none (i32.const -2))
	      (event $v (i32.add (i32.const 20)))
	      (event $v (drop) (i32.const -1))))`},
	{"outer clauses, too", "51", `
	  (func (export "run") (result i32)
	    (handle (result i32)
	      (handle (result i32)
	        (fiber.resume (fiber.new $gen (i32.const 1)) $go)
	        (event $none (i32.const -2)))
	      (event $v (i32.add (i32.const 50)))))`},
	{"in a clause its own handle's clauses are in scope", "3", `
	  (func (export "run") (result i32) (local $f (ref null $ft))
	    (local.set $f (fiber.new $gen (i32.const 0)))
	    (handle (result i32)
	      (fiber.resume (local.get $f) $go)
	      (event $v
	        (if (param i32) (result i32) (i32.eq (global.get $g) (i32.const 3))
	          (then)
	          (else (drop) (global.set $g (i32.add (global.get $g) (i32.const 1))) (fiber.resume (local.get $f) $go))))))`},
	{"labels of a clause and of its handle", "12", `
	  (func (export "run") (result i32)
	    (i32.add
	      (handle $h (result i32)
	        (fiber.resume (fiber.new $gen (i32.const 1)) $go)
	        (event $c $v (br $c (i32.const 2)) (unreachable)))
	      (handle $h (result i32)
	        (fiber.resume (fiber.new $gen (i32.const 1)) $go)
	        (event $c $v (drop) (br $h (i32.const 10)) (unreachable)))))`},
	{"a branch out of a handle's body", "6", `
	  (func (export "run") (result i32) (handle $h (result i32) (br $h (i32.const 6)) (unreachable) (event $v (drop) (i32.const 1))))`},
	{"parameters of the handle come to the clause", "1234", `
	  (func (export "run") (result i32) (local $p i32) (local $q i32)
	    (i32.const 1) (i64.const 2) (i32.const 3)
	    (handle (param i32 i64 i32) (result i32)
	      (drop) (drop) (drop)
	      (i32.const 7) (i32.const 8) (i32.const 9)
	      (drop (fiber.resume (fiber.new $gen (i32.const 4)) $go))
	      (drop) (drop)
	      (event $v (param i64 i32 i32) (result i32)
	        (local.set $p) (local.set $q)
	        (i32.wrap_i64)
	        (i32.add (i32.const 10))
	        (i32.mul (i32.const 10)) (i32.add (local.get $q))
	        (i32.mul (i32.const 10)) (i32.add (local.get $p)))))`},
	{"saved references, at each entry again", "3", `
	  (func (export "run") (result i32) (local $f (ref null $ft)) (local $n i32) (local $r i32)
	    (local.set $f (fiber.new $gen (i32.const 0)))
	    (loop $l
	      (local.get $f) (local.get $n)
	      (handle (param (ref null $ft) i32)
	        (drop)
	        (local.set $f (ref.null $ft))
	        (fiber.resume $go) (drop)
	        (event $v (param (ref null $ft) i32 i32)
	          (drop) (local.set $r) (local.set $f)))
	      (local.set $n (i32.add (local.get $n) (i32.const 1)))
	      (br_if $l (i32.lt_u (local.get $n) (i32.const 4))))
	    (local.get $r))`},
	{"falling out of a handle", "2", `
	  (func (export "run") (result i32) (handle (result i32) (i32.const 2) (event $v) (event $go (unreachable))))`},
	{"handles inside code that is never reached", "2", `
	  (func (export "run") (result i32)
	    (return (i32.const 2))
	    (handle (result i32) (i32.const 3) (event $v) (event $go (handle (event $go)) (unreachable))))`},
	{"an exception goes on in the parent", "5", `
	  (func (export "run") (result i32)
	    (block $h (result i32)
	      (try_table (catch $x $h) (drop (call $next (fiber.new $throws))))
	      (i32.const -1)))`},
	{"after its exception a fiber is moribund", "fiber is moribund", `
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $throws))
	    (block $h (result i32)
	      (try_table (catch $x $h) (drop (call $next (global.get $a))))
	      (i32.const -1))
	    (drop)
	    (call $next (global.get $a)))`},
	{"a fiber that has returned", "fiber is moribund", `
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $end))
	    (drop (call $next (global.get $a)))
	    (call $next (global.get $a)))`},
	{"resume of null", "null fiber reference", `(func (export "run") (result i32) (call $next (ref.null $ft)))`},
	{
		"suspend of null", "null fiber reference",
		`(func (export "run") (result i32) (fiber.suspend (ref.null $ft) $go))`,
	},
	{"retire of null", "null fiber reference", `(func (export "run") (result i32) (fiber.retire (ref.null $ft) $go))`},
	{
		"switch from null", "null fiber reference",
		`(func (export "run") (result i32) (fiber.switch (ref.null $ft) (ref.null $ft) $go))`,
	},
	{
		"retireto from null", "null fiber reference",
		`(func (export "run") (result i32) (fiber.retireto (ref.null $ft) (ref.null $ft) $go))`,
	},
	{
		"release of null", "null fiber reference",
		`(func (export "run") (result i32) (fiber.release (ref.null $ft)) (i32.const 0))`,
	},
	{"switch to null", "null fiber reference", `
	  (func $f (param $me (ref null $ft)) (result i32) (fiber.switch (local.get $me) (ref.null $ft) $go))
	  (func (export "run") (result i32) (fiber.spawn $f))`},
	{"release of a moribund fiber", "fiber is moribund", `
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $end))
	    (fiber.release (global.get $a)) (fiber.release (global.get $a)) (i32.const 0))`},
	{"release of the running fiber", "fiber is not suspended", `
	  (func $f (param $me (ref null $ft)) (result i32) (fiber.release (local.get $me)) (i32.const 1))
	  (func (export "run") (result i32) (fiber.spawn $f))`},
	{"resume of the running fiber", "fiber is not suspended", `
	  (func $f (param $me (ref null $ft)) (result i32) (fiber.resume (local.get $me) $go))
	  (func (export "run") (result i32) (fiber.spawn $f))`},
	{"suspend of what is not active", "fiber is not current nor an ancestor", `
	  (func (export "run") (result i32) (fiber.suspend (fiber.new $end) $go))`},
	{"retire of what is not active", "fiber is not current nor an ancestor", `
	  (func (export "run") (result i32) (fiber.retire (fiber.new $end) $go))`},
	{"switch", "1018", `
	  (func $two (param $me (ref null $ft)) (result i32) (unreachable) (event $in (i32.add (i32.const 1))))
	  (func $one (param $me (ref null $ft)) (result i32) (unreachable)
	    (event $go (fiber.switch (local.get $me) (fiber.new $two) $in (i32.const 17))))
	  (func (export "run") (result i32) (call $next (fiber.new $one)))`},
	{"what was switched from can be resumed", "1044", `
	  (func $two (param $me (ref null $ft)) (result i32) (unreachable) (event $go (fiber.resume (global.get $a) $in (i32.const 40))))
	  (func $one (param $me (ref null $ft)) (result i32) (unreachable)
	    (event $go
	      (global.set $a (local.get $me))
	      (handle (result i32)
	        (fiber.switch (local.get $me) (fiber.new $two) $go)
	        (event $in (i32.add (i32.const 4))))))
	  (func (export "run") (result i32) (call $next (fiber.new $one)))`},
	{"switch to itself", "1042", `
	  (func $f (param $me (ref null $ft)) (result i32) (unreachable)
	    (event $go (handle (result i32) (fiber.switch (local.get $me) (local.get $me) $in (i32.const 42)) (event $in))))
	  (func (export "run") (result i32) (call $next (fiber.new $f)))`},
	{"switch to itself, with saved values", "1142", `
	  (func $f (param $me (ref null $ft)) (result i32) (unreachable)
	    (event $go
	      (local.get $me) (ref.null $ft) (local.get $me) (i32.const 100)
	      (handle (param (ref null $ft) (ref null $ft) (ref null $ft) i32) (result i32)
	        (drop) (drop) (drop) (drop)
	        (fiber.switch (local.get $me) (local.get $me) $wide (i32.const 42) (local.get $me) (i64.const 1))
	        (event $wide (param (ref null $ft) (ref null $ft) (ref null $ft) i32 i32 (ref null $ft) i64) (result i32)
	          (drop) (global.set $a) (i32.add) (global.set $g) (drop) (drop) (drop)
	          (if (ref.is_null (global.get $a)) (then (unreachable)))
	          (global.get $g)))))
	  (func (export "run") (result i32) (call $next (fiber.new $f)))`},
	{"retireto itself", "fiber is not suspended", `
	  (func $f (param $me (ref null $ft)) (result i32) (unreachable)
	    (event $go (fiber.retireto (local.get $me) (local.get $me) $in (i32.const 42))) (event $in))
	  (func (export "run") (result i32) (call $next (fiber.new $f)))`},
	{"switch to an active fiber", "fiber is not suspended", `
	  (func $in (param $me (ref null $ft)) (result i32) (fiber.switch (local.get $me) (global.get $a) $go))
	  (func $out (param $me (ref null $ft)) (result i32) (global.set $a (local.get $me)) (fiber.spawn $in))
	  (func (export "run") (result i32) (fiber.spawn $out))`},
	{"retire", "fiber is moribund", `
	  (func $f (param $me (ref null $ft)) (result i32) (unreachable) (event $go (fiber.retire (local.get $me) $v (i32.const 3))))
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $f))
	    (if (i32.ne (call $next (global.get $a)) (i32.const 3)) (then (return (i32.const -1))))
	    (call $next (global.get $a)))`},
	{"retireto", "fiber is moribund", `
	  (func $two (param $me (ref null $ft)) (result i32) (unreachable) (event $go (fiber.resume (global.get $a) $go)))
	  (func $one (param $me (ref null $ft)) (result i32) (unreachable)
	    (event $go (global.set $a (local.get $me)) (fiber.retireto (local.get $me) (fiber.new $two) $go)))
	  (func (export "run") (result i32) (call $next (fiber.new $one)))`},
	{"suspending an ancestor detaches a segment", "1014", `
	  (func $inner (param $me (ref null $ft)) (result i32)
	    (fiber.suspend (global.get $a) $v (i32.const 1))
	    (event $go (i32.const 10)))
	  (func $outer (param $me (ref null $ft)) (result i32) (unreachable)
	    (event $go (i32.add (fiber.spawn $inner) (i32.const 3))))
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $outer))
	    (i32.add (call $next (global.get $a)) (call $next (global.get $a))))`},
	{"a fiber within a segment cannot be resumed", "fiber is not suspended", `
	  (func $inner (param $me (ref null $ft)) (result i32)
	    (global.set $b (local.get $me))
	    (fiber.suspend (global.get $a) $v (i32.const 1))
	    (event $go (i32.const 10)))
	  (func $outer (param $me (ref null $ft)) (result i32) (unreachable) (event $go (fiber.spawn $inner)))
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $outer))
	    (drop (call $next (global.get $a)))
	    (call $next (global.get $b)))`},
	{"retiring an ancestor takes the segment along", "fiber is moribund", `
	  (func $inner (param $me (ref null $ft)) (result i32)
	    (global.set $b (local.get $me))
	    (fiber.retire (global.get $a) $v (i32.const 1)))
	  (func $outer (param $me (ref null $ft)) (result i32) (unreachable) (event $go (fiber.spawn $inner)))
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $outer))
	    (drop (call $next (global.get $a)))
	    (call $next (global.get $b)))`},
	{"release takes the segment along", "fiber is moribund", `
	  (func $inner (param $me (ref null $ft)) (result i32)
	    (global.set $b (local.get $me))
	    (fiber.suspend (global.get $a) $v (i32.const 1)))
	  (func $outer (param $me (ref null $ft)) (result i32) (unreachable) (event $go (fiber.spawn $inner)))
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $outer))
	    (drop (call $next (global.get $a)))
	    (fiber.release (global.get $a))
	    (call $next (global.get $b)))`},
	{"another fiber returns what was not expected", "fiber result type mismatch", `
	  (func $two (param $me (ref null $void)) (unreachable) (event $go))
	  (func $one (param $me (ref null $ft)) (result i32) (unreachable)
	    (event $go (fiber.switch (local.get $me) (fiber.new $two) $go)))
	  (func (export "run") (result i32) (call $next (fiber.new $one)))`},
	{"values of every class", "13", `
	  (func $f (param $me (ref null $ft)) (param $i i64) (param $r (ref null $ft)) (result i32) (local $p i32) (local $q (ref null $ft)) (local $s i64)
	    (unreachable)
	    (event $wide
	      (local.set $s) (local.set $q) (local.set $p)
	      (fiber.suspend (local.get $me) $wide (i32.wrap_i64 (local.get $i)) (local.get $q) (i64.add (local.get $s) (i64.extend_i32_u (local.get $p))))))
	  (func (export "run") (result i32) (local $i i64) (local $t (ref null $ft))
	    (handle (result i32)
	      (fiber.resume (fiber.new $f (i64.const 4) (ref.null $ft)) $wide (i32.const 7) (fiber.new $end) (i64.const 1))
	      (event $wide
	        (local.set $i) (local.set $t)
	        (i32.add (i32.wrap_i64 (local.get $i)))
	        (i32.add (i32.eqz (ref.is_null (local.get $t)))))))`},
	{"many live fibers", "20000", `
	  (table $t 20000 (ref null $ft))
	  (func (export "run") (result i32) (local $i i32) (local $n i32)
	    (loop $fill
	      (table.set $t (local.get $i) (fiber.new $gen (local.get $i)))
	      (drop (call $next (table.get $t (local.get $i))))
	      (br_if $fill (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 20000))))
	    (local.set $i (i32.const 0))
	    (loop $all
	      (local.set $n (i32.add (local.get $n) (i32.eq (call $next (table.get $t (local.get $i))) (i32.add (local.get $i) (i32.const 1)))))
	      (br_if $all (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 20000))))
	    (local.get $n))`},
}

func TestHandle(t *testing.T) {
	runPrograms(t, wasm.DialectFibersHandle, `(@stack-switching "fibers-handle")`+handlePrelude, handlePrograms)
}

// A fiber lives on over calls of the host; a call of the host, a stack of another dialect and a
// barrier end the search for an ancestor.
func TestHandleLinked(t *testing.T) {
	m := vm.New(vm.Options{})
	ctx := context.Background()
	var ins []*vm.Instance
	var inner string
	again := m.NewFunc("again", nil, nil, func(c *vm.Call) error {
		_, err := ins[0].Invoke(ctx, "leave")
		inner = err.Error()
		return nil
	})
	src := `(module (@stack-switching "fibers-handle")
	  (type $ft (fiber (result i32)))
	  (import "host" "again" (func $again))
	  (table $via 1 funcref)
	  (export "via" (table $via))
	  (type $f (func))
	  (tag $go) (tag $v (param i32))
	  (global $me (mut (ref null $ft)) (ref.null $ft))
	  (func $leave (export "leave") (fiber.suspend (global.get $me) $v (i32.const 1)))
	  (func $count (param $me (ref null $ft)) (result i32) (local $n i32)
	    (unreachable)
	    (event $go (loop $l
	      (local.set $n (i32.add (local.get $n) (i32.const 1)))
	      (handle (fiber.suspend (local.get $me) $v (local.get $n)) (event $go)) (br $l)) (unreachable)))
	  (global $c (mut (ref null $ft)) (ref.null $ft))
	  (func (export "count") (result i32)
	    (if (ref.is_null (global.get $c)) (then (global.set $c (fiber.new $count))))
	    (handle (result i32) (fiber.resume (global.get $c) $go) (event $v)))
	  (func $host (param $me (ref null $ft)) (result i32) (global.set $me (local.get $me)) (call $again) (i32.const 7))
	  (func (export "host") (result i32) (fiber.spawn $host))
	  (func $other (param $me (ref null $ft)) (result i32) (global.set $me (local.get $me)) (call_indirect $via (type $f) (i32.const 0)) (i32.const 8))
	  (func (export "other") (result i32) (handle (result i32) (fiber.spawn $other) (event $v))))`
	ins = texts(t, m, vm.ImportMap{"host": {"again": again}}, src, `(module (@stack-switching "cont")
	  (import "m0" "leave" (func $leave))
	  (import "m0" "via" (table $via 1 funcref))
	  (type $f (func)) (type $k (cont $f))
	  (func $resumes (resume $k (cont.new $k (ref.func $leave))))
	  (func $barred (barrier (call $leave)))
	  (elem declare func $leave $resumes $barred)
	  (func (export "0") (table.set $via (i32.const 0) (ref.func $leave)))
	  (func (export "1") (table.set $via (i32.const 0) (ref.func $resumes)))
	  (func (export "2") (table.set $via (i32.const 0) (ref.func $barred))))`)
	for _, want := range []string{"1", "2", "3"} {
		if got := outcome(ins[0].Invoke(ctx, "count")); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	if got := outcome(ins[0].Invoke(ctx, "host")); got != "7" ||
		inner != "fiber is not current nor an ancestor (a call of the host is in between)" {
		t.Error(got, inner)
	}
	for name, want := range map[string]string{"0": "1", "1": "fiber is not current nor an ancestor (a stack of the dialect cont is in between)",
		"2": "fiber is not current nor an ancestor (a barrier is in between)"} {
		if _, err := ins[1].Invoke(ctx, name); err != nil {
			t.Fatal(err)
		}
		if got := outcome(ins[0].Invoke(ctx, "other")); got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
}

// Many instructions in a handle share its clauses; many handles in each other, whose clauses are in
// scope in all that they contain, are refused beyond a bound. Neither takes memory in proportion to
// the square of the text.
func TestManyClausesInScope(t *testing.T) {
	const n = 3000
	tags, resumes, events, nested, ends := "", "", "", "", ""
	for i := range n {
		resume, event := fmt.Sprintf("local.get $f fiber.resume $e%d\n", i), fmt.Sprintf("event $e%d\n", i)
		tags += fmt.Sprintf("(tag $e%d)\n", i)
		resumes, nested = resumes+resume, nested+"handle "+resume
		events, ends = events+event, ends+event+"end\n"
	}
	for text, want := range map[string]string{
		"handle " + resumes + events + "end\n": "null fiber reference",
		nested + ends:                          "the event clauses of function $run are nested too deeply: those in scope in its handles are more than 2097152 in all",
	} {
		text = `(module (@stack-switching "fibers-handle") (type $g (fiber)) ` + tags +
			`(func $run (export "run") (local $f (ref null $g)) ` + text + `))`
		u, err := loader.Text(source.NewFile("test.wat", text), analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in, err := vm.New(vm.Options{}).Instantiate(context.Background(), u.Module, "", nil)
		if err == nil {
			_, err = in.Invoke(context.Background(), "run")
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}
