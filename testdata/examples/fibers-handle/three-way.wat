;; Three ways to be resumed: whoever waits for an operation gets its value, hears that it failed, or
;; is cancelled. The clauses of one `handle` are the three.
(module $three-way
  (@stack-switching "fibers-handle")
  (type $client (fiber (result i32)))

  ;; Starts a client.
  (tag $go)
  ;; From a client: begin an operation.
  (tag $operate (param i32))
  ;; To a client: the value; why it failed; nobody wants the result any more.
  (tag $success (param i32))
  (tag $error (param i32))
  (tag $cancel)

  (global $client (mut (ref null $client)) (ref.null $client))
  (global $operation (export "operation") (mut i32) (i32.const 0))
  ;; How many resources clients hold.
  (global $open (export "open") (mut i32) (i32.const 0))

  ;; A client: gives twice the value of an operation; after a failure tries the next one, unless the
  ;; reason is 0. It closes its resource however it ends.
  (func $client (param $me (ref $client)) (result i32)
    (local $operation i32)
    (unreachable)
    (event $go
      (global.set $open (i32.add (global.get $open) (i32.const 1)))
      (loop $retry
        (local.set $operation (i32.add (local.get $operation) (i32.const 1)))
        (handle (result i32)
          (fiber.suspend (local.get $me) $operate (local.get $operation))
          (event $success (i32.mul (i32.const 2)))
          (event $error
            (br_if $retry)
            (i32.const -2))
          (event $cancel (i32.const -3)))
        (global.set $open (i32.sub (global.get $open) (i32.const 1)))
        (return))
      (unreachable)))

  ;; Each export resumes the client in its way; gives the client's result, or -1 if it has begun an
  ;; operation and waits.

  (func $start (export "start") (result i32)
    (global.set $client (fiber.new $client))
    (handle (result i32)
      (fiber.resume (global.get $client) $go)
      (event $operate
        (global.set $operation)
        (i32.const -1))))

  (func $succeed (export "succeed") (param $value i32) (result i32)
    (handle (result i32)
      (fiber.resume (global.get $client) $success (local.get $value))
      (event $operate
        (global.set $operation)
        (i32.const -1))))

  (func $fail (export "fail") (param $reason i32) (result i32)
    (handle (result i32)
      (fiber.resume (global.get $client) $error (local.get $reason))
      (event $operate
        (global.set $operation)
        (i32.const -1))))

  (func (export "cancel") (result i32)
    (handle (result i32)
      (fiber.resume (global.get $client) $cancel)
      (event $operate
        (global.set $operation)
        (i32.const -1))))

  (func (export "main") (result i32)
    (drop (call $start))
    (drop (call $fail (i32.const 404)))
    (call $succeed (i32.const 21))))
