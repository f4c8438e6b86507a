;; n rounds of mixing bits, without memory.
(module
  (func (export "run") (param $n i32) (result i64) (local $x i64) (local $y i32)
    (local.set $x (i64.const 0x9e3779b97f4a7c15))
    (loop $l
      (local.set $x (i64.xor (local.get $x) (i64.shr_u (local.get $x) (i64.const 12))))
      (local.set $x (i64.xor (local.get $x) (i64.shl (local.get $x) (i64.const 25))))
      (local.set $x (i64.xor (local.get $x) (i64.shr_u (local.get $x) (i64.const 27))))
      (local.set $y (i32.add (i32.rotl (local.get $y) (i32.const 5)) (i32.wrap_i64 (local.get $x))))
      (local.set $x (i64.mul (local.get $x) (i64.const 0x2545f4914f6cdd1d)))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (i64.add (local.get $x) (i64.extend_i32_u (local.get $y)))))
