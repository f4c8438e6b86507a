;; Three ways to give a generator its arguments: in two steps, with a switch and two stack types of
;; their own for the first one; bound by `stack.bind`; and bound to a stack made by `stack.new_ref`
;; from a function that is only known at run time.
(module $initialize
  (@stack-switching "stacks")
  (rec
    ;; For any generator of i32: takes a value, and the generator; null: there are no more.
    (type $toConsumer (stack (param $val i32) (param (ref null $toGenerator))))
    ;; Takes the consumer that asks for a value.
    (type $toGenerator (stack (param (ref $toConsumer)))))

  (memory 1)
  (data (i32.const 0) "\01\02\03\04\05\06\07\08\09\0a")
  (elem declare func $elements $squares)

  ;; The elements $from … $to - 1 of the array at $els.
  (func $elements (param $from i32) (param $to i32) (param $els i32)
      (param $toConsumer (ref $toConsumer))
    (block $on-end
      (loop $l
        (br_if $on-end (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $toConsumer
          (switch $toConsumer
            (i32.load8_u (i32.add (local.get $els) (local.get $from)))
            (local.get $toConsumer)))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (br $l)))
    ;; a dummy value, and no generator to come back to
    (switch_retire $toConsumer (i32.const 0) (local.get $toConsumer)))

  ;; The squares of $from … $to - 1; has no use for an array.
  (func $squares (param $from i32) (param $to i32) (param $els i32)
      (param $toConsumer (ref $toConsumer))
    (loop $l
      (if (i32.lt_u (local.get $from) (local.get $to))
        (then
          (local.set $toConsumer
            (switch $toConsumer
              (i32.mul (local.get $from) (local.get $from))
              (local.get $toConsumer)))
          (local.set $from (i32.add (local.get $from) (i32.const 1)))
          (br $l))))
    (switch_retire $toConsumer (i32.const 0) (local.get $toConsumer)))

  ;; Adds up what a generator gives.
  (func $add_up (param $toGenerator (ref null $toGenerator)) (result i32)
    (local $total i32)
    (block $on-end
      (loop $l
        (switch $toGenerator (local.get $toGenerator))
        (br_on_null $on-end)
        ;; the generator for the next time, and the value
        (local.set $toGenerator)
        (local.set $total (i32.add (local.get $total)))
        (br $l)))
    (local.get $total))

  ;; ---- in two steps ----

  ;; Takes the generator that now has its arguments.
  (type $finishInit (stack (param (ref $toGenerator))))
  (type $initArrayGen (stack (param $from i32) (param $to i32) (param $els i32)
    (param (ref $finishInit))))

  ;; The first switch brings the arguments, the second one the consumer.
  (func $arrayGenerator (param $from i32) (param $to i32) (param $els i32)
      (param $finishInit (ref $finishInit))
    (call $elements
      (local.get $from)
      (local.get $to)
      (local.get $els)
      (switch $finishInit (local.get $finishInit))))

  (func (export "two steps") (param $from i32) (param $to i32) (result i32)
    (call $add_up
      (switch $initArrayGen
        (local.get $from)
        (local.get $to)
        (i32.const 0)
        (stack.new $initArrayGen $arrayGenerator))))

  ;; ---- bound ----

  (type $unbound (stack (param $from i32) (param $to i32) (param $els i32)
    (param (ref $toConsumer))))

  (func $bound (export "bound") (param $from i32) (param $to i32) (result i32)
    (call $add_up
      (stack.bind $unbound $toGenerator
        (local.get $from)
        (local.get $to)
        (i32.const 0)
        (stack.new $unbound $elements))))

  ;; One argument at a time: each `stack.bind` uses up the reference before.
  (type $needs_to (stack (param $to i32) (param $els i32) (param (ref $toConsumer))))
  (func (export "bit by bit") (param $from i32) (param $to i32) (result i32)
    (call $add_up
      (stack.bind $needs_to $toGenerator
        (local.get $to)
        (i32.const 0)
        (stack.bind $unbound $needs_to (local.get $from) (stack.new $unbound $elements)))))

  ;; ---- of any function ----

  (type $generator (func (param $from i32) (param $to i32) (param $els i32)
    (param (ref $toConsumer))))

  (func $sum_of (param $f (ref null $generator)) (param $from i32) (param $to i32) (result i32)
    (call $add_up
      (stack.bind $unbound $toGenerator
        (local.get $from)
        (local.get $to)
        (i32.const 0)
        (stack.new_ref $unbound (local.get $f)))))

  (func (export "of any") (param $squares i32) (param $from i32) (param $to i32) (result i32)
    (call $sum_of
      (if (result (ref null $generator)) (local.get $squares)
        (then (ref.func $squares))
        (else (ref.func $elements)))
      (local.get $from)
      (local.get $to)))

  (func (export "of null") (result i32)
    (call $sum_of (ref.null $generator) (i32.const 0) (i32.const 1)))

  (func (export "main") (result i32)
    (call $bound (i32.const 0) (i32.const 10))))
