;; Wrong: the scheduler handles $yield but not $spawn; $relay handles neither, $switcher has only a
;; `switch` clause for it. Nobody is left to handle the suspension of $task.
(module $unhandled
  (type $task (func))
  (type $ct (cont $task))

  (tag $yield)
  (tag $spawn (param (ref $ct)))

  (elem declare func $task $relay $nothing)

  (func $nothing)

  (func $task
    (suspend $yield)
    (suspend $spawn (cont.new $ct (ref.func $nothing))))

  ;; Runs a task on a stack of its own and lets everything it suspends with go past.
  (func $relay
    (resume $ct (cont.new $ct (ref.func $task))))

  (func $schedule (param $k (ref $ct))
    (loop $next
      (block $on_yield (result (ref $ct))
        (resume $ct (on $yield $on_yield) (local.get $k))
        (return))
      (local.set $k)
      (br $next)))

  (func (export "main")
    (call $schedule (cont.new $ct (ref.func $relay)))))
