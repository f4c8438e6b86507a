(input "cancel.wat")

(assert_return (invoke "main") (i32.const 10042))
(assert_return (get "released") (i32.const 1))
(assert_return (invoke "careful" (i32.const 3) (i32.const 7)) (i32.const 3007))
(assert_return (get "released") (i32.const 2))
(assert_return (invoke "careless" (i32.const 4) (i32.const 8)) (i32.const 6008))
(assert_return (get "released") (i32.const 2))
;; cancelled before it has started: its code never runs
(assert_return (invoke "careful" (i32.const 0) (i32.const 9)) (i32.const 9))
(assert_return (get "released") (i32.const 2))
