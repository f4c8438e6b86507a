;; A tree of schedulers: an arena runs two clients, which are tasks or arenas themselves. A task
;; waits for a promise; an arena whose clients all wait, waits for the composite of their promises.
;; So the root, and with it the export, returns to the host with all promises of the tree; and when
;; one is resolved, the arenas on the way to the task that waits for it are mounted in order, from
;; the top.
(module $scheduler-tree
  (@stack-switching "fibers-mount")
  ;; To a client: start; promise p was resolved with a value.
  (tag $go)
  (tag $resolved (param $p i32) (param $value i32))
  ;; From a client: it waits for any of some promises, given as a set of bits; its result.
  (tag $await (param $promises i32))
  (tag $finish (param i32))

  (global $root (mut fiberref) (ref.null fiber))
  (global $promises (mut i32) (i32.const 0))

  ;; A new promise, as a set of one.
  (func $promise (result i32)
    (global.set $promises (i32.add (global.get $promises) (i32.const 1)))
    (i32.shl (i32.const 1) (i32.sub (global.get $promises) (i32.const 1))))

  ;; A task: waits for as many promises as it is told, one after the other; gives their sum.
  (func $task (param $times i32) (param $me (ref fiber)) (result i32)
    (local $sum i32)
    (loop $again
      (if (local.get $times)
        (then
          (block $on_resolved (result i32 i32)
            (fiber.dismount $await ($resolved $on_resolved) (call $promise) (local.get $me))
            (unreachable))
          (local.set $sum (i32.add (local.get $sum)))
          (drop)
          (local.set $times (i32.sub (local.get $times) (i32.const 1)))
          (br $again))))
    (local.get $sum))

  ;; An arena: runs two clients until both have finished; gives the sum of their results.
  (func $arena (param $left fiberref) (param $right fiberref) (param $me (ref fiber)) (result i32)
    (local $left_set i32)
    (local $right_set i32)
    (local $p i32)
    (local $value i32)
    (local $sum i32)
    (local.set $left_set (call $start (local.get $left)))
    (local.set $sum)
    (local.set $right_set (call $start (local.get $right)))
    (local.set $sum (i32.add (local.get $sum)))
    (loop $next
      (if (i32.or (local.get $left_set) (local.get $right_set))
        (then
          (block $on_resolved (result i32 i32)
            (fiber.dismount $await ($resolved $on_resolved)
              (i32.or (local.get $left_set) (local.get $right_set))
              (local.get $me))
            (unreachable))
          (local.set $value)
          (local.set $p)
          (if (result i32) (i32.and (local.get $left_set) (i32.shl (i32.const 1) (local.get $p)))
            (then
              (local.set $left_set
                (call $resolve (local.get $left) (local.get $p) (local.get $value))))
            (else
              (local.set $right_set
                (call $resolve (local.get $right) (local.get $p) (local.get $value)))))
          (local.set $sum (i32.add (local.get $sum)))
          (br $next))))
    (local.get $sum))

  ;; Run a client until it waits or has finished; give its result and the set that it waits for: one
  ;; of them is 0.

  (func $start (param $client fiberref) (result i32 i32)
    (block $on_finish (result i32)
      (block $on_await (result i32)
        (fiber.mount $go ($await $on_await) ($finish $on_finish) (local.get $client))
        (unreachable))
      (return (call $no_result)))
    (i32.const 0))

  (func $resolve (param $client fiberref) (param $p i32) (param $value i32) (result i32 i32)
    (block $on_finish (result i32)
      (block $on_await (result i32)
        (fiber.mount $resolved ($await $on_await) ($finish $on_finish)
          (local.get $p)
          (local.get $value)
          (local.get $client))
        (unreachable))
      (return (call $no_result)))
    (i32.const 0))

  (func $no_result (param $set i32) (result i32 i32)
    (i32.const 0)
    (local.get $set))

  (func $new_task (param $times i32) (result fiberref)
    (fiber.new $finish ($go $task) (local.get $times)))

  (func $new_arena (param $left fiberref) (param $right fiberref) (result fiberref)
    (fiber.new $finish ($go $arena) (local.get $left) (local.get $right)))

  ;; ---- what the host calls; each gives the result and the promises that are open ----

  (func $main (export "main") (result i32 i32)
    (global.set $promises (i32.const 0))
    (global.set $root
      (call $new_arena
        (call $new_arena (call $new_task (i32.const 1)) (call $new_task (i32.const 2)))
        (call $new_arena
          (call $new_task (i32.const 0))
          (call $new_arena (call $new_task (i32.const 1)) (call $new_task (i32.const 1))))))
    (call $start (global.get $root)))

  (func (export "resolve") (param $p i32) (param $value i32) (result i32 i32)
    (call $resolve (global.get $root) (local.get $p) (local.get $value))))
