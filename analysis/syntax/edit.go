package syntax

import (
	"sort"

	"stackscope/analysis/source"
)

// Edit gives the tree of the text after an edit. It equals Parse of that text and shares with t
// every unit that the edit does not concern.
func (t *Tree) Edit(e source.Edit) *Tree {
	e.Start = max(0, min(e.Start, len(t.Src.Text)))
	e.End = max(e.Start, min(e.End, len(t.Src.Text)))
	f := t.Src.Apply(e)
	delta := len(f.Text) - len(t.Src.Text)
	first := 0
	for first < len(t.Units)-1 {
		u := &t.Units[first]
		if u.Off+int(u.Len)+u.look >= e.Start {
			break
		}
		first++
	}
	p := newParser(f.Text, t.Units[first].Off, t.Units[first].entry)
	p.dirty = first > 0 && t.Units[first-1].dirty
	out := &Tree{Src: f}
	var fresh []Placed
	for {
		if old := p.start - delta; p.start >= e.Start+len(e.New) && old >= e.End {
			k := sort.Search(len(t.Units), func(i int) bool { return t.Units[i].Off >= old })
			for k < len(t.Units) && t.Units[k].Off == old && (t.Units[k].entry != p.st || t.Units[k].Len == 0 && t.Units[k].Kind != UnitEnd) {
				k++
			}
			if k > first && k < len(t.Units) && t.Units[k].Off == old && (p.dirty == t.Units[k-1].dirty || !t.Units[k].minds()) {
				out.Units = make([]Placed, 0, first+len(fresh)+len(t.Units)-k)
				out.Units = append(out.Units, t.Units[:first]...)
				out.Units = append(out.Units, fresh...)
				for _, u := range t.Units[k:] {
					out.Units = append(out.Units, Placed{u.Off + delta, u.Unit})
				}
				return out
			}
		}
		off := p.start
		u := p.unit()
		fresh = append(fresh, Placed{off, u})
		if u.Kind == UnitEnd {
			out.Units = append(append(make([]Placed, 0, first+len(fresh)), t.Units[:first]...), fresh...)
			return out
		}
	}
}

// minds tells whether an error right before the unit matters to it.
func (u *Unit) minds() bool {
	return u.Kind == UnitStray || u.Kind == UnitEnd || u.Kind == UnitClose && u.Len == 0
}
