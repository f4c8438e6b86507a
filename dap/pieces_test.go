package dap_test

import "testing"

// TestPieces has a program that writes a character in two pieces, and ends within another.
func TestPieces(t *testing.T) {
	p := wat(t, `(module
  (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 100) "caf\c3") (data (i32.const 110) "\a9!") (data (i32.const 120) "\e2\82")
  (func $p (param $at i32) (param $n i32)
    (i32.store (i32.const 0) (local.get $at)) (i32.store (i32.const 4) (local.get $n))
    (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func (export "_start")
    (call $p (i32.const 100) (i32.const 4)) (call $p (i32.const 110) (i32.const 2)) (call $p (i32.const 120) (i32.const 2))))
`)
	c := real(t)
	if got := c.start(map[string]any{"program": p}); got != "terminated" {
		t.Fatal(got)
	}
	if got := c.output("stdout"); got != "café!"+"\\ufffd\\ufffd" && got != "café!\ufffd\ufffd" {
		t.Errorf("%q", got)
	}
}
