package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/wasm"
)

// deadCode collects the code of a body that can never run, while the typing engine goes over it:
// what stands behind br, return, unreachable and the like, up to the end of the block.
type deadCode struct {
	depth  int   // open blocks
	from   int32 // the first instruction of the region, -1 outside of one
	base   int   // depth of the region
	cause  int32 // the instruction that control does not leave downwards
	last   int32 // the instruction before
	region [][3]int32
}

func (d *deadCode) begin() { *d = deadCode{from: -1, last: -1, region: d.region[:0]} }

// step takes an instruction, with whether the operand stack in front of it is that of dead code.
func (d *deadCode) step(i int, op wasm.Op, dead bool) {
	divides := false
	switch op {
	case wasm.OpEnd, wasm.OpDelegate, wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpEvent:
		divides = true
	}
	switch {
	case d.from < 0 && dead && !divides:
		d.from, d.base, d.cause = int32(i), d.depth, d.last
	case d.from >= 0 && divides && d.depth == d.base:
		d.region = append(d.region, [3]int32{d.from, int32(i), d.cause})
		d.from = -1
	}
	switch {
	case op.OpensBlock():
		d.depth++
	case op == wasm.OpEnd || op == wasm.OpDelegate:
		d.depth--
	}
	d.last = int32(i)
}

// lintDead reports regions of dead code. An `unreachable` or a `drop` alone is no news: it says
// itself that nobody comes there, or only keeps the operands right; nor is a folded instruction
// whose operand does not return.
func (b *loweredBody) lintDead(regions [][3]int32, report cursor.Report) {
	for _, r := range regions {
		p, ok := b.deadPlace(int(r[0]), int(r[1]), int(r[2]))
		if !ok {
			continue
		}
		f := cursor.Finding{Code: diag.Unreachable, At: p, Msg: "this code can never run"}
		if c := int(r[2]); c >= 0 && b.nodes[c] != 0 {
			f.Msg += ": " + b.instrs[c].Op.String() + " never goes on to it"
			f.Related = append(f.Related, cursor.Related{At: b.ownPlace(b.nodes[c]), Msg: "control leaves here"})
		}
		report(f)
	}
}

// deadPlace returns the place of a region, and whether it is worth telling of. Instructions around
// the cause are not in it: their text begins in front of it.
func (b *loweredBody) deadPlace(from, end, cause int) (at cursor.Place, news bool) {
	limit := uint32(0)
	if cause >= 0 && b.nodes[cause] != 0 {
		limit = b.u.NodePlace(b.nodes[cause]).To
	}
	first := true
	for i := from; i < end; i++ {
		n := b.nodes[i]
		if n == 0 {
			continue
		}
		x := b.u.NodePlace(n)
		if x.From < limit {
			continue
		}
		switch b.instrs[i].Op {
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
