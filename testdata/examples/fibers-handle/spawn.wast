(input "spawn.wat")

(assert_return (invoke "main") (i32.const 36))
(assert_return (invoke "add all elements" (i32.const 3) (i32.const 16)) (i32.const 18))
(assert_return (invoke "add all elements" (i32.const 0) (i32.const 0)) (i32.const 0))
(assert_trap (invoke "add all elements" (i32.const 1) (i32.const 65536)) "out of bounds memory access")

(assert_return (invoke "count down" (i32.const 100)) (i32.const 5050))
(assert_return (invoke "count down" (i32.const 0)) (i32.const 0))

(assert_return (invoke "triangle" (i32.const 10)) (i32.const 55))
