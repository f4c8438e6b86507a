package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/wasm"
)

// leaks reports one-shot references that are dropped where they come into being: what is suspended
// there can never go on. The typing engine has found the drops of such references.
func (l *lowerer) leaks(drops []int32) {
	for _, i := range drops {
		from := int(i) - 1
		if from < 0 || l.nodes[i] == 0 {
			continue
		}
		what := ""
		switch in := &l.instrs[from]; in.Op {
		case wasm.OpContNew, wasm.OpContBind, wasm.OpStackNew, wasm.OpStackNewRef, wasm.OpStackBind:
			what = "the " + l.noun() + " that " + in.Op.String() + " makes"
		case wasm.OpEnd:
			if !l.handlerBlock(from) {
				continue
			}
			what = "the suspended continuation that the handler gets"
		default:
			continue
		}
		*l.out = append(*l.out, cursor.Finding{Code: diag.AbandonedCont, At: l.ownPlace(l.nodes[i]),
			Msg: what + " is dropped: it can never be resumed, nor unwound"})
	}
}

// handlerBlock reports whether an `end` ends a block that only handler clauses and nothing else
// give a reference to: its body cannot come to its end.
func (l *lowerer) handlerBlock(end int) bool {
	depth, start := 0, -1
	for i := end - 1; i >= 0 && start < 0; i-- {
		switch op := l.instrs[i].Op; {
		case op == wasm.OpEnd || op == wasm.OpDelegate:
			depth++
		case op.OpensBlock():
			if depth == 0 {
				start = i
			}
			depth--
		}
	}
	if start < 0 || l.instrs[start].Op != wasm.OpBlock {
		return false
	}
	handled, d := false, 0
	for i := start + 1; i < end; i++ {
		in := &l.instrs[i]
		for _, h := range handlersOf(in) {
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
