package compile

import (
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/fused"
	"stackscope/wasm"
)

// sameCodes are the baseline ops on references that the fused form has as they are.
func sameCode(opcode uint16) (uint16, bool) {
	switch opcode {
	case code.OpMovR:
		return fused.MovR, true
	case code.OpTakeR:
		return fused.TakeR, true
	case code.OpClearR:
		return fused.ClearR, true
	case code.OpGlobalGetR:
		return fused.GlobalGetR, true
	case code.OpGlobalSetR:
		return fused.GlobalSetR, true
	case uint16(wasm.OpRefIsNull):
		return fused.RefIsNull, true
	case uint16(wasm.OpRefFunc):
		return fused.RefFunc, true
	case uint16(wasm.OpRefEq):
		return fused.RefEq, true
	case uint16(wasm.OpRefAsNonNull):
		return fused.RefAsNonNull, true
	}
	return 0, false
}

// op takes the next baseline op.
func (f *fuser) op(o code.Op) {
	height := f.heights[f.pc]
	if opcode, ok := sameCode(o.Code); ok {
		o.Code = opcode
		f.emit(o)
		return
	}
	switch in := wasm.Op(o.Code); {
	case o.Code == code.OpEnd:
	case o.Code == code.OpMovN && uint32(o.B) < f.c.LocNums:
		f.list = append(f.list, pending{slot: o.A, local: o.B})
	case o.Code == code.OpMovN:
		f.set(o)
	case o.Code == code.OpConst:
		f.list = append(f.list, pending{slot: o.A, const_: true, imm: o.Imm})
	case o.Code == code.OpNumeric:
		o.Code = fused.Numeric
		o.B = f.read(o.B)
		if len(wasm.Op(o.Imm).Info().Params) == 2 {
			o.C = f.read(o.C)
		} else {
			o.C = o.B
		}
		f.discard(o.A)
		f.emitFence(o)
	case in >= wasm.OpI32Eqz && in <= wasm.OpI64TruncSatF64U && len(in.Info().Params) == 1:
		f.unary(o, in)
	case in >= wasm.OpI32Eqz && in <= wasm.OpI64TruncSatF64U:
		f.binary(o, in)
	case in >= wasm.OpI32Load && in <= wasm.OpI64Load32U:
		f.load(o, in)
	case in >= wasm.OpI32Store && in <= wasm.OpI64Store32:
		f.store(o, in)
	case o.Code == code.OpSelN:
		f.selectN(o)
	case o.Code == code.OpSelR:
		o.Code, o.C = fused.SelR, f.read32(o.C)
		f.emit(o)
	case o.Code == code.OpGlobalGetN:
		f.result(code.Op{Code: fused.GlobalGet, A: o.A, Imm: o.Imm})
	case o.Code == code.OpGlobalSetN:
		a := f.read(o.A)
		f.discard(height - 1)
		f.emitFence(code.Op{Code: fused.GlobalSet, A: a, Imm: o.Imm})
	case in == wasm.OpTableGet || in == wasm.OpTableSet:
		o.A = f.read(o.A)
		if o.Code = fused.TableGet; in == wasm.OpTableSet {
			o.Code = fused.TableSet
		}
		f.discard(height - 1)
		f.emitFence(o)
	case o.Code == code.OpBrIf || o.Code == code.OpBrUnless:
		f.branchIf(o.A, o.Code == code.OpBrUnless, f.target(f.pc), height)
	case o.Code == code.OpBrIfMove:
		f.branchMove(o, height)
	case o.Code == code.OpJump:
		f.jump(height)
	case o.Code == code.OpJumpMove:
		if f.c.Body[f.pc].Op == wasm.OpHandle { // what it saves stays there, too
			f.flush(height)
		}
		f.jumpMove(&f.c.Branches[o.Imm], o.Imm, height)
	case o.Code == code.OpReturn && o.C == 1 && o.Imm == 0:
		f.ret(o.A, o.A)
		f.list = f.list[:0]
	case o.Code == code.OpTable:
		f.table(o, height)
	default:
		f.flushed(o, height)
	}
}

// flushed takes an op that finds all slots as in the baseline form: calls and the like, which may
// be entered and left from elsewhere, and what is executed outside.
func (f *fuser) flushed(o code.Op, height uint16) {
	f.flush(height)
	f.mark(f.pc)
	x := code.Op{Code: fused.Baseline}
	switch in := wasm.Op(o.Code); {
	case in == wasm.OpLoop:
		x.Code = fused.Loop
	case in == wasm.OpCall:
		x = code.Op{Code: fused.Call, A: o.A, B: o.B, Imm: o.Imm | uint64(f.pc)<<32}
	case in == wasm.OpCallIndirect && o.C == 0:
		x = code.Op{
			Code: fused.CallIndirect, A: o.A, B: o.B, C: uint16(o.Imm >> 32),
			Imm: uint64(uint32(o.Imm)) | uint64(f.pc)<<32,
		}
	case in == wasm.OpCallRef:
		x = code.Op{Code: fused.CallRef, A: o.A, B: o.B, C: o.C, Imm: uint64(f.pc) << 32}
	case in == wasm.OpResume:
		pt := &f.c.Points[o.C]
		if imm, ok := code.PassImm(pt, pt.Table); ok {
			x = code.Op{Code: fused.Resume, A: o.A, B: o.B, C: o.B + pt.Refs, Imm: imm | uint64(f.pc)<<32}
		}
	case in == wasm.OpSwitch:
		pt := &f.c.Points[o.C]
		if imm, ok := code.PassImm(pt, uint32(o.Imm)); ok {
			x = code.Op{Code: fused.Switch, A: o.A, B: o.B, C: o.B + pt.Refs, Imm: imm | uint64(f.pc)<<32}
		}
	case in == wasm.OpSuspend:
		x = code.Op{Code: fused.Suspend, A: o.A, B: o.B, Imm: o.Imm | uint64(f.pc)<<32}
	case in == wasm.OpContNew:
		x = code.Op{Code: fused.ContNew, B: o.B, Imm: uint64(f.pc) << 32}
	case o.Code == code.OpControl:
		x = f.control(o)
	case o.Code == code.OpEvents:
		x = code.Op{Code: fused.Events, Imm: o.Imm}
	case o.Code == code.OpReturn && o.C == 0 && o.Imm == 0:
		x.Code = fused.Ret0
	case o.Code == code.OpReturn:
		x = code.Op{Code: fused.Ret, A: o.A, B: o.B, C: o.C, Imm: o.Imm}
	case o.Code == code.OpBrNull:
		x = code.Op{Code: fused.BrNull, A: o.A, Imm: o.Imm}
	case o.Code == code.OpBrNonNull:
		x = code.Op{Code: fused.BrNonNull, A: o.A, Imm: o.Imm}
	case o.Code == code.OpObject:
		x.Code = fused.Object
	case o.Code == code.OpBulk:
		x.Code = fused.Bulk
	case o.Code == code.OpSIMD:
		x.Code = fused.SIMD
	case o.Code >= code.OpWide && o.Code <= code.OpWideEnd:
		x = o
		x.Code = fused.Wide
	}
	f.emit(x)
	f.mark(f.pc + 1)
}

// control returns the op of an instruction of the dialects other than cont.
func (f *fuser) control(o code.Op) code.Op {
	pt := &f.c.Points[o.C]
	pc := uint64(f.pc) << 32
	// with an event and n stacks, which lie below its values, in fibers-mount above
	event := func(opcode, n uint16) code.Op {
		b, c := o.B+n, o.B
		if pt.Kind.Info().Dialect.Info().TagFirst {
			b, c = o.B, o.B+pt.Refs
		}
		return code.Op{Code: opcode, A: o.A, B: b, C: c, Imm: pc | uint64(pt.Table)}
	}
	switch pt.Kind {
	case wasm.OpStackNew, wasm.OpStackNewRef, wasm.OpMountFiberNew, wasm.OpHandleFiberNew, wasm.OpTaskNew:
		return code.Op{Code: fused.New, A: o.A, B: o.B, C: o.C, Imm: pc}
	case wasm.OpFiberMountNew, wasm.OpFiberSpawn:
		return code.Op{Code: fused.Enter, A: o.A, B: o.B, C: o.C, Imm: pc}
	case wasm.OpStacksSwitch, wasm.OpSwitchRetire:
		ends := uint32(0)
		if pt.Kind == wasm.OpSwitchRetire {
			ends = 1
		}
		if imm, ok := code.PassImm(pt, ends); ok {
			return code.Op{Code: fused.StackSwitch, A: o.A, B: o.B, C: o.B + pt.Refs, Imm: imm | pc}
		}
	case wasm.OpFiberMount, wasm.OpFiberResume, wasm.OpTaskResume:
		return event(fused.Mount, 1)
	case wasm.OpFiberDismount, wasm.OpFiberDismountRelease, wasm.OpFiberSuspend, wasm.OpFiberRetire,
		wasm.OpTaskSuspend, wasm.OpTaskRetire:
		return event(fused.Dismount, 1)
	case wasm.OpMountFiberSwitch, wasm.OpFiberSwitchRelease, wasm.OpHandleFiberSwitch, wasm.OpFiberRetireto,
		wasm.OpTaskSwitchto:
		return event(fused.Exchange, 2)
	}
	return code.Op{Code: fused.Baseline}
}

// selectN takes a select of numbers.
func (f *fuser) selectN(o code.Op) {
	x := code.Op{Code: fused.Select, A: o.A, B: f.read(o.A), C: f.read(o.B), Imm: uint64(f.read32(o.C))}
	f.result(x)
}
