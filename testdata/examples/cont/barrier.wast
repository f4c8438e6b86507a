(input "barrier.wat")

(assert_return (invoke "main") (i32.const 1042))
;; a plug-in that returns, one with a coroutine, one that throws: the barrier lets all of it pass
(assert_return (invoke "guarded" (i32.const 0) (i32.const 10)) (i32.const 21))
(assert_return (invoke "guarded" (i32.const 1) (i32.const 10)) (i32.const 1011))
(assert_return (invoke "guarded" (i32.const 2) (i32.const 10)) (i32.const 11))
;; one that would capture its caller
(assert_trap (invoke "guarded" (i32.const 3) (i32.const 10)) "suspension across a barrier")
(assert_return (invoke "unguarded" (i32.const 3) (i32.const 10)) (i32.const 16))
