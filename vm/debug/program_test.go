package debug

import (
	"fmt"
	"strings"

	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/wasm"
)

// builder makes a unit from instructions, with a text that has one instruction on each line.
type builder struct {
	m    *wasm.Module
	text strings.Builder
}

func newBuilder() *builder {
	b := &builder{m: &wasm.Module{Dialect: wasm.DialectCont, Names: wasm.NewNames(), Start: wasm.BadIndex, DataCount: true}}
	return b
}

func (b *builder) typ(t wasm.SubType) uint32 {
	t.Final = true
	b.m.Types = append(b.m.Types, t)
	b.m.Recs = append(b.m.Recs, wasm.RecGroup{Start: uint32(len(b.m.Types) - 1), Len: 1})
	return uint32(len(b.m.Types) - 1)
}

func (b *builder) fnType(params, results []wasm.ValType) uint32 {
	return b.typ(wasm.SubType{Kind: wasm.CompFunc, Params: params, Results: results})
}

func (b *builder) cont(f uint32) uint32 { return b.typ(wasm.SubType{Kind: wasm.CompCont, Func: f}) }

func (b *builder) tag(name string, t uint32) uint32 {
	b.m.Tags = append(b.m.Tags, wasm.Tag{Type: t, Import: -1})
	i := uint32(len(b.m.Tags) - 1)
	b.m.Names.Tags[i] = name
	return i
}

func (b *builder) global(name string, t wasm.ValType, init ...wasm.Instr) uint32 {
	b.m.Globals = append(b.m.Globals, wasm.Global{Type: t, Mut: true, Init: append(init, wasm.Instr{Op: wasm.OpEnd}), Import: -1})
	i := uint32(len(b.m.Globals) - 1)
	b.m.Names.Globals[i] = name
	return i
}

// fn adds a function; its instructions are without the final end.
func (b *builder) fn(name string, t uint32, locals []string, types []wasm.ValType, body ...wasm.Instr) uint32 {
	f := wasm.Func{Type: t, Import: -1, Locals: types, At: wasm.Pos(b.text.Len())}
	fmt.Fprintf(&b.text, "func $%s\n", name)
	for _, in := range append(body, wasm.Instr{Op: wasm.OpEnd}) {
		b.text.WriteString("  ")
		in.At = wasm.Pos(b.text.Len())
		b.text.WriteString(in.Op.String() + "\n")
		f.Stmts = append(f.Stmts, wasm.Stmt{PC: uint32(len(f.Body)), From: in.At, To: wasm.Pos(b.text.Len() - 1)})
		f.Body = append(f.Body, in)
	}
	f.End = wasm.Pos(b.text.Len())
	b.m.Funcs = append(b.m.Funcs, f)
	i := uint32(len(b.m.Funcs) - 1)
	b.m.Names.Funcs[i] = name
	for j, l := range locals {
		wasm.Set2(b.m.Names.Locals, i, uint32(j), l)
	}
	b.m.Exports = append(b.m.Exports, wasm.Export{Name: name, Index: i})
	return i
}

func (b *builder) program(invoke string, args ...vm.Value) *Program {
	return &Program{Path: "test.wat", Units: []*Unit{{Module: b.m, File: source.NewFile("test.wat", b.text.String())}}, Invoke: invoke, Args: args}
}

func op(o wasm.Op, idx ...uint32) wasm.Instr {
	in := wasm.Instr{Op: o}
	if len(idx) > 0 {
		in.A = idx[0]
	}
	if len(idx) > 1 {
		in.B = idx[1]
	}
	return in
}

func i32(n int32) wasm.Instr { return wasm.Instr{Op: wasm.OpI32Const, Imm: uint64(uint32(n))} }

func block(o wasm.Op, t wasm.BlockType) wasm.Instr { return wasm.Instr{Op: o, Imm: uint64(t)} }

func resume(ct uint32, on ...wasm.Handler) wasm.Instr {
	return wasm.Instr{Op: wasm.OpResume, A: ct, Ext: &wasm.Ext{Handlers: on}}
}

// generator is a program with a generator that yields 1, 2, 3, and $main, which adds them up through
// $add and calls a recursive function in between.
//
//	$gen:  lines  2…   $add: …   $main: …
func generator() *builder {
	b := newBuilder()
	task := b.fnType(nil, nil)
	ct := b.cont(task)
	rct := wasm.Ref(false, wasm.HeapType(ct))
	tt := b.fnType([]wasm.ValType{wasm.I32}, nil)
	bt := b.fnType(nil, []wasm.ValType{wasm.I32, rct})
	add := b.fnType([]wasm.ValType{wasm.I32, wasm.I32}, []wasm.ValType{wasm.I32})
	mt := b.fnType(nil, []wasm.ValType{wasm.I32})
	yield := b.tag("yield", tt)
	b.fn("gen", task, []string{"i"}, []wasm.ValType{wasm.I32}, // line 1; body from line 2
		block(wasm.OpLoop, 0),     // 2
		op(wasm.OpLocalGet, 0),    // 3
		i32(1),                    // 4
		op(wasm.OpI32Add),         // 5
		op(wasm.OpLocalSet, 0),    // 6
		op(wasm.OpLocalGet, 0),    // 7
		op(wasm.OpSuspend, yield), // 8
		op(wasm.OpLocalGet, 0),    // 9
		i32(3),                    // 10
		op(wasm.OpI32LtU),         // 11
		op(wasm.OpBrIf, 0),        // 12
		op(wasm.OpEnd),            // 13
	) // end: 14
	b.fn("add", add, []string{"x", "y"}, nil, // 15
		op(wasm.OpLocalGet, 0), // 16
		op(wasm.OpLocalGet, 1), // 17
		op(wasm.OpI32Add),      // 18
	) // end: 19
	b.fn("main", mt, []string{"k", "sum"}, []wasm.ValType{rct, wasm.I32}, // 20
		op(wasm.OpRefFunc, 0),                          // 21
		op(wasm.OpContNew, ct),                         // 22
		op(wasm.OpLocalSet, 0),                         // 23
		block(wasm.OpLoop, 0),                          // 24
		block(wasm.OpBlock, wasm.BlockIndex(bt)),       // 25
		op(wasm.OpLocalGet, 0),                         // 26
		resume(ct, wasm.Handler{Tag: yield, Label: 0}), // 27
		op(wasm.OpLocalGet, 1),                         // 28
		op(wasm.OpReturn),                              // 29
		op(wasm.OpEnd),                                 // 30
		op(wasm.OpLocalSet, 0),                         // 31
		op(wasm.OpLocalGet, 1),                         // 32
		op(wasm.OpCall, 1),                             // 33
		op(wasm.OpLocalSet, 1),                         // 34
		op(wasm.OpBr, 0),                               // 35
		op(wasm.OpEnd),                                 // 36
		op(wasm.OpUnreachable),                         // 37
	)
	return b
}
