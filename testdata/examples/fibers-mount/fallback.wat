;; Cheap first, then boxed: a value is offered as an unboxed integer, and if the stack that would be
;; resumed has no clause for that, the instruction falls through and a box is made after all. Both
;; sides do so: the caller with `fiber.mount`, the fiber with `fiber.dismount`.
(module $fallback
  (@stack-switching "fibers-mount")
  (type $box (struct (field $value i32)))

  ;; A value as it is, and in a box, which all code can take.
  (tag $int (param i32))
  (tag $boxed (param (ref $box)))
  ;; Sent by a fiber that returns.
  (tag $done)

  ;; How many boxes were made.
  (global $boxes (mut i32) (i32.const 0))

  (func $box (param $v i32) (result (ref $box))
    (global.set $boxes (i32.add (global.get $boxes) (i32.const 1)))
    (struct.new $box (local.get $v)))

  ;; Sends a value up, cheaply if the caller takes that; waits for whatever comes next, and gives it
  ;; without its box.
  (func $give (param $me (ref fiber)) (param $v i32) (result i32)
    (block $on_int (result i32)
      (block $on_boxed (result (ref $box))
        (fiber.dismount $int ($int $on_int) ($boxed $on_boxed) (local.get $v) (local.get $me))
        ;; the caller does not know $int
        (fiber.dismount $boxed ($int $on_int) ($boxed $on_boxed)
          (call $box (local.get $v))
          (local.get $me))
        (unreachable))
      (struct.get $box $value)))

  ;; Compiled twice, for integers and for boxes: doubles each value that it gets.
  (func $double (param $me (ref fiber)) (param $v i32)
    (loop $again
      (local.set $v
        (call $give (local.get $me) (i32.mul (local.get $v) (i32.const 2))))
      (br $again)))

  ;; Compiled only for boxes: a fiber that begins here has no clause for $int.
  (func $double_boxed (param $me (ref fiber)) (param $b (ref $box))
    (call $double (local.get $me) (struct.get $box $value (local.get $b))))

  ;; Asks a fiber, by an integer if it takes one, and wants an integer back if $cheap.
  (func $ask (param $fiber (ref fiber)) (param $v i32) (param $cheap i32) (result i32)
    (block $on_done
      (block $on_int (result i32)
        (block $on_boxed (result (ref $box))
          (if (local.get $cheap)
            (then
              (fiber.mount $int ($int $on_int) ($boxed $on_boxed) ($done $on_done)
                (local.get $v)
                (local.get $fiber))))
          ;; fell through, or not tried: a box does for every fiber
          (fiber.mount $boxed ($boxed $on_boxed) ($done $on_done)
            (call $box (local.get $v))
            (local.get $fiber))
          (unreachable))
        (return (struct.get $box $value)))
      (return))
    (unreachable))

  ;; Asks a fiber three times; gives the last answer and how many boxes that took.
  (func $three (param $fiber (ref fiber)) (param $v i32) (param $cheap i32) (result i32 i32)
    (global.set $boxes (i32.const 0))
    (local.set $v (call $ask (local.get $fiber) (local.get $v) (local.get $cheap)))
    (local.set $v (call $ask (local.get $fiber) (local.get $v) (local.get $cheap)))
    (call $ask (local.get $fiber) (local.get $v) (local.get $cheap))
    (global.get $boxes))

  (func $both (export "both") (param $v i32) (param $cheap i32) (result i32 i32)
    (call $three
      (fiber.new $done ($int $double) ($boxed $double_boxed))
      (local.get $v)
      (local.get $cheap)))

  (func (export "only boxed") (param $v i32) (param $cheap i32) (result i32 i32)
    (call $three
      (fiber.new $done ($boxed $double_boxed))
      (local.get $v)
      (local.get $cheap)))

  (func (export "main") (result i32 i32)
    (call $both (i32.const 5) (i32.const 1))))
