;; The scenario of all five designs: a producer gives 1, 2 … n, a filter lets multiples of three
;; pass, a consumer puts them together. Each runs on a stack of its own. Here as `cont`: whoever
;; resumes a continuation handles what it sends.
(module $scenario
  (@stack-switching "cont")
  (type $body (func))
  (type $ct (cont $body))

  ;; Carries a value to the next in line.
  (tag $value (param i32))

  (global $limit (mut i32) (i32.const 0))
  (elem declare func $producer $filter)

  (func $producer
    (local $i i32)
    (loop $next
      (if (i32.lt_u (local.get $i) (global.get $limit))
        (then
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (suspend $value (local.get $i))
          (br $next)))))

  (func $filter
    (local $source (ref $ct))
    (local $v i32)
    (local.set $source (cont.new $ct (ref.func $producer)))
    (loop $next
      (block $on_value (result i32 (ref $ct))
        (resume $ct (on $value $on_value) (local.get $source))
        ;; the producer has returned
        (return))
      (local.set $source)
      (local.set $v)
      (if (i32.eqz (i32.rem_u (local.get $v) (i32.const 3)))
        (then (suspend $value (local.get $v))))
      (br $next)))

  ;; The values that come through, as digits, and their sum.
  (func $consume (export "run") (param $n i32) (result i32 i32)
    (local $source (ref $ct))
    (local $v i32)
    (local $digits i32)
    (local $sum i32)
    (global.set $limit (local.get $n))
    (local.set $source (cont.new $ct (ref.func $filter)))
    (loop $next
      (block $on_value (result i32 (ref $ct))
        (resume $ct (on $value $on_value) (local.get $source))
        ;; the filter has returned
        (return (local.get $digits) (local.get $sum)))
      (local.set $source)
      (local.set $v)
      (local.set $digits
        (i32.add (i32.mul (local.get $digits) (i32.const 10)) (local.get $v)))
      (local.set $sum (i32.add (local.get $sum) (local.get $v)))
      (br $next))
    (unreachable))

  (func (export "main") (result i32 i32)
    (call $consume (i32.const 10))))
