;; Three ways to be resumed: whoever waits for an operation gets its value, hears that it failed, or
;; is cancelled. A switch brings values only, so the first of them says which it is, and whoever is
;; resumed throws the exception itself. No exception may leave a coroutine: what nobody has caught
;; goes to its manager as the last message, and is thrown again there.
(module $three-way
  (@stack-switching "stacks")
  (rec
    ;; To a client: how it is resumed, with a value or a reason.
    (type $toClient (stack (param $how i32) (param $value i32) (ref $toManager)))
    ;; From a client: what it wants, with an operation, a result or a reason.
    (type $toManager (stack (param $what i32) (param $value i32) (ref null $toClient))))
  (global $success i32 (i32.const 0))
  (global $error i32 (i32.const 1))
  (global $cancel i32 (i32.const 2))
  (global $operate i32 (i32.const 0))
  (global $finish i32 (i32.const 1))
  (global $failed i32 (i32.const 2))

  ;; The exceptions of a failure and of a cancellation.
  (tag $failure (param i32))
  (tag $cancelled)

  (global $client (mut (ref null $toClient)) (ref.null $toClient))
  ;; The manager, while a client runs.
  (global $manager (mut (ref null $toManager)) (ref.null $toManager))
  (global $operation (export "operation") (mut i32) (i32.const 0))
  ;; How many resources clients hold.
  (global $open (export "open") (mut i32) (i32.const 0))

  ;; Waits for an operation: returns its value, or throws.
  (func $perform (param $operation i32) (result i32)
    (local $how i32)
    (local $value i32)
    (switch $toManager (global.get $operate) (local.get $operation) (global.get $manager))
    (global.set $manager)
    (local.set $value)
    (local.set $how)
    (block $on_cancel
      (block $on_error
        (block $on_success
          (br_table $on_success $on_error $on_cancel (local.get $how)))
        (return (local.get $value)))
      (throw $failure (local.get $value)))
    (throw $cancelled))

  ;; The logic of a client: gives twice the value of an operation; after a failure tries the next
  ;; one, unless the reason is 0.
  (func $logic (result i32)
    (local $operation i32)
    (loop $retry
      (local.set $operation (i32.add (local.get $operation) (i32.const 1)))
      (block $on_failure (result i32)
        (try_table (catch $failure $on_failure)
          (return (i32.mul (call $perform (local.get $operation)) (i32.const 2))))
        (unreachable))
      (br_if $retry))
    (throw $failure (i32.const 0)))

  ;; The coroutine: closes its resource however it ends, and lets no exception out.
  (func $client (param $how i32) (param $value i32) (param $from (ref $toManager))
    (local $what i32)
    (global.set $manager (local.get $from))
    (global.set $open (i32.add (global.get $open) (i32.const 1)))
    (block $close (result i32)
      (local.set $what (global.get $finish))
      (block $on_cancelled
        (block $on_failure (result i32)
          (br $close
            (try_table (result i32) (catch $failure $on_failure) (catch $cancelled $on_cancelled)
              (call $logic))))
        (local.set $what (global.get $failed))
        (br $close))
      (i32.const -3))
    (local.set $value)
    (global.set $open (i32.sub (global.get $open) (i32.const 1)))
    (switch_retire $toManager (local.get $what) (local.get $value) (global.get $manager)))

  ;; Resumes the client; gives its result, -1 if it waits for an operation, or throws its exception.
  (func $resume (param $how i32) (param $value i32) (result i32)
    (switch $toClient (local.get $how) (local.get $value) (global.get $client))
    (global.set $client)
    (local.set $value)
    (local.set $how)
    (if (i32.eq (local.get $how) (global.get $failed))
      (then (throw $failure (local.get $value))))
    (if (i32.eq (local.get $how) (global.get $finish))
      (then (return (local.get $value))))
    (global.set $operation (local.get $value))
    (i32.const -1))

  (func $start (export "start") (result i32)
    (global.set $client (stack.new $toClient $client))
    (call $resume (i32.const 0) (i32.const 0)))

  (func $succeed (export "succeed") (param $value i32) (result i32)
    (call $resume (global.get $success) (local.get $value)))

  (func $fail (export "fail") (param $reason i32) (result i32)
    (block $on_failure (result i32)
      (try_table (catch $failure $on_failure)
        (return (call $resume (global.get $error) (local.get $reason))))
      (unreachable))
    (drop)
    (i32.const -2))

  (func (export "cancel") (result i32)
    (call $resume (global.get $cancel) (i32.const 0)))

  (func (export "main") (result i32)
    (drop (call $start))
    (drop (call $fail (i32.const 404)))
    (call $succeed (i32.const 21))))
