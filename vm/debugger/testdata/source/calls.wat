(module
  (type $cb (func (param i32) (result i32)))
  (table funcref (elem $callback))
  (func $twice (param $x i32) (result i32) ;;! fn twice 4
    (local $tmp i32)
    local.get $x              ;;! 4
    local.set $tmp
    local.get $tmp            ;;! 5 body
    i32.const 2
    i32.mul
    local.set $tmp
    local.get $tmp            ;;! 6
  )
  (func $callback (param $x i32) (result i32) ;;! fn callback 8
    local.get $x              ;;! 9
    i32.const 1
    i32.add
  )
  (func $main (export "main") (result i32) ;;! fn main 11
    (local $sum i32)
    i32.const 20              ;;! 12
    call $twice
    local.set $sum
    local.get $sum            ;;! 13
    call $apply
    local.set $sum
    local.get $sum            ;;! lib.h:2 < sq 14
    drop
    local.get $sum            ;;! lib.h:3 < sq 14
    local.get $sum
    i32.mul
    local.set $sum            ;;! 14
    local.get $sum            ;;! 15
  )
  ;; a function without lines, such as one of a library
  (func $apply (param $x i32) (result i32)
    local.get $x
    i32.const 0
    call_indirect (type $cb)
  )
)
