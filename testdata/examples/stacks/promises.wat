;; A tree of arenas with the promises of the host, as JavaScript Promise Integration would have it:
;; a task that waits gives its arena the promise; an arena whose clients both wait gives its own
;; arena a composite promise made of the two; and $main, which the host has to call as a promising
;; export, waits for that of the whole tree. Then the tree wakes in order: each arena asks the
;; composite which of its clients is to go on.
(module $promises
  (@stack-switching "stacks")
  ;; Starts a request; gives a promise of the data.
  (func $fetch (import "web" "fetch") (param $url i32) (result externref))
  ;; A promise of which of two is settled first: 0 or 1.
  (func $race_index (import "promise" "race_index") (param $left externref) (param $right externref)
      (result externref))
  ;; The value of a promise that is fulfilled.
  (func $value (import "promise" "value") (param $promise externref) (result i32))
  ;; Suspends the whole call until a promise is settled.
  (func $await (import "promise" "await") (param $promise externref))

  ;; To a client: what it waits for is settled. From a client: a promise; or its result, without
  ;; a client.
  (rec
    (type $toClient (stack (ref $toArena)))
    (type $toArena (stack (param $result i32) (param $for externref) (ref null $toClient))))

  ;; A task: fetches two pages, one after the other; gives the sum of their data.
  (func $task (param $url i32) (param $arena (ref $toArena))
    (local $promise externref)
    (local $sum i32)
    (local.set $promise (call $fetch (local.get $url)))
    (switch $toArena (i32.const 0) (local.get $promise) (local.get $arena))
    (local.set $arena)
    (local.set $sum (call $value (local.get $promise)))
    (local.set $promise (call $fetch (i32.add (local.get $sum) (i32.const 1))))
    (switch $toArena (i32.const 0) (local.get $promise) (local.get $arena))
    (local.set $arena)
    (switch_retire $toArena
      (i32.add (local.get $sum) (call $value (local.get $promise)))
      (ref.null extern)
      (local.get $arena)))

  ;; An arena: runs two clients until both have finished; gives the sum of their results.
  (func $arena (param $left (ref null $toClient)) (param $right (ref null $toClient))
      (param $arena (ref $toArena))
    (local $left_for externref)
    (local $right_for externref)
    (local $both externref)
    (local $sum i32)
    (switch $toClient (local.get $left))
    (local.set $left)
    (local.set $left_for)
    (local.set $sum)
    (switch $toClient (local.get $right))
    (local.set $right)
    (local.set $right_for)
    (local.set $sum (i32.add (local.get $sum)))
    (loop $next
      (local.set $both
        (call $compose
          (local.get $left)
          (local.get $left_for)
          (local.get $right)
          (local.get $right_for)))
      (if (ref.is_null (local.get $both))
        (then
          (switch_retire $toArena
            (local.get $sum)
            (ref.null extern)
            (local.get $arena))))
      (switch $toArena (i32.const 0) (local.get $both) (local.get $arena))
      (local.set $arena)
      (if (result i32) (call $is_left (local.get $left) (local.get $right) (local.get $both))
        (then
          (switch $toClient (local.get $left))
          (local.set $left)
          (local.set $left_for))
        (else
          (switch $toClient (local.get $right))
          (local.set $right)
          (local.set $right_for)))
      (local.set $sum (i32.add (local.get $sum)))
      (br $next)))

  ;; What an arena waits for: the composite of both, or the one of the client that is left; null if
  ;; none is.
  (func $compose (param $left (ref null $toClient)) (param $left_for externref)
      (param $right (ref null $toClient)) (param $right_for externref) (result externref)
    (if (ref.is_null (local.get $left))
      (then (return (local.get $right_for))))
    (if (ref.is_null (local.get $right))
      (then (return (local.get $left_for))))
    (call $race_index (local.get $left_for) (local.get $right_for)))

  ;; Whether the left client is to go on: the composite says so, if both are there.
  (func $is_left (param $left (ref null $toClient)) (param $right (ref null $toClient))
      (param $both externref) (result i32)
    (if (ref.is_null (local.get $left))
      (then (return (i32.const 0))))
    (if (ref.is_null (local.get $right))
      (then (return (i32.const 1))))
    (i32.eqz (call $value (local.get $both))))

  (type $unboundTask (stack (param $url i32) (ref $toArena)))
  (type $unboundArena (stack (param $left (ref null $toClient)) (param $right (ref null $toClient))
    (ref $toArena)))

  (func $new_task (param $url i32) (result (ref $toClient))
    (stack.bind $unboundTask $toClient (local.get $url) (stack.new $unboundTask $task)))

  (func $new_arena (param $left (ref null $toClient)) (param $right (ref null $toClient))
      (result (ref $toClient))
    (stack.bind $unboundArena $toClient
      (local.get $left)
      (local.get $right)
      (stack.new $unboundArena $arena)))

  ;; Switches to the root of the tree, and waits for what it waits for, until it has finished.
  (func (export "main") (result i32)
    (local $root (ref null $toClient))
    (local $for externref)
    (local $result i32)
    (local.set $root
      (call $new_arena
        (call $new_task (i32.const 20))
        (call $new_arena (call $new_task (i32.const 3)) (call $new_task (i32.const 7)))))
    (loop $next
      (switch $toClient (local.get $root))
      (local.set $root)
      (local.set $for)
      (local.set $result)
      (if (ref.is_null (local.get $root))
        (then (return (local.get $result))))
      (call $await (local.get $for))
      (br $next))
    (unreachable)))
