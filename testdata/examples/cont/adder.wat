;; A green thread with two roles: it pauses for its arena after each number, and it drives a
;; generator of its own, which it ends when it is cancelled. The arena cancels all threads when the
;; first has finished.
(module $adder
  (type $task (func))
  (type $gen (cont $task))
  (type $arrayGenerator (func (param $els i32) (param $count i32)))
  (type $unboundGen (cont $arrayGenerator))

  (type $threadFunc (func (result i32)))
  (type $thread (cont $threadFunc))
  (type $adder (func (param $count i32) (result i32)))
  (type $unbound (cont $adder))

  ;; From a generator: a number. From a thread: others may run. Both end by returning.
  (tag $yield (param i32))
  (tag $pause)
  ;; Thrown into a generator, and into a thread, to end it.
  (tag $cancel_generator)
  (tag $cancel_thread)

  ;; The numbers, one to a byte.
  (memory 1)
  (data (i32.const 0) "\01\02\03\04\05\06\07\08\09\0a")

  (table $threads 3 (ref null $thread))
  ;; How many generators have not ended.
  (global $generators (export "generators") (mut i32) (i32.const 0))
  (elem declare func $arrayGenerator $adderThread)

  ;; The generator: yields $count numbers from address $els on. The counter is right even if it is
  ;; cancelled.
  (func $arrayGenerator (type $arrayGenerator) (param $els i32) (param $count i32)
    (local $ix i32)
    (global.set $generators (i32.add (global.get $generators) (i32.const 1)))
    (block $end
      (try_table (catch $cancel_generator $end)
        (loop $l
          (br_if $end (i32.ge_u (local.get $ix) (local.get $count)))
          (suspend $yield (i32.load8_u (i32.add (local.get $els) (local.get $ix))))
          (local.set $ix (i32.add (local.get $ix) (i32.const 1)))
          (br $l))))
    (global.set $generators (i32.sub (global.get $generators) (i32.const 1))))

  ;; The thread: a client of the arena, and the parent of its generator while that runs.
  (func $adderThread (type $adder) (param $count i32) (result i32)
    (local $generator (ref null $gen))
    (local $total i32)
    (local.set $generator
      (cont.bind $unboundGen $gen
        (i32.const 0)
        (local.get $count)
        (cont.new $unboundGen (ref.func $arrayGenerator))))
    (block $on_cancel
      (try_table (catch $cancel_thread $on_cancel)
        (loop $l
          (block $on_yield (result i32 (ref $gen))
            (resume $gen (on $yield $on_yield) (local.get $generator))
            (return (local.get $total)))
          (local.set $generator)
          (local.set $total (i32.add (local.get $total)))
          (suspend $pause)
          (br $l))))
    ;; cancelled: nobody will ask the generator for more
    (resume_throw $gen $cancel_generator (local.get $generator))
    (local.get $total))

  (func $newThread (param $count i32) (result (ref $thread))
    (cont.bind $unbound $thread
      (local.get $count)
      (cont.new $unbound (ref.func $adderThread))))

  ;; Resumes the threads in turn until one has finished, then cancels the others. Gives the total of
  ;; the first, and the sum of what the others had come to.
  (func $cancelingArena (result i32 i32)
    (local $ix i32)
    (local $jx i32)
    (local $thread (ref null $thread))
    (local $total i32)
    (local $others i32)
    (block $on_end (result i32)
      (loop $for_ix
        (block $on_pause (result (ref $thread))
          (br $on_end
            (resume $thread (on $pause $on_pause) (table.get $threads (local.get $ix)))))
        (local.set $thread)
        (table.set $threads (local.get $ix) (local.get $thread))
        (local.set $ix
          (i32.rem_u (i32.add (local.get $ix) (i32.const 1)) (table.size $threads)))
        (br $for_ix))
      (unreachable))
    (local.set $total)
    (loop $for_jx
      (block $next
        (br_if $next (i32.eq (local.get $ix) (local.get $jx)))
        ;; the exception comes out again if the thread had not started
        (try_table (catch $cancel_thread $next)
          (resume_throw $thread $cancel_thread (table.get $threads (local.get $jx)))
          (local.set $others (i32.add (local.get $others)))))
      (local.set $jx (i32.add (local.get $jx) (i32.const 1)))
      (br_if $for_jx (i32.lt_u (local.get $jx) (table.size $threads))))
    (local.get $total)
    (local.get $others))

  ;; Three threads add up as many numbers as they are told.
  (func $run (export "arena") (param $a i32) (param $b i32) (param $c i32) (result i32 i32)
    (table.set $threads (i32.const 0) (call $newThread (local.get $a)))
    (table.set $threads (i32.const 1) (call $newThread (local.get $b)))
    (table.set $threads (i32.const 2) (call $newThread (local.get $c)))
    (call $cancelingArena))

  (func (export "main") (result i32 i32)
    (call $run (i32.const 5) (i32.const 3) (i32.const 4))))
