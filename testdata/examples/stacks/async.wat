;; Asynchronous I/O: stacks that look synchronous have several requests in flight; a loop resumes
;; each when its request has completed, whatever the order.
(module $async
  (@stack-switching "stacks")
  ;; Starts a request that completes after a delay with a value; gives its number.
  (func $request (import "async" "request") (param $delay i32) (param $value i32) (result i32))
  ;; Waits for the next completion: its number and value.
  (func $wait (import "async" "wait") (result i32 i32))

  (rec
    ;; Takes the number of a request, and the stack that sleeps until it completes; null: the stack
    ;; is over.
    (type $loop (stack (param $id i32) (ref null $sleeper)))
    ;; Takes the value that the request completed with.
    (type $sleeper (stack (param $value i32) (ref $loop))))
  (type $task (stack (param $delay i32) (param $value i32) (ref $loop)))

  ;; The sleeping stacks, by the number of the request each waits for.
  (table $sleepers 16 (ref null $sleeper))
  ;; The loop, while another stack runs.
  (global $loop (mut (ref null $loop)) (ref.null $loop))
  (global $asleep (mut i32) (i32.const 0))

  ;; The values in the order in which they came, as digits; and their sum.
  (global $order (mut i32) (i32.const 0))
  (global $sum (mut i32) (i32.const 0))

  ;; Keeps a stack that sleeps until a request completes.
  (func $park (param $id i32) (param $k (ref null $sleeper))
    (if (ref.is_null (local.get $k))
      (then (return)))
    (if (i32.ge_u (local.get $id) (table.size $sleepers))
      (then
        (drop
          (table.grow $sleepers
            (ref.null $sleeper)
            (i32.add (local.get $id) (i32.const 1))))))
    (table.set $sleepers (local.get $id) (local.get $k))
    (global.set $asleep (i32.add (global.get $asleep) (i32.const 1))))

  (func $note (param $value i32)
    (global.set $order
      (i32.add (i32.mul (global.get $order) (i32.const 10)) (local.get $value)))
    (global.set $sum (i32.add (global.get $sum) (local.get $value))))

  ;; Looks like any other function that takes its time.
  (func $fetch (param $delay i32) (param $value i32) (result i32)
    (switch $loop (call $request (local.get $delay) (local.get $value)) (global.get $loop))
    (global.set $loop))

  ;; A coroutine: two requests, one after the other.
  (func $fetch_twice (param $delay i32) (param $value i32) (param $from (ref $loop))
    (global.set $loop (local.get $from))
    (call $note (call $fetch (local.get $delay) (local.get $value)))
    (call $note
      (call $fetch
        (i32.mul (local.get $delay) (i32.const 2))
        (i32.add (local.get $value) (i32.const 1))))
    (switch_retire $loop (i32.const 0) (global.get $loop)))

  (func $start (param $delay i32) (param $value i32)
    (call $park
      (switch $task
        (local.get $delay)
        (local.get $value)
        (stack.new $task $fetch_twice))))

  ;; Gives a stack what it waited for.
  (func $complete (param $id i32) (param $value i32)
    (local $k (ref null $sleeper))
    (local.set $k (table.get $sleepers (local.get $id)))
    (table.set $sleepers (local.get $id) (ref.null $sleeper))
    (global.set $asleep (i32.sub (global.get $asleep) (i32.const 1)))
    (call $park (switch $sleeper (local.get $value) (local.get $k))))

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
