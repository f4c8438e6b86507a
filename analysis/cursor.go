package analysis

import (
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// unit is a unit at its place in a module: what the binder walks.
type unit struct {
	*syntax.Unit
	text string // of the unit
	off  int    // of the unit in the file
	idx  int32  // of the unit in the module
}

// str returns the text of a token.
func (u *unit) str(t uint32) string {
	k := &u.Tokens[t]
	return u.text[k.Off : k.Off+k.Len]
}

// kind returns the kind of a token.
func (u *unit) kind(t uint32) syntax.TokenKind { return u.Tokens[t].Kind }

// base is the offset in the unit that places count from: its first token.
func (u *unit) base() uint32 {
	if len(u.Tokens) == 0 {
		return 0
	}
	return u.Tokens[0].Off
}

// place returns the place of tokens [from, to).
func (u *unit) place(from, to uint32) place {
	b := u.base()
	if to <= from || int(to) > len(u.Tokens) {
		to = from + 1
	}
	if int(to) > len(u.Tokens) {
		return place{unit: u.idx}
	}
	l := &u.Tokens[to-1]
	return place{u.idx, u.Tokens[from].Off - b, l.Off + l.Len - b}
}

// at returns the place of one token.
func (u *unit) at(t uint32) place { return u.place(t, t+1) }

// behind returns the empty place right behind a token.
func (u *unit) behind(t uint32) place {
	p := u.at(t)
	return place{p.unit, p.to, p.to}
}

// nodePlace returns the place of a node.
func (u *unit) nodePlace(n uint32) place { return u.place(u.Nodes[n].Tok, u.Nodes[n].TokEnd) }

// words returns the text of a node.
func (u *unit) words(n uint32) string {
	nd := &u.Nodes[n]
	if nd.TokEnd <= nd.Tok {
		return ""
	}
	last := &u.Tokens[nd.TokEnd-1]
	return u.text[u.Tokens[nd.Tok].Off : last.Off+last.Len]
}

// keyword returns the token that reports what a node is: its first one behind an opening
// parenthesis.
func (u *unit) keyword(n uint32) uint32 {
	nd := &u.Nodes[n]
	t := nd.Tok
	if t+1 < nd.TokEnd && u.Tokens[t].Kind == syntax.TokLParen {
		t++
		if u.Tokens[t].Kind == syntax.TokAnnot {
			return u.behindAnnots(n, t)
		}
	}
	return t
}

// behindAnnots returns the first token of node n from t on that is in no annotation.
func (u *unit) behindAnnots(n, t uint32) uint32 {
	nd := &u.Nodes[n]
	for c := n + 1; c < nd.Next; c = u.Nodes[c].Next {
		if u.Nodes[c].Kind != syntax.KAnnot || u.Nodes[c].Tok > t {
			break
		}
		t = max(t, u.Nodes[c].TokEnd)
	}
	return min(t, nd.TokEnd-1)
}

// idOf returns the token of the identifier right behind a node's keyword, or -1.
func (u *unit) idOf(n uint32) int32 {
	t := u.keyword(n) + 1
	if t < u.Nodes[n].TokEnd && u.Tokens[t].Kind == syntax.TokAnnot {
		t = u.behindAnnots(n, t)
	}
	if t < u.Nodes[n].TokEnd && u.Tokens[t].Kind == syntax.TokID {
		return int32(t)
	}
	return -1
}

// folded reports whether a node begins with a parenthesis.
func (u *unit) folded(n uint32) bool {
	return u.Nodes[n].Tok < u.Nodes[n].TokEnd && u.Tokens[u.Nodes[n].Tok].Kind == syntax.TokLParen
}

// id returns the decoded name of an identifier token, without `$`.
func (u *unit) id(t uint32) string { return idName(u.str(t)) }

// idName decodes an identifier as written.
func idName(s string) string {
	if strings.HasPrefix(s, `$"`) {
		if d, err := syntax.DecodeID(s); err == nil {
			return d
		}
	}
	return strings.TrimPrefix(s, "$")
}

// parts walks what a node consists of, in order: its own tokens and its child nodes, annotations
// left out.
type parts struct {
	u          *unit
	tok, end   uint32
	child, cnd uint32
}

// parts starts a walk.
func (u *unit) parts(n uint32) parts {
	nd := &u.Nodes[n]
	return parts{u, nd.Tok, nd.TokEnd, n + 1, nd.Next}
}

// peek returns the next part: a token's index, or a node's if node is set.
func (p *parts) peek() (i uint32, node, ok bool) {
	for p.tok < p.end || p.child < p.cnd {
		if p.child < p.cnd {
			if c := &p.u.Nodes[p.child]; c.Tok <= p.tok {
				if c.Kind == syntax.KAnnot {
					p.tok, p.child = max(p.tok, c.TokEnd), c.Next
					continue
				}
				return p.child, true, true
			}
		}
		if p.tok >= p.end {
			return 0, false, false
		}
		return p.tok, false, true
	}
	return 0, false, false
}

// skip goes past what peek gave.
func (p *parts) skip() {
	i, node, ok := p.peek()
	switch {
	case !ok:
	case node:
		p.tok, p.child = max(p.tok, p.u.Nodes[i].TokEnd), p.u.Nodes[i].Next
	default:
		p.tok++
	}
}

// next is peek and skip.
func (p *parts) next() (i uint32, node, ok bool) {
	i, node, ok = p.peek()
	if ok {
		if node {
			p.tok, p.child = max(p.tok, p.u.Nodes[i].TokEnd), p.u.Nodes[i].Next
		} else {
			p.tok++
		}
	}
	return
}

// token returns the next part if it is a token of one of the kinds, and goes past it.
func (p *parts) token(kinds ...syntax.TokenKind) (uint32, bool) {
	i, node, ok := p.peek()
	if !ok || node {
		return 0, false
	}
	for _, k := range kinds {
		if p.u.Tokens[i].Kind == k {
			p.tok++
			return i, true
		}
	}
	return 0, false
}

// word goes past the next part if it is the keyword.
func (p *parts) word(s string) (uint32, bool) {
	i, node, ok := p.peek()
	if ok && !node && p.u.Tokens[i].Kind == syntax.TokKeyword && p.u.str(i) == s {
		p.tok++
		return i, true
	}
	return 0, false
}

// index returns the next part if it is an identifier or a natural number, and goes past it.
func (p *parts) index() (uint32, bool) { return p.token(syntax.TokID, syntax.TokNat) }

// node returns the next part if it is a node of the kind, and goes past it.
func (p *parts) node(k syntax.Kind) (uint32, bool) {
	i, node, ok := p.peek()
	if ok && node && p.u.Nodes[i].Kind == k {
		p.skip()
		return i, true
	}
	return 0, false
}

// place is a place in a module that stays true when other units change: a unit, counted in the
// module, and offsets from its first token.
type place struct {
	unit     int32
	from, to uint32
}

// finding is a diagnostic before its places are turned into spans.
type finding struct {
	code    diag.Code
	at      place
	msg     string
	related []relatedAt
	fixes   []fixAt
}

type relatedAt struct {
	at  place
	msg string
}

type editAt struct {
	at  place
	new string
}

// newLine stands in the text of an edit for a line break and the indentation of the edit's place.
const newLine = "\x00"

type fixAt struct {
	title     string
	edits     []editAt
	preferred bool
}

// span returns the span of a place.
func (m *Module) span(p place) source.Span {
	if p.unit < 0 || int(p.unit) >= m.units {
		return source.Span{}
	}
	pl := &m.snap.tree.Units[m.first+int(p.unit)]
	b := pl.Off
	if len(pl.Tokens) > 0 {
		b += int(pl.Tokens[0].Off)
	}
	return source.Span{Start: b + int(p.from), End: b + int(p.to)}
}
