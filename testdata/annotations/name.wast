;; (@name "…"): on whatever may have an identifier, behind the keyword or the identifier.

(module (@name "Ein Modul mit Wörtern"))
(module $short (@name "a longer name for it"))
(module (@other 1 2) (@name "") (func))

(module
  (type $t (@name "type") (func (param (@name "of a type") i32)))
  (rec
    (type (@name "a") (struct
      (field (@name "left") i32)
      (field $r (@name "right") (mut i64))
      (field i32 i32)))
    (type $b (sub (struct (field (@name "only") i32)))))
  (import "spectest" "print_i32" (func $print (@name "print it") (param $n (@name "number") i32)))
  (import "spectest" "global_i32" (global (@name "imported") i32))
  (func (@name "λ") (param (@name "x") i32) (param $y (@name "why?") i32) (param i32) (result i32)
    (local (@name "tmp") i32) (local i32 i64) (local $z (@name "tmp") i32)
    (block $out (@name "out of here") (br $out))
    (loop (@name "again") (br_if 0 (i32.const 0)))
    (if (@name "") (local.get 1) (then (br 0)))
    block
      (@name "flat")
      (result i32)
      local.get $y
    end)
  (func $lambda (@name "λ"))
  (func (@name "λ") (type $t))
  (table $tab (@name "tab le") 1 funcref)
  (memory (@name "mem") 1)
  (global $g (@name "gl") i32 (i32.const 0))
  (tag $e (@name "θ") (param i32))
  (elem (@name "el") func $lambda)
  (data $d (@name "da") "x")
  (func (export "f") (result i32) (global.get $g)))
(assert_return (invoke "f") (i32.const 0))

;; the same identifier as a quoted one, and one of an annotation
(module (func $"a b" (@"name" "a b")) (func (call $"a b")))

(assert_malformed_custom (module quote "(module (@name \"M1\") (@name \"M2\"))") "@name annotation: multiple module names")
(assert_malformed_custom (module quote "(func $f (@name \"a\") (@name \"b\"))") "@name annotation: multiple function names")
(assert_malformed_custom (module quote "(func (local (@name \"a\") (@name \"b\") i32))") "@name annotation: multiple local names")
(assert_malformed_custom (module quote "(type (struct (field (@name \"a\") (@name \"a\") i32)))") "@name annotation: multiple field names")
(assert_malformed_custom (module quote "(module (func) (@name \"M\"))") "misplaced @name annotation")
(assert_malformed_custom (module quote "(module (start $f (@name \"M\")) (func $f))") "misplaced @name annotation")
(assert_malformed_custom (module quote "(func (nop (@name \"x\")))") "misplaced @name annotation")
(assert_malformed_custom (module quote "(func (export \"e\") (@name \"x\"))") "misplaced @name annotation")
(assert_malformed_custom (module quote "((@name \"x\") func)") "misplaced @name annotation")
(assert_malformed_custom (module quote "(type $t (func)) (func (type (@name \"x\") $t))") "misplaced @name annotation")
(assert_malformed_custom (module quote "(func (local (@name \"x\") i32 i32))") "misplaced @name annotation")
(assert_malformed_custom (module quote "(func (result (@name \"x\") i32) (i32.const 1))") "misplaced @name annotation")
(assert_malformed_custom (module quote "(@name \"x\") (func)") "misplaced @name annotation")
(assert_malformed_custom (module quote "(module (@name))") "@name annotation: string expected")
(assert_malformed_custom (module quote "(func (@name x))") "@name annotation: string expected")
(assert_malformed_custom (module quote "(func (@name \"x\" \"y\"))") "@name annotation: unexpected token")
(assert_malformed_custom (module quote "(func (@name \"x\" (y)))") "@name annotation: unexpected token")
(assert_malformed_custom (module quote "(func (@name \"\\ff\"))") "@name annotation: malformed UTF-8 encoding")
