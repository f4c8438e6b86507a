;; A generator and its consumer, on two stacks that switch to each other: $elements gives the
;; elements of an array in memory, $sum adds them up. A null reference says that the generator is
;; done.
(module $generator
  (@stack-switching "stacks")
  (rec
    ;; Takes an element, and the generator to ask for the next one.
    (type $consumer (stack (param $value i64) (ref null $generator)))
    ;; Takes the consumer that asks.
    (type $generator (stack (ref $consumer))))

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

  ;; The generator: gives every element, then retires.
  (func $elements (param $consumer (ref $consumer))
    (local $i i32)
    (loop $next
      (if (i32.lt_u (local.get $i) (global.get $length))
        (then
          (local.set $consumer
            (switch $consumer
              (i64.load (i32.shl (local.get $i) (i32.const 3)))
              (local.get $consumer)))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $next))))
    ;; nobody looks at the value
    (switch_retire $consumer (i64.const 0) (local.get $consumer)))

  ;; The consumer: asks until the generator has retired.
  (func $sum (param $generator (ref null $generator)) (result i64)
    (local $value i64)
    (local $sum i64)
    (block $on_end
      (loop $next
        (switch $generator (local.get $generator))
        (local.set $generator)
        (local.set $value)
        (br_if $on_end (ref.is_null (local.get $generator)))
        (local.set $sum (i64.add (local.get $sum) (local.get $value)))
        (br $next)))
    (local.get $sum))

  ;; The sum of an array of n elements.
  (func $sum_of (export "sum") (param $n i32) (result i64)
    (call $fill (local.get $n))
    (call $sum (stack.new $generator $elements)))

  (func (export "main") (result i64)
    (call $sum_of (i32.const 1000))))
