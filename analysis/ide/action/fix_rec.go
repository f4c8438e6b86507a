package action

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// messageSameShape is what a diagnostic says where two types differ in their recursion group alone.
const messageSameShape = "another recursion group"

// useGroupType changes the type of the function whose reference is of a type of another recursion
// group than the place asks for, though of the same shape, to the type that is asked for.
func useGroupType(p query.Place, d *diag.Diagnostic) []diag.Fix {
	if !strings.Contains(d.Message, messageSameShape) {
		return nil
	}
	t := query.NewTypes(p.Module)
	fn, want, ok := refOfOtherGroup(p, t)
	if !ok {
		return nil
	}
	y, ok := p.Module.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: fn})
	if !ok || y.N.Kind() != syntax.KFunc {
		return nil
	}
	use := "(type " + t.Name(want) + ")"
	var edit source.Edit
	if old := y.N.First(syntax.KTypeUse); !old.IsZero() {
		edit = source.Edit{Span: old.Span(), New: use}
	} else {
		at := y.N.Keyword().Span().End
		if id, ok := y.N.ID(); ok {
			at = id.Span().End
		}
		for c := range y.N.Children() {
			if c.Kind() == syntax.KInlineExport || c.Kind() == syntax.KInlineImport {
				at = c.Span().End
			}
		}
		edit = source.Edit{Span: source.Span{Start: at, End: at}, New: " " + use}
	}
	edits := []source.Edit{edit}
	if !fewer(p, edits) {
		return nil
	}
	return []diag.Fix{{Title: "Give " + query.Display(y) + " the type: " + use, Edits: edits, Preferred: true}}
}

// refOfOtherGroup returns the function whose reference stands at the place, folded into an
// instruction or right before it, and the type that is asked for there.
func refOfOtherGroup(p query.Place, t query.Types) (fn, want uint32, ok bool) {
	f, in := p.Module.FuncAt(p.Off)
	if !in {
		return 0, 0, false
	}
	b := p.Module.Body(f)
	if b == nil {
		return 0, 0, false
	}
	for n, up := p.Node, 0; !n.IsZero() && up < 3; n, up = n.Parent(), up+1 {
		i, has := b.Index(n)
		if !has || n.Kind() != syntax.KInstr {
			continue
		}
		params, _, known := t.Operands(b, i)
		if !known || len(params) == 0 {
			continue
		}
		have, _ := b.TopBefore(i, len(params))
		ops := query.FoldedOperands(n)
		for k := 1; k <= min(len(have), len(params)); k++ {
			w, g := params[len(params)-k], have[len(have)-k]
			if !w.IsRef() || w.Heap() < 0 || !g.IsRef() || p.Module.Env().Match(g, w) {
				continue
			}
			j := i - 1
			if len(ops) == len(params) {
				if j, has = b.Index(ops[len(ops)-k]); !has {
					return 0, 0, false
				}
			} else if k > 1 {
				return 0, 0, false
			}
			if j >= 0 && b.Instrs[j].Op == wasm.OpRefFunc {
				return b.Instrs[j].A, uint32(w.Heap()), true
			}
		}
	}
	return 0, 0, false
}
