;; A stack is made, gets a number, gives it back, and ends.
(module (@stack-switching "stacks")
  (rec (type $ask (stack (param i32) (ref null $give))) (type $give (stack (param i64) (ref null $ask))))
  (func $g (param $x i32) (param $to (ref null $give))
    (switch_retire $give (i64.extend_i32_u (local.get $x)) (local.get $to)))
  (func (export "run") (param $n i32) (result i64) (local $v i64) (local $s i64)
    (loop $l
      (switch $ask (local.get $n) (stack.new $ask $g))
      (drop) (local.set $v)
      (local.set $s (i64.add (local.get $s) (local.get $v)))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))
