(input "mount-new.wat")

;; not known: waits; supplied: returns; known: returns at once
(assert_return (invoke "get" (i32.const 3)) (i32.const -1))
(assert_return (invoke "supply" (i32.const 33)) (i32.const 33))
(assert_return (invoke "get" (i32.const 3)) (i32.const 33))
(assert_trap (invoke "supply" (i32.const 1)) "fiber is moribund")
(assert_return (invoke "main") (i32.const 70))

(assert_return (invoke "squares") (i32.const 50))
