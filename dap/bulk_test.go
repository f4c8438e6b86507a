package dap_test

import (
	"strings"
	"testing"

	"stackscope/dap"
	"stackscope/internal/launch"
)

// TestBulkLoop pauses and ends a program that does nothing but fill 64 MiB of memory over and over.
func TestBulkLoop(t *testing.T) {
	p := wat(t, `(module
  (memory 1024)
  (func (export "main")
    (loop $l
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x4000000))
      (br $l))))
`)
	c := connect(t, dap.Config{Load: launch.Load})
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.must("configurationDone", nil, nil)
	c.must("pause", map[string]any{"threadId": 1}, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "pause #1 prog.wat") {
		t.Fatal(got)
	}
	c.must("continue", map[string]any{"threadId": 1}, nil)
	c.must("terminate", nil, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}
