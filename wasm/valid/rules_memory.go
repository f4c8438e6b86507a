package valid

import (
	"strings"

	"stackscope/wasm"
)

func memoryRules() map[wasm.Op]rule {
	r := map[wasm.Op]rule{
		wasm.OpMemorySize: func(t *Typer, in *wasm.Instr) { t.push(t.mem(in.A, 0)) },
		wasm.OpMemoryGrow: func(t *Typer, in *wasm.Instr) {
			at := t.mem(in.A, 0)
			t.take(in, t.wants(at))
			t.push(at)
		},
		wasm.OpMemoryInit: func(t *Typer, in *wasm.Instr) {
			at := t.mem(in.A, 0)
			t.dataOf(in.B, 1)
			t.take(in, t.wants(at, wasm.I32, wasm.I32))
		},
		wasm.OpMemoryCopy: func(t *Typer, in *wasm.Instr) {
			at := t.mem(in.A, 0)
			from := at
			if in.B != in.A {
				from = t.mem(in.B, 1)
			}
			t.take(in, t.wants(at, from, lesser(at, from)))
		},
		wasm.OpMemoryFill: func(t *Typer, in *wasm.Instr) {
			at := t.mem(in.A, 0)
			t.take(in, t.wants(at, wasm.I32, at))
		},
		wasm.OpDataDrop: func(t *Typer, in *wasm.Instr) { t.dataOf(in.A, 0) },
	}
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		if imms := op.Info().Imms; len(imms) > 0 && imms[0] == wasm.ImmMemArg {
			r[op] = typeMemAccess
		}
	}
	return r
}

// mem returns a memory's address type; Unknown if there is no such memory, which is reported.
func (s *scope) mem(i uint32, imm int) wasm.ValType {
	if m := s.memOf(i, imm); m != nil {
		return addrType(&m.Limits)
	}
	return wasm.Unknown
}

// typeMemAccess types loads and stores by their row, with the address type of their memory.
func typeMemAccess(t *Typer, in *wasm.Instr) {
	info := in.Op.Info()
	at := t.mem(in.A, 0)
	if in.Align > info.Align && in.Align != 0xff {
		t.fail(
			CodeAlignment, 0, "alignment must not be larger than natural: %s accesses %d bytes", in.Op,
			1<<info.Align,
		)
	}
	if at == wasm.I32 && in.Imm > 1<<32-1 {
		t.fail(
			CodeOffset, 0, "offset out of range: %d does not fit the 32-bit memory %s", in.Imm,
			t.e.m.Names.Mem(in.A),
		)
	}
	if len(info.Imms) > 1 {
		t.lane(in, 16>>info.Align, 1)
	}
	if at == wasm.I32 {
		t.take(in, info.Params)
	} else {
		t.take(in, append(t.wants(at), info.Params[1:]...))
	}
	t.pushAll(info.Results)
}

func vectorRules() map[wasm.Op]rule {
	r := map[wasm.Op]rule{wasm.OpI8x16Shuffle: typeShuffle}
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		info := op.Info()
		if len(info.Imms) == 0 || info.Imms[0] != wasm.ImmLane {
			continue
		}
		lanes := map[string]int{"i8x16": 16, "i16x8": 8, "i32x4": 4, "f32x4": 4, "i64x2": 2, "f64x2": 2}[strings.SplitN(info.Name, ".", 2)[0]]
		r[op] = func(t *Typer, in *wasm.Instr) {
			t.lane(in, lanes, 0)
			t.take(in, info.Params)
			t.pushAll(info.Results)
		}
	}
	return r
}

// lane reports a lane index that is too large.
func (s *scope) lane(in *wasm.Instr, lanes, imm int) {
	if int(in.Lane) >= lanes {
		s.fail(CodeLane, imm, "invalid lane index: %d, but %s has lanes 0 to %d", in.Lane, in.Op, lanes-1)
	}
}

func typeShuffle(t *Typer, in *wasm.Instr) {
	words := [2]uint64{in.Imm, 0}
	if in.Ext != nil {
		words[1] = in.Ext.Hi
	}
	for i := range 16 {
		if l := uint8(words[i/8] >> (i % 8 * 8)); l >= 32 {
			t.fail(CodeLane, i, "invalid lane index: %d, but i8x16.shuffle picks from lanes 0 to 31", l)
			break
		}
	}
	info := in.Op.Info()
	t.take(in, info.Params)
	t.pushAll(info.Results)
}
