package valid

import (
	"strings"

	"stackscope/wasm"
)

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
