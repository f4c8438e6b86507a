(input "adder.wat")

;; 1 + 2 + 3; the others had come to 1 + 2 + 3 + 4 and to 1 + 2 + 3 when they were cancelled
(assert_return (invoke "main") (i32.const 6) (i32.const 16))
;; the one that finished has asked its generator to the end, the others have cancelled theirs
(assert_return (get "generators") (i32.const 0))

;; the first has nothing to add: the others are cancelled before they have started
(assert_return (invoke "arena" (i32.const 0) (i32.const 5) (i32.const 5))
  (i32.const 0)
  (i32.const 0))
(assert_return (get "generators") (i32.const 0))

;; all alike: the first is asked first
(assert_return (invoke "arena" (i32.const 10) (i32.const 10) (i32.const 10))
  (i32.const 55)
  (i32.const 110))
