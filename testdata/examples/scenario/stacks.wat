;; The scenario of all five designs, as `stacks`: a value goes to the stack that asked for it, along
;; with a reference to the one that gives it. A null reference means that there are no more.
(module $scenario
  (@stack-switching "stacks")
  (rec
    ;; Takes a value, and the stack to ask for the next one.
    (type $sink (stack (param $value i32) (ref null $source)))
    ;; Takes the stack that asks for a value.
    (type $source (stack (ref $sink))))

  (global $limit (mut i32) (i32.const 0))

  (func $producer (param $sink (ref $sink))
    (local $i i32)
    (loop $next
      (if (i32.lt_u (local.get $i) (global.get $limit))
        (then
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (local.set $sink (switch $sink (local.get $i) (local.get $sink)))
          (br $next))))
    (switch_retire $sink (i32.const 0) (local.get $sink)))

  (func $filter (param $sink (ref $sink))
    (local $source (ref null $source))
    (local $v i32)
    (local.set $source (stack.new $source $producer))
    (loop $next
      (switch $source (local.get $source))
      (local.set $source)
      (local.set $v)
      (if (ref.is_null (local.get $source))
        (then (switch_retire $sink (i32.const 0) (local.get $sink))))
      (if (i32.eqz (i32.rem_u (local.get $v) (i32.const 3)))
        (then (local.set $sink (switch $sink (local.get $v) (local.get $sink)))))
      (br $next)))

  ;; The values that come through, as digits, and their sum.
  (func $consume (export "run") (param $n i32) (result i32 i32)
    (local $source (ref null $source))
    (local $v i32)
    (local $digits i32)
    (local $sum i32)
    (global.set $limit (local.get $n))
    (local.set $source (stack.new $source $filter))
    (loop $next
      (switch $source (local.get $source))
      (local.set $source)
      (local.set $v)
      (if (ref.is_null (local.get $source))
        (then (return (local.get $digits) (local.get $sum))))
      (local.set $digits
        (i32.add (i32.mul (local.get $digits) (i32.const 10)) (local.get $v)))
      (local.set $sum (i32.add (local.get $sum) (local.get $v)))
      (br $next))
    (unreachable))

  (func (export "main") (result i32 i32)
    (call $consume (i32.const 10))))
