package linear

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// Dropped reports one-shot references that are dropped where they come into being: what is
// suspended there can never go on. The typing engine has found the drops of such references.
func Dropped(b *lower.Body, drops []lower.Drop, report cursor.Report) {
	if !oneShot(b) {
		return
	}
	for _, d := range drops {
		i, from := d.Instr, int(d.Instr)-1
		if !followed(b, d.Of) {
			continue
		}
		if from < 0 || b.Nodes[i] == 0 {
			continue
		}
		what := ""
		switch in := &b.Instrs[from]; in.Op {
		case wasm.OpContNew, wasm.OpContBind, wasm.OpStackNew, wasm.OpStackNewRef, wasm.OpStackBind:
			what = "the " + noun(b) + " that " + in.Op.String() + " creates"
		case wasm.OpEnd:
			if !handlerBlock(b, from) {
				continue
			}
			what = "the suspended " + noun(b) + " that the handler receives"
		default:
			continue
		}
		report(cursor.Finding{Code: diag.AbandonedCont, At: b.OwnPlace(b.Nodes[i]),
			Msg: what + " is dropped: it can never be " + b.Decls.Dialect.Info().Resumed + " or unwound"})
	}
}

// handlerBlock reports whether an `end` ends a block that only handler clauses and nothing else
// give a reference to: its body cannot come to its end.
func handlerBlock(b *lower.Body, end int) bool {
	depth, start := 0, -1
	for i := end - 1; i >= 0 && start < 0; i-- {
		switch op := b.Instrs[i].Op; {
		case op == wasm.OpEnd || op == wasm.OpDelegate:
			depth++
		case op.OpensBlock():
			if depth == 0 {
				start = i
			}
			depth--
		}
	}
	if start < 0 || b.Instrs[start].Op != wasm.OpBlock {
		return false
	}
	handled, d := false, 0
	for i := start + 1; i < end; i++ {
		in := &b.Instrs[i]
		for _, h := range lower.HandlerClauses(in) {
			handled = handled || !h.Switch && int(h.Label) == d
		}
		switch {
		case (in.Op == wasm.OpBr || in.Op == wasm.OpBrIf || in.Op == wasm.OpBrTable) && in.Ext == nil && int(in.A) == d,
			in.Op == wasm.OpBrTable:
			return false // a reference may come from elsewhere
		case in.Op.OpensBlock():
			d++
		case in.Op == wasm.OpEnd || in.Op == wasm.OpDelegate:
			d--
		}
	}
	return handled
}
