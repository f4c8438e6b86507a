(input "generator-flag.wat")

(assert_return (invoke "main") (i64.const 5050))
(assert_return (invoke "sum" (i64.const 0)) (i64.const 0))
(assert_return (invoke "sum" (i64.const 1)) (i64.const 1))
(assert_return (invoke "sum" (i64.const 1000)) (i64.const 500500))
