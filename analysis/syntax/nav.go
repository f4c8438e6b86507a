package syntax

import (
	"iter"
	"sort"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// Tok is a token at its place. The zero Tok is no token.
type Tok struct {
	T *Tree
	U int32 // unit
	I int32 // token in the unit
}

// IsZero tells whether there is no token.
func (k Tok) IsZero() bool { return k.T == nil }

func (k Tok) token() Token {
	if k.T == nil {
		return Token{}
	}
	return k.T.Units[k.U].Tokens[k.I]
}

// Kind gives the kind; TokEOF of the zero Tok.
func (k Tok) Kind() TokenKind { return k.token().Kind }

// Span gives where it stands.
func (k Tok) Span() source.Span {
	if k.T == nil {
		return source.Span{}
	}
	t, o := k.token(), k.T.Units[k.U].Off
	return source.Span{Start: o + int(t.Off), End: o + int(t.Off+t.Len)}
}

// Text gives it as written.
func (k Tok) Text() string {
	if k.T == nil {
		return ""
	}
	s := k.Span()
	return k.T.Src.Text[s.Start:s.End]
}

// Bytes decodes a string token; nil if it is none.
func (k Tok) Bytes() []byte {
	b, _ := DecodeString(k.Text())
	return b
}

// Name gives the name of an identifier without the `$`, or what a string token says; "" else.
func (k Tok) Name() string {
	s := k.Text()
	if hasPrefix(s, "$") {
		n, _ := DecodeID(s)
		return n
	}
	b, _ := DecodeString(s)
	return string(b)
}

func (n N) node() *Node { return &n.T.Units[n.U].Nodes[n.I] }

// IsZero tells whether there is no node.
func (n N) IsZero() bool { return n.T == nil }

// Kind gives the kind; KError of the zero N.
func (n N) Kind() Kind {
	if n.T == nil {
		return KError
	}
	return n.node().Kind
}

// Op gives the first row of the instruction table with the node's mnemonic.
func (n N) Op() wasm.Op {
	if n.T == nil {
		return wasm.OpInvalid
	}
	return n.node().Op
}

// Unit gives the unit the node is in.
func (n N) Unit() Placed { return n.T.Units[n.U] }

// Span gives where it stands, its parentheses included.
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

// Text gives it as written.
func (n N) Text() string {
	if n.T == nil {
		return ""
	}
	s := n.Span()
	return n.T.Src.Text[s.Start:s.End]
}

// Folded tells whether it begins with a parenthesis.
func (n N) Folded() bool {
	if n.T == nil {
		return false
	}
	d := n.node()
	return d.Tok < d.TokEnd && n.T.Units[n.U].Tokens[d.Tok].Kind == TokLParen
}

// Parent gives the node it is a child of; the zero N for the root of a unit.
func (n N) Parent() N {
	if n.T == nil || n.I == 0 {
		return N{}
	}
	nodes := n.T.Units[n.U].Nodes
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

// Children gives the child nodes in order, without annotations.
func (n N) Children() iter.Seq[N] { return n.children(false) }

// Annots gives the annotations among the child nodes.
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

// Leading gives the annotations that stand right in front of the node, in its parent.
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

// First gives the first child of a kind, or the zero N.
func (n N) First(kind Kind) N {
	for c := range n.children(kind == KAnnot) {
		if c.Kind() == kind {
			return c
		}
	}
	return N{}
}

// Own gives the tokens that belong to the node itself and not to a child.
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

// Keyword gives the first own token that is a keyword (of an annotation, its `(@id`), or the zero Tok.
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

// ID gives the first own token that is an identifier.
func (n N) ID() (Tok, bool) {
	for k := range n.Own() {
		if k.Kind() == TokID {
			return k, true
		}
	}
	return Tok{}, false
}

// Root gives the root node of a unit; the zero N if it has no token.
func (t *Tree) Root(unit int) N {
	if len(t.Units[unit].Nodes) == 0 {
		return N{}
	}
	return N{t, int32(unit), 0}
}

// UnitAt gives the index of the unit that holds an offset: the last one that begins at or before it.
func (t *Tree) UnitAt(off int) int {
	return max(0, sort.Search(len(t.Units), func(i int) bool { return t.Units[i].Off > off })-1)
}

// At gives the innermost node and the token at an offset. A token counts from its first byte to
// right behind its last; where two touch, the one that is no parenthesis wins, else the one that
// begins there. In white space the token is zero, and the node is the innermost around it.
func (t *Tree) At(off int) (N, Tok) {
	ui := t.UnitAt(off)
	if n, k := t.atIn(ui, off); !k.IsZero() && !(k.Kind() == TokLParen || k.Kind() == TokRParen) || ui == 0 || t.Units[ui].Off < off {
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

// Errors gives the syntax errors in the order of the text.
func (t *Tree) Errors() []diag.Diagnostic {
	var out []diag.Diagnostic
	for i := range t.Units {
		u := &t.Units[i]
		for _, e := range u.Errors {
			out = append(out, u.diagnostic(&e))
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Span.Start < out[j].Span.Start })
	return out
}

// HasErrors tells whether there is any syntax error.
func (t *Tree) HasErrors() bool {
	for i := range t.Units {
		if len(t.Units[i].Errors) > 0 {
			return true
		}
	}
	return false
}

func (u *Placed) diagnostic(e *Error) diag.Diagnostic {
	s := source.Span{Start: u.Off + int(e.Off), End: u.Off + int(e.Off+e.Len)}
	d := diag.Diagnostic{Code: diag.Syntax, Severity: diag.Error, Span: s, Message: e.Message}
	if e.Related != "" {
		o := u.Off + int(e.RelOff)
		d.Related = []diag.Related{{Span: source.Span{Start: o, End: o + int(e.RelLen)}, Message: e.Related}}
	}
	switch {
	case e.Delete:
		d.Fixes = []diag.Fix{{Title: "Remove it", Edits: []source.Edit{{Span: s}}, Preferred: true}}
	case e.Insert != "":
		d.Fixes = []diag.Fix{{Title: "Insert `" + trimSpace(e.Insert) + "`", Preferred: true,
			Edits: []source.Edit{{Span: source.Span{Start: s.Start, End: s.Start}, New: e.Insert}}}}
	}
	return d
}

func trimSpace(s string) string {
	for s != "" && s[0] == ' ' {
		s = s[1:]
	}
	return s
}
