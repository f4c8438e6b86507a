package compile

import (
	"fmt"
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// instr compiles the instruction at pc.
func (k *compiler) instr(pc int, in *wasm.Instr) {
	o := &k.c.Baseline[pc]
	switch in.Op { // what divides and ends blocks counts in dead code, too
	case wasm.OpElse:
		k.nextArm(pc, o, k.ctl[len(k.ctl)-1].params)
		return
	case wasm.OpCatch, wasm.OpCatchAll:
		k.catch(pc, o, in)
		return
	case wasm.OpDelegate:
		if ct := &k.ctl[len(k.ctl)-1]; ct.region >= 0 {
			r := &k.c.Regions[ct.region]
			to := &k.ctl[len(k.ctl)-2-int(in.A)]
			r.Delegate, r.Next = true, to.regions-1
			if to.region >= 0 && k.c.Regions[to.region].To == 0 {
				r.Next = to.region
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
		o.Code = code.OpDead
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
		o.Code, k.dead = uint16(in.Op), true
	case wasm.OpBlock:
		o.Code = code.OpEnd
		k.open(pc, in)
	case wasm.OpHandle:
		o.Code = code.OpEnd
		k.save(pc, o, k.open(pc, in))
	case wasm.OpLoop:
		o.Code = uint16(in.Op)
		k.open(pc, in)
	case wasm.OpIf:
		_, a := k.pop()
		ct := k.open(pc, in)
		ct.arm = pc
		o.Code, o.A = code.OpBrUnless, uint16(a)
	case wasm.OpBarrier:
		o.Code = code.OpEnd
		ct := k.open(pc, in)
		ct.barrier = len(k.c.Barriers)
		k.c.Barriers = append(k.c.Barriers, code.PCRange{From: uint32(pc) + 1})
		k.p.setBarrier()
	case wasm.OpTry:
		o.Code = code.OpEnd
		ct := k.open(pc, in)
		ct.region = len(k.c.Regions)
		ct.hold = int(k.c.LocRefs-k.c.HiddenRefs) + k.tries
		k.tries++
		k.c.Regions = append(k.c.Regions, code.Region{PCRange: code.PCRange{From: uint32(pc) + 1}})
	case wasm.OpTryTable:
		k.tryTable(pc, o, in)
	case wasm.OpThrow:
		t := k.p.TagType(in.A)
		k.pops(t.Params)
		o.Code, o.A, o.B, o.Imm = uint16(in.Op), uint16(k.n), uint16(k.r), uint64(in.A)
		k.dead = true
	case wasm.OpThrowRef:
		_, b := k.pop()
		o.Code, o.B = uint16(in.Op), uint16(b)
		k.dead = true
	case wasm.OpRethrow:
		o.Code, o.A = code.OpRethrow, uint16(k.label(in.A).hold)
		k.dead = true
	case wasm.OpBr:
		k.jump(pc, in.A, 0, code.OpJump, code.OpJumpMove)
		k.dead = true
	case wasm.OpBrIf:
		_, a := k.pop()
		k.jump(pc, in.A, a, code.OpBrIf, code.OpBrIfMove)
	case wasm.OpBrTable:
		_, a := k.pop()
		o.Code, o.A = code.OpTable, uint16(a)
		o.Imm = uint64(len(k.c.Branches))<<32 | uint64(len(in.Ext.Labels))
		for _, l := range in.Ext.Labels {
			k.branch(l)
		}
		k.dead = true
	case wasm.OpReturn:
		k.pops(k.c.Results)
		*o = code.Op{Code: code.OpReturn, A: uint16(k.n), B: uint16(k.r), C: uint16(k.c.ResNums)}
		o.Imm = uint64(k.c.ResRefs)
		k.dead = true
	case wasm.OpCall:
		t := k.p.FuncType(in.A)
		o.Code, o.Imm = uint16(in.Op), uint64(in.A)
		o.A, o.B = k.effect(t.Params, t.Results)
	case wasm.OpReturnCall:
		t := k.p.FuncType(in.A)
		o.Code, o.Imm = uint16(in.Op), uint64(in.A)
		o.A, o.B = k.effect(t.Params, nil)
		k.dead = true
	case wasm.OpCallIndirect, wasm.OpReturnCallIndirect:
		t := k.p.Mod.FuncType(in.B)
		_, i := k.pop()
		o.Code, o.C = uint16(in.Op), k.index16(in.A)
		o.Imm = uint64(i)<<32 | uint64(k.p.Types[in.B])
		if in.Op == wasm.OpCallIndirect {
			o.A, o.B = k.effect(t.Params, t.Results)
		} else {
			o.A, o.B = k.effect(t.Params, nil)
			k.dead = true
		}
	case wasm.OpCallRef, wasm.OpReturnCallRef:
		t := k.p.Mod.FuncType(in.A)
		_, i := k.pop()
		o.Code, o.C = uint16(in.Op), uint16(i)
		if in.Op == wasm.OpCallRef {
			o.A, o.B = k.effect(t.Params, t.Results)
		} else {
			o.A, o.B = k.effect(t.Params, nil)
			k.dead = true
		}
	case wasm.OpBrOnNull:
		_, a := k.pop()
		o.Code, o.A = code.OpBrNull, uint16(a)
		o.Imm = uint64(k.branch(in.A))
		k.push(code.Reference)
	case wasm.OpBrOnNonNull:
		o.Code, o.A = code.OpBrNonNull, uint16(k.r-1)
		o.Imm = uint64(k.branch(in.A))
		k.pop()
	case wasm.OpBrOnCast, wasm.OpBrOnCastFail:
		o.Code, o.A, o.C = code.OpBrCast, uint16(k.r-1), uint16(len(k.c.Casts))
		if in.Op == wasm.OpBrOnCastFail {
			o.Code = code.OpBrCastFail
		}
		k.c.Casts = append(k.c.Casts, wasm.CanonVal(in.Ext.Types[0], k.p.Types))
		o.Imm = uint64(k.branch(in.A))
	default:
		k.operation(pc, o, in)
	}
}

// operation compiles an instruction that neither branches nor calls.
func (k *compiler) operation(pc int, o *code.Op, in *wasm.Instr) {
	switch in.Op {
	case wasm.OpNop:
		o.Code = code.OpEnd
	case wasm.OpDrop:
		c, a := k.pop()
		o.Code = code.OpEnd
		if c == code.Reference {
			o.Code, o.A = code.OpClearR, uint16(a)
		}
	case wasm.OpSelect:
		_, cond := k.pop()
		c, b := k.pop()
		_, a := k.pop()
		k.push(c)
		o.Code, o.A, o.B, o.C = [...]uint16{code.OpSelN, code.OpSelV, code.OpSelR}[c], uint16(a), uint16(b),
			uint16(cond)
	case wasm.OpRefNull:
		o.Code, o.A = code.OpClearR, uint16(k.push(code.Reference))
	case wasm.OpRefIsNull:
		_, b := k.pop()
		o.Code, o.B = uint16(in.Op), uint16(b)
		o.A = uint16(k.push(code.Number))
	case wasm.OpRefFunc:
		o.Code, o.Imm = uint16(in.Op), uint64(in.A)
		o.A = uint16(k.push(code.Reference))
	case wasm.OpRefEq:
		_, c := k.pop()
		_, b := k.pop()
		o.Code, o.B, o.C = uint16(in.Op), uint16(b), uint16(c)
		o.A = uint16(k.push(code.Number))
	case wasm.OpRefAsNonNull:
		o.Code, o.A = uint16(in.Op), uint16(k.r-1)
	case wasm.OpLocalGet:
		l := k.c.Locals[in.A]
		c := code.ClassOf(l.Type)
		o.Code, o.B = [...]uint16{code.OpMovN, code.OpMovV, code.OpMovR}[c], l.Slot
		o.A = uint16(k.push(c))
	case wasm.OpLocalSet:
		l := k.c.Locals[in.A]
		c, b := k.pop()
		o.Code, o.A, o.B = [...]uint16{code.OpMovN, code.OpMovV, code.OpTakeR}[c], l.Slot, uint16(b)
	case wasm.OpLocalTee:
		l := k.c.Locals[in.A]
		c, b := k.pop()
		k.push(c)
		o.Code, o.A, o.B = [...]uint16{code.OpMovN, code.OpMovV, code.OpMovR}[c], l.Slot, uint16(b)
	case wasm.OpGlobalGet:
		c := code.ClassOf(k.p.Mod.Globals[in.A].Type)
		o.Code, o.Imm = code.OpGlobalGetN+uint16(c), uint64(in.A)
		o.A = uint16(k.push(c))
	case wasm.OpGlobalSet:
		c, a := k.pop()
		o.Code, o.A, o.Imm = code.OpGlobalSetN+uint16(c), uint16(a), uint64(in.A)
	case wasm.OpTableGet:
		_, a := k.pop()
		o.Code, o.A, o.Imm = uint16(in.Op), uint16(a), uint64(in.A)
		o.B = uint16(k.push(code.Reference))
	case wasm.OpTableSet:
		_, b := k.pop()
		_, a := k.pop()
		o.Code, o.A, o.B, o.Imm = uint16(in.Op), uint16(a), uint16(b), uint64(in.A)
	case wasm.OpI32Const, wasm.OpI64Const, wasm.OpF32Const, wasm.OpF64Const:
		o.Code, o.Imm = code.OpConst, in.Imm
		if in.Op == wasm.OpI32Const || in.Op == wasm.OpF32Const {
			o.Imm = uint64(uint32(in.Imm))
		}
		o.A = uint16(k.push(code.Number))
	case wasm.OpContNew, wasm.OpContBind, wasm.OpSuspend, wasm.OpResume, wasm.OpResumeThrow,
		wasm.OpResumeThrowRef, wasm.OpSwitch:
		k.cont(pc, o, in)
	case wasm.OpMemorySize, wasm.OpMemoryGrow, wasm.OpMemoryInit, wasm.OpDataDrop, wasm.OpMemoryCopy, wasm.OpMemoryFill,
		wasm.OpTableInit, wasm.OpElemDrop, wasm.OpTableCopy, wasm.OpTableGrow, wasm.OpTableSize, wasm.OpTableFill:
		params, results := k.p.bulkSig(in)
		o.Code = k.bulkCode(in)
		o.A, o.B = k.effect(params, results)
	default:
		if in.Op.Info().Dialect != wasm.DialectNone {
			k.control(pc, o, in)
			return
		}
		k.table(o, in)
	}
}

// table compiles an instruction by its row, or by the rules for structures and arrays.
func (k *compiler) table(o *code.Op, in *wasm.Instr) {
	info := in.Op.Info()
	switch {
	case in.Op >= wasm.OpI32Load && in.Op <= wasm.OpI64Store32:
		k.pops(info.Params)
		o.A, o.B, o.C, o.Imm = uint16(k.n), uint16(k.n), k.index16(in.A), in.Imm
		if len(info.Results) == 0 { // a: address, b: value
			o.B++
		}
		k.pushes(info.Results)
		o.Code = uint16(in.Op)
		if in.A != 0 || k.p.Mod.Mems[0].Limits.Is64 {
			o.Code = code.OpWide + uint16(in.Op-wasm.OpI32Load)
		}
	case in.Op >= wasm.OpI32Eqz && in.Op <= wasm.OpI64TruncSatF64U:
		o.A, _ = k.effect(info.Params, info.Results)
		o.B, o.C = o.A, o.A+1
		o.Code = uint16(in.Op)
		if !inlined(in.Op) {
			o.Code, o.Imm = code.OpNumeric, uint64(in.Op)
		}
	case in.Op >= wasm.OpV128Load && in.Op < wasm.OpContNew:
		o.A, o.B = k.effect(info.Params, info.Results)
		o.B = uint16(in.Lane)
		o.Code, o.Imm = code.OpSIMD, in.Imm
		switch in.Op {
		case wasm.OpV128Const, wasm.OpI8x16Shuffle:
			o.C = uint16(len(k.c.VectorHighs))
			k.c.VectorHighs = append(k.c.VectorHighs, in.Ext.Hi)
			if in.Op == wasm.OpV128Const {
				o.Code = code.OpConstV
			}
		default:
			o.C = k.index16(in.A)
		}
	case in.Op >= wasm.OpStructNew && in.Op <= wasm.OpI31GetU || in.Op == wasm.OpRefTest || in.Op == wasm.OpRefCast:
		params, results := k.p.objectSig(in)
		o.Code = k.bulkCode(in)
		o.A, o.B = k.effect(params, results)
	default:
		k.unsupported(in)
	}
}

// bulkCode returns the code of an instruction of object or bulk.
func (k *compiler) bulkCode(in *wasm.Instr) uint16 {
	if isBulk(in.Op) || in.Op == wasm.OpArrayNewFixed && in.B > code.BigFixed {
		return code.OpBulk
	}
	if (in.Op == wasm.OpStructNew || in.Op == wasm.OpStructNewDefault) && k.p.isLarge(in.A) {
		return code.OpBulk
	}
	return code.OpObject
}

func (k *compiler) unsupported(in *wasm.Instr) {
	what := "the instruction " + in.Op.String()
	if d := in.Op.Info().Dialect; d != wasm.DialectNone {
		what += " of the dialect " + d.String()
	}
	where := "a constant expression"
	if k.c.Index != wasm.BadIndex {
		where = "function " + k.p.Mod.Names.Func(k.c.Index)
	}
	k.err = &Unsupported{what + " cannot be executed yet (in " + where + ")"}
}

// index16 makes an index an operand of an op.
func (k *compiler) index16(i uint32) uint16 {
	if i > 0xffff {
		k.err = &Unsupported{
			fmt.Sprintf("function %s uses the table or memory %d, beyond 65535", k.p.Mod.Names.Func(k.c.Index), i),
		}
	}
	return uint16(i)
}

// tryTable opens a try_table. Its clauses name labels outside of it.
func (k *compiler) tryTable(pc int, o *code.Op, in *wasm.Instr) {
	o.Code = code.OpEnd
	r := code.Region{PCRange: code.PCRange{From: uint32(pc) + 1}}
	at := len(k.c.Regions)
	var catches []wasm.Catch
	if in.Ext != nil {
		catches = in.Ext.Catches
	}
	for i, c := range catches {
		ct := k.label(c.Label)
		r.Catches = append(
			r.Catches,
			code.CatchClause{Kind: c.Kind, Tag: c.Tag, DstN: uint16(ct.heightN), DstR: uint16(ct.heightR)},
		)
		if ct.op != wasm.OpLoop {
			ct.fixes = append(ct.fixes, fix{fixClause, at, i})
		} else {
			r.Catches[i].PC = uint32(ct.pc)
		}
	}
	ct := k.open(pc, in)
	ct.region = at
	k.c.Regions = append(k.c.Regions, r)
}

// catch begins a legacy clause: control falls into it only by an exception.
func (k *compiler) catch(pc int, o *code.Op, in *wasm.Instr) {
	ct := &k.ctl[len(k.ctl)-1]
	var params []wasm.ValType
	if in.Op == wasm.OpCatch {
		params = k.p.TagType(in.A).Params
	}
	if ct.region >= 0 {
		r := &k.c.Regions[ct.region]
		if r.To == 0 {
			r.To = uint32(pc)
		}
		c := code.CatchClause{
			Kind: wasm.CatchAll, PC: uint32(pc) + 1, DstN: uint16(ct.heightN), DstR: uint16(ct.heightR),
			Keep: true, Hold: uint16(ct.hold),
		}
		if in.Op == wasm.OpCatch {
			c.Kind, c.Tag = wasm.CatchTag, in.A
		}
		r.Catches = append(r.Catches, c)
	}
	k.nextArm(pc, o, params)
}

// cont compiles the instructions of the dialect cont.
func (k *compiler) cont(pc int, o *code.Op, in *wasm.Instr) {
	mod := k.p.Mod
	o.Code = uint16(in.Op)
	point := func(params []wasm.ValType) {
		if p := k.point(o, in, params); in.Op == wasm.OpResumeThrow || in.Op == wasm.OpSwitch {
			p.Tag = in.B
		}
	}
	switch in.Op {
	case wasm.OpContNew:
		_, b := k.pop()
		k.push(code.Reference)
		o.B = uint16(b)
	case wasm.OpContBind:
		from, to := mod.ContFunc(in.A), mod.ContFunc(in.B)
		k.pop()
		bound := from.Params[:len(from.Params)-len(to.Params)]
		k.pops(bound)
		point(bound)
		o.A, o.B = uint16(k.n), uint16(k.r)
		k.push(code.Reference)
	case wasm.OpSuspend:
		t := k.p.TagType(in.A)
		o.Imm = uint64(in.A)
		o.A, o.B = k.effect(t.Params, t.Results)
	case wasm.OpSwitch:
		t := mod.ContFunc(in.A)
		last := t.Params[len(t.Params)-1]
		back := mod.ContFunc(uint32(last.Heap()))
		k.pop()
		params := t.Params[:len(t.Params)-1]
		point(params)
		o.Imm = uint64(in.B)
		o.A, o.B = k.effect(params, back.Params)
	default:
		t := mod.ContFunc(in.A)
		params := t.Params
		k.pop()
		switch in.Op {
		case wasm.OpResumeThrow:
			params = k.p.TagType(in.B).Params
		case wasm.OpResumeThrowRef:
			params = []wasm.ValType{wasm.ExnRef}
		}
		point(params)
		k.pops(params)
		o.A, o.B = uint16(k.n), uint16(k.r)
		k.handlers(in)
		k.pushes(t.Results)
	}
}

// handlers adds the clauses of a resume, whose operands have been popped, to the last resume point.
// Those of an instruction that makes a fiber and runs it come after another one.
func (k *compiler) handlers(in *wasm.Instr, first ...code.HandlerClause) {
	at := len(k.c.Points) - 1
	var clauses []wasm.HandlerClause
	if in.Ext != nil {
		clauses = in.Ext.HandlerClauses
	}
	hs := append(first, make([]code.HandlerClause, len(clauses))...)
	k.c.Points[at].Clauses = hs
	for i, h := range clauses {
		i += len(first)
		hs[i] = code.HandlerClause{Tag: h.Tag, IsSwitch: h.Switch}
		if !h.Switch {
			ct := k.label(h.Label)
			hs[i].DstN, hs[i].DstR = uint16(ct.heightN), uint16(ct.heightR)
			if len(first) > 0 { // it takes the fiber along, which is where the results begin
				hs[i].SaveR, hs[i].SavedR = uint16(k.r), 1
				hs[i].DstR++
			}
			k.target(ct, fix{fixHandler, at, i})
		}
	}
}

// isBulk reports whether an instruction takes time that its operands decide.
func isBulk(op wasm.Op) bool {
	switch op {
	case wasm.OpMemoryGrow, wasm.OpMemoryInit, wasm.OpMemoryCopy, wasm.OpMemoryFill,
		wasm.OpTableGrow, wasm.OpTableInit, wasm.OpTableCopy, wasm.OpTableFill,
		wasm.OpArrayNew, wasm.OpArrayNewDefault, wasm.OpArrayNewData, wasm.OpArrayNewElem,
		wasm.OpArrayFill, wasm.OpArrayCopy, wasm.OpArrayInitData, wasm.OpArrayInitElem:
		return true
	}
	return false
}
