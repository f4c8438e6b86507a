package compile

import (
	"math"
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/fused"
	"stackscope/wasm"
)

// How ops of the fused form join: what feeds what. The orders of codes are those of the generator
// (internal/gen/loop): for a width, two slots, a slot and a constant; the first six operators again
// with a third slot; with a shift by a constant.

// The integer operators in the order of their codes.
const (
	binAdd = iota
	binSub
	binMul
	binAnd
	binOr
	binXor
	binShl
	binShrS
	binShrU
	binRotl
	binRotr
	binEq

	numArith    = 6
	numShifts   = 4
	numCompares = 10
)

// families are the codes of a width.
type family struct {
	two, constant      uint16
	three, shift       uint16 // joined with another operator
	shifts             uint16 // of two shifted operands
	ret, retConstant   uint16 // the result is returned
	load, loadInto     uint16 // an operand in memory; the load that it may have been
	step, branch, incr uint16 // compared after an addition, for a branch to a loop
}

var families = [2]family{
	{
		fused.I32Add, fused.I32AddK, fused.I32AddAdd, fused.I32ShlAdd, fused.I32ShlShlAdd, fused.I32AddRet,
		fused.I32AddKRet, fused.I32AddLoad, fused.Load32,
		fused.StepI32Eq, fused.BrI32EqBack, fused.IncI32Eq,
	},
	{
		fused.I64Add, fused.I64AddK, fused.I64AddAdd, fused.I64ShlAdd, fused.I64ShlShlAdd, fused.I64AddRet,
		fused.I64AddKRet, fused.I64AddLoad, fused.Load64,
		fused.StepI64Eq, fused.BrI64EqBack, fused.IncI64Eq,
	},
}

// joinShifts and twoShifts give the place of an operator, of a shift, in the rows of two shifted
// operands; noPlace if it has none.
var (
	joinShifts = [numArith]uint8{binAdd: 0, binSub: noPlace, binMul: noPlace, binAnd: noPlace, binOr: 1, binXor: 2}
	twoShifts  = [numShifts]uint8{0, noPlace, 1, 2} // from binShl on
)

const noPlace = math.MaxUint8

// binaryOf returns the operator of an integer instruction that joins others, and its width (0:
// i32).
func binaryOf(in wasm.Op) (k uint16, w int, ok bool) {
	switch {
	case in >= wasm.OpI32Eq && in <= wasm.OpI32GeU:
		return binEq + uint16(in-wasm.OpI32Eq), 0, true
	case in >= wasm.OpI64Eq && in <= wasm.OpI64GeU:
		return binEq + uint16(in-wasm.OpI64Eq), 1, true
	}
	if in >= wasm.OpI64Clz && in <= wasm.OpI64Rotr {
		in, w = in-wasm.OpI64Clz+wasm.OpI32Clz, 1
	}
	switch in {
	case wasm.OpI32Add:
		return binAdd, w, true
	case wasm.OpI32Sub:
		return binSub, w, true
	case wasm.OpI32Mul:
		return binMul, w, true
	case wasm.OpI32And:
		return binAnd, w, true
	case wasm.OpI32Or:
		return binOr, w, true
	case wasm.OpI32Xor:
		return binXor, w, true
	case wasm.OpI32Shl:
		return binShl, w, true
	case wasm.OpI32ShrS:
		return binShrS, w, true
	case wasm.OpI32ShrU:
		return binShrU, w, true
	case wasm.OpI32Rotl:
		return binRotl, w, true
	case wasm.OpI32Rotr:
		return binRotr, w, true
	}
	return 0, 0, false
}

// commutes reports whether the operands of an operator may be exchanged.
func commutes(k uint16) bool { return k < numArith && k != binSub }

// exchanged returns the comparison that is the same with exchanged operands, negated the opposite;
// both by the order eq, ne, lt_s, lt_u, gt_s, gt_u, le_s, le_u, ge_s, ge_u.
var (
	exchanged = [numCompares]uint16{0, 1, 4, 5, 2, 3, 8, 9, 6, 7}
	negated   = [numCompares]uint16{1, 0, 8, 9, 6, 7, 4, 5, 2, 3}
)

// among reports which operator of a row of codes a code is.
func among(opcode, first, n uint16) (uint16, bool) {
	return opcode - first, opcode >= first && opcode < first+n
}

// producer returns the index of the op that has made the value of an operand slot, if it may be
// done later instead: it is pure, and nothing since has changed what it reads.
func (f *fuser) producer(slot uint16) int {
	if _, off := f.find(slot); off {
		return -1
	}
	n := len(f.out)
	for i := n - 1; i >= f.first && i >= n-4; i-- {
		o := &f.out[i]
		roles := fused.Ops[o.Code].Roles
		if roles&fused.RoleDst == 0 {
			return -1
		}
		if o.A != slot {
			if roles&fused.RoleBN != 0 && o.B == slot || roles&fused.RoleCN != 0 && o.C == slot ||
				roles&fused.RoleDN != 0 && uint16(o.Imm) == slot {
				return -1
			}
			continue
		}
		if roles&fused.RolePure == 0 {
			return -1
		}
		for _, later := range f.out[i+1:] {
			if fused.Ops[later.Code].Roles&fused.RolePure == 0 && !f.ofLocals(o) {
				return -1 // where it traps, the slot could not be made (see Stack.settle)
			}
			if roles&fused.RoleBN != 0 && later.A == o.B || roles&fused.RoleCN != 0 && later.A == o.C ||
				roles&fused.RoleDN != 0 && later.A == uint16(o.Imm) {
				return -1
			}
		}
		return i
	}
	return -1
}

// ofLocals reports whether an op reads nothing but locals.
func (f *fuser) ofLocals(o *code.Op) bool {
	n, roles := uint16(f.c.LocNums), fused.Ops[o.Code].Roles
	return (roles&fused.RoleBN == 0 || o.B < n) && (roles&fused.RoleCN == 0 || o.C < n) &&
		(roles&fused.RoleDN == 0 || uint16(o.Imm) < n)
}

// remove takes an op out.
func (e *emitter) remove(i int) {
	e.out = append(e.out[:i], e.out[i+1:]...)
	e.pcs = append(e.pcs[:i], e.pcs[i+1:]...)
}

// binary takes an op with two operands.
func (f *fuser) binary(o code.Op, in wasm.Op) {
	k, w, ok := binaryOf(in)
	if !ok {
		f.other(o, in)
		return
	}
	fam := families[w]
	x, y := o.B, o.C
	imm, isConst := f.constant(y)
	if !isConst {
		if c, ok := f.constant(x); ok && (commutes(k) || k >= binEq) {
			if k >= binEq {
				k = binEq + exchanged[k-binEq]
			}
			x, imm, isConst = y, c, true
		}
	}
	if isConst {
		switch k {
		case binSub:
			k, imm = binAdd, -imm
		case binRotr:
			k, imm = binRotl, -imm
		}
		if w == 0 {
			imm = uint64(uint32(imm))
		}
		f.result(code.Op{Code: fam.constant + k, A: o.A, B: f.narrow(x, w), Imm: imm})
		return
	}
	if k < numArith && (f.withLoad(o.A, x, y, fam.load+k, fam.loadInto, commutes(k)) || f.join(o.A, x, y, k, w)) {
		return
	}
	f.result(code.Op{Code: fam.two + k, A: o.A, B: f.narrow(x, w), C: f.narrow(y, w)})
}

// narrow is read32 for i32, else read.
func (f *fuser) narrow(slot uint16, w int) uint16 {
	if w == 0 {
		return f.read32(slot)
	}
	return f.read(slot)
}

// join makes a ← x k y one with what made x or y, and reports whether it could.
func (f *fuser) join(a, x, y, k uint16, w int) bool {
	if _, ok := f.constant(x); ok {
		return false
	}
	fam := families[w]
	for _, side := range [2]struct {
		made, other uint16
		right       bool
	}{{y, x, true}, {x, y, false}} {
		i := f.producer(side.made)
		if i < 0 {
			continue
		}
		p := f.out[i]
		if sh, ok := among(p.Code, fam.constant+binShl, numShifts); ok && (side.right || commutes(k)) {
			if side.right && f.joinShifted(a, x, i, k, sh, w) {
				return true
			}
			f.remove(i)
			f.result(code.Op{Code: fam.shift + k*numShifts + sh, A: a, B: f.narrow(side.other, w), C: p.B, Imm: p.Imm})
			return true
		}
		if k1, ok := among(p.Code, fam.two, numArith); ok && (!side.right || commutes(k)) {
			f.remove(i)
			f.result(
				code.Op{Code: fam.three + k1*numArith + k, A: a, B: p.B, C: p.C, Imm: uint64(f.narrow(side.other, w))},
			)
			return true
		}
	}
	return false
}

// joinShifted makes a ← x k y one with the shifts that made x and y, the latter the shift sh at i,
// and reports whether it could.
func (f *fuser) joinShifted(a, x uint16, i int, k, sh uint16, w int) bool {
	fam := families[w]
	j := f.producer(x)
	if j < 0 || joinShifts[k] == noPlace || twoShifts[sh] == noPlace {
		return false
	}
	p, q := f.out[j], f.out[i]
	sh1, ok := among(p.Code, fam.constant+binShl, numShifts)
	if !ok || twoShifts[sh1] == noPlace {
		return false
	}
	f.remove(max(i, j))
	f.remove(min(i, j))
	const n = 3
	row := (uint16(joinShifts[k])*n+uint16(twoShifts[sh1]))*n + uint16(twoShifts[sh])
	f.result(code.Op{Code: fam.shifts + row, A: a, B: p.B, C: q.B, Imm: p.Imm&63 | q.Imm&63<<32})
	return true
}

// other takes a binary op that is no integer operator: of floating-point numbers, or a division.
func (f *fuser) other(o code.Op, in wasm.Op) {
	var opcode uint16
	switch {
	case in >= wasm.OpF32Eq && in <= wasm.OpF32Ge:
		opcode = fused.F32Eq + uint16(in-wasm.OpF32Eq)
	case in >= wasm.OpF64Eq && in <= wasm.OpF64Ge:
		opcode = fused.F64Eq + uint16(in-wasm.OpF64Eq)
	case in >= wasm.OpF32Add && in <= wasm.OpF32Div:
		opcode = f.float(&o, fused.F32Add, fused.F32AddK, fused.F32MulAdd, uint16(in-wasm.OpF32Add))
	case in >= wasm.OpF64Add && in <= wasm.OpF64Div:
		opcode = f.float(&o, fused.F64Add, fused.F64AddK, fused.F64MulAdd, uint16(in-wasm.OpF64Add))
	case in >= wasm.OpI32DivS && in <= wasm.OpI32RemU:
		opcode = fused.I32DivS + uint16(in-wasm.OpI32DivS)
	default:
		opcode = fused.I64DivS + uint16(in-wasm.OpI64DivS)
	}
	if opcode == fused.Invalid {
		return
	}
	f.result(code.Op{Code: opcode, A: o.A, B: f.read(o.B), C: f.read(o.C)})
}

// float takes an operator (add, sub, mul, div) of floating-point numbers and returns its code, or
// rInvalid if it is done.
func (f *fuser) float(o *code.Op, two, constant, joined, k uint16) uint16 {
	if imm, ok := f.constant(o.C); ok {
		f.result(code.Op{Code: constant + k, A: o.A, B: f.read(o.B), Imm: imm})
		return fused.Invalid
	}
	load, row := fused.F32AddLoad, uint16(fused.Load32)
	if two == fused.F64Add {
		load, row = fused.F64AddLoad, fused.Load64
	}
	const mul = 2
	if f.withLoad(o.A, o.B, o.C, load+k, row, k == 0 || k == mul) {
		return fused.Invalid
	}
	if _, ok := f.constant(o.B); ok || k > 1 {
		return two + k
	}
	// MulAdd, AddMul, MulSub, SubMul
	for side, slots := range [2][2]uint16{{o.B, o.C}, {o.C, o.B}} {
		if i := f.producer(slots[0]); i >= 0 && f.out[i].Code == two+mul {
			p := f.out[i]
			f.remove(i)
			f.result(code.Op{Code: joined + k*2 + uint16(side), A: o.A, B: p.B, C: p.C, Imm: uint64(f.read(slots[1]))})
			return fused.Invalid
		}
	}
	return two + k
}

// unaries are the ops with one operand that the loop has.
var unaries = [...]uint16{
	wasm.OpI32Eqz: fused.I32Eqz, wasm.OpI64Eqz: fused.I64Eqz, wasm.OpI32Clz: fused.I32Clz,
	wasm.OpI32Ctz: fused.I32Ctz, wasm.OpI64Clz: fused.I64Clz, wasm.OpI64Ctz: fused.I64Ctz,
	wasm.OpI64ExtendI32S: fused.I64ExtendI32S, wasm.OpF32ConvertI32S: fused.F32ConvertI32S,
	wasm.OpF64ConvertI32S: fused.F64ConvertI32S,
	wasm.OpF64ConvertI32U: fused.F64ConvertI32U, wasm.OpF64ConvertI64S: fused.F64ConvertI64S,
	wasm.OpI32Extend8S: fused.I32Extend8S, wasm.OpI32Extend16S: fused.I32Extend16S,
	wasm.OpI64Extend8S: fused.I64Extend8S, wasm.OpI64Extend16S: fused.I64Extend16S,
	wasm.OpI64Extend32S: fused.I64Extend32S,
	wasm.OpF32Abs:       fused.F32Abs, wasm.OpF32Neg: fused.F32Neg, wasm.OpF32Sqrt: fused.F32Sqrt,
	wasm.OpF64Abs: fused.F64Abs, wasm.OpF64Neg: fused.F64Neg, wasm.OpF64Sqrt: fused.F64Sqrt,
}

// unary takes an op with one operand.
func (f *fuser) unary(o code.Op, in wasm.Op) {
	switch in {
	case wasm.OpI64ExtendI32U, wasm.OpI32ReinterpretF32, wasm.OpI64ReinterpretF64, wasm.OpF32ReinterpretI32,
		wasm.OpF64ReinterpretI64:
		// nothing: the upper half of a slot with 32 bits is zero
		if p, ok := f.find(o.B); ok && p.wrap {
			f.result(code.Op{Code: fused.I32WrapI64, A: o.A, B: p.local})
		}
		return
	case wasm.OpI32WrapI64:
		if n := len(f.list) - 1; n >= 0 && f.list[n].slot == o.B {
			if p := &f.list[n]; p.const_ {
				p.imm = uint64(uint32(p.imm))
			} else {
				p.wrap = true
			}
			return
		}
		f.result(code.Op{Code: fused.I32WrapI64, A: o.A, B: o.B})
		return
	}
	f.result(code.Op{Code: unaries[in], A: o.A, B: f.read(o.B)})
}
