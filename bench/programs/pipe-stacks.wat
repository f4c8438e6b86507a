;; A producer counts, a filter doubles, the values are added up: four switches each.
(module (@stack-switching "stacks")
  (rec (type $ask (stack (ref null $give))) (type $give (stack (param i32) (ref null $ask))))
  (func $producer (param $to (ref null $give)) (local $i i32)
    (loop $l
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (local.set $to (switch $give (local.get $i) (local.get $to)))
      (br $l)))
  (func $filter (param $to (ref null $give)) (local $p (ref null $ask)) (local $x i32)
    (local.set $p (stack.new $ask $producer))
    (loop $l
      (switch $ask (local.get $p))
      (local.set $p) (local.set $x)
      (local.set $to (switch $give (i32.mul (local.get $x) (i32.const 2)) (local.get $to)))
      (br $l)))
  (func (export "run") (param $n i32) (result i64) (local $p (ref null $ask)) (local $x i32) (local $s i64)
    (local.set $p (stack.new $ask $filter))
    (loop $l
      (switch $ask (local.get $p))
      (local.set $p) (local.set $x)
      (local.set $s (i64.add (local.get $s) (i64.extend_i32_u (local.get $x))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))
