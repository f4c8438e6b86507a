;; A generator and its consumer: $sum mounts the fiber of $elements for every element of an array in
;; memory, and the fiber dismounts with it.
(module $generator
  (@stack-switching "fibers-mount")
  ;; Carries one element to the consumer.
  (tag $yield (param i64))
  ;; Asks the generator for an element.
  (tag $next)
  ;; Sent by the generator when it returns.
  (tag $end)

  (memory $array 1)
  (global $length (mut i32) (i32.const 0))

  ;; Makes the array 0, 1, 2 … of n elements.
  (func $fill (param $n i32)
    (local $i i32)
    (global.set $length (local.get $n))
    (loop $next
      (if (i32.lt_u (local.get $i) (local.get $n))
        (then
          (i64.store
            (i32.shl (local.get $i) (i32.const 3))
            (i64.extend_i32_u (local.get $i)))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $next)))))

  ;; The generator: yields every element, then returns.
  (func $elements (param $me (ref fiber))
    (local $i i32)
    (loop $again
      (if (i32.lt_u (local.get $i) (global.get $length))
        (then
          (block $on_next
            (fiber.dismount $yield ($next $on_next)
              (i64.load (i32.shl (local.get $i) (i32.const 3)))
              (local.get $me))
            ;; only a consumer that does not know $yield lets it fall through
            (unreachable))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $again)))))

  ;; The consumer: mounts the generator until it returns.
  (func $sum (param $generator (ref fiber)) (result i64)
    (local $value i64)
    (local $sum i64)
    (block $on_end
      (loop $again
        (block $on_yield (result i64)
          (fiber.mount $next ($yield $on_yield) ($end $on_end) (local.get $generator))
          (unreachable))
        (local.set $value)
        (local.set $sum (i64.add (local.get $sum) (local.get $value)))
        (br $again)))
    (local.get $sum))

  ;; The sum of an array of n elements.
  (func $sum_of (export "sum") (param $n i32) (result i64)
    (call $fill (local.get $n))
    (call $sum (fiber.new $end ($next $elements))))

  (func (export "main") (result i64)
    (call $sum_of (i32.const 1000))))
