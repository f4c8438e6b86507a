;; Asynchronous I/O: tasks that look synchronous have several requests in flight; a loop resumes
;; each when its request has completed, whatever the order.
(module $async
  (@stack-switching "tasks")
  ;; Starts a request that completes after a delay with a value; gives its number.
  (func $request (import "async" "request") (param $delay i32) (param $value i32) (result i32))
  ;; Waits for the next completion: its number and value.
  (func $wait (import "async" "wait") (result i32 i32))

  ;; Starts a task.
  (tag $go)
  ;; Sent by a task that waits for a request, with its number; and what it gets then.
  (tag $await (param i32))
  (tag $completed (param i32))
  ;; Sent by a task that retires.
  (tag $done)

  ;; The sleeping tasks, by the number of the request each waits for.
  (table $sleepers 16 taskref)
  (global $asleep (mut i32) (i32.const 0))

  ;; The values in the order in which they came, as digits; and their sum.
  (global $order (mut i32) (i32.const 0))
  (global $sum (mut i32) (i32.const 0))

  ;; Keeps a task that sleeps until a request completes.
  (func $park (param $id i32) (param $k taskref)
    (if (i32.ge_u (local.get $id) (table.size $sleepers))
      (then
        (drop
          (table.grow $sleepers
            (ref.null task)
            (i32.add (local.get $id) (i32.const 1))))))
    (table.set $sleepers (local.get $id) (local.get $k))
    (global.set $asleep (i32.add (global.get $asleep) (i32.const 1))))

  (func $note (param $value i32)
    (global.set $order
      (i32.add (i32.mul (global.get $order) (i32.const 10)) (local.get $value)))
    (global.set $sum (i32.add (global.get $sum) (local.get $value))))

  ;; Looks like any other function that takes its time.
  (func $fetch (param $me taskref) (param $delay i32) (param $value i32) (result i32)
    (block $on_completed (result i32)
      (task.suspend (local.get $me) ($await (call $request (local.get $delay) (local.get $value))))
      (event.switch ($completed $on_completed))))

  ;; A task: two requests, one after the other.
  (func $fetch_twice (param $me taskref) (param $delay i32) (param $value i32)
    (block $on_go
      (event.switch ($go $on_go)))
    (call $note (call $fetch (local.get $me) (local.get $delay) (local.get $value)))
    (call $note
      (call $fetch
        (local.get $me)
        (i32.mul (local.get $delay) (i32.const 2))
        (i32.add (local.get $value) (i32.const 1))))
    (task.retire (local.get $me) ($done)))

  (func $start (param $delay i32) (param $value i32)
    (local $k taskref)
    (local.set $k (task.new $fetch_twice (local.get $delay) (local.get $value)))
    (block $on_done
      (block $on_await (result i32)
        (task.resume (local.get $k) ($go))
        (event.switch ($await $on_await) ($done $on_done)))
      (call $park (local.get $k))))

  ;; Resumes a task with what it waited for.
  (func $complete (param $id i32) (param $value i32)
    (local $k taskref)
    (local.set $k (table.get $sleepers (local.get $id)))
    (table.set $sleepers (local.get $id) (ref.null task))
    (global.set $asleep (i32.sub (global.get $asleep) (i32.const 1)))
    (block $on_done
      (block $on_await (result i32)
        (task.resume (local.get $k) ($completed (local.get $value)))
        (event.switch ($await $on_await) ($done $on_done)))
      (call $park (local.get $k))))

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
