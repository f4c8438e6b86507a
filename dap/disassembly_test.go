package dap_test

import (
	"stackscope/dap"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestDisassembly reads code, sets a breakpoint in it and steps in it.
func TestDisassembly(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 8)
	f := c.frames(2)[0]
	if f.InstructionPointerReference == "" {
		t.Fatal("the frame has no instruction pointer")
	}
	var b godap.DisassembleResponseBody
	c.must(
		"disassemble",
		godap.DisassembleArguments{
			MemoryReference: f.InstructionPointerReference, InstructionOffset: -2, InstructionCount: 5,
			ResolveSymbols: true,
		},
		&b,
	)
	var got []string
	for _, x := range b.Instructions {
		got = append(got, x.InstructionBytes+"|"+strings.TrimSpace(x.Instruction))
	}
	want := "21 00|local.set $i; 20 00|local.get $i; e2 00|suspend $yield; 20 00|local.get $i; 41 03|i32.const 3"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
	if x := b.Instructions[2]; x.Address != f.InstructionPointerReference || x.Line != 8 || x.Location == nil {
		t.Errorf("%+v", x)
	}
	// Far before and after there are invalid ones, exactly as many as asked for.
	var far godap.DisassembleResponseBody
	c.must(
		"disassemble",
		godap.DisassembleArguments{
			MemoryReference: f.InstructionPointerReference, InstructionOffset: -200, InstructionCount: 400,
		},
		&far,
	)
	seen := map[string]bool{}
	n := 0
	for _, x := range far.Instructions {
		if x.Location != nil {
			if n++; seen[x.Address] {
				t.Errorf("two instructions at %s", x.Address)
			}
			seen[x.Address] = true
		}
	}
	if len(far.Instructions) != 400 || n < 30 {
		t.Errorf("%d instructions, %d valid", len(far.Instructions), n)
	}
	c.breakpoints("test.wat")
	var bp godap.SetInstructionBreakpointsResponseBody
	c.must(
		"setInstructionBreakpoints",
		godap.SetInstructionBreakpointsArguments{Breakpoints: []godap.InstructionBreakpoint{
			{
				InstructionReference: b.Instructions[4].Address,
			}, {InstructionReference: b.Instructions[2].Address, Offset: 1}, {InstructionReference: "here"}}},
		&bp,
	)
	if !bp.Breakpoints[0].Verified || bp.Breakpoints[0].Line != 10 || bp.Breakpoints[1].Verified ||
		bp.Breakpoints[2].Verified {
		t.Errorf("%+v", bp.Breakpoints)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
	if got := c.stopped(); got != "instruction breakpoint #2 test.wat:10" {
		t.Error(got)
	}
	if got := c.step("next", 2, "instruction"); got != "step #2 test.wat:11" {
		t.Error(got)
	}
	c.refused("disassemble", map[string]any{"memoryReference": "0x1", "instructionCount": 1})
	c.refused("disassemble", map[string]any{"memoryReference": "0xff00000000", "instructionCount": 1})
}

// TestFusedOperations shows the fused operations beside the instructions, if that is asked for.
func TestFusedOperations(t *testing.T) {
	for _, form := range []string{"wat", "fused"} {
		c := real(t)
		p := wat(t, data)
		c.start(map[string]any{"program": p, "invoke": "main", "disassembly": form}, 17)
		f := c.frames(1)[0]
		var b godap.DisassembleResponseBody
		c.must(
			"disassemble",
			godap.DisassembleArguments{MemoryReference: f.InstructionPointerReference, InstructionCount: 40},
			&b,
		)
		ops := 0
		for _, x := range b.Instructions {
			if _, op, ok := strings.Cut(x.Instruction, "  ;; "); ok && !strings.Contains(op, "?") {
				ops++
			}
		}
		if (ops > 5) != (form == "fused") {
			t.Errorf("%s: %d instructions with ops: %+v", form, ops, b.Instructions)
		}
	}
	c := real(t)
	c.initialize()
	c.refused("launch", map[string]any{"program": wat(t, data), "disassembly": "machine"})
}
