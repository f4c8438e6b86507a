;; A continuation created, suspended once, resumed and run to its end.
(module
  (type $f (func (result i32))) (type $c (cont $f))
  (tag $y (result i32))
  (type $fi (func (param i32) (result i32))) (type $ci (cont $fi))
  (func $g (result i32) (suspend $y))
  (elem declare func $g)
  (func (export "run") (param $n i32) (result i64) (local $s i64) (local $k (ref null $ci))
    (loop $l
      (block $end (result i32)
        (block $h (result (ref $ci))
          (br $end (resume $c (on $y $h) (cont.new $c (ref.func $g)))))
        (local.set $k)
        (resume $ci (i32.const 1) (local.get $k)))
      (i64.extend_i32_u)
      (local.set $s (i64.add (local.get $s)))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))
