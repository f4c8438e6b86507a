;; The number of primes below n by a sieve of bytes.
(module
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
    (local.get $c)))
