(input "fallback.wat")

;; both sides take integers: no box at all
(assert_return (invoke "main") (i32.const 40) (i32.const 0))
;; the fiber has no entry for an integer: one box there and one back; its later stops take one
(assert_return (invoke "only boxed" (i32.const 5) (i32.const 1)) (i32.const 40) (i32.const 2))
;; the caller insists on boxes: three there and three back
(assert_return (invoke "both" (i32.const 5) (i32.const 0)) (i32.const 40) (i32.const 6))
(assert_return (invoke "only boxed" (i32.const 5) (i32.const 0)) (i32.const 40) (i32.const 6))
