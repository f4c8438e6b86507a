;; One turn of a round robin over 1,000 stacks kept in a table.
(module
  (type $f (func)) (type $c (cont $f))
  (tag $y)
  (table $t 1000 (ref null $c))
  (func $g (loop $l (suspend $y) (br $l)))
  (elem declare func $g)
  (func (export "run") (param $n i32) (result i64) (local $i i32)
    (loop $fill
      (table.set $t (local.get $i) (cont.new $c (ref.func $g)))
      (br_if $fill (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000))))
    (loop $l
      (local.set $i (i32.const 0))
      (loop $turn
        (local.get $i)
        (block $h (result (ref $c))
          (resume $c (on $y $h) (table.get $t (local.get $i)))
          (unreachable))
        (table.set $t)
        (if (i32.eqz (local.tee $n (i32.sub (local.get $n) (i32.const 1)))) (then (return (i64.const 0))))
        (br_if $turn (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000))))
      (br $l))
    (unreachable)))
