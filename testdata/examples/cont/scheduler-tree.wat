;; A tree of schedulers: an arena runs two clients, which are tasks or arenas themselves. A task
;; waits for a promise; an arena whose clients all wait, waits for the composite of their promises.
;; So the root, and with it the export, returns to the host with all promises of the tree; and when
;; one is resolved, the arenas on the way to the task that waits for it are resumed in order, from
;; the top.
(module $scheduler-tree
  (type $client (func (result i32)))
  (type $ct (cont $client))
  (type $wake (func (param $p i32) (param $value i32) (result i32)))
  (type $waiting (cont $wake))

  ;; Sent by a client that waits for any of some promises, given as a set of bits; its results are
  ;; the promise that was resolved, and the value.
  (tag $await (param $promises i32) (result i32 i32))

  (type $task (func (param $times i32) (result i32)))
  (type $unboundTask (cont $task))
  (type $arena (func (param (ref null $ct)) (param (ref null $ct)) (result i32)))
  (type $unboundArena (cont $arena))
  (elem declare func $task $arena)

  (global $root (mut (ref null $waiting)) (ref.null $waiting))
  (global $promises (mut i32) (i32.const 0))

  ;; A new promise, as a set of one.
  (func $promise (result i32)
    (global.set $promises (i32.add (global.get $promises) (i32.const 1)))
    (i32.shl (i32.const 1) (i32.sub (global.get $promises) (i32.const 1))))

  ;; A task: waits for as many promises as it is told, one after the other; gives their sum.
  (func $task (type $task) (param $times i32) (result i32)
    (local $sum i32)
    (loop $again
      (if (local.get $times)
        (then
          (suspend $await (call $promise))
          (local.set $sum (i32.add (local.get $sum)))
          (drop)
          (local.set $times (i32.sub (local.get $times) (i32.const 1)))
          (br $again))))
    (local.get $sum))

  ;; An arena: runs two clients until both have finished; gives the sum of their results.
  (func $arena (type $arena) (param $a (ref null $ct)) (param $b (ref null $ct)) (result i32)
    (local $left (ref null $waiting))
    (local $right (ref null $waiting))
    (local $left_set i32)
    (local $right_set i32)
    (local $p i32)
    (local $value i32)
    (local $sum i32)
    (call $start (local.get $a))
    (local.set $left)
    (local.set $left_set)
    (local.set $sum)
    (call $start (local.get $b))
    (local.set $right)
    (local.set $right_set)
    (local.set $sum (i32.add (local.get $sum)))
    (loop $next
      (if (i32.or (local.get $left_set) (local.get $right_set))
        (then
          (suspend $await (i32.or (local.get $left_set) (local.get $right_set)))
          (local.set $value)
          (local.set $p)
          (if (result i32) (i32.and (local.get $left_set) (i32.shl (i32.const 1) (local.get $p)))
            (then
              (call $resolve (local.get $left) (local.get $p) (local.get $value))
              (local.set $left)
              (local.set $left_set))
            (else
              (call $resolve (local.get $right) (local.get $p) (local.get $value))
              (local.set $right)
              (local.set $right_set)))
          (local.set $sum (i32.add (local.get $sum)))
          (br $next))))
    (local.get $sum))

  ;; Run a client until it waits or has finished; give its result; or 0, the set that it waits for,
  ;; and the rest of it.

  (func $start (param $k (ref null $ct)) (result i32 i32 (ref null $waiting))
    (block $on_await (result i32 (ref $waiting))
      (resume $ct (on $await $on_await) (local.get $k))
      (return (i32.const 0) (ref.null $waiting)))
    (call $no_result))

  (func $resolve (param $k (ref null $waiting)) (param $p i32) (param $value i32)
      (result i32 i32 (ref null $waiting))
    (block $on_await (result i32 (ref $waiting))
      (resume $waiting (on $await $on_await)
        (local.get $p)
        (local.get $value)
        (local.get $k))
      (return (i32.const 0) (ref.null $waiting)))
    (call $no_result))

  (func $no_result (param $set i32) (param $k (ref $waiting)) (result i32 i32 (ref null $waiting))
    (i32.const 0)
    (local.get $set)
    (local.get $k))

  (func $new_task (param $times i32) (result (ref $ct))
    (cont.bind $unboundTask $ct
      (local.get $times)
      (cont.new $unboundTask (ref.func $task))))

  (func $new_arena (param $left (ref null $ct)) (param $right (ref null $ct)) (result (ref $ct))
    (cont.bind $unboundArena $ct
      (local.get $left)
      (local.get $right)
      (cont.new $unboundArena (ref.func $arena))))

  ;; ---- what the host calls; each gives the result and the promises that are open ----

  (func (export "main") (result i32 i32)
    (global.set $promises (i32.const 0))
    (call $start
      (call $new_arena
        (call $new_arena (call $new_task (i32.const 1)) (call $new_task (i32.const 2)))
        (call $new_arena
          (call $new_task (i32.const 0))
          (call $new_arena (call $new_task (i32.const 1)) (call $new_task (i32.const 1))))))
    (global.set $root))

  (func (export "resolve") (param $p i32) (param $value i32) (result i32 i32)
    (call $resolve (global.get $root) (local.get $p) (local.get $value))
    (global.set $root)))
