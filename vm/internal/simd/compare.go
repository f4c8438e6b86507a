package simd

// Comparisons of lanes of type T give all ones, in M of the same width, where they hold.

func eq[T number, M unsigned](a, b V) (r V) {
	x, y, m := lanes[T](&a), lanes[T](&b), lanes[M](&r)
	for i := range x {
		if x[i] == y[i] {
			m[i] = ^M(0)
		}
	}
	return r
}

func ne[T number, M unsigned](a, b V) (r V) {
	x, y, m := lanes[T](&a), lanes[T](&b), lanes[M](&r)
	for i := range x {
		if x[i] != y[i] {
			m[i] = ^M(0)
		}
	}
	return r
}

func lt[T number, M unsigned](a, b V) (r V) {
	x, y, m := lanes[T](&a), lanes[T](&b), lanes[M](&r)
	for i := range x {
		if x[i] < y[i] {
			m[i] = ^M(0)
		}
	}
	return r
}

func le[T number, M unsigned](a, b V) (r V) {
	x, y, m := lanes[T](&a), lanes[T](&b), lanes[M](&r)
	for i := range x {
		if x[i] <= y[i] {
			m[i] = ^M(0)
		}
	}
	return r
}

func gt[T number, M unsigned](a, b V) V { return lt[T, M](b, a) }

func ge[T number, M unsigned](a, b V) V { return le[T, M](b, a) }
