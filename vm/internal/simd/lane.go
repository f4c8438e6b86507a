package simd

// splat takes the low bits of a scalar.
func splat[T unsigned](a V) (r V) {
	x := lanes[T](&r)
	for i := range x {
		x[i] = T(a.Lo)
	}
	return r
}

// extract returns a lane as an i32 or i64, with the sign of T.
func extract[T integer](a, _ V, lane uint8) V {
	x := lanes[T](&a)
	n := uint64(x[int(lane)&(len(x)-1)])
	if width[T]() < 64 {
		n = uint64(uint32(n))
	}
	return V{Lo: n}
}

// replace takes the low bits of the scalar b.
func replace[T unsigned](a, b V, lane uint8) V {
	x := lanes[T](&a)
	x[int(lane)&(len(x)-1)] = T(b.Lo)
	return a
}

// shuffle picks lanes of a, then b, by the indices in c.
func shuffle(a, b, c V) (r V) {
	both := [2]V{a, b}
	lo, hi := lanes[uint8](&both[0]), lanes[uint8](&both[1])
	ix, x := lanes[uint8](&c), lanes[uint8](&r)
	for i, n := range ix {
		if n < 16 {
			x[i] = lo[n]
		} else {
			x[i] = hi[n&15]
		}
	}
	return r
}

// swizzle picks lanes of a by the indices in b; beyond the last lane is zero.
func swizzle(a, b V) (r V) {
	s, ix, x := lanes[uint8](&a), lanes[uint8](&b), lanes[uint8](&r)
	for i, n := range ix {
		if n < 16 {
			x[i] = s[n]
		}
	}
	return r
}

func allTrue[T integer](a V) V {
	for _, n := range lanes[T](&a) {
		if n == 0 {
			return V{}
		}
	}
	return V{Lo: 1}
}

// bitmask gathers the signs, that of lane 0 lowest.
func bitmask[T signed](a V) (r V) {
	for i, n := range lanes[T](&a) {
		if n < 0 {
			r.Lo |= 1 << i
		}
	}
	return r
}
