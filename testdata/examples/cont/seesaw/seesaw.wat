;; The second of three linked modules: a seesaw runs two tasks in turn, each until it interrupts
;; itself. The first to finish gives the result; the other one is cancelled.
(module $seesaw
  (type $task (func (result i32)))
  (type $ct (cont $task))

  (tag $interrupt (export "interrupt"))
  (tag $cancel (export "cancel"))

  (func (export "seesaw") (param $up (ref $ct)) (param $down (ref $ct)) (result i32)
    (local $result i32)
    (local $swap (ref null $ct))
    (loop $next
      (block $on_interrupt (result (ref $ct))
        (resume $ct (on $interrupt $on_interrupt) (local.get $up))
        (local.set $result)
        (block $cancelled
          (try_table (catch $cancel $cancelled)
            ;; a task that handles $cancel itself may return a value
            (drop (resume_throw $ct $cancel (local.get $down)))))
        (return (local.get $result)))
      (local.set $swap)
      (local.set $up (local.get $down))
      (local.set $down (ref.as_non_null (local.get $swap)))
      (br $next))
    (unreachable)))
