package loader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/vm/debugger"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// compiling limits how many expressions are compiled at a time: one that was cancelled still runs
// for a while.
var compiling = make(chan struct{}, 2)

// Compile is the debugger.Compiler: it appends a function with the expression to the unit's
// declarations and analyses the result.
func Compile(ctx context.Context, u *debugger.Unit, fn uint32, expr string) (*wasm.Module, error) {
	if int64(fn) >= int64(len(u.Module.Funcs)) {
		return nil, errors.New("no such function")
	}
	select {
	case compiling <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type result struct {
		m     *wasm.Module
		err   error
		panic any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			<-compiling
			r.panic = recover()
			done <- r
		}()
		r.m, r.err = compile(ctx, u, fn, expr)
	}()
	select {
	case r := <-done:
		if r.panic != nil {
			panic(r.panic)
		}
		return r.m, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func compile(ctx context.Context, u *debugger.Unit, fn uint32, expr string) (*wasm.Module, error) {
	src, at, err := moduleText(u)
	if err != nil {
		return nil, err
	}
	head := exprHead(u.Module, fn)
	open := func(results string) (*analysis.Module, int, *analysis.Snapshot) {
		before := "\n(func" + head + results + "\n"
		s := analysis.Open(
			source.NewFile(u.File.Name, src[:at]+before+expr+"\n)"+src[at:]),
			analysis.Options{Dialect: u.Module.Dialect},
		)
		ms := s.Modules()
		if len(ms) != 1 {
			return nil, 0, s
		}
		return ms[0], at + len(before), s
	}
	// First without results: the operands at the end are the results.
	m, from, s := open("")
	if m == nil {
		return nil, errors.New("unexpected token in the expression")
	}
	index := uint32(len(u.Module.Funcs))
	if b := m.Body(index); b != nil && len(b.Instrs) > 0 {
		ts := b.StackAtEnd()
		if len(ts) > maxResults {
			return nil, fmt.Errorf("the expression has %d results, more than %d", len(ts), maxResults)
		}
		if len(ts) > 0 {
			var w strings.Builder
			for _, t := range ts {
				w.WriteString(" " + t.String())
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			m, from, s = open(" (result" + w.String() + ")")
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m != nil {
		if mod, ok := m.Lower(); ok {
			return mod, nil
		}
	}
	for _, d := range s.Diagnostics() {
		if d.Severity == diag.Error && d.Span.End >= from {
			return nil, errors.New(d.Message)
		}
	}
	return nil, errors.New("the expression cannot be compiled")
}

// maxResults is how many results an expression can have.
const maxResults = 100

// moduleText returns the text of what a unit's module declares, and the offset of its closing
// parenthesis. The bodies of functions and data are left out.
func moduleText(u *debugger.Unit) (src string, at int, err error) {
	m := *u.Module
	m.Funcs = slices.Clone(m.Funcs)
	for i := range m.Funcs {
		if f := &m.Funcs[i]; len(f.Body) > 0 {
			f.Locals, f.Stmts = nil, nil
			f.Body = []wasm.Instr{{Op: wasm.OpUnreachable}, {Op: wasm.OpEnd}}
		}
	}
	m.Datas = slices.Clone(m.Datas)
	for i := range m.Datas {
		m.Datas[i].Bytes = nil
	}
	src, _ = text.Print(&m, text.Options{NoComments: true})
	at = strings.LastIndexByte(src, ')')
	if at < 0 {
		return "", 0, errors.New("the module has no text")
	}
	return src, at, nil
}

// exprHead returns the parameters of the function of an expression: the locals of fn with their
// names.
func exprHead(m *wasm.Module, fn uint32) string {
	f := &m.Funcs[fn]
	var ts []wasm.ValType
	if ft := m.FuncType(f.Type); ft != nil {
		ts = append(ts, ft.Params...)
	}
	ts = append(ts, f.Locals...)
	var b strings.Builder
	taken := map[string]bool{}
	for i, t := range ts {
		name := m.Names.Locals[fn][uint32(i)]
		if name != "" && !taken[name] {
			taken[name] = true
			fmt.Fprintf(&b, " (param %s %s)", text.Identifier(name), t)
		} else {
			fmt.Fprintf(&b, " (param %s)", t)
		}
	}
	return b.String()
}
