;; Fibers and arenas as structures of WasmGC: a fiber keeps its identity in a structure that holds
;; its stack while it is suspended, and its arena in one that holds the arena's stack while a fiber
;; runs. Each fiber drives a generator of its own, whom it tells to end when it is cancelled. The
;; arena cancels all fibers when the first has finished.
(module $adder
  (@stack-switching "stacks")
  ;; What a generator is told, and says. All messages have the same values, the last one says which
  ;; it is: what a message does not need is filled with 0.
  (rec
    (type $genCmd (stack (param $cmd i32) (ref $genResp)))
    (type $genResp (stack (param $value i32) (param $what i32) (ref null $genCmd))))
  (global $next i32 (i32.const 0))
  (global $cancel_gen i32 (i32.const 1))
  (global $yield i32 (i32.const 0))
  (global $end i32 (i32.const 1))

  ;; What a fiber is told, and says.
  (rec
    (type $toFiber (stack (param $cmd i32) (ref $toArena)))
    (type $toArena (stack (param $total i32) (param $what i32) (ref null $toFiber))))
  (global $resume i32 (i32.const 0))
  (global $cancel i32 (i32.const 1))
  (global $pause i32 (i32.const 0))
  (global $terminate i32 (i32.const 1))

  (type $arena (struct (field $stack (mut (ref null $toArena)))))
  (type $fiber (struct
    (field $stack (mut (ref null $toFiber)))
    (field $arena (ref $arena))))
  (type $fiberArray (array (ref null $fiber)))

  ;; The numbers, one to a byte.
  (memory 1)
  (data (i32.const 0) "\01\02\03\04\05\06\07\08\09\0a")

  ;; How many generators have not ended.
  (global $generators (export "generators") (mut i32) (i32.const 0))

  ;; The generator: yields $count numbers from address $els on, unless it is cancelled before.
  (func $arrayGenerator (param $els i32) (param $count i32) (param $cmd i32)
      (param $consumer (ref $genResp))
    (local $ix i32)
    (global.set $generators (i32.add (global.get $generators) (i32.const 1)))
    (block $on-end
      (loop $l
        (br_if $on-end (i32.eq (local.get $cmd) (global.get $cancel_gen)))
        (br_if $on-end (i32.ge_u (local.get $ix) (local.get $count)))
        (switch $genResp
          (i32.load8_u (i32.add (local.get $els) (local.get $ix)))
          (global.get $yield)
          (local.get $consumer))
        (local.set $consumer)
        (local.set $cmd)
        (local.set $ix (i32.add (local.get $ix) (i32.const 1)))
        (br $l)))
    (global.set $generators (i32.sub (global.get $generators) (i32.const 1)))
    (switch_retire $genResp (i32.const 0) (global.get $end) (local.get $consumer)))

  ;; Lets others run: switches to the arena, and keeps the stack that it comes back from. Returns
  ;; whether the fiber is cancelled.
  (func $pause (param $fiber (ref $fiber)) (result i32)
    (local $cmd i32)
    (local $stack (ref $toArena))
    (switch $toArena
      (i32.const 0)
      (global.get $pause)
      (struct.get $arena $stack (struct.get $fiber $arena (local.get $fiber))))
    (local.set $stack)
    (local.set $cmd)
    (struct.set $arena $stack (struct.get $fiber $arena (local.get $fiber)) (local.get $stack))
    (local.get $cmd))

  (type $unboundGen (stack (param $els i32) (param $count i32) (param $cmd i32) (ref $genResp)))

  ;; The fiber function: adds up $count numbers and pauses after each.
  (func $adderFiber (param $fiber (ref $fiber)) (param $count i32) (param $cmd i32)
      (param $from (ref $toArena))
    (local $generator (ref null $genCmd))
    (local $what i32)
    (local $total i32)
    (struct.set $arena $stack (struct.get $fiber $arena (local.get $fiber)) (local.get $from))
    (local.set $generator
      (stack.bind $unboundGen $genCmd
        (i32.const 0)
        (local.get $count)
        (stack.new $unboundGen $arrayGenerator)))
    (block $on-end
      (block $on-cancel
        (loop $l
          (br_if $on-cancel (i32.eq (local.get $cmd) (global.get $cancel)))
          (switch $genCmd (global.get $next) (local.get $generator))
          (local.set $generator)
          (local.set $what)
          (local.set $total (i32.add (local.get $total)))
          (br_if $on-end (i32.eq (local.get $what) (global.get $end)))
          (local.set $cmd (call $pause (local.get $fiber)))
          (br $l)))
      ;; cancelled: the generator ends as well
      (switch $genCmd (global.get $cancel_gen) (local.get $generator))
      (drop)
      (drop)
      (drop))
    (switch_retire $toArena
      (local.get $total)
      (global.get $terminate)
      (struct.get $arena $stack (struct.get $fiber $arena (local.get $fiber)))))

  (type $unboundFiber (stack (param $fiber (ref $fiber)) (param $count i32) (param $cmd i32)
    (ref $toArena)))

  ;; A fiber of an arena: the structure first, then the stack, whose function knows the structure.
  (func $newFiber (param $arena (ref $arena)) (param $count i32) (result (ref $fiber))
    (local $fiber (ref $fiber))
    (local.set $fiber (struct.new $fiber (ref.null $toFiber) (local.get $arena)))
    (struct.set $fiber $stack
      (local.get $fiber)
      (stack.bind $unboundFiber $toFiber
        (local.get $fiber)
        (local.get $count)
        (stack.new $unboundFiber $adderFiber)))
    (local.get $fiber))

  ;; Sends a fiber a command; keeps the stack that it comes back from, which is null if it has
  ;; ended. Gives its total, and what it says.
  (func $run (param $fiber (ref null $fiber)) (param $cmd i32) (result i32 i32)
    (local $stack (ref null $toFiber))
    (switch $toFiber
      (local.get $cmd)
      (struct.get $fiber $stack (local.get $fiber)))
    (local.set $stack)
    (struct.set $fiber $stack (local.get $fiber) (local.get $stack)))

  ;; Runs the fibers in turn until one has finished, then cancels the others. Gives the total of the
  ;; first, and the sum of what the others had come to.
  (func $cancelingArena (param $fibers (ref $fiberArray)) (result i32 i32)
    (local $ix i32)
    (local $jx i32)
    (local $total i32)
    (local $others i32)
    (block $on-end
      (loop $for_ix
        (call $run
          (array.get $fiberArray (local.get $fibers) (local.get $ix))
          (global.get $resume))
        (i32.eq (global.get $terminate))
        (local.set $jx)
        (local.set $total)
        (br_if $on-end (local.get $jx))
        (local.set $ix
          (i32.rem_u
            (i32.add (local.get $ix) (i32.const 1))
            (array.len (local.get $fibers))))
        (br $for_ix)))
    (local.set $jx (i32.const 0))
    (loop $for-jx
      (block $no-cancel
        (br_if $no-cancel (i32.eq (local.get $ix) (local.get $jx)))
        (call $run
          (array.get $fiberArray (local.get $fibers) (local.get $jx))
          (global.get $cancel))
        (drop)
        (local.set $others (i32.add (local.get $others))))
      (local.set $jx (i32.add (local.get $jx) (i32.const 1)))
      (br_if $for-jx (i32.lt_u (local.get $jx) (array.len (local.get $fibers)))))
    (local.get $total)
    (local.get $others))

  ;; Three fibers add up as many numbers as they are told.
  (func $main (export "arena") (param $a i32) (param $b i32) (param $c i32) (result i32 i32)
    (local $arena (ref $arena))
    (local.set $arena (struct.new_default $arena))
    (call $cancelingArena
      (array.new_fixed $fiberArray 3
        (call $newFiber (local.get $arena) (local.get $a))
        (call $newFiber (local.get $arena) (local.get $b))
        (call $newFiber (local.get $arena) (local.get $c)))))

  (func (export "main") (result i32 i32)
    (call $main (i32.const 5) (i32.const 3) (i32.const 4))))
