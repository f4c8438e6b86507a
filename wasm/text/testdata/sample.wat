(module $m
  (@custom "meta" (after code) "\01\02")
  (type $ft (func (param i32 i32) (result i64)))
  (type (;1;) (cont $ft))
  (rec
    (type $"a b" (sub (struct (field $byte (mut i8)) (field (ref null 3)))))
    (type (;3;) (sub final 3 (array f64))))
  (type (;4;) (func (param i32)))
  (import "spec\"test" "π\n" (func $dup (type 4) (param i32)))
  (table (;0;) 1 2 funcref)
  (memory (;0;) i64 1)
  (memory (;1;) 0)
  (tag (;0;) (type 4) (param i32))
  (global (;0;) (mut f32) (f32.const nan:0x200000))
  (export "run" (func $dup_1))
  (elem (;0;) (i32.const 0) func $dup_1)
  (elem (;1;) i31ref (item i32.const 1 ref.i31))
  (func $dup_1 (@name "dup") (type $ft) (param $x i32) (param i32) (result i64)
    (local $x_1 (@name "x") i32) (local $k (ref null 1)) (local f32)
    block $l (type 4) (param i32)
      loop $l (result i32)
        local.get $x
        br_table $l 1 2
      end
    end
    if (;@2;)
      i64.load 1 offset=16 align=1
    else
      resume 1 (on 0 0 (;@2;)) (on 0 switch)
    end
    try_table (;@3;) (catch 0 0) (catch_all_ref 0)
      f64.const -inf
      call_indirect (type 4) (param i32)
      struct.get_s $"a b" $byte
      memory.copy 1 0
      v128.const i32x4 0x00000000 0x00000001 0x00000002 0x00000000
      br_on_cast 1 anyref (ref $"a b")
    end)
  (data (;0;) (memory 1) (i32.const 8) "a\"\\\00"))
