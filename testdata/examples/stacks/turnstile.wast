(input "turnstile.wat")

;; A coin unlocks it, a push goes through and locks it again.
(invoke "open")
(assert_return (invoke "send" (i32.const 0)) (i32.const 0))
(assert_return (invoke "send" (i32.const 1)) (i32.const 1))
(assert_return (invoke "send" (i32.const 0)) (i32.const 1))
(assert_return (invoke "send" (i32.const 1)) (i32.const 2))

;; An event that does not suit the state is refused, and the state stays.
(assert_return (invoke "send" (i32.const 1)) (i32.const -2))
(assert_return (invoke "send" (i32.const 0)) (i32.const 2))
(assert_return (invoke "send" (i32.const 0)) (i32.const -2))
(assert_return (invoke "send" (i32.const 1)) (i32.const 3))

;; It closes in each state.
(assert_return (invoke "close") (i32.const -1))
(assert_trap (invoke "send" (i32.const 0)) "null stack reference")
(invoke "open")
(assert_return (invoke "send" (i32.const 0)) (i32.const 0))
(assert_return (invoke "close") (i32.const -1))
(assert_trap (invoke "close") "null stack reference")

;; Before it has begun nobody catches the exception.
(invoke "open")
(assert_trap (invoke "close") "uncaught exception in a coroutine")

(assert_return (invoke "main") (i32.const 42))
