;; Three ways to be resumed: whoever waits for an operation gets its value, hears that it failed, or
;; is cancelled. An `event.switch` that listens for the three follows the `task.suspend`.
(module $three-way
  (@stack-switching "tasks")
  ;; Starts a client.
  (tag $go)
  ;; From a client: begin an operation.
  (tag $operate (param i32))
  ;; To a client: the value; why it failed; nobody wants the result any more.
  (tag $success (param i32))
  (tag $error (param i32))
  (tag $cancel)
  ;; From a client that retires.
  (tag $finish (param i32))

  (global $client (mut taskref) (ref.null task))
  (global $operation (export "operation") (mut i32) (i32.const 0))
  ;; How many resources clients hold.
  (global $open (export "open") (mut i32) (i32.const 0))

  ;; A client: gives twice the value of an operation; after a failure tries the next one, unless the
  ;; reason is 0. It closes its resource however it ends.
  (func $client (param $me taskref)
    (local $operation i32)
    (local $result i32)
    (block $on_go
      (event.switch ($go $on_go)))
    (global.set $open (i32.add (global.get $open) (i32.const 1)))
    (block $close
      (block $on_cancel
        (block $on_success (result i32)
          (loop $retry
            (local.set $operation (i32.add (local.get $operation) (i32.const 1)))
            (block $on_error (result i32)
              (task.suspend (local.get $me) ($operate (local.get $operation)))
              (event.switch ($success $on_success) ($error $on_error) ($cancel $on_cancel)))
            (br_if $retry))
          (local.set $result (i32.const -2))
          (br $close))
        (local.set $result (i32.mul (i32.const 2)))
        (br $close))
      (local.set $result (i32.const -3)))
    (global.set $open (i32.sub (global.get $open) (i32.const 1)))
    (task.retire (local.get $me) ($finish (local.get $result))))

  ;; Each export resumes the client in its way; gives the client's result, or -1 if it has begun an
  ;; operation and waits.

  (func $start (export "start") (result i32)
    (global.set $client (task.new $client))
    (block $on_finish (result i32)
      (block $on_operate (result i32)
        (task.resume (global.get $client) ($go))
        (event.switch ($operate $on_operate) ($finish $on_finish)))
      (global.set $operation)
      (i32.const -1)))

  (func $succeed (export "succeed") (param $value i32) (result i32)
    (block $on_finish (result i32)
      (block $on_operate (result i32)
        (task.resume (global.get $client) ($success (local.get $value)))
        (event.switch ($operate $on_operate) ($finish $on_finish)))
      (global.set $operation)
      (i32.const -1)))

  (func $fail (export "fail") (param $reason i32) (result i32)
    (block $on_finish (result i32)
      (block $on_operate (result i32)
        (task.resume (global.get $client) ($error (local.get $reason)))
        (event.switch ($operate $on_operate) ($finish $on_finish)))
      (global.set $operation)
      (i32.const -1)))

  (func (export "cancel") (result i32)
    (block $on_finish (result i32)
      (block $on_operate (result i32)
        (task.resume (global.get $client) ($cancel))
        (event.switch ($operate $on_operate) ($finish $on_finish)))
      (global.set $operation)
      (i32.const -1)))

  (func (export "main") (result i32)
    (drop (call $start))
    (drop (call $fail (i32.const 404)))
    (call $succeed (i32.const 21))))
