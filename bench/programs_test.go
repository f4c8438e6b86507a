// Package bench holds the benchmarks that compare the product with others, or with itself.
package bench

// The programs of the tables in docs/vm.md. Each exports `run : [i32 n] -> [i64]`, which does n units
// of the work it is named for.
var programs = map[string]string{
	// One resume and one suspend with a value.
	"gen": `(module
  (type $f (func)) (type $c (cont $f))
  (tag $y (param i32))
  (global $n (mut i32) (i32.const 0))
  (func $g (local $i i32)
    (loop $l
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (suspend $y (local.get $i))
      (br_if $l (i32.lt_u (local.get $i) (global.get $n)))))
  (elem declare func $g)
  (func (export "run") (param $n i32) (result i64) (local $k (ref null $c)) (local $s i64)
    (global.set $n (local.get $n))
    (local.set $k (cont.new $c (ref.func $g)))
    (loop $l
      (block $h (result i32 (ref $c))
        (resume $c (on $y $h) (local.get $k))
        (return (local.get $s)))
      (local.set $k)
      (i64.extend_i32_u)
      (local.set $s (i64.add (local.get $s)))
      (br $l))
    (unreachable)))`,

	// One symmetric switch.
	"switch": `(module
  (rec (type $f (func (param (ref null $c)))) (type $c (cont $f)))
  (type $g (func)) (type $d (cont $g))
  (tag $e)
  (global $n (mut i32) (i32.const 0))
  (func $p (type $f) (param $k (ref null $c))
    (loop $l
      (global.set $n (i32.sub (global.get $n) (i32.const 1)))
      (if (i32.le_s (global.get $n) (i32.const 0)) (then (return)))
      (local.set $k (switch $c $e (local.get $k)))
      (br $l)))
  (func $start (call $p (cont.new $c (ref.func $p))))
  (elem declare func $p $start)
  (func (export "run") (param $n i32) (result i64)
    (global.set $n (local.get $n))
    (resume $d (on $e switch) (cont.new $d (ref.func $start)))
    (i64.const 0)))`,

	// A continuation created and run to its end.
	"create": `(module
  (type $f (func (result i32))) (type $c (cont $f))
  (func $g (result i32) (i32.const 1))
  (elem declare func $g)
  (func (export "run") (param $n i32) (result i64) (local $s i64)
    (loop $l
      (local.set $s (i64.add (local.get $s) (i64.extend_i32_u (resume $c (cont.new $c (ref.func $g))))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))`,

	// Resume and suspend with the handler %d resumes further out.
	"deep": `(module
  (type $f (func)) (type $c (cont $f))
  (type $h (func (param i32))) (type $ch (cont $h))
  (tag $y) (tag $other)
  (global $n (mut i32) (i32.const 0))
  (func $g (param $d i32)
    (if (local.get $d)
      (then
        (block $b (result (ref $c))
          (resume $c (on $other $b) (cont.bind $ch $c (i32.sub (local.get $d) (i32.const 1)) (cont.new $ch (ref.func $g))))
          (return))
        (drop) (return)))
    (loop $l
      (suspend $y)
      (br_if $l (global.get $n))))
  (elem declare func $g)
  (func (export "run") (param $n i32) (result i64) (local $k (ref null $c))
    (global.set $n (i32.const 1))
    (local.set $k (cont.bind $ch $c (i32.const %d) (cont.new $ch (ref.func $g))))
    (loop $l
      (block $b (result (ref $c))
        (resume $c (on $y $b) (local.get $k))
        (return (i64.const 0)))
      (local.set $k)
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (if (i32.eqz (local.get $n)) (then (global.set $n (i32.const 0))))
      (br $l))
    (unreachable)))`,

	// One turn of a round robin over 1,000 stacks kept in a table.
	"sched": `(module
  (type $f (func)) (type $c (cont $f))
  (tag $y)
  (table $t 1000 (ref null $c))
  (func $g (loop $l (suspend $y) (br $l)))
  (elem declare func $g)
  (func (export "run") (param $n i32) (result i64) (local $i i32)
    (loop $fill
      (table.set $t (local.get $i) (cont.new $c (ref.func $g)))
      (br_if $fill (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000))))
    (loop $l
      (local.set $i (i32.const 0))
      (loop $turn
        (local.get $i)
        (block $h (result (ref $c))
          (resume $c (on $y $h) (table.get $t (local.get $i)))
          (unreachable))
        (table.set $t)
        (if (i32.eqz (local.tee $n (i32.sub (local.get $n) (i32.const 1)))) (then (return (i64.const 0))))
        (br_if $turn (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000))))
      (br $l))
    (unreachable)))`,

	// fib(n), calls only.
	"fib": `(module
  (func $fib (param i32) (result i32)
    (if (result i32) (i32.lt_s (local.get 0) (i32.const 2))
      (then (local.get 0))
      (else (i32.add
        (call $fib (i32.sub (local.get 0) (i32.const 1)))
        (call $fib (i32.sub (local.get 0) (i32.const 2)))))))
  (func (export "run") (param i32) (result i64) (i64.extend_i32_s (call $fib (local.get 0)))))`,

	// The number of primes below n by a sieve of bytes.
	"sieve": `(module
  (memory 160)
  (func (export "run") (param $n i32) (result i64) (local $i i32) (local $j i32) (local $c i64)
    (memory.fill (i32.const 0) (i32.const 0) (local.get $n))
    (local.set $i (i32.const 2))
    (loop $outer
      (if (i32.eqz (i32.load8_u (local.get $i)))
        (then
          (local.set $c (i64.add (local.get $c) (i64.const 1)))
          (local.set $j (i32.shl (local.get $i) (i32.const 1)))
          (block $done
            (loop $inner
              (br_if $done (i32.ge_u (local.get $j) (local.get $n)))
              (i32.store8 (local.get $j) (i32.const 1))
              (local.set $j (i32.add (local.get $j) (local.get $i)))
              (br $inner)))))
      (br_if $outer (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $c)))`,

	// n rounds of mixing bits, without memory.
	"mix": `(module
  (func (export "run") (param $n i32) (result i64) (local $x i64) (local $y i32)
    (local.set $x (i64.const 0x9e3779b97f4a7c15))
    (loop $l
      (local.set $x (i64.xor (local.get $x) (i64.shr_u (local.get $x) (i64.const 12))))
      (local.set $x (i64.xor (local.get $x) (i64.shl (local.get $x) (i64.const 25))))
      (local.set $x (i64.xor (local.get $x) (i64.shr_u (local.get $x) (i64.const 27))))
      (local.set $y (i32.add (i32.rotl (local.get $y) (i32.const 5)) (i32.wrap_i64 (local.get $x))))
      (local.set $x (i64.mul (local.get $x) (i64.const 0x2545f4914f6cdd1d)))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (i64.add (local.get $x) (i64.extend_i32_u (local.get $y)))))`,
}
