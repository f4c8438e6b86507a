package cursor

import (
	"stackscope/analysis/syntax"
)

// Parts walks what a node consists of, in order: its own tokens and its child nodes, annotations
// left out.
type Parts struct {
	U                *Unit
	Tok, End         uint32
	Child, LastChild uint32
}

// Parts starts a walk.
func (u *Unit) Parts(n uint32) Parts {
	nd := &u.Nodes[n]
	return Parts{u, nd.Tok, nd.TokEnd, n + 1, nd.Next}
}

// Peek returns the next part: a token's index, or a node's if node is set.
func (p *Parts) Peek() (i uint32, node, ok bool) {
	for p.Tok < p.End || p.Child < p.LastChild {
		if p.Child < p.LastChild {
			if c := &p.U.Nodes[p.Child]; c.Tok <= p.Tok {
				if c.Kind == syntax.KAnnot {
					p.Tok, p.Child = max(p.Tok, c.TokEnd), c.Next
					continue
				}
				return p.Child, true, true
			}
		}
		if p.Tok >= p.End {
			return 0, false, false
		}
		return p.Tok, false, true
	}
	return 0, false, false
}

// Skip goes past what peek gave.
func (p *Parts) Skip() {
	i, node, ok := p.Peek()
	switch {
	case !ok:
	case node:
		p.Tok, p.Child = max(p.Tok, p.U.Nodes[i].TokEnd), p.U.Nodes[i].Next
	default:
		p.Tok++
	}
}

// Next is peek and skip.
func (p *Parts) Next() (i uint32, node, ok bool) {
	i, node, ok = p.Peek()
	if ok {
		if node {
			p.Tok, p.Child = max(p.Tok, p.U.Nodes[i].TokEnd), p.U.Nodes[i].Next
		} else {
			p.Tok++
		}
	}
	return
}

// Token returns the next part if it is a token of one of the kinds, and goes past it.
func (p *Parts) Token(kinds ...syntax.TokenKind) (uint32, bool) {
	i, node, ok := p.Peek()
	if !ok || node {
		return 0, false
	}
	for _, k := range kinds {
		if p.U.Tokens[i].Kind == k {
			p.Tok++
			return i, true
		}
	}
	return 0, false
}

// Word goes past the next part if it is the keyword.
func (p *Parts) Word(s string) (uint32, bool) {
	i, node, ok := p.Peek()
	if ok && !node && p.U.Tokens[i].Kind == syntax.TokKeyword && p.U.TokText(i) == s {
		p.Tok++
		return i, true
	}
	return 0, false
}

// IndexToken returns the next part if it is an identifier or a natural number, and goes past it.
func (p *Parts) IndexToken() (uint32, bool) { return p.Token(syntax.TokID, syntax.TokNat) }

// Node returns the next part if it is a node of the kind, and goes past it.
func (p *Parts) Node(k syntax.Kind) (uint32, bool) {
	i, node, ok := p.Peek()
	if ok && node && p.U.Nodes[i].Kind == k {
		p.Skip()
		return i, true
	}
	return 0, false
}
