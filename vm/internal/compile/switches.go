package compile

import (
	"fmt"
	"slices"

	"stackscope/vm/internal/code"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// control compiles the instructions of the dialects besides cont.
func (k *compiler) control(pc int, o *code.Op, in *wasm.Instr) {
	o.Code = code.OpControl
	switch {
	case in.Op <= wasm.OpReturnSwitchThrow:
		k.stacks(o, in)
	case in.Op <= wasm.OpFiberSwitchRelease:
		k.mount(pc, o, in)
	case in.Op <= wasm.OpHandleFiberRelease:
		k.handle(o, in)
	case in.Op <= wasm.OpEventSwitch:
		k.tasks(pc, o, in)
	default:
		k.fixed(o, in)
	}
}

// fixed compiles an instruction whose row has its whole type: no other dialect needs more.
func (k *compiler) fixed(o *code.Op, in *wasm.Instr) {
	info := in.Op.Info()
	p := k.point(o, in, info.Params)
	if len(info.Imms) > 0 && info.Imms[0] == wasm.ImmFunc {
		p.Func = in.A
	}
	k.pops(info.Params)
	k.at(o)
	k.pushes(info.Results)
}

// point adds a resume point, whose arguments are of the types.
func (k *compiler) point(o *code.Op, in *wasm.Instr, args []wasm.ValType) *code.ResumePoint {
	n, r := code.SlotsOf(args)
	o.C = uint16(len(k.c.Points))
	k.c.Points = append(
		k.c.Points,
		code.ResumePoint{
			Nums: uint16(n), Refs: uint16(r), Kind: in.Op, Tag: wasm.BadIndex,
			NextEvent: code.NoEvent, Table: k.set(int(o.C)),
		},
	)
	return &k.c.Points[o.C]
}

// set returns a place in Instance.clauses for those of the resume point with an index, or of the
// function.
func (k *compiler) set(index int) uint32 {
	k.p.mu.Lock()
	defer k.p.mu.Unlock()
	k.p.TableSites = append(k.p.TableSites, code.TableSite{Func: k.c, Index: index})
	return uint32(len(k.p.TableSites) - 1)
}

// at sets the op's operands to be where the next operand is.
func (k *operands) at(o *code.Op) { o.A, o.B = uint16(k.n), uint16(k.r) }

func (k *compiler) stacks(o *code.Op, in *wasm.Instr) {
	x := &k.p.Mod.Types[in.A]
	switch in.Op {
	case wasm.OpStackNew:
		k.point(o, in, nil).Func = in.B
		k.at(o)
		k.push(code.Reference)
	case wasm.OpStackNewRef:
		k.point(o, in, nil)
		k.pop()
		k.at(o)
		k.push(code.Reference)
	case wasm.OpStackBind:
		bound := x.Params[:len(x.Params)-len(k.p.Mod.Types[in.B].Params)]
		k.point(o, in, bound)
		k.pop()
		k.pops(bound)
		k.at(o)
		k.push(code.Reference)
	default:
		stackSwitch(k, o, in)
	}
}

// stackSwitch compiles an instruction of the dialect stacks that switches.
func stackSwitch(k *compiler, o *code.Op, in *wasm.Instr) {
	x, info := &k.p.Mod.Types[in.A], in.Op.Info()
	sent := x.Params
	if info.Throws {
		sent = k.p.TagType(in.B).Params
		sent = sent[:len(sent)-1]
		o.Code = code.OpControlThrow
	}
	p := k.point(o, in, sent)
	if info.Throws {
		p.Tag = in.B
	}
	k.pop()
	k.pops(sent)
	k.at(o)
	y := &k.p.Mod.Types[x.Results[0].Heap()]
	switch {
	case in.Op == wasm.OpSwitchRetire:
		k.push(code.Reference) // room for it
		k.dead = true
	case info.Leaves:
		p.Func = in.Index(len(info.Imms) - 1)
		kept := k.p.FuncType(p.Func).Params
		kept = kept[:len(kept)-len(y.Params)-1]
		n, r := code.SlotsOf(kept)
		p.KeptNums, p.KeptRefs = uint16(n), uint16(r)
		k.pops(kept)
		k.dead = true
	default:
		k.pushes(y.Params)
		k.push(code.Reference)
	}
}

func (k *compiler) mount(pc int, o *code.Op, in *wasm.Instr) {
	switch in.Op {
	case wasm.OpMountFiberNew:
		var args []wasm.ValType
		var entries []wasm.HandlerClause
		if in.Ext != nil && len(in.Ext.HandlerClauses) > 0 {
			entries = in.Ext.HandlerClauses
			ps := k.p.FuncType(entries[0].Label).Params
			args = ps[:len(ps)-1-len(k.p.TagType(entries[0].Tag).Params)]
		}
		p := k.point(o, in, args)
		p.Tag = in.A
		for _, e := range entries {
			p.Clauses = append(p.Clauses, code.HandlerClause{Tag: e.Tag, PC: e.Label, Target: code.TargetEntry})
		}
		k.pops(args)
		k.at(o)
		k.push(code.Reference)
	case wasm.OpMountFiberRelease:
		k.point(o, in, nil)
		k.pop()
		k.at(o)
	case wasm.OpFiberMountNew, wasm.OpFiberSwitchNew:
		ps := k.p.FuncType(in.B).Params
		args := ps[:len(ps)-1]
		p := k.point(o, in, args)
		p.Tag, p.Func = in.A, in.B
		if in.Op == wasm.OpFiberSwitchNew {
			k.pop()
		}
		k.pops(args)
		k.at(o)
		k.handlers(
			in,
			code.HandlerClause{Tag: in.A, Target: code.TargetNext, PC: uint32(pc) + 1, DstN: o.A, DstR: o.B + 1},
		)
		k.push(code.Reference)
		k.pushes(k.p.TagType(in.A).Params)
	default:
		args := k.p.TagType(in.A).Params
		k.point(o, in, args).Tag = in.A
		k.pop()
		if in.Op == wasm.OpMountFiberSwitch || in.Op == wasm.OpFiberSwitchRelease {
			k.pop()
		}
		k.pops(args)
		k.at(o)
		k.handlers(in)
	}
}

func (k *compiler) handle(o *code.Op, in *wasm.Instr) {
	switch in.Op {
	case wasm.OpHandleFiberNew, wasm.OpFiberSpawn:
		ft := k.p.FuncType(in.A)
		args := ft.Params[1:]
		p := k.point(o, in, args)
		p.Func = in.A
		k.pops(args)
		k.at(o)
		if in.Op == wasm.OpHandleFiberNew {
			k.push(code.Reference)
			return
		}
		p.Clauses = k.scope()
		p.Results = k.canonical(ft.Results)
		k.pushes(ft.Results)
	case wasm.OpHandleFiberRelease:
		k.point(o, in, nil)
		k.pop()
		k.at(o)
	default:
		args := k.p.TagType(in.A).Params
		p := k.point(o, in, args)
		p.Tag = in.A
		p.Clauses = k.scope()
		k.pops(args)
		k.pop()
		if in.Op == wasm.OpHandleFiberSwitch || in.Op == wasm.OpFiberRetireto {
			k.pop()
		}
		k.at(o)
		if in.Op != wasm.OpFiberResume {
			k.dead = true
			return
		}
		if k.typer.Unreachable() { // the fiber's type is unknown
			k.unsupported(in)
			return
		}
		results := k.typer.Pushed()
		p.Results = k.canonical(results)
		k.pushes(results)
	}
}

func (k *compiler) canonical(ts []wasm.ValType) []wasm.ValType {
	out := make([]wasm.ValType, len(ts))
	for i, t := range ts {
		out[i] = wasm.CanonVal(t, k.p.Types)
	}
	return out
}

func (k *compiler) tasks(pc int, o *code.Op, in *wasm.Instr) {
	switch in.Op {
	case wasm.OpTaskNew:
		args := k.p.FuncType(in.A).Params[1:]
		k.point(o, in, args).Func = in.A
		k.pops(args)
		k.at(o)
		k.push(code.Reference)
	case wasm.OpTaskRelease:
		k.point(o, in, nil)
		k.pop()
		k.at(o)
	case wasm.OpEventSwitch:
		k.eventSwitch(o, in)
	default:
		args := k.p.TagType(in.A).Params
		p := k.point(o, in, args)
		p.Tag = in.A
		p.NextEvent, p.NextIsFirst = k.eventFrom(pc + 1)
		k.pops(args)
		k.pop()
		if in.Op == wasm.OpTaskSwitchto {
			k.pop()
		}
		k.at(o)
		k.dead = in.Op == wasm.OpTaskRetire
	}
}

// eventSwitch compiles a branch for each pair. The event's values lie on top of the operands.
func (k *compiler) eventSwitch(o *code.Op, in *wasm.Instr) {
	k.point(o, in, nil)
	k.at(o)
	at := len(k.c.Points) - 1
	o.Code, o.Imm = code.OpEvents, uint64(len(k.c.Branches))
	if in.Ext != nil {
		hs := make([]code.HandlerClause, len(in.Ext.HandlerClauses))
		k.c.Points[at].Clauses = hs
		for i, h := range in.Ext.HandlerClauses {
			args := k.p.TagType(h.Tag).Params
			k.pushes(args)
			b := &k.c.Branches[k.branch(h.Label)]
			k.pops(args)
			n, r := code.SlotsOf(args)
			hs[i] = code.HandlerClause{
				Tag: h.Tag, Target: code.TargetPair, SaveN: b.SrcN, SaveR: b.SrcR, SavedN: b.NumN - uint16(n),
				SavedR: b.NumR - uint16(r),
			}
			hs[i].DstN, hs[i].DstR = b.DstN+hs[i].SavedN, b.DstR+hs[i].SavedR
			k.target(k.label(h.Label), fix{fixHandler, at, i})
		}
	}
	k.dead = true
}

// eventFrom returns the pc of the event.switch that execution comes to next from pc on, or noEvent;
// and whether no loop begins before it.
func (k *compiler) eventFrom(pc int) (event uint32, direct bool) {
	direct = true
	for body := k.c.Body; pc < len(body); pc++ {
		switch in := &body[pc]; in.Op {
		case wasm.OpEventSwitch:
			return uint32(pc), direct
		case wasm.OpBlock, wasm.OpLoop:
			if params, _ := k.blockType(in); len(params) > 0 {
				return code.NoEvent, false
			}
			direct = direct && in.Op == wasm.OpBlock
		default:
			return code.NoEvent, false
		}
	}
	return code.NoEvent, false
}

// handles are the handles of a function of the dialect fibers-handle, by the pc that opens them; -1
// is the function body.
type handles map[int]*handleScope

// handleScope is a handle with its clauses, and the slots where its parameters are saved at entry
// if some clause gets them.
type handleScope struct {
	clauses      []eventClause
	saves        bool
	saveN, saveR int
}

type eventClause struct {
	pc    int // of the `event`
	saved int // how many of the handle's parameters it gets
}

// prescan finds the handles of a function before it is compiled: an instruction refers to the
// clauses after it. It reserves slots for what is saved.
func (k *compiler) prescan(body []wasm.Instr) {
	if !k.p.Mod.Dialect.Info().FrameEvents {
		return
	}
	k.handles = handles{-1: &handleScope{}}
	open := []int{-1}
	typed := false
	for pc := range body {
		switch in := &body[pc]; {
		case in.Op.OpensBlock():
			open = append(open, pc)
			if in.Op == wasm.OpHandle {
				k.handles[pc] = &handleScope{}
			}
		case in.Op == wasm.OpEnd || in.Op == wasm.OpDelegate:
			open = open[:len(open)-1]
		case in.Op == wasm.OpEvent:
			s := k.handles[open[len(open)-1]]
			c := eventClause{pc: pc}
			if in.Block() != 0 {
				params, _ := k.blockType(in)
				c.saved = len(params) - len(k.p.TagType(in.A).Params)
				s.saves = s.saves || c.saved > 0
			}
			s.clauses = append(s.clauses, c)
		case in.Op == wasm.OpFiberResume:
			typed = true
		}
	}
	for pc := range body {
		if s := k.handles[pc]; s != nil && s.saves {
			params, _ := k.blockType(&body[pc])
			n, r := code.SlotsOf(params)
			s.saveN, s.saveR = k.n, k.r
			k.n, k.r = k.n+n, k.r+r
		}
	}
	if typed {
		if k.p.env == nil {
			k.p.env = valid.New(k.p.Mod)
		}
		k.typer = k.p.env.NewTyper(nil)
		k.typer.Begin(k.c.Index)
	}
}

// save emits, at the entry of a handle whose parameters are on top, what saves them.
func (k *compiler) save(pc int, o *code.Op, ct *control) {
	s := k.handles[pc]
	if !s.saves {
		return
	}
	n, r := code.SlotsOf(ct.params)
	k.c.Branches = append(
		k.c.Branches,
		code.Branch{PC: uint32(pc) + 1, SrcN: uint16(ct.heightN), DstN: uint16(s.saveN), NumN: uint16(n),
			SrcR: uint16(ct.heightR), DstR: uint16(s.saveR), NumR: uint16(r)},
	)
	o.Code, o.Imm = code.OpJumpMove, uint64(len(k.c.Branches)-1)
}

// event ends the instructions of a handle, or a clause, and begins the next clause. Control comes
// into it only by an event.
func (k *compiler) event(pc int, o *code.Op, in *wasm.Instr) {
	k.closeEvent()
	params := k.p.TagType(in.A).Params
	if in.Block() != 0 {
		params, _ = k.blockType(in)
	}
	k.nextArm(pc, o, params)
	ct := k.ctl[len(k.ctl)-1]
	k.ctl = append(
		k.ctl,
		control{
			op: wasm.OpEvent, pc: pc, heightN: ct.heightN, heightR: ct.heightR, classes: ct.classes,
			results: ct.results, lblN: ct.lblN, lblR: ct.lblR, dead: ct.dead, arm: -1,
			regions: len(k.c.Regions), region: -1, barrier: -1,
		},
	)
}

// closeEvent ends the clause that is open, if one is.
func (k *compiler) closeEvent() {
	if n := len(k.ctl) - 1; k.ctl[n].op == wasm.OpEvent {
		k.ctl = k.ctl[:n]
	}
}

// scope returns the clauses in scope here, innermost handle first. The instructions of a handle
// share them.
func (k *compiler) scope() []code.HandlerClause {
	i := enclosing(k.ctl, len(k.ctl)-1)
	if k.ctl[i].scope == nil {
		hs := k.clauses(&k.ctl[i])
		for j := i; j > 0; {
			j = enclosing(k.ctl, j-1)
			if outer := k.ctl[j].scope; outer != nil {
				hs = append(hs, outer...)
				break
			}
			hs = append(hs, k.clauses(&k.ctl[j])...)
		}
		if k.inScope += len(hs); k.inScope > maxInScope {
			k.err = &Unsupported{fmt.Sprintf(
				"the event clauses of function %s are nested too deeply: those in scope in its handles are more than %d in all",
				k.p.Mod.Names.Func(k.c.Index), maxInScope,
			)}
			hs = nil
		}
		k.ctl[i].scope = slices.Clip(hs)
	}
	return k.ctl[i].scope
}

// maxInScope bounds the clauses in scope in the handles of a function, added up: those of nested
// handles count again in each.
const maxInScope = 1 << 21

// enclosing returns the innermost handle from a control on outwards; the function is the outermost.
func enclosing(ctl []control, i int) int {
	for i > 0 && ctl[i].op != wasm.OpHandle {
		i--
	}
	return i
}

// clauses returns the clauses of a handle.
func (k *compiler) clauses(ct *control) []code.HandlerClause {
	s := k.handles[ct.pc]
	if s == nil {
		return nil
	}
	hs := make([]code.HandlerClause, len(s.clauses))
	for i, c := range s.clauses {
		first := len(ct.params) - c.saved
		beforeN, beforeR := code.SlotsOf(ct.params[:first])
		n, r := code.SlotsOf(ct.params[first:])
		hs[i] = code.HandlerClause{
			Tag: k.c.Body[c.pc].A, PC: uint32(c.pc) + 1, DstN: uint16(ct.heightN + n),
			DstR: uint16(ct.heightR + r), SaveN: uint16(s.saveN + beforeN),
			SaveR: uint16(s.saveR + beforeR), SavedN: uint16(n), SavedR: uint16(r),
		}
	}
	return hs
}
