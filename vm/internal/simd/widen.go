package simd

// In this file a wide lane W has twice the bits of a narrow lane N.

func extendLow[N, W integer](a V) (r V) {
	x, w := lanes[N](&a), lanes[W](&r)
	for i := range w {
		w[i] = W(x[i])
	}
	return r
}

func extendHigh[N, W integer](a V) V { return extendLow[N, W](V{Lo: a.Hi}) }

func extmulLow[N, W integer](a, b V) (r V) {
	x, y, w := lanes[N](&a), lanes[N](&b), lanes[W](&r)
	for i := range w {
		w[i] = W(x[i]) * W(y[i])
	}
	return r
}

func extmulHigh[N, W integer](a, b V) V { return extmulLow[N, W](V{Lo: a.Hi}, V{Lo: b.Hi}) }

// extadd adds neighbours.
func extadd[N, W integer](a V) (r V) {
	x, w := lanes[N](&a), lanes[W](&r)
	for i := range w {
		w[i] = W(x[2*i]) + W(x[2*i+1])
	}
	return r
}

// narrow saturates the signed lanes of a, then of b.
func narrow[W int16 | int32, N int8 | int16 | uint8 | uint16](a, b V) (r V) {
	x, y, n := lanes[W](&a), lanes[W](&b), lanes[N](&r)
	for i := range x {
		n[i] = sat[N](int32(x[i]))
		n[i+len(x)] = sat[N](int32(y[i]))
	}
	return r
}

// dot multiplies lanes and adds neighbouring products, both with the wide lane's wrapping.
func dot[N, W signed](a, b V) (r V) {
	x, y, w := lanes[N](&a), lanes[N](&b), lanes[W](&r)
	for i := range w {
		w[i] = W(x[2*i])*W(y[2*i]) + W(x[2*i+1])*W(y[2*i+1])
	}
	return r
}

// dotAdd is i32x4.relaxed_dot_i8x16_i7x16_add_s: the 16-bit sums are added in pairs, and to c.
func dotAdd(a, b, c V) V {
	return add[int32](extadd[int16, int32](dot[int8, int16](a, b)), c)
}
