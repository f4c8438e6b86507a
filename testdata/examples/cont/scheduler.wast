(input "scheduler.wat")

;; Twice: nothing of the first run is left over.
(assert_return (invoke "main") (i64.const 121313))
(assert_return (invoke "main") (i64.const 121313))
