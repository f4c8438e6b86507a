package analysis

import (
	"strings"

	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// explainClause explains a handler label that does not fit: what would, and how to get there.
func explainClause(b *lower.Body, e *valid.Error, f *cursor.Finding) {
	h := e.Clause
	if h == nil {
		return
	}
	b.RelateItem(decl.SpaceTag, h.Tag, "the tag is declared here: "+tagTitle(b, h.Tag), f)
	if in := &b.Instrs[h.Resume]; int64(in.A) < int64(len(b.Decls.Mod.Types)) {
		if ft := b.Decls.Mod.ContFunc(in.A); ft != nil {
			name := b.Decls.Mod.Names.Type
			b.RelateItem(
				decl.SpaceType, in.A,
				"the continuation that is resumed: "+wasm.FormatTypes(ft.Params, name)+" -> "+wasm.FormatTypes(ft.Results, name),
				f,
			)
		}
	}
	if h.Block < 0 || h.Block >= len(b.Nodes) {
		f.Related = append(f.Related, cursor.Related{At: b.Header(0), Msg: "the label is the function itself"})
		return
	}
	n := b.Nodes[h.Block]
	f.Related = append(f.Related, cursor.Related{At: b.OwnPlace(n), Msg: "the block that the label names"})
	last := len(h.Needs) - 1
	if last < 0 || h.Needs[last].Heap() == wasm.HeapBad {
		offerContType(b, h, f)
		return
	}
	if !writable(h.Needs) {
		return
	}
	if e, ok := retypeLabel(b, h.Block, h.Needs); ok {
		f.Fixes = append(
			f.Fixes,
			cursor.Fix{
				Title: "Change the block's type to " + strings.TrimSpace(e.New),
				Edits: []cursor.Edit{e}, Preferred: true,
			},
		)
	}
}

func tagTitle(b *lower.Body, tag uint32) string {
	name := b.Decls.Mod.Names.Type
	if int64(tag) >= int64(len(b.Decls.Mod.Tags)) {
		return ""
	}
	ft := b.Decls.Mod.FuncType(b.Decls.Mod.Tags[tag].Type)
	if ft == nil {
		return ""
	}
	return wasm.FormatTypes(ft.Params, name) + " -> " + wasm.FormatTypes(ft.Results, name)
}

// retypeLabel returns the edit that makes a block's label take the types: its results, of a loop
// its parameters. What the block has on its other side stays.
func retypeLabel(b *lower.Body, block int, types []wasm.ValType) (cursor.Edit, bool) {
	n := b.Nodes[block]
	u := &b.Unit
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
		text += " " + t.Format(b.Decls.Mod.Names.Type)
	}
	text += ")"
	var first, last, use uint32 // nodes: what is replaced, and the type use
	end := u.Keyword(n)         // token after which it goes
	if t := u.IDToken(n); t >= 0 {
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
		// The type of an index would have to change: write the new type out in its place.
		i, indexed := wasm.BlockType(b.Instrs[block].Imm).Index()
		ft := b.Decls.Mod.FuncType(i)
		if !indexed || ft == nil {
			return cursor.Edit{}, false
		}
		params, results := ft.Params, types
		if loop {
			params, results = types, ft.Results
		}
		at := u.Place(u.Nodes[use].Tok, headerEndTok(b, n))
		return cursor.Edit{
			At: at,
			New: strings.TrimSpace(
				group("param", params, b.Decls.Mod.Names.Type) + group("result", results, b.Decls.Mod.Names.Type),
			),
		}, true
	}
	if first != 0 {
		return cursor.Edit{At: u.Place(u.Nodes[first].Tok, u.Nodes[last].TokEnd), New: text}, true
	}
	return cursor.Edit{At: u.After(end), New: " " + text}, true
}

// headerEndTok returns the token after the type of a block.
func headerEndTok(b *lower.Body, n uint32) uint32 {
	u := &b.Unit
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

// writable reports whether all types are known, so that a text can have them.
func writable(lists ...[]wasm.ValType) bool {
	for _, ts := range lists {
		for _, t := range ts {
			if t == wasm.Unknown || t.IsRef() && t.Heap() == wasm.HeapBad {
				return false
			}
		}
	}
	return true
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
func offerContType(b *lower.Body, h *valid.ClauseMismatch, f *cursor.Finding) {
	if len(h.Needs) == 0 || !writable(h.Needs[:len(h.Needs)-1], h.ContParams, h.ContResults) {
		return
	}
	name := b.Decls.Mod.Names.Type
	ft, ct := b.Decls.FreshName(decl.SpaceType, "ft_rest"), b.Decls.FreshName(decl.SpaceType, "ct_rest")
	def := "(type $" + ft + " (func" + group("param", h.ContParams, name) + group("result", h.ContResults, name) + "))"
	cont := "(type $" + ct + " (cont $" + ft + "))"
	root := b.Unit.TokPlace(0)
	root.To = root.From
	// The reference is spelled by hand: the type has no index yet.
	e, ok := retypeLabel(b, h.Block, h.Needs)
	if !ok {
		return
	}
	null := ""
	if h.Needs[len(h.Needs)-1].Nullable() {
		null = "null "
	}
	e.New = strings.Replace(e.New, h.Needs[len(h.Needs)-1].Format(name), "(ref "+null+"$"+ct+")", 1)
	f.Fixes = append(
		f.Fixes,
		cursor.Fix{Title: "Define $" + ct + " and change the block's type to " + strings.TrimSpace(e.New),
			Edits: []cursor.Edit{{At: root, New: def + "\n" + cont + "\n", Indent: true}, e}, Preferred: true},
	)
}
