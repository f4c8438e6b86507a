package protocol

import (
	"math/bits"
	"slices"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// Verdict is something wrong at an instruction of a function. It holds no places of the body.
type Verdict struct {
	code diag.Code
	site int32 // the n-th instruction that gives control up
	free int32 // the n-th release, -1: it is about a site
	msg  string
	// where are places of declarations, and at sites of functions.
	where []cursor.Related
}

// Verdicts are what goes wrong in a module on all paths.
type Verdicts struct {
	ByFunc map[uint32][]Verdict
}

// Judge finds what goes wrong with the events of a module on all paths: events that the stack they
// are sent to does not take, answers without a clause, the use of stacks that have ended; and states
// that do not take an event that ends the stack, while others do. References are followed in the
// locals of the function that made the stack, as long as nothing else has them.
func (p *Program) Judge(text cursor.Text) *Verdicts {
	v := &Verdicts{ByFunc: map[uint32][]Verdict{}}
	if !p.Decls.Dialect.Info().Events || p.Decls.IsPiece() {
		return v
	}
	j := &judge{p: p, v: v, text: text, protocols: map[uint32]*Protocol{}, sent: map[uint32]*sends{}}
	for fn := range uint32(len(p.Decls.Mod.Funcs)) {
		if s := p.Of(fn); s != nil {
			j.function(fn, s)
		}
	}
	for _, fn := range p.Bases() {
		j.cancels(fn)
	}
	return v
}

// maxJudged bounds the nodes that are visited for the verdicts of a module; what is not looked at
// then is not judged.
const maxJudged = 10_000_000

type judge struct {
	p         *Program
	v         *Verdicts
	text      cursor.Text
	protocols map[uint32]*Protocol
	noCancel  map[stateKey]bool // states that were reported
	sent      map[uint32]*sends // by tag: the events that are sent to stacks that are resumed
}

// sends are the states that an event may meet.
type sends struct {
	any bool // of some it is not known
	met map[stateKey]bool
}

// meets keeps in mind which states an event is sent to.
func (j *judge) meets(tag uint32, p *Protocol, set uint64) {
	x := j.sent[tag]
	if x == nil {
		x = &sends{met: map[stateKey]bool{}}
		j.sent[tag] = x
	}
	if p == nil {
		x.any = true
		return
	}
	for k := range p.States {
		if st := &p.States[k]; set>>k&1 != 0 {
			x.met[stateKey{st.Kind, st.Func, int32(st.Site)}] = true
		}
	}
}

// protocol returns the protocol of a function, made once; nil if nothing is certain of it.
func (j *judge) protocol(fn uint32) *Protocol {
	p, ok := j.protocols[fn]
	if !ok && j.p.spent > maxJudged {
		return nil
	}
	if !ok {
		p = j.p.Protocol(fn)
		j.protocols[fn] = p
	}
	return p
}

// certain reports whether a stack of the protocol surely stands in one of its states when its maker
// runs: nothing is missing, nobody else has its reference, and no peer takes its place.
func (p *Protocol) certain() bool {
	return p != nil && !p.Partial && p.private && !slices.ContainsFunc(p.States, func(s State) bool {
		return s.Kind == Switched || s.Op.Info().Effect == wasm.EffectRetire && moves[s.Op].dir == Peer
	})
}

// held is what is known of the stack in a local: the states it may stand in, of the protocol of a
// function. The zero value is a local that holds none.
type held struct {
	unknown bool
	fn      uint32
	set     uint64
}

func (h held) join(o held) held {
	switch {
	case h.unknown || o.unknown:
		return held{unknown: true}
	case h.set == 0:
		return o
	case o.set == 0:
		return h
	case h.fn != o.fn:
		return held{unknown: true}
	}
	h.set |= o.set
	return h
}

// function follows the stacks in the locals of a function.
func (j *judge) function(fn uint32, s *Summary) {
	var locals []int32
	for i := range s.nodes {
		if nd := &s.nodes[i]; nd.kind == nodeSet && nd.made >= 0 && !slices.Contains(locals, nd.local) {
			locals = append(locals, nd.local)
		}
	}
	if s.partial {
		locals = nil
	}
	for _, l := range locals {
		f := &follower{judge: j, s: s, fn: fn, local: l}
		f.run()
	}
	for i := range s.sites {
		x := &s.sites[i]
		if !x.dead && x.move.dir == Down && x.tag != wasm.BadIndex && !slices.Contains(locals, x.to) {
			j.meets(x.tag, nil, 0)
		}
	}
}

// follower follows the stack in one local of a function.
type follower struct {
	*judge
	s     *Summary
	fn    uint32
	local int32
	at    []held
	met   []bool
	todo  []int32
}

// run finds what may be in the local at each node, and then reports.
func (f *follower) run() {
	f.at, f.met = make([]held, len(f.s.nodes)), make([]bool, len(f.s.nodes))
	f.flow(0, held{})
	for _, a := range f.s.begins {
		f.flow(a.to, held{})
	}
	f.p.spent += len(f.s.nodes)
	for work := 0; len(f.todo) > 0; work++ {
		if f.p.spent++; work > 100*len(f.s.nodes)+1000 || f.p.spent > maxJudged {
			for i := range f.s.sites {
				if x := &f.s.sites[i]; x.to == f.local {
					f.meets(x.tag, nil, 0)
				}
			}
			return
		}
		n := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		f.step(n, false)
	}
	for n := range f.s.nodes {
		if f.met[n] {
			f.step(int32(n), true)
		}
	}
}

// flow brings a value to a node.
func (f *follower) flow(n int32, h held) {
	if j := f.at[n].join(h); !f.met[n] || j != f.at[n] {
		f.at[n], f.met[n] = j, true
		f.todo = append(f.todo, n)
	}
}

// step goes over a node: on to the next ones, or, with report, to what is wrong there.
func (f *follower) step(n int32, report bool) {
	nd := &f.s.nodes[n]
	h := f.at[n]
	if report {
		switch nd.kind {
		case nodeSite:
			if x := &f.s.sites[nd.site]; x.to == f.local && !x.dead {
				f.check(nd.site, x, h)
			}
		case nodeFree:
			if p := f.known(h); p != nil && !f.p.Decls.Dialect.Info().FallsThrough && f.over(p, h.set) {
				f.say(Verdict{code: diag.EndedUse, site: -1, free: int32(nd.a),
					msg: "the release traps: " + f.noun() + " has ended here"}, p, h.set)
			}
		}
		return
	}
	switch nd.kind {
	case nodeSet:
		if nd.local == f.local {
			h = f.fresh(nd.made)
		}
	case nodeFree:
		if nd.local == f.local {
			h = held{unknown: true}
		}
	case nodeSite:
		f.pass(nd, h)
		return
	}
	for _, to := range nd.succ {
		f.flow(to, h)
	}
	for _, to := range nd.throws {
		f.flow(to, h)
	}
}

// fresh returns what a make leaves.
func (f *follower) fresh(made int32) held {
	if made < 0 || len(f.s.makes[made].entries) == 0 {
		return held{unknown: true}
	}
	fn := f.s.makes[made].entries[0].fn
	if !f.protocol(fn).certain() {
		return held{unknown: true}
	}
	return held{fn: fn, set: 1}
}

// known returns the protocol of what is held, nil if it is not known.
func (f *follower) known(h held) *Protocol {
	if h.unknown || h.set == 0 {
		return nil
	}
	return f.protocol(h.fn)
}

// pass goes over a site.
func (f *follower) pass(nd *node, h held) {
	x := &f.s.sites[nd.site]
	if x.dead {
		return
	}
	p := f.known(h)
	if x.to != f.local || p == nil {
		for _, a := range x.arrivals {
			f.flow(a.to, h)
		}
		for _, to := range nd.succ {
			f.flow(to, h)
		}
		return
	}
	unknown := held{unknown: true}
	if x.move.dir != Down {
		for _, a := range x.arrivals {
			f.flow(a.to, unknown)
		}
		for _, to := range nd.succ {
			f.flow(to, unknown)
		}
		return
	}
	stops := f.answers(p, h.set, x.tag)
	for _, a := range x.arrivals {
		set := uint64(0)
		for k := range p.States {
			if stops>>k&1 != 0 && f.comesBy(&p.States[k], a.take) {
				set |= 1 << k
			}
		}
		if set != 0 { // else control cannot come back in this way
			f.flow(a.to, held{fn: h.fn, set: set})
		}
	}
	rest := h.set // where it falls through
	for k := range p.States {
		if rest>>k&1 != 0 && f.takesExactly(p, k, x.tag) {
			rest &^= 1 << k
		}
	}
	if rest == 0 {
		return // it does not fall through
	}
	for _, to := range nd.succ {
		f.flow(to, held{fn: h.fn, set: rest})
	}
}

// comesBy reports whether control may come to the parent in a way when a stack gets to a state.
func (f *follower) comesBy(s *State, t Take) bool {
	switch t.Kind {
	case TakeThrow:
		return s.Kind == Threw
	case TakeReturn:
		return s.Kind == Returned
	}
	return slices.ContainsFunc(s.Sends, func(tag uint32) bool { return mayBeSame(f.p.Decls.Mod, tag, t.Tag) })
}

// takes reports whether a state may take an event.
func (f *judge) takes(p *Protocol, k int, tag uint32) bool {
	return slices.ContainsFunc(p.Transitions, func(t Transition) bool {
		return t.From == k && t.Take.Kind == TakeEvent && mayBeSame(f.p.Decls.Mod, t.Take.Tag, tag)
	}) || f.blocked(p, k, tag)
}

// blocked reports whether a state takes an event and then never gives up control again.
func (f *judge) blocked(p *Protocol, k int, tag uint32) bool {
	return slices.ContainsFunc(f.listens(p, k), func(t uint32) bool { return mayBeSame(f.p.Decls.Mod, t, tag) })
}

// listens returns the tags of the events that a state takes, whether or not the stack gives up
// control after it.
func (f *judge) listens(p *Protocol, k int) []uint32 {
	var out []uint32
	add := func(t Take) {
		if t.Kind == TakeEvent && t.Tag != wasm.BadIndex {
			out = append(out, t.Tag)
		}
	}
	if st := p.States[k]; st.Site >= 0 && !st.Kind.Ends() {
		for _, a := range f.p.Of(st.Func).sites[st.Site].arrivals {
			add(a.take)
		}
	} else if st.Kind == New {
		for _, m := range f.p.made[p.Func] {
			for _, e := range m.entries {
				add(e.take)
				if s := f.p.Of(e.fn); s != nil && e.take.Tag == wasm.BadIndex {
					for _, a := range s.begins {
						add(a.take)
					}
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// takesExactly reports whether a state surely takes an event.
func (f *judge) takesExactly(p *Protocol, k int, tag uint32) bool {
	if p.States[k].Kind == New { // stacks that are made in different ways may begin with different events
		for _, m := range f.p.made[p.Func] {
			if !slices.ContainsFunc(m.entries, func(e entry) bool { return e.take == (Take{TakeEvent, tag}) }) {
				return false
			}
		}
	}
	return slices.Contains(f.listens(p, k), tag)
}

// answers returns the states in which a stack may be when its parent gets control back, after an
// event was sent to it that found it in one of some states.
func (f *follower) answers(p *Protocol, from uint64, tag uint32) uint64 {
	var stops, seen uint64
	visit := func(k int, all bool) {
		for _, t := range p.Transitions {
			if t.From == k && (all || t.Take.Kind == TakeEvent && mayBeSame(f.p.Decls.Mod, t.Take.Tag, tag)) {
				seen |= 1 << t.To
			}
		}
	}
	for k := range p.States {
		if from>>k&1 != 0 {
			visit(k, false)
		}
	}
	for done := uint64(0); done != seen; {
		k := bits.TrailingZeros64(seen &^ done)
		done |= 1 << k
		st := &p.States[k]
		if st.Kind != Waiting {
			stops |= 1 << k
		}
		if st.Kind == Waiting || st.Kind == Suspended && !st.Own {
			visit(k, true)
		}
	}
	return stops
}

// over reports whether a stack has ended in all states.
func (f *follower) over(p *Protocol, set uint64) bool {
	for k := range p.States {
		if set>>k&1 != 0 && !p.States[k].Kind.Ends() {
			return false
		}
	}
	return set != 0
}

// check reports what is wrong at an instruction that gives control to the stack in the local.
func (f *follower) check(n int32, x *site, h held) {
	p := f.known(h)
	if x.move.dir == Down && x.tag != wasm.BadIndex && (p != nil || h.unknown) {
		f.meets(x.tag, p, h.set)
	}
	if p == nil || x.tag == wasm.BadIndex {
		return
	}
	mod := f.p.Decls.Mod
	if f.over(p, h.set) {
		f.say(Verdict{code: diag.EndedUse, site: n, free: -1,
			msg: x.op.String() + " traps: " + f.noun() + " has ended here"}, p, h.set)
		return
	}
	taken := false
	for k := range p.States {
		taken = taken || h.set>>k&1 != 0 && f.takes(p, k, x.tag)
	}
	falls := f.p.Decls.Dialect.Info().FallsThrough
	if !taken {
		what := " traps: "
		if falls {
			if !f.stuck(n) { // to fall through may be what is meant: it tries another event then
				return
			}
			what = " falls through to a trap: "
		}
		f.say(Verdict{code: diag.EventNotTaken, site: n, free: -1, msg: x.op.String() + what + f.noun() +
			" does not take the event " + mod.Names.Tag(x.tag) + " in the state that it is in here"}, p, h.set)
		return
	}
	stops := f.answers(p, h.set, x.tag)
	if x.move.dir != Down || stops == 0 {
		return
	}
	var sent []uint32
	for k := range p.States {
		if stops>>k&1 == 0 {
			continue
		}
		st := &p.States[k]
		if falls && st.Kind != Returned {
			return // it goes on where it is
		}
		if st.Kind == Threw || len(st.Sends) == 0 || slices.ContainsFunc(x.arrivals, func(a arrival) bool {
			return f.comesBy(st, a.take)
		}) {
			return
		}
		sent = append(sent, st.Sends[0])
	}
	f.say(Verdict{code: diag.EventNotTaken, site: n, free: -1, msg: "there is no clause for the event " +
		mod.Names.Tag(sent[0]) + ", which " + f.noun() + " answers with"}, p, stops)
}

// stuck reports whether a trap follows where a site falls through.
func (f *follower) stuck(n int32) bool {
	for i := range f.s.nodes {
		if nd := &f.s.nodes[i]; nd.kind == nodeSite && nd.site == n && len(nd.succ) == 1 {
			next := &f.s.nodes[nd.succ[0]]
			return next.kind == nodeJoin && len(next.succ) == 0
		}
	}
	return false
}

// noun returns what to call the stack in the local.
func (f *follower) noun() string { return "the " + f.p.Decls.Dialect.Info().Noun }

// say reports a verdict, with the states that the stack may be in.
func (f *follower) say(v Verdict, p *Protocol, set uint64) {
	mod := f.p.Decls.Mod
	for k := range p.States {
		if set>>k&1 == 0 || len(v.where) == 4 {
			continue
		}
		st := &p.States[k]
		msg := "it begins with " + mod.FuncTitle(p.Func)
		if st.Kind != New {
			msg = "it has given up control in " + mod.FuncTitle(st.Func)
			if st.Kind.Ends() {
				msg = "it ends in " + mod.FuncTitle(st.Func)
			}
			if len(st.Sends) > 0 {
				msg += ", with " + mod.Names.Tag(st.Sends[0])
			}
		}
		if len(f.listens(p, k)) > 0 {
			msg += ", and takes " + f.names(f.listens(p, k))
		}
		v.where = append(v.where, f.declared(decl.SpaceFunc, st.Func, msg))
	}
	for _, o := range f.v.ByFunc[f.fn] {
		if o.code == v.code && o.site == v.site && o.free == v.free {
			return
		}
	}
	f.v.ByFunc[f.fn] = append(f.v.ByFunc[f.fn], v)
}

// names lists tags.
func (j *judge) names(tags []uint32) string {
	s := ""
	for k, t := range tags {
		switch {
		case k == 4:
			return s + " …"
		case k > 0:
			s += ", "
		}
		s += j.p.Decls.Mod.Names.Tag(t)
	}
	return s
}

// declared returns the place of an item's name in its declaration.
func (j *judge) declared(sp decl.Space, i uint32, msg string) cursor.Related {
	return cursor.Related{At: j.p.Decls.Spaces[sp].Items[i].Place(j.text), Msg: msg}
}

// maxCancels bounds the events of a protocol among which one that ends the stack is looked for.
const maxCancels = 64

// cancels reports the states of stacks of a function that do not take an event that ends the stack
// wherever it is taken, if its other states take it and something sends it.
func (j *judge) cancels(fn uint32) {
	p := j.protocol(fn)
	if p == nil || p.Partial {
		return
	}
	faces := func(k int) bool { return p.States[k].Kind == New || p.States[k].Kind == Suspended }
	var tags []uint32
	for k := range p.States {
		if faces(k) {
			tags = append(tags, j.listens(p, k)...)
		}
	}
	slices.Sort(tags)
	if tags = slices.Compact(tags); len(tags) > maxCancels {
		return
	}
	for _, c := range tags {
		if j.sent[c] == nil || !j.ends(p, c) {
			continue
		}
		with, without := 0, []int(nil)
		for k := range p.States {
			switch {
			case !faces(k) || len(j.listens(p, k)) == 0:
			case j.takes(p, k, c):
				with++
			case p.States[k].Kind == Suspended && j.mayMeet(c, &p.States[k]):
				without = append(without, k)
			}
		}
		if with < 2 {
			continue // it may be what this one state waits for
		}
		for _, k := range without {
			j.lacks(p, k, c)
		}
	}
}

// ends reports whether a stack that takes an event always ends without giving control to its parent
// again, and takes others next to it that let it go on.
func (j *judge) ends(p *Protocol, tag uint32) bool {
	var seen uint64
	goesOn := false
	for _, t := range p.Transitions {
		if k := p.States[t.From].Kind; k != New && k != Suspended || t.Take.Kind != TakeEvent {
			continue
		}
		if t.Take.Tag == tag {
			seen |= 1 << t.To
		} else if p.States[t.To].Kind == Suspended && j.takes(p, t.From, tag) {
			goesOn = true
		}
	}
	for done := uint64(0); done != seen; {
		k := bits.TrailingZeros64(seen &^ done)
		done |= 1 << k
		switch p.States[k].Kind {
		case Suspended, Switched:
			return false
		case Waiting:
			for _, t := range p.Transitions {
				if t.From == k {
					seen |= 1 << t.To
				}
			}
		}
	}
	return seen != 0 && goesOn
}

// mayMeet reports whether an event may be sent to a stack in a state: by this module, as far as it is
// not known which state it meets.
func (j *judge) mayMeet(tag uint32, st *State) bool {
	x := j.sent[tag]
	return x != nil && (x.any || x.met[stateKey{st.Kind, st.Func, int32(st.Site)}])
}

// lacks reports that a state does not take an event.
func (j *judge) lacks(p *Protocol, k int, tag uint32) {
	st := &p.States[k]
	key := stateKey{st.Kind, st.Func, int32(st.Site)}
	if j.noCancel == nil {
		j.noCancel = map[stateKey]bool{}
	}
	if j.noCancel[key] {
		return
	}
	j.noCancel[key] = true
	mod := j.p.Decls.Mod
	noun := j.p.Decls.Dialect.Info().Noun
	tagged := j.declared(decl.SpaceTag, tag, "the event, which ends the "+noun+" wherever it is taken")
	j.v.ByFunc[st.Func] = append(j.v.ByFunc[st.Func], Verdict{code: diag.StateWithoutCancel, site: int32(st.Site),
		free: -1, msg: "the " + noun + " does not take " + mod.Names.Tag(tag) +
			" here, which others of its states take", where: []cursor.Related{tagged}})
}

// Place finds the instruction that a verdict is about, in the body lowered last.
func Place(b *lower.Body, v Verdict) []cursor.Finding {
	sites, frees := int32(0), int32(0)
	for i := range b.Instrs {
		in := &b.Instrs[i]
		found := false
		if _, ok := moveOf(in.Op); ok {
			found = v.free < 0 && sites == v.site
			sites++
		} else if in.Op.Info().Effect == wasm.EffectRelease {
			found = v.free == frees
			frees++
		}
		if found {
			return []cursor.Finding{{Code: v.code, At: b.OwnPlace(b.Nodes[i]), Msg: v.msg, Related: v.where}}
		}
	}
	return nil
}

// Sites returns the instructions of a body at which control leaves its stack, in order: site n of a
// State is the n-th of them.
func Sites(code []wasm.Instr) []int {
	var out []int
	for i := range code {
		if _, ok := moveOf(code[i].Op); ok {
			out = append(out, i)
		}
	}
	return out
}
