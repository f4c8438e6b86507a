;; A tree of schedulers: an arena runs two clients, which are tasks or arenas themselves. A task
;; waits for a promise; an arena whose clients all wait, waits for the composite of their promises.
;; So the root, and with it the export, returns to the host with all promises of the tree; and when
;; one is resolved, the arenas on the way to the task that waits for it are resumed in order, from
;; the top.
(module $scheduler-tree
  (@stack-switching "fibers-handle")
  (type $client (fiber (result i32)))

  ;; To a client: start; promise p was resolved with a value.
  (tag $go)
  (tag $resolved (param $p i32) (param $value i32))
  ;; From a client: it waits for any of some promises, given as a set of bits.
  (tag $await (param $promises i32))

  (global $root (mut (ref null $client)) (ref.null $client))
  (global $promises (mut i32) (i32.const 0))

  ;; A new promise, as a set of one.
  (func $promise (result i32)
    (global.set $promises (i32.add (global.get $promises) (i32.const 1)))
    (i32.shl (i32.const 1) (i32.sub (global.get $promises) (i32.const 1))))

  ;; A task: waits for as many promises as it is told, one after the other; gives their sum.
  (func $task (param $me (ref $client)) (param $times i32) (result i32)
    (local $sum i32)
    (unreachable)
    (event $go
      (loop $again
        (if (local.get $times)
          (then
            (handle
              (fiber.suspend (local.get $me) $await (call $promise))
              (event $resolved
                (local.set $sum (i32.add (local.get $sum)))
                (drop)
                (local.set $times (i32.sub (local.get $times) (i32.const 1)))
                (br $again))))))
      (local.get $sum)))

  ;; An arena: runs two clients until both have finished; gives the sum of their results.
  (func $arena (param $me (ref $client)) (param $left (ref $client)) (param $right (ref $client))
      (result i32)
    (local $left_set i32)
    (local $right_set i32)
    (local $p i32)
    (local $value i32)
    (local $sum i32)
    (unreachable)
    (event $go
      (local.set $left_set (call $start (local.get $left)))
      (local.set $sum)
      (local.set $right_set (call $start (local.get $right)))
      (local.set $sum (i32.add (local.get $sum)))
      (loop $next
        (if (i32.or (local.get $left_set) (local.get $right_set))
          (then
            (handle
              (fiber.suspend
                (local.get $me)
                $await
                (i32.or (local.get $left_set) (local.get $right_set)))
              (event $resolved
                (local.set $value)
                (local.set $p)
                (if (result i32)
                  (i32.and (local.get $left_set) (i32.shl (i32.const 1) (local.get $p)))
                  (then
                    (local.set $left_set
                      (call $resolve (local.get $left) (local.get $p) (local.get $value))))
                  (else
                    (local.set $right_set
                      (call $resolve (local.get $right) (local.get $p) (local.get $value)))))
                (local.set $sum (i32.add (local.get $sum)))
                (br $next))))))
      (local.get $sum)))

  ;; Run a client until it waits or has finished; give its result and the set that it waits for: one
  ;; of them is 0.

  (func $start (param $client (ref null $client)) (result i32 i32)
    (handle (result i32 i32)
      (fiber.resume (local.get $client) $go)
      (i32.const 0)
      (event $await (call $no_result))))

  (func $resolve (param $client (ref null $client)) (param $p i32) (param $value i32)
      (result i32 i32)
    (handle (result i32 i32)
      (fiber.resume (local.get $client) $resolved (local.get $p) (local.get $value))
      (i32.const 0)
      (event $await (call $no_result))))

  (func $no_result (param $set i32) (result i32 i32)
    (i32.const 0)
    (local.get $set))

  ;; ---- what the host calls; each gives the result and the promises that are open ----

  (func (export "main") (result i32 i32)
    (global.set $promises (i32.const 0))
    (global.set $root
      (fiber.new $arena
        (fiber.new $arena
          (fiber.new $task (i32.const 1))
          (fiber.new $task (i32.const 2)))
        (fiber.new $arena
          (fiber.new $task (i32.const 0))
          (fiber.new $arena
            (fiber.new $task (i32.const 1))
            (fiber.new $task (i32.const 1))))))
    (call $start (global.get $root)))

  (func (export "resolve") (param $p i32) (param $value i32) (result i32 i32)
    (call $resolve (global.get $root) (local.get $p) (local.get $value))))
