;; Green threads that switch to the next one even when they have finished: a switch brings a flag
;; that says whether the task it comes from is to go into the queue, or has finished and is to be
;; cancelled with `resume_throw`. So a task that ends costs one change of stacks instead of two.
(module $scheduler-finish
  (func $print (import "spectest" "print_i32") (param i32))

  (rec
    ;; A task is given whether the task that switched to it has finished, and that task; null if it
    ;; was resumed by $schedule.
    (type $task (func (param $finished i32) (param $from (ref null $ct))))
    (type $ct (cont $task)))

  (tag $yield)
  ;; Thrown into a task that has finished.
  (tag $cancel)

  (table $queue 16 (ref null $ct))
  (global $head (mut i32) (i32.const 0))
  (global $ready (mut i32) (i32.const 0))
  (global $log (mut i64) (i64.const 0))
  ;; How many tasks were started by $schedule, and how many were cancelled after they had finished.
  (global $resumed (mut i32) (i32.const 0))
  (global $cancelled (mut i32) (i32.const 0))

  (elem declare func $task_1 $task_2 $task_3)

  (func $enqueue (param $k (ref null $ct))
    (table.set $queue
      (i32.rem_u (i32.add (global.get $head) (global.get $ready)) (table.size $queue))
      (local.get $k))
    (global.set $ready (i32.add (global.get $ready) (i32.const 1))))

  (func $dequeue (result (ref null $ct))
    (local $i i32)
    (if (i32.eqz (global.get $ready))
      (then (return (ref.null $ct))))
    (local.set $i (global.get $head))
    (global.set $head (i32.rem_u (i32.add (local.get $i) (i32.const 1)) (table.size $queue)))
    (global.set $ready (i32.sub (global.get $ready) (i32.const 1)))
    (table.get $queue (local.get $i)))

  ;; What a task does first after each switch: with the task that it comes from.
  (func $take_over (param $finished i32) (param $from (ref null $ct))
    (if (ref.is_null (local.get $from))
      (then (return)))
    (if (local.get $finished)
      (then
        (block $gone
          (try_table (catch $cancel $gone)
            (resume_throw $ct $cancel (local.get $from)))
          (unreachable))
        (global.set $cancelled (i32.add (global.get $cancelled) (i32.const 1))))
      (else (call $enqueue (local.get $from)))))

  ;; Gives way to the next task, if there is one.
  (func $yield_to_next
    (local $next (ref null $ct))
    (local.set $next (call $dequeue))
    (if (ref.is_null (local.get $next))
      (then (return)))
    (call $take_over (switch $ct $yield (i32.const 0) (local.get $next))))

  ;; Ends a task: hands over to the next one for good. The exception that comes back ends the task
  ;; as no function on its stack catches it. The last task just returns, to $schedule.
  (func $finish
    (local $next (ref null $ct))
    (local.set $next (call $dequeue))
    (if (ref.is_null (local.get $next))
      (then (return)))
    (switch $ct $yield (i32.const 1) (local.get $next))
    (unreachable))

  (func $work (param $digit i32) (param $times i32)
    (loop $again
      (call $print (local.get $digit))
      (global.set $log
        (i64.add
          (i64.mul (global.get $log) (i64.const 10))
          (i64.extend_i32_u (local.get $digit))))
      (local.set $times (i32.sub (local.get $times) (i32.const 1)))
      (if (local.get $times)
        (then
          (call $yield_to_next)
          (br $again))))
    (call $finish))

  (func $task_1 (type $task) (param $finished i32) (param $from (ref null $ct))
    (call $take_over (local.get $finished) (local.get $from))
    (call $work (i32.const 1) (i32.const 3)))

  (func $task_2 (type $task) (param $finished i32) (param $from (ref null $ct))
    (call $take_over (local.get $finished) (local.get $from))
    (call $work (i32.const 2) (i32.const 1)))

  (func $task_3 (type $task) (param $finished i32) (param $from (ref null $ct))
    (call $take_over (local.get $finished) (local.get $from))
    (call $work (i32.const 3) (i32.const 2)))

  (func $schedule
    (local $next (ref null $ct))
    (loop $again
      (local.set $next (call $dequeue))
      (if (ref.is_null (local.get $next))
        (then (return)))
      (global.set $resumed (i32.add (global.get $resumed) (i32.const 1)))
      (resume $ct (on $yield switch) (i32.const 0) (ref.null $ct) (local.get $next))
      (br $again)))

  ;; Gives what the tasks did, how many were resumed, and how many cancelled.
  (func (export "main") (result i64 i32 i32)
    (global.set $log (i64.const 0))
    (global.set $resumed (i32.const 0))
    (global.set $cancelled (i32.const 0))
    (call $enqueue (cont.new $ct (ref.func $task_1)))
    (call $enqueue (cont.new $ct (ref.func $task_2)))
    (call $enqueue (cont.new $ct (ref.func $task_3)))
    (call $schedule)
    (global.get $log)
    (global.get $resumed)
    (global.get $cancelled)))
