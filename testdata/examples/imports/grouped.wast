;; Groups of imports from one module (proposal compact-import-section), as text and as binary.

(module
  (func (export "three") (result i32) (i32.const 3))
  (func (export "four") (result i32) (i32.const 4))
  (func (export "twice") (param i32) (result i32)
    (i32.mul (local.get 0) (i32.const 2)))
  (global (export "ten") i32 (i32.const 10))
  (memory (export "mem") 1)
)
(register "lib")

(module
  (type $get (func (result i32)))
  (import "lib"
    (item "twice" (func $twice (param $x i32) (result i32)))
    (item "ten" (global $ten i32))
    (item "mem" (memory 1)))
  (import "lib" (item "three") (item "four") (func (type $get)))
  (import "lib" "three" (func $again (result i32)))
  (func (export "sum") (result i32)
    (i32.add
      (i32.add (call $twice (global.get $ten)) (call 1))
      (i32.add (call 2) (call $again))))
)
(assert_return (invoke "sum") (i32.const 30))

;; A type for each: "ten" is a global i32, "four" a function.
(module binary
  "\00asm" "\01\00\00\00"
  "\01\05\01\60\00\01\7f"
  "\02\16\01\03lib\00\7f\02" "\03ten\03\7f\00" "\04four\00\00"
  "\03\02\01\00"
  "\07\07\01\03add\00\01"
  "\0a\09\01\07\00\23\00\10\00\6a\0b"
)
(assert_return (invoke "add") (i32.const 14))

;; One type for all.
(module binary
  "\00asm" "\01\00\00\00"
  "\01\05\01\60\00\01\7f"
  "\02\15\01\03lib\00\7e\00\00\02" "\05three" "\04four"
  "\03\02\01\00"
  "\07\07\01\03sub\00\02"
  "\0a\09\01\07\00\10\00\10\01\6b\0b"
)
(assert_return (invoke "sub") (i32.const -1))

;; What stands for the kind is one byte, no number of variable length.
(assert_malformed (module binary
    "\00asm" "\01\00\00\00"
    "\01\05\01\60\00\01\7f"
    "\02\10\01\03lib\00\fe\00\00\01\05three")
  "malformed import kind")

(assert_unlinkable
  (module
    (import "lib" (item "three") (item "five") (func (result i32))))
  "unknown import")
(assert_unlinkable
  (module
    (import "lib" (item "three" (func (result i32))) (item "four" (func))))
  "incompatible import type")

(assert_malformed (module quote "(import \"lib\" (item \"three\") (func $three (result i32)))")
  "identifier not allowed")
(assert_malformed (module quote "(import \"lib\" (item \"three\"))") "unexpected token")
(assert_malformed (module quote "(import \"lib\" (item \"three\") (item \"ten\" (global i32)) (func (result i32)))")
  "unexpected token")
(assert_malformed (module quote "(import \"lib\" (item \"ten\" (global i32)) (item \"three\"))")
  "unexpected token")
(assert_invalid
  (module
    (import "lib" (item "three") (item "four") (func (type 1))))
  "unknown type")
