package num

import "math"

// The bits that make a NaN a quiet one.
const (
	quiet32 = 1 << 22
	quiet64 = 1 << 51
)

// Quiet32 returns a NaN as a quiet one, with its sign and payload. The specification lets an
// instruction with a NaN operand give any NaN whose quiet bit is set, and a canonical one if all
// its NaN operands are; keeping sign and payload is what processors do.
func Quiet32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) | quiet32) }

// Quiet64 is Quiet32 for 64 bits.
func Quiet64(x float64) float64 { return math.Float64frombits(math.Float64bits(x) | quiet64) }

// F32Min is f32.min: NaN if either operand is, and -0 is less than +0.
func F32Min(a, b float32) float32 {
	switch {
	case a != a:
		return Quiet32(a)
	case b != b:
		return Quiet32(b)
	case a < b:
		return a
	case b < a:
		return b
	}
	return math.Float32frombits(math.Float32bits(a) | math.Float32bits(b)) // equal: -0 wins
}

// F32Max is f32.max: NaN if either operand is, and +0 is more than -0.
func F32Max(a, b float32) float32 {
	switch {
	case a != a:
		return Quiet32(a)
	case b != b:
		return Quiet32(b)
	case a > b:
		return a
	case b > a:
		return b
	}
	return math.Float32frombits(math.Float32bits(a) & math.Float32bits(b)) // equal: +0 wins
}

// F64Min is f64.min: NaN if either operand is, and -0 is less than +0.
func F64Min(a, b float64) float64 {
	switch {
	case a != a:
		return Quiet64(a)
	case b != b:
		return Quiet64(b)
	case a < b:
		return a
	case b < a:
		return b
	}
	return math.Float64frombits(math.Float64bits(a) | math.Float64bits(b))
}

// F64Max is f64.max: NaN if either operand is, and +0 is more than -0.
func F64Max(a, b float64) float64 {
	switch {
	case a != a:
		return Quiet64(a)
	case b != b:
		return Quiet64(b)
	case a > b:
		return a
	case b > a:
		return b
	}
	return math.Float64frombits(math.Float64bits(a) & math.Float64bits(b))
}

// F64Ceil is f64.ceil.
func F64Ceil(x float64) float64 {
	if x != x {
		return Quiet64(x)
	}
	return math.Ceil(x)
}

// F64Floor is f64.floor.
func F64Floor(x float64) float64 {
	if x != x {
		return Quiet64(x)
	}
	return math.Floor(x)
}

// F64Trunc is f64.trunc.
func F64Trunc(x float64) float64 {
	if x != x {
		return Quiet64(x)
	}
	return math.Trunc(x)
}

// F64Nearest is f64.nearest: to the nearest integer, ties to the even one.
func F64Nearest(x float64) float64 {
	if x != x {
		return Quiet64(x)
	}
	return math.RoundToEven(x)
}

// F64Sqrt is f64.sqrt.
func F64Sqrt(x float64) float64 {
	if x != x {
		return Quiet64(x)
	}
	return math.Sqrt(x)
}

// The roundings of a float32 are exact as those of a float64.

// F32Ceil is f32.ceil.
func F32Ceil(x float32) float32 {
	if x != x {
		return Quiet32(x)
	}
	return float32(math.Ceil(float64(x)))
}

// F32Floor is f32.floor.
func F32Floor(x float32) float32 {
	if x != x {
		return Quiet32(x)
	}
	return float32(math.Floor(float64(x)))
}

// F32Trunc is f32.trunc.
func F32Trunc(x float32) float32 {
	if x != x {
		return Quiet32(x)
	}
	return float32(math.Trunc(float64(x)))
}

// F32Nearest is f32.nearest: to the nearest integer, ties to the even one.
func F32Nearest(x float32) float32 {
	if x != x {
		return Quiet32(x)
	}
	return float32(math.RoundToEven(float64(x)))
}

// F32Sqrt is f32.sqrt. Rounding the root of a float64 once more gives the right float32: 53 bits
// are more than twice 24 and two.
func F32Sqrt(x float32) float32 {
	if x != x {
		return Quiet32(x)
	}
	return float32(math.Sqrt(float64(x)))
}

// Operations on the sign are on bits: they leave a NaN as it is, a signalling one too.

// F32Abs is f32.abs, on bits.
func F32Abs(x uint32) uint32 { return x &^ (1 << 31) }

// F32Neg is f32.neg, on bits.
func F32Neg(x uint32) uint32 { return x ^ 1<<31 }

// F32Copysign is f32.copysign, on bits: the magnitude of x, the sign of y.
func F32Copysign(x, y uint32) uint32 { return x&^(1<<31) | y&(1<<31) }

// F64Abs is f64.abs, on bits.
func F64Abs(x uint64) uint64 { return x &^ (1 << 63) }

// F64Neg is f64.neg, on bits.
func F64Neg(x uint64) uint64 { return x ^ 1<<63 }

// F64Copysign is f64.copysign, on bits: the magnitude of x, the sign of y.
func F64Copysign(x, y uint64) uint64 { return x&^(1<<63) | y&(1<<63) }
