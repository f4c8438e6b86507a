;; A stack is made, gets a number, gives it back, and ends.
(module (@stack-switching "fibers-handle")
  (type $ft (fiber (result i64)))
  (tag $ask (param i32))
  (func $g (param $me (ref null $ft)) (result i64)
    (unreachable)
    (event $ask (i64.extend_i32_u)))
  (func (export "run") (param $n i32) (result i64) (local $s i64)
    (loop $l
      (local.set $s (i64.add (local.get $s) (fiber.resume (fiber.new $g) $ask (local.get $n))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))
