;; A call-back that suspends an ancestor: a program walks a list with a library that uses a fiber of
;; its own to do so. The call-back suspends the program's fiber, which is the resume parent of the
;; library's: both stop together, and the library does not notice.
(module $callback
  (@stack-switching "fibers-handle")
  (type $visitor (func (param i32)))
  (elem declare func $show)

  ;; ---- the library: knows nothing of the program ----

  (type $walker (fiber))
  ;; Starts the walk.
  (tag $walk)
  ;; From the walk, now and then: how far it is.
  (tag $progress (param i32))
  (global $last_progress (mut i32) (i32.const 0))

  (func $walk (param $me (ref $walker)) (param $n i32) (param $visit (ref $visitor))
    (local $i i32)
    (event $walk
      (loop $again
        (if (i32.lt_u (local.get $i) (local.get $n))
          (then
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (call_ref $visitor (i32.mul (local.get $i) (local.get $i)) (local.get $visit))
            (handle
              (fiber.suspend (local.get $me) $progress (local.get $i))
              (event $walk (br $again))))))))

  ;; Visits the squares of 1 … $n; returns how far it came.
  (func $for_each (param $n i32) (param $visit (ref $visitor)) (result i32)
    (local $walker (ref $walker))
    (local.set $walker (fiber.new $walk (local.get $n) (local.get $visit)))
    (loop $next
      (handle
        (fiber.resume (local.get $walker) $walk)
        (event $progress
          (global.set $last_progress)
          (br $next))))
    (global.get $last_progress))

  ;; ---- the program ----

  (type $program (fiber (result i32)))
  ;; To the program's fiber, and from it: a value.
  (tag $next)
  (tag $value (param i32))
  (global $program (mut (ref null $program)) (ref.null $program))

  ;; The call-back: runs on the library's fiber, and suspends the program's.
  (func $show (type $visitor) (param $v i32)
    (handle
      (fiber.suspend (global.get $program) $value (local.get $v))
      (event $next)))

  (func $program (param $me (ref $program)) (param $n i32) (result i32)
    (unreachable)
    (event $next (call $for_each (local.get $n) (ref.func $show))))

  (func (export "start") (param $n i32)
    (global.set $program (fiber.new $program (local.get $n))))

  ;; The next value; -1 when there are no more.
  (func $get (export "get") (result i32)
    (handle (result i32)
      (drop (fiber.resume (global.get $program) $next))
      (i32.const -1)
      (event $value)))

  (func (export "main") (result i32)
    (global.set $program (fiber.new $program (i32.const 3)))
    (i32.add (i32.add (call $get) (call $get)) (call $get))))
