package query

import (
	"stackscope/analysis"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Place is where a query looks.
type Place struct {
	Snap   *analysis.Snapshot
	Module *analysis.Module // nil outside text modules
	Off    int
	Node   syntax.N   // innermost node
	Tok    syntax.Tok // token at the offset, see tokenAt
	HasTok bool       // whether there is a token
}

// At looks at an offset. Between two tokens that touch, the one that is a word wins, the right one
// if both are.
func At(s *analysis.Snapshot, off int) Place {
	p := Place{Snap: s, Module: s.ModuleAt(off), Off: off}
	p.Node, p.Tok, p.HasTok = tokenAt(s.Tree(), off)
	return p
}

func tokenAt(t *syntax.Tree, off int) (syntax.N, syntax.Tok, bool) {
	n, tok := t.At(off)
	if touches(tok, off) && IsWord(tok) {
		return n, tok, true
	}
	if off > 0 {
		if n2, tok2 := t.At(off - 1); touches(tok2, off) && IsWord(tok2) {
			return n2, tok2, true
		}
	}
	return n, tok, touches(tok, off)
}

func touches(t syntax.Tok, off int) bool {
	return t.T != nil && t.Kind() != syntax.TokEOF && t.Span().Contains(off)
}

// IsWord reports whether a token is something one can point at, rather than a parenthesis.
func IsWord(t syntax.Tok) bool {
	switch t.Kind() {
	case syntax.TokEOF, syntax.TokLParen, syntax.TokRParen, syntax.TokBad:
		return false
	}
	return true
}

// Ref returns the item that the token names or declares.
func (p Place) Ref() (analysis.Ref, bool) {
	if p.Module == nil || !p.HasTok {
		return analysis.Ref{}, false
	}
	r, ok := p.Module.RefAt(p.Tok.Span().Start)
	if !ok || r.Index == wasm.BadIndex {
		return r, false
	}
	return r, ok
}

// Symbol returns the symbol that the token names or declares.
func (p Place) Symbol() (analysis.Symbol, analysis.Ref, bool) {
	r, ok := p.Ref()
	if !ok {
		return analysis.Symbol{}, r, false
	}
	y, ok := p.Module.Symbol(r.Sym)
	return y, r, ok
}

// Instr returns the body and the instruction whose keyword or immediates hold the token.
func (p Place) Instr() (*analysis.Body, int) {
	if p.Module == nil || !p.HasTok {
		return nil, -1
	}
	fn, ok := p.Module.FuncAt(p.Off)
	if !ok {
		return nil, -1
	}
	b := p.Module.Body(fn)
	if b == nil {
		return nil, -1
	}
	return b, b.At(p.Tok.Span().Start)
}

// Up returns the innermost node around the cursor that is of one of the kinds; the zero N if there
// is none.
func (p Place) Up(kinds ...syntax.Kind) syntax.N {
	for n := p.Node; !n.IsZero(); n = n.Parent() {
		for _, k := range kinds {
			if n.Kind() == k {
				return n
			}
		}
	}
	return syntax.N{}
}

// Field returns the root of the module field around the cursor.
func (p Place) Field() syntax.N {
	if p.Node.IsZero() {
		return p.Node
	}
	return p.Snap.Tree().Root(int(p.Node.U))
}

// Op returns the instruction of a mnemonic in the module's dialect.
func (p Place) Op(name string) (wasm.Op, bool) {
	ops := wasm.Lookup(name)
	if len(ops) == 0 {
		return 0, false
	}
	if p.Module != nil {
		if op, ok := ops[0].In(p.Module.Dialect()); ok {
			return op, true
		}
	}
	return ops[0], true
}

// LabelBlock returns the body and the instruction of the block that a label symbol belongs to.
func (p Place) LabelBlock(y analysis.Symbol) (*analysis.Body, int) {
	b := p.Module.Body(y.Owner)
	if b == nil {
		return nil, -1
	}
	return b, b.Block(y.Index)
}
