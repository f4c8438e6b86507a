package lower

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// scope holds the locals and labels that instructions of a body can name.
type scope struct {
	decl.TypeReader
	Body   *Body
	labels []label
	byName map[string]uint32 // locals, where there are many
	Use    decl.TypeUse      // scratch
}

// label is an open label, innermost last.
type label struct {
	name  string
	block uint32 // ordinal of the block; noBlock: the function or expression itself
}

const noBlock = ^uint32(0)

// localGroup enters the parameters or locals of a group.
func (l *scope) localGroup(c uint32) {
	had := len(l.Body.Locals)
	var id int32
	l.Body.Locals, id = l.AppendTypes(c, l.Body.Locals)
	if len(l.Body.Locals) == had && id >= 0 && l.Unit.Nodes[c].Kind == syntax.KLocal {
		l.Body.Locals = append(l.Body.Locals, wasm.Unknown) // the type is malformed: that was said
	}
	for i := had; i < len(l.Body.Locals); i++ {
		name := ""
		if id >= 0 {
			name = l.Unit.Name(uint32(id))
			if l.OnRef != nil {
				l.OnRef(decl.Sym{Space: decl.SpaceLocal, Owner: l.Body.Fn, Index: uint32(i)}, uint32(id), decl.RefDef)
			}
		}
		l.Body.LocalNames = append(l.Body.LocalNames, name)
		l.Body.LocalItems = append(l.Body.LocalItems, decl.Item{Unit: l.Unit.Index, Node: c, ID: id, Part: 0})
	}
}

// indexLocals looks for duplicates, and makes names quick to find where there are many.
func (l *scope) indexLocals() {
	if len(l.Body.LocalNames) > fewLocals {
		if l.byName == nil {
			l.byName = map[string]uint32{}
		}
		clear(l.byName)
		for i, s := range l.Body.LocalNames {
			if s == "" {
				continue
			}
			if j, ok := l.byName[s]; ok {
				l.duplicateLocal(i, int(j))
				continue
			}
			l.byName[s] = uint32(i)
		}
		return
	}
	for i, s := range l.Body.LocalNames {
		if s == "" {
			continue
		}
		for j := range i {
			if l.Body.LocalNames[j] == s {
				l.duplicateLocal(i, j)
				break
			}
		}
	}
}

const fewLocals = 12

func (l *scope) duplicateLocal(i, j int) {
	t := uint32(l.Body.LocalItems[i].ID)
	l.Report(
		cursor.Finding{Code: diag.DuplicateName, At: l.Unit.TokPlace(t), Msg: "duplicate local " + l.Unit.TokText(t),
			Related: []cursor.Related{
				{At: l.Unit.TokPlace(uint32(l.Body.LocalItems[j].ID)), Msg: "first declared here"},
			}},
	)
}

// local resolves a local.
func (l *scope) local(t uint32, kind decl.RefKind) uint32 {
	i := wasm.BadIndex
	switch l.Unit.TokKind(t) {
	case syntax.TokNat:
		i = l.Number(decl.SpaceLocal, t)
	case syntax.TokID:
		name := l.Unit.Name(t)
		if len(l.Body.LocalNames) > fewLocals {
			if j, ok := l.byName[name]; ok {
				i = j
			}
		} else {
			for j, s := range l.Body.LocalNames {
				if s == name {
					i = uint32(j)
					break
				}
			}
		}
		if i == wasm.BadIndex {
			l.UnknownName(decl.SpaceLocal, t, l.localMap())
		}
	}
	if l.OnRef != nil {
		l.OnRef(decl.Sym{Space: decl.SpaceLocal, Owner: l.Body.Fn, Index: i}, t, kind)
	}
	return i
}

func (l *scope) localMap() map[string]uint32 {
	m := map[string]uint32{}
	for i, s := range l.Body.LocalNames {
		if s != "" {
			m[s] = uint32(i)
		}
	}
	return m
}

// label resolves a label to a relative depth.
func (l *scope) label(t uint32) uint32 {
	d := wasm.BadIndex
	switch l.Unit.TokKind(t) {
	case syntax.TokNat:
		d = l.Number(decl.SpaceLabel, t)
	case syntax.TokID:
		name := l.Unit.Name(t)
		for i := len(l.labels) - 1; i > 0; i-- {
			if l.labels[i].name == name {
				d = uint32(len(l.labels) - 1 - i)
				break
			}
		}
		if d == wasm.BadIndex {
			m := map[string]uint32{}
			for _, x := range l.labels {
				if x.name != "" {
					m[x.name] = 0
				}
			}
			l.UnknownName(decl.SpaceLabel, t, m)
		}
	}
	i := wasm.BadIndex
	if int64(d) < int64(len(l.labels)) {
		i = l.labels[len(l.labels)-1-int(d)].block
	}
	if int64(i) < int64(len(l.Body.Blocks)) {
		l.Body.Blocks[i].Used = true
	}
	if l.OnRef != nil {
		l.OnRef(decl.Sym{Space: decl.SpaceLabel, Owner: l.Body.Fn, Index: i}, t, decl.RefRead)
	}
	return d
}

func (l *scope) sameLabel(n, t uint32) {
	for i := len(l.Body.Blocks) - 1; i >= 0; i-- {
		if l.Body.Blocks[i].Node == n {
			if l.OnRef != nil {
				l.OnRef(decl.Sym{Space: decl.SpaceLabel, Owner: l.Body.Fn, Index: uint32(i)}, t, decl.RefRead)
			}
			break
		}
	}
}

// checkLabel records the use of the block's label after `else`; the parser compares them.
func (l *scope) checkLabel(n, t, end uint32) {
	if t < end && l.Unit.TokKind(t) == syntax.TokID {
		l.sameLabel(n, t)
	}
}

// localIndex returns the local of a name.
func (l *scope) localIndex(name string) (int, bool) {
	for i, n := range l.Body.LocalNames {
		if n == name && n != "" {
			return i, true
		}
	}
	return 0, false
}

// Params enters the parameters among the children of a function or import, and returns the node
// after the header.
func (l *scope) Params(n uint32) uint32 {
	c, end := n+1, l.Unit.Nodes[n].Next
	hush := l.Silent
	for ; c < end; c = l.Unit.Nodes[c].Next {
		switch l.Unit.Nodes[c].Kind {
		case syntax.KParam:
			l.Silent = true // what is wrong with its type was said when the function was declared
			l.localGroup(c)
			l.Silent = hush
			continue
		case syntax.KLocal, syntax.KTypeUse, syntax.KResult, syntax.KInlineExport, syntax.KInlineImport, syntax.KAnnot:
			continue
		}
		break
	}
	return c
}
