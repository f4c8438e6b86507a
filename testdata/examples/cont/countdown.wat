;; The first program of the document: a generator suspends with 100, 99 … 1, its consumer prints
;; each and resumes the rest of the generator until it returns.
(module $countdown
  (func $print (import "spectest" "print_i32") (param i32))

  (type $ft (func))
  ;; A suspended generator. It takes nothing when it is resumed, and returns nothing.
  (type $ct (cont $ft))

  ;; Carries a value from the generator to its consumer; brings nothing back.
  (tag $gen (param i32))

  (global $sum (mut i32) (i32.const 0))
  (elem declare func $generator)

  ;; Gives the values from 100 down to 1.
  (func $generator
    (local $i i32)
    (local.set $i (i32.const 100))
    (loop $l
      (suspend $gen (local.get $i))
      (local.tee $i (i32.sub (local.get $i) (i32.const 1)))
      (br_if $l)))

  (func $consumer
    (local $c (ref $ct))
    (local $v i32)
    ;; runs nothing yet
    (local.set $c (cont.new $ct (ref.func $generator)))
    (loop $loop
      (block $on_gen (result i32 (ref $ct))
        (resume $ct (on $gen $on_gen) (local.get $c))
        ;; the generator has returned: no more values
        (return))
      ;; the generator has suspended: its value, and the rest of it
      (local.set $c)
      (local.set $v)
      (call $print (local.get $v))
      (global.set $sum (i32.add (global.get $sum) (local.get $v)))
      (br $loop)))

  (func (export "main") (result i32)
    (global.set $sum (i32.const 0))
    (call $consumer)
    (global.get $sum)))
