;; Actors: each has a mailbox in linear memory and suspends while that is empty. Five of them stand
;; in a ring and hand a number on, each taking one off; who gets 0 has won.
(module $actors
  (func $print (import "spectest" "print_i32") (param i32))

  (type $actor (func (param i32)))
  (type $actor_ct (cont $actor))
  (type $deliver (func (param i32)))
  (type $waiting (cont $deliver))

  ;; Sent by an actor that wants a message; its result is the message.
  (tag $receive (result i32))

  ;; Actor i's mailbox: at 64·i the number of messages, then the first to read, then a ring of 8.
  (memory $mail 1)
  (table $actors 5 (ref null $waiting))
  (global $winner (mut i32) (i32.const -1))

  (elem declare func $player)

  (func $box (param $who i32) (result i32)
    (i32.shl (local.get $who) (i32.const 6)))

  (func $pending (param $who i32) (result i32)
    (i32.load (call $box (local.get $who))))

  ;; Puts a message into an actor's mailbox; traps if that is full.
  (func $send (param $who i32) (param $message i32)
    (local $box i32)
    (local $count i32)
    (local.set $box (call $box (local.get $who)))
    (local.set $count (i32.load (local.get $box)))
    (if (i32.eq (local.get $count) (i32.const 8))
      (then (unreachable)))
    (i32.store offset=8
      (i32.add
        (local.get $box)
        (i32.shl
          (i32.and
            (i32.add (i32.load offset=4 (local.get $box)) (local.get $count))
            (i32.const 7))
          (i32.const 2)))
      (local.get $message))
    (i32.store (local.get $box) (i32.add (local.get $count) (i32.const 1))))

  ;; Takes the oldest message out of a mailbox that is not empty.
  (func $take (param $who i32) (result i32)
    (local $box i32)
    (local $first i32)
    (local.set $box (call $box (local.get $who)))
    (local.set $first (i32.load offset=4 (local.get $box)))
    (i32.store (local.get $box) (i32.sub (i32.load (local.get $box)) (i32.const 1)))
    (i32.store offset=4
      (local.get $box)
      (i32.and (i32.add (local.get $first) (i32.const 1)) (i32.const 7)))
    (i32.load offset=8 (i32.add (local.get $box) (i32.shl (local.get $first) (i32.const 2)))))

  ;; The actor: hands on what it gets, less one; -1 tells it to end.
  (func $player (param $me i32)
    (local $n i32)
    (loop $next
      (local.set $n (suspend $receive))
      (if (i32.lt_s (local.get $n) (i32.const 0))
        (then (return)))
      (if (local.get $n)
        (then
          (call $send
            (i32.rem_u (i32.add (local.get $me) (i32.const 1)) (i32.const 5))
            (i32.sub (local.get $n) (i32.const 1))))
        (else
          (call $print (local.get $me))
          (global.set $winner (local.get $me))
          (call $stop_all)))
      (br $next)))

  (func $stop_all
    (local $i i32)
    (loop $next
      (call $send (local.get $i) (i32.const -1))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 5)))))

  ;; Starts an actor: runs it until it wants its first message.
  (func $start (param $who i32)
    (block $on_receive (result (ref $waiting))
      (resume $actor_ct (on $receive $on_receive)
        (local.get $who)
        (cont.new $actor_ct (ref.func $player)))
      (return))
    (call $park (local.get $who)))

  ;; Keeps an actor that waits for a message.
  (func $park (param $k (ref $waiting)) (param $who i32)
    (table.set $actors (local.get $who) (local.get $k)))

  ;; Delivers one message to an actor, if it waits and has one; returns whether it did.
  (func $turn (param $who i32) (result i32)
    (local $k (ref null $waiting))
    (local.set $k (table.get $actors (local.get $who)))
    (if (ref.is_null (local.get $k))
      (then (return (i32.const 0))))
    (if (i32.eqz (call $pending (local.get $who)))
      (then (return (i32.const 0))))
    (table.set $actors (local.get $who) (ref.null $waiting))
    (block $on_receive (result (ref $waiting))
      (resume $waiting (on $receive $on_receive)
        (call $take (local.get $who))
        (local.get $k))
      ;; the actor has ended
      (return (i32.const 1)))
    (call $park (local.get $who))
    (i32.const 1))

  ;; Lets the actors play with a number; gives the winner.
  (func $play (export "play") (param $n i32) (result i32)
    (local $i i32)
    (local $busy i32)
    (loop $next
      (call $start (local.get $i))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 5))))
    (call $send (i32.const 0) (local.get $n))
    (loop $round
      (local.set $busy (i32.const 0))
      (local.set $i (i32.const 0))
      (loop $next
        (local.set $busy (i32.or (local.get $busy) (call $turn (local.get $i))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $i) (i32.const 5))))
      (br_if $round (local.get $busy)))
    (global.get $winner))

  (func (export "main") (result i32)
    (call $play (i32.const 103))))
