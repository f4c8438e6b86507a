;; A tree of arenas: an arena runs two clients, which are tasks or arenas themselves. A task waits
;; for a promise; an arena whose clients all wait, waits for a composite promise made of theirs. So
;; the root, and with it the export, returns to the host with one promise for the whole tree; and
;; when a part of it is resolved, the arenas on the way to the task that waits for it are switched
;; to in order, from the top.
(module $scheduler-tree
  (@stack-switching "stacks")
  ;; A promise of the host, by its number; or one that is composed of others.
  (rec
    (type $promise (struct (field $id i32) (field $parts (ref null $promises))))
    (type $promises (array (ref null $promise))))

  ;; To a client: a promise was resolved with a value. From a client: the promise that it waits for;
  ;; or null, with its result and without a client.
  (rec
    (type $toClient (stack (param $p i32) (param $value i32) (ref $toArena)))
    (type $toArena (stack (param $result i32) (param $for (ref null $promise))
      (ref null $toClient))))

  (global $root (mut (ref null $toClient)) (ref.null $toClient))
  (global $promises (mut i32) (i32.const 0))

  (func $new_promise (result (ref $promise))
    (global.set $promises (i32.add (global.get $promises) (i32.const 1)))
    (struct.new $promise
      (i32.sub (global.get $promises) (i32.const 1))
      (ref.null $promises)))

  ;; The composite of two promises; null counts for nothing.
  (func $compose (param $a (ref null $promise)) (param $b (ref null $promise))
      (result (ref null $promise))
    (if (ref.is_null (local.get $a))
      (then (return (local.get $b))))
    (if (ref.is_null (local.get $b))
      (then (return (local.get $a))))
    (struct.new $promise
      (i32.const -1)
      (array.new_fixed $promises 2 (local.get $a) (local.get $b))))

  ;; The promises of the host that a promise is made of, as bits.
  (func $bits (param $of (ref null $promise)) (result i32)
    (local $parts (ref null $promises))
    (if (ref.is_null (local.get $of))
      (then (return (i32.const 0))))
    (local.set $parts (struct.get $promise $parts (local.get $of)))
    (if (ref.is_null (local.get $parts))
      (then
        (return
          (i32.shl (i32.const 1) (struct.get $promise $id (local.get $of))))))
    (i32.or
      (call $bits (array.get $promises (local.get $parts) (i32.const 0)))
      (call $bits (array.get $promises (local.get $parts) (i32.const 1)))))

  ;; A task: waits for as many promises as it is told, one after the other; gives their sum.
  (func $task (param $times i32) (param $p i32) (param $value i32) (param $arena (ref $toArena))
    (local $sum i32)
    (loop $again
      (if (local.get $times)
        (then
          (switch $toArena (i32.const 0) (call $new_promise) (local.get $arena))
          (local.set $arena)
          (local.set $sum (i32.add (local.get $sum)))
          (drop)
          (local.set $times (i32.sub (local.get $times) (i32.const 1)))
          (br $again))))
    (switch_retire $toArena (local.get $sum) (ref.null $promise) (local.get $arena)))

  ;; An arena: runs two clients until both have finished; gives the sum of their results.
  (func $arena (param $left (ref null $toClient)) (param $right (ref null $toClient)) (param $p i32)
      (param $value i32) (param $arena (ref $toArena))
    (local $left_for (ref null $promise))
    (local $right_for (ref null $promise))
    (local $sum i32)
    ;; both start; each gives its result, its promise and itself
    (switch $toClient (i32.const 0) (i32.const 0) (local.get $left))
    (local.set $left)
    (local.set $left_for)
    (local.set $sum)
    (switch $toClient (i32.const 0) (i32.const 0) (local.get $right))
    (local.set $right)
    (local.set $right_for)
    (local.set $sum (i32.add (local.get $sum)))
    (block $done
      (loop $next
        (switch $toArena
          (i32.const 0)
          (br_on_null $done (call $compose (local.get $left_for) (local.get $right_for)))
          (local.get $arena))
        (local.set $arena)
        (local.set $value)
        (local.set $p)
        (if (result i32)
          (i32.and (call $bits (local.get $left_for)) (i32.shl (i32.const 1) (local.get $p)))
          (then
            (switch $toClient (local.get $p) (local.get $value) (local.get $left))
            (local.set $left)
            (local.set $left_for))
          (else
            (switch $toClient (local.get $p) (local.get $value) (local.get $right))
            (local.set $right)
            (local.set $right_for)))
        (local.set $sum (i32.add (local.get $sum)))
        (br $next)))
    (switch_retire $toArena (local.get $sum) (ref.null $promise) (local.get $arena)))

  (type $unboundTask (stack (param $times i32) (param $p i32) (param $value i32) (ref $toArena)))
  (type $unboundArena (stack (param $left (ref null $toClient)) (param $right (ref null $toClient))
    (param $p i32) (param $value i32) (ref $toArena)))

  (func $new_task (param $times i32) (result (ref $toClient))
    (stack.bind $unboundTask $toClient (local.get $times) (stack.new $unboundTask $task)))

  (func $new_arena (param $left (ref null $toClient)) (param $right (ref null $toClient))
      (result (ref $toClient))
    (stack.bind $unboundArena $toClient
      (local.get $left)
      (local.get $right)
      (stack.new $unboundArena $arena)))

  ;; ---- what the host calls; each gives the result and the promises that are open ----

  (func $resolve (export "resolve") (param $p i32) (param $value i32) (result i32 i32)
    (switch $toClient (local.get $p) (local.get $value) (global.get $root))
    (global.set $root)
    (call $bits))

  (func (export "main") (result i32 i32)
    (global.set $promises (i32.const 0))
    (global.set $root
      (call $new_arena
        (call $new_arena (call $new_task (i32.const 1)) (call $new_task (i32.const 2)))
        (call $new_arena
          (call $new_task (i32.const 0))
          (call $new_arena (call $new_task (i32.const 1)) (call $new_task (i32.const 1))))))
    (call $resolve (i32.const 0) (i32.const 0))))
