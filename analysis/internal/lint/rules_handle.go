package lint

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// warnEvents warns of the creation of a fiber whose function has no event clauses of its own: the
// first event that it gets cannot be handled.
func warnEvents(b *lower.Body, i int, report cursor.Report) {
	in := &b.Instrs[i]
	if b.Decls.Ready(in.A) {
		return
	}
	f := cursor.Finding{
		Code: diag.EventClause,
		At:   b.OwnPlace(b.Nodes[i]),
		Msg: "no event clause: " + b.Decls.Mod.FuncTitle(in.A) +
			" has no `event` outside its handles, so the new fiber traps at the first event it receives",
	}
	b.RelateItem(decl.SpaceFunc, in.A, "the function is declared here", &f)
	report(f)
}

func init() { rules[wasm.DialectFibersHandle] = checkHandle }

func checkHandle(b *lower.Body, report cursor.Report) {
	for i := range b.Instrs {
		if b.Instrs[i].Op == wasm.OpHandleFiberNew {
			warnEvents(b, i, report)
		}
	}
}
