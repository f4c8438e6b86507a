;; Every instruction and clause of the design once.
(module (@stack-switching "fibers-handle")
  (type $ft (fiber (result i32)))
  (tag $go)
  (tag $next (param i64))
  (tag $value (param f32))

  (func $body (param $me (ref $ft)) (param $seed i32) (result i32)
    (unreachable)
    (event $go
      (handle $turn
        (fiber.suspend $value (local.get $me) (f32.const 1))
        (event $again $next
          (drop)
          (fiber.switch $next (local.get $me) (local.get $me) (i64.const 2)))
        (event $go (param)
          (br $turn)))
      (fiber.retire $value (local.get $me) (f32.const 3)))
    (event $next (param i64) (result i32)
      (drop)
      (fiber.retireto $next (local.get $me) (local.get $me) (i64.const 4))))

  (func $main (result i32)
    (local $f (ref null $ft))
    (local.set $f (fiber.new $body (i32.const 5)))
    (handle $waiting (result i32)
      (drop (fiber.spawn $body (i32.const 6)))
      (fiber.resume $next (local.get $f) (i64.const 7))
      (event $value
        (drop)
        (fiber.release (local.get $f))
        (i32.const 8))))
)
