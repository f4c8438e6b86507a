;; (@metadata.code.branch_hint "\00"|"\01"): in front of an if or br_if.

(module
  (func $sink (import "spectest" "print_i32") (param i32))
  (func (export "flat") (param i32) (result i32)
    (local i32 i64 i64)
    local.get 0
    i32.eqz
    (@metadata.code.branch_hint "\00")
    if
      i32.const 7
      return
    else
      (@metadata.code.branch_hint "\01")
      (br_if 0 (local.get 0))
    end
    block
      local.get 0
      (@other)
      (@metadata.code.branch_hint "\01")
      (@other)
      br_if 0
    end
    i32.const 9)
  (func (export "folded") (param i32 i32) (result i32)
    (@metadata.code.branch_hint "\00")
    (if (result i32) (local.get 0)
      (then
        (if (local.get 1) (then (call $sink (i32.const 1)) (nop)))
        (@metadata.code.branch_hint "\01")
        (if (result i32)
          (@metadata.code.branch_hint "\01")
          (if (result i32) (local.get 1) (then (i32.const 1)) (else (i32.const 0)))
          (then (i32.const 9))
          (else (i32.const 10))))
      (else
        (block (br_if 0 (local.get 1)))
        (block (@metadata.code.branch_hint "\00" "") (br_if 0 (local.get 1)))
        (i32.const 11))))
  (func (export "legacy")
    (try
      (do (@metadata.code.branch_hint "\01") (if (i32.const 0) (then)))
      (catch_all (@metadata.code.branch_hint "\01") (if (i32.const 0) (then))))))
(assert_return (invoke "flat" (i32.const 0)) (i32.const 7))
(assert_return (invoke "folded" (i32.const 1) (i32.const 1)) (i32.const 9))

(assert_malformed_custom (module quote "(func (@metadata.code.branch_hint \"\\01\") (@metadata.code.branch_hint \"\\01\") (if (i32.const 1) (then)))")
  "@metadata.code.branch_hint annotation: duplicate annotation")
(assert_malformed_custom (module quote "(module (@metadata.code.branch_hint \"\\01\") (func))")
  "@metadata.code.branch_hint annotation: not in a function")
(assert_malformed_custom (module quote "(global i32 (@metadata.code.branch_hint \"\\01\") (i32.const 1))")
  "@metadata.code.branch_hint annotation: not in a function")
(assert_malformed_custom (module quote "(func (@metadata.code.branch_hint \"\\02\") (if (i32.const 1) (then)))")
  "@metadata.code.branch_hint annotation: invalid value")
(assert_malformed_custom (module quote "(func (@metadata.code.branch_hint) (if (i32.const 1) (then)))")
  "@metadata.code.branch_hint annotation: invalid value")
(assert_malformed_custom (module quote "(func (@metadata.code.branch_hint 1) (if (i32.const 1) (then)))")
  "@metadata.code.branch_hint annotation: unexpected token")
(assert_invalid_custom
  (module
    (func (param i32) local.get 0 (@metadata.code.branch_hint "\01") i32.eqz drop))
  "@metadata.code.branch_hint annotation: invalid target")
(assert_invalid_custom
  (module
    (func (@metadata.code.branch_hint "\01")))
  "@metadata.code.branch_hint annotation: invalid target")
(assert_invalid_custom
  (module
    (func (block (i32.const 1) (br_if (@metadata.code.branch_hint "\01") 0))))
  "@metadata.code.branch_hint annotation: invalid target")
(assert_invalid_custom
  (module
    (func (param i32) (if (local.get 0) (@metadata.code.branch_hint "\01") (then))))
  "@metadata.code.branch_hint annotation: invalid target")
