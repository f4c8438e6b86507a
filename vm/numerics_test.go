package vm

import (
	"math"
	"stackscope/vm/internal/num"
	"stackscope/vm/internal/simd"
	"stackscope/wasm"
	"testing"
)

// Every scalar instruction of the numeric chapter is executed: with the right operands none gives
// the result that an unknown one would (its first operand, or zero).
func TestNumeric(t *testing.T) {
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	f64 := math.Float64bits
	neg := func(x int32) uint64 { return uint64(uint32(x)) }
	neg64 := func(x int64) uint64 { return uint64(x) }
	tests := []struct {
		op      wasm.Op
		x, y, r uint64
		trap    wasm.TrapKind
	}{
		{wasm.OpI32Eqz, 0, 0, 1, 0}, {wasm.OpI32Eq, 3, 3, 1, 0}, {wasm.OpI32Ne, 3, 4, 1, 0},
		{
			wasm.OpI32LtS, neg(-1), 0, 1, 0,
		}, {wasm.OpI32LtU, 0, neg(-1), 1, 0}, {wasm.OpI32GtS, 0, neg(-1), 1, 0}, {wasm.OpI32GtU, neg(-1), 0, 1, 0},
		{
			wasm.OpI32LeS, neg(-1), neg(-1), 1, 0,
		}, {wasm.OpI32LeU, 0, neg(-1), 1, 0}, {wasm.OpI32GeS, 0, neg(-1), 1, 0}, {wasm.OpI32GeU, neg(-1), 0, 1, 0},
		{wasm.OpI64Eqz, 0, 0, 1, 0}, {wasm.OpI64Eq, 3, 3, 1, 0}, {wasm.OpI64Ne, 3, 1<<32 | 3, 1, 0},
		{
			wasm.OpI64LtS, neg64(-1), 0, 1, 0,
		}, {wasm.OpI64LtU, 0, neg64(-1), 1, 0}, {wasm.OpI64GtS, 0, neg64(-1), 1, 0}, {wasm.OpI64GtU, neg64(-1),
			0, 1, 0},
		{
			wasm.OpI64LeS, neg64(-1), 0, 1, 0,
		}, {wasm.OpI64LeU, 0, neg64(-1), 1, 0}, {wasm.OpI64GeS, 0, neg64(-1), 1, 0}, {wasm.OpI64GeU, neg64(-1),
			0, 1, 0},
		{
			wasm.OpF32Eq, f32(0), f32(float32(math.Copysign(0, -1))), 1, 0,
		}, {wasm.OpF32Ne, f32(float32(math.NaN())), f32(1), 1, 0}, {wasm.OpF32Lt, f32(-1), f32(1), 1, 0},
		{
			wasm.OpF32Gt, f32(1), f32(-1), 1, 0,
		}, {wasm.OpF32Le, f32(1), f32(1), 1, 0}, {wasm.OpF32Ge, f32(2), f32(1), 1, 0},
		{
			wasm.OpF64Eq, f64(2), f64(2), 1, 0,
		}, {wasm.OpF64Ne, f64(2), f64(1), 1, 0}, {wasm.OpF64Lt, f64(-1), f64(1), 1, 0},
		{
			wasm.OpF64Gt, f64(1), f64(-1), 1, 0,
		}, {wasm.OpF64Le, f64(1), f64(1), 1, 0}, {wasm.OpF64Ge, f64(2), f64(1), 1, 0},
		{wasm.OpI32Clz, 1, 0, 31, 0}, {wasm.OpI32Ctz, 0, 0, 32, 0}, {wasm.OpI32Popcnt, neg(-1), 0, 32, 0},
		{wasm.OpI32Add, neg(-1), 2, 1, 0}, {wasm.OpI32Sub, 0, 1, neg(-1), 0}, {wasm.OpI32Mul, neg(-2), 3, neg(-6), 0},
		{
			wasm.OpI32DivS, neg(-7), 2, neg(-3), 0,
		}, {wasm.OpI32DivS, 1 << 31, neg(-1), 0, wasm.TrapIntegerOverflow}, {wasm.OpI32DivU, neg(-1), 2, 0x7fffffff, 0},
		{
			wasm.OpI32RemS, neg(-7), 2, neg(-1), 0,
		}, {wasm.OpI32RemU, neg(-1), 2, 1, 0}, {wasm.OpI32RemU, 1, 0, 0, wasm.TrapIntegerDivideByZero},
		{
			wasm.OpI32And, 6, 3, 2, 0,
		}, {wasm.OpI32Or, 6, 3, 7, 0}, {wasm.OpI32Xor, 6, 3, 5, 0}, {wasm.OpI32Shl, 1, 33, 2, 0},
		{wasm.OpI32ShrS, neg(-4), 33, neg(-2), 0},
		{
			wasm.OpI32ShrU, neg(-1), 63, 1, 0,
		}, {wasm.OpI32Rotl, 0x80000001, 33, 3, 0}, {wasm.OpI32Rotr, 3, 33, 0x80000001, 0},
		{wasm.OpI64Clz, 1, 0, 63, 0}, {wasm.OpI64Ctz, 0, 0, 64, 0}, {wasm.OpI64Popcnt, neg64(-1), 0, 64, 0},
		{
			wasm.OpI64Add, neg64(-1), 2, 1, 0,
		}, {wasm.OpI64Sub, 0, 1, neg64(-1), 0}, {wasm.OpI64Mul, neg64(-2), 3, neg64(-6), 0},
		{
			wasm.OpI64DivS, neg64(-7), 2, neg64(-3), 0,
		}, {wasm.OpI64DivS, 1 << 63, neg64(-1), 0, wasm.TrapIntegerOverflow}, {wasm.OpI64DivU, neg64(-1), 2,
			1<<63 - 1, 0},
		{
			wasm.OpI64RemS, neg64(-7), 2, neg64(-1), 0,
		}, {wasm.OpI64RemU, 7, 4, 3, 0}, {wasm.OpI64RemS, 1, 0, 0, wasm.TrapIntegerDivideByZero},
		{
			wasm.OpI64And, 6, 3, 2, 0,
		}, {wasm.OpI64Or, 6, 3, 7, 0}, {wasm.OpI64Xor, 6, 3, 5, 0}, {wasm.OpI64Shl, 1, 65, 2, 0},
		{wasm.OpI64ShrS, neg64(-4), 65, neg64(-2), 0},
		{
			wasm.OpI64ShrU, neg64(-1), 127, 1, 0,
		}, {wasm.OpI64Rotl, 1<<63 | 1, 65, 3, 0}, {wasm.OpI64Rotr, 3, 65, 1<<63 | 1, 0},
		{
			wasm.OpF32Abs, f32(-1), 0, f32(1), 0,
		}, {wasm.OpF32Neg, f32(1), 0, f32(-1), 0}, {wasm.OpF32Ceil, f32(1.1), 0, f32(2), 0}, {wasm.OpF32Floor,
			f32(1.1), 0, f32(1), 0},
		{
			wasm.OpF32Trunc, f32(-1.1), 0, f32(-1), 0,
		}, {wasm.OpF32Nearest, f32(2.5), 0, f32(2), 0}, {wasm.OpF32Sqrt, f32(9), 0, f32(3), 0}, {wasm.OpF32Add,
			f32(1), f32(2), f32(3), 0},
		{
			wasm.OpF32Sub, f32(1), f32(2), f32(-1), 0,
		}, {wasm.OpF32Mul, f32(3), f32(2), f32(6), 0}, {wasm.OpF32Div, f32(3), f32(2), f32(1.5), 0},
		{wasm.OpF32Min, f32(3), f32(2), f32(2), 0},
		{wasm.OpF32Max, f32(2), f32(3), f32(3), 0}, {wasm.OpF32Copysign, f32(2), f32(-3), f32(-2), 0},
		{
			wasm.OpF64Abs, f64(-1), 0, f64(1), 0,
		}, {wasm.OpF64Neg, f64(1), 0, f64(-1), 0}, {wasm.OpF64Ceil, f64(1.1), 0, f64(2), 0}, {wasm.OpF64Floor,
			f64(1.1), 0, f64(1), 0},
		{
			wasm.OpF64Trunc, f64(-1.1), 0, f64(-1), 0,
		}, {wasm.OpF64Nearest, f64(2.5), 0, f64(2), 0}, {wasm.OpF64Sqrt, f64(9), 0, f64(3), 0}, {wasm.OpF64Add,
			f64(1), f64(2), f64(3), 0},
		{
			wasm.OpF64Sub, f64(1), f64(2), f64(-1), 0,
		}, {wasm.OpF64Mul, f64(3), f64(2), f64(6), 0}, {wasm.OpF64Div, f64(3), f64(2), f64(1.5), 0},
		{wasm.OpF64Min, f64(3), f64(2), f64(2), 0},
		{wasm.OpF64Max, f64(2), f64(3), f64(3), 0}, {wasm.OpF64Copysign, f64(2), f64(-3), f64(-2), 0},
		{
			wasm.OpI32WrapI64, 1<<32 | 5, 0, 5, 0,
		}, {wasm.OpI64ExtendI32S, neg(-1), 0, neg64(-1), 0}, {wasm.OpI64ExtendI32U, neg(-1), 0, 0xffffffff, 0},
		{
			wasm.OpI32TruncF32S, f32(-1.5), 0, neg(-1), 0,
		}, {wasm.OpI32TruncF32U, f32(1.5), 0, 1, 0}, {wasm.OpI32TruncF64S, f64(-1.5), 0, neg(-1), 0},
		{wasm.OpI32TruncF64U, f64(1.5), 0, 1, 0},
		{
			wasm.OpI64TruncF32S, f32(-1.5), 0, neg64(-1), 0,
		}, {wasm.OpI64TruncF32U, f32(1.5), 0, 1, 0}, {wasm.OpI64TruncF64S, f64(-1.5), 0, neg64(-1), 0},
		{wasm.OpI64TruncF64U, f64(1.5), 0, 1, 0},
		{
			wasm.OpI32TruncF64S, f64(math.NaN()), 0, 0, wasm.TrapInvalidConversion,
		}, {wasm.OpI64TruncF32U, f32(-1), 0, 0, wasm.TrapIntegerOverflow},
		{
			wasm.OpF32ConvertI32S, neg(-1), 0, f32(-1), 0,
		}, {wasm.OpF32ConvertI32U, neg(-1), 0, f32(0x1p32), 0}, {wasm.OpF32ConvertI64S, neg64(-1), 0, f32(-1), 0},
		{
			wasm.OpF32ConvertI64U, neg64(-1), 0, f32(0x1p64), 0,
		}, {wasm.OpF32DemoteF64, f64(1.5), 0, f32(1.5), 0}, {wasm.OpF64ConvertI32S, neg(-1), 0, f64(-1), 0},
		{
			wasm.OpF64ConvertI32U, neg(-1), 0, f64(0xffffffff), 0,
		}, {wasm.OpF64ConvertI64S, neg64(-1), 0, f64(-1), 0}, {wasm.OpF64ConvertI64U, neg64(-1), 0, f64(0x1p64), 0},
		{
			wasm.OpF64PromoteF32, f32(1.5), 0, f64(1.5), 0,
		}, {wasm.OpI32ReinterpretF32, f32(1), 0, 0x3f800000, 0}, {wasm.OpI64ReinterpretF64, f64(1), 0,
			0x3ff0000000000000, 0},
		{
			wasm.OpF32ReinterpretI32, 0x3f800000, 0, f32(1), 0,
		}, {wasm.OpF64ReinterpretI64, 0x3ff0000000000000, 0, f64(1), 0},
		{
			wasm.OpI32Extend8S, 0x180, 0, neg(-128), 0,
		}, {wasm.OpI32Extend16S, 0x18000, 0, neg(-32768), 0}, {wasm.OpI64Extend8S, 0x180, 0, neg64(-128), 0},
		{wasm.OpI64Extend16S, 0x18000, 0, neg64(-32768), 0}, {wasm.OpI64Extend32S, 0x180000000, 0, neg64(-1 << 31), 0},
		{
			wasm.OpI32TruncSatF32S, f32(-1e20), 0, 0x80000000, 0,
		}, {wasm.OpI32TruncSatF32U, f32(1e20), 0, 0xffffffff, 0}, {wasm.OpI32TruncSatF64S, f64(1e20), 0, 0x7fffffff, 0},
		{
			wasm.OpI32TruncSatF64U, f64(3.9), 0, 3, 0,
		}, {wasm.OpI64TruncSatF32S, f32(-1e20), 0, 1 << 63, 0}, {wasm.OpI64TruncSatF32U, f32(1e20), 0,
			math.MaxUint64, 0},
		{wasm.OpI64TruncSatF64S, f64(1e20), 0, math.MaxInt64, 0}, {wasm.OpI64TruncSatF64U, f64(3.9), 0, 3, 0},
	}
	seen := map[wasm.Op]bool{}
	for _, x := range tests {
		seen[x.op] = true
		if r, trap := num.Do(x.op, x.x, x.y); r != x.r && x.trap == 0 || trap != x.trap {
			t.Errorf("%s(%#x, %#x) = %#x, %v; want %#x, %v", x.op, x.x, x.y, r, trap, x.r, x.trap)
		}
	}
	for op := wasm.Op(0); op < wasm.NumOps; op++ {
		if num.Supported(op) != seen[op] {
			t.Errorf("%s: supported %v, tested %v", op, num.Supported(op), seen[op])
		}
	}
}

func TestVector(t *testing.T) {
	mem := &Memory{bytes: make([]byte, 16)}
	v := make([]uint64, 8)
	run := func(op wasm.Op, lane uint8, imm, hi uint64, args ...uint64) (wasm.TrapKind, [2]uint64) {
		clear(v)
		copy(v, args)
		k := simd.Execute(op, v, lane, imm, hi, mem.bytes)
		return k, [2]uint64{v[0], v[1]}
	}
	tests := []struct {
		op      wasm.Op
		lane    uint8
		imm, hi uint64
		args    []uint64
		want    [2]uint64
	}{
		{wasm.OpV128Const, 0, 1, 2, nil, [2]uint64{1, 2}},
		{wasm.OpI64x2Add, 0, 0, 0, []uint64{1, 2, 3, 4}, [2]uint64{4, 6}},
		{wasm.OpI64x2Shl, 0, 0, 0, []uint64{1, 2, 3}, [2]uint64{8, 16}},
		{wasm.OpV128Bitselect, 0, 0, 0, []uint64{1, 2, 3, 4, 0, 0}, [2]uint64{3, 4}},
		{wasm.OpI8x16Shuffle, 0, 0x1716151413121110, 0x0706050403020100, []uint64{1, 2, 3, 4}, [2]uint64{3, 1}},
		{wasm.OpI64x2ExtractLane, 1, 0, 0, []uint64{1, 2}, [2]uint64{2, 2}},
		{wasm.OpI64x2ReplaceLane, 1, 0, 0, []uint64{1, 2, 3}, [2]uint64{1, 3}},
		{wasm.OpI64x2Splat, 0, 0, 0, []uint64{5}, [2]uint64{5, 5}},
		{wasm.OpV128AnyTrue, 0, 0, 0, []uint64{0, 9}, [2]uint64{1, 9}},
		{
			wasm.OpV128Store, 0, 0, 0, []uint64{0, 0x0807060504030201, 0x100f0e0d0c0b0a09},
			[2]uint64{0, 0x0807060504030201},
		},
		{wasm.OpV128Load, 0, 0, 0, []uint64{0}, [2]uint64{0x0807060504030201, 0x100f0e0d0c0b0a09}},
		{wasm.OpV128Load32Zero, 0, 4, 0, []uint64{8}, [2]uint64{0x100f0e0d, 0}},
		{wasm.OpV128Load64Lane, 1, 0, 0, []uint64{8, 1, 2}, [2]uint64{1, 0x100f0e0d0c0b0a09}},
		{wasm.OpV128Store8Lane, 15, 0, 0, []uint64{0, 1, 0xee << 56}, [2]uint64{0, 1}},
		{wasm.OpV128Load64Zero, 0, 0, 0, []uint64{0}, [2]uint64{0x08070605040302ee, 0}},
	}
	for _, x := range tests {
		if k, got := run(x.op, x.lane, x.imm, x.hi, x.args...); k != 0 || got != x.want {
			t.Errorf("%s: %v %x, want %x", x.op, k, got, x.want)
		}
	}
	if k, _ := run(wasm.OpV128Load, 0, 1, 0, 0); k != wasm.TrapMemoryOutOfBounds {
		t.Error(k)
	}
	if k, _ := run(wasm.OpV128Store16Lane, 0, math.MaxUint64, 0, 2); k != wasm.TrapMemoryOutOfBounds {
		t.Error(k)
	}
	for op := wasm.Op(0); op < wasm.NumOps; op++ {
		if in := op.Info(); simd.Supported(op) != (in.Enc != wasm.NoEncoding && in.Enc>>16 == 0xfd) {
			t.Errorf("%s: supported %v", op, simd.Supported(op))
		}
	}
}
