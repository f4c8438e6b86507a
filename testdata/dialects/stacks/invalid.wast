;; Each way to be invalid in `stacks`: docs/design/dialects.md §3.

;; Types
(module
  (type $a (stack (param i32) (ref null $a)))
  (type $b (stack (param $x i32) (param (ref $a))))
  (type $c (stack (param) (ref null $a))))
(module
  (rec (type $x (sub (stack (param (ref null func)) (ref null $x)))))
  (type $y (sub $x (stack (param (ref null func)) (ref null $x)))))
(module
  (type $a (stack (param i32) (ref null $a)))
  (type $t (sub (stack (param funcref) (ref null $a))))
  (type $f (func))
  (func (param (ref $a)) (result (ref null stack)) (local.get 0))
  (func (param (ref null nostack)) (result (ref null $a)) (local.get 0)))
(assert_invalid (module (type $s (stack))) "stack type 0 must end in a reference")
(assert_invalid (module (type $s (stack (param i32)))) "stack type 0 must end in a reference")
(assert_invalid (module
  (type $s (stack (param i32) (ref func)))) "stack type 0 must end in a reference")
(assert_invalid (module
  (type $f (func))
  (type $s (stack (ref $f)))) "stack type 1 must end in a reference")
(assert_invalid (module (type $s (stack (ref 7)))) "unknown type 7")
(assert_malformed (module quote "(type $s (stack (result i32) (ref null $s)))") "unexpected token")
(assert_malformed (module quote "(type $s (stack i32 (ref null $s)))") "unexpected token")
(assert_invalid
  (module
    (type $x (sub (stack (param i32) (ref null $x))))
    (type $y (sub $x (stack (param i64) (ref null $x)))))
  "sub type")
(assert_invalid
  (module
    (type $a (stack (ref null $a)))
    (func (param (ref null stack)) (result (ref null $a)) (local.get 0)))
  "type mismatch")
(assert_invalid
  (module
    (type $a (stack (ref null $a)))
    (func (param (ref null $a)) (result anyref) (local.get 0)))
  "type mismatch")
(assert_invalid
  (module
    (type $a (stack (ref null $a)))
    (func (param (ref null $a)) (drop (ref.cast (ref $a) (local.get 0)))))
  "invalid cast")

;; stack.new
(assert_invalid (module
  (type $f (func))
  (func $g)
  (func (drop (stack.new $f $g)))) "non-stack type")
(assert_invalid (module
  (type $s (stack (ref null $s)))
  (func $g)
  (func (drop (stack.new $s $g)))) "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (func $g (param (ref null $s)) (result i32) (i32.const 0))
    (func (drop (stack.new $s $g))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (func $g (param (ref $s)))
    (func (drop (stack.new $s $g))))
  "type mismatch")
(assert_invalid (module
  (type $s (stack (ref null $s)))
  (func (drop (stack.new $s 9)))) "unknown func")
(assert_invalid (module (func (drop (stack.new 9 0)))) "unknown type")
(assert_malformed (module quote "(type $s (stack (ref null $s))) (func (drop (stack.new $s)))") "unexpected token")
;; a supertype of a parameter suits
(module
  (type $s (stack (param (ref func)) (ref $s)))
  (func $g (param funcref (ref null $s)))
  (func (drop (stack.new $s $g))))

;; stack.new_ref
(module
  (type $s (stack (ref null $s)))
  (type $f (func (param (ref null $s))))
  (func (param (ref null $f)) (result (ref $s)) (stack.new_ref $s (local.get 0))))
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (func (param funcref) (drop (stack.new_ref $s (local.get 0)))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (type $f (func))
    (func (param (ref $f)) (drop (stack.new_ref $s (local.get 0)))))
  "type mismatch")

;; switch
(assert_invalid
  (module
    (type $s (stack (param i32) (ref null $s)))
    (func (param (ref $s)) (switch $s (local.get 0)) (unreachable)))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (param i32) (ref null $s)))
    (func (param (ref $s)) (switch $s (i64.const 0) (local.get 0)) (unreachable)))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (param i32) (ref null $s)))
    (func (param (ref $s)) (switch $s (i32.const 0) (local.get 0))))
  "type mismatch")
(assert_invalid (module
  (type $f (func))
  (type $s (stack (ref null $s)))
  (func (switch $f))) "non-stack type")

;; switch_retire
(module
  (type $s (stack (ref null $s)))
  (func (param (ref $s)) (result i32) (i64.const 1) (switch_retire $s (local.get 0))))
(assert_invalid
  (module
    (rec (type $s (stack (param i32) (ref $t))) (type $t (stack (ref null $s))))
    (func (param (ref $s)) (switch_retire $s (i32.const 0) (local.get 0))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (param i32) (ref null $s)))
    (func (param (ref $s)) (switch_retire $s (local.get 0))))
  "type mismatch")

;; stack.bind
(assert_invalid
  (module
    (type $s (stack (param i32) (ref null $s)))
    (type $t (stack (param i64) (ref null $s)))
    (func (param (ref $s)) (drop (stack.bind $s $t (local.get 0)))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (type $t (stack (param i32) (ref null $s)))
    (func (param (ref $s)) (drop (stack.bind $s $t (local.get 0)))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (param i32) (ref null $s)))
    (type $t (stack (ref null $s)))
    (func (param (ref $s)) (drop (stack.bind $s $t (local.get 0)))))
  "type mismatch")

;; switch_throw: what the exception has, then the reference to the stack that throws
(module
  (rec
    (type $s (stack (param i64) (ref null $t)))
    (type $t (stack (param f32) (ref null $s))))
  (tag $e (param i32 (ref null $t)))
  (tag $exact (param (ref $t)))
  (tag $any (param (ref null stack)))
  (func (param (ref $s)) (result f32 (ref null $s))
    (switch_throw $s $e (i32.const 1) (local.get 0)))
  (func (param (ref $s)) (drop (drop (switch_throw $s $exact (local.get 0)))))
  (func (param (ref $s)) (drop (drop (switch_throw $s $any (local.get 0)))))
  (func (switch_throw $s $e (unreachable)) (unreachable)))
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (tag $e (param i32))
    (func (param (ref $s)) (drop (switch_throw $s $e (i32.const 1) (local.get 0)))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (tag $e)
    (func (param (ref $s)) (drop (switch_throw $s $e (local.get 0)))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (type $t (stack (param i32) (ref null $t)))
    (tag $e (param (ref null $t)))
    (func (param (ref $s)) (drop (switch_throw $s $e (local.get 0)))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (tag $e (param i32 (ref null $s)))
    (func (param (ref $s)) (drop (switch_throw $s $e (i64.const 1) (local.get 0)))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (func (param (ref $s)) (drop (switch_throw $s 0 (local.get 0)))))
  "unknown tag")
(assert_invalid
  (module
    (type $f (func))
    (tag $e (param (ref null $f)))
    (func (param (ref $f)) (drop (switch_throw $f $e (local.get 0)))))
  "non-stack type")

;; return_switch: arguments, what is sent, the reference; the other function gets the arguments, then
;; what comes back
(module
  (rec
    (type $s (stack (param i64) (ref null $t)))
    (type $t (stack (param f32) (ref null $s))))
  (tag $e (param i32 (ref null $t)))
  (func $all (param f64 f32 (ref null $s)) (result i32) (i32.const 1))
  (func $few (param f32 (ref null $s)) (result i32) (i32.const 1))
  (func $wide (param f32 (ref null stack)) (result i32) (i32.const 1))
  (func (param (ref $s)) (result i32)
    (return_switch $s $all (f64.const 1) (i64.const 2) (local.get 0)))
  (func (param (ref null $s)) (result i32)
    (return_switch $s $few (i64.const 2) (local.get 0)))
  (func (param (ref null $s)) (result i32)
    (return_switch $s $wide (i64.const 2) (local.get 0)))
  (func (param (ref null $s)) (result i32)
    (f32.const 1)
    (return_switch_throw $s $e $all (f64.const 1) (i32.const 2) (local.get 0)))
  (func (result i32) (unreachable) (return_switch $s $all) (i32.add)))
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (func $f (param i32))
    (func (param (ref $s)) (return_switch $s $f (local.get 0))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (param i32) (ref null $s)))
    (func $f (param (ref null $s)))
    (func (param (ref $s)) (return_switch $s $f (i32.const 1) (local.get 0))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (func $f (param (ref $s)))
    (func (param (ref $s)) (return_switch $s $f (local.get 0))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (func $f (param i64 (ref null $s)))
    (func (param (ref $s)) (return_switch $s $f (i32.const 1) (local.get 0))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (func $f (param (ref null $s)) (result i32) (i32.const 1))
    (func (param (ref $s)) (return_switch $s $f (local.get 0))))
  "type mismatch")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (func (param (ref $s)) (return_switch $s 7 (local.get 0))))
  "unknown function")
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (tag $e (param (ref null $s)))
    (func $f (param i64 (ref null $s)))
    (func (param (ref $s)) (return_switch_throw $s $e $f (i32.const 1) (local.get 0))))
  "type mismatch")
(assert_malformed (module quote
    "(type $s (stack (ref null $s)))"
    "(tag $e (param (ref null $s)))"
    "(func (param (ref $s)) (return_switch_throw $s $e (local.get 0)))")
  "unexpected token")
(assert_invalid (module
  (@stack-switching "cont")
  (type $f (func))
  (tag $e)
  (func (switch_throw $f $e (unreachable)))) "another dialect")

;; Not constant
(assert_invalid
  (module
    (type $s (stack (ref null $s)))
    (func $f (param (ref null $s)))
    (global (ref $s) (stack.new $s $f)))
  "constant expression required")

;; Tags have no results here.
(assert_invalid (module
  (type $s (stack (ref null $s)))
  (tag (result i32))) "non-empty tag result type")

;; Other dialects
(assert_invalid (module
  (type $s (stack (ref null $s)))
  (type $f (func))
  (type $c (cont $f))) "another dialect")
(assert_invalid (module
  (@stack-switching "stacks")
  (tag $e)
  (func (suspend $e))) "another dialect")
(assert_invalid (module (@stack-switching "stacks") (func (param taskref))) "another dialect")
(assert_invalid (module
  (@stack-switching "stacks")
  (tag $e)
  (func (handle (event $e)))) "another dialect")
(assert_invalid (module (@stack-switching "stacks") (func (switch 0 0))) "unexpected token")
(assert_malformed (module quote "(@stack-switching \"stack\")") "unknown dialect")
