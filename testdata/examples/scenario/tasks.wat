;; The scenario of all five designs, as `tasks`: a task is resumed with an event, and what follows
;; every switch is an `event.switch` over the events that may come.
(module $scenario
  (@stack-switching "tasks")
  ;; Carries a value to the task that asked for it.
  (tag $value (param i32))
  ;; Asks a task for its next value.
  (tag $next)
  ;; Sent by a task that retires.
  (tag $done)

  (global $limit (mut i32) (i32.const 0))

  (func $producer (param $me taskref)
    (local $i i32)
    (block $on_start
      (event.switch ($next $on_start)))
    (loop $again
      (if (i32.lt_u (local.get $i) (global.get $limit))
        (then
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (block $on_next
            (task.suspend (local.get $me) ($value (local.get $i)))
            (event.switch ($next $on_next)))
          (br $again))))
    (task.retire (local.get $me) ($done)))

  (func $filter (param $me taskref)
    (local $source taskref)
    (local $v i32)
    (block $on_start
      (event.switch ($next $on_start)))
    (local.set $source (task.new $producer))
    (block $on_done
      (loop $again
        (block $on_value (result i32)
          (task.resume (local.get $source) ($next))
          (event.switch ($value $on_value) ($done $on_done)))
        (local.set $v)
        (if (i32.eqz (i32.rem_u (local.get $v) (i32.const 3)))
          (then
            (block $on_next
              (task.suspend (local.get $me) ($value (local.get $v)))
              (event.switch ($next $on_next)))))
        (br $again)))
    (task.retire (local.get $me) ($done)))

  ;; The values that come through, as digits, and their sum.
  (func $consume (export "run") (param $n i32) (result i32 i32)
    (local $source taskref)
    (local $v i32)
    (local $digits i32)
    (local $sum i32)
    (global.set $limit (local.get $n))
    (local.set $source (task.new $filter))
    (block $on_done
      (loop $again
        (block $on_value (result i32)
          (task.resume (local.get $source) ($next))
          (event.switch ($value $on_value) ($done $on_done)))
        (local.set $v)
        (local.set $digits
          (i32.add (i32.mul (local.get $digits) (i32.const 10)) (local.get $v)))
        (local.set $sum (i32.add (local.get $sum) (local.get $v)))
        (br $again)))
    (local.get $digits)
    (local.get $sum))

  (func (export "main") (result i32 i32)
    (call $consume (i32.const 10))))
