;; Asynchronous I/O: fibers that look synchronous have several requests in flight; a loop resumes
;; each when its request has completed, whatever the order.
(module $async
  (@stack-switching "fibers-handle")
  ;; Starts a request that completes after a delay with a value; gives its number.
  (func $request (import "async" "request") (param $delay i32) (param $value i32) (result i32))
  ;; Waits for the next completion: its number and value.
  (func $wait (import "async" "wait") (result i32 i32))

  (type $task (fiber))

  ;; Starts a fiber.
  (tag $go)
  ;; Sent by a fiber that waits for a request, with its number; and what it gets then.
  (tag $await (param i32))
  (tag $completed (param i32))

  ;; The sleeping fibers, by the number of the request each waits for.
  (table $sleepers 16 (ref null $task))
  (global $asleep (mut i32) (i32.const 0))

  ;; The values in the order in which they came, as digits; and their sum.
  (global $order (mut i32) (i32.const 0))
  (global $sum (mut i32) (i32.const 0))

  ;; Keeps a fiber that sleeps until a request completes.
  (func $park (param $id i32) (param $k (ref null $task))
    (if (i32.ge_u (local.get $id) (table.size $sleepers))
      (then
        (drop
          (table.grow $sleepers
            (ref.null $task)
            (i32.add (local.get $id) (i32.const 1))))))
    (table.set $sleepers (local.get $id) (local.get $k))
    (global.set $asleep (i32.add (global.get $asleep) (i32.const 1))))

  (func $note (param $value i32)
    (global.set $order
      (i32.add (i32.mul (global.get $order) (i32.const 10)) (local.get $value)))
    (global.set $sum (i32.add (global.get $sum) (local.get $value))))

  ;; Looks like any other function that takes its time.
  (func $fetch (param $me (ref $task)) (param $delay i32) (param $value i32) (result i32)
    (handle (result i32)
      (fiber.suspend $await
        (local.get $me)
        (call $request (local.get $delay) (local.get $value)))
      (event $completed)))

  ;; A fiber: two requests, one after the other.
  (func $fetch_twice (param $me (ref $task)) (param $delay i32) (param $value i32)
    (event $go
      (call $note (call $fetch (local.get $me) (local.get $delay) (local.get $value)))
      (call $note
        (call $fetch
          (local.get $me)
          (i32.mul (local.get $delay) (i32.const 2))
          (i32.add (local.get $value) (i32.const 1))))))

  (func $start (param $delay i32) (param $value i32)
    (local $k (ref null $task))
    (local.set $k (fiber.new $fetch_twice (local.get $delay) (local.get $value)))
    (handle
      (fiber.resume $go (local.get $k))
      (event $await (call $park (local.get $k)))))

  ;; Resumes a fiber with what it waited for.
  (func $complete (param $id i32) (param $value i32)
    (local $k (ref null $task))
    (local.set $k (table.get $sleepers (local.get $id)))
    (table.set $sleepers (local.get $id) (ref.null $task))
    (global.set $asleep (i32.sub (global.get $asleep) (i32.const 1)))
    (handle
      (fiber.resume $completed (local.get $k) (local.get $value))
      (event $await (call $park (local.get $k)))))

  (func (export "main") (result i32 i32)
    (global.set $order (i32.const 0))
    (global.set $sum (i32.const 0))
    (call $start (i32.const 30) (i32.const 1))
    (call $start (i32.const 10) (i32.const 3))
    (call $start (i32.const 25) (i32.const 5))
    (loop $next
      (if (global.get $asleep)
        (then
          (call $complete (call $wait))
          (br $next))))
    (global.get $order)
    (global.get $sum)))
