package num

import (
	"math"

	"stackscope/wasm"
)

// Powers of two that bound the integer types, all exact.
const (
	two31 = 1 << 31
	two32 = 1 << 32
	two63 = 1 << 63
	two64 = 1 << 64
)

// I32TruncS is i32.trunc_f64_s, and of a float32 made a float64 (which is exact) i32.trunc_f32_s.
func I32TruncS(x float64) (int32, wasm.TrapKind) {
	if x > -two31-1 && x < two31 {
		return int32(x), 0
	}
	return 0, truncTrap(x)
}

// I32TruncU is i32.trunc_f64_u and i32.trunc_f32_u.
func I32TruncU(x float64) (uint32, wasm.TrapKind) {
	if x > -1 && x < two32 {
		return uint32(int64(x)), 0
	}
	return 0, truncTrap(x)
}

// I64TruncS is i64.trunc_f64_s and i64.trunc_f32_s.
func I64TruncS(x float64) (int64, wasm.TrapKind) {
	if x >= -two63 && x < two63 {
		return int64(x), 0
	}
	return 0, truncTrap(x)
}

// I64TruncU is i64.trunc_f64_u and i64.trunc_f32_u.
func I64TruncU(x float64) (uint64, wasm.TrapKind) {
	if x > -1 && x < two64 {
		return toU64(x), 0
	}
	return 0, truncTrap(x)
}

func truncTrap(x float64) wasm.TrapKind {
	if x != x {
		return wasm.TrapInvalidConversion
	}
	return wasm.TrapIntegerOverflow
}

// toU64 truncates a number in range with signed conversions only, which all processors have.
func toU64(x float64) uint64 {
	if x < two63 {
		return uint64(int64(x))
	}
	return uint64(int64(x-two63)) ^ 1<<63
}

// I32TruncSatS is i32.trunc_sat_f64_s and i32.trunc_sat_f32_s: NaN gives 0, what is out of range
// the nearest number in it.
func I32TruncSatS(x float64) int32 {
	switch {
	case x != x:
		return 0
	case x <= -two31:
		return math.MinInt32
	case x >= two31:
		return math.MaxInt32
	}
	return int32(x)
}

// I32TruncSatU is i32.trunc_sat_f64_u and i32.trunc_sat_f32_u.
func I32TruncSatU(x float64) uint32 {
	switch {
	case !(x > 0):
		return 0
	case x >= two32:
		return math.MaxUint32
	}
	return uint32(int64(x))
}

// I64TruncSatS is i64.trunc_sat_f64_s and i64.trunc_sat_f32_s.
func I64TruncSatS(x float64) int64 {
	switch {
	case x != x:
		return 0
	case x <= -two63:
		return math.MinInt64
	case x >= two63:
		return math.MaxInt64
	}
	return int64(x)
}

// I64TruncSatU is i64.trunc_sat_f64_u and i64.trunc_sat_f32_u.
func I64TruncSatU(x float64) uint64 {
	switch {
	case !(x > 0):
		return 0
	case x >= two64:
		return math.MaxUint64
	}
	return toU64(x)
}

// F32ConvertU64 is f32.convert_i64_u, rounded once, to nearest with ties to even.
func F32ConvertU64(x uint64) float32 {
	if int64(x) >= 0 {
		return float32(int64(x))
	}
	h := float32(int64(x>>1 | x&1)) // the lost bit only matters as "more than"
	return h + h
}

// F64ConvertU64 is f64.convert_i64_u, rounded once.
func F64ConvertU64(x uint64) float64 {
	if int64(x) >= 0 {
		return float64(int64(x))
	}
	h := float64(int64(x>>1 | x&1))
	return h + h
}

// F32ConvertU32 is f32.convert_i32_u, rounded once.
func F32ConvertU32(x uint32) float32 { return float32(int64(x)) }

// Demote is f32.demote_f64. A NaN keeps its sign and the high part of its payload.
func Demote(x float64) float32 {
	if x != x {
		b := math.Float64bits(x)
		return math.Float32frombits(uint32(b>>63)<<31 | 0x7fc00000 | uint32(b>>29)&0x3fffff)
	}
	return float32(x)
}

// Promote is f64.promote_f32. A NaN keeps its sign and its payload.
func Promote(x float32) float64 {
	if x != x {
		b := uint64(math.Float32bits(x))
		return math.Float64frombits(b>>31<<63 | 0x7ff8000000000000 | b&0x3fffff<<29)
	}
	return float64(x)
}
