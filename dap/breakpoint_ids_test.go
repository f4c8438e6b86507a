package dap_test

import (
	"testing"

	godap "github.com/google/go-dap"
)

// TestEqualBreakpointsHaveOwnIDs sets two breakpoints of a kind at the same place: each has an id
// of its own, and keeps it.
func TestEqualBreakpointsHaveOwnIDs(t *testing.T) {
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
