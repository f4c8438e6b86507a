;; A call-back that suspends an ancestor: a program walks a list with a library that uses a task of
;; its own to do so. The call-back suspends the program's task, which is the parent of the
;; library's: both stop together, and the library does not notice.
(module $callback
  (@stack-switching "tasks")
  (type $visitor (func (param i32)))
  (elem declare func $show)

  ;; ---- the library: knows nothing of the program ----

  ;; Starts the walk, and from it: it is complete.
  (tag $walk)
  (tag $walked)
  ;; From the walk, now and then: how far it is.
  (tag $progress (param i32))
  (global $last_progress (mut i32) (i32.const 0))

  (func $walk (param $me taskref) (param $n i32) (param $visit (ref $visitor))
    (local $i i32)
    (block $on_start
      (event.switch ($walk $on_start)))
    (loop $on_walk
      (if (i32.lt_u (local.get $i) (local.get $n))
        (then
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (call_ref $visitor (i32.mul (local.get $i) (local.get $i)) (local.get $visit))
          (task.suspend (local.get $me) ($progress (local.get $i)))
          (event.switch ($walk $on_walk)))))
    (task.retire (local.get $me) ($walked)))

  ;; Visits the squares of 1 … $n; returns how far it came.
  (func $for_each (param $n i32) (param $visit (ref $visitor)) (result i32)
    (local $walker taskref)
    (local.set $walker (task.new $walk (local.get $n) (local.get $visit)))
    (block $on_walked
      (loop $next
        (block $on_progress (result i32)
          (task.resume (local.get $walker) ($walk))
          (event.switch ($progress $on_progress) ($walked $on_walked)))
        (global.set $last_progress)
        (br $next)))
    (global.get $last_progress))

  ;; ---- the program ----

  ;; To the program's task, and from it: a value; how many there were.
  (tag $next)
  (tag $value (param i32))
  (tag $count (param i32))
  (global $program (mut taskref) (ref.null task))

  ;; The call-back: runs on the library's task, and suspends the program's.
  (func $show (type $visitor) (param $v i32)
    (block $on_next
      (task.suspend (global.get $program) ($value (local.get $v)))
      (event.switch ($next $on_next))))

  (func $program (param $me taskref) (param $n i32)
    (block $on_start
      (event.switch ($next $on_start)))
    (task.retire (local.get $me) ($count (call $for_each (local.get $n) (ref.func $show)))))

  (func (export "start") (param $n i32)
    (global.set $program (task.new $program (local.get $n))))

  ;; The next value; -1 when there are no more.
  (func $get (export "get") (result i32)
    (block $on_count (result i32)
      (block $on_value (result i32)
        (task.resume (global.get $program) ($next))
        (event.switch ($value $on_value) ($count $on_count)))
      (return))
    (drop)
    (i32.const -1))

  (func (export "main") (result i32)
    (global.set $program (task.new $program (i32.const 3)))
    (i32.add (i32.add (call $get) (call $get)) (call $get))))
