;; One symmetric switch.
(module
  (rec (type $f (func (param (ref null $c)))) (type $c (cont $f)))
  (type $g (func)) (type $d (cont $g))
  (tag $e)
  (global $n (mut i32) (i32.const 0))
  (func $p (type $f) (param $k (ref null $c))
    (loop $l
      (global.set $n (i32.sub (global.get $n) (i32.const 1)))
      (if (i32.le_s (global.get $n) (i32.const 0)) (then (return)))
      (local.set $k (switch $c $e (local.get $k)))
      (br $l)))
  (func $start (call $p (cont.new $c (ref.func $p))))
  (elem declare func $p $start)
  (func (export "run") (param $n i32) (result i64)
    (global.set $n (local.get $n))
    (resume $d (on $e switch) (cont.new $d (ref.func $start)))
    (i64.const 0)))
