package binary

import "stackscope/wasm"

// expr writes a body or a constant expression.
func (e *encoder) expr(at wasm.Pos, body []wasm.Instr) {
	if len(body) == 0 || body[len(body)-1].Op != wasm.OpEnd {
		e.fail(at, "an instruction sequence does not end with `end`")
		return
	}
	for i := range body {
		e.mark(i)
		if e.places {
			e.starts = append(e.starts, uint32(len(e.b)))
		}
		e.instr(&body[i])
		if e.err != nil {
			return
		}
	}
}

// opcode writes an opcode with its prefix, if it has one.
func (e *encoder) opcode(enc uint32) {
	if p := byte(enc >> 16); p != 0 {
		e.byte(p)
		e.u32(enc & 0xffff)
	} else {
		e.byte(byte(enc))
	}
}

func (e *encoder) instr(in *wasm.Instr) {
	info := in.Op.Info()
	if info.Enc == wasm.NoEncoding {
		if info.Dialect.Info().Upstream || in.Op == wasm.OpInvalid {
			e.fail(in.At, "instruction `%s` has no binary encoding", in.Op)
		} else {
			e.fail(in.At, "instruction `%s` of dialect %s has no binary encoding: only WebAssembly 3.0 and the dialect cont do", in.Op, info.Dialect)
		}
		return
	}
	ext := in.Ext
	if ext == nil {
		ext = &wasm.Ext{}
	}
	switch in.Op {
	case wasm.OpSelect:
		if ext.Types == nil {
			break
		}
		e.opcode(encSelectTyped)
		e.valTypes(in.At, ext.Types)
		return
	case wasm.OpRefTest, wasm.OpRefCast:
		if !in.Ref().Nullable() {
			break
		}
		e.opcode(info.Enc + 1)
		e.heapType(in.At, in.Ref().Heap())
		return
	case wasm.OpBrOnCast, wasm.OpBrOnCastFail:
		if len(ext.Types) != 1 {
			e.fail(in.At, "instruction `%s` lacks its second type", in.Op)
			return
		}
		to := ext.Types[0]
		flags := byte(0)
		if in.Ref().Nullable() {
			flags |= 1
		}
		if to.Nullable() {
			flags |= 2
		}
		e.opcode(info.Enc)
		e.byte(flags)
		e.index(in.At, in.A)
		e.heapType(in.At, in.Ref().Heap())
		e.heapType(in.At, to.Heap())
		return
	}
	e.opcode(info.Enc)
	indices := [2]uint32{in.A, in.B}
	if in.Op.BinarySwapped() {
		indices = [2]uint32{in.B, in.A}
	}
	index := 0
	for _, imm := range info.Imms {
		switch imm {
		case wasm.ImmBlock:
			e.blockType(in.At, in.Block())
		case wasm.ImmType, wasm.ImmTypeUse, wasm.ImmFunc, wasm.ImmTable, wasm.ImmMemory, wasm.ImmGlobal, wasm.ImmLocal,
			wasm.ImmLabel, wasm.ImmTag, wasm.ImmElem, wasm.ImmData, wasm.ImmField:
			e.index(in.At, indices[index])
			index++
		case wasm.ImmU32: // a number, of which 2³²-1 is one
			e.u32(indices[index])
			index++
		default:
			e.immediate(in, ext, imm)
		}
	}
}

// immediate writes an immediate that is not an index.
func (e *encoder) immediate(in *wasm.Instr, ext *wasm.Ext, imm wasm.Imm) {
	switch imm {
	case wasm.ImmLabels:
		if len(ext.Labels) == 0 {
			e.fail(in.At, "instruction `%s` lacks its default label", in.Op)
			return
		}
		e.u32(uint32(len(ext.Labels) - 1))
		for _, l := range ext.Labels {
			e.index(in.At, l)
		}
	case wasm.ImmI32:
		e.signed(int64(int32(in.Imm)))
	case wasm.ImmI64:
		e.signed(int64(in.Imm))
	case wasm.ImmF32:
		e.fixed32(uint32(in.Imm))
	case wasm.ImmF64:
		e.fixed64(in.Imm)
	case wasm.ImmV128, wasm.ImmLanes:
		e.fixed64(in.Imm)
		e.fixed64(ext.Hi)
	case wasm.ImmLane:
		e.byte(in.Lane)
	case wasm.ImmMemArg:
		if in.Align >= memArgHasMemory {
			e.fail(in.At, "alignment is not a power of two")
			return
		}
		if in.A == 0 {
			e.byte(in.Align)
		} else {
			e.byte(in.Align | memArgHasMemory)
			e.index(in.At, in.A)
		}
		e.unsigned(in.Imm)
	case wasm.ImmResults: // see encSelectTyped
	case wasm.ImmHeapType, wasm.ImmRefType:
		e.heapType(in.At, in.Ref().Heap())
	case wasm.ImmCatches:
		e.u32(uint32(len(ext.Catches)))
		for _, c := range ext.Catches {
			e.byte(byte(c.Kind))
			if c.Kind == wasm.CatchTag || c.Kind == wasm.CatchTagRef {
				e.index(c.At, c.Tag)
			}
			e.index(c.At, c.Label)
		}
	case wasm.ImmHandlerClauses:
		e.u32(uint32(len(ext.HandlerClauses)))
		for _, h := range ext.HandlerClauses {
			e.bool(h.Switch)
			e.index(h.At, h.Tag)
			if !h.Switch {
				e.index(h.At, h.Label)
			}
		}
	default:
		e.fail(in.At, "instruction `%s` has no binary encoding", in.Op)
	}
}
