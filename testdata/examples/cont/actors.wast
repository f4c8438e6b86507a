(input "actors.wat")

(assert_return (invoke "main") (i32.const 3))
(assert_return (invoke "play" (i32.const 0)) (i32.const 0))
(assert_return (invoke "play" (i32.const 4)) (i32.const 4))
(assert_return (invoke "play" (i32.const 1000)) (i32.const 0))
