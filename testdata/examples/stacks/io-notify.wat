;; Asynchronous I/O that the host drives: clients start requests and wait, and when all of them wait
;; the scheduler switches back to the export that was called, so that it returns and the host's
;; event loop runs. The host calls `io_notify` with each result, which switches to the scheduler;
;; only that knows which client is to have it.
(module $io-notify
  (@stack-switching "stacks")
  ;; Starts a request of a client. The host calls `io_notify` with the client and the data.
  (func $fetch (import "host" "fetch") (param $client i32) (param $url i32))

  ;; Between clients and the scheduler: to a client, the data of its request, if it has made one;
  ;; from a client, whether it waits for a request. A null client has finished.
  (rec
    (type $toClient (stack (param $data i32) (ref $toScheduler)))
    (type $toScheduler (stack (param $waits i32) (ref null $toClient))))

  ;; Between the scheduler and the exports: data for a client. A null scheduler has retired.
  (rec
    (type $notify (stack (param $client i32) (param $data i32) (ref $paused)))
    (type $paused (stack (ref null $notify))))

  ;; What the scheduler knows of a client: its stack, whether it waits, the data it gets next.
  (type $client (struct
    (field $stack (mut (ref null $toClient)))
    (field $waits (mut i32))
    (field $data (mut i32))))
  (table $clients 3 (ref null $client))
  (global $live (mut i32) (i32.const 0))

  (global $scheduler (mut (ref null $notify)) (ref.null $notify))
  (global $sum (export "sum") (mut i32) (i32.const 0))

  ;; ---- clients ----

  ;; Looks like a function that takes its time: the client that calls it waits for the host. Gives
  ;; the data, and the scheduler for the next time.
  (func $simple_fetch (param $scheduler (ref $toScheduler)) (param $id i32) (param $url i32)
      (result i32 (ref $toScheduler))
    (call $fetch (local.get $id) (local.get $url))
    (switch $toScheduler (i32.const 1) (local.get $scheduler)))

  ;; A client: fetches two pages and lets others run in between.
  (func $fetcher (param $id i32) (param $data i32) (param $scheduler (ref $toScheduler))
    (local $url i32)
    (local.set $url (i32.mul (local.get $id) (i32.const 10)))
    (call $simple_fetch (local.get $scheduler) (local.get $id) (local.get $url))
    (local.set $scheduler)
    (global.set $sum (i32.add (global.get $sum)))
    ;; lets others run
    (switch $toScheduler (i32.const 0) (local.get $scheduler))
    (local.set $scheduler)
    (drop)
    (call $simple_fetch
      (local.get $scheduler)
      (local.get $id)
      (i32.add (local.get $url) (i32.const 1)))
    (local.set $scheduler)
    (global.set $sum (i32.add (global.get $sum)))
    (switch_retire $toScheduler (i32.const 0) (local.get $scheduler)))

  (type $unbound (stack (param $id i32) (param $data i32) (ref $toScheduler)))

  (func $new_client (param $id i32) (result (ref $client))
    (struct.new $client
      (stack.bind $unbound $toClient (local.get $id) (stack.new $unbound $fetcher))
      (i32.const 0)
      (i32.const 0)))

  ;; ---- the scheduler ----

  ;; Runs one client, if it can run, until it lets others run, waits or retires; gives whether it
  ;; could.
  (func $run (param $client (ref null $client)) (result i32)
    (local $stack (ref null $toClient))
    (local.set $stack (struct.get $client $stack (local.get $client)))
    (if (i32.or (struct.get $client $waits (local.get $client)) (ref.is_null (local.get $stack)))
      (then (return (i32.const 0))))
    (struct.set $client $stack (local.get $client) (ref.null $toClient))
    (switch $toClient (struct.get $client $data (local.get $client)) (local.get $stack))
    (local.set $stack)
    (if (ref.is_null (local.get $stack))
      (then (global.set $live (i32.sub (global.get $live) (i32.const 1)))))
    (struct.set $client $stack (local.get $client) (local.get $stack))
    (call $set_waits (local.get $client))
    (i32.const 1))

  (func $set_waits (param $waits i32) (param $client (ref null $client))
    (struct.set $client $waits (local.get $client) (local.get $waits)))

  ;; The scheduler: walks through the clients; when none can run, leaves to the host. The first
  ;; message only starts it.
  (func $scheduler (param $id i32) (param $data i32) (param $host (ref $paused))
    (local $client (ref null $client))
    (local $ran i32)
    (loop $next
      (local.set $ran (i32.const 0))
      (local.set $id (i32.const 0))
      (loop $each
        (local.set $ran
          (i32.or (local.get $ran) (call $run (table.get $clients (local.get $id)))))
        (local.set $id (i32.add (local.get $id) (i32.const 1)))
        (br_if $each (i32.lt_u (local.get $id) (table.size $clients))))
      (br_if $next (local.get $ran))
      (if (global.get $live)
        (then
          (switch $paused (local.get $host))
          (local.set $host)
          (local.set $data)
          (local.set $id)
          (local.set $client (table.get $clients (local.get $id)))
          (struct.set $client $data (local.get $client) (local.get $data))
          (struct.set $client $waits (local.get $client) (i32.const 0))
          (br $next))))
    (switch_retire $paused (local.get $host)))

  ;; ---- what the host calls; each gives how many clients have not finished ----

  (func (export "main") (result i32)
    (local $id i32)
    (global.set $sum (i32.const 0))
    (global.set $live (table.size $clients))
    (loop $next
      (table.set $clients (local.get $id) (call $new_client (local.get $id)))
      (local.set $id (i32.add (local.get $id) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $id) (table.size $clients))))
    (global.set $scheduler (stack.new $notify $scheduler))
    (call $wake (i32.const 0) (i32.const 0)))

  (func $wake (export "io_notify") (param $client i32) (param $data i32) (result i32)
    (global.set $scheduler
      (switch $notify (local.get $client) (local.get $data) (global.get $scheduler)))
    (global.get $live)))
