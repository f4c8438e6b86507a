;; Wrong: the innermost of three stacks divides by zero. The backtrace crosses all of them.
(module $trap-deep
  (type $task (func (param i32) (result i32)))
  (type $ct (cont $task))

  (tag $yield (param i32) (result i32))

  (elem declare func $inner $outer)

  (func $divide (param $a i32) (param $b i32) (result i32)
    (i32.div_s (local.get $a) (local.get $b)))

  ;; The innermost stack: yields 100/n, 100/(n-1) …
  (func $inner (param $n i32) (result i32)
    (loop $next
      (drop (suspend $yield (call $divide (i32.const 100) (local.get $n))))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $next))
    (unreachable))

  ;; The stack in between: passes on what $inner yields, doubled.
  (func $outer (param $n i32) (result i32)
    (local $k (ref null $ct))
    (local $value i32)
    (local.set $k (cont.new $ct (ref.func $inner)))
    (loop $next
      (block $on_yield (result i32 (ref $ct))
        (resume $ct (on $yield $on_yield) (local.get $n) (local.get $k))
        (return))
      (local.set $k)
      (local.set $value)
      (local.set $n
        (suspend $yield (i32.mul (local.get $value) (i32.const 2))))
      (br $next))
    (unreachable))

  (func $sum (param $n i32) (result i32)
    (local $k (ref null $ct))
    (local $sum i32)
    (local.set $k (cont.new $ct (ref.func $outer)))
    (loop $next
      (block $on_yield (result i32 (ref $ct))
        (resume $ct (on $yield $on_yield) (local.get $n) (local.get $k))
        (return))
      (local.set $k)
      (local.set $sum (i32.add (local.get $sum)))
      (br $next))
    (unreachable))

  (func (export "main") (result i32)
    (call $sum (i32.const 3))))
