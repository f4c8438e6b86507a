package ide

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Indent returns the edit that puts the first character of a 0-based line where it belongs: one
// step (in spaces, or a tab) right of the line that opened what the line is in. It is false if the
// line is right already, or begins inside a string or comment.
func Indent(s *analysis.Snapshot, line int, step string) (source.Edit, bool) {
	f := s.File()
	if line < 0 || line >= f.NumLines() {
		return source.Edit{}, false
	}
	sp := f.Line(line)
	text := f.Text[sp.Start:sp.End]
	body := strings.TrimLeft(text, " \t")
	have := text[:len(text)-len(body)]
	opener, ok := openerOf(s, sp.Start, body)
	if !ok {
		return source.Edit{}, false
	}
	want := ""
	if opener >= 0 {
		ol := f.Line(f.LineOf(opener))
		ot := f.Text[ol.Start:ol.End]
		want = ot[:len(ot)-len(strings.TrimLeft(ot, " \t"))]
		if !closes(body) {
			want += step
		}
	}
	if want == have {
		return source.Edit{}, false
	}
	return source.Edit{Span: source.Span{Start: sp.Start, End: sp.Start + len(have)}, New: want}, true
}

// closes reports whether a line begins with what closes or divides a block.
func closes(body string) bool {
	if strings.HasPrefix(body, ")") {
		return true
	}
	word, _, _ := strings.Cut(body, " ")
	switch strings.TrimRight(word, ")") {
	case "end", "else", "catch", "catch_all", "delegate":
		return true
	}
	return false
}

// openerOf finds what the text at an offset is directly inside of: an open parenthesis, or the
// keyword of a flat block; -1 if nothing is open. ok is false inside a token or comment.
func openerOf(s *analysis.Snapshot, off int, body string) (at int, ok bool) {
	type open struct {
		At   int
		flat bool
	}
	var stack []open
	t := s.Tree()
	text := s.File().Text
	ui := t.UnitAt(off)
	if u := &t.Units[ui]; ui > 0 && (len(u.Tokens) == 0 || u.Off+int(u.Tokens[0].Off) >= off) &&
		query.Unclosed(&t.Units[ui-1]) {
		ui-- // white space counts to the unit after it, but the one before is still being written
	}
	// What the unit stands in: an explicit module that is open here.
	if m := s.ModuleAt(off); m != nil && m.Span().Start < t.Units[ui].Off &&
		t.Units[t.UnitAt(m.Span().Start)].Kind == syntax.UnitOpen &&
		m.Span().End > off {
		stack = append(stack, open{m.Span().Start, false})
	} else if u := &t.Units[ui]; u.Kind != syntax.UnitOpen {
		for k := ui - 1; k >= 0 && t.Units[k].Kind != syntax.UnitClose; k-- {
			if t.Units[k].Kind == syntax.UnitOpen && len(t.Units[k].Tokens) > 0 {
				stack = append(stack, open{t.Units[k].Off + int(t.Units[k].Tokens[0].Off), false})
				break
			}
		}
	}
	u := &t.Units[ui]
	end := u.Off
	for i := range u.Tokens {
		tok := &u.Tokens[i]
		a := u.Off + int(tok.Off)
		if a >= off {
			break
		}
		end = a + int(tok.Len)
		if end > off {
			return 0, false
		}
		switch tok.Kind {
		case syntax.TokLParen, syntax.TokAnnot:
			stack = append(stack, open{a, false})
		case syntax.TokRParen:
			for len(stack) > 0 && stack[len(stack)-1].flat {
				stack = stack[:len(stack)-1]
			}
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case syntax.TokKeyword:
			if i > 0 && u.Tokens[i-1].Kind == syntax.TokLParen {
				break
			}
			word := text[a:end]
			if word == "end" || word == "delegate" {
				if n := len(stack); n > 0 && stack[n-1].flat {
					stack = stack[:n-1]
				}
			} else if ops := wasm.Lookup(word); len(ops) > 0 && ops[0].OpensBlock() {
				stack = append(stack, open{a, true})
			}
		}
	}
	if query.InComment(text[end:off]) {
		return 0, false
	}
	if len(stack) == 0 {
		return -1, true
	}
	if strings.HasPrefix(body, ")") { // a parenthesis closes a parenthesis
		for len(stack) > 0 && stack[len(stack)-1].flat {
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			return -1, true
		}
	}
	return stack[len(stack)-1].At, true
}
