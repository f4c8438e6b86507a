(input $generator "generator.wat")
(register "generator" $generator)
(assert_return (invoke "main") (i32.const 55))

(input $seesaw "seesaw.wat")
(register "seesaw" $seesaw)

(input $cogen "cogen.wat")
(assert_return (invoke "sum_after_seesaw") (i32.const 100))
(assert_return (invoke "seesaw_after_sum") (i32.const 55))
(assert_return (invoke "main") (i32.const 100) (i32.const 55))
