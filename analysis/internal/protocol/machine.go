package protocol

import (
	"cmp"
	"slices"

	"stackscope/analysis/internal/decl"
	"stackscope/wasm"
)

// Program is what protocols are made of: the declarations of a module and the summary of each body.
type Program struct {
	Decls *decl.Decls
	// Of returns the summary of a function; nil if it neither calls, throws nor switches stacks.
	Of func(fn uint32) *Summary
	// Taken returns the functions that a reference of this module may lead to.
	Taken func() []uint32
	// Sealed reports that no reference to a function of another module gets into this one.
	Sealed func() bool

	bases  []uint32 // once they are known
	made   map[uint32][]maker
	based  bool
	byType map[uint32][]uint32
	spent  int // how many nodes were visited for protocols
}

// StateKind is what a stack does in a state.
type StateKind uint8

// The kinds.
const (
	New       StateKind = iota // it has not begun; of a function that no stack begins with, it is called
	Suspended                  // it gave control to its parent
	Waiting                    // it gave control to a child
	Switched                   // it gave control to a peer
	Retired                    // it ended with a switch
	Returned                   // its function returned
	Threw                      // an exception left it
)

// Ends reports whether nothing comes after a state.
func (k StateKind) Ends() bool { return k >= Retired }

// State is a state of a protocol: where a stack stands while another one runs.
type State struct {
	Kind StateKind
	// Func and Site are the instruction at which control left: the n-th of its function, from 0,
	// that gives control up. Site is -1 for the kinds New, Returned and Threw.
	Func uint32
	Site int
	Op   wasm.Op
	// Sends are the tags of what the other stack gets; of Returned, of the event that a return
	// sends.
	Sends []uint32
	// Type is the type of the reference that a resumption or a switch names, or wasm.BadIndex.
	Type uint32
	// Own reports that the stack surely gave up control itself, by the reference that its function
	// got at the beginning.
	Own bool
}

// Transition is a way from a state to the next one.
type Transition struct {
	From, To int // indices of states
	Take     Take
}

// Protocol is the protocol of a function. Every run goes along its transitions; not all that is in
// it may happen.
type Protocol struct {
	Func  uint32
	Began bool // a stack begins with the function; else somebody calls it
	// States has the beginning first.
	States []State
	// Transitions are in the order of the states.
	Transitions []Transition
	// Opaque reports that the function calls what this module does not show: other modules'
	// functions may give up control on the same stack, at places that are not states here.
	Opaque bool
	// Partial reports that there are more states than MaxStates, or more transitions than
	// MaxTransitions, or that making it took too long: some are missing.
	Partial bool

	private bool // the reference to the stack that its function gets is used for giving control up only
}

// MaxStates and MaxTransitions bound a protocol.
const (
	MaxStates      = 64
	MaxTransitions = 2048
)

// maxWork bounds how many nodes are visited for one protocol.
const maxWork = 200_000

// findBases finds what stacks of the module begin with.
func (p *Program) findBases() {
	if p.based {
		return
	}
	p.based = true
	p.made = map[uint32][]maker{}
	env := p.Decls.Environment()
	add := func(fn uint32, m maker) {
		if int64(fn) >= int64(len(p.Decls.Mod.Funcs)) {
			return
		}
		if _, ok := p.made[fn]; !ok {
			p.bases = append(p.bases, fn)
		}
		if !slices.ContainsFunc(p.made[fn], func(o maker) bool {
			return o.op == m.op && o.typ == m.typ && o.ret == m.ret && slices.Equal(o.entries, m.entries)
		}) {
			p.made[fn] = append(p.made[fn], m)
		}
	}
	typed := map[uint32]bool{}
	for fn := range uint32(len(p.Decls.Mod.Funcs)) {
		s := p.Of(fn)
		if s == nil {
			continue
		}
		for _, m := range s.makes {
			for _, e := range m.entries {
				add(e.fn, m)
			}
			if len(m.entries) == 0 && !typed[m.typ] {
				typed[m.typ] = true
				for _, g := range p.Taken() {
					if env.MatchHeap(wasm.HeapType(p.Decls.Mod.Funcs[g].Type), p.bodyType(m.typ)) {
						add(g, maker{op: m.op, typ: m.typ, ret: wasm.BadIndex,
							entries: []entry{{Take{TakeResume, wasm.BadIndex}, g}}})
					}
				}
			}
		}
	}
	slices.Sort(p.bases)
}

// bodyType returns the type of the functions that stacks of a type may begin with, as far as that is
// one; else that of all functions.
func (p *Program) bodyType(typ uint32) wasm.HeapType {
	if mod := p.Decls.Mod; mod.ContFunc(typ) != nil {
		return wasm.HeapType(mod.Types[typ].Func)
	}
	return wasm.HeapFunc
}

// Bases returns the functions that stacks of the module begin with, in order.
func (p *Program) Bases() []uint32 {
	p.findBases()
	return p.bases
}

// point is a node of a function.
type point struct {
	fn uint32
	n  int32
}

// Protocol returns the protocol of a function, nil if it never gives up control.
func (p *Program) Protocol(fn uint32) *Protocol {
	p.findBases()
	b := &builder{p: p, at: map[stateKey]int{}, callers: map[uint32][]point{}, tails: map[uint32][]uint32{}}
	b.out = &Protocol{Func: fn}
	mod := p.Decls.Mod
	if int64(fn) >= int64(len(mod.Funcs)) || mod.Funcs[fn].Import >= 0 {
		return nil
	}
	b.begin(fn)
	b.explore()
	for k := 0; k < len(b.out.States); k++ {
		b.follow(k)
	}
	p.spent += b.work
	if len(b.out.States) == 1 || !b.out.Began &&
		!slices.ContainsFunc(b.out.States, func(s State) bool { return s.Site >= 0 }) {
		return nil
	}
	b.me()
	slices.SortStableFunc(b.out.Transitions, func(x, y Transition) int { return cmp.Compare(x.From, y.From) })
	return b.out
}

// stateKey identifies a state.
type stateKey struct {
	kind StateKind
	fn   uint32
	site int32
}

// builder makes a protocol.
type builder struct {
	p       *Program
	out     *Protocol
	at      map[stateKey]int
	starts  []arrivalAt // from the beginning
	rets    []uint32
	roots   []uint32
	callers map[uint32][]point  // by function: the calls of it that are reached
	tails   map[uint32][]uint32 // by function: those that call it in their place
	reached map[uint32]bool     // the functions of those calls
	work    int
}

// arrivalAt is an arrival at a point.
type arrivalAt struct {
	take Take
	to   point
}

// begin finds how a stack of the function begins.
func (b *builder) begin(fn uint32) {
	add := func(take Take, fn uint32, n int32) {
		x := arrivalAt{take, point{fn, n}}
		if !slices.Contains(b.starts, x) {
			b.starts = append(b.starts, x)
		}
		if !slices.Contains(b.roots, fn) {
			b.roots = append(b.roots, fn)
		}
	}
	for _, m := range b.p.made[fn] {
		b.out.Began = true
		if m.ret != wasm.BadIndex && !slices.Contains(b.rets, m.ret) {
			b.rets = append(b.rets, m.ret)
		}
		for _, e := range m.entries {
			if e.take.Kind == TakeEvent && e.take.Tag == wasm.BadIndex { // its own clauses
				if s := b.p.Of(e.fn); s != nil {
					for _, a := range s.begins {
						add(a.take, e.fn, a.to)
					}
				}
				continue
			}
			add(e.take, e.fn, 0)
		}
	}
	if !b.out.Began {
		add(Take{TakeResume, wasm.BadIndex}, fn, 0)
	}
	b.state(stateKey{New, fn, -1})
}

// state returns the index of a state, a new one if it has not been met.
func (b *builder) state(k stateKey) int {
	if i, ok := b.at[k]; ok {
		return i
	}
	if len(b.out.States) >= MaxStates {
		b.out.Partial = true
		return -1
	}
	st := State{Kind: k.kind, Func: k.fn, Site: int(k.site), Type: wasm.BadIndex}
	if k.site >= 0 {
		x := &b.p.Of(k.fn).sites[k.site]
		st.Op, st.Type = x.op, x.typ
		if x.tag != wasm.BadIndex {
			st.Sends = []uint32{x.tag}
		}
	} else if k.kind == Returned {
		st.Sends = b.rets
	}
	b.at[k] = len(b.out.States)
	b.out.States = append(b.out.States, st)
	return len(b.out.States) - 1
}

// callees returns the functions of the module that a call may run.
func (b *builder) callees(nd *node) []uint32 {
	if nd.kind == nodeCall || nd.kind == nodeTail {
		return []uint32{nd.a}
	}
	p := b.p
	if p.byType == nil {
		p.byType = map[uint32][]uint32{}
	}
	fns, ok := p.byType[nd.a]
	if !ok {
		env := p.Decls.Environment()
		for _, g := range p.Taken() {
			if env.MatchHeap(wasm.HeapType(p.Decls.Mod.Funcs[g].Type), wasm.HeapType(nd.a)) {
				fns = append(fns, g)
			}
		}
		p.byType[nd.a] = fns
	}
	return fns
}

// hidden reports whether a call may run what the module does not show.
func (b *builder) hidden(nd *node) bool {
	if nd.kind == nodeCall || nd.kind == nodeTail {
		fs := b.p.Decls.Mod.Funcs
		return int64(nd.a) >= int64(len(fs)) || fs[nd.a].Import >= 0
	}
	return !b.p.Sealed() || slices.ContainsFunc(b.callees(nd), func(fn uint32) bool {
		return b.p.Decls.Mod.Funcs[fn].Import >= 0
	})
}

// explore finds the calls that a stack of the function may be in.
func (b *builder) explore() {
	seen := map[uint32]bool{}
	b.reached = seen
	todo := slices.Clone(b.roots)
	for len(todo) > 0 {
		fn := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[fn] {
			continue
		}
		seen[fn] = true
		s := b.p.Of(fn)
		if s == nil {
			continue
		}
		b.out.Partial = b.out.Partial || s.partial
		for n := range s.nodes {
			nd := &s.nodes[n]
			if b.work++; b.work > maxWork {
				b.out.Partial = true
				return
			}
			switch nd.kind {
			case nodeCall, nodeTyped, nodeTail, nodeTailBy:
				b.out.Opaque = b.out.Opaque || b.hidden(nd)
				for _, g := range b.callees(nd) {
					if nd.kind == nodeTail || nd.kind == nodeTailBy {
						b.tails[g] = append(b.tails[g], fn)
					} else {
						b.callers[g] = append(b.callers[g], point{fn, int32(n)})
					}
					todo = append(todo, g)
				}
			}
		}
	}
}

// follow adds the transitions from a state.
func (b *builder) follow(k int) {
	st := b.out.States[k]
	if st.Kind.Ends() {
		return
	}
	if st.Kind == New {
		for _, a := range b.starts {
			b.reach(k, a.take, a.to)
		}
		return
	}
	for _, a := range b.p.Of(st.Func).sites[st.Site].arrivals {
		b.reach(k, a.take, point{st.Func, a.to})
	}
}

// reach adds transitions to the states that control may come to next from a point.
func (b *builder) reach(from int, take Take, at point) {
	seen := map[point]bool{}
	todo := []point{at}
	push := func(fn uint32, ns []int32) {
		for _, n := range ns {
			todo = append(todo, point{fn, n})
		}
	}
	returned := map[uint32]bool{} // whether functions return, and throw
	threw := map[uint32]bool{}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		if b.work++; b.work > maxWork {
			b.out.Partial = true
			return
		}
		s := b.p.Of(at.fn)
		if s == nil { // it only returns, or traps
			b.leave(from, take, at.fn, Returned, returned, &todo)
			continue
		}
		nd := &s.nodes[at.n]
		switch nd.kind {
		case nodeSite:
			x := &s.sites[nd.site]
			if x.dead {
				continue
			}
			push(at.fn, nd.succ)
			kind := [...]StateKind{Up: Suspended, Down: Waiting, Peer: Switched}[x.move.dir]
			if x.move.ends {
				kind = Retired
			}
			b.transit(from, take, stateKey{kind, at.fn, nd.site})
		case nodeCall, nodeTyped, nodeTail, nodeTailBy:
			for _, g := range b.callees(nd) {
				if int64(g) < int64(len(b.p.Decls.Mod.Funcs)) && b.p.Decls.Mod.Funcs[g].Import < 0 {
					todo = append(todo, point{g, 0})
				}
			}
			if b.hidden(nd) {
				push(at.fn, nd.succ)
				push(at.fn, nd.throws)
			}
		case nodeExit:
			b.leave(from, take, at.fn, Returned, returned, &todo)
		case nodeThrow:
			b.leave(from, take, at.fn, Threw, threw, &todo)
		default:
			push(at.fn, nd.succ)
		}
	}
}

// leave goes on where a function was called: after it returned, or with an exception.
func (b *builder) leave(from int, take Take, fn uint32, how StateKind, done map[uint32]bool, todo *[]point) {
	if done[fn] {
		return
	}
	done[fn] = true
	if slices.Contains(b.roots, fn) {
		b.transit(from, take, stateKey{how, b.out.Func, -1})
	}
	for _, c := range b.callers[fn] {
		nd := &b.p.Of(c.fn).nodes[c.n]
		ns := nd.succ
		if how == Threw {
			ns = nd.throws
		}
		for _, n := range ns {
			*todo = append(*todo, point{c.fn, n})
		}
	}
	for _, g := range b.tails[fn] {
		b.leave(from, take, g, how, done, todo)
	}
}

// transit adds a transition.
func (b *builder) transit(from int, take Take, to stateKey) {
	k := b.state(to)
	t := Transition{from, k, take}
	switch {
	case k < 0 || slices.Contains(b.out.Transitions, t):
	case len(b.out.Transitions) >= MaxTransitions:
		b.out.Partial = true
	default:
		b.out.Transitions = append(b.out.Transitions, t)
	}
}

// me finds the states in which the stack surely gave control up itself, and whether nothing else
// can use the reference that its function got at the beginning.
func (b *builder) me() {
	own := map[param]bool{}
	for _, fn := range b.roots {
		if at, ok := b.p.self(fn); ok {
			own[param{fn, at}] = true
		}
	}
	if len(own) == 0 {
		return
	}
	passes := map[uint32][]pass{} // by function of the protocol
	typed := map[uint32]bool{}
	for fn := range b.reached {
		s := b.p.Of(fn)
		if s == nil {
			continue
		}
		passes[fn] = s.passes
		for n := range s.nodes {
			if nd := &s.nodes[n]; nd.kind == nodeTyped || nd.kind == nodeTailBy {
				for _, g := range b.callees(nd) {
					typed[g] = true
				}
			}
		}
	}
	for changed := true; changed; { // parameters that get it
		changed = false
		for fn, ps := range passes {
			for _, q := range ps {
				to := param{q.fn, q.arg}
				if q.param >= 0 && own[param{fn, q.param}] && !own[to] && b.reached[q.fn] {
					own[to], changed = true, true
				}
			}
		}
	}
	for changed := true; changed; { // but not those that also get another one
		changed = false
		for fn, ps := range passes {
			for _, q := range ps {
				to := param{q.fn, q.arg}
				same := q.param >= 0 && own[param{fn, q.param}] && !typed[q.fn] && !slices.Contains(b.roots, q.fn)
				if own[to] && !same {
					delete(own, to)
					changed = true
				}
			}
		}
	}
	b.out.private = true
	for _, fn := range b.roots {
		if at, ok := b.p.self(fn); !ok || !own[param{fn, at}] {
			b.out.private = false
		}
	}
	for fn, ps := range passes {
		for _, q := range ps {
			if q.param >= 0 && own[param{fn, q.param}] && !own[param{q.fn, q.arg}] {
				b.out.private = false
			}
		}
		for _, at := range b.p.Of(fn).escapes {
			if own[param{fn, at}] {
				b.out.private = false
			}
		}
	}
	for i := range b.out.States {
		st := &b.out.States[i]
		if st.Site < 0 {
			continue
		}
		x := &b.p.Of(st.Func).sites[st.Site]
		st.Own = x.move.from && x.from >= 0 && own[param{st.Func, x.from}]
	}
}

// param is a parameter of a function.
type param struct {
	fn uint32
	at int32
}

// self returns the parameter by which a function that stacks begin with gets the reference to its
// own; ok is false if it gets none, or not always the same.
func (p *Program) self(fn uint32) (at int32, ok bool) {
	ft := p.Decls.Environment().FuncTypeOf(fn)
	if ft == nil {
		return 0, false
	}
	at = -1
	for _, ms := range p.made {
		for _, m := range ms {
			for _, e := range m.entries {
				if e.fn != fn {
					continue
				}
				k := int32(0)
				switch m.op {
				case wasm.OpTaskNew, wasm.OpHandleFiberNew, wasm.OpFiberSpawn:
				case wasm.OpMountFiberNew:
					k = int32(len(ft.Params) - 1 - payload(p.Decls.Mod, e.take.Tag))
				case wasm.OpFiberMountNew, wasm.OpFiberSwitchNew:
					k = int32(len(ft.Params) - 1)
				default:
					return 0, false
				}
				if k < 0 || int(k) >= len(ft.Params) || at >= 0 && at != k {
					return 0, false
				}
				at = k
			}
		}
	}
	return at, at >= 0
}
