;; Symmetric coroutines: two players hand a ball to each other with `fiber.switch`, and the fiber
;; that resumed the first of them sees none of it. The stages of a pipeline hand over for good, with
;; `fiber.retireto`.
(module $symmetric
  (@stack-switching "fibers-handle")
  (type $player (fiber (result i32)))

  ;; To a player: the ball, with how often it is still to be hit.
  (tag $ball (param i32))

  (table $players 2 (ref null $player))
  (global $hits (mut i32) (i32.const 0))

  ;; A player: hits the ball and switches with it to the other one. Whoever misses returns to the
  ;; resume parent, which moved along with the ball.
  (func $player (param $me (ref $player)) (param $id i32) (result i32)
    (local $n i32)
    (unreachable)
    (event $ball
      (local.set $n)
      (loop $rally
        (if (i32.eqz (local.get $n))
          (then (return (local.get $id))))
        (global.set $hits (i32.add (global.get $hits) (i32.const 1)))
        (handle
          (fiber.switch $ball
            (local.get $me)
            (table.get $players (i32.xor (local.get $id) (i32.const 1)))
            (i32.sub (local.get $n) (i32.const 1)))
          (event $ball
            (local.set $n)
            (br $rally))))
      (unreachable)))

  ;; Gives who missed a ball that is hit $n times, and the hits.
  (func (export "play") (param $n i32) (result i32 i32)
    (local $loser i32)
    (global.set $hits (i32.const 0))
    (table.set $players (i32.const 0) (fiber.new $player (i32.const 0)))
    (table.set $players (i32.const 1) (fiber.new $player (i32.const 1)))
    (local.set $loser
      (fiber.resume $ball (table.get $players (i32.const 0)) (local.get $n)))
    ;; the other one waits for a ball that does not come
    (fiber.release (table.get $players (i32.xor (local.get $loser) (i32.const 1))))
    (local.get $loser)
    (global.get $hits))

  (type $stage (fiber))
  ;; To a stage: a value to work on.
  (tag $value (param i32))
  ;; From the last stage.
  (tag $result (param i32))

  ;; A stage: works on the value and retires to the next one, as a tail call would. The last one
  ;; retires to its resume parent, which knew none of the others.
  (func $stage (param $me (ref $stage)) (param $factor i32) (param $next (ref null $stage))
    (local $v i32)
    (event $value
      (local.set $v (i32.mul (local.get $factor)))
      (if (ref.is_null (local.get $next))
        (then (fiber.retire $result (local.get $me) (local.get $v))))
      (fiber.retireto $value (local.get $me) (local.get $next) (local.get $v))))

  ;; Multiplies by 2, 3 and 7, each on a fiber of its own.
  (func $chain (export "chain") (param $v i32) (result i32)
    (local $next (ref null $stage))
    (local.set $next (fiber.new $stage (i32.const 7) (ref.null $stage)))
    (local.set $next (fiber.new $stage (i32.const 3) (local.get $next)))
    (local.set $next (fiber.new $stage (i32.const 2) (local.get $next)))
    (handle (result i32)
      (fiber.resume $value (local.get $next) (local.get $v))
      (unreachable)
      (event $result)))

  (func (export "main") (result i32)
    (call $chain (i32.const 10))))
