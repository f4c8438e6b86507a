;; Each way to be invalid in `fibers-handle`: docs/design/dialects.md §5.

;; Types: definitions, inline types, names for references
(module
  (type $a (fiber))
  (type $b (fiber (result i32) (result i64)))
  (type $c (sub (fiber (result (ref null func)))))
  (type $d (sub $c (fiber (result (ref func)))))
  (func (param (ref $d)) (result (ref null $c)) (local.get 0))
  (func (param (ref $a)) (result (ref null fiber)) (local.get 0))
  (func (param (ref fiber i32 i64)) (result (ref $b)) (local.get 0)))
(module
  (type $g (ref null fiber i32))
  (type $h (ref fiber i32))
  (type $f ref fiber)
  (type $i ref null fiber i32)
  (func (param $x $h) (result $g) (local $y $i) (local.set $y (local.get $x)) (local.get $y))
  (func (param $x (ref $f)) (result $f) (local.get $x)))
(module
  (type $k (func (param (ref null fiber (ref null fiber i32)))))
  (type $z (fiber (result i32)))
  (func (type $k) (param (ref null fiber (ref null fiber i32))))
  (func (param (ref null fiber (ref null $z))) (call 0 (local.get 0))))
(assert_invalid (module
  (func (param (ref fiber i32)) (result (ref fiber i64)) (local.get 0))) "type mismatch")
;; Subtypes are declared: results that match do not make one.
(assert_invalid (module
  (func (param (ref fiber (ref func))) (result (ref fiber funcref)) (local.get 0))) "type mismatch")
(assert_invalid (module
  (type $any (sub (fiber (result anyref))))
  (type $struct (sub (fiber (result structref))))
  (func (param (ref $struct)) (result (ref $any)) (local.get 0))) "type mismatch")
(assert_invalid (module
  (type $any (sub (fiber (result anyref))))
  (type $struct (sub $any (fiber (result structref))))
  (func (param (ref $any)) (result (ref $struct)) (local.get 0))) "type mismatch")
(module
  (type $any (sub (fiber (result anyref))))
  (type $struct (sub $any (fiber (result structref))))
  (func (param (ref $struct)) (result (ref $any)) (local.get 0)))
(assert_invalid (module
  (func (param (ref null fiber i32)) (result (ref fiber i32)) (local.get 0))) "type mismatch")
(assert_invalid (module
  (func (param (ref fiber i32)) (result anyref) (local.get 0))) "type mismatch")
(assert_invalid (module
  (type $f (fiber))
  (func (param (ref null $f)) (drop (ref.cast (ref $f) (local.get 0))))) "invalid cast")
(assert_invalid
  (module
    (type $a (sub (fiber (result i32))))
    (type $b (sub $a (fiber (result i64)))))
  "sub type")
(assert_invalid
  (module (rec (type $a (func (param (ref null fiber (ref $a)))))))
  "unknown type")
(assert_malformed (module quote "(type $f (fiber)) (func (param $x $f))") "unexpected token")
(assert_malformed (module quote "(type $f (fiber (param i32)))") "unexpected token")
(assert_malformed (module quote "(type $f (ref $f)) (type $g (fiber))") "unexpected token")
(assert_malformed (module quote "(type $g ref fiber) (func (result $a $g) (unreachable))") "unexpected token")

;; handle and event
(module
  (tag $e (param i32))
  (tag $f)
  (func (result i32)
    (handle $l (result i32)
      (i32.const 1)
      (event $e)
      (event $c $e (br $c))
      (event $f (br $l (i32.const 2)))
      (event $e (param i32) (result i32) (br 1)))
    handle $m (param i32) (result i32)
    event $e (param i32 i32) (result i32)
      i32.add
    event $k $f
      i32.const 3
      br $k
    end $m
    (event $f (i32.const 1))
    (event $e)))
(assert_invalid (module (tag $e (param i32)) (func (handle (event $e)))) "type mismatch")
(assert_invalid (module
  (tag $e)
  (func (result i32) (handle (result i32) (i32.const 1) (event $e)))) "type mismatch")
(assert_invalid (module (tag $e) (func (handle (i32.const 1) (event $e)))) "type mismatch")
(assert_invalid
  (module
    (tag $e (param i32))
    (func (handle (event $e (param i64) (drop)))))
  "type mismatch")
(assert_invalid
  (module
    (tag $e)
    (func (i32.const 1) (handle (param i32) (drop) (event $e (param i64) (drop)))))
  "type mismatch")
(assert_invalid
  (module
    (tag $e)
    (func (handle (event $e (result i32) (i32.const 1)))))
  "type mismatch")
(assert_invalid (module (tag $e) (func (handle $l (event $e (br 3))))) "unknown label")
(assert_malformed (module quote "(tag $e) (func (handle (event $l $e) (event $e (br $l))))") "unknown label")
(assert_malformed (module quote "(tag $e) (func (handle (event $nope)))") "unknown tag")
(assert_invalid (module (func (handle (event 3)))) "unknown tag")
(assert_malformed (module quote "(tag $e) (func (handle (event $e) (nop)))") "unexpected token")
(assert_malformed (module quote "(tag $e) (func (event $e) (nop))") "unexpected token")
(assert_malformed (module quote "(tag $e) (func (block (event $e)))") "unexpected token")
(assert_malformed (module quote "(tag $e) (func block event $e end)") "unexpected token")
(assert_malformed (module quote "(tag $e) (func (handle (event)))") "unexpected token")
(assert_malformed (module quote "(tag $e) (func (handle (event 0 0)))") "unexpected token")
(assert_malformed (module quote "(tag $e) (func handle $l event $e end $e)") "mismatching label")
;; a local set in front of the clauses does not count in them
(assert_invalid
  (module
    (tag $e)
    (type $f (func))
    (func (param (ref $f))
      (local $x (ref $f))
      (handle
        (local.set $x (local.get 0))
        (event $e (drop (local.get $x))))))
  "uninitialized local")
(module
  (tag $e)
  (type $f (func))
  (func (param (ref $f))
    (local $x (ref $f))
    (local.set $x (local.get 0))
    (handle (event $e (drop (local.get $x))))))

;; fiber.new and fiber.spawn
(module
  (type $ft (fiber (result i32)))
  (tag $e)
  (func $f (param (ref null $ft) i64) (result i32) (i32.const 1) (event $e (i32.const 2)))
  (func (result (ref $ft)) (fiber.new $f (i64.const 1)))
  (func (result i32) (fiber.spawn $f (i64.const 1))))
;; a warning only: it traps when it is resumed
(module (type $ft (fiber)) (func $f (param (ref $ft))) (func (result (ref $ft)) (fiber.new $f)))
(assert_invalid (module (func $f) (func (fiber.spawn $f))) "type mismatch")
(assert_invalid (module
  (func $f (param i32))
  (func (fiber.spawn $f (i32.const 1)))) "type mismatch")
(assert_invalid
  (module
    (type $ft (fiber (result i32)))
    (func $f (param (ref $ft)))
    (func (fiber.spawn $f)))
  "type mismatch")
(assert_invalid
  (module
    (type $ft (fiber))
    (tag $e)
    (func $f (param (ref $ft) i32) (event $e))
    (func (drop (fiber.new $f))))
  "type mismatch")
(assert_invalid (module (func (fiber.spawn 7))) "unknown func")

;; What brings an event: the fiber lies below the payload.
(module
  (type $ft (fiber (result i64)))
  (tag $e (param i32))
  (func (param $f (ref null $ft)) (result i64) (fiber.resume $e (local.get $f) (i32.const 1)))
  (func (param $f (ref null $ft)) (result i64) (fiber.resume (local.get $f) $e (i32.const 1)))
  (func (param $f (ref null $ft)) (result f32) (fiber.suspend $e (local.get $f) (i32.const 1)))
  (func (param $f (ref null $ft)) (result f32) (fiber.retire (local.get $f) $e (i32.const 1)))
  (func (param $f (ref $ft)) (result f32)
    (fiber.switch $e (local.get $f) (local.get $f) (i32.const 1)))
  (func (param $f (ref $ft)) (result f32)
    (fiber.retireto (local.get $f) (local.get $f) $e (i32.const 1)))
  (func (param $f (ref $ft)) (fiber.release (local.get $f)))
  (func (result f32) (unreachable) (fiber.resume $e)))
(assert_invalid
  (module
    (tag $e (param i32))
    (func (param (ref fiber)) (fiber.resume $e (i32.const 1) (local.get 0))))
  "type mismatch")
(assert_invalid (module
  (tag $e (param i32))
  (func (param (ref fiber)) (fiber.suspend $e (local.get 0)))) "type mismatch")
(assert_invalid (module
  (tag $e)
  (func (param i32) (fiber.retire $e (local.get 0)))) "type mismatch")
(assert_invalid (module
  (tag $e)
  (func (param (ref fiber)) (fiber.switch $e (local.get 0)))) "type mismatch")
(assert_invalid (module
  (tag $e)
  (func (param (ref fiber)) (fiber.retireto $e (local.get 0)))) "type mismatch")
(assert_invalid
  (module
    (type $f (fiber))
    (func (param i32) (fiber.release (local.get 0))))
  "type mismatch")
(assert_invalid (module
  (type $f (fiber))
  (func (param (ref $f)) (fiber.suspend 4 (local.get 0)))) "unknown tag")
(assert_malformed (module quote "(type $f (fiber)) (tag $e) (func (param (ref $f)) (fiber.retire (local.get 0) ($e)))")
  "unexpected token")
(assert_malformed (module quote "(type $f (fiber)) (tag $e) (func (param (ref $f)) (fiber.resume $e (local.get 0) $e))")
  "unexpected token")
(assert_malformed (module quote "(type $f (fiber)) (tag $e) (func (param (ref $f)) (fiber.resume (local.get 0)))")
  "unexpected token")

;; Tags have no results here.
(assert_invalid (module (type $f (fiber)) (tag (result i32))) "non-empty tag result type")

;; Other dialects
(assert_invalid (module
  (@stack-switching "fibers-handle")
  (func (param fiberref))) "another dialect")
(assert_invalid (module
  (@stack-switching "fibers-handle")
  (tag $e)
  (func (fiber.mount $e))) "another dialect")
(assert_invalid (module
  (@stack-switching "fibers-handle")
  (tag $e)
  (func (task.resume $e))) "another dialect")
(assert_invalid (module
  (@stack-switching "fibers-handle")
  (func (param (ref null cont)))) "another dialect")
