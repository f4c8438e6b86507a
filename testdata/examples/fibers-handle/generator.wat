;; A generator and its consumer: $sum resumes the fiber of $elements for every element of an array in
;; memory, and the fiber suspends with it.
(module $generator
  (@stack-switching "fibers-handle")
  (type $generator (ref null fiber))

  ;; Carries one element to the consumer.
  (tag $yield (param i64))
  ;; Asks the generator for an element.
  (tag $next)

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

  ;; The generator: yields every element, then returns. A new fiber starts in the clause of the event
  ;; that it gets first.
  (func $elements (param $me $generator)
    (local $i i32)
    (event $next
      (loop $again
        (if (i32.lt_u (local.get $i) (global.get $length))
          (then
            (handle
              (fiber.suspend
                (local.get $me)
                $yield
                (i64.load (i32.shl (local.get $i) (i32.const 3))))
              (event $next
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br $again))))))))

  ;; The consumer: resumes the generator until it returns.
  (func $sum (param $generator $generator) (result i64)
    (local $value i64)
    (local $sum i64)
    (loop $again
      (handle
        (fiber.resume (local.get $generator) $next)
        ;; the generator has returned: that was all
        (return (local.get $sum))
        (event $yield
          (local.set $value)
          (local.set $sum (i64.add (local.get $sum) (local.get $value)))
          (br $again))))
    (unreachable))

  ;; The sum of an array of n elements.
  (func $sum_of (export "sum") (param $n i32) (result i64)
    (call $fill (local.get $n))
    (call $sum (fiber.new $elements)))

  (func (export "main") (result i64)
    (call $sum_of (i32.const 1000))))
