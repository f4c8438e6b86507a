;; Green threads in a cancelling arena: three threads add up numbers and pause after each; the first
;; that is done ends the others.
(module $arena
  (@stack-switching "tasks")
  ;; To a thread: go on; end.
  (tag $go_ahead)
  (tag $cancel)
  ;; From a thread: others may run; it is done, with a total.
  (tag $pause)
  (tag $finish (param i32))

  (table $threads 3 taskref)
  ;; How many threads were cancelled and said so.
  (global $cancelled (mut i32) (i32.const 0))

  ;; A thread: adds up 1, 2 … $steps.
  (func $adder (param $me taskref) (param $steps i32)
    (local $i i32)
    (local $total i32)
    (block $on_cancel
      (block $on_start
        (event.switch ($go_ahead $on_start) ($cancel $on_cancel)))
      (loop $next
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (local.set $total (i32.add (local.get $total) (local.get $i)))
        (if (i32.lt_u (local.get $i) (local.get $steps))
          (then
            (task.suspend (local.get $me) ($pause))
            (event.switch ($go_ahead $next) ($cancel $on_cancel)))))
      (task.retire (local.get $me) ($finish (local.get $total))))
    (global.set $cancelled (i32.add (global.get $cancelled) (i32.const 1)))
    (task.retire (local.get $me) ($finish (i32.const 0))))

  ;; Runs three threads in turn; gives the total of the first that is done, and how many were
  ;; cancelled.
  (func $run (export "arena") (param $a i32) (param $b i32) (param $c i32) (result i32 i32)
    (local $i i32)
    (local $winner i32)
    (local $total i32)
    (global.set $cancelled (i32.const 0))
    (table.set $threads (i32.const 0) (task.new $adder (local.get $a)))
    (table.set $threads (i32.const 1) (task.new $adder (local.get $b)))
    (table.set $threads (i32.const 2) (task.new $adder (local.get $c)))
    (block $on_finish (result i32)
      (loop $next
        (block $on_pause
          (task.resume (table.get $threads (local.get $i)) ($go_ahead))
          (event.switch ($pause $on_pause) ($finish $on_finish)))
        (local.set $i (i32.rem_u (i32.add (local.get $i) (i32.const 1)) (i32.const 3)))
        (br $next))
      (unreachable))
    (local.set $total)
    (local.set $winner (local.get $i))
    (local.set $i (i32.const 0))
    (loop $next
      (if (i32.ne (local.get $i) (local.get $winner))
        (then
          (block $on_finish (result i32)
            (task.resume (table.get $threads (local.get $i)) ($cancel))
            (event.switch ($finish $on_finish)))
          (drop)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 3))))
    (local.get $total)
    (global.get $cancelled))

  (func (export "main") (result i32 i32)
    (call $run (i32.const 5) (i32.const 3) (i32.const 4))))
