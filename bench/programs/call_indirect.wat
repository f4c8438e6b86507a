;; n indirect calls, over eight tiny functions in turn.
(module
  (type $f (func (param i32) (result i32)))
  (table funcref (elem $f0 $f1 $f2 $f3 $f4 $f5 $f6 $f7))
  (func $f0 (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
  (func $f1 (param i32) (result i32) (i32.xor (local.get 0) (i32.const 0x5bd1e995)))
  (func $f2 (param i32) (result i32) (i32.rotl (local.get 0) (i32.const 7)))
  (func $f3 (param i32) (result i32) (i32.mul (local.get 0) (i32.const 31)))
  (func $f4 (param i32) (result i32) (i32.sub (local.get 0) (i32.const 17)))
  (func $f5 (param i32) (result i32) (i32.or (local.get 0) (i32.const 1)))
  (func $f6 (param i32) (result i32) (i32.rotr (local.get 0) (i32.const 3)))
  (func $f7 (param i32) (result i32) (i32.and (local.get 0) (i32.const 0x7fffffff)))
  (func (export "run") (param $n i32) (result i64) (local $i i32) (local $x i32)
    (loop $l
      (local.set $x (call_indirect (type $f) (local.get $x) (i32.and (local.get $i) (i32.const 7))))
      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (i64.extend_i32_u (local.get $x))))
