package valid

import (
	"math/rand/v2"
	"testing"

	"stackscope/wasm"
)

// Whatever the instructions and immediates, the engine gives errors and nothing else, and types
// trusted code as it types untrusted code.
func TestAnyInstructions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	index := func() uint32 {
		if r.IntN(12) == 0 {
			return wasm.BadIndex - uint32(r.IntN(2))
		}
		return uint32(r.IntN(20))
	}
	anyType := func() wasm.ValType {
		if r.IntN(3) == 0 {
			return wasm.ValType(r.IntN(9))
		}
		return wasm.Ref(r.IntN(2) == 0, wasm.HeapType(r.IntN(45)-20))
	}
	m := fixture(vals(wasm.I32), vals(wasm.I64), vals(ref(tVoid), wasm.F32), nil)
	m.Dialect = wasm.DialectNone // lets the instructions of all through
	e := New(m)
	var checked, trusted *Typer
	checked = e.NewTyper(func(err Error) {
		if err.Msg == "" || err.Code == "" {
			t.Errorf("no message: %+v", err)
		}
	})
	trusted = e.NewTyper(nil)
	for range 3000 {
		if r.IntN(4) == 0 {
			p := Place{Part: PartInit, Of: PartGlobal, Index: 1}
			checked.BeginConst(wasm.I64, p)
			trusted.BeginConst(wasm.I64, p)
		} else {
			checked.Begin(0)
			trusted.Begin(0)
		}
		for range r.IntN(60) {
			in := wasm.Instr{
				Op: wasm.Op(r.IntN(int(wasm.NumOps) + 1)), Align: uint8(r.IntN(6)), Lane: uint8(r.IntN(20)),
				A: index(), B: index(), Imm: r.Uint64N(200),
			}
			if r.IntN(4) == 0 {
				in.Op = []wasm.Op{wasm.OpBlock, wasm.OpEnd, wasm.OpLoop, wasm.OpIf, wasm.OpElse, wasm.OpTry,
					wasm.OpUnreachable, wasm.OpResume}[r.IntN(8)]
			}
			for _, imm := range in.Op.Info().Imms {
				switch imm {
				case wasm.ImmBlock:
					in.Imm = uint64(
						[]wasm.BlockType{0, wasm.BlockResult(anyType()), wasm.BlockIndex(index())}[r.IntN(3)],
					)
				case wasm.ImmRefType, wasm.ImmHeapType:
					in.Imm = uint64(anyType())
				}
			}
			if r.IntN(2) == 0 {
				in.Ext = &wasm.Ext{Labels: []uint32{index(), index()}, Types: []wasm.ValType{anyType()},
					Catches: []wasm.Catch{{Kind: wasm.CatchKind(r.IntN(4)), Tag: index(), Label: index()}},
					HandlerClauses: []wasm.HandlerClause{
						{Tag: index(), Label: index(), Switch: r.IntN(3) == 0}, {Tag: index(), Label: index()},
					}}
			}
			checked.Step(&in)
			trusted.Step(&in)
			if len(checked.Operands()) != len(trusted.Operands()) ||
				len(checked.Controls()) != len(trusted.Controls()) ||
				len(checked.Popped()) != len(trusted.Popped()) {
				t.Fatalf("%s: %v, but trusted %v", in.Op, checked.Operands(), trusted.Operands())
			}
			for _, p := range checked.Pushed() {
				_ = e.FormatType(p)
			}
		}
		checked.End()
		trusted.End()
	}
}
