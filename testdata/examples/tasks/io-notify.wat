;; Asynchronous I/O that the host drives: clients start requests and wait, and when all of them wait
;; the scheduler suspends as well, so that the export returns and the host's event loop runs. The
;; host calls `io_notify` with each result, which resumes the scheduler; only that knows which
;; client is to have it.
(module $io-notify
  (@stack-switching "tasks")
  ;; Starts a request of a client. The host calls `io_notify` with the client and the data.
  (func $fetch (import "host" "fetch") (param $client i32) (param $url i32))

  ;; To a client: go ahead; the data of its request.
  (tag $go_ahead)
  (tag $io_result (param i32))
  ;; From a client: others may run; it waits for a request; it has retired.
  (tag $pause)
  (tag $async_request)
  (tag $finished)

  ;; To the scheduler: start; data for a client. From it: everybody waits; all have finished.
  (tag $start)
  (tag $io_notify (param $client i32) (param $data i32))
  (tag $global_pause)
  (tag $all_finished)

  ;; The clients, and for each in memory, at 8·id, what it is to be resumed with, and the data.
  (table $clients 3 taskref)
  (memory 1)
  (global $waits i32 (i32.const 0))
  (global $ready i32 (i32.const 1))
  (global $has_data i32 (i32.const 2))
  (global $live (mut i32) (i32.const 0))

  (global $scheduler (mut taskref) (ref.null task))
  (global $sum (export "sum") (mut i32) (i32.const 0))

  ;; ---- clients ----

  ;; Looks like a function that takes its time: the client that calls it waits for the host.
  (func $simple_fetch (param $me taskref) (param $id i32) (param $url i32) (result i32)
    (call $fetch (local.get $id) (local.get $url))
    (block $on_io_result (result i32)
      (task.suspend (local.get $me) ($async_request))
      (event.switch ($io_result $on_io_result))))

  ;; A client: fetches two pages and lets others run in between.
  (func $fetcher (param $me taskref) (param $id i32)
    (local $url i32)
    (block $on_start
      (event.switch ($go_ahead $on_start)))
    (local.set $url (i32.mul (local.get $id) (i32.const 10)))
    (global.set $sum
      (i32.add
        (call $simple_fetch (local.get $me) (local.get $id) (local.get $url))
        (global.get $sum)))
    (block $on_go_ahead
      (task.suspend (local.get $me) ($pause))
      (event.switch ($go_ahead $on_go_ahead)))
    (global.set $sum
      (i32.add
        (call $simple_fetch
          (local.get $me)
          (local.get $id)
          (i32.add (local.get $url) (i32.const 1)))
        (global.get $sum)))
    (task.retire (local.get $me) ($finished)))

  ;; ---- the scheduler ----

  (func $reason (param $id i32) (result i32)
    (i32.load (i32.shl (local.get $id) (i32.const 3))))

  (func $set_reason (param $id i32) (param $reason i32)
    (i32.store (i32.shl (local.get $id) (i32.const 3)) (local.get $reason)))

  ;; Runs one client until it pauses, waits or retires.
  (func $run (param $id i32)
    (local $client taskref)
    (local $reason i32)
    (local.set $client (table.get $clients (local.get $id)))
    (local.set $reason (call $reason (local.get $id)))
    (call $set_reason (local.get $id) (global.get $waits))
    (block $on_finished
      (block $on_async_request
        (block $on_pause
          (if (i32.eq (local.get $reason) (global.get $has_data))
            (then
              (task.resume
                (local.get $client)
                ($io_result (i32.load offset=4 (i32.shl (local.get $id) (i32.const 3)))))
              (event.switch ($pause $on_pause) ($async_request $on_async_request)
                  ($finished $on_finished)))
            (else
              (task.resume (local.get $client) ($go_ahead))
              (event.switch ($pause $on_pause) ($async_request $on_async_request)
                  ($finished $on_finished)))))
        (call $set_reason (local.get $id) (global.get $ready)))
      (return))
    (global.set $live (i32.sub (global.get $live) (i32.const 1))))

  ;; The scheduler: walks through the clients; when none can run, leaves to the host.
  (func $scheduler (param $me taskref)
    (local $id i32)
    (local $idle i32)
    (local $data i32)
    (block $on_start
      (event.switch ($start $on_start)))
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
            (task.suspend (local.get $me) ($global_pause))
            (event.switch ($io_notify $on_io_notify)))
          (local.set $data)
          (local.set $id)
          (i32.store offset=4 (i32.shl (local.get $id) (i32.const 3)) (local.get $data))
          (call $set_reason (local.get $id) (global.get $has_data))
          (local.set $idle (i32.const 0))
          (br $next))))
    (task.retire (local.get $me) ($all_finished)))

  ;; ---- what the host calls; each gives how many clients have not finished ----

  (func (export "main") (result i32)
    (local $id i32)
    (global.set $sum (i32.const 0))
    (global.set $live (table.size $clients))
    (loop $next
      (table.set $clients (local.get $id) (task.new $fetcher (local.get $id)))
      (call $set_reason (local.get $id) (global.get $ready))
      (local.set $id (i32.add (local.get $id) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $id) (table.size $clients))))
    (global.set $scheduler (task.new $scheduler))
    (block $paused
      (task.resume (global.get $scheduler) ($start))
      (event.switch ($global_pause $paused) ($all_finished $paused)))
    (global.get $live))

  (func (export "io_notify") (param $client i32) (param $data i32) (result i32)
    (block $paused
      (task.resume (global.get $scheduler) ($io_notify (local.get $client) (local.get $data)))
      (event.switch ($global_pause $paused) ($all_finished $paused)))
    (global.get $live)))
