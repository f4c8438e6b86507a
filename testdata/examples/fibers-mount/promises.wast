;; A web whose promises stay open: $main returns one that does, too. promises.drive keeps them.
(module $web
  (func $new (import "promise" "new") (result externref))
  (func (export "fetch") (param $url i32) (result externref)
    (call $new)))
(register "web" $web)
(input "promises.wat")
(register "promises")

(module
  (func $main (import "promises" "main") (result externref))
  (func $state (import "promise" "state") (param externref) (result i32))
  (func (export "state of main") (result i32)
    (call $state (call $main))))
(assert_return (invoke "state of main") (i32.const 0))
