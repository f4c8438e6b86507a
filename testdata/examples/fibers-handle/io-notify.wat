;; Asynchronous I/O that the host drives: clients start requests and wait, and when all of them wait
;; the scheduler suspends as well, so that the export returns and the host's event loop runs. The
;; host calls `io_notify` with each result, which resumes the scheduler; only that knows which
;; client is to have it.
(module $io-notify
  (@stack-switching "fibers-handle")
  ;; Starts a request of a client. The host calls `io_notify` with the client and the data.
  (func $fetch (import "host" "fetch") (param $client i32) (param $url i32))

  (type $client (fiber))
  (type $scheduler (fiber))

  ;; To a client: go ahead; the data of its request.
  (tag $go_ahead)
  (tag $io_result (param i32))
  ;; From a client: others may run; it waits for a request.
  (tag $pause)
  (tag $async_request)

  ;; To the scheduler: start; data for a client. From it: everybody waits.
  (tag $start)
  (tag $io_notify (param $client i32) (param $data i32))
  (tag $global_pause)

  ;; The clients, and for each in memory, at 8·id, what it is to be resumed with, and the data.
  (table $clients 3 (ref null $client))
  (memory 1)
  (global $waits i32 (i32.const 0))
  (global $ready i32 (i32.const 1))
  (global $has_data i32 (i32.const 2))
  (global $live (mut i32) (i32.const 0))

  (global $scheduler (mut (ref null $scheduler)) (ref.null $scheduler))
  (global $sum (export "sum") (mut i32) (i32.const 0))

  ;; ---- clients ----

  ;; Looks like a function that takes its time: the client that calls it waits for the host.
  (func $simple_fetch (param $me (ref $client)) (param $id i32) (param $url i32) (result i32)
    (call $fetch (local.get $id) (local.get $url))
    (handle (result i32)
      (fiber.suspend (local.get $me) $async_request)
      (event $io_result)))

  ;; A client: fetches two pages and lets others run in between.
  (func $fetcher (param $me (ref $client)) (param $id i32)
    (local $url i32)
    (event $go_ahead
      (local.set $url (i32.mul (local.get $id) (i32.const 10)))
      (global.set $sum
        (i32.add
          (call $simple_fetch (local.get $me) (local.get $id) (local.get $url))
          (global.get $sum)))
      (handle
        (fiber.suspend (local.get $me) $pause)
        (event $go_ahead))
      (global.set $sum
        (i32.add
          (call $simple_fetch
            (local.get $me)
            (local.get $id)
            (i32.add (local.get $url) (i32.const 1)))
          (global.get $sum)))))

  ;; ---- the scheduler ----

  (func $reason (param $id i32) (result i32)
    (i32.load (i32.shl (local.get $id) (i32.const 3))))

  (func $set_reason (param $id i32) (param $reason i32)
    (i32.store (i32.shl (local.get $id) (i32.const 3)) (local.get $reason)))

  ;; Runs one client until it pauses, waits or returns.
  (func $run (param $id i32)
    (local $reason i32)
    (local.set $reason (call $reason (local.get $id)))
    (call $set_reason (local.get $id) (global.get $waits))
    (handle
      (if (i32.eq (local.get $reason) (global.get $has_data))
        (then
          (fiber.resume
            (table.get $clients (local.get $id))
            $io_result
            (i32.load offset=4 (i32.shl (local.get $id) (i32.const 3)))))
        (else (fiber.resume (table.get $clients (local.get $id)) $go_ahead)))
      ;; the client has returned
      (global.set $live (i32.sub (global.get $live) (i32.const 1)))
      (event $pause (call $set_reason (local.get $id) (global.get $ready)))
      (event $async_request)))

  ;; The scheduler: walks through the clients; when none can run, leaves to the host.
  (func $scheduler (param $me (ref $scheduler))
    (local $id i32)
    (local $idle i32)
    (local $data i32)
    (event $start
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
            (handle
              (fiber.suspend (local.get $me) $global_pause)
              (event $io_notify
                (local.set $data)
                (local.set $id)
                (i32.store offset=4 (i32.shl (local.get $id) (i32.const 3)) (local.get $data))
                (call $set_reason (local.get $id) (global.get $has_data))
                (local.set $idle (i32.const 0))
                (br $next))))))))

  ;; ---- what the host calls; each gives how many clients have not finished ----

  (func (export "main") (result i32)
    (local $id i32)
    (global.set $sum (i32.const 0))
    (global.set $live (table.size $clients))
    (loop $next
      (table.set $clients (local.get $id) (fiber.new $fetcher (local.get $id)))
      (call $set_reason (local.get $id) (global.get $ready))
      (local.set $id (i32.add (local.get $id) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $id) (table.size $clients))))
    (global.set $scheduler (fiber.new $scheduler))
    (handle
      (fiber.resume (global.get $scheduler) $start)
      (event $global_pause))
    (global.get $live))

  (func (export "io_notify") (param $client i32) (param $data i32) (result i32)
    (handle
      (fiber.resume (global.get $scheduler) $io_notify (local.get $client) (local.get $data))
      (event $global_pause))
    (global.get $live)))
