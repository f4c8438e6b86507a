;; Each way to be invalid in `fibers-mount`: docs/design/dialects.md §4.

;; Types
(module (func (param fiberref) (result (ref null fiber)) (local.get 0)))
(module (func (param (ref fiber)) (result fiberref) (local.get 0)))
(assert_invalid (module (func (param fiberref) (result anyref) (local.get 0))) "type mismatch")
(assert_invalid (module
  (func (param fiberref) (result (ref fiber)) (local.get 0))) "type mismatch")
(assert_invalid (module
  (func (param fiberref) (drop (ref.cast (ref fiber) (local.get 0))))) "invalid cast")

;; fiber.new
(module
  (tag $ret (param i32))
  (tag $a (param i64))
  (tag $b)
  (func $fa (param f32 (ref fiber) i64) (result i32) (unreachable))
  (func $fb (param f32 fiberref) (result i32) (unreachable))
  (func (result (ref fiber)) (fiber.new $ret ($a $fa) (on $b $fb) (f32.const 1)))
  (func (result (ref fiber)) (fiber.new $ret)))
(assert_invalid
  (module
    (tag $ret)
    (func (param i32) (drop (fiber.new $ret ($ret 0) (i32.const 1)))))
  "type mismatch")
(assert_invalid
  (module
    (tag $ret (param i32))
    (func $f (param fiberref))
    (func (drop (fiber.new $ret (on 0 $f)))))
  "type mismatch")
(assert_invalid
  (module
    (tag $ret)
    (tag $go (param i64))
    (func $f (param fiberref))
    (func (drop (fiber.new $ret ($go $f)))))
  "type mismatch")
(assert_invalid
  (module
    (tag $ret)
    (tag $go)
    (func $f (param i32 fiberref))
    (func $g (param i64 fiberref))
    (func (drop (fiber.new $ret ($go $f) ($ret $g) (i32.const 0)))))
  "type mismatch")
(assert_invalid
  (module
    (tag $ret)
    (tag $go)
    (func $f (param i32 fiberref))
    (func (drop (fiber.new $ret ($go $f)))))
  "type mismatch")
(assert_invalid (module (tag $ret) (func (drop (fiber.new $ret ($ret 7))))) "unknown func")
(assert_invalid (module
  (tag $ret)
  (func $f)
  (func (drop (fiber.new $ret ($nope $f))))) "unknown tag")

;; fiber.mount, fiber.switch, fiber.dismount
(module
  (tag $e (param i32))
  (tag $on (param i64))
  (func (param $f fiberref) (result i64)
    (fiber.mount $e ($on 0) (i32.const 1) (local.get $f))
    (fiber.switch $e (on $on 0) (i32.const 1) (local.get $f) (local.get $f))
    (fiber.dismount $e ($on 0) ($on 0) (i32.const 1) (local.get $f))
    (i64.const 0)))
(assert_invalid (module
  (tag $e (param i32))
  (func (param fiberref) (fiber.mount $e (local.get 0)))) "type mismatch")
(assert_invalid
  (module
    (tag $e (param i32))
    (func (param fiberref) (fiber.mount $e (local.get 0) (i32.const 1))))
  "type mismatch")
(assert_invalid (module (tag $e) (func (fiber.mount $e ($e 0)))) "type mismatch")
(assert_invalid
  (module
    (tag $e (param i32))
    (tag $f)
    (func (param fiberref) (fiber.mount $f ($e 0) (local.get 0))))
  "type mismatch")
(assert_invalid (module
  (tag $e)
  (func (param fiberref) (fiber.mount $e ($e 1) (local.get 0)))) "unknown label")
(assert_invalid (module
  (tag $e)
  (func (param fiberref) (fiber.mount $e (9 0) (local.get 0)))) "unknown tag")
(assert_invalid (module
  (tag $e)
  (func (param fiberref) (fiber.switch $e (local.get 0)))) "type mismatch")
(assert_invalid (module
  (tag $e)
  (func (param i32) (fiber.dismount $e (local.get 0)))) "type mismatch")
(assert_malformed (module quote "(tag $e) (func (param fiberref) (fiber.mount (local.get 0)))") "unexpected token")
(assert_malformed (module quote "(tag $e) (func (param fiberref) (fiber.switch (local.get 0) (local.get 0) $e))") "unexpected token")
(assert_malformed (module quote "(tag $e) (func (param fiberref) (fiber.mount (local.get 0) ($e)))") "unexpected token")
(assert_malformed (module quote "(tag $e) (func (param fiberref) (fiber.mount $e (on $e switch) (local.get 0)))") "unexpected token")
(assert_malformed (module quote "(tag $e) (func (param fiberref) (fiber.mount $e (local.get 0) ($e 0)))") "unexpected token")

;; fiber.release
(assert_invalid (module (func (param i32) (fiber.release (local.get 0)))) "type mismatch")

;; fiber.mount_new, fiber.switch_new
(module
  (tag $ret (param i32))
  (tag $on (param i64))
  (func $f (param f32 fiberref) (result i32) (unreachable))
  (func (param $from fiberref)
    (block $l (result (ref fiber) i64)
      (fiber.mount_new $ret $f ($on $l) (f32.const 1))
      (drop)
      (drop)
      (fiber.switch_new $ret $f ($on $l) (f32.const 1) (local.get $from))
      (drop)
      (drop)
      (return))
    (drop)
    (drop)))
(assert_invalid
  (module
    (tag $ret (param i32))
    (func $f (param fiberref))
    (func (fiber.mount_new $ret $f) (unreachable)))
  "type mismatch")
(assert_invalid
  (module
    (tag $ret)
    (func $f)
    (func (fiber.mount_new $ret $f) (unreachable)))
  "type mismatch")
(assert_invalid
  (module
    (tag $ret)
    (func $f (param fiberref))
    (func (fiber.mount_new $ret $f ($ret 0)) (unreachable)))
  "type mismatch")
(assert_invalid
  (module
    (tag $ret)
    (func $f (param fiberref))
    (func (fiber.switch_new $ret $f) (unreachable)))
  "type mismatch")
(assert_invalid (module (tag $ret) (func (fiber.mount_new $ret 5) (unreachable))) "unknown func")

;; fiber.dismount_release, fiber.switch_release
(module
  (tag $e (param i32))
  (func (param fiberref)
    (fiber.dismount_release $e (i32.const 1) (local.get 0))
    (fiber.switch_release $e (i32.const 1) (local.get 0) (local.get 0))))
(assert_invalid (module (tag $e) (func (fiber.dismount_release $e))) "type mismatch")
(assert_invalid (module
  (tag $e)
  (func (param fiberref) (fiber.switch_release $e (local.get 0)))) "type mismatch")
(assert_malformed (module quote "(tag $e) (func (param fiberref) (fiber.dismount_release $e ($e 0) (local.get 0)))")
  "unexpected token")

;; Tags have no results here.
(assert_invalid (module (func (param fiberref)) (tag (result i32))) "non-empty tag result type")

;; Other dialects
(assert_invalid (module (@stack-switching "fibers-mount") (type $t (fiber))) "another dialect")
(assert_invalid (module
  (@stack-switching "fibers-mount")
  (func (param (ref null fiber i32)))) "another dialect")
(assert_invalid (module
  (@stack-switching "fibers-mount")
  (tag $e)
  (func (handle (event $e)))) "another dialect")
(assert_invalid (module (@stack-switching "fibers-mount") (tag $e) (func $f) (func (fiber.spawn $f))) "another dialect")
(assert_invalid (module
  (@stack-switching "fibers-mount")
  (type $f (func))
  (func (cont.new $f))) "another dialect")
