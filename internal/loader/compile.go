package loader

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/vm/debug"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// Compile is the debug.Compiler: it puts the expression into a function behind the last field of the
// unit's text, and lets analysis read that.
func Compile(u *debug.Unit, fn uint32, expr string) (*wasm.Module, error) {
	if int64(fn) >= int64(len(u.Module.Funcs)) {
		return nil, errors.New("no such function")
	}
	src, at, err := moduleText(u)
	if err != nil {
		return nil, err
	}
	head := exprHead(u.Module, fn)
	compile := func(results string) (*analysis.Module, int, *analysis.Snapshot) {
		before := "\n(func" + head + results + "\n"
		s := analysis.Open(source.NewFile(u.File.Name, src[:at]+before+expr+"\n)"+src[at:]), analysis.Options{Dialect: u.Module.Dialect})
		ms := s.Modules()
		if len(ms) != 1 {
			return nil, 0, s
		}
		return ms[0], at + len(before), s
	}
	// First without results: what is left on the operand stack is what they are.
	m, from, s := compile("")
	if m == nil {
		return nil, errors.New("unexpected token in the expression")
	}
	index := uint32(len(u.Module.Funcs))
	results := ""
	if b := m.Body(index); b != nil && len(b.Instrs) > 0 {
		if ts := b.StackBefore(len(b.Instrs) - 1); len(ts) > 0 {
			var w strings.Builder
			for _, t := range ts {
				w.WriteString(" " + t.String())
			}
			results = " (result" + w.String() + ")"
			m, from, s = compile(results)
		}
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

// moduleText gives the text of a unit's module, and the offset of its closing parenthesis.
func moduleText(u *debug.Unit) (src string, at int, err error) {
	m := u.Module
	src, _ = text.Print(m, text.Options{NoComments: true})
	at = strings.LastIndexByte(src, ')')
	if at < 0 {
		return "", 0, errors.New("the module has no text")
	}
	return src, at, nil
}

// exprHead gives the parameters of the function of an expression: the locals of fn with their names.
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
