package simd

import (
	"math"
	"strings"
	"testing"

	"stackscope/wasm"
)

// of returns the value of lanes.
func of[T number](x ...T) (v V) {
	copy(lanes[T](&v), x)
	return v
}

func f32bits(x float32) uint64 { return uint64(math.Float32bits(x)) }

var (
	inf   = math.Inf(1)
	nan   = math.NaN()
	inf32 = float32(inf)
	zero  = 0.0
	nzero = math.Copysign(0, -1)
)

func TestLittleEndian(t *testing.T) {
	if got := of[uint8](1, 2, 3, 4, 5, 6, 7, 8, 9); got != (V{0x0807060504030201, 9}) {
		t.Fatalf("lanes are not in the order of memory: %x", got)
	}
}

// Every vector instruction of the table is executed somewhere.
func TestComplete(t *testing.T) {
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		in := op.Info()
		if in.Enc>>16 != 0xfd || in.Enc == wasm.NoEncoding || op == wasm.OpV128Const {
			if Arity(op) != 0 || Width(op) != 0 {
				t.Errorf("%s is taken for a vector instruction", op)
			}
			continue
		}
		mem := strings.Contains(in.Name, ".load") || strings.Contains(in.Name, ".store")
		if mem && (Width(op) == 0 || Arity(op) != 0) || !mem && (Arity(op) != len(in.Params) || Width(op) != 0) {
			t.Errorf("%s: arity %d, width %d", op, Arity(op), Width(op))
		}
		if mem && in.Name != "v128.load8x8_s" && Width(op) != 1<<in.Align {
			t.Errorf("%s: width %d, alignment %d", op, Width(op), in.Align)
		}
	}
}

func TestDo(t *testing.T) {
	minI64 := int64(math.MinInt64)
	tests := []struct {
		op            wasm.Op
		lane          uint8
		a, b, c, want V
	}{
		{op: wasm.OpI8x16Add, a: of[int8](127, -128, 1), b: of[int8](1, -1, 2), want: of[int8](-128, 127, 3)},
		{op: wasm.OpI8x16AddSatS, a: of[int8](127, -128, 1), b: of[int8](1, -1, 2), want: of[int8](127, -128, 3)},
		{op: wasm.OpI8x16AddSatU, a: of[uint8](255, 254, 1), b: of[uint8](1, 1, 2), want: of[uint8](255, 255, 3)},
		{op: wasm.OpI8x16SubSatS, a: of[int8](-128, 127, 1), b: of[int8](1, -1, 2), want: of[int8](-128, 127, -1)},
		{op: wasm.OpI8x16SubSatU, a: of[uint8](0, 254, 3), b: of[uint8](1, 255, 2), want: of[uint8](0, 0, 1)},
		{op: wasm.OpI16x8AddSatS, a: of[int16](32767, -32768), b: of[int16](1, -1), want: of[int16](32767, -32768)},
		{op: wasm.OpI16x8SubSatU, a: of[uint16](1, 65535), b: of[uint16](2, 65534), want: of[uint16](0, 1)},
		{op: wasm.OpI16x8Mul, a: of[int16](0x4000, -1), b: of[int16](4, -1), want: of[int16](0, 1)},
		{op: wasm.OpI64x2Mul, a: of(minI64, 3), b: of[int64](-1, -7), want: of(minI64, -21)},
		{op: wasm.OpI8x16Neg, a: of[int8](-128, 1), want: of[int8](-128, -1)},
		{op: wasm.OpI8x16Abs, a: of[int8](-128, -1), want: of[int8](-128, 1)},
		{op: wasm.OpI64x2Abs, a: of(minI64, -5), want: of(minI64, 5)},
		{op: wasm.OpI8x16Popcnt, a: of[uint8](255, 0x55, 0), want: of[uint8](8, 4, 0)},
		{op: wasm.OpI8x16AvgrU, a: of[uint8](255, 1, 2), b: of[uint8](255, 2, 2), want: of[uint8](255, 2, 2)},
		{op: wasm.OpI16x8AvgrU, a: of[uint16](65535, 0), b: of[uint16](65535, 1), want: of[uint16](65535, 1)},
		{op: wasm.OpI8x16MinS, a: of[int8](-1, 1), b: of[int8](1, -1), want: of[int8](-1, -1)},
		{op: wasm.OpI8x16MinU, a: of[uint8](255, 1), b: of[uint8](1, 255), want: of[uint8](1, 1)},
		{op: wasm.OpI32x4MaxU, a: of[int32](-1, 1), b: of[int32](1, -1), want: of[int32](-1, -1)},
		{
			op: wasm.OpI16x8Q15mulrSatS, a: of[int16](-32768, 32767, 1),
			b: of[int16](-32768, 32767, 16384), want: of[int16](32767, 32766, 1),
		},
		{op: wasm.OpI8x16Shl, a: of[uint8](0x81, 1), b: V{Lo: 9}, want: of[uint8](2, 2)},
		{op: wasm.OpI8x16ShrS, a: of[int8](-128, 64), b: V{Lo: 15}, want: of[int8](-1, 0)},
		{op: wasm.OpI8x16ShrU, a: of[uint8](0x80, 64), b: V{Lo: 7}, want: of[uint8](1, 0)},
		{op: wasm.OpI64x2Shl, a: of[uint64](1, 3), b: V{Lo: 64 + 63}, want: of[uint64](1<<63, 1<<63)},
		{op: wasm.OpI64x2ShrS, a: of(minI64, 4), b: V{Lo: 0xffffffff}, want: of[int64](-1, 0)},
		{op: wasm.OpI8x16Eq, a: of[uint8](1, 2), b: of[uint8](1, 3), want: V{^uint64(0) &^ 0xff00, ^uint64(0)}},
		{op: wasm.OpI16x8LtS, a: of[int16](-1, 1), b: of[int16](1, -1), want: of[int16](-1)},
		{op: wasm.OpI16x8LtU, a: of[int16](-1, 1), b: of[int16](1, -1), want: of[int16](0, -1)},
		{op: wasm.OpI64x2GeS, a: of(minI64, 2), b: of[int64](0, 2), want: of[int64](0, -1)},
		{
			op: wasm.OpF32x4Eq, a: of(float32(nzero), float32(nan), 1, inf32),
			b: of(0, float32(nan), 1, inf32), want: of[int32](-1, 0, -1, -1),
		},
		{op: wasm.OpF64x2Ne, a: of(nan, 1), b: of(nan, 1), want: of[int64](-1, 0)},
		{op: wasm.OpF64x2Gt, a: of(2, nan), b: of(1, 1.0), want: of[int64](-1, 0)},
		{op: wasm.OpV128Not, a: V{1, 2}, want: V{^uint64(1), ^uint64(2)}},
		{op: wasm.OpV128Andnot, a: V{7, 7}, b: V{2, 1}, want: V{5, 6}},
		{op: wasm.OpV128Bitselect, a: V{0xff, 0}, b: V{0x0f, 0xff}, c: V{0xf0, 0}, want: V{0xff, 0xff}},
		{op: wasm.OpV128AnyTrue, a: V{0, 1}, want: V{Lo: 1}},
		{op: wasm.OpV128AnyTrue, want: V{}},
		{op: wasm.OpI8x16AllTrue, a: V{0x0101010101010101, 0x0101010101010101}, want: V{Lo: 1}},
		{op: wasm.OpI8x16AllTrue, a: V{0x0101010101010101, 0x0101010101010001}, want: V{}},
		{
			op: wasm.OpI8x16Bitmask, a: of[int8](-1, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -128),
			want: V{Lo: 0x8005},
		},
		{op: wasm.OpI64x2Bitmask, a: of[int64](1, -1), want: V{Lo: 2}},
		{op: wasm.OpI8x16Splat, a: V{Lo: 0x1ff}, want: V{^uint64(0), ^uint64(0)}},
		{op: wasm.OpF32x4Splat, a: V{Lo: f32bits(1.5)}, want: of[float32](1.5, 1.5, 1.5, 1.5)},
		{op: wasm.OpI8x16ExtractLaneS, lane: 15, a: V{0, 0xff << 56}, want: V{Lo: 0xffffffff}},
		{op: wasm.OpI8x16ExtractLaneU, lane: 15, a: V{0, 0xff << 56}, want: V{Lo: 0xff}},
		{op: wasm.OpI32x4ExtractLane, lane: 1, a: of[int32](0, -1), want: V{Lo: 0xffffffff}},
		{op: wasm.OpI64x2ExtractLane, lane: 1, a: V{0, 1 << 63}, want: V{Lo: 1 << 63}},
		{op: wasm.OpF32x4ExtractLane, lane: 2, a: of[float32](0, 0, -1), want: V{Lo: f32bits(-1)}},
		{op: wasm.OpI16x8ReplaceLane, lane: 7, a: V{1, 2}, b: V{Lo: 0x1ffff}, want: V{1, 0xffff000000000002}},
		{
			op: wasm.OpI8x16Shuffle, a: V{0x0706050403020100, 0x0f0e0d0c0b0a0908},
			b: V{0x1716151413121110, 0x1f1e1d1c1b1a1918}, c: V{0x1f001e011d021c03, 0x100f110e120d130c},
			want: V{0x1f001e011d021c03, 0x100f110e120d130c},
		},
		{
			op: wasm.OpI8x16Swizzle, a: of[uint8](10, 11, 12), b: of[uint8](2, 16, 255, 1),
			want: V{0x0a0a0a0a0b00000c, 0x0a0a0a0a0a0a0a0a},
		},
		{op: wasm.OpI16x8ExtendHighI8x16S, a: V{0, 0x80}, want: V{Lo: 0xff80}},
		{op: wasm.OpI64x2ExtendLowI32x4U, a: of[int32](-1, 2), want: of[uint64](0xffffffff, 2)},
		{op: wasm.OpI16x8ExtmulLowI8x16S, a: of[int8](-128, 2), b: of[int8](-128, -3), want: of[int16](16384, -6)},
		{op: wasm.OpI64x2ExtmulHighI32x4U, a: V{0, 0xffffffff}, b: V{0, 0xffffffff}, want: V{Lo: 0xfffffffe00000001}},
		{op: wasm.OpI16x8ExtaddPairwiseI8x16U, a: of[uint8](255, 255, 1), want: of[uint16](510, 1)},
		{
			op: wasm.OpI8x16NarrowI16x8U, a: of[int16](-1, 256, 255), b: of[int16](-32768, 32767),
			want: V{0xffff00, 0xff00},
		},
		{op: wasm.OpI16x8NarrowI32x4S, a: of[int32](math.MinInt32, math.MaxInt32), want: of[int16](-32768, 32767)},
		{
			op: wasm.OpI32x4DotI16x8S, a: of[int16](-32768, -32768, 2, 3),
			b: of[int16](-32768, -32768, 5, 7), want: of[int32](math.MinInt32, 31),
		},
		{op: wasm.OpF32x4Add, a: of[float32](1, 0x1p24), b: of[float32](2, 1), want: of[float32](3, 0x1p24)},
		{op: wasm.OpF64x2Div, a: of(1, -1.0), b: of(zero, zero), want: of(inf, -inf)},
		{op: wasm.OpF64x2Min, a: of(zero, 1), b: of(nzero, -inf), want: of(nzero, -inf)},
		{op: wasm.OpF64x2Max, a: of(nzero, 1), b: of(zero, inf), want: of(zero, inf)},
		{op: wasm.OpF64x2Pmin, a: of(zero, nan), b: of(nzero, 1), want: of(zero, nan)},
		{op: wasm.OpF64x2Pmax, a: of(1, 2.0), b: of(nan, 3), want: of(1.0, 3)},
		{op: wasm.OpF32x4Nearest, a: of[float32](0.5, 1.5, -0.5, 2.5), want: of(0, 2, float32(nzero), 2)},
		{op: wasm.OpF64x2Ceil, a: of(-0.5, 1.1), want: of(nzero, 2)},
		{op: wasm.OpF64x2Abs, a: of(nzero, -1), want: of(zero, 1)},
		{op: wasm.OpF32x4Neg, a: of[float32](1, -1), want: of(-1, 1, float32(nzero), float32(nzero))},
		{
			op: wasm.OpI32x4TruncSatF32x4U, a: of(-1, float32(nan), inf32, 4294967040),
			want: of[uint32](0, 0, math.MaxUint32, 4294967040),
		},
		{op: wasm.OpI32x4TruncSatF64x2SZero, a: of(-inf, 2147483647.9), want: of[int32](math.MinInt32, math.MaxInt32)},
		{op: wasm.OpF32x4ConvertI32x4U, a: of[uint32](0xffffffff, 0x1000001), want: of[float32](0x1p32, 0x1p24)},
		{op: wasm.OpF64x2ConvertLowI32x4S, a: of[int32](-1, 2, 3, 4), want: of(-1.0, 2)},
		{op: wasm.OpF32x4DemoteF64x2Zero, a: of(0x1.fffffffffffffp+1023, 0.1), want: of(inf32, float32(0.1))},
		{op: wasm.OpF64x2PromoteLowF32x4, a: of[float32](0.1, 2, 3, 4), want: of(float64(float32(0.1)), 2)},
		{
			op: wasm.OpF32x4RelaxedMadd, a: of[float32](0x1.000004p+0), b: of[float32](0x1.0002p+0),
			c: of[float32](-0x1.000204p+0), want: V{},
		},
		{op: wasm.OpF64x2RelaxedNmadd, a: of(2.0, 3), b: of(5.0, 7), c: of(1.0, 2), want: of(-9.0, -19)},
		{
			op: wasm.OpI16x8RelaxedDotI8x16I7x16S, a: of[int8](-128, -128, 127, 127),
			b: of[int8](127, 127, 127, 127), want: of[int16](-32512, 32258),
		},
		{
			op: wasm.OpI32x4RelaxedDotI8x16I7x16AddS, a: of[int8](-128, -128, -128, -128),
			b: of[int8](127, 127, 127, 127), c: of[int32](1, 2), want: of[int32](-65023, 2),
		},
	}
	for _, x := range tests {
		if got, ok := Do(x.op, x.lane, x.a, x.b, x.c); !ok || got != x.want {
			t.Errorf("%s lane %d (%x, %x, %x) = %x, want %x", x.op, x.lane, x.a, x.b, x.c, got, x.want)
		}
	}
	for _, op := range []wasm.Op{wasm.OpI32Add, wasm.OpV128Load, wasm.OpV128Const, wasm.NumOps} {
		if _, ok := Do(op, 0, V{}, V{}, V{}); ok {
			t.Errorf("%s was done", op)
		}
	}
}

func TestMemory(t *testing.T) {
	mem := make([]byte, 32)
	for i := range mem {
		mem[i] = byte(0x80 + i)
	}
	ones := V{^uint64(0), ^uint64(0)}
	loads := []struct {
		op   wasm.Op
		lane uint8
		want V
	}{
		{wasm.OpV128Load, 0, V{0x8f8e8d8c8b8a8988, 0x9796959493929190}},
		{wasm.OpV128Load8x8S, 0, V{0xff8bff8aff89ff88, 0xff8fff8eff8dff8c}},
		{wasm.OpV128Load8x8U, 0, V{0x008b008a00890088, 0x008f008e008d008c}},
		{wasm.OpV128Load16x4S, 0, V{0xffff8b8affff8988, 0xffff8f8effff8d8c}},
		{wasm.OpV128Load32x2U, 0, V{0x8b8a8988, 0x8f8e8d8c}},
		{wasm.OpV128Load16Splat, 0, V{0x8988898889888988, 0x8988898889888988}},
		{wasm.OpV128Load32Zero, 0, V{Lo: 0x8b8a8988}},
		{wasm.OpV128Load64Zero, 0, V{Lo: 0x8f8e8d8c8b8a8988}},
		{wasm.OpV128Load8Lane, 15, V{^uint64(0), 0x88ffffffffffffff}},
		{wasm.OpV128Load64Lane, 1, V{^uint64(0), 0x8f8e8d8c8b8a8988}},
	}
	for _, x := range loads {
		if got, ok := Load(x.op, x.lane, mem, 6, 2, ones); !ok || got != x.want {
			t.Errorf("%s = %x, want %x", x.op, got, x.want)
		}
		w := uint64(Width(x.op))
		if _, ok := Load(x.op, x.lane, mem, 32-w, 0, V{}); !ok {
			t.Errorf("%s at the end is out of bounds", x.op)
		}
		for _, off := range []uint64{33 - w, 33, math.MaxUint64, -w} {
			if _, ok := Load(x.op, x.lane, mem, 1, off, V{}); ok {
				t.Errorf("%s at 1+%d is in bounds", x.op, off)
			}
		}
	}
	v := V{0x0706050403020100, 0x0f0e0d0c0b0a0908}
	stores := []struct {
		op   wasm.Op
		lane uint8
		want string
	}{
		{wasm.OpV128Store, 0, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"},
		{wasm.OpV128Store8Lane, 9, "\x09"},
		{wasm.OpV128Store16Lane, 7, "\x0e\x0f"},
		{wasm.OpV128Store32Lane, 2, "\x08\x09\x0a\x0b"},
		{wasm.OpV128Store64Lane, 1, "\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"},
	}
	for _, x := range stores {
		mem := make([]byte, 20)
		if !Store(x.op, x.lane, mem, 1, 2, v) ||
			string(mem) != "\x00\x00\x00"+x.want+strings.Repeat("\x00", 17-len(x.want)) {
			t.Errorf("%s stored %x", x.op, mem)
		}
		if Store(x.op, x.lane, mem, 20, 0, v) || Store(x.op, x.lane, mem, 2, math.MaxUint64, v) {
			t.Errorf("%s out of bounds was done", x.op)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	x, y := of[int8](1, 2, 3), of[int8](4, 5, 6)
	for b.Loop() {
		x, _ = Do(wasm.OpI8x16Add, 0, x, y, V{})
	}
}

func BenchmarkF32x4Mul(b *testing.B) {
	x, y := of[float32](1, 2, 3), of[float32](1, 1, 1)
	for b.Loop() {
		x, _ = Do(wasm.OpF32x4Mul, 0, x, y, V{})
	}
}
