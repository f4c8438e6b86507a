(input "arena.wat")

;; three rounds: the second thread is done first, the others hear of it
(assert_return (invoke "main") (i32.const 6) (i32.const 2))
(assert_return (invoke "arena" (i32.const 2) (i32.const 9) (i32.const 2))
  (i32.const 3)
  (i32.const 2))
(assert_return (invoke "arena" (i32.const 100) (i32.const 100) (i32.const 99))
  (i32.const 4950)
  (i32.const 2))
;; the first is done at once: the others are cancelled before they have started
(assert_return (invoke "arena" (i32.const 1) (i32.const 5) (i32.const 5))
  (i32.const 1)
  (i32.const 2))
