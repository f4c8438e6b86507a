;; The host: it remembers what was asked for. This script plays its event loop.
(module $host
  (global $requests (export "requests") (mut i32) (i32.const 0))
  (global $last_url (export "last url") (mut i32) (i32.const -1))
  (func (export "fetch") (param $client i32) (param $url i32)
    (global.set $requests (i32.add (global.get $requests) (i32.const 1)))
    (global.set $last_url (local.get $url))))
(register "host" $host)
(input "io-notify.wat")

;; all clients have asked, then the program returns to the host
(assert_return (invoke "main") (i32.const 3))
(assert_return (get $host "requests") (i32.const 3))

;; results come in any order; each client asks once more
(assert_return (invoke "io_notify" (i32.const 2) (i32.const 100)) (i32.const 3))
(assert_return (get $host "last url") (i32.const 21))
(assert_return (invoke "io_notify" (i32.const 0) (i32.const 20)) (i32.const 3))
(assert_return (get $host "last url") (i32.const 1))
(assert_return (invoke "io_notify" (i32.const 2) (i32.const 300)) (i32.const 2))
(assert_return (invoke "io_notify" (i32.const 1) (i32.const 4000)) (i32.const 2))
(assert_return (invoke "io_notify" (i32.const 1) (i32.const 5000)) (i32.const 1))
(assert_return (invoke "io_notify" (i32.const 0) (i32.const 3)) (i32.const 0))
(assert_return (get $host "requests") (i32.const 6))
(assert_return (get "sum") (i32.const 9423))
;; the scheduler has returned: there is nobody to notify
(assert_trap (invoke "io_notify" (i32.const 0) (i32.const 1)) "continuation already consumed")
