package syntax

import "sort"

// UnitAt returns the index of the unit that holds an offset: the last one that begins at or before
// it.
func (t *Tree) UnitAt(off int) int {
	return max(0, sort.Search(len(t.Units), func(i int) bool { return t.Units[i].Off > off })-1)
}

// At returns the innermost node and the token at an offset. A token counts from its first byte to
// right behind its last; where two touch, the one that is no parenthesis wins, else the one that
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
