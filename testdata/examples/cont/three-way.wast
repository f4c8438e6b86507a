(input "three-way.wat")

;; success
(assert_return (invoke "start") (i32.const -1))
(assert_return (get "operation") (i32.const 1))
(assert_return (get "open") (i32.const 1))
(assert_return (invoke "succeed" (i32.const 50)) (i32.const 100))
(assert_return (get "open") (i32.const 0))
(assert_trap (invoke "succeed" (i32.const 50)) "continuation already consumed")

;; two failures, the second is final
(assert_return (invoke "start") (i32.const -1))
(assert_return (invoke "fail" (i32.const 503)) (i32.const -1))
(assert_return (get "operation") (i32.const 2))
(assert_return (invoke "fail" (i32.const 0)) (i32.const -2))
(assert_return (get "open") (i32.const 0))

;; cancelled
(assert_return (invoke "start") (i32.const -1))
(assert_return (get "open") (i32.const 1))
(assert_return (invoke "cancel") (i32.const -3))
(assert_return (get "open") (i32.const 0))
(assert_trap (invoke "cancel") "continuation already consumed")

(assert_return (invoke "main") (i32.const 42))
