;; The generator of the document: `fiber.spawn` enters it at once, so the first thing that it does
;; is to tell its consumer who it is, with the event $identify. It ends by returning; $count_down
;; ends by `fiber.retire`. The consumer takes either.
(module $spawn
  (@stack-switching "fibers-handle")
  (type $generator (ref null fiber))

  ;; From a generator: its identity; an element; that it has retired.
  (tag $identify (param (ref null $generator)))
  (tag $yield (param i32))
  (tag $end-gen)
  ;; To a generator: the next element.
  (tag $next)

  (memory 1)
  (data (i32.const 0)
    "\01\00\00\00\02\00\00\00\03\00\00\00\04\00\00\00"
    "\05\00\00\00\06\00\00\00\07\00\00\00\08\00\00\00")

  (func $arrayGenerator (param $thisTask $generator) (param $count i32) (param $els i32)
    (local $ix i32)
    (handle
      (fiber.suspend (local.get $thisTask) $identify (local.get $thisTask))
      ;; only waits for the first $next
      (event $next))
    (loop $l
      (if (i32.ge_u (local.get $ix) (local.get $count))
        (then (return)))
      (handle
        (fiber.suspend
          (local.get $thisTask)
          $yield
          (i32.load
            (i32.add (local.get $els) (i32.mul (local.get $ix) (i32.const 4)))))
        (event $next
          (local.set $ix (i32.add (local.get $ix) (i32.const 1)))
          (br $l)))))

  ;; Another generator: $from, $from - 1 … 1. It retires inside of a function that it calls.
  (func $count_down (param $me $generator) (param $from i32) (param $unused i32)
    (handle
      (fiber.suspend (local.get $me) $identify (local.get $me))
      (event $next))
    (loop $l
      (if (i32.eqz (local.get $from))
        (then (call $finish (local.get $me))))
      (handle
        (fiber.suspend (local.get $me) $yield (local.get $from))
        (event $next
          (local.set $from (i32.sub (local.get $from) (i32.const 1)))
          (br $l)))))

  (func $finish (param $me $generator)
    (fiber.retire (local.get $me) $end-gen))

  ;; Resumes a generator until it has ended one way or the other; gives the sum of its elements.
  (func $add_up (param $generator $generator) (result i32)
    (local $total i32)
    (loop $l
      (handle $body
        (fiber.resume (local.get $generator) $next)
        ;; the generator has returned: leaves $body
        (event $yield
          (local.set $total (i32.add (local.get $total)))
          (br $l))
        (event $end-gen (br $body))))
    (local.get $total))

  (func $addAllElements (export "add all elements") (param $count i32) (param $els i32) (result i32)
    (local $generator $generator)
    (handle
      (fiber.spawn $arrayGenerator (local.get $count) (local.get $els))
      ;; it does not return before it is asked for an element
      (unreachable)
      (event $identify (local.set $generator)))
    (call $add_up (local.get $generator)))

  (func (export "count down") (param $from i32) (result i32)
    (local $generator $generator)
    (handle
      (fiber.spawn $count_down (local.get $from) (i32.const 0))
      (unreachable)
      (event $identify (local.set $generator)))
    (call $add_up (local.get $generator)))

  ;; ---- a fiber that need not suspend: `fiber.spawn` reads like a call ----

  (type $sum (fiber (result i32)))

  (func $triangle (param $me (ref $sum)) (param $n i32) (result i32)
    (i32.div_u
      (i32.mul (local.get $n) (i32.add (local.get $n) (i32.const 1)))
      (i32.const 2)))

  (func (export "triangle") (param $n i32) (result i32)
    (fiber.spawn $triangle (local.get $n)))

  (func (export "main") (result i32)
    (call $addAllElements (i32.const 8) (i32.const 0))))
