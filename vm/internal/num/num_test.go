package num

import (
	"math"
	"testing"

	"stackscope/wasm"
)

func TestDivision(t *testing.T) {
	const zero, over = wasm.TrapIntegerDivideByZero, wasm.TrapIntegerOverflow
	i32 := []struct {
		a, b     int32
		div, rem int32
		dt, rt   wasm.TrapKind
	}{
		{7, -2, -3, 1, 0, 0}, {-7, 2, -3, -1, 0, 0}, {1, 0, 0, 0, zero, zero},
		{math.MinInt32, -1, 0, 0, over, 0}, {math.MinInt32, 2, math.MinInt32 / 2, 0, 0, 0}, {5, -1, -5, 0, 0, 0},
	}
	for _, x := range i32 {
		if d, k := I32DivS(x.a, x.b); d != x.div || k != x.dt {
			t.Errorf("%d / %d = %d, %v", x.a, x.b, d, k)
		}
		if r, k := I32RemS(x.a, x.b); r != x.rem || k != x.rt {
			t.Errorf("%d %% %d = %d, %v", x.a, x.b, r, k)
		}
		wide := func(n int32) int64 {
			if n == math.MinInt32 {
				return math.MinInt64
			}
			return int64(n)
		}
		if d, k := I64DivS(wide(x.a), int64(x.b)); x.a != math.MinInt32 && d != int64(x.div) || k != x.dt {
			t.Errorf("i64: %d / %d = %d, %v", x.a, x.b, d, k)
		}
		if r, k := I64RemS(wide(x.a), int64(x.b)); r != int64(x.rem) || k != x.rt {
			t.Errorf("i64: %d %% %d = %d, %v", x.a, x.b, r, k)
		}
	}
	if d, k := I32DivU(math.MaxUint32, 2); d != math.MaxInt32 || k != 0 {
		t.Error(d, k)
	}
	if d, k := I64DivU(math.MaxUint64, 2); d != math.MaxInt64 || k != 0 {
		t.Error(d, k)
	}
	if r, k := I32RemU(7, 4); r != 3 || k != 0 {
		t.Error(r, k)
	}
	if r, k := I64RemU(7, 4); r != 3 || k != 0 {
		t.Error(r, k)
	}
	for i, f := range []func() wasm.TrapKind{
		func() wasm.TrapKind { _, k := I32DivU(1, 0); return k }, func() wasm.TrapKind {
			_, k := I32RemU(1,
				0)
			return k
		},
		func() wasm.TrapKind { _, k := I64DivU(1, 0); return k }, func() wasm.TrapKind {
			_, k := I64RemU(1,
				0)
			return k
		},
	} {
		if k := f(); k != zero {
			t.Error(i, k)
		}
	}
}

func TestTrunc(t *testing.T) {
	const ok, over, bad = 0, wasm.TrapIntegerOverflow, wasm.TrapInvalidConversion
	nan := math.NaN()
	tests := []struct {
		x          float64
		i32s, i32u wasm.TrapKind
		i64s, i64u wasm.TrapKind
		s32        int32
		u32        uint32
		s64        int64
		u64        uint64 // results of trunc_sat; of trunc the same where it does not trap
	}{
		{0, ok, ok, ok, ok, 0, 0, 0, 0},
		{math.Copysign(0, -1), ok, ok, ok, ok, 0, 0, 0, 0},
		{-0.9999999, ok, ok, ok, ok, 0, 0, 0, 0},
		{1.9, ok, ok, ok, ok, 1, 1, 1, 1},
		{-1, ok, over, ok, over, -1, 0, -1, 0},
		{2147483647.9, ok, ok, ok, ok, math.MaxInt32, math.MaxInt32, math.MaxInt32, math.MaxInt32},
		{2147483648, over, ok, ok, ok, math.MaxInt32, 1 << 31, 1 << 31, 1 << 31},
		{-2147483648.9, ok, over, ok, over, math.MinInt32, 0, math.MinInt32, 0},
		{-2147483649, over, over, ok, over, math.MinInt32, 0, math.MinInt32 - 1, 0},
		{4294967295.9, over, ok, ok, ok, math.MaxInt32, math.MaxUint32, math.MaxUint32, math.MaxUint32},
		{4294967296, over, over, ok, ok, math.MaxInt32, math.MaxUint32, 1 << 32, 1 << 32},
		{0x1p63, over, over, over, ok, math.MaxInt32, math.MaxUint32, math.MaxInt64, 1 << 63},
		{-0x1p63, over, over, ok, over, math.MinInt32, 0, math.MinInt64, 0},
		{-0x1.0000000000001p63, over, over, over, over, math.MinInt32, 0, math.MinInt64, 0},
		{0x1.fffffffffffffp63, over, over, over, ok, math.MaxInt32, math.MaxUint32, math.MaxInt64, 0xfffffffffffff800},
		{0x1p64, over, over, over, over, math.MaxInt32, math.MaxUint32, math.MaxInt64, math.MaxUint64},
		{math.Inf(1), over, over, over, over, math.MaxInt32, math.MaxUint32, math.MaxInt64, math.MaxUint64},
		{math.Inf(-1), over, over, over, over, math.MinInt32, 0, math.MinInt64, 0},
		{nan, bad, bad, bad, bad, 0, 0, 0, 0},
	}
	for _, x := range tests {
		if n, k := I32TruncS(x.x); k != x.i32s || k == 0 && n != x.s32 || I32TruncSatS(x.x) != x.s32 {
			t.Errorf("i32_s(%v) = %d, %v, sat %d", x.x, n, k, I32TruncSatS(x.x))
		}
		if n, k := I32TruncU(x.x); k != x.i32u || k == 0 && n != x.u32 || I32TruncSatU(x.x) != x.u32 {
			t.Errorf("i32_u(%v) = %d, %v, sat %d", x.x, n, k, I32TruncSatU(x.x))
		}
		if n, k := I64TruncS(x.x); k != x.i64s || k == 0 && n != x.s64 || I64TruncSatS(x.x) != x.s64 {
			t.Errorf("i64_s(%v) = %d, %v, sat %d", x.x, n, k, I64TruncSatS(x.x))
		}
		if n, k := I64TruncU(x.x); k != x.i64u || k == 0 && n != x.u64 || I64TruncSatU(x.x) != x.u64 {
			t.Errorf("i64_u(%v) = %d, %v, sat %d", x.x, n, k, I64TruncSatU(x.x))
		}
	}
}

func TestConvert(t *testing.T) {
	f32 := []struct {
		x    uint64
		want float32
	}{
		{
			0, 0,
		}, {16777217, 16777216}, {16777219, 16777220}, {0x7fffff4000000001, 0x1.fffffep+62},
		{0x8000008000000001, 0x1.000002p+63},
		{
			0x8000008000000000, 0x1p63,
		}, {0xfffffe8000000001, 0x1.fffffep+63}, {0xfffffe8000000000, 0x1.fffffcp+63}, {math.MaxUint64, 0x1p64},
	}
	for _, x := range f32 {
		if got := F32ConvertU64(x.x); got != x.want {
			t.Errorf("f32(%#x) = %x, want %x", x.x, got, x.want)
		}
	}
	f64 := []struct {
		x    uint64
		want float64
	}{
		{
			0x20000000000001, 0x1p53,
		}, {0x20000000000003, 0x20000000000004}, {0x8000000000000400, 0x1p63}, {0x8000000000000401,
			0x1.0000000000001p+63},
		{0x8000000000000c00, 0x1.0000000000002p+63}, {math.MaxUint64, 0x1p64},
	}
	for _, x := range f64 {
		if got := F64ConvertU64(x.x); got != x.want {
			t.Errorf("f64(%#x) = %x, want %x", x.x, got, x.want)
		}
	}
	if F32ConvertU32(math.MaxUint32) != 0x1p32 || F32ConvertU32(0x80000081) != 0x1.000002p+31 {
		t.Error("f32.convert_i32_u")
	}
	if Demote(0x1.fffffefffffffp127) != 0x1.fffffep127 || !math.IsInf(float64(Demote(0x1.ffffffp127)), 1) ||
		Demote(0x1p-150) != 0 {
		t.Error("f32.demote_f64")
	}
}

func TestNaN(t *testing.T) {
	s32 := math.Float32frombits(0xffa00001) // signalling, negative, with a payload
	s64 := math.Float64frombits(0xfff4000000000001)
	for i, got := range []float32{F32Min(s32, 1), F32Min(1, s32), F32Max(s32, 1), F32Max(1, s32),
		F32Ceil(s32), F32Floor(s32), F32Trunc(s32), F32Nearest(s32), F32Sqrt(s32)} {
		if b := math.Float32bits(got); b != 0xffe00001 {
			t.Errorf("%d: %#x", i, b)
		}
	}
	for i, got := range []float64{F64Min(s64, 1), F64Min(1, s64), F64Max(s64, 1), F64Max(1, s64),
		F64Ceil(s64), F64Floor(s64), F64Trunc(s64), F64Nearest(s64), F64Sqrt(s64)} {
		if b := math.Float64bits(got); b != 0xfffc000000000001 {
			t.Errorf("%d: %#x", i, b)
		}
	}
	if b := math.Float64bits(Promote(s32)); b != 0xfffc000020000000 {
		t.Errorf("promote: %#x", b)
	}
	if b := math.Float32bits(Demote(s64)); b != 0xffe00000 {
		t.Errorf("demote: %#x", b)
	}
	if b := math.Float32bits(F32Sqrt(-1)); b&0x7fffffff != 0x7fc00000 {
		t.Errorf("sqrt(-1) is not canonical: %#x", b)
	}
	if F32Abs(0xffa00001) != 0x7fa00001 || F32Neg(0x7fa00001) != 0xffa00001 || F32Copysign(1, 1<<31) != 1<<31|1 ||
		F64Abs(1<<63|1) != 1 || F64Neg(1) != 1<<63|1 || F64Copysign(1<<63|1, 0) != 1 {
		t.Error("signs")
	}
}

func TestRound(t *testing.T) {
	nzero := math.Copysign(0, -1)
	for _, x := range []struct{ x, ceil, floor, trunc, nearest float64 }{
		{0.5, 1, 0, 0, 0}, {1.5, 2, 1, 1, 2}, {2.5, 3, 2, 2, 2}, {-0.5, nzero, -1, nzero, nzero}, {-1.5, -1,
			-2, -1, -2},
		{0x1p52 + 1, 0x1p52 + 1, 0x1p52 + 1, 0x1p52 + 1, 0x1p52 + 1}, {nzero, nzero, nzero, nzero, nzero},
		{math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1)},
	} {
		same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
		if !same(F64Ceil(x.x), x.ceil) || !same(F64Floor(x.x), x.floor) || !same(F64Trunc(x.x), x.trunc) ||
			!same(F64Nearest(x.x), x.nearest) {
			t.Errorf("f64 %v", x)
		}
		y := float32(x.x)
		if x.x == 0x1p52+1 {
			continue
		}
		if !same(float64(F32Ceil(y)), x.ceil) || !same(float64(F32Floor(y)), x.floor) ||
			!same(float64(F32Trunc(y)), x.trunc) ||
			!same(float64(F32Nearest(y)), x.nearest) {
			t.Errorf("f32 %v", x)
		}
	}
	if !math.Signbit(F64Min(0, nzero)) || math.Signbit(F64Max(nzero, 0)) ||
		!math.Signbit(float64(F32Min(0, float32(nzero)))) ||
		math.Signbit(float64(F32Max(0, float32(nzero)))) {
		t.Error("zeros")
	}
	if F32Sqrt(2) != 0x1.6a09e6p0 || F64Sqrt(2) != math.Sqrt2 {
		t.Error("sqrt")
	}
}
