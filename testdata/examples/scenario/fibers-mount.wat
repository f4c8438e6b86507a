;; The scenario of all five designs, as `fibers-mount`: whoever mounts a fiber is its control parent
;; until the fiber dismounts, with an event that says why.
(module $scenario
  (@stack-switching "fibers-mount")
  ;; Carries a value to the control parent.
  (tag $value (param i32))
  ;; Asks a fiber for its next value.
  (tag $next)
  ;; Sent by a fiber that returns.
  (tag $done)

  (global $limit (mut i32) (i32.const 0))

  (func $producer (param $me (ref fiber))
    (local $i i32)
    (loop $again
      (if (i32.lt_u (local.get $i) (global.get $limit))
        (then
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (block $on_next
            (fiber.dismount $value ($next $on_next) (local.get $i) (local.get $me))
            (unreachable))
          (br $again)))))

  (func $filter (param $me (ref fiber))
    (local $source (ref fiber))
    (local $v i32)
    (local.set $source (fiber.new $done ($next $producer)))
    (block $on_done
      (loop $again
        (block $on_value (result i32)
          (fiber.mount $next ($value $on_value) ($done $on_done) (local.get $source))
          (unreachable))
        (local.set $v)
        (if (i32.eqz (i32.rem_u (local.get $v) (i32.const 3)))
          (then
            (block $on_next
              (fiber.dismount $value ($next $on_next) (local.get $v) (local.get $me))
              (unreachable))))
        (br $again))))

  ;; The values that come through, as digits, and their sum.
  (func $consume (export "run") (param $n i32) (result i32 i32)
    (local $source (ref fiber))
    (local $v i32)
    (local $digits i32)
    (local $sum i32)
    (global.set $limit (local.get $n))
    (local.set $source (fiber.new $done ($next $filter)))
    (block $on_done
      (loop $again
        (block $on_value (result i32)
          (fiber.mount $next ($value $on_value) ($done $on_done) (local.get $source))
          (unreachable))
        (local.set $v)
        (local.set $digits
          (i32.add (i32.mul (local.get $digits) (i32.const 10)) (local.get $v)))
        (local.set $sum (i32.add (local.get $sum) (local.get $v)))
        (br $again)))
    (local.get $digits)
    (local.get $sum))

  (func (export "main") (result i32 i32)
    (call $consume (i32.const 10))))
