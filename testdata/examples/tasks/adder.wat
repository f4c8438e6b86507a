;; A fiber with two roles: it pauses for its arena after each number, and it drives a generator of
;; its own, which it releases when it is cancelled. The arena ends all fibers when the first has
;; finished.
(module $adder
  (@stack-switching "tasks")
  ;; To a generator: the next number. From it: a number; no more numbers, with which it retires.
  (tag $next)
  (tag $yield (param i32))
  (tag $end-gen)

  ;; To a fiber: go on; end.
  (tag $go_ahead_fiber)
  (tag $cancel_fiber)
  ;; From a fiber: others may run; its total, with which it retires.
  (tag $pause_fiber)
  (tag $finish_ (param i32))

  ;; The numbers, one to a byte.
  (memory 1)
  (data (i32.const 0) "\01\02\03\04\05\06\07\08\09\0a")

  ;; The fibers of the arena, and the generator of each.
  (table $task_table 3 taskref)
  (table $generators 3 taskref)

  ;; The generator: yields $count numbers from address $els on.
  (func $arrayGenerator (param $thisTask taskref) (param $els i32) (param $count i32)
    (local $ix i32)
    (block $on-init
      (event.switch ($next $on-init)))
    (loop $l
      (if (i32.lt_u (local.get $ix) (local.get $count))
        (then
          (block $on-next
            (task.suspend
              (local.get $thisTask)
              ($yield (i32.load8_u (i32.add (local.get $els) (local.get $ix)))))
            (event.switch ($next $on-next)))
          (local.set $ix (i32.add (local.get $ix) (i32.const 1)))
          (br $l))))
    (task.retire (local.get $thisTask) ($end-gen)))

  ;; The fiber: a client of the arena, and the manager of its generator.
  (func $adderFiber (param $thisTask taskref) (param $generator taskref)
    (local $total i32)
    (block $on-cancel
      (block $on-init
        (event.switch ($go_ahead_fiber $on-init) ($cancel_fiber $on-cancel)))
      (block $on-end
        (loop $l
          (block $on-yield (result i32)
            (task.resume (local.get $generator) ($next))
            (event.switch ($yield $on-yield) ($end-gen $on-end)))
          (local.set $total (i32.add (local.get $total)))
          (task.suspend (local.get $thisTask) ($pause_fiber))
          (event.switch ($go_ahead_fiber $l) ($cancel_fiber $on-cancel))))
      (task.retire (local.get $thisTask) ($finish_ (local.get $total))))
    ;; cancelled: nobody will ask the generator for more
    (task.release (local.get $generator))
    (task.retire (local.get $thisTask) ($finish_ (local.get $total))))

  ;; Makes fiber $i, which adds up the first $count numbers.
  (func $add_fiber (param $i i32) (param $count i32)
    (table.set $generators
      (local.get $i)
      (task.new $arrayGenerator (i32.const 0) (local.get $count)))
    (table.set $task_table
      (local.get $i)
      (task.new $adderFiber (table.get $generators (local.get $i)))))

  ;; Resumes the fibers in turn until one has finished, then cancels the others. Gives the total of
  ;; the first, and the sum of what the others had come to.
  (func $cancelingArena (result i32 i32)
    (local $ix i32)
    (local $jx i32)
    (local $total i32)
    (local $others i32)
    (block $on-end (result i32)
      (loop $for_ix
        (block $on-pause
          (task.resume (table.get $task_table (local.get $ix)) ($go_ahead_fiber))
          (event.switch ($pause_fiber $on-pause) ($finish_ $on-end)))
        (local.set $ix
          (i32.rem_u
            (i32.add (local.get $ix) (i32.const 1))
            (table.size $task_table)))
        (br $for_ix))
      (unreachable))
    (local.set $total)
    (loop $for_jx
      (block $inner_jx
        (br_if $inner_jx (i32.eq (local.get $ix) (local.get $jx)))
        (block $on-end (result i32)
          (task.resume (table.get $task_table (local.get $jx)) ($cancel_fiber))
          ;; the only event that is right here
          (event.switch ($finish_ $on-end)))
        (local.set $others (i32.add (local.get $others))))
      (local.set $jx (i32.add (local.get $jx) (i32.const 1)))
      (br_if $for_jx (i32.lt_u (local.get $jx) (table.size $task_table))))
    (local.get $total)
    (local.get $others))

  ;; Three fibers add up as many numbers as they are told.
  (func $run (export "arena") (param $a i32) (param $b i32) (param $c i32) (result i32 i32)
    (call $add_fiber (i32.const 0) (local.get $a))
    (call $add_fiber (i32.const 1) (local.get $b))
    (call $add_fiber (i32.const 2) (local.get $c))
    (call $cancelingArena))

  ;; Asks the generator of a fiber for a number: traps after the arena, all of them have ended.
  (func (export "ask") (param $i i32) (result i32)
    (block $on-end
      (block $on-yield (result i32)
        (task.resume (table.get $generators (local.get $i)) ($next))
        (event.switch ($yield $on-yield) ($end-gen $on-end)))
      (return))
    (i32.const -1))

  (func (export "main") (result i32 i32)
    (call $run (i32.const 5) (i32.const 3) (i32.const 4))))
