;; Three ways to be resumed: whoever waits for an operation gets its value (`resume`), an exception
;; that somebody has caught elsewhere (`resume_throw_ref`), or one made to end it (`resume_throw`).
(module $three-way
  (type $ft (func (result i32)))
  (type $ct (cont $ft))
  (type $value (func (param i32) (result i32)))
  (type $waiting (cont $value))

  ;; Sent by a client that begins an operation; the result is its value.
  (tag $operate (param i32) (result i32))
  ;; Why an operation failed.
  (tag $error (param i32))
  ;; Nobody wants the result any more.
  (tag $cancel)

  (global $client (mut (ref null $waiting)) (ref.null $waiting))
  (global $operation (export "operation") (mut i32) (i32.const 0))
  ;; How many resources clients hold.
  (global $open (export "open") (mut i32) (i32.const 0))
  (elem declare func $client)

  ;; A client: gives twice the value of an operation; after a failure tries the next one, unless the
  ;; reason is 0. It closes its resource however it ends.
  (func $client (result i32)
    (local $operation i32)
    (global.set $open (i32.add (global.get $open) (i32.const 1)))
    (block $close (result i32)
      (block $on_cancel
        (loop $retry
          (local.set $operation (i32.add (local.get $operation) (i32.const 1)))
          (block $on_error (result i32)
            (br $close
              (try_table (result i32) (catch $error $on_error) (catch $cancel $on_cancel)
                (i32.mul (suspend $operate (local.get $operation)) (i32.const 2)))))
          (br_if $retry))
        (br $close (i32.const -2)))
      (i32.const -3))
    (global.set $open (i32.sub (global.get $open) (i32.const 1))))

  ;; Each export resumes the client in its way; gives the client's result, or -1 if it has begun an
  ;; operation and waits.

  (func $start (export "start") (result i32)
    (block $on_operate (result i32 (ref $waiting))
      (return
        (resume $ct (on $operate $on_operate) (cont.new $ct (ref.func $client)))))
    (call $keep))

  (func $succeed (export "succeed") (param $value i32) (result i32)
    (block $on_operate (result i32 (ref $waiting))
      (return
        (resume $waiting (on $operate $on_operate)
          (local.get $value)
          (global.get $client))))
    (call $keep))

  (func $fail (export "fail") (param $reason i32) (result i32)
    (block $on_operate (result i32 (ref $waiting))
      (return
        (resume_throw_ref $waiting (on $operate $on_operate)
          ;; the exception as the scheduler got it
          (block $caught (result exnref)
            (try_table (catch_all_ref $caught)
              (call $try_something (local.get $reason)))
            (unreachable))
          (global.get $client))))
    (call $keep))

  (func $try_something (param $reason i32)
    (throw $error (local.get $reason)))

  (func (export "cancel") (result i32)
    (block $on_operate (result i32 (ref $waiting))
      (return
        (resume_throw $waiting $cancel (on $operate $on_operate) (global.get $client))))
    (call $keep))

  ;; Keeps a client that has begun an operation.
  (func $keep (param $operation i32) (param $k (ref $waiting)) (result i32)
    (global.set $operation (local.get $operation))
    (global.set $client (local.get $k))
    (i32.const -1))

  (func (export "main") (result i32)
    (drop (call $start))
    (drop (call $fail (i32.const 404)))
    (call $succeed (i32.const 21))))
