(input "states.wat")

(assert_return (invoke "main") (i32.const 324) (i32.const 0))
;; 1 and 4: what is not expected is left out, with all up to the next comma
(assert_return (invoke "sum" (i32.const 16) (i32.const 11)) (i32.const 5) (i32.const 2))
(assert_return (get "open") (i32.const 0))
