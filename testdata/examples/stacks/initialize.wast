(input "initialize.wat")

(assert_return (invoke "main") (i32.const 55))
(assert_return (invoke "two steps" (i32.const 0) (i32.const 10)) (i32.const 55))
(assert_return (invoke "two steps" (i32.const 3) (i32.const 3)) (i32.const 0))
(assert_return (invoke "bound" (i32.const 8) (i32.const 10)) (i32.const 19))
(assert_return (invoke "bit by bit" (i32.const 8) (i32.const 10)) (i32.const 19))

(assert_return (invoke "of any" (i32.const 0) (i32.const 1) (i32.const 4)) (i32.const 9))
(assert_return (invoke "of any" (i32.const 1) (i32.const 1) (i32.const 4)) (i32.const 14))
(assert_trap (invoke "of null") "null function reference")
