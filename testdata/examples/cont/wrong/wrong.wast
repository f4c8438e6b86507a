;; What the wrong programs of this folder that can be loaded come to. The others (label.wat and
;; undeclared-tag.wat) do not get that far: see `wasm-ls check`.
(input "consumed.wat")
(assert_trap (invoke "main") "continuation already consumed")

(input "unhandled.wat")
(assert_suspension (invoke "main") "unhandled tag")

(input "trap-deep.wat")
(assert_trap (invoke "main") "integer divide by zero")
