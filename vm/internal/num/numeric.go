package num

import (
	"math"
	"math/bits"

	"stackscope/wasm"
)

// Supported reports whether numeric executes the instruction: the scalar instructions of the
// numeric chapter but constants, which the table has in one piece.
func Supported(op wasm.Op) bool {
	return op >= wasm.OpI32Eqz && op <= wasm.OpI64TruncSatF64U
}

// Do executes a scalar numeric instruction that the dispatch loop does not inline:
// conversions, truncations, division and remainder, min, max, nearest, copysign and so on; and, to
// have every one in one place, those that it does. x and y are the operands (y is unused of unary
// ones) as slots: i32 zero-extended, floats as bits. The result is a slot in the same form. A trap
// of 0 means none.
func Do(op wasm.Op, x, y uint64) (r uint64, trap wasm.TrapKind) {
	switch {
	case op < wasm.OpI64Eqz || op >= wasm.OpI32Clz && op < wasm.OpI64Clz:
		return numericI32(op, uint32(x), uint32(y))
	case op < wasm.OpF32Eq || op >= wasm.OpI64Clz && op < wasm.OpF32Abs:
		return numericI64(op, x, y)
	case op < wasm.OpF64Eq || op >= wasm.OpF32Abs && op < wasm.OpF64Abs:
		return numericF32(op, math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))), 0
	case op < wasm.OpI32Clz || op >= wasm.OpF64Abs && op < wasm.OpI32WrapI64:
		return numericF64(op, math.Float64frombits(x), math.Float64frombits(y)), 0
	}
	return convert(op, x)
}

// Truth is the i32 of a test or comparison.
func Truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func numericI32(op wasm.Op, x, y uint32) (uint64, wasm.TrapKind) {
	var r uint32
	var trap wasm.TrapKind
	switch op {
	case wasm.OpI32Eqz:
		return Truth(x == 0), 0
	case wasm.OpI32Eq:
		return Truth(x == y), 0
	case wasm.OpI32Ne:
		return Truth(x != y), 0
	case wasm.OpI32LtS:
		return Truth(int32(x) < int32(y)), 0
	case wasm.OpI32LtU:
		return Truth(x < y), 0
	case wasm.OpI32GtS:
		return Truth(int32(x) > int32(y)), 0
	case wasm.OpI32GtU:
		return Truth(x > y), 0
	case wasm.OpI32LeS:
		return Truth(int32(x) <= int32(y)), 0
	case wasm.OpI32LeU:
		return Truth(x <= y), 0
	case wasm.OpI32GeS:
		return Truth(int32(x) >= int32(y)), 0
	case wasm.OpI32GeU:
		return Truth(x >= y), 0
	case wasm.OpI32Clz:
		r = uint32(bits.LeadingZeros32(x))
	case wasm.OpI32Ctz:
		r = uint32(bits.TrailingZeros32(x))
	case wasm.OpI32Popcnt:
		r = uint32(bits.OnesCount32(x))
	case wasm.OpI32Add:
		r = x + y
	case wasm.OpI32Sub:
		r = x - y
	case wasm.OpI32Mul:
		r = x * y
	case wasm.OpI32DivS:
		var s int32
		s, trap = I32DivS(int32(x), int32(y))
		r = uint32(s)
	case wasm.OpI32DivU:
		r, trap = I32DivU(x, y)
	case wasm.OpI32RemS:
		var s int32
		s, trap = I32RemS(int32(x), int32(y))
		r = uint32(s)
	case wasm.OpI32RemU:
		r, trap = I32RemU(x, y)
	case wasm.OpI32And:
		r = x & y
	case wasm.OpI32Or:
		r = x | y
	case wasm.OpI32Xor:
		r = x ^ y
	case wasm.OpI32Shl:
		r = x << (y & 31)
	case wasm.OpI32ShrS:
		r = uint32(int32(x) >> (y & 31))
	case wasm.OpI32ShrU:
		r = x >> (y & 31)
	case wasm.OpI32Rotl:
		r = bits.RotateLeft32(x, int(y&31))
	case wasm.OpI32Rotr:
		r = bits.RotateLeft32(x, -int(y&31))
	}
	return uint64(r), trap
}

func numericI64(op wasm.Op, x, y uint64) (uint64, wasm.TrapKind) {
	switch op {
	case wasm.OpI64Eqz:
		return Truth(x == 0), 0
	case wasm.OpI64Eq:
		return Truth(x == y), 0
	case wasm.OpI64Ne:
		return Truth(x != y), 0
	case wasm.OpI64LtS:
		return Truth(int64(x) < int64(y)), 0
	case wasm.OpI64LtU:
		return Truth(x < y), 0
	case wasm.OpI64GtS:
		return Truth(int64(x) > int64(y)), 0
	case wasm.OpI64GtU:
		return Truth(x > y), 0
	case wasm.OpI64LeS:
		return Truth(int64(x) <= int64(y)), 0
	case wasm.OpI64LeU:
		return Truth(x <= y), 0
	case wasm.OpI64GeS:
		return Truth(int64(x) >= int64(y)), 0
	case wasm.OpI64GeU:
		return Truth(x >= y), 0
	case wasm.OpI64Clz:
		return uint64(bits.LeadingZeros64(x)), 0
	case wasm.OpI64Ctz:
		return uint64(bits.TrailingZeros64(x)), 0
	case wasm.OpI64Popcnt:
		return uint64(bits.OnesCount64(x)), 0
	case wasm.OpI64Add:
		return x + y, 0
	case wasm.OpI64Sub:
		return x - y, 0
	case wasm.OpI64Mul:
		return x * y, 0
	case wasm.OpI64DivS:
		s, trap := I64DivS(int64(x), int64(y))
		return uint64(s), trap
	case wasm.OpI64DivU:
		return I64DivU(x, y)
	case wasm.OpI64RemS:
		s, trap := I64RemS(int64(x), int64(y))
		return uint64(s), trap
	case wasm.OpI64RemU:
		return I64RemU(x, y)
	case wasm.OpI64And:
		return x & y, 0
	case wasm.OpI64Or:
		return x | y, 0
	case wasm.OpI64Xor:
		return x ^ y, 0
	case wasm.OpI64Shl:
		return x << (y & 63), 0
	case wasm.OpI64ShrS:
		return uint64(int64(x) >> (y & 63)), 0
	case wasm.OpI64ShrU:
		return x >> (y & 63), 0
	case wasm.OpI64Rotl:
		return bits.RotateLeft64(x, int(y&63)), 0
	case wasm.OpI64Rotr:
		return bits.RotateLeft64(x, -int(y&63)), 0
	}
	return 0, 0
}

func numericF32(op wasm.Op, x, y float32) uint64 {
	xb, yb := math.Float32bits(x), math.Float32bits(y)
	var r float32
	switch op {
	case wasm.OpF32Eq:
		return Truth(x == y)
	case wasm.OpF32Ne:
		return Truth(x != y)
	case wasm.OpF32Lt:
		return Truth(x < y)
	case wasm.OpF32Gt:
		return Truth(x > y)
	case wasm.OpF32Le:
		return Truth(x <= y)
	case wasm.OpF32Ge:
		return Truth(x >= y)
	case wasm.OpF32Abs:
		return uint64(F32Abs(xb))
	case wasm.OpF32Neg:
		return uint64(F32Neg(xb))
	case wasm.OpF32Copysign:
		return uint64(F32Copysign(xb, yb))
	case wasm.OpF32Ceil:
		r = F32Ceil(x)
	case wasm.OpF32Floor:
		r = F32Floor(x)
	case wasm.OpF32Trunc:
		r = F32Trunc(x)
	case wasm.OpF32Nearest:
		r = F32Nearest(x)
	case wasm.OpF32Sqrt:
		r = F32Sqrt(x)
	case wasm.OpF32Add:
		r = x + y
	case wasm.OpF32Sub:
		r = x - y
	case wasm.OpF32Mul:
		r = x * y
	case wasm.OpF32Div:
		r = x / y
	case wasm.OpF32Min:
		r = F32Min(x, y)
	case wasm.OpF32Max:
		r = F32Max(x, y)
	}
	return uint64(math.Float32bits(r))
}

func numericF64(op wasm.Op, x, y float64) uint64 {
	xb, yb := math.Float64bits(x), math.Float64bits(y)
	var r float64
	switch op {
	case wasm.OpF64Eq:
		return Truth(x == y)
	case wasm.OpF64Ne:
		return Truth(x != y)
	case wasm.OpF64Lt:
		return Truth(x < y)
	case wasm.OpF64Gt:
		return Truth(x > y)
	case wasm.OpF64Le:
		return Truth(x <= y)
	case wasm.OpF64Ge:
		return Truth(x >= y)
	case wasm.OpF64Abs:
		return F64Abs(xb)
	case wasm.OpF64Neg:
		return F64Neg(xb)
	case wasm.OpF64Copysign:
		return F64Copysign(xb, yb)
	case wasm.OpF64Ceil:
		r = F64Ceil(x)
	case wasm.OpF64Floor:
		r = F64Floor(x)
	case wasm.OpF64Trunc:
		r = F64Trunc(x)
	case wasm.OpF64Nearest:
		r = F64Nearest(x)
	case wasm.OpF64Sqrt:
		r = F64Sqrt(x)
	case wasm.OpF64Add:
		r = x + y
	case wasm.OpF64Sub:
		r = x - y
	case wasm.OpF64Mul:
		r = x * y
	case wasm.OpF64Div:
		r = x / y
	case wasm.OpF64Min:
		r = F64Min(x, y)
	case wasm.OpF64Max:
		r = F64Max(x, y)
	}
	return math.Float64bits(r)
}

// convert executes the instructions from one number type to another, extensions of the sign
// included.
func convert(op wasm.Op, x uint64) (uint64, wasm.TrapKind) {
	f32 := func() float64 { return float64(math.Float32frombits(uint32(x))) } // exact; a NaN stays one
	f64 := func() float64 { return math.Float64frombits(x) }
	switch op {
	case wasm.OpI32WrapI64, wasm.OpI64ExtendI32U:
		return uint64(uint32(x)), 0
	case wasm.OpI64ExtendI32S, wasm.OpI64Extend32S:
		return uint64(int32(x)), 0
	case wasm.OpI32Extend8S:
		return uint64(uint32(int8(x))), 0
	case wasm.OpI32Extend16S:
		return uint64(uint32(int16(x))), 0
	case wasm.OpI64Extend8S:
		return uint64(int8(x)), 0
	case wasm.OpI64Extend16S:
		return uint64(int16(x)), 0
	case wasm.OpI32TruncF32S:
		r, trap := I32TruncS(f32())
		return uint64(uint32(r)), trap
	case wasm.OpI32TruncF32U:
		r, trap := I32TruncU(f32())
		return uint64(r), trap
	case wasm.OpI32TruncF64S:
		r, trap := I32TruncS(f64())
		return uint64(uint32(r)), trap
	case wasm.OpI32TruncF64U:
		r, trap := I32TruncU(f64())
		return uint64(r), trap
	case wasm.OpI64TruncF32S:
		r, trap := I64TruncS(f32())
		return uint64(r), trap
	case wasm.OpI64TruncF32U:
		return I64TruncU(f32())
	case wasm.OpI64TruncF64S:
		r, trap := I64TruncS(f64())
		return uint64(r), trap
	case wasm.OpI64TruncF64U:
		return I64TruncU(f64())
	case wasm.OpI32TruncSatF32S:
		return uint64(uint32(I32TruncSatS(f32()))), 0
	case wasm.OpI32TruncSatF32U:
		return uint64(I32TruncSatU(f32())), 0
	case wasm.OpI32TruncSatF64S:
		return uint64(uint32(I32TruncSatS(f64()))), 0
	case wasm.OpI32TruncSatF64U:
		return uint64(I32TruncSatU(f64())), 0
	case wasm.OpI64TruncSatF32S:
		return uint64(I64TruncSatS(f32())), 0
	case wasm.OpI64TruncSatF32U:
		return I64TruncSatU(f32()), 0
	case wasm.OpI64TruncSatF64S:
		return uint64(I64TruncSatS(f64())), 0
	case wasm.OpI64TruncSatF64U:
		return I64TruncSatU(f64()), 0
	case wasm.OpF32ConvertI32S:
		return uint64(math.Float32bits(float32(int32(x)))), 0
	case wasm.OpF32ConvertI32U:
		return uint64(math.Float32bits(F32ConvertU32(uint32(x)))), 0
	case wasm.OpF32ConvertI64S:
		return uint64(math.Float32bits(float32(int64(x)))), 0
	case wasm.OpF32ConvertI64U:
		return uint64(math.Float32bits(F32ConvertU64(x))), 0
	case wasm.OpF32DemoteF64:
		return uint64(math.Float32bits(Demote(f64()))), 0
	case wasm.OpF64ConvertI32S:
		return math.Float64bits(float64(int32(x))), 0
	case wasm.OpF64ConvertI32U:
		return math.Float64bits(float64(uint32(x))), 0
	case wasm.OpF64ConvertI64S:
		return math.Float64bits(float64(int64(x))), 0
	case wasm.OpF64ConvertI64U:
		return math.Float64bits(F64ConvertU64(x)), 0
	case wasm.OpF64PromoteF32:
		return math.Float64bits(Promote(math.Float32frombits(uint32(x)))), 0
	}
	return x, 0 // reinterpretations
}
