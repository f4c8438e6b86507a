package loader_test

import (
	"os"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
	"stackscope/wasm/valid"
)

// limited are the limits of the JavaScript API: each makes a module with n of something. The most
// that is accepted, and how many times as much is tried: beyond that modules become large.
var limited = []struct {
	name        string
	most, times int
	module      func(n int) *wasm.Module
}{
	{"parameters", 1000, 100, func(n int) *wasm.Module {
		return typed(wasm.SubType{Kind: wasm.CompFunc, Final: true, Params: many(n)})
	}},
	{"results", 1000, 100, func(n int) *wasm.Module {
		return typed(wasm.SubType{Kind: wasm.CompFunc, Final: true, Results: many(n)})
	}},
	{"fields", 10_000, 10, func(n int) *wasm.Module {
		return typed(wasm.SubType{Kind: wasm.CompStruct, Final: true, Fields: make([]wasm.FieldType, n)})
	}},
	{"supertypes", 63, 100, func(n int) *wasm.Module {
		ts := make([]wasm.SubType, n+1)
		for i := range ts {
			ts[i] = wasm.SubType{Kind: wasm.CompStruct}
			if i > 0 {
				ts[i].Supers = []uint32{uint32(i - 1)}
			}
		}
		return typed(ts...)
	}},
	{"locals", 50_000, 10, func(n int) *wasm.Module {
		m := typed(wasm.SubType{Kind: wasm.CompFunc, Final: true})
		m.Funcs = []wasm.Func{{Import: -1, Locals: many(n), Body: []wasm.Instr{{Op: wasm.OpEnd}}}}
		return m
	}},
	{"operands", 10_000, 10, func(n int) *wasm.Module {
		m := typed(
			wasm.SubType{Kind: wasm.CompFunc, Final: true},
			wasm.SubType{Kind: wasm.CompArray, Final: true, Fields: []wasm.FieldType{{Type: wasm.I32}}},
		)
		body := make([]wasm.Instr, n, n+3)
		for i := range body {
			body[i] = wasm.Instr{Op: wasm.OpI32Const}
		}
		m.Funcs = []wasm.Func{
			{
				Import: -1,
				Body: append(
					body, wasm.Instr{Op: wasm.OpArrayNewFixed, A: 1, B: uint32(n)}, wasm.Instr{Op: wasm.OpDrop},
					wasm.Instr{Op: wasm.OpEnd},
				),
			},
		}
		return m
	}},
	{"memories", 100, 100, func(n int) *wasm.Module {
		m := typed()
		m.Mems = make([]wasm.Memory, n)
		for i := range m.Mems {
			m.Mems[i].Import = -1
		}
		return m
	}},
	{"data segments", 100_000, 1, func(n int) *wasm.Module {
		m := typed()
		m.Datas, m.DataCount = make([]wasm.Data, n), true
		for i := range m.Datas {
			m.Datas[i].Mode = wasm.SegmentPassive
		}
		return m
	}},
	{"tables", 100_000, 1, func(n int) *wasm.Module {
		m := typed()
		m.Tables = make([]wasm.Table, n)
		for i := range m.Tables {
			m.Tables[i] = wasm.Table{Type: wasm.FuncRef, Import: -1}
		}
		return m
	}},
}

// long are the limits whose modules take seconds: they are tried with STACKSCOPE_LONG only.
var long = map[string]bool{"data segments": true, "tables": true}

func many(n int) []wasm.ValType {
	ts := make([]wasm.ValType, n)
	for i := range ts {
		ts[i] = wasm.I32
	}
	return ts
}

func typed(ts ...wasm.SubType) *wasm.Module {
	m := &wasm.Module{Types: ts, Start: wasm.BadIndex, Names: wasm.NewNames()}
	for i := range ts {
		for j := range ts[i].Fields {
			ts[i].Fields[j].Type = wasm.I32
		}
		m.Recs = append(m.Recs, wasm.RecGroup{Start: uint32(i), Len: 1})
	}
	return m
}

// What is within a limit is accepted; one more is one error, and so is many times as much, in text
// and binary.
func TestLimits(t *testing.T) {
	all := os.Getenv("STACKSCOPE_LONG") != ""
	for _, l := range limited {
		if long[l.name] && !all {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			times := l.times
			if all {
				times = 100
			}
			for _, n := range []int{l.most, l.most + 1, times * l.most} {
				want := 1
				if n == l.most {
					want = 0
				}
				m := l.module(n)
				src, _ := text.Print(m, text.Options{})
				if got := textErrors(src); len(got) != want {
					t.Errorf("text with %d: %d errors: %.300q", n, len(got), got)
				}
				b, err := binary.Encode(m)
				if err != nil {
					t.Fatal(err)
				}
				if got := binaryErrors(b); len(got) != want {
					t.Errorf("binary with %d: %d errors: %.300q", n, len(got), got)
				}
			}
		})
	}
}

func textErrors(src string) (msgs []string) {
	for _, d := range analysis.Open(source.NewFile("limits.wat", src), analysis.Options{}).Diagnostics() {
		if d.Severity == diag.Error {
			msgs = append(msgs, d.Message)
		}
	}
	return msgs
}

func binaryErrors(b []byte) (msgs []string) {
	m, err := binary.Decode(b)
	if err != nil {
		return []string{err.Error()}
	}
	valid.New(m).Module(func(e valid.Error) { msgs = append(msgs, e.Msg) })
	return msgs
}

// Types that are written where they are used have the same limits, each with one error where it is
// written.
func TestInlineLimits(t *testing.T) {
	for _, n := range []int{1000, 1001, 65_535, 65_536, 66_000, 100_000} {
		i32s := strings.Repeat(" i32", n)
		for name, src := range map[string]string{
			"function": "(module (func (param" + i32s + ")))",
			"import":   `(module (import "m" "f" (func (param` + i32s + "))))",
			"tag":      "(module (tag (param" + i32s + ")))",
			"block":    "(module (func unreachable (block (param" + i32s + ") unreachable)))",
			"call_indirect": "(module (table 1 funcref) (func unreachable (call_indirect (param" + i32s +
				") (i32.const 0))))",
			"results": "(module (func (result" + i32s + ") unreachable))",
		} {
			want := 1
			if n == 1000 {
				want = 0
			}
			if got := textErrors(src); len(got) != want {
				t.Errorf("%s with %d: %d errors: %.300q", name, n, len(got), got)
			}
		}
	}
}

// Nesting beyond what the parser follows is one error, whatever follows.
func TestNestingLimit(t *testing.T) {
	const most = 9_990 // the function and the module nest as well
	for name, part := range map[string][3]string{
		"folded blocks": {"(block ", "(nop)", ")"},
		"flat blocks":   {"block ", "nop", " end"},
		"ifs":           {"i32.const 1 if nop else ", "nop", " end"},
		"operands":      {"(drop (i32.eqz ", "(i32.const 1)", "))"},
	} {
		deep := func(n int) string {
			return strings.Repeat(part[0], n) + part[1] + strings.Repeat(part[2], n)
		}
		if name == "operands" {
			deep = func(n int) string {
				return "(drop " + strings.Repeat("(i32.eqz ", n) + "(i32.const 1)" + strings.Repeat(")", n) + ")"
			}
		}
		if got := textErrors("(module (func " + deep(most) + "))"); len(got) != 0 {
			t.Errorf("%s: %.200q", name, got)
		}
		for _, src := range []string{deep(10_010), deep(25_000), deep(10_010) + " " + deep(10_010),
			strings.Repeat("(block ", most) + strings.Repeat(deep(20)+" ", 50) + strings.Repeat(")", most)} {
			if got := textErrors("(module (func " + src + "))"); len(got) != 1 ||
				!strings.Contains(got[0], "nested too deep") {
				t.Errorf("%s: %d errors: %.200q", name, len(got), got)
			}
		}
	}
}
