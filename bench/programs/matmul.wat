;; The product of two n × n matrices of f64, n ≤ 300; gives the bits of the sum of its elements.
(module
  (memory 33)
  (func (export "run") (param $n i32) (result i64)
    (local $i i32) (local $j i32) (local $k i32) (local $row i32) (local $a i32) (local $b i32) (local $c i32)
    (local $size i32) (local $s f64) (local $sum f64)
    (local.set $row (i32.shl (local.get $n) (i32.const 3)))
    (local.set $size (i32.mul (local.get $row) (local.get $n)))
    (loop $fill
      (f64.store (local.get $a) (f64.convert_i32_u (i32.and (local.get $i) (i32.const 15))))
      (f64.store (i32.add (local.get $a) (local.get $size)) (f64.convert_i32_u (i32.and (local.get $i) (i32.const 7))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $fill (i32.lt_u (local.tee $a (i32.add (local.get $a) (i32.const 8))) (local.get $size))))
    (local.set $i (i32.const 0))
    (local.set $c (i32.shl (local.get $size) (i32.const 1)))
    (loop $rows
      (local.set $j (i32.const 0))
      (loop $cols
        (local.set $a (i32.mul (local.get $i) (local.get $row)))
        (local.set $b (i32.add (local.get $size) (i32.shl (local.get $j) (i32.const 3))))
        (local.set $s (f64.const 0))
        (local.set $k (local.get $n))
        (loop $dot
          (local.set $s (f64.add (local.get $s) (f64.mul (f64.load (local.get $a)) (f64.load (local.get $b)))))
          (local.set $a (i32.add (local.get $a) (i32.const 8)))
          (local.set $b (i32.add (local.get $b) (local.get $row)))
          (br_if $dot (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
        (f64.store (local.get $c) (local.get $s))
        (local.set $c (i32.add (local.get $c) (i32.const 8)))
        (local.set $sum (f64.add (local.get $sum) (local.get $s)))
        (br_if $cols (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (local.get $n))))
      (br_if $rows (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (i64.reinterpret_f64 (local.get $sum))))
