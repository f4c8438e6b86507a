;; A stack is made, gets a number, gives it back, and ends.
(module (@stack-switching "cont")
  (type $f (func (param i32) (result i64))) (type $c (cont $f))
  (func $g (param $x i32) (result i64) (i64.extend_i32_u (local.get $x)))
  (elem declare func $g)
  (func (export "run") (param $n i32) (result i64) (local $s i64)
    (loop $l
      (local.set $s (i64.add (local.get $s) (resume $c (local.get $n) (cont.new $c (ref.func $g)))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))
