;; Green threads in a cancelling arena: three threads add up numbers and pause after each; the first
;; that is done ends the others.
(module $arena
  (@stack-switching "fibers-handle")
  (type $thread (fiber (result i32)))

  ;; To a thread: go on; end.
  (tag $go_ahead)
  (tag $cancel)
  ;; From a thread: others may run.
  (tag $pause)

  (table $threads 3 (ref null $thread))
  ;; How many threads were cancelled and said so.
  (global $cancelled (mut i32) (i32.const 0))

  ;; A thread: adds up 1, 2 … $steps. Inside of its first clause the second is in scope, too: that is
  ;; how a paused thread is cancelled.
  (func $adder (param $me (ref $thread)) (param $steps i32) (result i32)
    (local $i i32)
    (local $total i32)
    (unreachable)
    (event $go_ahead
      (loop $next
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (local.set $total (i32.add (local.get $total) (local.get $i)))
        (if (i32.lt_u (local.get $i) (local.get $steps))
          (then
            (handle
              (fiber.suspend $pause (local.get $me))
              (event $go_ahead (br $next))))))
      (local.get $total))
    (event $cancel
      (global.set $cancelled (i32.add (global.get $cancelled) (i32.const 1)))
      (i32.const 0)))

  ;; Runs three threads in turn; gives the total of the first that is done, and how many were
  ;; cancelled.
  (func $run (export "arena") (param $a i32) (param $b i32) (param $c i32) (result i32 i32)
    (local $i i32)
    (local $winner i32)
    (local $total i32)
    (global.set $cancelled (i32.const 0))
    (table.set $threads (i32.const 0) (fiber.new $adder (local.get $a)))
    (table.set $threads (i32.const 1) (fiber.new $adder (local.get $b)))
    (table.set $threads (i32.const 2) (fiber.new $adder (local.get $c)))
    (loop $next
      (handle $turn
        (local.set $total (fiber.resume $go_ahead (table.get $threads (local.get $i))))
        (br $turn)
        (event $pause
          (local.set $i (i32.rem_u (i32.add (local.get $i) (i32.const 1)) (i32.const 3)))
          (br $next))))
    (local.set $winner (local.get $i))
    (local.set $i (i32.const 0))
    (loop $next
      (if (i32.ne (local.get $i) (local.get $winner))
        (then (drop (fiber.resume $cancel (table.get $threads (local.get $i))))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 3))))
    (local.get $total)
    (global.get $cancelled))

  (func (export "main") (result i32 i32)
    (call $run (i32.const 5) (i32.const 3) (i32.const 4))))
