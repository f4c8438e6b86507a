;; Symmetric coroutines: two players hand a ball to each other, and the one that misses switches to
;; the referee, who saw nothing of the game. All three are peers: there is nobody above them.
(module $symmetric
  (@stack-switching "stacks")
  (rec
    ;; Takes the ball, with how often it is still to be hit, and the player that hit it.
    (type $player (stack (param $n i32) (ref null $player))))
  (rec
    ;; Takes who has missed, and nobody to go on with.
    (type $referee (stack (param $loser i32) (ref null $start)))
    ;; A game that is to start: takes the ball, and the referee.
    (type $start (stack (param $n i32) (ref $referee))))

  (global $referee (mut (ref null $referee)) (ref.null $referee))
  (global $hits (mut i32) (i32.const 0))

  ;; A player: hits the ball, which comes from the other one.
  (func $rally (param $id i32) (param $n i32) (param $other (ref null $player))
    (loop $next
      (if (i32.eqz (local.get $n))
        (then (switch_retire $referee (local.get $id) (global.get $referee))))
      (global.set $hits (i32.add (global.get $hits) (i32.const 1)))
      (switch $player (i32.sub (local.get $n) (i32.const 1)) (local.get $other))
      (local.set $other)
      (local.set $n)
      (br $next)))

  ;; The player that begins, with the referee; it makes the other one.
  (func $first (param $n i32) (param $referee (ref $referee))
    (global.set $referee (local.get $referee))
    (call $rally (i32.const 0) (local.get $n) (stack.new $player $second)))

  (func $second (param $n i32) (param $other (ref null $player))
    (call $rally (i32.const 1) (local.get $n) (local.get $other)))

  ;; Gives who missed a ball that is hit $n times, and the hits.
  (func (export "play") (param $n i32) (result i32 i32)
    (global.set $hits (i32.const 0))
    ;; who misses has retired, so nobody comes back with the message; the other player waits for a
    ;; ball that does not come, and nothing refers to it
    (switch $start (local.get $n) (stack.new $start $first))
    (drop)
    (global.get $hits))

  ;; ---- a chain: each stage retires to the next one ----

  (rec
    ;; A stage takes a value; it has no use for the one before, which has retired.
    (type $stage (stack (param $v i32) (param (ref $result)) (ref null $stage)))
    ;; Whoever wants the result.
    (type $result (stack (param $v i32) (ref null $enter)))
    ;; The entry of the chain.
    (type $enter (stack (param $v i32) (ref $result))))
  (type $unboundStage (stack (param $factor i32) (param $next (ref null $stage)) (param $v i32)
    (param (ref $result)) (ref null $stage)))
  (type $unboundEnter (stack (param $next (ref null $stage)) (param $v i32) (ref $result)))

  (func $enter (param $next (ref null $stage)) (param $v i32) (param $result (ref $result))
    (switch_retire $stage (local.get $v) (local.get $result) (local.get $next)))

  (func $stage (param $factor i32) (param $next (ref null $stage)) (param $v i32)
      (param $result (ref $result)) (param $from (ref null $stage))
    (local.set $v (i32.mul (local.get $v) (local.get $factor)))
    (if (ref.is_null (local.get $next))
      (then (switch_retire $result (local.get $v) (local.get $result))))
    (switch_retire $stage (local.get $v) (local.get $result) (local.get $next)))

  (func $new_stage (param $factor i32) (param $next (ref null $stage)) (result (ref $stage))
    (stack.bind $unboundStage $stage
      (local.get $factor)
      (local.get $next)
      (stack.new $unboundStage $stage)))

  ;; Multiplies by 2, 3 and 7, each on a stack of its own.
  (func $chain (export "chain") (param $v i32) (result i32)
    (switch $enter
      (local.get $v)
      (stack.bind $unboundEnter $enter
        (call $new_stage
          (i32.const 2)
          (call $new_stage
            (i32.const 3)
            (call $new_stage (i32.const 7) (ref.null $stage))))
        (stack.new $unboundEnter $enter)))
    (drop))

  (func (export "main") (result i32)
    (call $chain (i32.const 10))))
