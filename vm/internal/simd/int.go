package simd

import "math/bits"

func add[T number](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		x[i] += y[i]
	}
	return a
}

func sub[T number](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		x[i] -= y[i]
	}
	return a
}

func mul[T number](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		x[i] *= y[i]
	}
	return a
}

// sat returns the number nearest to n that T holds; T has at most 16 bits.
func sat[T int8 | int16 | uint8 | uint16](n int32) T {
	lo, hi := int32(0), int32(^T(0))
	if hi < 0 { // T is signed
		hi = 1<<(width[T]()-1) - 1
		lo = -hi - 1
	}
	return T(max(lo, min(n, hi)))
}

func addSat[T int8 | int16 | uint8 | uint16](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		x[i] = sat[T](int32(x[i]) + int32(y[i]))
	}
	return a
}

func subSat[T int8 | int16 | uint8 | uint16](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		x[i] = sat[T](int32(x[i]) - int32(y[i]))
	}
	return a
}

func minInt[T integer](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		x[i] = min(x[i], y[i])
	}
	return a
}

func maxInt[T integer](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		x[i] = max(x[i], y[i])
	}
	return a
}

// average rounds up.
func average[T uint8 | uint16](a, b V) V {
	x, y := lanes[T](&a), lanes[T](&b)
	for i := range x {
		x[i] = T((uint32(x[i]) + uint32(y[i]) + 1) / 2)
	}
	return a
}

func q15mulrSat(a, b V) V {
	x, y := lanes[int16](&a), lanes[int16](&b)
	for i := range x {
		x[i] = sat[int16]((int32(x[i])*int32(y[i]) + 1<<14) >> 15)
	}
	return a
}

func absInt[T signed](a V) V {
	x := lanes[T](&a)
	for i, n := range x {
		if n < 0 {
			x[i] = -n
		}
	}
	return a
}

func negInt[T integer](a V) V {
	x := lanes[T](&a)
	for i, n := range x {
		x[i] = -n
	}
	return a
}

func popcnt(a V) V {
	x := lanes[uint8](&a)
	for i, n := range x {
		x[i] = uint8(bits.OnesCount8(n))
	}
	return a
}

// shl and shr take the count, modulo the lane's width, from the scalar b.
func shl[T integer](a, b V) V {
	x, n := lanes[T](&a), b.Lo&(width[T]()-1)
	for i := range x {
		x[i] <<= n
	}
	return a
}

func shr[T integer](a, b V) V {
	x, n := lanes[T](&a), b.Lo&(width[T]()-1)
	for i := range x {
		x[i] >>= n
	}
	return a
}

func and(a, b V) V          { return V{a.Lo & b.Lo, a.Hi & b.Hi} }
func andNot(a, b V) V       { return V{a.Lo &^ b.Lo, a.Hi &^ b.Hi} }
func or(a, b V) V           { return V{a.Lo | b.Lo, a.Hi | b.Hi} }
func xor(a, b V) V          { return V{a.Lo ^ b.Lo, a.Hi ^ b.Hi} }
func not(a V) V             { return V{^a.Lo, ^a.Hi} }
func bitselect(a, b, c V) V { return V{a.Lo&c.Lo | b.Lo&^c.Lo, a.Hi&c.Hi | b.Hi&^c.Hi} }
func anyTrue(a V) V         { return truth(a.Lo|a.Hi != 0) }
