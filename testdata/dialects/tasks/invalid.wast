;; Each way to be invalid in `tasks`: docs/design/dialects.md §6.

;; Types
(module (func (param taskref) (result (ref null task)) (local.get 0)))
(assert_invalid (module (func (param taskref) (result anyref) (local.get 0))) "type mismatch")
(assert_invalid (module (func (param taskref) (result (ref task)) (local.get 0))) "type mismatch")
(assert_invalid (module
  (func (param taskref) (drop (ref.cast (ref task) (local.get 0))))) "invalid cast")

;; task.new
(module
  (tag $e)
  (func $f (param taskref i32) (loop (block $l (event.switch ($e $l)))) (unreachable))
  (func (result (ref task)) (task.new $f (i32.const 1))))
(assert_invalid
  (module
    (tag $e)
    (func $f (param i32) (event.switch ($e 0)))
    (func (drop (task.new $f (i32.const 1)))))
  "type mismatch")
(assert_invalid
  (module
    (tag $e)
    (func $f (param taskref) (result i32) (block $l (event.switch ($e $l))) (i32.const 1))
    (func (drop (task.new $f))))
  "type mismatch")
(assert_invalid
  (module
    (tag $e)
    (func $f (param taskref i32) (event.switch ($e 0)))
    (func (drop (task.new $f))))
  "type mismatch")
(assert_invalid (module
  (func $f (param taskref))
  (func (drop (task.new $f)))) "event.switch required")
(assert_invalid
  (module
    (tag $e)
    (func $f (param taskref) (i32.const 1) (event.switch ($e 0)))
    (func (drop (task.new $f))))
  "event.switch required")
(assert_invalid
  (module
    (tag $e)
    (func $f (param taskref) (if (i32.const 1) (then (event.switch ($e 0)))))
    (func (drop (task.new $f))))
  "event.switch required")
(assert_invalid (module (func (param taskref) (drop (task.new 7)))) "unknown func")

;; task.suspend, task.resume, task.switchto
(module
  (tag $e (param i32))
  (func (param taskref)
    (block $l (result i32) (task.suspend $e (local.get 0) (i32.const 1)) (event.switch ($e $l)))
    (drop)
    (block $l (result i32)
      (local.get 0)
      (i32.const 1)
      (task.resume $e)
      (block (loop (event.switch ($e $l))))
      (unreachable))
    (drop)
    (task.switchto (local.get 0) (local.get 0) ($e (i32.const 1)))
    (event.switch)))
(assert_invalid
  (module
    (tag $e)
    (func (param taskref) (task.suspend $e (local.get 0))))
  "event.switch required")
(assert_invalid
  (module
    (tag $e)
    (func (param taskref) (task.resume $e (local.get 0)) (nop) (event.switch)))
  "event.switch required")
(assert_invalid
  (module
    (tag $e)
    (func (param taskref) (block (task.switchto $e (local.get 0) (local.get 0))) (event.switch)))
  "event.switch required")
(assert_invalid
  (module
    (tag $e)
    (func (param taskref)
      (i32.const 1)
      (task.resume $e (local.get 0))
      (block (param i32) (event.switch))))
  "event.switch required")
(assert_invalid
  (module
    (tag $e (param i32))
    (func (param taskref) (task.resume $e (local.get 0)) (event.switch)))
  "type mismatch")
(assert_invalid
  (module
    (tag $e (param i32))
    (func (param taskref) (task.resume $e (i32.const 1) (local.get 0)) (event.switch)))
  "type mismatch")
(assert_invalid
  (module
    (tag $e)
    (func (param taskref) (task.switchto $e (local.get 0)) (event.switch)))
  "type mismatch")
(assert_invalid (module
  (func (param taskref) (task.resume 3 (local.get 0)) (event.switch))) "unknown tag")
(assert_malformed (module quote "(tag $e (param i32)) (func (param taskref) (task.resume ($e (i32.const 1)) (local.get 0)) (event.switch))")
  "unexpected token")
(assert_malformed (module quote "(tag $e) (func (param taskref) (task.resume $e (local.get 0) ($e)) (event.switch))")
  "unexpected token")
(assert_malformed (module quote "(tag $e) (func (param taskref) (task.resume (local.get 0)) (event.switch))")
  "unexpected token")

;; task.retire, task.release
(module (tag $e) (func (param taskref) (result i64) (i32.const 1) (task.retire $e (local.get 0))))
(assert_invalid (module
  (tag $e (param i32))
  (func (param taskref) (task.retire $e (local.get 0)))) "type mismatch")
(assert_invalid (module (func (task.release))) "type mismatch")
(assert_invalid (module (func (param i32) (task.release (local.get 0)))) "type mismatch")
(assert_malformed (module quote "(tag $e) (func (param taskref) (task.release (local.get 0) ($e)))") "unexpected token")

;; event.switch
(module
  (tag $e (param i32))
  (tag $f)
  (func (result i64 i32)
    (block $l (result i64)
      (i64.const 1)
      (event.switch ($f $l) ($e 1)))
    (i32.const 1)))
(assert_invalid (module
  (tag $e (param i32))
  (func (block $l (event.switch ($e $l))))) "type mismatch")
(assert_invalid
  (module
    (tag $e)
    (func (result i64) (block $l (result i64) (event.switch ($e $l)))))
  "type mismatch")
(assert_invalid
  (module
    (tag $e)
    (func (result i64) (block $l (result i64) (i32.const 1) (event.switch ($e $l)))))
  "type mismatch")
(assert_invalid (module (tag $e) (func (event.switch ($e 1)))) "unknown label")
(assert_invalid (module (func (event.switch (0 0)))) "unknown tag")
(assert_malformed (module quote "(tag $e) (func (event.switch (on $e 0)))") "unexpected token")

;; Tags have no results here.
(assert_invalid (module (func (param taskref)) (tag (result i32))) "non-empty tag result type")

;; Other dialects
(assert_invalid (module
  (@stack-switching "tasks")
  (tag $e)
  (func $f)
  (func (drop (fiber.new $e ($e $f))))) "another dialect")
(assert_invalid (module (@stack-switching "tasks") (func (param fiberref))) "another dialect")
(assert_invalid (module
  (@stack-switching "tasks")
  (tag $e)
  (func (event $e (nop)))) "another dialect")
(assert_invalid (module (@stack-switching "tasks") (func (barrier))) "another dialect")
(assert_invalid (module
  (@stack-switching "cont")
  (tag $e)
  (func (event.switch ($e 0)))) "another dialect")
