package vm

import "stackscope/wasm"

// sameCodes are the plain ops on references that the fast form has as they are.
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

// op takes the next plain op.
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
		f.off = append(f.off, put{slot: o.a, local: o.b})
	case o.code == opMovN:
		f.set(o)
	case o.code == opConst:
		f.off = append(f.off, put{slot: o.a, const_: true, imm: o.imm})
	case o.code == opNumeric:
		o.code = rNumeric
		o.b = f.read(o.b)
		if len(wasm.Op(o.imm).Info().Params) == 2 {
			o.c = f.read(o.c)
		} else {
			o.c = o.b
		}
		f.prune(o.a)
		f.part(o)
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
		f.prune(height - 1)
		f.part(op{code: rGlobalSet, a: a, imm: o.imm})
	case in == wasm.OpTableGet || in == wasm.OpTableSet:
		o.a = f.read(o.a)
		if o.code = rTableGet; in == wasm.OpTableSet {
			o.code = rTableSet
		}
		f.prune(height - 1)
		f.part(o)
	case o.code == opBrIf || o.code == opBrUnless:
		f.branchIf(o.a, o.code == opBrUnless, f.target(f.pc), height)
	case o.code == opBrIfMove:
		f.branchMove(o, height)
	case o.code == opJump:
		f.jump(height)
	case o.code == opJumpMove:
		if f.c.body[f.pc].Op == wasm.OpHandle { // what it saves stays there, too
			f.settle(height)
		}
		f.jumpMove(&f.c.branches[o.imm], o.imm, height)
	case o.code == opReturn && o.c == 1 && o.imm == 0:
		f.ret(o.a, o.a)
		f.off = f.off[:0]
	case o.code == opTable:
		f.table(o, height)
	default:
		f.settled(o, height)
	}
}

// settled takes an op that finds all slots as in the plain form: calls and the like, which may be
// entered and left from elsewhere, and what is executed outside.
func (f *fuser) settled(o op, height uint16) {
	f.settle(height)
	f.mark(f.pc)
	fast := op{code: rPlain}
	switch in := wasm.Op(o.code); {
	case in == wasm.OpLoop:
		fast.code = rLoop
	case in == wasm.OpCall:
		fast = op{code: rCall, a: o.a, b: o.b, imm: o.imm | uint64(f.pc)<<32}
	case in == wasm.OpCallIndirect && o.c == 0:
		fast = op{code: rCallIndirect, a: o.a, b: o.b, c: uint16(o.imm >> 32), imm: uint64(uint32(o.imm)) | uint64(f.pc)<<32}
	case in == wasm.OpCallRef:
		fast = op{code: rCallRef, a: o.a, b: o.b, c: o.c, imm: uint64(f.pc) << 32}
	case in == wasm.OpResume:
		pt := &f.c.resumes[o.c]
		if imm, ok := passing(pt, pt.set); ok {
			fast = op{code: rResume, a: o.a, b: o.b, c: o.b + pt.refs, imm: imm | uint64(f.pc)<<32}
		}
	case in == wasm.OpSwitch:
		pt := &f.c.resumes[o.c]
		if imm, ok := passing(pt, uint32(o.imm)); ok {
			fast = op{code: rSwitch, a: o.a, b: o.b, c: o.b + pt.refs, imm: imm | uint64(f.pc)<<32}
		}
	case in == wasm.OpSuspend:
		fast = op{code: rSuspend, a: o.a, b: o.b, imm: o.imm | uint64(f.pc)<<32}
	case in == wasm.OpContNew:
		fast = op{code: rContNew, b: o.b, imm: uint64(f.pc) << 32}
	case o.code == opControl:
		fast = f.control(o)
	case o.code == opEvents:
		fast = op{code: rEvents, imm: o.imm}
	case o.code == opReturn && o.c == 0 && o.imm == 0:
		fast.code = rRet0
	case o.code == opReturn:
		fast = op{code: rRet, a: o.a, b: o.b, c: o.c, imm: o.imm}
	case o.code == opBrNull:
		fast = op{code: rBrNull, a: o.a, imm: o.imm}
	case o.code == opBrNonNull:
		fast = op{code: rBrNonNull, a: o.a, imm: o.imm}
	case o.code == opObject:
		fast.code = rObject
	case o.code == opBulk:
		fast.code = rBulk
	case o.code == opSIMD:
		fast.code = rSIMD
	case o.code >= opWide && o.code <= opWideEnd:
		fast = o
		fast.code = rWide
	}
	f.emit(fast)
	f.mark(f.pc + 1)
}

// control returns the op of an instruction of the dialects other than cont.
func (f *fuser) control(o op) op {
	pt := &f.c.resumes[o.c]
	pc := uint64(f.pc) << 32
	// with an event and n stacks, which lie below its values, in fibers-mount above
	event := func(code, n uint16) op {
		b, c := o.b+n, o.b
		if pt.kind.Info().Dialect == wasm.DialectFibersMount {
			b, c = o.b, o.b+pt.refs
		}
		return op{code: code, a: o.a, b: b, c: c, imm: pc | uint64(pt.set)}
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
	return op{code: rPlain}
}

// selectN takes a select of numbers.
func (f *fuser) selectN(o op) {
	fast := op{code: rSelect, a: o.a, b: f.read(o.a), c: f.read(o.b), imm: uint64(f.read32(o.c))}
	f.result(fast)
}
