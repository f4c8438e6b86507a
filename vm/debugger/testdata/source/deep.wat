(module
  (func $down (param $n i32) (result i32) ;;! fn down 1
    local.get $n              ;;! 2
    i32.eqz
    if
      i32.const 0             ;;! 3
      return
    end
    local.get $n              ;;! lib.h:1 < dec 4
    i32.const 1
    i32.sub
    call $down                ;;! lib.h:2 < again 4
  )
  (func $main (export "main") (result i32) ;;! fn main 6
    i32.const 5000            ;;! 7
    call $down
  )
)
