;; A web whose promises stay open. $main waits for them, which only a promising call can do:
;; promises.drive calls it as one.
(module $web
  (func $new (import "promise" "new") (result externref))
  (func (export "fetch") (param $url i32) (result externref)
    (call $new)))
(register "web" $web)
(input "promises.wat")
(assert_trap (invoke "main") "suspension outside a promising call")
