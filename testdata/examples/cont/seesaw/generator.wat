;; The first of three linked modules: a generator of naturals, and a consumer that adds up what any
;; continuation of the same type yields.
(module $generator
  (type $task (func (result i32)))
  (type $ct (cont $task))

  (tag $yield (export "yield") (param i32))

  (elem declare func $naturals)

  (func $naturals (export "naturals") (result i32)
    (local $i i32)
    (loop $next
      (suspend $yield (local.get $i))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next))
    (unreachable))

  ;; Adds up what $k yields until a value reaches the limit.
  (func $sum_up (export "sum_up") (param $k (ref $ct)) (param $limit i32) (result i32)
    (local $value i32)
    (local $sum i32)
    (loop $next
      (block $on_yield (result i32 (ref $ct))
        (resume $ct (on $yield $on_yield) (local.get $k))
        (return))
      (local.set $k)
      (local.set $value)
      (local.set $sum (i32.add (local.get $sum) (local.get $value)))
      (br_if $next (i32.lt_u (local.get $value) (local.get $limit))))
    (local.get $sum))

  (func (export "main") (result i32)
    (call $sum_up (cont.new $ct (ref.func $naturals)) (i32.const 10))))
