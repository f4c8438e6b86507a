;; Symmetric coroutines: two players hand a ball to each other with `task.switchto`, and the manager
;; that resumed the first of them sees none of it, not even the event $ball.
(module $symmetric
  (@stack-switching "tasks")
  ;; To a player: the ball, with how often it is still to be hit.
  (tag $ball (param i32))
  ;; From a player, to whoever manages the game: it has missed.
  (tag $missed (param i32))

  (table $players 2 taskref)
  (global $hits (mut i32) (i32.const 0))

  ;; A player: takes the parent along with the ball, so whoever misses retires to $play.
  (func $player (param $me taskref) (param $id i32)
    (local $n i32)
    (block $on_first (result i32)
      (event.switch ($ball $on_first)))
    (local.set $n)
    (loop $rally
      (if (i32.eqz (local.get $n))
        (then (task.retire (local.get $me) ($missed (local.get $id)))))
      (global.set $hits (i32.add (global.get $hits) (i32.const 1)))
      (block $on_ball (result i32)
        (task.switchto
          (local.get $me)
          (table.get $players (i32.xor (local.get $id) (i32.const 1)))
          ($ball (i32.sub (local.get $n) (i32.const 1))))
        (event.switch ($ball $on_ball)))
      (local.set $n)
      (br $rally)))

  ;; Gives who missed a ball that is hit $n times, and the hits.
  (func (export "play") (param $n i32) (result i32 i32)
    (local $loser i32)
    (global.set $hits (i32.const 0))
    (table.set $players (i32.const 0) (task.new $player (i32.const 0)))
    (table.set $players (i32.const 1) (task.new $player (i32.const 1)))
    (block $on_missed (result i32)
      (task.resume (table.get $players (i32.const 0)) ($ball (local.get $n)))
      (event.switch ($missed $on_missed)))
    (local.set $loser)
    ;; the other one waits for a ball that does not come
    (task.release (table.get $players (i32.xor (local.get $loser) (i32.const 1))))
    (local.get $loser)
    (global.get $hits))

  ;; ---- a chain: each stage hands its value to the next ----

  ;; To a stage: a value to work on. From the last stage: the result.
  (tag $value (param i32))
  (tag $result (param i32))

  ;; A stage: works on a value and hands it on; the last one suspends with it. All of them stay for
  ;; another value: nobody has to resume the ones in between.
  (func $stage (param $me taskref) (param $factor i32) (param $next taskref)
    (local $v i32)
    (block $on_first (result i32)
      (event.switch ($value $on_first)))
    (loop $on_value (param i32)
      (local.set $v (i32.mul (local.get $factor)))
      (if (ref.is_null (local.get $next))
        (then
          (task.suspend (local.get $me) ($result (local.get $v)))
          (event.switch ($value $on_value))))
      (task.switchto (local.get $me) (local.get $next) ($value (local.get $v)))
      (event.switch ($value $on_value))))

  (table $stages 3 taskref)

  ;; Three stages, that multiply by 2, 3 and 7.
  (func $connect (export "connect")
    (table.set $stages (i32.const 2) (task.new $stage (i32.const 7) (ref.null task)))
    (table.set $stages
      (i32.const 1)
      (task.new $stage (i32.const 3) (table.get $stages (i32.const 2))))
    (table.set $stages
      (i32.const 0)
      (task.new $stage (i32.const 2) (table.get $stages (i32.const 1)))))

  ;; Sends a value through the chain.
  (func $send (export "send") (param $v i32) (result i32)
    (block $on_result (result i32)
      (task.resume (table.get $stages (i32.const 0)) ($value (local.get $v)))
      (event.switch ($result $on_result))))

  (func (export "main") (result i32)
    (call $connect)
    (i32.add (call $send (i32.const 1)) (call $send (i32.const 10)))))
