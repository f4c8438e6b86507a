package lint

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// lintDead reports regions of dead code. An `unreachable` or a `drop` alone is no news: it says
// itself that nobody comes there, or only keeps the operands right; nor is a folded instruction
// whose operand does not return.
func lintDead(b *lower.Body, regions []lower.Dead, report cursor.Report) {
	for _, r := range regions {
		p, ok := deadPlace(b, r)
		if !ok {
			continue
		}
		f := cursor.Finding{Code: diag.Unreachable, At: p, Msg: "this code can never run"}
		if c := r.Cause; c >= 0 && b.Nodes[c] != 0 {
			f.Msg += ": " + b.Instrs[c].Op.String() + " never continues to it"
			f.Related = append(f.Related, cursor.Related{At: b.OwnPlace(b.Nodes[c]), Msg: "control leaves here"})
		}
		report(f)
	}
}

// deadPlace returns the place of a region, and whether it is worth telling of. Instructions around
// the cause are not in it: their text begins before it.
func deadPlace(b *lower.Body, r lower.Dead) (at cursor.Place, news bool) {
	limit := uint32(0)
	if r.Cause >= 0 && b.Nodes[r.Cause] != 0 {
		limit = b.Unit.NodePlace(b.Nodes[r.Cause]).To
	}
	first := true
	for i := r.From; i < r.End; i++ {
		n := b.Nodes[i]
		if n == 0 {
			continue
		}
		x := b.Unit.NodePlace(n)
		if x.From < limit {
			continue
		}
		switch b.Instrs[i].Op {
		case wasm.OpUnreachable, wasm.OpDrop, wasm.OpNop, wasm.OpEnd, wasm.OpElse:
		case wasm.OpI32Const, wasm.OpI64Const, wasm.OpF32Const, wasm.OpF64Const, wasm.OpRefNull:
			// often the operand that a reader expects at the end of a function
		default:
			news = true
		}
		if first {
			at, first = x, false
		}
		at.From, at.To = min(at.From, x.From), max(at.To, x.To)
	}
	return at, news
}
