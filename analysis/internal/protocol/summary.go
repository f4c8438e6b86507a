package protocol

import (
	"slices"

	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// entry is how a stack that was made begins: a function, and the event that it takes for that.
type entry struct {
	take Take
	fn   uint32
}

// maker is an instruction that makes a stack, the n-th of its body.
type maker struct {
	op      wasm.Op
	typ     uint32  // cont.new and the like: the type; the function is not known
	ret     uint32  // the tag of the event that a return sends, wasm.BadIndex
	entries []entry // empty: any function whose reference is taken and whose type fits
}

// pass is an argument of a call that names a stack.
type pass struct {
	param int32 // the parameter that it is, -1 something else
	fn    uint32
	arg   int32
}

// Summary is the flow of a body between the instructions at which control leaves its stack.
type Summary struct {
	nodes  []node
	sites  []site
	makes  []maker
	begins []arrival // what a stack that was made takes at the beginning: clauses of the function
	// passes and escapes say what becomes of references to stacks in parameters.
	passes  []pass
	escapes []int32 // parameters that are stored, or given away, or used as another stack
	partial bool    // it has too many clauses: some are missing
}

// Summarize sums up the body lowered last, which tr was over; nil if there is nothing to say.
func Summarize(b *lower.Body, tr *Trace) *Summary {
	found := false
	for i := range b.Instrs {
		switch info := b.Instrs[i].Op.Info(); {
		case info.Dialect != wasm.DialectNone, info.Effect == wasm.EffectCall, info.Effect == wasm.EffectTailCall,
			info.Effect == wasm.EffectThrow:
			found = true
		}
	}
	if !found {
		return nil
	}
	s := &summarizer{flow: newFlow(b), tr: tr, s: &Summary{}}
	s.references()
	s.run()
	s.s.partial = s.room < 0
	s.compress()
	return s.s
}

// summarizer makes the summary of a body.
type summarizer struct {
	*flow
	tr      *Trace
	s       *Summary
	nodes   []node  // by instruction, then exit and raise
	tracked []bool  // by local: it holds stacks, and they go nowhere else
	makeAt  []int32 // by instruction: the number of the make, -1
	frees   uint32  // how many releases there are so far
}

// references finds out what becomes of the references to stacks in locals.
func (s *summarizer) references() {
	b := s.b
	n := len(b.Instrs)
	s.makeAt = make([]int32, n)
	s.tracked = make([]bool, len(b.Locals))
	params := b.NumParams()
	for l, t := range b.Locals {
		s.tracked[l] = stackRef(b.Decls.Mod, t)
	}
	escape := func(l uint32) {
		s.tracked[l] = false
		if int(l) < params && !slices.Contains(s.s.escapes, int32(l)) {
			s.s.escapes = append(s.s.escapes, int32(l))
		}
	}
	for i := range int32(n) {
		in := &b.Instrs[i]
		s.makeAt[i] = -1
		s.made(i, in)
		if in.Op == wasm.OpCall || in.Op == wasm.OpReturnCall {
			s.arguments(i, in.A, int32(params))
		}
		set := in.Op == wasm.OpLocalSet || in.Op == wasm.OpLocalTee
		if in.Op != wasm.OpLocalGet && !set || int(in.A) >= len(b.Locals) || !stackRef(b.Decls.Mod, b.Locals[in.A]) {
			continue
		}
		if set && int(in.A) < params {
			escape(in.A) // it does not hold what the caller gave any more
		}
		if in.Op == wasm.OpLocalSet {
			continue
		}
		by := i
		to := s.tr.consumer[by]
		if to >= 0 && b.Instrs[to].Op == wasm.OpRefAsNonNull {
			by = to
			to = s.tr.consumer[by]
		}
		if to < 0 {
			escape(in.A)
			continue
		}
		user, above := &b.Instrs[to], int(s.tr.above[by])
		switch user.Op {
		case wasm.OpDrop, wasm.OpRefIsNull:
			continue
		case wasm.OpCall, wasm.OpReturnCall:
			s.tracked[in.A] = false
			if int(in.A) >= params {
				escape(in.A)
			}
			continue // of a parameter: see arguments
		}
		m, moves := moveOf(user.Op)
		if moves {
			if to, from := stackOperands(b, user, m); above == to || above == from {
				if above == to && int(in.A) < params { // who is given control by a reference that came in
					escape(in.A)
				}
				continue
			}
		}
		if user.Op.Info().Effect == wasm.EffectRelease && above == 0 {
			if int(in.A) < params {
				escape(in.A)
			}
			continue
		}
		escape(in.A)
	}
}

// arguments records the arguments of a call that name stacks.
func (s *summarizer) arguments(i int32, fn uint32, params int32) {
	mod := s.b.Decls.Mod
	if int64(fn) >= int64(len(mod.Funcs)) {
		return
	}
	ft := mod.FuncType(mod.Funcs[fn].Type)
	if ft == nil {
		return
	}
	for k, t := range ft.Params {
		if !stackRef(mod, t) {
			continue
		}
		from := s.tr.local(i, len(ft.Params)-1-k)
		if from >= params {
			from = -1
		}
		s.s.passes = append(s.s.passes, pass{from, fn, int32(k)})
	}
}

// made records what an instruction makes.
func (s *summarizer) made(i int32, in *wasm.Instr) {
	m := maker{op: in.Op, typ: wasm.BadIndex, ret: wasm.BadIndex}
	resume := Take{TakeResume, wasm.BadIndex}
	switch in.Op {
	case wasm.OpContNew, wasm.OpStackNewRef:
		m.typ = in.A
		if i > 0 && s.b.Instrs[i-1].Op == wasm.OpRefFunc {
			m.entries = []entry{{resume, s.b.Instrs[i-1].A}}
		}
	case wasm.OpStackNew:
		m.typ, m.entries = in.A, []entry{{resume, in.B}}
	case wasm.OpMountFiberNew:
		m.ret = in.A
		for _, h := range lower.HandlerClauses(in) {
			e := entry{Take{TakeEvent, h.Tag}, h.Label}
			if !slices.ContainsFunc(m.entries, func(o entry) bool { return o.take == e.take }) {
				m.entries = append(m.entries, e)
			}
		}
		if len(m.entries) == 0 {
			return
		}
	case wasm.OpFiberMountNew, wasm.OpFiberSwitchNew:
		m.ret, m.entries = in.A, []entry{{resume, in.B}}
	case wasm.OpFiberSpawn:
		m.entries = []entry{{resume, in.A}}
	case wasm.OpHandleFiberNew, wasm.OpTaskNew:
		m.entries = []entry{{Take{TakeEvent, wasm.BadIndex}, in.A}}
	default:
		return
	}
	s.makeAt[i] = int32(len(s.s.makes))
	s.s.makes = append(s.s.makes, m)
}

// run makes a node of each instruction.
func (s *summarizer) run() {
	b := s.b
	n := int32(len(b.Instrs))
	s.nodes = make([]node, n+2)
	s.nodes[s.exit].kind, s.nodes[s.raise].kind = nodeExit, nodeThrow
	s.stack = append(s.stack[:0], openBlock{-1, false})
	info := b.Decls.Dialect.Info()
	switch {
	case info.FrameEvents:
		s.s.begins = s.eventsOf(-1)
		s.s.begins = firstOf(s.s.begins)
	case info.EventSwitch:
		if as, ok := s.eventSwitch(-1); ok {
			s.s.begins = as
		}
	}
	for i := range n {
		s.enter(i)
		s.instr(i, &b.Instrs[i])
		s.leave(i)
	}
}

// instr makes the node of an instruction.
func (s *summarizer) instr(i int32, in *wasm.Instr) {
	nd := &s.nodes[i]
	next := s.next(i)
	if m, ok := moveOf(in.Op); ok && in.Op != wasm.OpInvalid {
		s.site(i, in, m, nd)
		return
	}
	switch in.Op {
	case wasm.OpInvalid, wasm.OpUnreachable, wasm.OpEventSwitch:
		return // an event.switch without an event traps; those with one are arrivals
	case wasm.OpReturn:
		nd.succ = []int32{s.exit}
		return
	case wasm.OpBr:
		nd.succ = []int32{s.label(in.A)}
		return
	case wasm.OpBrTable:
		nd.succ = []int32{s.label(in.A)}
		if in.Ext != nil {
			for _, d := range in.Ext.Labels {
				nd.succ = append(nd.succ, s.label(d))
			}
		}
		slices.Sort(nd.succ)
		nd.succ = slices.Compact(nd.succ)
		return
	case wasm.OpIf:
		nd.succ = []int32{next, s.end(i)}
		if c := s.clauses[i]; len(c) > 0 {
			nd.succ[1] = s.next(c[0])
		}
		return
	case wasm.OpEnd, wasm.OpDelegate:
		if i == s.exit-1 {
			next = s.exit
		}
	case wasm.OpThrow:
		nd.succ = s.handlers(in.A)
		return
	case wasm.OpThrowRef, wasm.OpRethrow:
		nd.succ = s.handlers(wasm.BadIndex)
		return
	case wasm.OpCall, wasm.OpReturnCall:
		nd.kind, nd.a, nd.throws = nodeCall, in.A, s.handlers(wasm.BadIndex)
	case wasm.OpCallRef, wasm.OpReturnCallRef:
		nd.kind, nd.a, nd.throws = nodeTyped, in.A, s.handlers(wasm.BadIndex)
	case wasm.OpCallIndirect, wasm.OpReturnCallIndirect:
		nd.kind, nd.throws = nodeTyped, s.handlers(wasm.BadIndex)
		for k, imm := range in.Op.Info().Imms {
			if imm == wasm.ImmTypeUse || imm == wasm.ImmType {
				nd.a = []uint32{in.A, in.B}[min(k, 1)]
			}
		}
	case wasm.OpLocalSet, wasm.OpLocalTee:
		if int(in.A) < len(s.tracked) && s.tracked[in.A] {
			nd.kind, nd.local, nd.made = nodeSet, int32(in.A), -1
			if by := s.tr.operand(i, 0); by >= 0 {
				nd.made = s.makeAt[by]
			}
		}
	default:
		switch info := in.Op.Info(); {
		case info.Effect == wasm.EffectBranch:
			nd.succ = append(nd.succ, s.label(in.A))
		case info.Effect == wasm.EffectRelease:
			if l := s.tr.local(i, 0); l >= 0 && s.tracked[l] {
				nd.kind, nd.local, nd.a = nodeFree, l, s.frees
			}
			s.frees++
		}
	}
	if in.Op.Info().Effect == wasm.EffectTailCall {
		// It leaves the blocks of this function, and so its handlers, first.
		nd.kind += nodeTail - nodeCall
		nd.succ, nd.throws = []int32{s.exit}, []int32{s.raise}
		return
	}
	nd.succ = append(nd.succ, next)
}

// site makes the node of an instruction at which control leaves the stack.
func (s *summarizer) site(i int32, in *wasm.Instr, m move, nd *node) {
	x := site{op: in.Op, move: m, tag: eventOf(in), typ: typeOf(in), to: -1, from: -1, made: s.makeAt[i]}
	if m.makes {
		x.typ = wasm.BadIndex
	}
	to, from := stackOperands(s.b, in, m)
	if to >= 0 {
		x.to = s.tr.local(i, to)
	}
	if from >= 0 {
		x.from = s.tr.local(i, from)
	}
	var falls bool
	if info := in.Op.Info(); info.Leaves {
		// When control comes back another function is called in place of this one, whose blocks
		// have been left.
		tail := int32(len(s.nodes))
		s.nodes = append(s.nodes, node{
			kind: nodeTail, a: in.Index(len(info.Imms) - 1), succ: []int32{s.exit}, throws: []int32{s.raise},
		})
		nd = &s.nodes[i]
		x.arrivals = []arrival{{Take{TakeResume, wasm.BadIndex}, tail}, {Take{TakeThrow, wasm.BadIndex}, s.raise}}
	} else {
		x.arrivals, falls = s.arrivals(i, m)
	}
	x.dead = s.tr.dead[i]
	nd.kind, nd.site = nodeSite, int32(len(s.s.sites))
	if falls {
		nd.succ = []int32{s.next(i)}
	}
	s.s.sites = append(s.s.sites, x)
}

// compress leaves out the nodes that do nothing but go on.
func (s *summarizer) compress() {
	skip := make([]int32, len(s.nodes)) // by node: where it leads to; itself
	for i := range skip {
		skip[i] = -1
	}
	var path []int32
	lead := func(i int32) int32 {
		path = path[:0]
		for skip[i] < 0 && s.nodes[i].kind == nodeJoin && len(s.nodes[i].succ) == 1 {
			skip[i] = i // an endless loop ends here
			path = append(path, i)
			i = s.nodes[i].succ[0]
		}
		if skip[i] >= 0 {
			i = skip[i]
		}
		for _, p := range path {
			skip[p] = i
		}
		skip[i] = i
		return i
	}
	number := make([]int32, len(s.nodes))
	for i := range number {
		number[i] = -1
	}
	var order []int32
	visit := func(i int32) int32 {
		i = lead(i)
		if number[i] < 0 {
			number[i] = int32(len(order))
			order = append(order, i)
		}
		return number[i]
	}
	to := func(list []int32) []int32 {
		for k, i := range list {
			list[k] = visit(i)
		}
		slices.Sort(list)
		return slices.Clip(slices.Compact(list))
	}
	visit(0)
	for k := range s.s.begins {
		s.s.begins[k].to = visit(s.s.begins[k].to)
	}
	for k := 0; k < len(order); k++ {
		nd := s.nodes[order[k]]
		nd.succ, nd.throws = to(slices.Clone(nd.succ)), to(slices.Clone(nd.throws))
		if nd.kind == nodeSite {
			as := s.s.sites[nd.site].arrivals
			for j := range as {
				as[j].to = visit(as[j].to)
			}
		}
		s.s.nodes = append(s.s.nodes, nd)
	}
}

// Equal compares two summaries; either may be nil.
func (s *Summary) Equal(o *Summary) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.partial == o.partial && slices.Equal(s.begins, o.begins) && slices.Equal(s.passes, o.passes) &&
		slices.Equal(s.escapes, o.escapes) &&
		slices.EqualFunc(s.nodes, o.nodes, func(a, b node) bool {
			return a.kind == b.kind && a.a == b.a && a.site == b.site && a.local == b.local && a.made == b.made &&
				slices.Equal(a.succ, b.succ) && slices.Equal(a.throws, b.throws)
		}) &&
		slices.EqualFunc(s.sites, o.sites, func(a, b site) bool {
			return a.op == b.op && a.tag == b.tag && a.typ == b.typ && a.to == b.to && a.from == b.from &&
				a.made == b.made && a.dead == b.dead && slices.Equal(a.arrivals, b.arrivals)
		}) &&
		slices.EqualFunc(s.makes, o.makes, func(a, b maker) bool {
			return a.op == b.op && a.typ == b.typ && a.ret == b.ret && slices.Equal(a.entries, b.entries)
		})
}
