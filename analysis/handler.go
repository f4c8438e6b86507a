package analysis

import (
	"strconv"
	"strings"

	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// explainHandler says of a handler label that does not fit what would, and how to get there.
func (l *lowerer) explainHandler(e *valid.Error, f *cursor.Finding) {
	h := e.Handler
	if h == nil {
		return
	}
	l.relateItem(SpaceTag, h.Tag, "the tag is declared here: "+l.tagTitle(h.Tag), f)
	if in := &l.instrs[h.Resume]; int64(in.A) < int64(len(l.d.mod.Types)) {
		if ft := l.d.mod.ContFunc(in.A); ft != nil {
			name := l.d.mod.Names.Type
			l.relateItem(
				SpaceType, in.A,
				"the continuation that is resumed: "+wasm.FormatTypes(ft.Params, name)+" -> "+wasm.FormatTypes(ft.Results, name),
				f,
			)
		}
	}
	if h.Block < 0 || h.Block >= len(l.nodes) {
		f.Related = append(f.Related, cursor.Related{At: l.header(0), Msg: "the label is the function itself"})
		return
	}
	n := l.nodes[h.Block]
	f.Related = append(f.Related, cursor.Related{At: l.ownPlace(n), Msg: "the block that the label names"})
	last := len(h.Needs) - 1
	if last < 0 || h.Needs[last].Heap() == wasm.HeapBad {
		l.offerContType(h, n, f)
		return
	}
	if e, ok := l.retypeLabel(n, h.Needs); ok {
		f.Fixes = append(f.Fixes, cursor.Fix{Title: "Change the block's type to " + strings.TrimSpace(e.New), Edits: []cursor.Edit{e}, Preferred: true})
	}
}

func (l *lowerer) tagTitle(tag uint32) string {
	name := l.d.mod.Names.Type
	if int64(tag) >= int64(len(l.d.mod.Tags)) {
		return ""
	}
	ft := l.d.mod.FuncType(l.d.mod.Tags[tag].Type)
	if ft == nil {
		return ""
	}
	return wasm.FormatTypes(ft.Params, name) + " -> " + wasm.FormatTypes(ft.Results, name)
}

// retypeLabel returns the edit that makes a block's label take the types: its results, of a loop
// its parameters. What the block has on its other side stays.
func (l *lowerer) retypeLabel(n uint32, types []wasm.ValType) (cursor.Edit, bool) {
	u := &l.u
	if u.Nodes[n].Kind != syntax.KBlock {
		return cursor.Edit{}, false
	}
	loop := u.Nodes[n].Op == wasm.OpLoop
	kind, word := syntax.KResult, "result"
	if loop {
		kind, word = syntax.KParam, "param"
	}
	text := "(" + word
	for _, t := range types {
		text += " " + t.Format(l.d.mod.Names.Type)
	}
	text += ")"
	var first, last, use uint32 // nodes: what is replaced, and the type use
	end := u.Keyword(n)         // token behind which it goes
	if t := u.IdToken(n); t >= 0 {
		end = uint32(t)
	}
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		k := u.Nodes[c].Kind
		if k == syntax.KAnnot {
			continue
		}
		if k != syntax.KTypeUse && k != syntax.KParam && k != syntax.KResult {
			break
		}
		switch {
		case k == syntax.KTypeUse:
			use = c
		case k == kind:
			if first == 0 {
				first = c
			}
			last = c
		}
		if k == syntax.KTypeUse || k == syntax.KParam && !loop {
			end = u.Nodes[c].TokEnd - 1
		}
	}
	if use != 0 {
		// The type behind an index would have to change: write the new type out in its place.
		bt, ok := l.blockType(n+1, u.Nodes[n].Next)
		i, indexed := bt.Index()
		ft := l.d.mod.FuncType(i)
		if !ok || !indexed || ft == nil {
			return cursor.Edit{}, false
		}
		params, results := ft.Params, types
		if loop {
			params, results = types, ft.Results
		}
		at := u.Place(u.Nodes[use].Tok, l.headerEndTok(n))
		return cursor.Edit{
			At:  at,
			New: strings.TrimSpace(group("param", params, l.d.mod.Names.Type) + group("result", results, l.d.mod.Names.Type)),
		}, true
	}
	if first != 0 {
		return cursor.Edit{At: u.Place(u.Nodes[first].Tok, u.Nodes[last].TokEnd), New: text}, true
	}
	return cursor.Edit{At: u.After(end), New: " " + text}, true
}

// headerEndTok returns the token behind the type of a block.
func (l *lowerer) headerEndTok(n uint32) uint32 {
	u := &l.u
	end := u.Keyword(n) + 1
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		switch u.Nodes[c].Kind {
		case syntax.KTypeUse, syntax.KParam, syntax.KResult:
			end = u.Nodes[c].TokEnd
		case syntax.KAnnot:
		default:
			return end
		}
	}
	return end
}

func group(word string, ts []wasm.ValType, name func(uint32) string) string {
	if len(ts) == 0 {
		return ""
	}
	s := " (" + word
	for _, t := range ts {
		s += " " + t.Format(name)
	}
	return s + ")"
}

// offerContType offers to define the continuation type that is missing, together with the block's
// type that uses it.
func (l *lowerer) offerContType(h *valid.HandlerMismatch, n uint32, f *cursor.Finding) {
	if len(h.Needs) == 0 {
		return
	}
	name := l.d.mod.Names.Type
	ft, ct := l.freshName(SpaceType, "ft_rest"), l.freshName(SpaceType, "ct_rest")
	def := "(type $" + ft + " (func" + group("param", h.ContParams, name) + group("result", h.ContResults, name) + "))"
	cont := "(type $" + ct + " (cont $" + ft + "))"
	root := l.u.TokPlace(0)
	root.To = root.From
	// The reference is spelled by hand: the type has no index yet.
	e, ok := l.retypeLabel(n, h.Needs)
	if !ok {
		return
	}
	null := ""
	if h.Needs[len(h.Needs)-1].Nullable() {
		null = "null "
	}
	e.New = strings.Replace(e.New, h.Needs[len(h.Needs)-1].Format(name), "(ref "+null+"$"+ct+")", 1)
	f.Fixes = append(f.Fixes, cursor.Fix{Title: "Define $" + ct + " and change the block's type to " + strings.TrimSpace(e.New),
		Edits: []cursor.Edit{{At: root, New: def + cursor.LineBreak + cont + cursor.LineBreak}, e}, Preferred: true})
}

// freshName returns a name that the space does not have.
func (b *binder) freshName(sp Space, name string) string {
	for i := uint32(0); ; i++ {
		s := name
		if i > 0 {
			s += strconv.Itoa(int(i))
		}
		if _, ok := b.d.spaces[sp].names[s]; !ok {
			return s
		}
	}
}
