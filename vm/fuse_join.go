package vm

import (
	"math"

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
		rI32Add, rI32AddK, rI32AddAdd, rI32ShlAdd, rI32ShlShlAdd, rI32AddRet, rI32AddKRet, rI32AddLoad, rLoad32,
		rStepI32Eq, rBrI32EqBack, rIncI32Eq,
	},
	{
		rI64Add, rI64AddK, rI64AddAdd, rI64ShlAdd, rI64ShlShlAdd, rI64AddRet, rI64AddKRet, rI64AddLoad, rLoad64,
		rStepI64Eq, rBrI64EqBack, rIncI64Eq,
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

// exchanged gives the comparison that is the same with exchanged operands, negated the opposite;
// both by the order eq, ne, lt_s, lt_u, gt_s, gt_u, le_s, le_u, ge_s, ge_u.
var (
	exchanged = [numCompares]uint16{0, 1, 4, 5, 2, 3, 8, 9, 6, 7}
	negated   = [numCompares]uint16{1, 0, 8, 9, 6, 7, 4, 5, 2, 3}
)

// among reports which operator of a row of codes a code is.
func among(code, first, n uint16) (uint16, bool) {
	return code - first, code >= first && code < first+n
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
		roles := fusedOps[o.code].roles
		if roles&roleDst == 0 {
			return -1
		}
		if o.a != slot {
			if roles&roleBN != 0 && o.b == slot || roles&roleCN != 0 && o.c == slot ||
				roles&roleDN != 0 && uint16(o.imm) == slot {
				return -1
			}
			continue
		}
		if roles&rolePure == 0 {
			return -1
		}
		for _, later := range f.out[i+1:] {
			if fusedOps[later.code].roles&rolePure == 0 && !f.ofLocals(o) {
				return -1 // where it traps, the slot could not be made (see Stack.settle)
			}
			if roles&roleBN != 0 && later.a == o.b || roles&roleCN != 0 && later.a == o.c ||
				roles&roleDN != 0 && later.a == uint16(o.imm) {
				return -1
			}
		}
		return i
	}
	return -1
}

// ofLocals reports whether an op reads nothing but locals.
func (f *fuser) ofLocals(o *op) bool {
	n, roles := uint16(f.c.locNums), fusedOps[o.code].roles
	return (roles&roleBN == 0 || o.b < n) && (roles&roleCN == 0 || o.c < n) && (roles&roleDN == 0 || uint16(o.imm) < n)
}

// remove takes an op out.
func (f *fuser) remove(i int) {
	f.out = append(f.out[:i], f.out[i+1:]...)
	f.pcs = append(f.pcs[:i], f.pcs[i+1:]...)
}

// binary takes an op with two operands.
func (f *fuser) binary(o op, in wasm.Op) {
	k, w, ok := binaryOf(in)
	if !ok {
		f.other(o, in)
		return
	}
	fam := families[w]
	x, y := o.b, o.c
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
		f.result(op{code: fam.constant + k, a: o.a, b: f.narrow(x, w), imm: imm})
		return
	}
	if k < numArith && (f.withLoad(o.a, x, y, fam.load+k, fam.loadInto, commutes(k)) || f.join(o.a, x, y, k, w)) {
		return
	}
	f.result(op{code: fam.two + k, a: o.a, b: f.narrow(x, w), c: f.narrow(y, w)})
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
		if sh, ok := among(p.code, fam.constant+binShl, numShifts); ok && (side.right || commutes(k)) {
			if side.right && f.joinShifted(a, x, i, k, sh, w) {
				return true
			}
			f.remove(i)
			f.result(op{code: fam.shift + k*numShifts + sh, a: a, b: f.narrow(side.other, w), c: p.b, imm: p.imm})
			return true
		}
		if k1, ok := among(p.code, fam.two, numArith); ok && (!side.right || commutes(k)) {
			f.remove(i)
			f.result(op{code: fam.three + k1*numArith + k, a: a, b: p.b, c: p.c, imm: uint64(f.narrow(side.other, w))})
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
	sh1, ok := among(p.code, fam.constant+binShl, numShifts)
	if !ok || twoShifts[sh1] == noPlace {
		return false
	}
	f.remove(max(i, j))
	f.remove(min(i, j))
	const n = 3
	row := (uint16(joinShifts[k])*n+uint16(twoShifts[sh1]))*n + uint16(twoShifts[sh])
	f.result(op{code: fam.shifts + row, a: a, b: p.b, c: q.b, imm: p.imm&63 | q.imm&63<<32})
	return true
}

// other takes a binary op that is no integer operator: of floating-point numbers, or a division.
func (f *fuser) other(o op, in wasm.Op) {
	var code uint16
	switch {
	case in >= wasm.OpF32Eq && in <= wasm.OpF32Ge:
		code = rF32Eq + uint16(in-wasm.OpF32Eq)
	case in >= wasm.OpF64Eq && in <= wasm.OpF64Ge:
		code = rF64Eq + uint16(in-wasm.OpF64Eq)
	case in >= wasm.OpF32Add && in <= wasm.OpF32Div:
		code = f.float(&o, rF32Add, rF32AddK, rF32MulAdd, uint16(in-wasm.OpF32Add))
	case in >= wasm.OpF64Add && in <= wasm.OpF64Div:
		code = f.float(&o, rF64Add, rF64AddK, rF64MulAdd, uint16(in-wasm.OpF64Add))
	case in >= wasm.OpI32DivS && in <= wasm.OpI32RemU:
		code = rI32DivS + uint16(in-wasm.OpI32DivS)
	default:
		code = rI64DivS + uint16(in-wasm.OpI64DivS)
	}
	if code == rInvalid {
		return
	}
	f.result(op{code: code, a: o.a, b: f.read(o.b), c: f.read(o.c)})
}

// float takes an operator (add, sub, mul, div) of floating-point numbers and gives its code, or
// rInvalid if it is done.
func (f *fuser) float(o *op, two, constant, joined, k uint16) uint16 {
	if imm, ok := f.constant(o.c); ok {
		f.result(op{code: constant + k, a: o.a, b: f.read(o.b), imm: imm})
		return rInvalid
	}
	load, row := rF32AddLoad, uint16(rLoad32)
	if two == rF64Add {
		load, row = rF64AddLoad, rLoad64
	}
	const mul = 2
	if f.withLoad(o.a, o.b, o.c, load+k, row, k == 0 || k == mul) {
		return rInvalid
	}
	if _, ok := f.constant(o.b); ok || k > 1 {
		return two + k
	}
	// MulAdd, AddMul, MulSub, SubMul
	for side, slots := range [2][2]uint16{{o.b, o.c}, {o.c, o.b}} {
		if i := f.producer(slots[0]); i >= 0 && f.out[i].code == two+mul {
			p := f.out[i]
			f.remove(i)
			f.result(op{code: joined + k*2 + uint16(side), a: o.a, b: p.b, c: p.c, imm: uint64(f.read(slots[1]))})
			return rInvalid
		}
	}
	return two + k
}

// unaries are the ops with one operand that the loop has.
var unaries = [...]uint16{
	wasm.OpI32Eqz: rI32Eqz, wasm.OpI64Eqz: rI64Eqz, wasm.OpI32Clz: rI32Clz, wasm.OpI32Ctz: rI32Ctz, wasm.OpI64Clz: rI64Clz, wasm.OpI64Ctz: rI64Ctz,
	wasm.OpI64ExtendI32S: rI64ExtendI32S, wasm.OpF32ConvertI32S: rF32ConvertI32S, wasm.OpF64ConvertI32S: rF64ConvertI32S,
	wasm.OpF64ConvertI32U: rF64ConvertI32U, wasm.OpF64ConvertI64S: rF64ConvertI64S,
	wasm.OpI32Extend8S: rI32Extend8S, wasm.OpI32Extend16S: rI32Extend16S,
	wasm.OpI64Extend8S: rI64Extend8S, wasm.OpI64Extend16S: rI64Extend16S, wasm.OpI64Extend32S: rI64Extend32S,
	wasm.OpF32Abs: rF32Abs, wasm.OpF32Neg: rF32Neg, wasm.OpF32Sqrt: rF32Sqrt, wasm.OpF64Abs: rF64Abs, wasm.OpF64Neg: rF64Neg, wasm.OpF64Sqrt: rF64Sqrt,
}

// unary takes an op with one operand.
func (f *fuser) unary(o op, in wasm.Op) {
	switch in {
	case wasm.OpI64ExtendI32U,
		wasm.OpI32ReinterpretF32,
		wasm.OpI64ReinterpretF64,
		wasm.OpF32ReinterpretI32,
		wasm.OpF64ReinterpretI64:
		// nothing: the upper half of a slot with 32 bits is zero
		if p, ok := f.find(o.b); ok && p.wrap {
			f.result(op{code: rI32WrapI64, a: o.a, b: p.local})
		}
		return
	case wasm.OpI32WrapI64:
		if n := len(f.pending) - 1; n >= 0 && f.pending[n].slot == o.b {
			if p := &f.pending[n]; p.const_ {
				p.imm = uint64(uint32(p.imm))
			} else {
				p.wrap = true
			}
			return
		}
		f.result(op{code: rI32WrapI64, a: o.a, b: o.b})
		return
	}
	f.result(op{code: unaries[in], a: o.a, b: f.read(o.b)})
}
