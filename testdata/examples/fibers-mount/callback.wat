;; A call-back that suspends an ancestor: a program walks a list with a library that uses a fiber of
;; its own to do so. The call-back dismounts the program's fiber, which is the control parent of the
;; library's: both leave together, and the library does not notice.
(module $callback
  (@stack-switching "fibers-mount")
  (type $visitor (func (param i32)))
  (elem declare func $show)

  ;; ---- the library: knows nothing of the program ----

  ;; Starts the walk; sent when it returns.
  (tag $walk)
  (tag $walked)
  ;; From the walk, now and then: how far it is.
  (tag $progress (param i32))
  (global $last_progress (mut i32) (i32.const 0))

  (func $walk (param $n i32) (param $visit (ref $visitor)) (param $me (ref fiber))
    (local $i i32)
    (loop $again
      (if (i32.lt_u (local.get $i) (local.get $n))
        (then
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (call_ref $visitor
            (i32.mul (local.get $i) (local.get $i))
            (local.get $visit))
          (block $on_walk
            (fiber.dismount $progress ($walk $on_walk) (local.get $i) (local.get $me))
            (unreachable))
          (br $again)))))

  ;; Visits the squares of 1 … $n; returns how far it came.
  (func $for_each (param $n i32) (param $visit (ref $visitor)) (result i32)
    (local $walker (ref fiber))
    (local.set $walker (fiber.new $walked ($walk $walk) (local.get $n) (local.get $visit)))
    (block $on_walked
      (loop $next
        (block $on_progress (result i32)
          (fiber.mount $walk ($progress $on_progress) ($walked $on_walked) (local.get $walker))
          (unreachable))
        (global.set $last_progress)
        (br $next)))
    (global.get $last_progress))

  ;; ---- the program ----

  ;; To the program's fiber, and from it: a value; how many there were, when it returns.
  (tag $next)
  (tag $value (param i32))
  (tag $count (param i32))
  (global $program (mut fiberref) (ref.null fiber))

  ;; The call-back: runs on the library's fiber, and dismounts the program's.
  (func $show (type $visitor) (param $v i32)
    (block $on_next
      (fiber.dismount $value ($next $on_next) (local.get $v) (global.get $program))
      (unreachable)))

  (func $program (param $n i32) (param $me (ref fiber)) (result i32)
    (call $for_each (local.get $n) (ref.func $show)))

  (func (export "start") (param $n i32)
    (global.set $program (fiber.new $count ($next $program) (local.get $n))))

  ;; The next value; -1 when there are no more.
  (func $get (export "get") (result i32)
    (block $on_count (result i32)
      (block $on_value (result i32)
        (fiber.mount $next ($value $on_value) ($count $on_count) (global.get $program))
        (unreachable))
      (return))
    (drop)
    (i32.const -1))

  (func (export "main") (result i32)
    (global.set $program (fiber.new $count ($next $program) (i32.const 3)))
    (i32.add (i32.add (call $get) (call $get)) (call $get))))
