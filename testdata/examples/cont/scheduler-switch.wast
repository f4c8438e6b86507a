(input "scheduler-switch.wat")

(assert_return (invoke "main") (i64.const 123131))
(assert_return (invoke "main") (i64.const 123131))
