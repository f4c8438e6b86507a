;; Asynchronous I/O: tasks that look synchronous have several requests in flight; a loop resumes
;; each when its request has completed, whatever the order.
(module $async
  ;; Starts a request that completes after a delay with a value; gives its number.
  (func $request (import "async" "request") (param $delay i32) (param $value i32) (result i32))
  ;; Waits for the next completion: its number and value.
  (func $wait (import "async" "wait") (result i32 i32))

  (type $task (func (param i32 i32)))
  (type $ct (cont $task))
  (type $wake (func (param i32)))
  (type $sleeping (cont $wake))

  ;; Sent by a task that waits for a request; its result is the value.
  (tag $await (param i32) (result i32))

  ;; The sleeping tasks, by the number of the request each waits for.
  (table $sleepers 16 (ref null $sleeping))
  (global $asleep (mut i32) (i32.const 0))

  ;; The values in the order in which they came, as digits; and their sum.
  (global $order (mut i32) (i32.const 0))
  (global $sum (mut i32) (i32.const 0))

  (elem declare func $fetch_twice)

  ;; Keeps a task that sleeps until a request completes.
  (func $park (param $id i32) (param $k (ref $sleeping))
    (if (i32.ge_u (local.get $id) (table.size $sleepers))
      (then
        (drop
          (table.grow $sleepers
            (ref.null $sleeping)
            (i32.add (local.get $id) (i32.const 1))))))
    (table.set $sleepers (local.get $id) (local.get $k))
    (global.set $asleep (i32.add (global.get $asleep) (i32.const 1))))

  ;; Looks like any other function that takes its time.
  (func $fetch (param $delay i32) (param $value i32) (result i32)
    (suspend $await (call $request (local.get $delay) (local.get $value))))

  (func $note (param $value i32)
    (global.set $order
      (i32.add (i32.mul (global.get $order) (i32.const 10)) (local.get $value)))
    (global.set $sum (i32.add (global.get $sum) (local.get $value))))

  ;; A task: two requests, one after the other.
  (func $fetch_twice (param $delay i32) (param $value i32)
    (call $note (call $fetch (local.get $delay) (local.get $value)))
    (call $note
      (call $fetch
        (i32.mul (local.get $delay) (i32.const 2))
        (i32.add (local.get $value) (i32.const 1)))))

  (func $start (param $delay i32) (param $value i32)
    (block $on_await (result i32 (ref $sleeping))
      (resume $ct (on $await $on_await)
        (local.get $delay)
        (local.get $value)
        (cont.new $ct (ref.func $fetch_twice)))
      (return))
    (call $park))

  ;; Resumes a task with what it waited for.
  (func $complete (param $id i32) (param $value i32)
    (local $k (ref null $sleeping))
    (local.set $k (table.get $sleepers (local.get $id)))
    (table.set $sleepers (local.get $id) (ref.null $sleeping))
    (global.set $asleep (i32.sub (global.get $asleep) (i32.const 1)))
    (block $on_await (result i32 (ref $sleeping))
      (resume $sleeping (on $await $on_await) (local.get $value) (local.get $k))
      (return))
    (call $park))

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
