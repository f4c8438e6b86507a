package vm

import (
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// control compiles the instructions of the dialects stacks, fibers-mount, fibers-handle and tasks.
func (k *compiler) control(pc int, o *op, in *wasm.Instr) {
	o.code = opControl
	switch {
	case in.Op <= wasm.OpSwitchRetire:
		k.stacks(o, in)
	case in.Op <= wasm.OpFiberSwitchRelease:
		k.mount(pc, o, in)
	case in.Op <= wasm.OpHandleFiberRelease:
		k.handle(o, in)
	default:
		k.tasks(pc, o, in)
	}
}

// point adds a resume point, whose arguments are of the types.
func (k *compiler) point(o *op, in *wasm.Instr, args []wasm.ValType) *resumePoint {
	n, r := slotsOf(args)
	o.c = uint16(len(k.c.points))
	k.c.points = append(
		k.c.points,
		resumePoint{nums: uint16(n), refs: uint16(r), kind: in.Op, tag: wasm.BadIndex, nextEvent: noEvent, table: k.set(int(o.c))},
	)
	return &k.c.points[o.c]
}

// set returns a place in Instance.clauses for those of the resume point with an index, or of the
// function.
func (k *compiler) set(index int) uint32 {
	k.p.mu.Lock()
	defer k.p.mu.Unlock()
	k.p.tableSites = append(k.p.tableSites, tableSite{k.c, index})
	return uint32(len(k.p.tableSites) - 1)
}

// setBarrier records that some function has a barrier.
func (p *program) setBarrier() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasBarrier = true
}

// at sets the op's operands to be where the next operand is.
func (k *compiler) at(o *op) { o.a, o.b = uint16(k.n), uint16(k.r) }

func (k *compiler) stacks(o *op, in *wasm.Instr) {
	x := &k.p.mod.Types[in.A]
	switch in.Op {
	case wasm.OpStackNew:
		k.point(o, in, nil).fn = in.B
		k.at(o)
		k.push(reference)
	case wasm.OpStackNewRef:
		k.point(o, in, nil)
		k.pop()
		k.at(o)
		k.push(reference)
	case wasm.OpStackBind:
		bound := x.Params[:len(x.Params)-len(k.p.mod.Types[in.B].Params)]
		k.point(o, in, bound)
		k.pop()
		k.pops(bound)
		k.at(o)
		k.push(reference)
	default:
		k.point(o, in, x.Params)
		k.pop()
		k.pops(x.Params)
		k.at(o)
		if in.Op == wasm.OpSwitchRetire {
			k.push(reference) // room for it
			k.dead = true
			return
		}
		y := &k.p.mod.Types[x.Results[0].Heap()]
		k.pushes(y.Params)
		k.push(reference)
	}
}

func (k *compiler) mount(pc int, o *op, in *wasm.Instr) {
	switch in.Op {
	case wasm.OpMountFiberNew:
		var args []wasm.ValType
		var entries []wasm.Handler
		if in.Ext != nil && len(in.Ext.Handlers) > 0 {
			entries = in.Ext.Handlers
			ps := k.p.funcType(entries[0].Label).Params
			args = ps[:len(ps)-1-len(k.p.tagType(entries[0].Tag).Params)]
		}
		p := k.point(o, in, args)
		p.tag = in.A
		for _, e := range entries {
			p.clauses = append(p.clauses, handlerClause{tag: e.Tag, pc: e.Label, target: targetEntry})
		}
		k.pops(args)
		k.at(o)
		k.push(reference)
	case wasm.OpMountFiberRelease:
		k.point(o, in, nil)
		k.pop()
		k.at(o)
	case wasm.OpFiberMountNew, wasm.OpFiberSwitchNew:
		ps := k.p.funcType(in.B).Params
		args := ps[:len(ps)-1]
		p := k.point(o, in, args)
		p.tag, p.fn = in.A, in.B
		if in.Op == wasm.OpFiberSwitchNew {
			k.pop()
		}
		k.pops(args)
		k.at(o)
		k.handlers(in, handlerClause{tag: in.A, target: targetNext, pc: uint32(pc) + 1, dstN: o.a, dstR: o.b + 1})
		k.push(reference)
		k.pushes(k.p.tagType(in.A).Params)
	default:
		args := k.p.tagType(in.A).Params
		k.point(o, in, args).tag = in.A
		k.pop()
		if in.Op == wasm.OpMountFiberSwitch || in.Op == wasm.OpFiberSwitchRelease {
			k.pop()
		}
		k.pops(args)
		k.at(o)
		k.handlers(in)
	}
}

func (k *compiler) handle(o *op, in *wasm.Instr) {
	switch in.Op {
	case wasm.OpHandleFiberNew, wasm.OpFiberSpawn:
		ft := k.p.funcType(in.A)
		args := ft.Params[1:]
		p := k.point(o, in, args)
		p.fn = in.A
		k.pops(args)
		k.at(o)
		if in.Op == wasm.OpHandleFiberNew {
			k.push(reference)
			return
		}
		p.clauses = k.scope()
		p.results = k.canonical(ft.Results)
		k.pushes(ft.Results)
	case wasm.OpHandleFiberRelease:
		k.point(o, in, nil)
		k.pop()
		k.at(o)
	default:
		args := k.p.tagType(in.A).Params
		p := k.point(o, in, args)
		p.tag = in.A
		p.clauses = k.scope()
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
		p.results = k.canonical(results)
		k.pushes(results)
	}
}

func (k *compiler) canonical(ts []wasm.ValType) []wasm.ValType {
	out := make([]wasm.ValType, len(ts))
	for i, t := range ts {
		out[i] = wasm.CanonVal(t, k.p.types)
	}
	return out
}

func (k *compiler) tasks(pc int, o *op, in *wasm.Instr) {
	switch in.Op {
	case wasm.OpTaskNew:
		args := k.p.funcType(in.A).Params[1:]
		k.point(o, in, args).fn = in.A
		k.pops(args)
		k.at(o)
		k.push(reference)
	case wasm.OpTaskRelease:
		k.point(o, in, nil)
		k.pop()
		k.at(o)
	case wasm.OpEventSwitch:
		k.eventSwitch(o, in)
	default:
		args := k.p.tagType(in.A).Params
		p := k.point(o, in, args)
		p.tag = in.A
		p.nextEvent, p.nextIsFirst = k.eventFrom(pc + 1)
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
func (k *compiler) eventSwitch(o *op, in *wasm.Instr) {
	k.point(o, in, nil)
	k.at(o)
	at := len(k.c.points) - 1
	o.code, o.imm = opEvents, uint64(len(k.c.branches))
	if in.Ext != nil {
		hs := make([]handlerClause, len(in.Ext.Handlers))
		k.c.points[at].clauses = hs
		for i, h := range in.Ext.Handlers {
			args := k.p.tagType(h.Tag).Params
			k.pushes(args)
			b := &k.c.branches[k.branch(h.Label)]
			k.pops(args)
			n, r := slotsOf(args)
			hs[i] = handlerClause{
				tag: h.Tag, target: targetPair, saveN: b.srcN, saveR: b.srcR, savedN: b.numN - uint16(n),
				savedR: b.numR - uint16(r),
			}
			hs[i].dstN, hs[i].dstR = b.dstN+hs[i].savedN, b.dstR+hs[i].savedR
			k.target(k.label(h.Label), fix{fixHandler, at, i})
		}
	}
	k.dead = true
}

// eventFrom returns the pc of the event.switch that execution comes to next from pc on, or noEvent;
// and whether no loop begins before it.
func (k *compiler) eventFrom(pc int) (event uint32, direct bool) {
	direct = true
	for body := k.c.body; pc < len(body); pc++ {
		switch in := &body[pc]; in.Op {
		case wasm.OpEventSwitch:
			return uint32(pc), direct
		case wasm.OpBlock, wasm.OpLoop:
			if params, _ := k.blockType(in); len(params) > 0 {
				return noEvent, false
			}
			direct = direct && in.Op == wasm.OpBlock
		default:
			return noEvent, false
		}
	}
	return noEvent, false
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
// clauses behind it. It reserves slots for what is saved.
func (k *compiler) prescan(body []wasm.Instr) {
	if k.p.mod.Dialect != wasm.DialectFibersHandle {
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
				c.saved = len(params) - len(k.p.tagType(in.A).Params)
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
			n, r := slotsOf(params)
			s.saveN, s.saveR = k.n, k.r
			k.n, k.r = k.n+n, k.r+r
		}
	}
	if typed {
		if k.p.env == nil {
			k.p.env = valid.New(k.p.mod)
		}
		k.typer = k.p.env.NewTyper(nil)
		k.typer.Begin(k.c.fn)
	}
}

// save emits, at the entry of a handle whose parameters are on top, what saves them.
func (k *compiler) save(pc int, o *op, ct *control) {
	s := k.handles[pc]
	if !s.saves {
		return
	}
	n, r := slotsOf(ct.params)
	k.c.branches = append(
		k.c.branches,
		branch{pc: uint32(pc) + 1, srcN: uint16(ct.heightN), dstN: uint16(s.saveN), numN: uint16(n),
			srcR: uint16(ct.heightR), dstR: uint16(s.saveR), numR: uint16(r)},
	)
	o.code, o.imm = opJumpMove, uint64(len(k.c.branches)-1)
}

// event ends the instructions of a handle, or a clause, and begins the next clause. Control comes
// into it only by an event.
func (k *compiler) event(pc int, o *op, in *wasm.Instr) {
	k.closeEvent()
	params := k.p.tagType(in.A).Params
	if in.Block() != 0 {
		params, _ = k.blockType(in)
	}
	k.nextArm(pc, o, params)
	ct := k.ctl[len(k.ctl)-1]
	k.ctl = append(
		k.ctl,
		control{op: wasm.OpEvent, pc: pc, heightN: ct.heightN, heightR: ct.heightR, classes: ct.classes, results: ct.results,
			lblN: ct.lblN, lblR: ct.lblR, dead: ct.dead, arm: -1, regions: len(k.c.regions), region: -1, barrier: -1},
	)
}

// closeEvent ends the clause that is open, if one is.
func (k *compiler) closeEvent() {
	if n := len(k.ctl) - 1; k.ctl[n].op == wasm.OpEvent {
		k.ctl = k.ctl[:n]
	}
}

// scope returns the clauses in scope here, innermost handle first.
func (k *compiler) scope() (hs []handlerClause) {
	for i := len(k.ctl) - 1; i >= 0; i-- {
		if ct := &k.ctl[i]; i == 0 || ct.op == wasm.OpHandle {
			hs = append(hs, k.clauses(ct)...)
		}
	}
	return hs
}

// clauses returns the clauses of a handle.
func (k *compiler) clauses(ct *control) []handlerClause {
	s := k.handles[ct.pc]
	if s == nil {
		return nil
	}
	hs := make([]handlerClause, len(s.clauses))
	for i, c := range s.clauses {
		first := len(ct.params) - c.saved
		beforeN, beforeR := slotsOf(ct.params[:first])
		n, r := slotsOf(ct.params[first:])
		hs[i] = handlerClause{
			tag: k.c.body[c.pc].A, pc: uint32(c.pc) + 1, dstN: uint16(ct.heightN + n),
			dstR: uint16(ct.heightR + r), saveN: uint16(s.saveN + beforeN),
			saveR: uint16(s.saveR + beforeR), savedN: uint16(n), savedR: uint16(r),
		}
	}
	return hs
}
