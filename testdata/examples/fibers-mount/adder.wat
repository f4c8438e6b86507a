;; A green thread with two roles: it pauses for its arena after each number, and it drives a
;; generator of its own, which it releases when it is cancelled. The arena ends all threads when the
;; first has finished.
(module $adder
  (@stack-switching "fibers-mount")
  ;; To a generator: the next number. From it: a number; no more numbers, sent when it returns.
  (tag $next)
  (tag $yield (param i32))
  (tag $end)

  ;; To a thread: go on; end.
  (tag $go_ahead)
  (tag $cancel_thread)
  ;; From a thread: others may run; its total, sent when it returns.
  (tag $pause_)
  (tag $finish_ (param i32))

  ;; The numbers, one to a byte.
  (memory 1)
  (data (i32.const 0) "\01\02\03\04\05\06\07\08\09\0a")

  ;; The threads of the arena, and the generator of each.
  (table $threads 3 fiberref)
  (table $generators 3 fiberref)

  ;; The generator: yields $count numbers from address $els on, then returns.
  (func $array_generator (param $els i32) (param $count i32) (param $me (ref fiber))
    (local $ix i32)
    (loop $again
      (if (i32.lt_u (local.get $ix) (local.get $count))
        (then
          (block $on_next
            (fiber.dismount $yield ($next $on_next)
              (i32.load8_u (i32.add (local.get $els) (local.get $ix)))
              (local.get $me))
            (unreachable))
          (local.set $ix (i32.add (local.get $ix) (i32.const 1)))
          (br $again)))))

  ;; The thread: a client of the arena, and the control parent of its generator.
  (func $adder_thread (param $generator fiberref) (param $me (ref fiber)) (result i32)
    (local $total i32)
    (block $on_end
      (block $on_cancel
        (loop $go_on
          (block $on_yield (result i32)
            (fiber.mount $next ($yield $on_yield) ($end $on_end) (local.get $generator))
            (unreachable))
          (local.set $total (i32.add (local.get $total)))
          (fiber.dismount $pause_ ($go_ahead $go_on) ($cancel_thread $on_cancel) (local.get $me))
          (unreachable)))
      ;; cancelled: nobody will ask the generator for more
      (fiber.release (local.get $generator)))
    (local.get $total))

  ;; Where a thread begins that is cancelled before it has started.
  (func $cancelled_thread (param $generator fiberref) (param $me (ref fiber)) (result i32)
    (fiber.release (local.get $generator))
    (i32.const 0))

  ;; Makes thread $i, which adds up the first $count numbers.
  (func $add_thread (param $i i32) (param $count i32)
    (table.set $generators
      (local.get $i)
      (fiber.new $end ($next $array_generator) (i32.const 0) (local.get $count)))
    (table.set $threads
      (local.get $i)
      (fiber.new $finish_ ($go_ahead $adder_thread) ($cancel_thread $cancelled_thread)
        (table.get $generators (local.get $i)))))

  ;; Mounts the threads in turn until one has finished, then cancels the others. Gives the total of
  ;; the first, and the sum of what the others had come to.
  (func $cancelling_arena (result i32 i32)
    (local $ix i32)
    (local $jx i32)
    (local $total i32)
    (local $others i32)
    (block $on_finish (result i32)
      (loop $for_ix
        (block $on_pause
          (fiber.mount $go_ahead ($pause_ $on_pause) ($finish_ $on_finish)
            (table.get $threads (local.get $ix)))
          (unreachable))
        (local.set $ix
          (i32.rem_u
            (i32.add (local.get $ix) (i32.const 1))
            (table.size $threads)))
        (br $for_ix))
      (unreachable))
    (local.set $total)
    (loop $for_jx
      (if (i32.ne (local.get $jx) (local.get $ix))
        (then
          ;; a thread that is cancelled finishes as well
          (block $on_finish (result i32)
            (fiber.mount $cancel_thread ($finish_ $on_finish) (table.get $threads (local.get $jx)))
            (unreachable))
          (local.set $others (i32.add (local.get $others)))))
      (local.set $jx (i32.add (local.get $jx) (i32.const 1)))
      (br_if $for_jx (i32.lt_u (local.get $jx) (table.size $threads))))
    (local.get $total)
    (local.get $others))

  ;; Three threads add up as many numbers as they are told.
  (func $run (export "arena") (param $a i32) (param $b i32) (param $c i32) (result i32 i32)
    (call $add_thread (i32.const 0) (local.get $a))
    (call $add_thread (i32.const 1) (local.get $b))
    (call $add_thread (i32.const 2) (local.get $c))
    (call $cancelling_arena))

  ;; Asks the generator of a thread for a number: traps after the arena, all of them have ended.
  (func (export "ask") (param $i i32) (result i32)
    (block $on_end
      (block $on_yield (result i32)
        (fiber.mount $next ($yield $on_yield) ($end $on_end)
          (table.get $generators (local.get $i)))
        (unreachable))
      (return))
    (i32.const -1))

  (func (export "main") (result i32 i32)
    (call $run (i32.const 5) (i32.const 3) (i32.const 4))))
