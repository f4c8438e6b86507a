;; Cancellation: the consumer has enough and throws an exception into the suspended generator, which
;; can clean up and say what came of it.
(module $cancel
  (type $task (func (result i32)))
  (type $ct (cont $task))

  (tag $yield (param i32))
  ;; Thrown into a generator to end it; carries the reason.
  (tag $cancel (param i32))

  ;; How many generators have cleaned up after themselves.
  (global $released (export "released") (mut i32) (i32.const 0))

  (elem declare func $careful $careless)

  ;; Counts for ever; when cancelled, cleans up and gives back the reason.
  (func $careful (result i32)
    (local $i i32)
    (block $on_cancel (result i32)
      (try_table (catch $cancel $on_cancel)
        (loop $next
          (suspend $yield (local.get $i))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $next)))
      (unreachable))
    (global.set $released (i32.add (global.get $released) (i32.const 1))))

  ;; Counts for ever; the exception of a cancellation leaves it.
  (func $careless (result i32)
    (local $i i32)
    (loop $next
      (suspend $yield (local.get $i))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next))
    (unreachable))

  ;; Takes n values, then cancels with the reason; gives 1000 times their sum plus what the
  ;; generator returned, or plus the reason if the exception came out again.
  (func $take (param $k (ref $ct)) (param $n i32) (param $reason i32) (result i32)
    (local $sum i32)
    (loop $next
      (if (local.get $n)
        (then
          (block $on_yield (result i32 (ref $ct))
            (return (resume $ct (on $yield $on_yield) (local.get $k))))
          (local.set $k)
          (local.set $sum (i32.add (local.get $sum)))
          (local.set $n (i32.sub (local.get $n) (i32.const 1)))
          (br $next))))
    (i32.mul (local.get $sum) (i32.const 1000))
    (block $out_again (result i32)
      (try_table (result i32) (catch $cancel $out_again)
        (resume_throw $ct $cancel (local.get $reason) (local.get $k))))
    (i32.add))

  (func (export "careful") (param $n i32) (param $reason i32) (result i32)
    (call $take (cont.new $ct (ref.func $careful)) (local.get $n) (local.get $reason)))

  (func (export "careless") (param $n i32) (param $reason i32) (result i32)
    (call $take (cont.new $ct (ref.func $careless)) (local.get $n) (local.get $reason)))

  (func (export "main") (result i32)
    (call $take (cont.new $ct (ref.func $careful)) (i32.const 5) (i32.const 42))))
