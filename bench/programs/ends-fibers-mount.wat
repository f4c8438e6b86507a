;; A stack is made, gets a number, gives it back, and ends.
(module (@stack-switching "fibers-mount")
  (tag $ask (param i32)) (tag $end (param i64))
  (func $g (param $me (ref fiber)) (param $x i32) (result i64) (i64.extend_i32_u (local.get $x)))
  (func (export "run") (param $n i32) (result i64) (local $v i64) (local $s i64)
    (loop $l
      (block $h (result i64)
        (fiber.mount $ask ($end $h) (local.get $n) (fiber.new $end ($ask $g)))
        (unreachable))
      (local.set $v)
      (local.set $s (i64.add (local.get $s) (local.get $v)))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))
