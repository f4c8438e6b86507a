;; Asynchronous I/O that the host drives: clients start requests and wait, and when all of them wait
;; the scheduler suspends as well, so that the export returns and the host's event loop runs. The
;; host calls `io_notify` with each result, which resumes the scheduler; only that knows which
;; client is to have it.
(module $io-notify
  ;; Starts a request of a client. The host calls `io_notify` with the client and the data.
  (func $fetch (import "host" "fetch") (param $client i32) (param $url i32))

  (type $task (func))
  (type $ct (cont $task))
  (type $new_client (func (param $id i32)))
  (type $unbound (cont $new_client))
  (type $gets_data (func (param i32)))
  (type $waiting (cont $gets_data))
  (type $gets_notice (func (param $client i32) (param $data i32)))
  (type $paused (cont $gets_notice))

  ;; From a client: others may run; it waits for a request, and gets the data.
  (tag $pause)
  (tag $async_request (result i32))
  ;; From the scheduler: everybody waits; it gets the data for a client.
  (tag $global_pause (result i32 i32))

  ;; The clients that can run, and those that wait, by number.
  (table $ready 3 (ref null $ct))
  (table $delayed 3 (ref null $waiting))
  (global $live (mut i32) (i32.const 0))

  (global $scheduler (mut (ref null $paused)) (ref.null $paused))
  (global $sum (export "sum") (mut i32) (i32.const 0))
  (elem declare func $fetcher $scheduler)

  ;; ---- clients ----

  ;; Looks like a function that takes its time: the client that calls it waits for the host.
  (func $simple_fetch (param $id i32) (param $url i32) (result i32)
    (call $fetch (local.get $id) (local.get $url))
    (suspend $async_request))

  ;; A client: fetches two pages and lets others run in between.
  (func $fetcher (param $id i32)
    (local $url i32)
    (local.set $url (i32.mul (local.get $id) (i32.const 10)))
    (global.set $sum
      (i32.add
        (call $simple_fetch (local.get $id) (local.get $url))
        (global.get $sum)))
    (suspend $pause)
    (global.set $sum
      (i32.add
        (call $simple_fetch
          (local.get $id)
          (i32.add (local.get $url) (i32.const 1)))
        (global.get $sum))))

  ;; ---- the scheduler ----

  ;; Runs one client until it pauses, waits or returns.
  (func $run (param $id i32) (param $k (ref null $ct))
    (table.set $ready (local.get $id) (ref.null $ct))
    (block $on_async_request (result (ref $waiting))
      (block $on_pause (result (ref $ct))
        (resume $ct (on $pause $on_pause) (on $async_request $on_async_request)
          (local.get $k))
        (global.set $live (i32.sub (global.get $live) (i32.const 1)))
        (return))
      (call $set_ready (local.get $id))
      (return))
    (call $set_delayed (local.get $id)))

  (func $set_ready (param $k (ref $ct)) (param $id i32)
    (table.set $ready (local.get $id) (local.get $k)))

  (func $set_delayed (param $k (ref $waiting)) (param $id i32)
    (table.set $delayed (local.get $id) (local.get $k)))

  ;; A client that has its data can run: both are bound together.
  (func $reschedule (param $client i32) (param $data i32)
    (table.set $ready
      (local.get $client)
      (cont.bind $waiting $ct
        (local.get $data)
        (table.get $delayed (local.get $client))))
    (table.set $delayed (local.get $client) (ref.null $waiting)))

  ;; The scheduler: walks through the clients; when none can run, leaves to the host.
  (func $scheduler
    (local $id i32)
    (local $k (ref null $ct))
    (local $ran i32)
    (loop $next
      (local.set $ran (i32.const 0))
      (local.set $id (i32.const 0))
      (loop $each
        (local.set $k (table.get $ready (local.get $id)))
        (if (i32.eqz (ref.is_null (local.get $k)))
          (then
            (call $run (local.get $id) (local.get $k))
            (local.set $ran (i32.const 1))))
        (local.set $id (i32.add (local.get $id) (i32.const 1)))
        (br_if $each (i32.lt_u (local.get $id) (table.size $ready))))
      (br_if $next (local.get $ran))
      (if (global.get $live)
        (then
          (call $reschedule (suspend $global_pause))
          (br $next)))))

  ;; ---- what the host calls; each gives how many clients have not finished ----

  (func (export "main") (result i32)
    (local $id i32)
    (global.set $sum (i32.const 0))
    (global.set $live (table.size $ready))
    (loop $next
      (table.set $ready
        (local.get $id)
        (cont.bind $unbound $ct
          (local.get $id)
          (cont.new $unbound (ref.func $fetcher))))
      (local.set $id (i32.add (local.get $id) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $id) (table.size $ready))))
    (block $on_pause (result (ref $paused))
      (resume $ct (on $global_pause $on_pause) (cont.new $ct (ref.func $scheduler)))
      (return (global.get $live)))
    (global.set $scheduler)
    (global.get $live))

  (func (export "io_notify") (param $client i32) (param $data i32) (result i32)
    (block $on_pause (result (ref $paused))
      (resume $paused (on $global_pause $on_pause)
        (local.get $client)
        (local.get $data)
        (global.get $scheduler))
      (return (global.get $live)))
    (global.set $scheduler)
    (global.get $live)))
