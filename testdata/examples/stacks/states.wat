;; States as functions: a parser is fed one character at a time, and each of its states is a function
;; that leaves by `return_switch` and says which function takes the next character. What it cannot
;; read is an exception in the feeder (`return_switch_throw`), which goes on with the parser if it
;; wants to; and the feeder ends the parser by an exception there (`switch_throw`).
(module $states
  (@stack-switching "stacks")
  (rec
    ;; To the parser: a character.
    (type $toParser (stack (param $char i32) (ref null $toFeeder)))
    ;; To the feeder: a number that is complete, or -1.
    (type $toFeeder (stack (param $number i32) (ref null $toParser))))

  ;; Thrown to the feeder: a character that is not expected, and the parser.
  (tag $unexpected (param i32 (ref null $toParser)))
  ;; Thrown to the parser: there are no more characters; and the feeder.
  (tag $close (param (ref null $toFeeder)))

  (memory (export "memory") 1)
  (data (i32.const 0) "12,7,305,")
  (data (i32.const 16) "1,2x3,4,,5,")
  ;; How many parsers have not been closed.
  (global $open (export "open") (mut i32) (i32.const 0))

  ;; ---- the parser ----

  (func $is_digit (param $char i32) (result i32)
    (i32.lt_u (i32.sub (local.get $char) (i32.const 48)) (i32.const 10)))

  ;; The coroutine. The states run above it, each in place of the one before.
  (func $parse (param $char i32) (param $feeder (ref null $toFeeder))
    (global.set $open (i32.add (global.get $open) (i32.const 1)))
    (block $on_close (result (ref null $toFeeder))
      (try_table (catch $close $on_close)
        (call $begin (local.get $char) (local.get $feeder)))
      (unreachable))
    (local.set $feeder)
    (global.set $open (i32.sub (global.get $open) (i32.const 1)))
    (switch_retire $toFeeder (i32.const -1) (local.get $feeder)))

  ;; A number is to begin.
  (func $begin (param $char i32) (param $feeder (ref null $toFeeder))
    (if (call $is_digit (local.get $char))
      (then
        (return_switch $toFeeder $go_on
          (i32.sub (local.get $char) (i32.const 48))
          (i32.const -1)
          (local.get $feeder))))
    (return_switch_throw $toFeeder $unexpected $skip (local.get $char) (local.get $feeder)))

  ;; A number has begun.
  (func $go_on (param $number i32) (param $char i32) (param $feeder (ref null $toFeeder))
    (if (call $is_digit (local.get $char))
      (then
        (return_switch $toFeeder $go_on
          (i32.add
            (i32.mul (local.get $number) (i32.const 10))
            (i32.sub (local.get $char) (i32.const 48)))
          (i32.const -1)
          (local.get $feeder))))
    (if (i32.eq (local.get $char) (i32.const 44))
      (then (return_switch $toFeeder $begin (local.get $number) (local.get $feeder))))
    (return_switch_throw $toFeeder $unexpected $skip (local.get $char) (local.get $feeder)))

  ;; After something unexpected: the rest up to the comma is left out.
  (func $skip (param $char i32) (param $feeder (ref null $toFeeder))
    (if (i32.eq (local.get $char) (i32.const 44))
      (then (return_switch $toFeeder $begin (i32.const -1) (local.get $feeder))))
    (return_switch $toFeeder $skip (i32.const -1) (local.get $feeder)))

  ;; ---- the feeder ----

  ;; Parses the characters from $at on; gives the sum of the numbers, and how many characters were
  ;; not expected.
  (func $sum (export "sum") (param $at i32) (param $length i32) (result i32 i32)
    (local $parser (ref null $toParser))
    (local $end i32)
    (local $number i32)
    (local $sum i32)
    (local $wrong i32)
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (local.set $parser (stack.new $toParser $parse))
    (loop $next
      (block $fed
        (block $on_unexpected (result i32 (ref null $toParser))
          (try_table (result i32 (ref null $toParser)) (catch $unexpected $on_unexpected)
            (switch $toParser (i32.load8_u (local.get $at)) (local.get $parser)))
          (local.set $parser)
          (local.set $number)
          (if (i32.ge_s (local.get $number) (i32.const 0))
            (then (local.set $sum (i32.add (local.get $sum) (local.get $number)))))
          (br $fed))
        ;; goes on with the parser all the same
        (local.set $parser)
        (drop)
        (local.set $wrong (i32.add (local.get $wrong) (i32.const 1))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
    (switch_throw $toParser $close (local.get $parser))
    (drop)
    (drop)
    (local.get $sum)
    (local.get $wrong))

  (func (export "main") (result i32 i32)
    (call $sum (i32.const 0) (i32.const 9))))
