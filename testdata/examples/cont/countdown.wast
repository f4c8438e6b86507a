(input "countdown.wat")

(assert_return (invoke "main") (i32.const 5050))
