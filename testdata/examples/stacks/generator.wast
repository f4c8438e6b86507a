(input "generator.wat")

(assert_return (invoke "main") (i64.const 499500))
(assert_return (invoke "sum" (i32.const 0)) (i64.const 0))
(assert_return (invoke "sum" (i32.const 1)) (i64.const 0))
(assert_return (invoke "sum" (i32.const 100)) (i64.const 4950))
(assert_trap (invoke "sum" (i32.const 10000)) "out of bounds memory access")
