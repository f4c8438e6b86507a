package dap_test

import (
	"os"
	"path/filepath"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestEqualFunctionNames debugs a binary module that gives two functions and two locals the same
// name: a function breakpoint stops in both, and a name always means the first local.
func TestEqualFunctionNames(t *testing.T) {
	nop := wasm.Instr{Op: wasm.OpNop}
	end := wasm.Instr{Op: wasm.OpEnd}
	call := func(i uint32) wasm.Instr { return wasm.Instr{Op: wasm.OpCall, A: i} }
	m := &wasm.Module{
		Types: []wasm.SubType{
			{Kind: wasm.CompFunc, Final: true},
		}, Recs: []wasm.RecGroup{{Len: 1}}, Start: wasm.BadIndex,
		Funcs: []wasm.Func{
			{Import: -1, Body: []wasm.Instr{nop, end}, Locals: []wasm.ValType{wasm.I32, wasm.I64}},
			{Import: -1, Body: []wasm.Instr{nop, nop, end}},
			{Import: -1, Body: []wasm.Instr{call(0), call(1), end}},
		},
		Exports: []wasm.Export{{Name: "main", Kind: wasm.ExternFunc, Index: 2}},
	}
	m.Names = &wasm.Names{Funcs: map[uint32]string{0: "same", 1: "same"}}
	m.Names.Locals = map[uint32]map[uint32]string{0: {0: "x", 1: "x"}}
	data, err := binary.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(t.TempDir(), "same.wasm")
	if err := os.WriteFile(p, data, 0o666); err != nil {
		t.Fatal(err)
	}
	c := real(t)
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.await("initialized", nil)
	var b godap.SetFunctionBreakpointsResponseBody
	c.must("setFunctionBreakpoints", map[string]any{"breakpoints": []any{map[string]any{"name": "$same"}}}, &b)
	if !b.Breakpoints[0].Verified || b.Breakpoints[0].Message != "stops in the 2 functions of this name" {
		t.Errorf("%+v", b)
	}
	c.must("configurationDone", nil, nil)
	first := c.stopped()
	f := c.frames(c.last.ThreadId)[0].Id
	for range 20 {
		if got := c.eval(f, "repl", "$x = 5"); got != "5" {
			t.Fatal(got)
		}
	}
	if got := c.eval(f, "watch", "local 0") + " " + c.eval(f, "watch", "local 1"); got != "5 0" {
		t.Error(got)
	}
	second := c.step("continue", c.last.ThreadId, "")
	if !strings.HasPrefix(first, "function breakpoint") || !strings.HasPrefix(second, "function breakpoint") ||
		first == second {
		t.Errorf("%s, then %s", first, second)
	}
}

// TestFunctionBreakpointThroughImport stops in the function that an import of the same name is
// linked to.
func TestFunctionBreakpointThroughImport(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"lib.wat":  "(module (func $inc (export \"inc\") (param i32) (result i32)\n  (i32.add (local.get 0) (i32.const 1))))",
		"main.wat": "(module (import \"lib\" \"inc\" (func $inc (param i32) (result i32)))\n  (func (export \"main\") (result i32) (call $inc (i32.const 4))))",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := real(t)
	c.initialize()
	c.must(
		"launch",
		map[string]any{
			"program": filepath.Join(dir, "main.wat"),
			"imports": map[string]string{"lib": filepath.Join(dir, "lib.wat")},
		},
		nil,
	)
	c.await("initialized", nil)
	c.must("setFunctionBreakpoints", map[string]any{"breakpoints": []any{map[string]any{"name": "inc"}}}, nil)
	c.must("configurationDone", nil, nil)
	if got := c.stopped(); got != "function breakpoint #1 lib.wat:2" {
		t.Error(got)
	}
}
