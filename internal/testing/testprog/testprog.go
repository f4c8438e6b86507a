package testprog

import (
	"fmt"
	"strings"

	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Builder makes a unit from instructions, with a text that has one instruction on each line.
type Builder struct {
	m    *wasm.Module
	text strings.Builder
}

// New returns an empty module of the dialect cont.
func New() *Builder {
	b := &Builder{
		m: &wasm.Module{Dialect: wasm.DialectNone.OrUpstream(), Names: wasm.NewNames(), Start: wasm.BadIndex,
			DataCount: true},
	}
	return b
}

// Type adds a type.
func (b *Builder) Type(t wasm.SubType) uint32 {
	t.Final = true
	b.m.Types = append(b.m.Types, t)
	b.m.Recs = append(b.m.Recs, wasm.RecGroup{Start: uint32(len(b.m.Types) - 1), Len: 1})
	return uint32(len(b.m.Types) - 1)
}

// FuncType adds a function type.
func (b *Builder) FuncType(params, results []wasm.ValType) uint32 {
	return b.Type(wasm.SubType{Kind: wasm.CompFunc, Params: params, Results: results})
}

// Cont adds a continuation type.
func (b *Builder) Cont(f uint32) uint32 { return b.Type(wasm.SubType{Kind: wasm.CompCont, Func: f}) }

// Tag adds a tag.
func (b *Builder) Tag(name string, t uint32) uint32 {
	b.m.Tags = append(b.m.Tags, wasm.Tag{Type: t, Import: -1})
	i := uint32(len(b.m.Tags) - 1)
	b.m.Names.Tags[i] = name
	return i
}

// Global adds a mutable global.
func (b *Builder) Global(name string, t wasm.ValType, init ...wasm.Instr) uint32 {
	b.m.Globals = append(
		b.m.Globals,
		wasm.Global{Type: t, Mut: true, Init: append(init, wasm.Instr{Op: wasm.OpEnd}), Import: -1},
	)
	i := uint32(len(b.m.Globals) - 1)
	b.m.Names.Globals[i] = name
	return i
}

// Func adds a function; its instructions are without the final end.
func (b *Builder) Func(name string, t uint32, locals []string, types []wasm.ValType, body ...wasm.Instr) uint32 {
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

// Program returns the program that calls an export.
func (b *Builder) Program(invoke string, args ...vm.Value) *debugger.Program {
	return &debugger.Program{
		Path:   "test.wat",
		Units:  []*debugger.Unit{{Module: b.m, File: symbols.NewSource(source.NewFile("test.wat", b.text.String()))}},
		Invoke: invoke, Args: args,
	}
}

// Op returns an instruction with up to two indices.
func Op(o wasm.Op, idx ...uint32) wasm.Instr {
	in := wasm.Instr{Op: o}
	if len(idx) > 0 {
		in.A = idx[0]
	}
	if len(idx) > 1 {
		in.B = idx[1]
	}
	return in
}

// I32 returns an i32.const.
func I32(n int32) wasm.Instr { return wasm.Instr{Op: wasm.OpI32Const, Imm: uint64(uint32(n))} }

// Block returns a block instruction.
func Block(o wasm.Op, t wasm.BlockType) wasm.Instr { return wasm.Instr{Op: o, Imm: uint64(t)} }

// Resume returns a resume.
func Resume(ct uint32, on ...wasm.HandlerClause) wasm.Instr {
	return wasm.Instr{Op: wasm.OpResume, A: ct, Ext: &wasm.Ext{HandlerClauses: on}}
}

// Generator is a program with a generator that yields 1, 2, 3, and $main, which adds them up
// through $add and calls a recursive function in between.
//
//	$gen:  lines  2…   $add: …   $main: …
func Generator() *Builder {
	b := New()
	task := b.FuncType(nil, nil)
	ct := b.Cont(task)
	rct := wasm.Ref(false, wasm.HeapType(ct))
	tt := b.FuncType([]wasm.ValType{wasm.I32}, nil)
	bt := b.FuncType(nil, []wasm.ValType{wasm.I32, rct})
	add := b.FuncType([]wasm.ValType{wasm.I32, wasm.I32}, []wasm.ValType{wasm.I32})
	mt := b.FuncType(nil, []wasm.ValType{wasm.I32})
	yield := b.Tag("yield", tt)
	b.Func("gen", task, []string{"i"}, []wasm.ValType{wasm.I32}, // line 1; body from line 2
		Block(wasm.OpLoop, 0),     // 2
		Op(wasm.OpLocalGet, 0),    // 3
		I32(1),                    // 4
		Op(wasm.OpI32Add),         // 5
		Op(wasm.OpLocalSet, 0),    // 6
		Op(wasm.OpLocalGet, 0),    // 7
		Op(wasm.OpSuspend, yield), // 8
		Op(wasm.OpLocalGet, 0),    // 9
		I32(3),                    // 10
		Op(wasm.OpI32LtU),         // 11
		Op(wasm.OpBrIf, 0),        // 12
		Op(wasm.OpEnd),            // 13
	) // end: 14
	b.Func("add", add, []string{"x", "y"}, nil, // 15
		Op(wasm.OpLocalGet, 0), // 16
		Op(wasm.OpLocalGet, 1), // 17
		Op(wasm.OpI32Add),      // 18
	) // end: 19
	b.Func("main", mt, []string{"k", "sum"}, []wasm.ValType{rct, wasm.I32}, // 20
		Op(wasm.OpRefFunc, 0),                                // 21
		Op(wasm.OpContNew, ct),                               // 22
		Op(wasm.OpLocalSet, 0),                               // 23
		Block(wasm.OpLoop, 0),                                // 24
		Block(wasm.OpBlock, wasm.BlockIndex(bt)),             // 25
		Op(wasm.OpLocalGet, 0),                               // 26
		Resume(ct, wasm.HandlerClause{Tag: yield, Label: 0}), // 27
		Op(wasm.OpLocalGet, 1),                               // 28
		Op(wasm.OpReturn),                                    // 29
		Op(wasm.OpEnd),                                       // 30
		Op(wasm.OpLocalSet, 0),                               // 31
		Op(wasm.OpLocalGet, 1),                               // 32
		Op(wasm.OpCall, 1),                                   // 33
		Op(wasm.OpLocalSet, 1),                               // 34
		Op(wasm.OpBr, 0),                                     // 35
		Op(wasm.OpEnd),                                       // 36
		Op(wasm.OpUnreachable),                               // 37
	)
	return b
}
