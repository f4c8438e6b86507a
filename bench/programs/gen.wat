;; One resume and one suspend with a value.
(module
  (type $f (func)) (type $c (cont $f))
  (tag $y (param i32))
  (global $n (mut i32) (i32.const 0))
  (func $g (local $i i32)
    (loop $l
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (suspend $y (local.get $i))
      (br_if $l (i32.lt_u (local.get $i) (global.get $n)))))
  (elem declare func $g)
  (func (export "run") (param $n i32) (result i64) (local $k (ref null $c)) (local $s i64)
    (global.set $n (local.get $n))
    (local.set $k (cont.new $c (ref.func $g)))
    (loop $l
      (block $h (result i32 (ref $c))
        (resume $c (on $y $h) (local.get $k))
        (return (local.get $s)))
      (local.set $k)
      (i64.extend_i32_u)
      (local.set $s (i64.add (local.get $s)))
      (br $l))
    (unreachable)))
