(input "symmetric.wat")

(assert_return (invoke "play" (i32.const 0)) (i32.const 0) (i32.const 0))
(assert_return (invoke "play" (i32.const 7)) (i32.const 1) (i32.const 7))
(assert_return (invoke "play" (i32.const 1000)) (i32.const 0) (i32.const 1000))

(assert_return (invoke "main") (i32.const 420))
(assert_return (invoke "chain" (i32.const -1)) (i32.const -42))
