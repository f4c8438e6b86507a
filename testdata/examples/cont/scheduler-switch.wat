;; Green threads again, but a task that gives way switches straight to the next one: one change of
;; stacks where suspending to a scheduler and resuming from there takes two.
(module $scheduler-switch
  (func $print (import "spectest" "print_i32") (param i32))

  ;; A task is given the task that switched to it, which it puts into the queue; null if it was
  ;; resumed by $schedule. The two types are one recursion group, so a function of this type must
  ;; name it: one spelled out in full would be another type.
  (rec
    (type $task (func (param (ref null $ct))))
    (type $ct (cont $task)))

  ;; Delimits what a switch takes along: all up to the resume in $schedule.
  (tag $yield)

  (table $queue 16 (ref null $ct))
  (global $head (mut i32) (i32.const 0))
  (global $ready (mut i32) (i32.const 0))
  (global $log (mut i64) (i64.const 0))

  (elem declare func $task_1 $task_2 $task_3)

  (func $enqueue (param $k (ref null $ct))
    (if (ref.is_null (local.get $k))
      (then (return)))
    (if (i32.eq (global.get $ready) (table.size $queue))
      (then (unreachable)))
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

  ;; Starts the next task whenever one has returned.
  (func $schedule
    (local $next (ref null $ct))
    (loop $again
      (local.set $next (call $dequeue))
      (if (ref.is_null (local.get $next))
        (then (return)))
      (resume $ct (on $yield switch) (ref.null $ct) (local.get $next))
      (br $again)))

  ;; Gives way to the next task, if there is one.
  (func $yield_to_next
    (local $next (ref null $ct))
    (local.set $next (call $dequeue))
    (if (ref.is_null (local.get $next))
      (then (return)))
    (call $enqueue (switch $ct $yield (local.get $next))))

  (func $work (param $digit i32) (param $times i32)
    (loop $again
      (call $print (local.get $digit))
      (global.set $log
        (i64.add
          (i64.mul (global.get $log) (i64.const 10))
          (i64.extend_i32_u (local.get $digit))))
      (call $yield_to_next)
      (local.set $times (i32.sub (local.get $times) (i32.const 1)))
      (br_if $again (local.get $times))))

  (func $task_1 (type $task) (param $from (ref null $ct))
    (call $enqueue (local.get $from))
    (call $work (i32.const 1) (i32.const 3)))

  (func $task_2 (type $task) (param $from (ref null $ct))
    (call $enqueue (local.get $from))
    (call $work (i32.const 2) (i32.const 1)))

  (func $task_3 (type $task) (param $from (ref null $ct))
    (call $enqueue (local.get $from))
    (call $work (i32.const 3) (i32.const 2)))

  (func (export "main") (result i64)
    (global.set $log (i64.const 0))
    (call $enqueue (cont.new $ct (ref.func $task_1)))
    (call $enqueue (cont.new $ct (ref.func $task_2)))
    (call $enqueue (cont.new $ct (ref.func $task_3)))
    (call $schedule)
    (global.get $log)))
