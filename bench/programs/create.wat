;; A continuation created and run to its end.
(module
  (type $f (func (result i32))) (type $c (cont $f))
  (func $g (result i32) (i32.const 1))
  (elem declare func $g)
  (func (export "run") (param $n i32) (result i64) (local $s i64)
    (loop $l
      (local.set $s (i64.add (local.get $s) (i64.extend_i32_u (resume $c (cont.new $c (ref.func $g))))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))
