;; A green thread with two roles: it pauses for its arena after each number, and it drives a
;; generator of its own, which it releases when it is cancelled. The arena ends all threads when the
;; first has finished.
(module $adder
  (@stack-switching "fibers-handle")
  (type $generator (ref null fiber))
  (type $thread (ref null fiber))

  ;; To a generator: the next number. From it: a number; no more numbers.
  (tag $next)
  (tag $yield (param i32))
  (tag $end)

  ;; To a thread: go on; end.
  (tag $go_ahead)
  (tag $cancel_thread)
  ;; From a thread: others may run; its total, with which it retires.
  (tag $pause_)
  (tag $finish_ (param i32))

  ;; The numbers, one to a byte.
  (memory 1)
  (data (i32.const 0) "\01\02\03\04\05\06\07\08\09\0a")

  ;; The threads of the arena, and the generator of each.
  (table $task_table 3 (ref null $thread))
  (table $generators 3 (ref null $generator))

  ;; The generator: yields $count numbers from address $els on, then retires.
  (func $array_generator (param $me $generator) (param $els i32) (param $count i32)
    (local $ix i32)
    (event $next
      (loop $again
        (if (i32.lt_u (local.get $ix) (local.get $count))
          (then
            (handle
              (fiber.suspend
                (local.get $me)
                $yield
                (i32.load8_u (i32.add (local.get $els) (local.get $ix))))
              (event $next
                (local.set $ix (i32.add (local.get $ix) (i32.const 1)))
                (br $again))))))
      (fiber.retire (local.get $me) $end)))

  ;; The thread: a client of the arena, and the manager of its generator. Its clauses at the top are
  ;; its protocol: a thread that is cancelled before it has started begins in the first.
  (func $adderThread (param $thisThred $thread) (param $generator $generator)
    (local $total i32)
    (event $cancel_thread
      ;; nobody will ask the generator for more
      (fiber.release (local.get $generator))
      (fiber.retire (local.get $thisThred) $finish_ (local.get $total)))
    (event $go_ahead
      (loop $l
        (handle $body
          (handle
            (fiber.resume (local.get $generator) $next)
            ;; a generator may return as well
            (br $body)
            (event $yield
              (local.set $total (i32.add (local.get $total)))
              ;; in here the clauses of $body and of the function are in scope: $go_ahead comes to
              ;; the nearest, $cancel_thread to the one at the top
              (fiber.suspend (local.get $thisThred) $pause_))
            (event $end (br $body)))
          (event $go_ahead (br $l))))
      (fiber.retire (local.get $thisThred) $finish_ (local.get $total))))

  ;; Makes thread $i, which adds up the first $count numbers.
  (func $add_thread (param $i i32) (param $count i32)
    (table.set $generators
      (local.get $i)
      (fiber.new $array_generator (i32.const 0) (local.get $count)))
    (table.set $task_table
      (local.get $i)
      (fiber.new $adderThread (table.get $generators (local.get $i)))))

  ;; Resumes the threads in turn until one has finished, then cancels the others. Gives the total of
  ;; the first, and the sum of what the others had come to.
  (func $cancelingArena (result i32 i32)
    (local $ix i32)
    (local $jx i32)
    (local $total i32)
    (local $others i32)
    (loop $for_ix
      (handle
        (fiber.resume (table.get $task_table (local.get $ix)) $go_ahead)
        ;; a thread retires, it does not return
        (unreachable)
        (event $pause_
          (local.set $ix
            (i32.rem_u
              (i32.add (local.get $ix) (i32.const 1))
              (table.size $task_table)))
          (br $for_ix))
        (event $finish_
          (local.set $total)
          (loop $for_jx
            (handle $inner_jx
              (br_if $inner_jx (i32.eq (local.get $ix) (local.get $jx)))
              (fiber.resume (table.get $task_table (local.get $jx)) $cancel_thread)
              ;; the only event that is right here
              (event $finish_
                (local.set $others (i32.add (local.get $others)))))
            (local.set $jx (i32.add (local.get $jx) (i32.const 1)))
            (br_if $for_jx (i32.lt_u (local.get $jx) (table.size $task_table)))))))
    (local.get $total)
    (local.get $others))

  ;; Three threads add up as many numbers as they are told.
  (func $run (export "arena") (param $a i32) (param $b i32) (param $c i32) (result i32 i32)
    (call $add_thread (i32.const 0) (local.get $a))
    (call $add_thread (i32.const 1) (local.get $b))
    (call $add_thread (i32.const 2) (local.get $c))
    (call $cancelingArena))

  ;; Asks the generator of a thread for a number: traps after the arena, all of them have ended.
  (func (export "ask") (param $i i32) (result i32)
    (handle (result i32)
      (fiber.resume (table.get $generators (local.get $i)) $next)
      (i32.const -1)
      (event $yield)))

  (func (export "main") (result i32 i32)
    (call $run (i32.const 5) (i32.const 3) (i32.const 4))))
