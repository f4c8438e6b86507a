package syntax

import (
	"sort"

	"stackscope/analysis/source"
	"stackscope/wasm"
)

// Edit returns the tree of the text after an edit. It equals Parse of that text and shares with t
// every unit that the edit does not concern.
func (t *Tree) Edit(e source.Edit) *Tree {
	e.Start = max(0, min(e.Start, len(t.Src.Text)))
	e.End = max(e.Start, min(e.End, len(t.Src.Text)))
	return t.EditAll([]source.Edit{e})
}

// EditAll returns the tree of the text after several edits, which lie in the text of t in ascending
// order and do not overlap. It equals Parse of the new text and shares with t every unit that no
// edit concerns.
func (t *Tree) EditAll(es []source.Edit) *Tree {
	f := t.Src.ApplyEdits(es)
	if len(es) == 0 {
		return &Tree{Src: f, Units: t.Units}
	}
	w := editor{t: t, f: f, es: es}
	if len(es) > 1 && w.scattered() {
		return Parse(f)
	}
	w.out = make([]Placed, 0, len(t.Units)+8)
	for len(w.es) > 0 {
		if !w.next() {
			return &Tree{Src: f, Units: w.out}
		}
	}
	w.keep(len(t.Units))
	return &Tree{Src: f, Units: w.out}
}

// editor makes the units of a text after edits.
type editor struct {
	t     *Tree
	f     *source.File // the new text
	es    []source.Edit
	out   []Placed
	k     int // the first unit of t that is not in out, if there are no edits before it
	delta int // by how much what lies after the edits so far has moved
	p     *parser
}

// scattered reports whether so many units have to be parsed that parsing everything, on several
// processors, takes less time.
func (w *editor) scattered() bool {
	units, last := 0, -1
	for i := range w.es {
		u := w.t.UnitAt(w.es[i].Start)
		if u != last && !w.t.renames(u, w.es[i]) {
			units++
			last = u
		}
	}
	return units > len(w.t.Units)/4
}

// keep takes units of t over, up to one.
func (w *editor) keep(end int) {
	for _, u := range w.t.Units[w.k:end] {
		w.out = append(w.out, Placed{u.Off + w.delta, u.Unit})
	}
	w.k = end
}

// next does the work for the first edit that is left, and for those that have to be done with it.
// It is false if that took it to the end of the text.
func (w *editor) next() bool {
	t, e := w.t, w.es[0]
	first := w.k
	for first < len(t.Units)-1 {
		u := &t.Units[first]
		if u.Off+int(u.Len)+u.look >= e.Start {
			break
		}
		first++
	}
	w.keep(first)
	if u := w.renamed(first); u != nil {
		w.out = append(w.out, *u)
		w.k = first + 1
		return true
	}
	p := w.parserAt(t.Units[first].Off+w.delta, t.Units[first].entry)
	p.dirty = len(w.out) > 0 && w.out[len(w.out)-1].dirty
	for {
		w.pass(p.start)
		old := p.start - w.delta
		if len(w.es) == 0 || old <= w.es[0].Start {
			k := first + sort.Search(len(t.Units)-first, func(i int) bool { return t.Units[first+i].Off >= old })
			for k < len(t.Units) && t.Units[k].Off == old && (t.Units[k].entry != p.st ||
				t.Units[k].Len == 0 && t.Units[k].Kind != UnitEnd) {
				k++
			}
			if k > first && k < len(t.Units) && t.Units[k].Off == old &&
				(p.dirty == t.Units[k-1].dirty || !t.Units[k].minds()) {
				w.k = k
				return true
			}
		}
		off := p.start
		u := p.unit()
		w.out = append(w.out, Placed{off, u})
		if u.Kind == UnitEnd {
			return false
		}
	}
}

// pass drops the edits that end at or before an offset of the new text.
func (w *editor) pass(off int) {
	for len(w.es) > 0 {
		e := w.es[0]
		if e.Start+w.delta+len(e.New) > off {
			return
		}
		w.delta += len(e.New) - (e.End - e.Start)
		w.es = w.es[1:]
	}
}

// parserAt returns a parser at an offset of the new text.
func (w *editor) parserAt(off int, st state) *parser {
	if w.p == nil {
		w.p = newParser(w.f.Text, off, st)
		return w.p
	}
	w.p.restart(off, st)
	return w.p
}

// minds reports whether an error right before the unit matters to it.
func (u *Unit) minds() bool {
	return u.Kind == UnitStray || u.Kind == UnitEnd || u.Kind == UnitClose && u.Len == 0
}

// renamed returns the unit of t after the edits in it, if all they do is to exchange one name for
// another: the tokens then are those of t with other lengths, and nothing needs to be parsed.
func (w *editor) renamed(ui int) *Placed {
	t := w.t
	old := &t.Units[ui]
	n := 0
	for n < len(w.es) && w.es[n].Start <= old.Off+int(old.Len) {
		if !t.renames(ui, w.es[n]) {
			return nil
		}
		n++
	}
	if n == 0 || n < len(w.es) && old.Off+int(old.Len)+old.look >= w.es[n].Start {
		return nil
	}
	o := old.Unit
	u := &Unit{
		Kind: o.Kind, Len: o.Len, Nodes: o.Nodes, Errors: o.Errors, Annotated: o.Annotated,
		dirty: o.dirty, entry: o.entry, look: o.look,
	}
	u.up.Store(o.up.Load())
	u.Tokens = make([]Token, len(old.Tokens))
	copy(u.Tokens, old.Tokens)
	at := old.Off + w.delta
	moved, from := 0, 0
	shift := func(to int) {
		if moved != 0 {
			for i := from; i < to; i++ {
				u.Tokens[i].Off = uint32(int(u.Tokens[i].Off) + moved)
			}
		}
		from = to
	}
	for _, e := range w.es[:n] {
		i := old.tokenAt(e.Start - old.Off)
		shift(i + 1)
		d := len(e.New) - (e.End - e.Start)
		u.Tokens[i].Len = uint32(int(u.Tokens[i].Len) + d)
		moved += d
	}
	shift(len(u.Tokens))
	u.Len = uint32(int(u.Len) + moved)
	w.delta += moved
	w.es = w.es[n:]
	return &Placed{at, u}
}

// tokenAt returns the last token that begins before or at an offset in the unit, -1 if there is
// none.
func (u *Unit) tokenAt(rel int) int {
	return sort.Search(len(u.Tokens), func(i int) bool { return int(u.Tokens[i].Off) > rel }) - 1
}

// renames reports whether an edit exchanges a plain name in a unit for another one, at a place
// where the parser does not care which name it is: not at the label of a block or its end, which it
// compares, nor where the unit before looked.
func (t *Tree) renames(ui int, e source.Edit) bool {
	u := &t.Units[ui]
	if len(u.Errors) > 0 || u.dirty || u.Kind != UnitField ||
		ui > 0 && t.Units[ui-1].Off+int(t.Units[ui-1].Len)+t.Units[ui-1].look >= e.Start {
		return false
	}
	i := u.tokenAt(e.Start - u.Off)
	if i < 1 || u.Tokens[i].Kind != TokID || u.Tokens[i-1].Kind != TokKeyword || !plainPart(e.New) {
		return false
	}
	// After the `$`, so that it stays an identifier; one edit for a token, so that it stays plain.
	text := t.Src.Text
	a := u.Off + int(u.Tokens[i].Off)
	b := a + int(u.Tokens[i].Len)
	switch {
	case e.Start == a && len(e.New) > 1 && e.New[0] == '$' && e.End == b:
	case e.Start > a && e.End <= b && b-a+len(e.New)-(e.End-e.Start) > 1 && plainPart(text[a:b]):
	default:
		return false
	}
	word := text[u.Off+int(u.Tokens[i-1].Off):][:u.Tokens[i-1].Len]
	switch word {
	case "func", "type", "param", "local", "global", "table", "memory", "tag":
		return true
	}
	ops := wasm.Lookup(word)
	if len(ops) == 0 || ops[0].OpensBlock() {
		return false
	}
	for _, imm := range ops[0].Info().Imms {
		switch imm {
		case wasm.ImmFunc, wasm.ImmGlobal, wasm.ImmLocal:
			return true
		}
	}
	return false
}

// plainPart reports whether a text consists of characters of plain identifiers.
func plainPart(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == ',' || c == ';' || c == '(' || c == ')' || c == '[' ||
			c == ']' ||
			c == '{' ||
			c == '}' {
			return false
		}
	}
	return true
}
