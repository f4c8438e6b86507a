;; A producer counts, a filter doubles, the values are added up: four switches each.
(module (@stack-switching "fibers-handle")
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
    (local.get $s)))
