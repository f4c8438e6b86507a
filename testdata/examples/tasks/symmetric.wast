(input "symmetric.wat")

(assert_return (invoke "play" (i32.const 0)) (i32.const 0) (i32.const 0))
(assert_return (invoke "play" (i32.const 7)) (i32.const 1) (i32.const 7))
(assert_return (invoke "play" (i32.const 1000)) (i32.const 0) (i32.const 1000))

(assert_return (invoke "connect"))
(assert_return (invoke "send" (i32.const 10)) (i32.const 420))
;; the stages wait where they were: the chain can be used again
(assert_return (invoke "send" (i32.const -1)) (i32.const -42))
(assert_return (invoke "main") (i32.const 462))
