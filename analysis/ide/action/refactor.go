package action

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// RefactorKind is the kind of a Refactor, as editors sort them.
type RefactorKind uint8

// The kinds.
const (
	Rewrite RefactorKind = iota // says the same in another way
	Extract                     // gives a part a place of its own
	Inline                      // puts a part where it is used
)

// String returns the kind's name in the Language Server Protocol.
func (k RefactorKind) String() string {
	return [...]string{"refactor.rewrite", "refactor.extract", "refactor.inline"}[k]
}

// Refactor is a change that keeps or completes what a program means, offered at a place.
type Refactor struct {
	Title string
	Kind  RefactorKind
	Edits []source.Edit
	// Later makes the edits where that takes more time than offering the change; Edits is nil then.
	Later func() []source.Edit
}

// Make returns the edits.
func (r Refactor) Make() []source.Edit {
	if r.Later != nil {
		return r.Later()
	}
	return r.Edits
}

// Refactors returns the changes that are possible at an offset.
func Refactors(s *analysis.Snapshot, off int) []Refactor {
	p := query.At(s, off)
	if p.Module == nil || !p.HasTok {
		return nil
	}
	keyword := p.Tok.Kind() == syntax.TokKeyword
	var b *analysis.Body
	i := -1
	if keyword {
		if b, i = p.Instr(); i >= 0 && (p.Node.Kind() != syntax.KInstr || b.Node(i) != p.Node) {
			i = -1
		}
	}
	var out []Refactor
	for k := range refactors {
		switch r := &refactors[k]; {
		case r.atToken != nil:
			out = append(out, r.atToken(p)...)
		case r.atInstr != nil && i >= 0:
			out = append(out, r.atInstr(p, b, i)...)
		case r.atKeyword != nil && keyword:
			out = append(out, r.atKeyword(p)...)
		}
	}
	return out
}

// rewrite is a change of one stretch of the text.
func rewrite(title string, sp source.Span, text string) Refactor {
	return Refactor{Title: title, Edits: []source.Edit{{Span: sp, New: text}}}
}

// insert is an insertion at an offset.
func insert(title string, off int, text string) Refactor {
	return rewrite(title, source.Span{Start: off, End: off}, text)
}

// hasComment reports whether a text of the language holds a comment, or seems to.
func hasComment(s string) bool { return strings.Contains(s, ";;") || strings.Contains(s, "(;") }

// indentOf returns the white space that the line of an offset begins with.
func indentOf(f *source.File, off int) string {
	from := f.LineStart(f.LineOf(off))
	to := from
	for to < off && (f.Text[to] == ' ' || f.Text[to] == '\t') {
		to++
	}
	return f.Text[from:to]
}

// lineOut widens the span of a field to the whole of its line, if nothing else stands there.
func lineOut(f *source.File, sp source.Span) source.Span {
	a, b := sp.Start, sp.End
	for a > 0 && (f.Text[a-1] == ' ' || f.Text[a-1] == '\t') {
		a--
	}
	for b < len(f.Text) && (f.Text[b] == ' ' || f.Text[b] == '\t') {
		b++
	}
	switch {
	case a > 0 && f.Text[a-1] != '\n' && f.Text[a-1] != '\r':
		if b < len(f.Text) && f.Text[b] != '\n' && f.Text[b] != '\r' {
			return source.Span{Start: sp.Start, End: b} // between others on one line
		}
		return source.Span{Start: a, End: sp.End}
	case b < len(f.Text) && f.Text[b] == '\r' && b+1 < len(f.Text) && f.Text[b+1] == '\n':
		return source.Span{Start: a, End: b + 2}
	case b < len(f.Text) && (f.Text[b] == '\n' || f.Text[b] == '\r'):
		return source.Span{Start: a, End: b + 1}
	}
	return sp
}
