package vm

import (
	"fmt"

	"stackscope/wasm"
)

// instr compiles the instruction at pc.
func (k *compiler) instr(pc int, in *wasm.Instr) {
	o := &k.c.baseline[pc]
	switch in.Op { // what divides and ends blocks counts in dead code, too
	case wasm.OpElse:
		k.nextArm(pc, o, k.ctl[len(k.ctl)-1].params)
		return
	case wasm.OpCatch, wasm.OpCatchAll:
		k.catch(pc, o, in)
		return
	case wasm.OpDelegate:
		if ct := &k.ctl[len(k.ctl)-1]; ct.region >= 0 {
			r := &k.c.regions[ct.region]
			to := &k.ctl[len(k.ctl)-2-int(in.A)]
			r.delegate, r.next = true, to.regions-1
			if to.region >= 0 && k.c.regions[to.region].to == 0 {
				r.next = to.region
			}
		}
		k.end(pc, o)
		return
	case wasm.OpEvent:
		k.event(pc, o, in)
		return
	case wasm.OpEnd:
		k.end(pc, o)
		return
	}
	if k.dead {
		o.code = opDead
		if in.Op.OpensBlock() {
			k.open(pc, in)
			if in.Op == wasm.OpTry {
				k.tries++
			}
		}
		return
	}
	switch in.Op {
	case wasm.OpUnreachable:
		o.code, k.dead = uint16(in.Op), true
	case wasm.OpNop:
		o.code = opEnd
	case wasm.OpBlock:
		o.code = opEnd
		k.open(pc, in)
	case wasm.OpHandle:
		o.code = opEnd
		k.save(pc, o, k.open(pc, in))
	case wasm.OpLoop:
		o.code = uint16(in.Op)
		k.open(pc, in)
	case wasm.OpIf:
		_, a := k.pop()
		ct := k.open(pc, in)
		ct.arm = pc
		o.code, o.a = opBrUnless, uint16(a)
	case wasm.OpBarrier:
		o.code = opEnd
		ct := k.open(pc, in)
		ct.barrier = len(k.c.barriers)
		k.c.barriers = append(k.c.barriers, pcRange{uint32(pc) + 1, 0})
		k.p.setBarrier()
	case wasm.OpTry:
		o.code = opEnd
		ct := k.open(pc, in)
		ct.region = len(k.c.regions)
		ct.hold = int(k.c.locRefs-k.c.hiddenRefs) + k.tries
		k.tries++
		k.c.regions = append(k.c.regions, region{pcRange: pcRange{uint32(pc) + 1, 0}})
	case wasm.OpTryTable:
		k.tryTable(pc, o, in)
	case wasm.OpThrow:
		t := k.p.tagType(in.A)
		k.pops(t.Params)
		o.code, o.a, o.b, o.imm = uint16(in.Op), uint16(k.n), uint16(k.r), uint64(in.A)
		k.dead = true
	case wasm.OpThrowRef:
		_, b := k.pop()
		o.code, o.b = uint16(in.Op), uint16(b)
		k.dead = true
	case wasm.OpRethrow:
		o.code, o.a = opRethrow, uint16(k.label(in.A).hold)
		k.dead = true
	case wasm.OpBr:
		k.jump(pc, in.A, 0, opJump, opJumpMove)
		k.dead = true
	case wasm.OpBrIf:
		_, a := k.pop()
		k.jump(pc, in.A, a, opBrIf, opBrIfMove)
	case wasm.OpBrTable:
		_, a := k.pop()
		o.code, o.a = opTable, uint16(a)
		o.imm = uint64(len(k.c.branches))<<32 | uint64(len(in.Ext.Labels))
		for _, l := range in.Ext.Labels {
			k.branch(l)
		}
		k.dead = true
	case wasm.OpReturn:
		k.pops(k.c.results)
		*o = op{code: opReturn, a: uint16(k.n), b: uint16(k.r), c: uint16(k.c.resNums), imm: uint64(k.c.resRefs)}
		k.dead = true
	case wasm.OpCall:
		t := k.p.funcType(in.A)
		o.code, o.imm = uint16(in.Op), uint64(in.A)
		o.a, o.b = k.effect(t.Params, t.Results)
	case wasm.OpReturnCall:
		t := k.p.funcType(in.A)
		o.code, o.imm = uint16(in.Op), uint64(in.A)
		o.a, o.b = k.effect(t.Params, nil)
		k.dead = true
	case wasm.OpCallIndirect, wasm.OpReturnCallIndirect:
		t := k.p.mod.FuncType(in.B)
		_, i := k.pop()
		o.code, o.c = uint16(in.Op), k.index16(in.A)
		o.imm = uint64(i)<<32 | uint64(k.p.types[in.B])
		if in.Op == wasm.OpCallIndirect {
			o.a, o.b = k.effect(t.Params, t.Results)
		} else {
			o.a, o.b = k.effect(t.Params, nil)
			k.dead = true
		}
	case wasm.OpCallRef, wasm.OpReturnCallRef:
		t := k.p.mod.FuncType(in.A)
		_, i := k.pop()
		o.code, o.c = uint16(in.Op), uint16(i)
		if in.Op == wasm.OpCallRef {
			o.a, o.b = k.effect(t.Params, t.Results)
		} else {
			o.a, o.b = k.effect(t.Params, nil)
			k.dead = true
		}
	case wasm.OpDrop:
		c, a := k.pop()
		o.code = opEnd
		if c == reference {
			o.code, o.a = opClearR, uint16(a)
		}
	case wasm.OpSelect:
		_, cond := k.pop()
		c, b := k.pop()
		_, a := k.pop()
		k.push(c)
		o.code, o.a, o.b, o.c = [...]uint16{opSelN, opSelV, opSelR}[c], uint16(a), uint16(b), uint16(cond)
	case wasm.OpBrOnNull:
		_, a := k.pop()
		o.code, o.a = opBrNull, uint16(a)
		o.imm = uint64(k.branch(in.A))
		k.push(reference)
	case wasm.OpBrOnNonNull:
		o.code, o.a = opBrNonNull, uint16(k.r-1)
		o.imm = uint64(k.branch(in.A))
		k.pop()
	case wasm.OpBrOnCast, wasm.OpBrOnCastFail:
		o.code, o.a, o.c = opBrCast, uint16(k.r-1), uint16(len(k.c.casts))
		if in.Op == wasm.OpBrOnCastFail {
			o.code = opBrCastFail
		}
		k.c.casts = append(k.c.casts, wasm.CanonVal(in.Ext.Types[0], k.p.types))
		o.imm = uint64(k.branch(in.A))
	case wasm.OpRefNull:
		o.code, o.a = opClearR, uint16(k.push(reference))
	case wasm.OpRefIsNull:
		_, b := k.pop()
		o.code, o.b = uint16(in.Op), uint16(b)
		o.a = uint16(k.push(number))
	case wasm.OpRefFunc:
		o.code, o.imm = uint16(in.Op), uint64(in.A)
		o.a = uint16(k.push(reference))
	case wasm.OpRefEq:
		_, c := k.pop()
		_, b := k.pop()
		o.code, o.b, o.c = uint16(in.Op), uint16(b), uint16(c)
		o.a = uint16(k.push(number))
	case wasm.OpRefAsNonNull:
		o.code, o.a = uint16(in.Op), uint16(k.r-1)
	case wasm.OpLocalGet:
		l := k.c.locals[in.A]
		c := classOf(l.typ)
		o.code, o.b = [...]uint16{opMovN, opMovV, opMovR}[c], l.slot
		o.a = uint16(k.push(c))
	case wasm.OpLocalSet:
		l := k.c.locals[in.A]
		c, b := k.pop()
		o.code, o.a, o.b = [...]uint16{opMovN, opMovV, opTakeR}[c], l.slot, uint16(b)
	case wasm.OpLocalTee:
		l := k.c.locals[in.A]
		c, b := k.pop()
		k.push(c)
		o.code, o.a, o.b = [...]uint16{opMovN, opMovV, opMovR}[c], l.slot, uint16(b)
	case wasm.OpGlobalGet:
		c := classOf(k.p.mod.Globals[in.A].Type)
		o.code, o.imm = opGlobalGetN+uint16(c), uint64(in.A)
		o.a = uint16(k.push(c))
	case wasm.OpGlobalSet:
		c, a := k.pop()
		o.code, o.a, o.imm = opGlobalSetN+uint16(c), uint16(a), uint64(in.A)
	case wasm.OpTableGet:
		_, a := k.pop()
		o.code, o.a, o.imm = uint16(in.Op), uint16(a), uint64(in.A)
		o.b = uint16(k.push(reference))
	case wasm.OpTableSet:
		_, b := k.pop()
		_, a := k.pop()
		o.code, o.a, o.b, o.imm = uint16(in.Op), uint16(a), uint16(b), uint64(in.A)
	case wasm.OpI32Const, wasm.OpI64Const, wasm.OpF32Const, wasm.OpF64Const:
		o.code, o.imm = opConst, in.Imm
		if in.Op == wasm.OpI32Const || in.Op == wasm.OpF32Const {
			o.imm = uint64(uint32(in.Imm))
		}
		o.a = uint16(k.push(number))
	case wasm.OpContNew,
		wasm.OpContBind,
		wasm.OpSuspend,
		wasm.OpResume,
		wasm.OpResumeThrow,
		wasm.OpResumeThrowRef,
		wasm.OpSwitch:
		k.cont(pc, o, in)
	case wasm.OpMemorySize, wasm.OpMemoryGrow, wasm.OpMemoryInit, wasm.OpDataDrop, wasm.OpMemoryCopy, wasm.OpMemoryFill,
		wasm.OpTableInit, wasm.OpElemDrop, wasm.OpTableCopy, wasm.OpTableGrow, wasm.OpTableSize, wasm.OpTableFill:
		params, results := k.p.bulkSig(in)
		o.code = k.bulkCode(in)
		o.a, o.b = k.effect(params, results)
	default:
		if in.Op >= wasm.OpStackNew && in.Op <= wasm.OpEventSwitch {
			k.control(pc, o, in)
			return
		}
		k.table(o, in)
	}
}

// table compiles an instruction by its row, or by the rules for structures and arrays.
func (k *compiler) table(o *op, in *wasm.Instr) {
	info := in.Op.Info()
	switch {
	case in.Op >= wasm.OpI32Load && in.Op <= wasm.OpI64Store32:
		k.pops(info.Params)
		o.a, o.b, o.c, o.imm = uint16(k.n), uint16(k.n), k.index16(in.A), in.Imm
		if len(info.Results) == 0 { // a: address, b: value
			o.b++
		}
		k.pushes(info.Results)
		o.code = uint16(in.Op)
		if in.A != 0 || k.p.mod.Mems[0].Limits.Is64 {
			o.code = opWide + uint16(in.Op-wasm.OpI32Load)
		}
	case in.Op >= wasm.OpI32Eqz && in.Op <= wasm.OpI64TruncSatF64U:
		o.a, _ = k.effect(info.Params, info.Results)
		o.b, o.c = o.a, o.a+1
		o.code = uint16(in.Op)
		if !inlined(in.Op) {
			o.code, o.imm = opNumeric, uint64(in.Op)
		}
	case in.Op >= wasm.OpV128Load && in.Op < wasm.OpContNew:
		o.a, o.b = k.effect(info.Params, info.Results)
		o.b = uint16(in.Lane)
		o.code, o.imm = opSIMD, in.Imm
		switch in.Op {
		case wasm.OpV128Const, wasm.OpI8x16Shuffle:
			o.c = uint16(len(k.c.vectorHighs))
			k.c.vectorHighs = append(k.c.vectorHighs, in.Ext.Hi)
			if in.Op == wasm.OpV128Const {
				o.code = opConstV
			}
		default:
			o.c = k.index16(in.A)
		}
	case in.Op >= wasm.OpStructNew && in.Op <= wasm.OpI31GetU || in.Op == wasm.OpRefTest || in.Op == wasm.OpRefCast:
		params, results := k.p.objectSig(in)
		o.code = k.bulkCode(in)
		o.a, o.b = k.effect(params, results)
	default:
		k.unsupported(in)
	}
}

// bulkCode returns the code of an instruction of object or bulk.
func (k *compiler) bulkCode(in *wasm.Instr) uint16 {
	if isBulk(in.Op) || in.Op == wasm.OpArrayNewFixed && in.B > bigFixed {
		return opBulk
	}
	if (in.Op == wasm.OpStructNew || in.Op == wasm.OpStructNewDefault) && k.p.layouts[in.A].size > bigStruct {
		return opBulk
	}
	return opObject
}

func (k *compiler) unsupported(in *wasm.Instr) {
	what := "the instruction " + in.Op.String()
	if d := in.Op.Info().Dialect; d != wasm.DialectNone {
		what += " of the dialect " + d.String()
	}
	where := "a constant expression"
	if k.c.fn != wasm.BadIndex {
		where = "function " + k.p.mod.Names.Func(k.c.fn)
	}
	k.err = &LinkError{Message: what + " cannot be executed yet (in " + where + ")"}
}

// index16 makes an index an operand of an op.
func (k *compiler) index16(i uint32) uint16 {
	if i > 0xffff {
		k.err = &LinkError{
			Message: fmt.Sprintf("function %s uses the table or memory %d, beyond 65535", k.p.mod.Names.Func(k.c.fn), i),
		}
	}
	return uint16(i)
}

// tryTable opens a try_table. Its clauses name labels outside of it.
func (k *compiler) tryTable(pc int, o *op, in *wasm.Instr) {
	o.code = opEnd
	r := region{pcRange: pcRange{uint32(pc) + 1, 0}}
	at := len(k.c.regions)
	var catches []wasm.Catch
	if in.Ext != nil {
		catches = in.Ext.Catches
	}
	for i, c := range catches {
		ct := k.label(c.Label)
		r.catches = append(r.catches, catchClause{kind: c.Kind, tag: c.Tag, dstN: uint16(ct.heightN), dstR: uint16(ct.heightR)})
		if ct.op != wasm.OpLoop {
			ct.fixes = append(ct.fixes, fix{fixClause, at, i})
		} else {
			r.catches[i].pc = uint32(ct.pc)
		}
	}
	ct := k.open(pc, in)
	ct.region = at
	k.c.regions = append(k.c.regions, r)
}

// catch begins a legacy clause: control falls into it only by an exception.
func (k *compiler) catch(pc int, o *op, in *wasm.Instr) {
	ct := &k.ctl[len(k.ctl)-1]
	var params []wasm.ValType
	if in.Op == wasm.OpCatch {
		params = k.p.tagType(in.A).Params
	}
	if ct.region >= 0 {
		r := &k.c.regions[ct.region]
		if r.to == 0 {
			r.to = uint32(pc)
		}
		c := catchClause{
			kind: wasm.CatchAll, pc: uint32(pc) + 1, dstN: uint16(ct.heightN), dstR: uint16(ct.heightR),
			keep: true, hold: uint16(ct.hold),
		}
		if in.Op == wasm.OpCatch {
			c.kind, c.tag = wasm.CatchTag, in.A
		}
		r.catches = append(r.catches, c)
	}
	k.nextArm(pc, o, params)
}

// cont compiles the instructions of the dialect cont.
func (k *compiler) cont(pc int, o *op, in *wasm.Instr) {
	mod := k.p.mod
	o.code = uint16(in.Op)
	point := func(params []wasm.ValType) {
		if p := k.point(o, in, params); in.Op == wasm.OpResumeThrow || in.Op == wasm.OpSwitch {
			p.tag = in.B
		}
	}
	switch in.Op {
	case wasm.OpContNew:
		_, b := k.pop()
		k.push(reference)
		o.b = uint16(b)
	case wasm.OpContBind:
		from, to := mod.ContFunc(in.A), mod.ContFunc(in.B)
		k.pop()
		bound := from.Params[:len(from.Params)-len(to.Params)]
		k.pops(bound)
		point(bound)
		o.a, o.b = uint16(k.n), uint16(k.r)
		k.push(reference)
	case wasm.OpSuspend:
		t := k.p.tagType(in.A)
		o.imm = uint64(in.A)
		o.a, o.b = k.effect(t.Params, t.Results)
	case wasm.OpSwitch:
		t := mod.ContFunc(in.A)
		last := t.Params[len(t.Params)-1]
		back := mod.ContFunc(uint32(last.Heap()))
		k.pop()
		params := t.Params[:len(t.Params)-1]
		point(params)
		o.imm = uint64(in.B)
		o.a, o.b = k.effect(params, back.Params)
	default:
		t := mod.ContFunc(in.A)
		params := t.Params
		k.pop()
		switch in.Op {
		case wasm.OpResumeThrow:
			params = k.p.tagType(in.B).Params
		case wasm.OpResumeThrowRef:
			params = []wasm.ValType{wasm.ExnRef}
		}
		point(params)
		k.pops(params)
		o.a, o.b = uint16(k.n), uint16(k.r)
		k.handlers(in)
		k.pushes(t.Results)
	}
}

// handlers adds the clauses of a resume, whose operands have been popped, to the last resume point.
// Those of an instruction that makes a fiber and runs it come behind another one.
func (k *compiler) handlers(in *wasm.Instr, first ...handlerClause) {
	at := len(k.c.points) - 1
	var clauses []wasm.Handler
	if in.Ext != nil {
		clauses = in.Ext.Handlers
	}
	hs := append(first, make([]handlerClause, len(clauses))...)
	k.c.points[at].clauses = hs
	for i, h := range clauses {
		i += len(first)
		hs[i] = handlerClause{tag: h.Tag, isSwitch: h.Switch}
		if !h.Switch {
			ct := k.label(h.Label)
			hs[i].dstN, hs[i].dstR = uint16(ct.heightN), uint16(ct.heightR)
			if len(first) > 0 { // it takes the fiber along, which is where the results begin
				hs[i].saveR, hs[i].savedR = uint16(k.r), 1
				hs[i].dstR++
			}
			k.target(ct, fix{fixHandler, at, i})
		}
	}
}
