;; A library of effects declares tags and nothing else. That its tags have results is no construct of
;; a dialect, so nothing decides one for it; modules of the dialect cont import it.
(module $effects
  (tag $ask (export "ask") (param i32) (result i32))
  (tag (export "tell") (type $tell))
  (type $tell (func (param i32) (result i64))))
(register "effects" $effects)

;; the same, binary and quoted
(module binary
  "\00asm" "\01\00\00\00"
  "\01\06\01\60\01\7f\01\7f"
  "\0d\03\01\00\00"
  "\07\07\01\03ask\04\00")
(module quote
  "(tag (import \"effects\" \"ask\") (param i32) (result i32))")

(module
  (type $body (func (result i32)))
  (type $k (cont $body))
  (type $answer (func (param i32) (result i32)))
  (type $asked (cont $answer))
  (tag $ask (import "effects" "ask") (param i32) (result i32))
  (func $program (result i32)
    (i32.mul (suspend $ask (i32.const 6)) (i32.const 7)))
  (elem declare func $program)
  (func (export "run") (result i32)
    (block $on_ask (result i32 (ref $asked))
      (resume $k (on $ask $on_ask) (cont.new $k (ref.func $program)))
      (return))
    (resume $asked))
  ;; an exception ignores the results
  (func (export "throw") (result i32)
    (block $caught (result i32)
      (try_table (catch $ask $caught)
        (throw $ask (i32.const 5)))
      (unreachable))))
(assert_return (invoke "run") (i32.const 42))
(assert_return (invoke "throw") (i32.const 5))

;; the rule of WebAssembly 3.0 that stack switching lifts can still be asserted
(assert_invalid
  (module
    (tag (result i32)))
  "non-empty tag result type")
(assert_invalid (module quote
    "(tag (result i32))")
  "non-empty tag result type")
(assert_invalid (module binary
    "\00asm" "\01\00\00\00"
    "\01\06\01\60\01\7f\01\7f"
    "\0d\03\01\00\00")
  "non-empty tag result type")
