;; Green threads: tasks give way with `suspend`, the scheduler resumes them in turn.
(module $scheduler
  (func $print (import "spectest" "print_i32") (param i32))

  (type $task (func))
  (type $ct (cont $task))
  (type $work (func (param i32 i32)))
  (type $work_ct (cont $work))

  ;; Sent by a task that gives way to the others.
  (tag $yield)
  ;; Sent by a task that starts another one.
  (tag $spawn (param (ref $ct)))

  ;; The tasks that are ready, as a ring.
  (table $queue 16 (ref null $ct))
  (global $head (mut i32) (i32.const 0))
  (global $ready (mut i32) (i32.const 0))

  ;; What the tasks did, in order, as the digits of a number.
  (global $log (mut i64) (i64.const 0))

  (elem declare func $worker $main_task)

  (func $enqueue (param $k (ref $ct))
    (if (i32.eq (global.get $ready) (table.size $queue))
      (then (unreachable)))
    (table.set $queue
      (i32.rem_u (i32.add (global.get $head) (global.get $ready)) (table.size $queue))
      (local.get $k))
    (global.set $ready (i32.add (global.get $ready) (i32.const 1))))

  (func $dequeue (result (ref $ct))
    (local $i i32)
    (local.set $i (global.get $head))
    (global.set $head (i32.rem_u (i32.add (local.get $i) (i32.const 1)) (table.size $queue)))
    (global.set $ready (i32.sub (global.get $ready) (i32.const 1)))
    (ref.as_non_null (table.get $queue (local.get $i))))

  ;; Runs tasks in turn until none is left.
  (func $schedule (param $first (ref $ct))
    (call $enqueue (local.get $first))
    (loop $next
      (if (i32.eqz (global.get $ready))
        (then (return)))
      (block $on_yield (result (ref $ct))
        (block $on_spawn (result (ref $ct) (ref $ct))
          (resume $ct (on $yield $on_yield) (on $spawn $on_spawn)
            (call $dequeue))
          ;; the task has returned
          (br $next))
        ;; the new task and the one that started it: both are ready, the new one last
        (call $enqueue)
        (call $enqueue)
        (br $next))
      (call $enqueue)
      (br $next)))

  (func $note (param $digit i32)
    (call $print (local.get $digit))
    (global.set $log
      (i64.add
        (i64.mul (global.get $log) (i64.const 10))
        (i64.extend_i32_u (local.get $digit)))))

  ;; Notes its digit a number of times and gives way after each.
  (func $worker (param $digit i32) (param $times i32)
    (loop $again
      (call $note (local.get $digit))
      (suspend $yield)
      (local.set $times (i32.sub (local.get $times) (i32.const 1)))
      (br_if $again (local.get $times))))

  ;; A continuation of $worker with its arguments bound: a task like any other.
  (func $new_worker (param $digit i32) (param $times i32) (result (ref $ct))
    (cont.bind $work_ct $ct
      (local.get $digit)
      (local.get $times)
      (cont.new $work_ct (ref.func $worker))))

  (func $main_task
    (suspend $spawn (call $new_worker (i32.const 1) (i32.const 3)))
    (suspend $spawn (call $new_worker (i32.const 2) (i32.const 1)))
    (suspend $spawn (call $new_worker (i32.const 3) (i32.const 2))))

  (func (export "main") (result i64)
    (global.set $log (i64.const 0))
    (call $schedule (cont.new $ct (ref.func $main_task)))
    (global.get $log)))
