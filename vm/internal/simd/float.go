package simd

import "stackscope/vm/internal/num"

// fdiv is division of floats; add, sub and mul serve floats too. NaNs are the processor's.
func fdiv[T float](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		x[i] /= y[i]
	}
	return a
}

// pmin and pmax are `b < a ? b : a` and `a < b ? b : a`, whatever NaNs and zeros.
func pmin[T float](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		if y[i] < x[i] {
			x[i] = y[i]
		}
	}
	return a
}

func pmax[T float](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		if x[i] < y[i] {
			x[i] = y[i]
		}
	}
	return a
}

// madd is a*b+c rounded twice: the conversion keeps a compiler from fusing the two.
func madd[T float](a, b, c V) V {
	x, y, z := lanes[T](&a), lanes[T](&b), lanes[T](&c)
	for i := range x {
		x[i] = T(x[i]*y[i]) + z[i]
	}
	return a
}

// nmadd is -(a*b)+c, rounded twice.
func nmadd[T float](a, b, c V) V {
	x, y, z := lanes[T](&a), lanes[T](&b), lanes[T](&c)
	for i := range x {
		x[i] = T(-x[i]*y[i]) + z[i]
	}
	return a
}

const (
	signs32 = 1<<63 | 1<<31
	signs64 = 1 << 63
)

func f32x4Abs(a V) V { return V{a.Lo &^ signs32, a.Hi &^ signs32} }
func f32x4Neg(a V) V { return V{a.Lo ^ signs32, a.Hi ^ signs32} }
func f64x2Abs(a V) V { return V{a.Lo &^ signs64, a.Hi &^ signs64} }
func f64x2Neg(a V) V { return V{a.Lo ^ signs64, a.Hi ^ signs64} }

// each2 and each1 apply a function of package num lane by lane.
func each2[T float](a, b V, f func(T, T) T) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		x[i] = f(x[i], y[i])
	}
	return a
}

func each1[T float](a V, f func(T) T) V {
	x := lanes[T](&a)
	for i := range x {
		x[i] = f(x[i])
	}
	return a
}

func f32x4Min(a, b V) V  { return each2(a, b, num.F32Min) }
func f32x4Max(a, b V) V  { return each2(a, b, num.F32Max) }
func f64x2Min(a, b V) V  { return each2(a, b, num.F64Min) }
func f64x2Max(a, b V) V  { return each2(a, b, num.F64Max) }
func f32x4Ceil(a V) V    { return each1(a, num.F32Ceil) }
func f32x4Floor(a V) V   { return each1(a, num.F32Floor) }
func f32x4Trunc(a V) V   { return each1(a, num.F32Trunc) }
func f32x4Nearest(a V) V { return each1(a, num.F32Nearest) }
func f32x4Sqrt(a V) V    { return each1(a, num.F32Sqrt) }
func f64x2Ceil(a V) V    { return each1(a, num.F64Ceil) }
func f64x2Floor(a V) V   { return each1(a, num.F64Floor) }
func f64x2Trunc(a V) V   { return each1(a, num.F64Trunc) }
func f64x2Nearest(a V) V { return each1(a, num.F64Nearest) }
func f64x2Sqrt(a V) V    { return each1(a, num.F64Sqrt) }

func truncSatF32S(a V) (r V) {
	x, n := lanes[float32](&a), lanes[int32](&r)
	for i := range n {
		n[i] = num.I32TruncSatS(float64(x[i]))
	}
	return r
}

func truncSatF32U(a V) (r V) {
	x, n := lanes[float32](&a), lanes[uint32](&r)
	for i := range n {
		n[i] = num.I32TruncSatU(float64(x[i]))
	}
	return r
}

// The upper two lanes of what comes from an f64x2 are zero.
func truncSatF64S(a V) (r V) {
	x, n := lanes[float64](&a), lanes[int32](&r)
	for i := range x {
		n[i] = num.I32TruncSatS(x[i])
	}
	return r
}

func truncSatF64U(a V) (r V) {
	x, n := lanes[float64](&a), lanes[uint32](&r)
	for i := range x {
		n[i] = num.I32TruncSatU(x[i])
	}
	return r
}

func f32x4ConvertS(a V) (r V) {
	n, x := lanes[int32](&a), lanes[float32](&r)
	for i := range x {
		x[i] = float32(n[i])
	}
	return r
}

func f32x4ConvertU(a V) (r V) {
	n, x := lanes[uint32](&a), lanes[float32](&r)
	for i := range x {
		x[i] = num.F32ConvertU32(n[i])
	}
	return r
}

func f64x2ConvertLow[N int32 | uint32](a V) (r V) {
	n, x := lanes[N](&a), lanes[float64](&r)
	for i := range x {
		x[i] = float64(n[i])
	}
	return r
}

func demoteZero(a V) (r V) {
	d, x := lanes[float64](&a), lanes[float32](&r)
	for i := range d {
		x[i] = num.Demote(d[i])
	}
	return r
}

func promoteLow(a V) (r V) {
	x, d := lanes[float32](&a), lanes[float64](&r)
	for i := range d {
		d[i] = num.Promote(x[i])
	}
	return r
}
