;; Asynchronous I/O with the promises of the host: $simple_fetch attaches a call-back to the promise
;; of a `fetch` and suspends its client; when all clients wait, the scheduler dismounts, and $main
;; returns to the event loop a promise of its own. Each call-back mounts the scheduler with the
;; client and the data; when all clients have finished, the promise of $main is resolved.
(module $promises
  (@stack-switching "fibers-mount")
  ;; Starts a request; gives a promise of the data.
  (func $fetch (import "web" "fetch") (param $url i32) (result externref))
  ;; Calls a function with a client, and with the data when the promise is fulfilled.
  (func $then (import "promise" "then") (param $promise externref) (param $f funcref)
      (param $client i32))
  (func $new_promise (import "promise" "new") (result externref))
  (func $resolve (import "promise" "resolve") (param $promise externref) (param $value i32))

  ;; To a client: go ahead; the data of its request.
  (tag $go_ahead)
  (tag $io_result (param i32))
  ;; From a client: others may run; it waits for a request; it has returned.
  (tag $pause)
  (tag $async_request)
  (tag $finished)

  ;; To the scheduler: start; data for a client. From it: everybody waits; all have finished.
  (tag $start)
  (tag $io_notify (param $client i32) (param $data i32))
  (tag $global_pause)
  (tag $all_finished)

  ;; The clients, and for each in memory, at 8·id, what it is to be resumed with, and the data.
  (table $clients 3 fiberref)
  (memory 1)
  (global $waits i32 (i32.const 0))
  (global $ready i32 (i32.const 1))
  (global $has_data i32 (i32.const 2))
  (global $live (mut i32) (i32.const 0))

  (global $scheduler (mut fiberref) (ref.null fiber))
  (global $sum (mut i32) (i32.const 0))
  ;; What $main has promised.
  (global $promise (mut externref) (ref.null extern))
  (elem declare func $io_notify)

  ;; ---- clients ----

  ;; Looks like a function that takes its time: the client that calls it waits for the host.
  (func $simple_fetch (param $me (ref fiber)) (param $id i32) (param $url i32) (result i32)
    (call $then (call $fetch (local.get $url)) (ref.func $io_notify) (local.get $id))
    (block $on_io_result (result i32)
      (fiber.dismount $async_request ($io_result $on_io_result) (local.get $me))
      (unreachable)))

  ;; A client: fetches two pages and lets others run in between.
  (func $fetcher (param $id i32) (param $me (ref fiber))
    (local $url i32)
    (local.set $url (i32.mul (local.get $id) (i32.const 10)))
    (global.set $sum
      (i32.add
        (call $simple_fetch (local.get $me) (local.get $id) (local.get $url))
        (global.get $sum)))
    (block $on_go_ahead
      (fiber.dismount $pause ($go_ahead $on_go_ahead) (local.get $me))
      (unreachable))
    (global.set $sum
      (i32.add
        (call $simple_fetch
          (local.get $me)
          (local.get $id)
          (i32.add (local.get $url) (i32.const 1)))
        (global.get $sum))))

  ;; ---- the scheduler ----

  (func $reason (param $id i32) (result i32)
    (i32.load (i32.shl (local.get $id) (i32.const 3))))

  (func $set_reason (param $id i32) (param $reason i32)
    (i32.store (i32.shl (local.get $id) (i32.const 3)) (local.get $reason)))

  ;; Runs one client until it pauses, waits or returns.
  (func $run (param $id i32)
    (local $client fiberref)
    (local $reason i32)
    (local.set $client (table.get $clients (local.get $id)))
    (local.set $reason (call $reason (local.get $id)))
    (call $set_reason (local.get $id) (global.get $waits))
    (block $on_finished
      (block $on_async_request
        (block $on_pause
          (if (i32.eq (local.get $reason) (global.get $has_data))
            (then
              (fiber.mount $io_result ($pause $on_pause) ($async_request $on_async_request)
                  ($finished $on_finished)
                (i32.load offset=4 (i32.shl (local.get $id) (i32.const 3)))
                (local.get $client)))
            (else
              (fiber.mount $go_ahead ($pause $on_pause) ($async_request $on_async_request)
                  ($finished $on_finished)
                (local.get $client))))
          (unreachable))
        (call $set_reason (local.get $id) (global.get $ready)))
      (return))
    (global.set $live (i32.sub (global.get $live) (i32.const 1))))

  ;; The scheduler: walks through the clients; when none can run, leaves to the host.
  (func $scheduler (param $me (ref fiber))
    (local $id i32)
    (local $idle i32)
    (local $data i32)
    (loop $next
      (if (call $reason (local.get $id))
        (then
          (call $run (local.get $id))
          (local.set $idle (i32.const 0)))
        (else (local.set $idle (i32.add (local.get $idle) (i32.const 1)))))
      (local.set $id
        (i32.rem_u (i32.add (local.get $id) (i32.const 1)) (table.size $clients)))
      (br_if $next (i32.le_u (local.get $idle) (table.size $clients)))
      (if (global.get $live)
        (then
          (block $on_io_notify (result i32 i32)
            (fiber.dismount $global_pause ($io_notify $on_io_notify) (local.get $me))
            (unreachable))
          (local.set $data)
          (local.set $id)
          (i32.store offset=4 (i32.shl (local.get $id) (i32.const 3)) (local.get $data))
          (call $set_reason (local.get $id) (global.get $has_data))
          (local.set $idle (i32.const 0))
          (br $next)))))

  ;; ---- the way in, and the call-back ----

  (func (export "main") (result externref)
    (local $id i32)
    (global.set $sum (i32.const 0))
    (global.set $promise (call $new_promise))
    (global.set $live (table.size $clients))
    (loop $next
      (table.set $clients
        (local.get $id)
        (fiber.new $finished ($go_ahead $fetcher) (local.get $id)))
      (call $set_reason (local.get $id) (global.get $ready))
      (local.set $id (i32.add (local.get $id) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $id) (table.size $clients))))
    (global.set $scheduler (fiber.new $all_finished ($start $scheduler)))
    (block $paused
      (fiber.mount $start ($global_pause $paused) ($all_finished $paused)
        (global.get $scheduler))
      (unreachable))
    (call $settle)
    (global.get $promise))

  (func $io_notify (param $client i32) (param $data i32)
    (block $paused
      (fiber.mount $io_notify ($global_pause $paused) ($all_finished $paused)
        (local.get $client)
        (local.get $data)
        (global.get $scheduler))
      (unreachable))
    (call $settle))

  ;; Keeps the promise when all clients have finished.
  (func $settle
    (if (i32.eqz (global.get $live))
      (then (call $resolve (global.get $promise) (global.get $sum))))))
