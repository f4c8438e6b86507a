package vm

import (
	"math"

	"stackscope/wasm"
)

// The ways to address memory in the order of their codes, each with all loads and all stores.
const (
	addrSlot = iota // a slot
	addrSum         // the sum of two
	addrPlus        // a slot and a constant
	addrShl         // a slot shifted by a constant
	addrShl2        // a slot and a shifted one
	addrAt          // a constant

	numAccess = rLoad32Sum - rLoad32
)

// loads and stores give the place of an instruction's code in a row.
var loads = [...]uint16{
	wasm.OpI32Load: rLoad32, wasm.OpF32Load: rLoad32, wasm.OpI64Load32U: rLoad32, wasm.OpI64Load: rLoad64, wasm.OpF64Load: rLoad64,
	wasm.OpI32Load8U: rLoad8U, wasm.OpI64Load8U: rLoad8U, wasm.OpI32Load16U: rLoad16U, wasm.OpI64Load16U: rLoad16U,
	wasm.OpI32Load8S: rLoad8S32, wasm.OpI32Load16S: rLoad16S32, wasm.OpI64Load8S: rLoad8S64, wasm.OpI64Load16S: rLoad16S64, wasm.OpI64Load32S: rLoad32S64,
}

var storeCodes = [...]uint16{
	wasm.OpI32Store: rStore32, wasm.OpF32Store: rStore32, wasm.OpI64Store32: rStore32, wasm.OpI64Store: rStore64, wasm.OpF64Store: rStore64,
	wasm.OpI32Store8: rStore8, wasm.OpI64Store8: rStore8, wasm.OpI32Store16: rStore16, wasm.OpI64Store16: rStore16,
}

// address returns the way to address memory by an operand slot at an offset, and the operands of an
// op that does.
func (f *fuser) address(slot uint16, offset uint64) (way, b, c uint16, imm uint64) {
	if k, ok := f.constant(slot); ok {
		return addrAt, 0, 0, uint64(uint32(k)) + offset
	}
	if i := f.producer(slot); i >= 0 {
		p := f.out[i]
		switch small := offset <= math.MaxUint32; {
		case p.code == rI32Add:
			f.remove(i)
			return addrSum, p.b, p.c, offset
		case p.code == rI32AddK && small:
			f.remove(i)
			return addrPlus, p.b, 0, offset | p.imm<<32
		case p.code == rI32ShlK:
			f.remove(i)
			return addrShl, p.b, uint16(p.imm & 31), offset
		case p.code == rI32ShlAdd && small:
			f.remove(i)
			return addrShl2, p.b, p.c, offset | (p.imm&31)<<32
		}
	}
	return addrSlot, f.read32(slot), 0, offset
}

// numLoad is the number of operators with an operand in memory, for each of the two ways to address
// it that they have.
const numLoad = rI32AddLoadShl - rI32AddLoad

// withLoad makes a ← x k y one with the load before it that made y (or x, if they may be
// exchanged), and reports whether it could: code is the operator's with its second operand in
// memory, row the load's. It traps where the load does.
func (f *fuser) withLoad(a, x, y, code, row uint16, exchange bool) bool {
	n := len(f.out) - 1
	if n < f.first {
		return false
	}
	l := f.out[n]
	switch {
	case l.imm > math.MaxUint32:
		return false
	case l.code == row:
	case l.code == row+addrShl*numAccess:
		code += numLoad
		l.imm |= uint64(l.c) << 32
	default:
		return false
	}
	if l.a != y {
		if l.a != x || !exchange {
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
	f.result(op{code: code, a: a, b: x, c: l.b, imm: l.imm})
	f.pc = at
	return true
}

func (f *fuser) load(o op, in wasm.Op) {
	way, b, c, imm := f.address(o.b, o.imm)
	f.result(op{code: loads[in] + way*numAccess, a: o.a, b: b, c: c, imm: imm})
}

func (f *fuser) store(o op, in wasm.Op) {
	code := storeCodes[in]
	if k, ok := f.constant(o.b); ok && o.imm <= math.MaxUint32 &&
		(code != rStore64 || int64(int32(uint32(k))) == int64(k)) {
		if _, at := f.constant(o.a); !at {
			b := f.read32(o.a)
			f.discard(o.a)
			f.emitFence(op{code: code - rStore32 + rStore32K, b: b, imm: o.imm | k<<32})
			return
		}
	}
	value := f.read(o.b)
	way, b, c, imm := f.address(o.a, o.imm)
	f.discard(o.a)
	f.emitFence(op{code: code + way*numAccess, a: value, b: b, c: c, imm: imm})
}
