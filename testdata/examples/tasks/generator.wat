;; A generator and its consumer: $sum resumes the task of $elements for every element of an array in
;; memory, and the task suspends with it.
(module $generator
  (@stack-switching "tasks")
  ;; Carries one element to the consumer.
  (tag $yield (param i64))
  ;; Asks the generator for an element.
  (tag $next)
  ;; Says that there are no more.
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

  ;; The generator: yields every element, then retires.
  (func $elements (param $me taskref)
    (local $i i32)
    (block $on_start
      (event.switch ($next $on_start)))
    (loop $again
      (if (i32.lt_u (local.get $i) (global.get $length))
        (then
          (block $on_next
            (task.suspend
              (local.get $me)
              ($yield (i64.load (i32.shl (local.get $i) (i32.const 3)))))
            (event.switch ($next $on_next)))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $again))))
    (task.retire (local.get $me) ($end)))

  ;; The consumer: resumes the generator until it retires.
  (func $sum (param $generator taskref) (result i64)
    (local $value i64)
    (local $sum i64)
    (block $on_end
      (loop $again
        (block $on_yield (result i64)
          (task.resume (local.get $generator) ($next))
          (event.switch ($yield $on_yield) ($end $on_end)))
        (local.set $value)
        (local.set $sum (i64.add (local.get $sum) (local.get $value)))
        (br $again)))
    (local.get $sum))

  ;; The sum of an array of n elements.
  (func $sum_of (export "sum") (param $n i32) (result i64)
    (call $fill (local.get $n))
    (call $sum (task.new $elements)))

  (func (export "main") (result i64)
    (call $sum_of (i32.const 1000))))
