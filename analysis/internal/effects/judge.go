package effects

import (
	"slices"
	"strconv"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// verdict is something that the analysis of effects finds wrong with instructions of a function:
// those that do a thing with a tag. It holds no places of the body.
type verdict struct {
	code  diag.Code
	kind  stepKind
	tag   uint32 // effResume: of the clause
	on    uint32 // effResume: the continuation type; effCall: the function
	sw    bool   // effResume: the clause is for switch
	msg   string
	where []cursor.Related // places of declarations
}

// Verdicts are what the analysis of effects finds wrong with a module.
type Verdicts struct {
	ByFunc   map[uint32][]verdict
	Findings []cursor.Finding // in declarations
}

// Judge finds what is wrong with the effects of a module. Only tags that no other module has are
// judged; of the rest anything may become. Nothing is said of a piece of a module.
// narrow are the effects of this module alone.
func (p *Program) Judge(narrow func() *Sets) *Verdicts {
	ir := p.Decls.Mod
	f := &Verdicts{}
	if p.Decls.IsPiece() {
		return f
	}
	own := ownTags(ir)
	f.ByFunc = map[uint32][]verdict{}
	p.judgeReturns(f)
	if !slices.Contains(own, true) {
		return f
	}
	switch d := p.Decls.Dialect; {
	case d.Info().HandlerClauses:
		sets := narrow()
		wide := p.Effects(true)
		if wide == nil {
			return f
		}
		j := &judge{
			p: p, f: f, own: own, sets: sets, wide: wide,
			name: func(t uint32) string { return ir.Names.Tag(t) },
		}
		j.handlerClauses()
		j.suspensions()
		j.barriers()
	case d.Switches():
		p.judgeEvents(f, own)
	}
	return f
}

type judge struct {
	p     *Program
	f     *Verdicts
	sets  *Sets // of this module alone
	own   []bool
	wide  *Sets
	name  func(uint32) string
	edges [][]int32 // by node of the wide sets: those that its effects come from
	from  []int32   // by function: the one that control comes from on the way from an export; -1 an export, -2 none
}

func (j *judge) isOwn(tag uint32) bool { return int64(tag) < int64(len(j.own)) && j.own[tag] }

func (j *judge) say(fn uint32, v verdict) { j.f.ByFunc[fn] = append(j.f.ByFunc[fn], v) }

// eachStep goes over the steps of all functions.
func (p *Program) eachStep(f func(fn uint32, s *Summary, it step)) {
	for fn := range uint32(len(p.Decls.Mod.Funcs)) {
		if s := p.Of(fn); s != nil {
			for _, it := range s.items {
				f(fn, s, it)
			}
		}
	}
}

// eachTaken goes over the steps of all functions, but for those that are known never to be taken.
func (p *Program) eachTaken(f func(fn uint32, s *Summary, it step)) {
	p.eachStep(func(fn uint32, s *Summary, it step) {
		if !it.inert {
			f(fn, s, it)
		}
	})
}

// handlerClauses finds clauses that can never fire: nothing that the resume may run suspends, or
// switches, with the tag.
func (j *judge) handlerClauses() {
	j.p.eachTaken(func(fn uint32, s *Summary, it step) {
		if it.kind != effResume || it.h < 0 {
			return
		}
		n, ok := j.wide.types[[2]uint32{uint32(effResume), it.a}]
		if !ok || j.p.Decls.Mod.ContFunc(it.a) == nil {
			return
		}
		for _, h := range s.handlerClauses[it.h] {
			kind, does := 0, "suspends"
			if h.Switch {
				kind, does = 1, "switches"
			}
			if j.isOwn(h.Tag) && !j.wide.sets[n].has(kind*j.wide.tags+int(h.Tag)) {
				v := verdict{code: diag.IdleHandler, kind: effResume, tag: h.Tag, on: it.a, sw: h.Switch,
					msg: "this clause never fires: nothing that a continuation of type " + j.p.Decls.Mod.Names.Type(
						it.a,
					) + " may run " + does + " with " + j.name(
						h.Tag,
					)}
				v.where = append(v.where, j.p.declPlace(decl.SpaceTag, h.Tag, "the tag: no other module can use it"))
				if !slices.ContainsFunc(j.f.ByFunc[fn], func(o verdict) bool {
					return o.code == v.code && o.tag == v.tag && o.on == v.on && o.sw == v.sw
				}) {
					j.say(fn, v)
				}
			}
		}
	})
}

// suspensions finds suspensions and switches that no resume handles, wherever they run, in
// functions that an export or the start function leads to.
func (j *judge) suspensions() {
	under := map[[2]uint32][]int32{} // by kind and tag: the nodes that run under a clause for it
	switched := make([]bool, len(j.own))
	j.p.eachTaken(func(_ uint32, s *Summary, it step) {
		if it.kind != effResume || it.h < 0 {
			return
		}
		n := j.wide.types[[2]uint32{uint32(effResume), it.a}]
		for _, h := range s.handlerClauses[it.h] {
			if j.isOwn(h.Tag) {
				k := [2]uint32{uint32(asInt(h.Switch)), h.Tag}
				under[k] = append(under[k], n)
				switched[h.Tag] = switched[h.Tag] || h.Switch
			}
		}
	})
	reached := map[[2]uint32][]bool{}
	// handled reports whether a function may run under a clause for the tag.
	handled := func(fn uint32, kind, tag uint32) bool {
		k := [2]uint32{kind, tag}
		if len(under[k]) == 0 {
			return false
		}
		if reached[k] == nil {
			reached[k] = j.below(under[k])
		}
		return reached[k][fn]
	}
	done := map[[3]uint32]bool{}
	j.p.eachTaken(func(fn uint32, _ *Summary, it step) {
		kind := 0
		switch it.kind {
		case effSuspend:
		case effSwitch:
			kind = 1
		default:
			return
		}
		if it.barrier || !j.isOwn(it.a) || handled(fn, uint32(kind), it.a) || done[[3]uint32{fn, uint32(kind), it.a}] {
			return
		}
		done[[3]uint32{fn, uint32(kind), it.a}] = true
		path := j.path(fn)
		if path == nil {
			return
		}
		v := verdict{code: diag.UnhandledTag, kind: it.kind, tag: it.a, where: path}
		tag := j.name(it.a)
		switch {
		case kind == 0 && switched[it.a]:
			v.code = diag.SwitchOnlyHandler
			v.msg = "suspend with " + tag + " traps: the handler clauses for this tag are `(on " + tag +
				" switch)`, which only handle `switch`"
		case kind == 0:
			v.msg = "suspend with " + tag + " traps: no path from an export or the start function passes a resume with `(on " +
				tag + " …)`"
		default:
			v.msg = "switch on " + tag + " traps even with a valid continuation: no path from an export or the start function" +
				" passes a resume with `(on " + tag + " switch)`"
		}
		j.say(fn, v)
	})
}

// below returns the functions that run below nodes: those after them, what these call, resume and
// so on.
func (j *judge) below(nodes []int32) []bool {
	if j.edges == nil {
		j.edges = make([][]int32, len(j.wide.users))
		for n, us := range j.wide.users {
			for _, u := range us {
				j.edges[u] = append(j.edges[u], int32(n))
			}
		}
	}
	seen := make([]bool, len(j.edges))
	todo := slices.Clone(nodes)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[n] {
			seen[n] = true
			todo = append(todo, j.edges[n]...)
		}
	}
	return seen
}

// path returns how control comes from an export, or the start function, to a function; nil if it
// does not.
func (j *judge) path(fn uint32) []cursor.Related {
	ir := j.p.Decls.Mod
	if j.from == nil {
		j.reach()
	}
	if j.from[fn] == -2 {
		return nil
	}
	var fns []uint32
	for f := int32(fn); f >= 0 && len(fns) < 64; f = j.from[f] {
		fns = append(fns, uint32(f))
	}
	slices.Reverse(fns)
	var out []cursor.Related
	for i, f := range fns {
		msg := "which calls or resumes " + ir.FuncTitle(f)
		if i == 0 {
			msg = "the start function"
			for _, x := range ir.Exports {
				if x.Kind == wasm.ExternFunc && x.Index == f {
					msg = "exported as " + strconv.Quote(x.Name)
					break
				}
			}
		}
		out = append(out, j.p.declPlace(decl.SpaceFunc, f, msg))
	}
	return out
}

// reach goes over the calls and resumes of the module from its exports.
func (j *judge) reach() {
	ir := j.p.Decls.Mod
	j.from = make([]int32, len(ir.Funcs))
	for i := range j.from {
		j.from[i] = -2
	}
	var todo []uint32
	visit := func(fn uint32, by int32) {
		if int64(fn) < int64(len(j.from)) && j.from[fn] == -2 {
			j.from[fn] = by
			todo = append(todo, fn)
		}
	}
	for _, x := range ir.Exports {
		if x.Kind == wasm.ExternFunc {
			visit(x.Index, -1)
		}
	}
	if ir.Start != wasm.BadIndex {
		visit(ir.Start, -1)
	}
	behind := map[int32][]uint32{} // by node: the functions that it may run
	for fn := range ir.Funcs {
		for _, n := range j.sets.users[fn] {
			if int(n) >= len(ir.Funcs) {
				behind[n] = append(behind[n], uint32(fn))
			}
		}
	}
	for k := 0; k < len(todo); k++ {
		fn := todo[k]
		sum := j.p.Of(fn)
		if sum == nil {
			continue
		}
		for _, it := range sum.items {
			if it.inert {
				continue
			}
			switch it.kind {
			case effCall:
				visit(it.a, int32(fn))
			case effCallType, effResume:
				if n, ok := j.sets.types[[2]uint32{uint32(it.kind), it.a}]; ok {
					for _, f := range behind[n] {
						visit(f, int32(fn))
					}
				}
			}
		}
	}
}

// barriers finds suspensions inside of a `barrier`, whose handlers lie beyond it, and a start
// function that may suspend: what instantiates the module is no handler.
func (j *judge) barriers() {
	ir := j.p.Decls.Mod
	sets := j.sets
	done := map[[3]uint32]bool{}
	j.p.eachTaken(func(fn uint32, _ *Summary, it step) {
		if !it.barrier || done[[3]uint32{fn, uint32(it.kind), it.a}] {
			return
		}
		done[[3]uint32{fn, uint32(it.kind), it.a}] = true
		switch it.kind {
		case effSuspend, effSwitch:
			word := "suspend with "
			if it.kind == effSwitch {
				word = "switch on "
			}
			j.say(
				fn,
				verdict{
					code: diag.BarrierSuspension, kind: it.kind, tag: it.a,
					msg: word + j.name(it.a) + " traps: a barrier separates it from any handler",
				},
			)
		case effCall:
			for t := range uint32(sets.tags) {
				if int64(it.a) < int64(len(ir.Funcs)) && sets.sets[it.a].has(int(t)) {
					j.say(fn, verdict{code: diag.BarrierSuspension, kind: effCall, on: it.a, tag: t,
						msg: ir.FuncTitle(
							it.a,
						) + " may suspend with " + j.name(
							t,
						) + ", which traps at the barrier around the call",
						where: []cursor.Related{j.p.declPlace(decl.SpaceFunc, it.a, "the function that is called")}})
					break
				}
			}
		}
	})
	if ir.Start == wasm.BadIndex || int64(ir.Start) >= int64(len(ir.Funcs)) {
		return
	}
	for t := range uint32(sets.tags) {
		said := slices.ContainsFunc(
			j.f.ByFunc[ir.Start], func(v verdict) bool { return v.tag == t && v.code != diag.IdleHandler },
		)
		if sets.sets[ir.Start].has(int(t)) && !said && int64(t) < int64(len(j.own)) {
			x := cursor.Finding{Code: diag.BarrierSuspension, At: j.p.declPlace(decl.SpaceFunc, ir.Start, "").At,
				Msg: "the start function may suspend with " + j.name(
					t,
				) + ": nothing around it can handle that, so the module cannot be instantiated"}
			x.Related = append(x.Related, j.p.declPlace(decl.SpaceTag, t, "the tag"))
			j.f.Findings = append(j.f.Findings, x)
			break
		}
	}
}

// declPlace returns the place of an item's name in its declaration.
func (p *Program) declPlace(sp decl.Space, i uint32, msg string) cursor.Related {
	d := p.Decls
	if int64(i) >= int64(len(d.Spaces[sp].Items)) {
		return cursor.Related{At: cursor.Place{Unit: -1}, Msg: msg}
	}
	return cursor.Related{At: d.Spaces[sp].Items[i].Place(p.Text), Msg: msg}
}

// Place finds the instructions that a verdict is about, in the body lowered last. Those that are
// inert trap for another reason before, or are never reached.
func Place(b *lower.Body, v verdict, s *Summary) []cursor.Finding {
	var out []cursor.Finding
	add := func(p cursor.Place) {
		out = append(out, cursor.Finding{Code: v.code, At: p, Msg: v.msg, Related: v.where})
	}
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if _, is := slices.BinarySearch(s.inert, int32(i)); is {
			continue
		}
		at := func() cursor.Place { return b.OwnPlace(b.Nodes[i]) }
		switch v.kind {
		case effSuspend:
			if in.Op == wasm.OpSuspend && in.A == v.tag {
				add(at())
			}
		case effSwitch:
			if in.Op == wasm.OpSwitch && in.B == v.tag {
				add(at())
			}
		case effCall:
			if (in.Op == wasm.OpCall || in.Op == wasm.OpReturnCall) && in.A == v.on {
				add(at())
			}
		case effResume:
			if in.Op.Info().Effect != wasm.EffectResume || in.A != v.on {
				continue
			}
			for k, h := range lower.HandlerClauses(in) {
				if h.Tag != v.tag || h.Switch != v.sw {
					continue
				}
				if !slices.ContainsFunc(
					in.Ext.HandlerClauses[:k],
					func(o wasm.HandlerClause) bool { return o.Tag == h.Tag && o.Switch == h.Switch },
				) {
					add(b.ClausePlace(h.At)) // a shadowed one has been told of
				}
			}
		case effSend, effReturnEvent, effTake:
			placeEvent(b, v, i, add)
		}
	}
	return out
}
