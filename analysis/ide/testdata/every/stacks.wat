;; Every instruction of the design once.
(module (@stack-switching "stacks")
  (rec
    (type $s (stack (param i32 i64) (ref null $back)))
    (type $back (stack (param f32) (ref null $s))))
  (type $bound (stack (param i64) (ref null $back)))
  (type $f (func (param i32 i64 (ref null $back))))
  (elem declare func $body)

  (func $body (type $f) (param $x i32) (param $y i64) (param $caller (ref null $back))
    (switch_retire $back (f32.const 1) (local.get $caller)))

  (func $main (result f32)
    (local $t (ref null $s))
    (local.set $t (stack.new $s $body))
    (local.set $t (stack.new_ref $s (ref.func $body)))
    (drop (stack.bind $s $bound (i32.const 2) (local.get $t)))
    (switch $s (i32.const 3) (i64.const 4) (local.get $t))
    (local.set $t))
)
