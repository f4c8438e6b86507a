package vm

import "stackscope/wasm"

// sameCodes are the baseline ops on references that the fused form has as they are.
func sameCode(code uint16) (uint16, bool) {
	switch code {
	case opMovR:
		return rMovR, true
	case opTakeR:
		return rTakeR, true
	case opClearR:
		return rClearR, true
	case opGlobalGetR:
		return rGlobalGetR, true
	case opGlobalSetR:
		return rGlobalSetR, true
	case uint16(wasm.OpRefIsNull):
		return rRefIsNull, true
	case uint16(wasm.OpRefFunc):
		return rRefFunc, true
	case uint16(wasm.OpRefEq):
		return rRefEq, true
	case uint16(wasm.OpRefAsNonNull):
		return rRefAsNonNull, true
	}
	return 0, false
}

// op takes the next baseline op.
func (f *fuser) op(o op) {
	height := f.heights[f.pc]
	if code, ok := sameCode(o.code); ok {
		o.code = code
		f.emit(o)
		return
	}
	switch in := wasm.Op(o.code); {
	case o.code == opEnd:
	case o.code == opMovN && uint32(o.b) < f.c.locNums:
		f.pending = append(f.pending, pending{slot: o.a, local: o.b})
	case o.code == opMovN:
		f.set(o)
	case o.code == opConst:
		f.pending = append(f.pending, pending{slot: o.a, const_: true, imm: o.imm})
	case o.code == opNumeric:
		o.code = rNumeric
		o.b = f.read(o.b)
		if len(wasm.Op(o.imm).Info().Params) == 2 {
			o.c = f.read(o.c)
		} else {
			o.c = o.b
		}
		f.discard(o.a)
		f.emitFence(o)
	case in >= wasm.OpI32Eqz && in <= wasm.OpI64TruncSatF64U && len(in.Info().Params) == 1:
		f.unary(o, in)
	case in >= wasm.OpI32Eqz && in <= wasm.OpI64TruncSatF64U:
		f.binary(o, in)
	case in >= wasm.OpI32Load && in <= wasm.OpI64Load32U:
		f.load(o, in)
	case in >= wasm.OpI32Store && in <= wasm.OpI64Store32:
		f.store(o, in)
	case o.code == opSelN:
		f.selectN(o)
	case o.code == opSelR:
		o.code, o.c = rSelR, f.read32(o.c)
		f.emit(o)
	case o.code == opGlobalGetN:
		f.result(op{code: rGlobalGet, a: o.a, imm: o.imm})
	case o.code == opGlobalSetN:
		a := f.read(o.a)
		f.discard(height - 1)
		f.emitFence(op{code: rGlobalSet, a: a, imm: o.imm})
	case in == wasm.OpTableGet || in == wasm.OpTableSet:
		o.a = f.read(o.a)
		if o.code = rTableGet; in == wasm.OpTableSet {
			o.code = rTableSet
		}
		f.discard(height - 1)
		f.emitFence(o)
	case o.code == opBrIf || o.code == opBrUnless:
		f.branchIf(o.a, o.code == opBrUnless, f.target(f.pc), height)
	case o.code == opBrIfMove:
		f.branchMove(o, height)
	case o.code == opJump:
		f.jump(height)
	case o.code == opJumpMove:
		if f.c.body[f.pc].Op == wasm.OpHandle { // what it saves stays there, too
			f.flush(height)
		}
		f.jumpMove(&f.c.branches[o.imm], o.imm, height)
	case o.code == opReturn && o.c == 1 && o.imm == 0:
		f.ret(o.a, o.a)
		f.pending = f.pending[:0]
	case o.code == opTable:
		f.table(o, height)
	default:
		f.flushed(o, height)
	}
}

// flushed takes an op that finds all slots as in the baseline form: calls and the like, which may
// be entered and left from elsewhere, and what is executed outside.
func (f *fuser) flushed(o op, height uint16) {
	f.flush(height)
	f.mark(f.pc)
	x := op{code: rBaseline}
	switch in := wasm.Op(o.code); {
	case in == wasm.OpLoop:
		x.code = rLoop
	case in == wasm.OpCall:
		x = op{code: rCall, a: o.a, b: o.b, imm: o.imm | uint64(f.pc)<<32}
	case in == wasm.OpCallIndirect && o.c == 0:
		x = op{code: rCallIndirect, a: o.a, b: o.b, c: uint16(o.imm >> 32), imm: uint64(uint32(o.imm)) | uint64(f.pc)<<32}
	case in == wasm.OpCallRef:
		x = op{code: rCallRef, a: o.a, b: o.b, c: o.c, imm: uint64(f.pc) << 32}
	case in == wasm.OpResume:
		pt := &f.c.points[o.c]
		if imm, ok := passing(pt, pt.table); ok {
			x = op{code: rResume, a: o.a, b: o.b, c: o.b + pt.refs, imm: imm | uint64(f.pc)<<32}
		}
	case in == wasm.OpSwitch:
		pt := &f.c.points[o.c]
		if imm, ok := passing(pt, uint32(o.imm)); ok {
			x = op{code: rSwitch, a: o.a, b: o.b, c: o.b + pt.refs, imm: imm | uint64(f.pc)<<32}
		}
	case in == wasm.OpSuspend:
		x = op{code: rSuspend, a: o.a, b: o.b, imm: o.imm | uint64(f.pc)<<32}
	case in == wasm.OpContNew:
		x = op{code: rContNew, b: o.b, imm: uint64(f.pc) << 32}
	case o.code == opControl:
		x = f.control(o)
	case o.code == opEvents:
		x = op{code: rEvents, imm: o.imm}
	case o.code == opReturn && o.c == 0 && o.imm == 0:
		x.code = rRet0
	case o.code == opReturn:
		x = op{code: rRet, a: o.a, b: o.b, c: o.c, imm: o.imm}
	case o.code == opBrNull:
		x = op{code: rBrNull, a: o.a, imm: o.imm}
	case o.code == opBrNonNull:
		x = op{code: rBrNonNull, a: o.a, imm: o.imm}
	case o.code == opObject:
		x.code = rObject
	case o.code == opBulk:
		x.code = rBulk
	case o.code == opSIMD:
		x.code = rSIMD
	case o.code >= opWide && o.code <= opWideEnd:
		x = o
		x.code = rWide
	}
	f.emit(x)
	f.mark(f.pc + 1)
}

// control returns the op of an instruction of the dialects other than cont.
func (f *fuser) control(o op) op {
	pt := &f.c.points[o.c]
	pc := uint64(f.pc) << 32
	// with an event and n stacks, which lie below its values, in fibers-mount above
	event := func(code, n uint16) op {
		b, c := o.b+n, o.b
		if pt.kind.Info().Dialect == wasm.DialectFibersMount {
			b, c = o.b, o.b+pt.refs
		}
		return op{code: code, a: o.a, b: b, c: c, imm: pc | uint64(pt.table)}
	}
	switch pt.kind {
	case wasm.OpStackNew, wasm.OpStackNewRef, wasm.OpMountFiberNew, wasm.OpHandleFiberNew, wasm.OpTaskNew:
		return op{code: rNew, a: o.a, b: o.b, c: o.c, imm: pc}
	case wasm.OpFiberMountNew, wasm.OpFiberSpawn:
		return op{code: rEnter, a: o.a, b: o.b, c: o.c, imm: pc}
	case wasm.OpStacksSwitch, wasm.OpSwitchRetire:
		ends := uint32(0)
		if pt.kind == wasm.OpSwitchRetire {
			ends = 1
		}
		if imm, ok := passing(pt, ends); ok {
			return op{code: rStackSwitch, a: o.a, b: o.b, c: o.b + pt.refs, imm: imm | pc}
		}
	case wasm.OpFiberMount, wasm.OpFiberResume, wasm.OpTaskResume:
		return event(rMount, 1)
	case wasm.OpFiberDismount,
		wasm.OpFiberDismountRelease,
		wasm.OpFiberSuspend,
		wasm.OpFiberRetire,
		wasm.OpTaskSuspend,
		wasm.OpTaskRetire:
		return event(rDismount, 1)
	case wasm.OpMountFiberSwitch,
		wasm.OpFiberSwitchRelease,
		wasm.OpHandleFiberSwitch,
		wasm.OpFiberRetireto,
		wasm.OpTaskSwitchto:
		return event(rExchange, 2)
	}
	return op{code: rBaseline}
}

// selectN takes a select of numbers.
func (f *fuser) selectN(o op) {
	x := op{code: rSelect, a: o.a, b: f.read(o.a), c: f.read(o.b), imm: uint64(f.read32(o.c))}
	f.result(x)
}
