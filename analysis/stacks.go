package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// stackType reads `(stack (param t*)* rt)`: the last type, a reference to a stack type, is what the
// stack gets of the one that switches to it (docs/design/dialects.md §3).
func (b *binder) stackType(n uint32, t *wasm.SubType) {
	u := &b.u
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		switch k := u.Nodes[c].Kind; {
		case k == syntax.KParam:
			t.Params, _ = b.appendTypes(c, t.Params)
		case k == syntax.KResult:
			b.errAt(
				diag.Syntax, u.NodePlace(c),
				"unexpected token `(result`: a stack gives no results; the last type of `(stack …)` is the reference to the stack that is switched from",
			)
		case cursor.IsType(k):
			t.Params = append(t.Params, b.valType(c))
			if x := u.Nodes[c].Next; x < u.Nodes[n].Next && u.Nodes[x].Kind != syntax.KAnnot {
				b.errAt(
					diag.Syntax, u.NodePlace(c),
					"unexpected token "+u.Words(c)+": in `(stack …)` only the last type may stand without `(param …)`",
				)
			}
		}
	}
	if k := len(t.Params); k > 0 && t.Params[k-1].IsRef() {
		t.Results = []wasm.ValType{t.Params[k-1]}
		t.Params = t.Params[:k-1]
	}
}

// stackTypes returns the fixes for an instruction that lacks its stack type: the module's, if they
// are few.
func (l *lowerer) stackTypes(kw uint32, info *wasm.OpInfo) (fixes []cursor.Fix) {
	if info.Dialect != wasm.DialectStacks || len(info.Imms) == 0 || info.Imms[0] != wasm.ImmType {
		return nil
	}
	const few = 16
	for i := range l.d.explicit {
		if l.d.mod.Types[i].Kind == wasm.CompStack {
			name := l.d.mod.Names.Type(i)
			fixes = append(fixes, cursor.Fix{Title: "Insert " + name, Edits: []cursor.Edit{{At: l.u.After(kw), New: " " + name}}, Preferred: false})
		}
	}
	switch {
	case len(fixes) > few:
		return nil
	case len(fixes) == 1:
		fixes[0].Preferred = true
	}
	return fixes
}
