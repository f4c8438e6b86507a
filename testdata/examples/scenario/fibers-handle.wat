;; The scenario of all five designs, as `fibers-handle`: a fiber that is resumed continues in the
;; event clause around the place where it stopped.
(module $scenario
  (@stack-switching "fibers-handle")
  (type $ft (fiber))

  ;; Carries a value to the resume parent.
  (tag $value (param i32))
  ;; Asks a fiber for its next value.
  (tag $next)

  (global $limit (mut i32) (i32.const 0))

  (func $producer (param $me (ref $ft))
    (local $i i32)
    (event $next
      (loop $again
        (if (i32.lt_u (local.get $i) (global.get $limit))
          (then
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (handle
              (fiber.suspend $value (local.get $me) (local.get $i))
              (event $next))
            (br $again))))))

  (func $filter (param $me (ref $ft))
    (local $source (ref null $ft))
    (local $v i32)
    (event $next
      (local.set $source (fiber.new $producer))
      (loop $again
        (handle
          (fiber.resume $next (local.get $source))
          ;; the producer has returned
          (return)
          (event $value (local.set $v)))
        (if (i32.eqz (i32.rem_u (local.get $v) (i32.const 3)))
          (then
            (handle
              (fiber.suspend $value (local.get $me) (local.get $v))
              (event $next))))
        (br $again))))

  ;; The values that come through, as digits, and their sum.
  (func $consume (export "run") (param $n i32) (result i32 i32)
    (local $source (ref null $ft))
    (local $v i32)
    (local $digits i32)
    (local $sum i32)
    (global.set $limit (local.get $n))
    (local.set $source (fiber.new $filter))
    (loop $again
      (handle
        (fiber.resume $next (local.get $source))
        ;; the filter has returned
        (return (local.get $digits) (local.get $sum))
        (event $value (local.set $v)))
      (local.set $digits
        (i32.add (i32.mul (local.get $digits) (i32.const 10)) (local.get $v)))
      (local.set $sum (i32.add (local.get $sum) (local.get $v)))
      (br $again))
    (unreachable))

  (func (export "main") (result i32 i32)
    (call $consume (i32.const 10))))
