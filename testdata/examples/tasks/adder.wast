(input "adder.wat")

;; 1 + 2 + 3; the others had come to 1 + 2 + 3 + 4 and to 1 + 2 + 3 when they were cancelled
(assert_return (invoke "main") (i32.const 6) (i32.const 16))
;; the one that finished has asked its generator to the end, the others have released theirs
(assert_trap (invoke "ask" (i32.const 0)) "task is moribund")
(assert_trap (invoke "ask" (i32.const 1)) "task is moribund")
(assert_trap (invoke "ask" (i32.const 2)) "task is moribund")

;; the first has nothing to add: the others are cancelled before they have started
(assert_return (invoke "arena" (i32.const 0) (i32.const 5) (i32.const 5))
  (i32.const 0)
  (i32.const 0))
(assert_trap (invoke "ask" (i32.const 2)) "task is moribund")

;; all alike: the first is asked first
(assert_return (invoke "arena" (i32.const 10) (i32.const 10) (i32.const 10))
  (i32.const 55)
  (i32.const 110))
