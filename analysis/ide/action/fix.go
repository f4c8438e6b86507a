package action

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// Fixes returns ways to put a diagnostic right that follow from its place: its own, and those that
// need no more than what stands there. Those that keep what the program does are marked as safe.
func Fixes(s *analysis.Snapshot, d *diag.Diagnostic) []diag.Fix {
	p := query.At(s, d.Span.Start)
	if p.Module == nil || len(d.Fixes) > 0 {
		return broughtFixes(p, d)
	}
	for i := range quickFixes {
		q := &quickFixes[i]
		if !slices.Contains(q.codes, d.Code) {
			continue
		}
		if out := q.fix(p, d); out != nil {
			for k := range out {
				out[k].Safe = out[k].Safe || q.safe
			}
			return out
		}
	}
	return nil
}

// broughtFixes returns the fixes that a diagnostic brings, but for those that cannot be written,
// and the declaration of what it does not find.
func broughtFixes(p query.Place, d *diag.Diagnostic) []diag.Fix {
	out := slices.Clone(d.Fixes)
	if p.Module != nil {
		out = slices.DeleteFunc(out, func(x diag.Fix) bool {
			return unwritable(p.Snap, d, x) || x.Title == "Remove the operand" && !mends(p, x.Edits)
		})
		out = append(out, declare(p, d)...) // a name like it, or a new thing
		if slices.Contains(of(valid.CodeTypeMismatch, valid.CodeHandlerLabel), d.Code) {
			out = append(out, retypeTag(p, d)...)
		}
	}
	for i := range out {
		out[i].Safe = out[i].Safe || isSafe(p.Snap, d, out[i].Title)
	}
	return out
}

// one returns a single fix, which is preferred.
func one(title string, edits ...source.Edit) []diag.Fix {
	return []diag.Fix{{Title: title, Edits: edits, Preferred: true}}
}

// tryToBlock writes a try_table without clauses as a block.
func tryToBlock(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KBlock)
	if n.Op() != wasm.OpTryTable {
		return nil
	}
	return one("Convert to block", source.Edit{Span: n.Keyword().Span(), New: "block"})
}

// writeIndex writes the memory or table that an instruction leaves out.
func writeIndex(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	b, i := p.Instr()
	if i < 0 || p.Node.Kind() != syntax.KInstr {
		return nil
	}
	for _, r := range omittedIndex(p, b, i) {
		return one(r.Title, r.Edits...)
	}
	return nil
}

// wrapModule wraps the fields of a file in a module.
func wrapModule(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	f := p.Snap.File()
	sp := p.Module.Span()
	first := sp.Start
	for _, u := range p.Snap.Tree().Units {
		if len(u.Tokens) > 0 {
			first = u.Off + int(u.Tokens[0].Off)
			break
		}
	}
	end := first + len(strings.TrimRight(f.Text[first:sp.End], " \t\r\n"))
	closing := ")"
	if strings.HasPrefix(strings.TrimSpace(f.Text[f.LineStart(f.LineOf(end)):end]), ";;") {
		closing = "\n)"
	}
	return one("Wrap in (module …)", source.Edit{Span: source.Span{Start: first, End: first}, New: "(module\n"},
		source.Edit{Span: source.Span{Start: end, End: end}, New: closing})
}

// addMemory adds a memory to a module that has none.
func addMemory(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	if len(p.Module.Declared().Mems) > 0 || p.Tok.Kind() == syntax.TokID {
		return nil
	}
	return addField(p, "Add a memory", "(memory 1)")
}

// unwritable reports whether a fix writes a constant that its type does not have, or a type or
// export that has no plain name, or takes a type out in part.
func unwritable(s *analysis.Snapshot, d *diag.Diagnostic, x diag.Fix) bool {
	for _, e := range x.Edits {
		if strings.Contains(e.New, "unknown)") ||
			strings.HasPrefix(e.New, " (export ") && strings.Contains(e.New, `\`) {
			return true
		}
		if cut := s.File().Text[e.Start:e.End]; d.Code == diag.InlineType &&
			strings.Count(cut, "(") != strings.Count(cut, ")") {
			return true
		}
		if !strings.HasPrefix(e.New, "(") || !strings.HasSuffix(e.New, ")") {
			continue
		}
		word, number, ok := strings.Cut(e.New[1:len(e.New)-1], ".const ")
		if t := slices.Index([]string{"i32", "i64", "f32", "f64"}, word); ok && t >= 0 {
			if _, _, err := syntax.ParseNumber([]wasm.ValType{wasm.I32, wasm.I64, wasm.F32, wasm.F64}[t],
				number); err != nil {
				return true
			}
		}
	}
	return false
}

// maxMended is the length of the texts in which a fix is tried before it is offered. A long text
// can have many mistakes, and takes long to check.
const maxMended = 32 << 10

// mends reports whether edits bring no new error, as far as that can be found out quickly.
func mends(p query.Place, edits []source.Edit) bool {
	return len(p.Snap.File().Text) > maxMended || clean(p.Snap, edits)
}

// eventSwitch puts an event.switch after the instruction that must be followed by one. A task.new
// is not: the function of its task must begin with one.
func eventSwitch(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Node
	if n.Kind() != syntax.KInstr || n.Op() == wasm.OpTaskNew {
		return nil
	}
	at := n.Span().End
	text := " (event.switch)"
	if !n.Folded() {
		text = " event.switch"
	}
	return []diag.Fix{
		{
			Title: "Add event.switch after it",
			Edits: []source.Edit{{Span: source.Span{Start: at, End: at}, New: text}},
		},
	}
}
