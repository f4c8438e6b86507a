;; Wrong: the generator suspends with a tag that is not declared (it is called $yield).
(module $generator
  (type $task (func))
  (type $gen (cont $task))

  ;; Carries one element from the generator to its consumer.
  (tag $yield (param i64))

  (memory $array 1)
  (global $length (mut i32) (i32.const 0))
  (elem declare func $elements)

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
  (func $elements
    (local $i i32)
    (loop $next
      (if (i32.lt_u (local.get $i) (global.get $length))
        (then
          (suspend $yeild (i64.load (i32.shl (local.get $i) (i32.const 3))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $next)))))

  ;; The consumer: resumes the generator until it returns.
  (func $sum (param $k (ref $gen)) (result i64)
    (local $value i64)
    (local $sum i64)
    (loop $next
      (block $on_yield (result i64 (ref $gen))
        (resume $gen (on $yield $on_yield) (local.get $k))
        ;; the generator has returned: that was all
        (return (local.get $sum)))
      (local.set $k)
      (local.set $value)
      (local.set $sum (i64.add (local.get $sum) (local.get $value)))
      (br $next))
    (unreachable))

  ;; The sum of an array of n elements.
  (func $sum_of (export "sum") (param $n i32) (result i64)
    (call $fill (local.get $n))
    (call $sum (cont.new $gen (ref.func $elements))))

  (func (export "main") (result i64)
    (call $sum_of (i32.const 1000))))
