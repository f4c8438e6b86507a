(input "stacks.wat")

(assert_return (invoke "main") (i32.const 369) (i32.const 18))
(assert_return (invoke "run" (i32.const 0)) (i32.const 0) (i32.const 0))
(assert_return (invoke "run" (i32.const 2)) (i32.const 0) (i32.const 0))
(assert_return (invoke "run" (i32.const 7)) (i32.const 36) (i32.const 9))
