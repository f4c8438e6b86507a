;; A barrier keeps a program's stack together while it calls code that it does not know: a plug-in
;; can suspend to handlers of its own, return and throw, but cannot capture the frames of whoever
;; called it.
(module $barrier
  (type $plugin (func (param i32) (result i32)))
  (type $ft (func (result i32)))
  (type $ct (cont $ft))
  (type $wake (func (param i32) (result i32)))
  (type $sleeping (cont $wake))

  ;; What a plug-in suspends with; the result is what it gets.
  (tag $ask (param i32) (result i32))
  ;; What a plug-in throws.
  (tag $failure (param i32))

  (table $plugins funcref (elem $twice $coroutine $throws $captures))

  (elem declare func $asks)

  ;; ---- plug-ins ----

  (func $twice (type $plugin) (param $v i32) (result i32)
    (i32.mul (local.get $v) (i32.const 2)))

  ;; Suspends to a handler of its own: the barrier is outside of both.
  (func $coroutine (type $plugin) (param $v i32) (result i32)
    (block $on_ask (result i32 (ref $sleeping))
      (return
        (resume $ct (on $ask $on_ask) (cont.new $ct (ref.func $asks)))))
    (call $answer (local.get $v)))

  (func $asks (result i32)
    (suspend $ask (i32.const 1000)))

  ;; Answers a question with the sum of both values.
  (func $answer (param $question i32) (param $k (ref $sleeping)) (param $v i32) (result i32)
    (resume $sleeping
      (i32.add (local.get $question) (local.get $v))
      (local.get $k)))

  (func $throws (type $plugin) (param $v i32) (result i32)
    (throw $failure (local.get $v)))

  ;; Suspends to whoever handles it, with all that is in between.
  (func $captures (type $plugin) (param $v i32) (result i32)
    (suspend $ask (local.get $v)))

  ;; ---- the program ----

  (func $guarded (param $plugin i32) (param $v i32) (result i32)
    (block $on_failure (result i32)
      (try_table (result i32) (catch $failure $on_failure)
        (barrier (result i32)
          (call_indirect $plugins (type $plugin) (local.get $v) (local.get $plugin)))))
    (i32.add (i32.const 1)))

  (func $unguarded (param $plugin i32) (param $v i32) (result i32)
    (call_indirect $plugins (type $plugin) (local.get $v) (local.get $plugin))
    (i32.add (i32.const 1)))

  (type $caller (func (param i32 i32) (result i32)))
  (type $unbound (cont $caller))
  (elem declare func $guarded $unguarded)

  ;; Runs a function with a handler for $ask, which answers with the question plus 5.
  (func $serve (param $f (ref $caller)) (param $plugin i32) (param $v i32) (result i32)
    (block $on_ask (result i32 (ref $sleeping))
      (return
        (resume $ct (on $ask $on_ask)
          (cont.bind $unbound $ct
            (local.get $plugin)
            (local.get $v)
            (cont.new $unbound (local.get $f))))))
    (call $answer (i32.const 5)))

  (func $with (export "guarded") (param $plugin i32) (param $v i32) (result i32)
    (call $serve (ref.func $guarded) (local.get $plugin) (local.get $v)))

  (func (export "unguarded") (param $plugin i32) (param $v i32) (result i32)
    (call $serve (ref.func $unguarded) (local.get $plugin) (local.get $v)))

  (func (export "main") (result i32)
    (call $with (i32.const 1) (i32.const 41))))
