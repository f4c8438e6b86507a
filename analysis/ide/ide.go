// Package ide answers what an editor asks about a text: hover, completion, rename and the like. Its
// results are plain structs with spans; it knows no protocol. Every query takes a snapshot and an
// offset and works on texts with errors.
package ide

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// place is where a query looks.
type place struct {
	s   *analysis.Snapshot
	m   *analysis.Module // nil outside text modules
	off int
	n   syntax.N   // innermost node
	tok syntax.Tok // token at the offset, see tokenAt
	has bool       // whether there is a token
}

// at looks at an offset. Between two tokens that touch, the one that is a word wins, the right one
// if both are.
func at(s *analysis.Snapshot, off int) place {
	p := place{s: s, m: s.ModuleAt(off), off: off}
	p.n, p.tok, p.has = tokenAt(s.Tree(), off)
	return p
}

func tokenAt(t *syntax.Tree, off int) (syntax.N, syntax.Tok, bool) {
	n, tok := t.At(off)
	if touches(tok, off) && isWord(tok) {
		return n, tok, true
	}
	if off > 0 {
		if n2, tok2 := t.At(off - 1); touches(tok2, off) && isWord(tok2) {
			return n2, tok2, true
		}
	}
	return n, tok, touches(tok, off)
}

func touches(t syntax.Tok, off int) bool {
	return t.T != nil && t.Kind() != syntax.TokEOF && t.Span().Contains(off)
}

// isWord reports whether a token is something one can point at, rather than a parenthesis.
func isWord(t syntax.Tok) bool {
	switch t.Kind() {
	case syntax.TokEOF, syntax.TokLParen, syntax.TokRParen, syntax.TokBad:
		return false
	}
	return true
}

// ref returns the item that the token names or declares.
func (p place) ref() (analysis.Ref, bool) {
	if p.m == nil || !p.has {
		return analysis.Ref{}, false
	}
	r, ok := p.m.RefAt(p.tok.Span().Start)
	if !ok || r.Index == wasm.BadIndex {
		return r, false
	}
	return r, ok
}

// sym returns the symbol that the token names or declares.
func (p place) sym() (analysis.Symbol, analysis.Ref, bool) {
	r, ok := p.ref()
	if !ok {
		return analysis.Symbol{}, r, false
	}
	y, ok := p.m.Symbol(r.Sym)
	return y, r, ok
}

// instr returns the body and the instruction whose keyword or immediates hold the token.
func (p place) instr() (*analysis.Body, int) {
	if p.m == nil || !p.has {
		return nil, -1
	}
	fn, ok := p.m.FuncAt(p.off)
	if !ok {
		return nil, -1
	}
	b := p.m.Body(fn)
	if b == nil {
		return nil, -1
	}
	return b, b.At(p.tok.Span().Start)
}

// docAbove returns the text of the `;;` lines that stand right above an offset, without the marks;
// "" if there are none.
func docAbove(f *source.File, off int) string {
	ln := f.LineOf(off)
	if before := f.Text[f.LineStart(ln):off]; strings.TrimLeft(before, " \t(") != "" {
		return "" // something else begins on this line
	}
	var lines []string
	for ln--; ln >= 0; ln-- {
		sp := f.Line(ln)
		t := strings.TrimSpace(f.Text[sp.Start:sp.End])
		if !strings.HasPrefix(t, ";;") {
			break
		}
		t = strings.TrimLeft(t, ";")
		lines = append(lines, strings.TrimPrefix(t, " "))
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// display returns what to call an item: its name with `$`, else its index.
func display(y analysis.Symbol) string {
	if y.Name != "" {
		return idText(y.Name)
	}
	return itoa(y.Index)
}
