package dap_test

import (
	"encoding/base64"
	"testing"

	godap "github.com/google/go-dap"
)

// TestSameBreakpoints sets two breakpoints of a kind at the same place: each has an id of its own,
// and keeps it.
func TestSameBreakpoints(t *testing.T) {
	c, f := kindsSession(t)
	at := c.frames(c.last.ThreadId)[0].InstructionPointerReference
	set := func(command string, args any) []int {
		t.Helper()
		var b godap.SetFunctionBreakpointsResponseBody
		c.must(command, args, &b)
		var ids []int
		for _, x := range b.Breakpoints {
			ids = append(ids, x.Id)
		}
		return ids
	}
	for command, args := range map[string][2]any{
		"setFunctionBreakpoints":    {map[string]any{"name": "$f"}, map[string]any{"name": "$f", "condition": "1 == 1"}},
		"setInstructionBreakpoints": {map[string]any{"instructionReference": at}, map[string]any{"instructionReference": at, "condition": "1 == 1"}},
	} {
		one := set(command, map[string]any{"breakpoints": args[:1]})
		two := set(command, map[string]any{"breakpoints": args[:]})
		three := set(command, map[string]any{"breakpoints": args[:]})
		if two[0] != one[0] || two[1] == two[0] || three[0] != two[0] || three[1] != two[1] {
			t.Errorf("%s: %v, then %v, then %v", command, one, two, three)
		}
	}
	var d struct{ DataID string }
	c.must("dataBreakpointInfo", map[string]any{"name": "0", "asAddress": true, "frameId": f}, &d)
	if got := c.refused("setDataBreakpoints", map[string]any{"breakpoints": []any{map[string]any{"dataId": d.DataID, "accessType": "execute"}}}); got != `there is no access type "execute": want read, write or readWrite` {
		t.Error(got)
	}
	for _, x := range []struct {
		at    string
		bytes int
		want  string
	}{{"0", 70000, "70000 bytes are too many: at most 65536 can be watched"}, {"65535", 4, "0x10002 is beyond the end of the memory: it has 0x10000 bytes"}} {
		var b struct{ Description string }
		c.must("dataBreakpointInfo", map[string]any{"name": x.at, "asAddress": true, "bytes": x.bytes, "frameId": f}, &b)
		if b.Description != x.want {
			t.Errorf("%v: %s", x, b.Description)
		}
	}
}

// TestReadMuch reads more of a memory than is given at once: what is left out is not said to be
// unreadable.
func TestReadMuch(t *testing.T) {
	p := wat(t, `(module (memory 400) (func (export "main") (nop)))`)
	c := real(t)
	c.start(map[string]any{"program": p, "stopOnEntry": true})
	var ref string
	for _, v := range c.scope(c.frames(c.last.ThreadId)[0].Id, "Memory") {
		ref = v.MemoryReference
	}
	const all = 400 << 16
	for _, x := range [][4]int{{0, all, 16 << 20, 0}, {16 << 20, all, all - 16<<20, 16 << 20}, {all, 10, 0, 10}, {-1, 10, 0, 10}} {
		var b godap.ReadMemoryResponseBody
		c.must("readMemory", godap.ReadMemoryArguments{MemoryReference: ref, Offset: x[0], Count: x[1]}, &b)
		data, _ := base64.StdEncoding.DecodeString(b.Data)
		if len(data) != x[2] || b.UnreadableBytes != x[3] {
			t.Errorf("%v: %d bytes, %d unreadable", x, len(data), b.UnreadableBytes)
		}
	}
}
