(input "async.wat")

;; 10: 3 · 25: 5 · 30: 1 and, asked for later, 4 · 75: 6 · 90: 2
(assert_return (invoke "main") (i32.const 351462) (i32.const 21))
