package compile

import (
	"math"
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/fused"
	"stackscope/wasm"
)

// loads and stores give the place of an instruction's code in a row.
var loads = [...]uint16{
	wasm.OpI32Load: fused.Load32, wasm.OpF32Load: fused.Load32, wasm.OpI64Load32U: fused.Load32,
	wasm.OpI64Load: fused.Load64, wasm.OpF64Load: fused.Load64,
	wasm.OpI32Load8U: fused.Load8U, wasm.OpI64Load8U: fused.Load8U, wasm.OpI32Load16U: fused.Load16U,
	wasm.OpI64Load16U: fused.Load16U,
	wasm.OpI32Load8S:  fused.Load8S32, wasm.OpI32Load16S: fused.Load16S32, wasm.OpI64Load8S: fused.Load8S64,
	wasm.OpI64Load16S: fused.Load16S64, wasm.OpI64Load32S: fused.Load32S64,
}

var storeCodes = [...]uint16{
	wasm.OpI32Store: fused.Store32, wasm.OpF32Store: fused.Store32, wasm.OpI64Store32: fused.Store32,
	wasm.OpI64Store: fused.Store64, wasm.OpF64Store: fused.Store64,
	wasm.OpI32Store8: fused.Store8, wasm.OpI64Store8: fused.Store8, wasm.OpI32Store16: fused.Store16,
	wasm.OpI64Store16: fused.Store16,
}

// address returns the way to address memory by an operand slot at an offset, and the operands of an
// op that does.
func (f *fuser) address(slot uint16, offset uint64) (way, b, c uint16, imm uint64) {
	if k, ok := f.constant(slot); ok {
		return fused.AddrAt, 0, 0, uint64(uint32(k)) + offset
	}
	if i := f.producer(slot); i >= 0 {
		p := f.out[i]
		switch small := offset <= math.MaxUint32; {
		case p.Code == fused.I32Add:
			f.remove(i)
			return fused.AddrSum, p.B, p.C, offset
		case p.Code == fused.I32AddK && small:
			f.remove(i)
			return fused.AddrPlus, p.B, 0, offset | p.Imm<<32
		case p.Code == fused.I32ShlK:
			f.remove(i)
			return fused.AddrShl, p.B, uint16(p.Imm & 31), offset
		case p.Code == fused.I32ShlAdd && small:
			f.remove(i)
			return fused.AddrShl2, p.B, p.C, offset | (p.Imm&31)<<32
		}
	}
	return fused.AddrSlot, f.read32(slot), 0, offset
}

// withLoad makes a ← x k y one with the load before it that made y (or x, if they may be
// exchanged), and reports whether it could: code is the operator's with its second operand in
// memory, row the load's. It traps where the load does.
func (f *fuser) withLoad(a, x, y, opcode, row uint16, exchange bool) bool {
	n := len(f.out) - 1
	if n < f.first {
		return false
	}
	l := f.out[n]
	switch {
	case l.Imm > math.MaxUint32:
		return false
	case l.Code == row:
	case l.Code == row+fused.AddrShl*fused.NumAccess:
		opcode += fused.NumLoad
		l.Imm |= uint64(l.C) << 32
	default:
		return false
	}
	if l.A != y {
		if l.A != x || !exchange {
			return false
		}
		x, y = y, x
	}
	if _, ok := f.find(y); ok || x == y {
		return false
	}
	if p, ok := f.find(x); ok {
		if p.const_ || p.wrap {
			return false
		}
		x = p.local
	}
	at := f.pc
	f.pc = int(f.pcs[n])
	f.remove(n)
	f.result(code.Op{Code: opcode, A: a, B: x, C: l.B, Imm: l.Imm})
	f.pc = at
	return true
}

func (f *fuser) load(o code.Op, in wasm.Op) {
	way, b, c, imm := f.address(o.B, o.Imm)
	f.result(code.Op{Code: loads[in] + way*fused.NumAccess, A: o.A, B: b, C: c, Imm: imm})
}

func (f *fuser) store(o code.Op, in wasm.Op) {
	opcode := storeCodes[in]
	if k, ok := f.constant(o.B); ok && o.Imm <= math.MaxUint32 &&
		(opcode != fused.Store64 || int64(int32(uint32(k))) == int64(k)) {
		if _, at := f.constant(o.A); !at {
			b := f.read32(o.A)
			f.discard(o.A)
			f.emitFence(code.Op{Code: opcode - fused.Store32 + fused.Store32K, B: b, Imm: o.Imm | k<<32})
			return
		}
	}
	value := f.read(o.B)
	way, b, c, imm := f.address(o.A, o.Imm)
	f.discard(o.A)
	f.emitFence(code.Op{Code: opcode + way*fused.NumAccess, A: value, B: b, C: c, Imm: imm})
}
