;; Computations that mostly do not suspend: `fiber.mount_new` and `fiber.switch_new` create a fiber
;; and enter it at once. If it returns without a switch, they read like a call; if it does leave,
;; each label also gets the new fiber.
(module $mount-new
  (@stack-switching "fibers-mount")
  ;; Sent by a fiber that returns, with its result.
  (tag $result (param i32))
  ;; From a look-up that has to wait, with its key; to it: the value.
  (tag $missing (param i32))
  (tag $found (param i32))

  ;; The values that are known, by key; 0: not known yet.
  (memory 1)
  ;; A look-up that waits, and the key.
  (global $waiting (mut fiberref) (ref.null fiber))
  (global $key (mut i32) (i32.const 0))

  ;; Looks a key up; dismounts if the value is not known.
  (func $look_up (param $key i32) (param $me (ref fiber)) (result i32)
    (local $v i32)
    (local.set $v (i32.load8_u (local.get $key)))
    (if (i32.eqz (local.get $v))
      (then
        (block $on_found (result i32)
          (fiber.dismount $missing ($found $on_found) (local.get $key) (local.get $me))
          (unreachable))
        (local.set $v)
        (i32.store8 (local.get $key) (local.get $v))))
    (local.get $v))

  ;; The value of a key, or -1 if it has to be supplied first.
  (func $get (export "get") (param $key i32) (result i32)
    (local $v i32)
    (block $on_missing (result (ref fiber) i32)
      (fiber.mount_new $result $look_up ($missing $on_missing) (local.get $key))
      ;; it has returned: the fiber, which is of no use any more, and the value
      (local.set $v)
      (drop)
      (return (local.get $v)))
    (global.set $key)
    (global.set $waiting)
    (i32.const -1))

  ;; Supplies the value that the last look-up waits for; gives what it returns.
  (func $supply (export "supply") (param $v i32) (result i32)
    (block $on_result (result i32)
      (fiber.mount $found ($result $on_result) (local.get $v) (global.get $waiting))
      (unreachable)))

  ;; ---- switch_new: hands the control parent to a new fiber, and takes it back ----

  ;; To a helper that waits: go on.
  (tag $again (param i32))

  ;; A helper: answers the fiber that created it, and is over (`fiber.switch_release`), or stays for
  ;; another question (`fiber.switch`).
  (func $square (param $v i32) (param $client (ref fiber)) (param $stay i32) (param $me (ref fiber))
      (result i32)
    (loop $next
      (local.set $v (i32.mul (local.get $v) (local.get $v)))
      (if (local.get $stay)
        (then
          (block $on_again (result i32)
            (fiber.switch $result ($again $on_again)
              (local.get $v)
              (local.get $me)
              (local.get $client))
            (unreachable))
          (local.set $v)
          (br $next))))
    (fiber.switch_release $result (local.get $v) (local.get $me) (local.get $client))
    (unreachable))

  ;; Adds the squares of 3 and 4 by a helper that stays, and of 5 by one that does not. The answer
  ;; $result makes a `fiber.switch_new` fall through with the helper and the value.
  (func $client (param $me (ref fiber)) (result i32)
    (local $helper fiberref)
    (local $sum i32)
    (local $v i32)
    (fiber.switch_new $result $square
      (i32.const 3)
      (local.get $me)
      (i32.const 1)
      (local.get $me))
    (local.set $sum)
    (local.set $helper)
    (block $on_result (result i32)
      (fiber.switch $again ($result $on_result)
        (i32.const 4)
        (local.get $me)
        (local.get $helper))
      (unreachable))
    (local.set $sum (i32.add (local.get $sum)))
    (fiber.release (local.get $helper))
    (fiber.switch_new $result $square
      (i32.const 5)
      (local.get $me)
      (i32.const 0)
      (local.get $me))
    (local.set $v)
    (drop)
    ;; leaves without returning: nothing below is of interest
    (fiber.dismount_release $result
      (i32.add (local.get $sum) (local.get $v))
      (local.get $me))
    (unreachable))

  (func (export "squares") (result i32)
    (fiber.mount_new $result $client)
    (return))

  (func (export "main") (result i32)
    (drop (call $get (i32.const 7)))
    (drop (call $supply (i32.const 70)))
    (call $get (i32.const 7))))
