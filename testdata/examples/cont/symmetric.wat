;; Symmetric coroutines: two players hand a ball to each other with `switch`. The `resume` that
;; started the first of them is the parent of both in turn, and sees only who returns.
(module $symmetric
  (rec
    ;; A player takes the ball, with how often it is still to be hit, and the player that hit it.
    (type $player (func (param $n i32) (param (ref null $ct)) (result i32)))
    (type $ct (cont $player)))

  ;; Delimits what a switch takes along; its result is that of a player: who has missed.
  (tag $rally (result i32))

  (global $hits (mut i32) (i32.const 0))
  (elem declare func $first $second)

  (func $play (param $id i32) (param $n i32) (param $other (ref null $ct)) (result i32)
    (loop $next
      (if (i32.eqz (local.get $n))
        (then (return (local.get $id))))
      (global.set $hits (i32.add (global.get $hits) (i32.const 1)))
      (switch $ct $rally (i32.sub (local.get $n) (i32.const 1)) (local.get $other))
      (local.set $other)
      (local.set $n)
      (br $next))
    (unreachable))

  ;; The player that begins: nobody has hit the ball, so it makes the other one.
  (func $first (type $player) (param $n i32) (param $none (ref null $ct)) (result i32)
    (call $play (i32.const 0) (local.get $n) (cont.new $ct (ref.func $second))))

  (func $second (type $player) (param $n i32) (param $other (ref null $ct)) (result i32)
    (call $play (i32.const 1) (local.get $n) (local.get $other)))

  ;; Gives who missed a ball that is hit $n times, and the hits. The other player is left where it
  ;; waits: nothing refers to it any more.
  (func $game (export "play") (param $n i32) (result i32 i32)
    (global.set $hits (i32.const 0))
    (resume $ct (on $rally switch)
      (local.get $n)
      (ref.null $ct)
      (cont.new $ct (ref.func $first)))
    (global.get $hits))

  (func (export "main") (result i32 i32)
    (call $game (i32.const 7))))
