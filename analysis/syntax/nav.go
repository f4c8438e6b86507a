package syntax

import (
	"iter"
	"sort"

	"stackscope/analysis/source"
	"stackscope/wasm"
)

func (n N) node() *Node { return &n.T.Units[n.U].Nodes[n.I] }

// IsZero reports whether there is no node.
func (n N) IsZero() bool { return n.T == nil }

// Kind returns the kind; KError of the zero N.
func (n N) Kind() Kind {
	if n.T == nil {
		return KError
	}
	return n.node().Kind
}

// Op returns the first row of the instruction table with the node's mnemonic.
func (n N) Op() wasm.Op {
	if n.T == nil {
		return wasm.OpInvalid
	}
	return n.node().Op
}

// Unit returns the unit the node is in.
func (n N) Unit() Placed { return n.T.Units[n.U] }

// Span returns where it stands, its parentheses included.
func (n N) Span() source.Span {
	if n.T == nil {
		return source.Span{}
	}
	u, d := n.T.Units[n.U], n.node()
	if d.Tok >= d.TokEnd {
		return source.Span{Start: u.Off, End: u.Off}
	}
	a, b := u.Tokens[d.Tok], u.Tokens[d.TokEnd-1]
	return source.Span{Start: u.Off + int(a.Off), End: u.Off + int(b.Off+b.Len)}
}

// Text returns it as written.
func (n N) Text() string {
	if n.T == nil {
		return ""
	}
	s := n.Span()
	return n.T.Src.Text[s.Start:s.End]
}

// Folded reports whether it begins with a parenthesis.
func (n N) Folded() bool {
	if n.T == nil {
		return false
	}
	d := n.node()
	return d.Tok < d.TokEnd && n.T.Units[n.U].Tokens[d.Tok].Kind == TokLParen
}

// manyNodes is how many nodes a unit has at least for it to remember the parent of each.
const manyNodes = 64

// Parent returns the node it is a child of; the zero N for the root of a unit.
func (n N) Parent() N {
	if n.T == nil || n.I == 0 {
		return N{}
	}
	u := n.T.Units[n.U].Unit
	if len(u.Nodes) > manyNodes {
		return N{n.T, n.U, u.parents()[n.I]}
	}
	nodes := u.Nodes
	at := int32(0)
	for {
		for c := at + 1; ; c = int32(nodes[c].Next) {
			if c == n.I {
				return N{n.T, n.U, at}
			}
			if int32(nodes[c].Next) > n.I {
				at = c
				break
			}
		}
	}
}

// Children returns the child nodes in order, without annotations.
func (n N) Children() iter.Seq[N] { return n.children(false) }

// Annots returns the annotations among the child nodes.
func (n N) Annots() iter.Seq[N] { return n.children(true) }

func (n N) children(annots bool) iter.Seq[N] {
	return func(yield func(N) bool) {
		if n.T == nil {
			return
		}
		nodes := n.T.Units[n.U].Nodes
		for c, e := n.I+1, int32(nodes[n.I].Next); c < e; c = int32(nodes[c].Next) {
			if (nodes[c].Kind == KAnnot) == annots && !yield(N{n.T, n.U, c}) {
				return
			}
		}
	}
}

// Leading returns the annotations that stand right before the node, in its parent.
func (n N) Leading() []N {
	p := n.Parent()
	if p.T == nil {
		return nil
	}
	nodes := n.T.Units[n.U].Nodes
	var out []N
	for c := p.I + 1; c < n.I; c = int32(nodes[c].Next) {
		if nodes[c].Kind != KAnnot || len(out) > 0 && nodes[out[len(out)-1].I].TokEnd != nodes[c].Tok {
			out = out[:0]
		}
		if nodes[c].Kind == KAnnot {
			out = append(out, N{n.T, n.U, c})
		}
	}
	if len(out) > 0 && nodes[out[len(out)-1].I].TokEnd != n.node().Tok {
		return nil
	}
	return out
}

// First returns the first child of a kind, or the zero N.
func (n N) First(kind Kind) N {
	for c := range n.children(kind == KAnnot) {
		if c.Kind() == kind {
			return c
		}
	}
	return N{}
}

// Own returns the tokens that belong to the node itself and not to a child.
func (n N) Own() iter.Seq[Tok] {
	return func(yield func(Tok) bool) {
		if n.T == nil {
			return
		}
		nodes := n.T.Units[n.U].Nodes
		d := nodes[n.I]
		c := n.I + 1
		for i := d.Tok; i < d.TokEnd; {
			if c < int32(d.Next) && nodes[c].Tok <= i {
				i = max(i, nodes[c].TokEnd)
				c = int32(nodes[c].Next)
				continue
			}
			if !yield(Tok{n.T, n.U, int32(i)}) {
				return
			}
			i++
		}
	}
}

// Keyword returns the first own token that is a keyword (of an annotation, its `(@id`), or the zero
// Tok.
func (n N) Keyword() Tok {
	for k := range n.Own() {
		switch k.Kind() {
		case TokLParen:
			continue
		case TokKeyword, TokAnnot:
			return k
		}
		break
	}
	return Tok{}
}

// ID returns the first own token that is an identifier.
func (n N) ID() (Tok, bool) {
	for k := range n.Own() {
		if k.Kind() == TokID {
			return k, true
		}
	}
	return Tok{}, false
}

// Root returns the root node of a unit; the zero N if it has no token.
func (t *Tree) Root(unit int) N {
	if len(t.Units[unit].Nodes) == 0 {
		return N{}
	}
	return N{t, int32(unit), 0}
}

// UnitAt returns the index of the unit that holds an offset: the last one that begins at or before
// it.
func (t *Tree) UnitAt(off int) int {
	return max(0, sort.Search(len(t.Units), func(i int) bool { return t.Units[i].Off > off })-1)
}

// At returns the innermost node and the token at an offset. A token counts from its first byte to
// right after its last; where two touch, the one that is no parenthesis wins, else the one that
// begins there. In white space the token is zero, and the node is the innermost around it.
func (t *Tree) At(off int) (N, Tok) {
	ui := t.UnitAt(off)
	if n, k := t.atIn(ui, off); !k.IsZero() && !(k.Kind() == TokLParen || k.Kind() == TokRParen) || ui == 0 ||
		t.Units[ui].Off < off {
		return n, k
	}
	// At a unit's very start the last token of the one before touches as well.
	for pi := ui - 1; pi >= 0; pi-- {
		if len(t.Units[pi].Tokens) == 0 {
			continue
		}
		n, k := t.atIn(ui, off)
		if n2, k2 := t.atIn(pi, off); !k2.IsZero() && (k.IsZero() || k2.Kind() != TokRParen) {
			return n2, k2
		}
		return n, k
	}
	return t.atIn(ui, off)
}

func (t *Tree) atIn(ui, off int) (N, Tok) {
	u := t.Units[ui]
	rel := off - u.Off
	// The last token that begins at or before the offset.
	i := sort.Search(len(u.Tokens), func(i int) bool { return int(u.Tokens[i].Off) > rel }) - 1
	hit := -1
	if i >= 0 && rel <= int(u.Tokens[i].Off+u.Tokens[i].Len) {
		hit = i
		if i > 0 && isParen(u.Tokens[i].Kind) && int(u.Tokens[i].Off) == rel {
			if b := u.Tokens[i-1]; int(b.Off+b.Len) == rel && !isParen(b.Kind) {
				hit = i - 1
			}
		}
	}
	var tok Tok
	if hit >= 0 {
		tok = Tok{t, int32(ui), int32(hit)}
	}
	if len(u.Nodes) == 0 {
		return N{}, tok
	}
	// Descend to the innermost node around the token, or around the offset.
	in := func(d *Node) bool {
		if hit >= 0 {
			return int(d.Tok) <= hit && hit < int(d.TokEnd)
		}
		return int(d.Tok) <= i && i+1 < int(d.TokEnd)
	}
	if !in(&u.Nodes[0]) {
		return N{}, tok
	}
	if len(u.Nodes) > manyNodes { // from the last node that begins there, upwards
		up := u.parents()
		most := uint32(i)
		if hit >= 0 {
			most = uint32(hit)
		}
		n := sort.Search(len(u.Nodes), func(k int) bool { return u.Nodes[k].Tok > most }) - 1
		for n > 0 && !in(&u.Nodes[n]) {
			n = int(up[n])
		}
		return N{t, int32(ui), int32(n)}, tok
	}
	at := 0
	for c := 1; c < int(u.Nodes[at].Next); {
		if d := &u.Nodes[c]; in(d) {
			at = c
			c++
			continue
		}
		c = int(u.Nodes[c].Next)
	}
	return N{t, int32(ui), int32(at)}, tok
}

func isParen(k TokenKind) bool { return k == TokLParen || k == TokRParen }
