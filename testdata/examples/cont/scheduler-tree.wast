(input "scheduler-tree.wat")

;; four tasks wait, each for a promise of its own
(assert_return (invoke "main") (i32.const 0) (i32.const 15))
;; the innermost arena is woken through the three above it
(assert_return (invoke "resolve" (i32.const 3) (i32.const 4000)) (i32.const 0) (i32.const 7))
;; this task waits for another promise
(assert_return (invoke "resolve" (i32.const 1) (i32.const 20)) (i32.const 0) (i32.const 21))
(assert_return (invoke "resolve" (i32.const 2) (i32.const 300)) (i32.const 0) (i32.const 17))
(assert_return (invoke "resolve" (i32.const 4) (i32.const 50)) (i32.const 0) (i32.const 1))
;; the last one: the whole tree has finished
(assert_return (invoke "resolve" (i32.const 0) (i32.const 1)) (i32.const 4371) (i32.const 0))
(assert_trap (invoke "resolve" (i32.const 0) (i32.const 1)) "null continuation reference")
