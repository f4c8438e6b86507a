package decl

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// stackType reads `(stack (param t*)* rt)`: the last type, a reference to a stack type, is what the
// stack gets of the one that switches to it (docs/design/dialects.md §3).
func (b *TypeReader) stackType(n uint32, t *wasm.SubType) {
	u := &b.Unit
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		switch k := u.Nodes[c].Kind; {
		case k == syntax.KParam:
			t.Params, _ = b.AppendTypes(c, t.Params)
		case k == syntax.KResult:
			b.ReportAt(
				diag.Syntax,
				u.NodePlace(c),
				"unexpected token `(result`: a stack has no results; the last type of `(stack …)` is the reference to the stack that is switched from",
			)
		case cursor.IsType(k):
			t.Params = append(t.Params, b.ValType(c))
			if x := u.Nodes[c].Next; x < u.Nodes[n].Next && u.Nodes[x].Kind != syntax.KAnnot {
				b.ReportAt(
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
