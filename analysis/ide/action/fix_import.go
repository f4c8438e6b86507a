package action

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// moveImport puts an import, in its own field or inside an item, before the first definition that
// it may not follow. The comment above it comes along.
func moveImport(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Field()
	if n.Kind() != syntax.KImport && n.First(syntax.KInlineImport).IsZero() || !balanced(n) {
		return nil
	}
	t := p.Snap.Tree()
	sp := p.Module.Span()
	f := p.Snap.File()
	for i := t.UnitAt(sp.Start); i < int(n.U); i++ {
		r := t.Root(i)
		switch r.Kind() {
		case syntax.KFunc, syntax.KTable, syntax.KMemory, syntax.KGlobal, syntax.KTag:
			if !r.First(syntax.KInlineImport).IsZero() {
				continue
			}
			start := withComment(f, r.Span()).Start
			from := withComment(f, n.Span())
			text := f.Text[from.Start:from.End]
			return []diag.Fix{{
				Title: "Move the import before the definitions", Preferred: true, Safe: namesOnly(p.Module),
				Edits: []source.Edit{
					{Span: source.Span{Start: start, End: start}, New: text + "\n" + indentOf(f, start)},
					{Span: lineOut(f, from)},
				},
			}}
		}
	}
	return nil
}

// withComment widens the span of a field by the comment lines right above it, and a comment that ends
// its last line. It must begin its line.
func withComment(f *source.File, sp source.Span) source.Span {
	line := f.LineOf(sp.Start)
	if strings.TrimSpace(f.Text[f.LineStart(line):sp.Start]) != "" {
		return sp
	}
	end := len(f.Text)
	if i := strings.IndexByte(f.Text[sp.End:], '\n'); i >= 0 {
		end = sp.End + i
	}
	if rest := strings.TrimSpace(f.Text[sp.End:end]); strings.HasPrefix(rest, ";;") {
		sp.End = end
	}
	for line > 0 {
		above := f.Text[f.LineStart(line-1):f.LineStart(line)]
		if !strings.HasPrefix(strings.TrimSpace(above), ";;") {
			break
		}
		line--
		sp.Start = f.LineStart(line) + len(above) - len(strings.TrimLeft(above, " \t"))
	}
	return sp
}

// namesOnly reports whether a module names all that can be imported, so that moving an import
// changes no meaning. It is false for a long text.
func namesOnly(m *analysis.Module) bool {
	f := m.Snapshot().File()
	sp := m.Span()
	if sp.End-sp.Start > maxMended {
		return false
	}
	t := m.Snapshot().Tree()
	for i := t.UnitAt(sp.Start); i >= 0 && i < len(t.Units) && t.Units[i].Off < sp.End; i++ {
		u := &t.Units[i]
		for k := range u.Tokens {
			if u.Tokens[k].Kind != syntax.TokNat {
				continue
			}
			at := u.Off + int(u.Tokens[k].Off)
			r, ok := m.RefAt(at)
			if _, can := query.ExternOf(r.Space); ok && can && f.Text[at] != '$' {
				return false
			}
		}
	}
	return true
}
