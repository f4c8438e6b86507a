;; A turnstile, whose states are functions: a coin unlocks it, a push goes through. It is written
;; with the instructions that the document lists as likely additions. `return_switch` leaves the
;; function of one state and stands before the call of the next one, until an event comes;
;; `return_switch_throw` does so as well, and refuses an event where it came from. `switch_throw`
;; closes the turnstile in whichever state it is: the exception comes out of the call that led there.
(module $turnstile
  (@stack-switching "stacks")
  (rec
    ;; To the turnstile: what happens.
    (type $toGate (stack (param $event i32) (ref null $toHall)))
    ;; From it: how many have gone through.
    (type $toHall (stack (param $count i32) (ref null $toGate))))
  (global $coin i32 (i32.const 0))
  (global $push i32 (i32.const 1))

  ;; The event does not suit the state. The last value of an exception that is thrown into another
  ;; stack is the reference to the one that threw it.
  (tag $refused (param i32 (ref null $toGate)))
  ;; The turnstile is to close.
  (tag $close (param (ref null $toHall)))

  (global $gate (mut (ref null $toGate)) (ref.null $toGate))

  ;; The states. What each hands on to the next comes first; the event, and whoever sent it, come
  ;; with the switch back.
  (func $locked (param $count i32) (param $event i32) (param $hall (ref null $toHall))
    (if (i32.eq (local.get $event) (global.get $coin))
      (then
        (return_switch $toHall $unlocked (local.get $count) (local.get $count) (local.get $hall))))
    (return_switch_throw $toHall $refused $locked
      (local.get $count)
      (local.get $event)
      (local.get $hall)))
  (func $unlocked (param $count i32) (param $event i32) (param $hall (ref null $toHall))
    (if (i32.eq (local.get $event) (global.get $push))
      (then
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (return_switch $toHall $locked (local.get $count) (local.get $count) (local.get $hall))))
    (return_switch_throw $toHall $refused $unlocked
      (local.get $count)
      (local.get $event)
      (local.get $hall)))

  ;; The coroutine: it is in one state or another until it is closed.
  (func $turn (param $event i32) (param $hall (ref null $toHall))
    (block $closed (result (ref null $toHall))
      (try_table (catch $close $closed)
        (call $locked (i32.const 0) (local.get $event) (local.get $hall)))
      (unreachable))
    (local.set $hall)
    (switch_retire $toHall (i32.const -1) (local.get $hall)))

  (func $open (export "open")
    (global.set $gate (stack.new $toGate $turn)))
  ;; Sends an event: returns how many have gone through, or -2 if it is refused.
  (func $send (export "send") (param $event i32) (result i32)
    (block $on_refused (result i32 (ref null $toGate))
      (try_table (result i32 (ref null $toGate)) (catch $refused $on_refused)
        (switch $toGate (local.get $event) (global.get $gate)))
      (global.set $gate)
      (return))
    (global.set $gate)
    (drop)
    (i32.const -2))
  ;; Returns -1: the turnstile has ended.
  (func $close (export "close") (result i32)
    (switch_throw $toGate $close (global.get $gate))
    (global.set $gate))

  ;; Two go through, one tries without a coin: 2 - 2 + 43 - 1.
  (func (export "main") (result i32)
    (call $open)
    (drop (call $send (global.get $coin)))
    (drop (call $send (global.get $push)))
    (call $send (global.get $push))
    (drop (call $send (global.get $coin)))
    (i32.add (call $send (global.get $push)))
    (i32.add (call $close))
    (i32.add (i32.const 43)))
)
