package dap_test

import (
	"encoding/base64"
	"testing"

	godap "github.com/google/go-dap"
)

// TestMemoryEventsOfOpenReferences reports of what is changed in a memory in the terms of what the
// client has read.
func TestMemoryEventsOfOpenReferences(t *testing.T) {
	c, f := kindsSession(t)
	refs := map[string]string{}
	for _, x := range []string{"u8[16]", "u8[20]"} {
		var b godap.EvaluateResponseBody
		c.must("evaluate", godap.EvaluateArguments{Expression: x, FrameId: f, Context: "watch"}, &b)
		refs[x] = b.MemoryReference
	}
	set := func() {
		c.must("setExpression", godap.SetExpressionArguments{FrameId: f, Expression: "u16[18]", Value: "7"}, nil)
	}
	set() // nobody looks at it
	c.must("readMemory", godap.ReadMemoryArguments{MemoryReference: refs["u8[16]"], Count: 8}, nil)
	c.must("readMemory", godap.ReadMemoryArguments{MemoryReference: refs["u8[20]"], Count: 8}, nil)
	want := func(bodies ...godap.MemoryEventBody) {
		t.Helper()
		for _, w := range bodies {
			var b godap.MemoryEventBody
			if c.await("memory", &b); b != w {
				t.Errorf("%+v, want %+v", b, w)
			}
		}
	}
	set()
	want(
		godap.MemoryEventBody{MemoryReference: refs["u8[16]"], Offset: 2, Count: 2},
		godap.MemoryEventBody{MemoryReference: refs["u8[20]"], Offset: -2, Count: 2},
	)
	c.must("writeMemory", godap.WriteMemoryArguments{MemoryReference: refs["u8[16]"], Offset: 1, Data: "AAAA"}, nil)
	want(
		godap.MemoryEventBody{MemoryReference: refs["u8[20]"], Offset: -3, Count: 3},
		godap.MemoryEventBody{MemoryReference: refs["u8[16]"], Offset: 1, Count: 3},
	)
	c.must(
		"evaluate",
		godap.EvaluateArguments{Expression: "(i32.store8 (i32.const 99) (i32.const 1))", FrameId: f, Context: "repl"},
		nil,
	)
	want(
		godap.MemoryEventBody{MemoryReference: refs["u8[20]"], Offset: -20, Count: 65536},
		godap.MemoryEventBody{MemoryReference: refs["u8[16]"], Offset: -16, Count: 65536},
	)
	if got := c.eval(f, "watch", "u8[99]"); got != "1" {
		t.Error(got)
	}
}

// TestReadMemoryBeyondLimit reads more of a memory than is given at once: what is left out is not
// said to be unreadable.
func TestReadMemoryBeyondLimit(t *testing.T) {
	p := wat(t, `(module (memory 400) (func (export "main") (nop)))`)
	c := real(t)
	c.start(map[string]any{"program": p, "stopOnEntry": true})
	var ref string
	for _, v := range c.scope(c.frames(c.last.ThreadId)[0].Id, "Memory") {
		ref = v.MemoryReference
	}
	const all = 400 << 16
	for _, x := range [][4]int{
		{0, all, 16 << 20, 0}, {16 << 20, all, all - 16<<20, 16 << 20}, {all, 10, 0, 10}, {-1, 10, 0, 10},
	} {
		var b godap.ReadMemoryResponseBody
		c.must("readMemory", godap.ReadMemoryArguments{MemoryReference: ref, Offset: x[0], Count: x[1]}, &b)
		data, _ := base64.StdEncoding.DecodeString(b.Data)
		if len(data) != x[2] || b.UnreadableBytes != x[3] {
			t.Errorf("%v: %d bytes, %d unreadable", x, len(data), b.UnreadableBytes)
		}
	}
}
