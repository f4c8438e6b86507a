;; Green threads in a cancelling arena: three threads add up numbers and pause after each; the first
;; that is done ends the others.
(module $arena
  (@stack-switching "stacks")
  (rec
    ;; Takes a total, whether the thread is done, and the thread; null if it is over.
    (type $arena (stack (param $total i32) (param $done i32) (ref null $thread)))
    ;; Takes whether it is to end, and the arena.
    (type $thread (stack (param $cancel i32) (ref $arena))))
  ;; A thread that does not know yet how far it has to count.
  (type $unbound (stack (param $steps i32) (param $cancel i32) (ref $arena)))

  (table $threads 3 (ref null $thread))
  ;; How many threads were cancelled and said so.
  (global $cancelled (mut i32) (i32.const 0))

  ;; A thread: adds up 1, 2 … $steps.
  (func $adder (param $steps i32) (param $cancel i32) (param $arena (ref $arena))
    (local $i i32)
    (local $total i32)
    (block $on_cancel
      (loop $next
        (br_if $on_cancel (local.get $cancel))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (local.set $total (i32.add (local.get $total) (local.get $i)))
        (if (i32.lt_u (local.get $i) (local.get $steps))
          (then
            (switch $arena (i32.const 0) (i32.const 0) (local.get $arena))
            (local.set $arena)
            (local.set $cancel)
            (br $next))))
      (switch_retire $arena (local.get $total) (i32.const 1) (local.get $arena)))
    (global.set $cancelled (i32.add (global.get $cancelled) (i32.const 1)))
    (switch_retire $arena (i32.const 0) (i32.const 1) (local.get $arena)))

  (func $thread (param $steps i32) (result (ref $thread))
    (stack.bind $unbound $thread (local.get $steps) (stack.new $unbound $adder)))

  ;; Runs three threads in turn; gives the total of the first that is done, and how many were
  ;; cancelled.
  (func $run (export "arena") (param $a i32) (param $b i32) (param $c i32) (result i32 i32)
    (local $i i32)
    (local $thread (ref null $thread))
    (local $done i32)
    (local $total i32)
    (global.set $cancelled (i32.const 0))
    (table.set $threads (i32.const 0) (call $thread (local.get $a)))
    (table.set $threads (i32.const 1) (call $thread (local.get $b)))
    (table.set $threads (i32.const 2) (call $thread (local.get $c)))
    (loop $next
      (switch $thread (i32.const 0) (table.get $threads (local.get $i)))
      (local.set $thread)
      (local.set $done)
      (local.set $total)
      (table.set $threads (local.get $i) (local.get $thread))
      (if (i32.eqz (local.get $done))
        (then
          (local.set $i (i32.rem_u (i32.add (local.get $i) (i32.const 1)) (i32.const 3)))
          (br $next))))
    (local.set $i (i32.const 0))
    (loop $next
      (local.set $thread (table.get $threads (local.get $i)))
      (if (i32.eqz (ref.is_null (local.get $thread)))
        (then
          (switch $thread (i32.const 1) (local.get $thread))
          (drop)
          (drop)
          (drop)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 3))))
    (local.get $total)
    (global.get $cancelled))

  (func (export "main") (result i32 i32)
    (call $run (i32.const 5) (i32.const 3) (i32.const 4))))
