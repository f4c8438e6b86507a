;; The third of three linked modules: generators that can be interrupted, once as tasks of a seesaw
;; that is itself a generator, once as generators whose consumers are tasks of a seesaw. Two tags
;; find their handlers on different stacks of one chain.
(module $cogen
  (type $task (func (result i32)))
  (type $ct (cont $task))
  (type $seesaw (func (param (ref $ct) (ref $ct)) (result i32)))
  (type $seesaw_ct (cont $seesaw))
  (type $sum (func (param (ref $ct) i32) (result i32)))
  (type $sum_ct (cont $sum))

  (func $sum_up (import "generator" "sum_up") (param (ref $ct) i32) (result i32))
  (func $seesaw (import "seesaw" "seesaw") (param (ref $ct) (ref $ct)) (result i32))
  (tag $yield (import "generator" "yield") (param i32))
  (tag $interrupt (import "seesaw" "interrupt"))

  (elem declare func $interruptible $seesaw $sum_up)

  ;; Yields the naturals and interrupts itself after each.
  (func $interruptible (result i32)
    (local $i i32)
    (loop $next
      (suspend $yield (local.get $i))
      (suspend $interrupt)
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next))
    (unreachable))

  (func $new (result (ref $ct))
    (cont.new $ct (ref.func $interruptible)))

  ;; A consumer of its own for a new generator, as a task.
  (func $new_sum (param $limit i32) (result (ref $ct))
    (cont.bind $sum_ct $ct
      (call $new)
      (local.get $limit)
      (cont.new $sum_ct (ref.func $sum_up))))

  ;; Both generators feed one consumer: 0 0 1 1 2 2 …
  (func $sum_after_seesaw (export "sum_after_seesaw") (result i32)
    (call $sum_up
      (cont.bind $seesaw_ct $ct
        (call $new)
        (call $new)
        (cont.new $seesaw_ct (ref.func $seesaw)))
      (i32.const 10)))

  ;; Two consumers with a generator each take turns.
  (func $seesaw_after_sum (export "seesaw_after_sum") (result i32)
    (call $seesaw
      (call $new_sum (i32.const 10))
      (call $new_sum (i32.const 20))))

  (func (export "main") (result i32 i32)
    (call $sum_after_seesaw)
    (call $seesaw_after_sum)))
