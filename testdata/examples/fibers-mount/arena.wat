;; Green threads in a cancelling arena: three threads add up numbers and pause after each; the first
;; that is done ends the others.
(module $arena
  (@stack-switching "fibers-mount")
  ;; To a thread: go on; end.
  (tag $go_ahead)
  (tag $cancel)
  ;; From a thread: others may run; the total, when it returns.
  (tag $pause)
  (tag $finish (param i32))

  (table $threads 3 (ref null fiber))
  ;; How many threads were cancelled and said so.
  (global $cancelled (mut i32) (i32.const 0))

  ;; A thread: adds up 1, 2 … $steps.
  (func $adder (param $steps i32) (param $me (ref fiber)) (result i32)
    (local $i i32)
    (local $total i32)
    (block $on_cancel
      (loop $next
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (local.set $total (i32.add (local.get $total) (local.get $i)))
        (if (i32.lt_u (local.get $i) (local.get $steps))
          (then
            (fiber.dismount $pause ($go_ahead $next) ($cancel $on_cancel) (local.get $me))
            (unreachable))))
      (return (local.get $total)))
    (global.set $cancelled (i32.add (global.get $cancelled) (i32.const 1)))
    (i32.const 0))

  ;; The entry of a thread that is cancelled before it has started.
  (func $never (param $steps i32) (param $me (ref fiber)) (result i32)
    (global.set $cancelled (i32.add (global.get $cancelled) (i32.const 1)))
    (i32.const 0))

  ;; Runs three threads in turn; gives the total of the first that is done, and how many were
  ;; cancelled.
  (func $run (export "arena") (param $a i32) (param $b i32) (param $c i32) (result i32 i32)
    (local $i i32)
    (local $winner i32)
    (local $total i32)
    (global.set $cancelled (i32.const 0))
    (table.set $threads
      (i32.const 0)
      (fiber.new $finish ($go_ahead $adder) ($cancel $never) (local.get $a)))
    (table.set $threads
      (i32.const 1)
      (fiber.new $finish ($go_ahead $adder) ($cancel $never) (local.get $b)))
    (table.set $threads
      (i32.const 2)
      (fiber.new $finish ($go_ahead $adder) ($cancel $never) (local.get $c)))
    (block $on_finish (result i32)
      (loop $next
        (block $on_pause
          (fiber.mount $go_ahead ($pause $on_pause) ($finish $on_finish)
            (table.get $threads (local.get $i)))
          (unreachable))
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
            (fiber.mount $cancel ($finish $on_finish) (table.get $threads (local.get $i)))
            (unreachable))
          (drop)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 3))))
    (local.get $total)
    (global.get $cancelled))

  (func (export "main") (result i32 i32)
    (call $run (i32.const 5) (i32.const 3) (i32.const 4))))
