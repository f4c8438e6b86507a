(input "callback.wat")

;; each call resumes both tasks again, the program's and the library's
(assert_return (invoke "start" (i32.const 3)))
(assert_return (invoke "get") (i32.const 1))
(assert_return (invoke "get") (i32.const 4))
(assert_return (invoke "get") (i32.const 9))
(assert_return (invoke "get") (i32.const -1))
(assert_trap (invoke "get") "task is moribund")

(assert_return (invoke "start" (i32.const 0)))
(assert_return (invoke "get") (i32.const -1))

(assert_return (invoke "main") (i32.const 14))
