;; Symmetric coroutines: two players hand a ball to each other with `fiber.switch`, and the export
;; that mounted the first of them sees none of it. The stages of a pipeline hand over for good, with
;; `fiber.switch_release`.
(module $symmetric
  (@stack-switching "fibers-mount")
  ;; To a player: the ball, with how often it is still to be hit.
  (tag $ball (param i32))
  ;; Sent to the control parent by the player that returns: who has missed.
  (tag $missed (param i32))

  (table $players 2 fiberref)
  (global $hits (mut i32) (i32.const 0))

  ;; A player: takes the control parent along with the ball, so whoever misses returns to $play.
  (func $player (param $id i32) (param $me (ref fiber)) (param $n i32) (result i32)
    (loop $rally
      (if (i32.eqz (local.get $n))
        (then (return (local.get $id))))
      (global.set $hits (i32.add (global.get $hits) (i32.const 1)))
      (block $on_ball (result i32)
        (fiber.switch $ball ($ball $on_ball)
          (i32.sub (local.get $n) (i32.const 1))
          (local.get $me)
          (table.get $players (i32.xor (local.get $id) (i32.const 1))))
        (unreachable))
      (local.set $n)
      (br $rally))
    (unreachable))

  ;; Gives who missed a ball that is hit $n times, and the hits.
  (func (export "play") (param $n i32) (result i32 i32)
    (local $loser i32)
    (global.set $hits (i32.const 0))
    (table.set $players (i32.const 0) (fiber.new $missed ($ball $player) (i32.const 0)))
    (table.set $players (i32.const 1) (fiber.new $missed ($ball $player) (i32.const 1)))
    (block $on_missed (result i32)
      (fiber.mount $ball ($missed $on_missed)
        (local.get $n)
        (table.get $players (i32.const 0)))
      (unreachable))
    (local.set $loser)
    ;; the other one waits for a ball that does not come
    (fiber.release (table.get $players (i32.xor (local.get $loser) (i32.const 1))))
    (local.get $loser)
    (global.get $hits))

  ;; To a stage: a value to work on.
  (tag $value (param i32))
  ;; From the last stage.
  (tag $result (param i32))

  ;; A stage: works on the value and leaves to the next stage, with its own fiber released. The last
  ;; one leaves to the control parent, which knew none of the others.
  (func $stage (param $factor i32) (param $next fiberref) (param $me (ref fiber)) (param $v i32)
      (result i32)
    (local.set $v (i32.mul (local.get $v) (local.get $factor)))
    (if (ref.is_null (local.get $next))
      (then
        (fiber.dismount_release $result (local.get $v) (local.get $me))
        (unreachable)))
    (fiber.switch_release $value (local.get $v) (local.get $me) (local.get $next))
    (unreachable))

  ;; Multiplies by 2, 3 and 7, each on a fiber of its own.
  (func $chain (export "chain") (param $v i32) (result i32)
    (local $next fiberref)
    (local.set $next
      (fiber.new $result ($value $stage) (i32.const 7) (ref.null fiber)))
    (local.set $next (fiber.new $result ($value $stage) (i32.const 3) (local.get $next)))
    (local.set $next (fiber.new $result ($value $stage) (i32.const 2) (local.get $next)))
    (block $on_result (result i32)
      (fiber.mount $value ($result $on_result) (local.get $v) (local.get $next))
      (unreachable)))

  (func (export "main") (result i32)
    (call $chain (i32.const 10))))
