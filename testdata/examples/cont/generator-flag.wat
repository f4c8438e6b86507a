;; A generator that is told after each value whether to go on: the tag has a result. The consumer
;; binds its answer to the suspended continuation (`cont.bind`), which makes it of the type it
;; started with, so one `resume` serves for all.
(module $generator-flag
  (type $task (func))
  (type $gen (cont $task))          ;; ready to run
  (type $answer (func (param i32)))
  (type $asking (cont $answer))     ;; waits for the answer

  ;; Carries a value to the consumer, and back whether to go on.
  (tag $yield (param i64) (result i32))

  (elem declare func $naturals)

  ;; Yields 0, 1, 2 … as long as the answer is not 0.
  (func $naturals
    (local $i i64)
    (loop $next
      (if (suspend $yield (local.get $i))
        (then
          (local.set $i (i64.add (local.get $i) (i64.const 1)))
          (br $next)))))

  ;; Adds up the values until one reaches the limit.
  (func $sum (export "sum") (param $limit i64) (result i64)
    (local $k (ref null $gen))
    (local $asking (ref null $asking))
    (local $value i64)
    (local $sum i64)
    (local.set $k (cont.new $gen (ref.func $naturals)))
    (loop $next
      (block $on_yield (result i64 (ref $asking))
        (resume $gen (on $yield $on_yield) (local.get $k))
        (return (local.get $sum)))
      (local.set $asking)
      (local.set $value)
      (local.set $sum (i64.add (local.get $sum) (local.get $value)))
      (local.set $k
        (cont.bind $asking $gen
          (i64.lt_u (local.get $value) (local.get $limit))
          (local.get $asking)))
      (br $next))
    (unreachable))

  (func (export "main") (result i64)
    (call $sum (i64.const 100))))
