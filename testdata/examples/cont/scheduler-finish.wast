(input "scheduler-finish.wat")

;; one task is resumed, all others are switched to; all but the last are cancelled
(assert_return (invoke "main") (i64.const 123131) (i32.const 1) (i32.const 2))
(assert_return (invoke "main") (i64.const 123131) (i32.const 1) (i32.const 2))
