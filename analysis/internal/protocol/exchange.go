package protocol

import (
	"math/bits"

	"stackscope/wasm"
)

// Exchange is what a function exchanges with other stacks while it runs: itself, and what it calls.
// The lists ascend.
type Exchange struct {
	ToParent     []uint32 // tags of events
	ToChildren   []uint32
	ToPeers      []uint32
	Suspended    []uint32 // tags of events taken after it gave up control to a parent or a peer
	FromChildren []uint32 // tags of events taken after it gave control to a child
	SwitchesTo   []uint32 // types of the references that it switches to
	RetiresTo    []uint32
}

// The kinds of an exchange, in the order of its fields: first those of tags.
const (
	toParent = iota
	toChildren
	toPeers
	whileSuspended
	fromChildren
	tagKinds
)

// Those of types.
const (
	switchesTo = iota
	retiresTo
	typeKinds
)

// Exchanges are the exchanges of the functions of a module.
type Exchanges struct {
	tags, types int
	sets        [][]uint64
}

// maxExchangeWords bounds the room for the sets of a module: 16 MB.
const maxExchangeWords = 2 << 20

// Exchanges finds what the functions of the module exchange. It returns nil if that needs too much
// room.
func (p *Program) Exchanges() *Exchanges {
	mod := p.Decls.Mod
	x := &Exchanges{tags: len(mod.Tags), types: len(mod.Types), sets: make([][]uint64, len(mod.Funcs))}
	words := (tagKinds*x.tags + typeKinds*x.types + 63) / 64
	var todo []uint32
	callers := make([][]uint32, len(mod.Funcs))
	b := &builder{p: p}
	room := 0
	for fn := range uint32(len(mod.Funcs)) {
		s := p.Of(fn)
		if s == nil {
			continue
		}
		if room += words; room > maxExchangeWords {
			return nil
		}
		x.sets[fn] = make([]uint64, words)
		x.own(x.sets[fn], s, p.opens(fn, s))
		todo = append(todo, fn)
		for n := range s.nodes {
			switch nd := &s.nodes[n]; nd.kind {
			case nodeCall, nodeTyped, nodeTail, nodeTailBy:
				for _, g := range b.callees(nd) {
					if int64(g) < int64(len(callers)) {
						callers[g] = append(callers[g], fn)
					}
				}
			}
		}
	}
	for len(todo) > 0 {
		fn := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, by := range callers[fn] {
			changed := false
			for w, v := range x.sets[fn] {
				if v &^= x.sets[by][w]; v != 0 {
					x.sets[by][w] |= v
					changed = true
				}
			}
			if changed {
				todo = append(todo, by)
			}
		}
	}
	return x
}

// opens returns the tags of the events with which a stack begins in a function.
func (p *Program) opens(fn uint32, s *Summary) (tags []uint32) {
	p.findBases()
	for _, m := range p.made[fn] {
		for _, e := range m.entries {
			switch {
			case e.fn != fn || e.take.Kind != TakeEvent:
			case e.take.Tag != wasm.BadIndex:
				tags = append(tags, e.take.Tag)
			default:
				for _, a := range s.begins {
					tags = append(tags, a.take.Tag)
				}
			}
		}
	}
	return tags
}

// own adds what a body exchanges by itself.
func (x *Exchanges) own(set []uint64, s *Summary, opens []uint32) {
	add := func(i int) { set[i>>6] |= 1 << (i & 63) }
	tag := func(kind int, t uint32) {
		if int64(t) < int64(x.tags) {
			add(kind*x.tags + int(t))
		}
	}
	typ := func(kind int, t uint32) {
		if int64(t) < int64(x.types) {
			add(tagKinds*x.tags + kind*x.types + int(t))
		}
	}
	for i := range s.sites {
		st := &s.sites[i]
		if st.dead {
			continue
		}
		taken := whileSuspended
		switch st.move.dir {
		case Up:
			tag(toParent, st.tag)
		case Down:
			tag(toChildren, st.tag)
			taken = fromChildren
		case Peer:
			tag(toPeers, st.tag)
			if st.move.ends {
				typ(retiresTo, st.typ)
			} else {
				typ(switchesTo, st.typ)
			}
		}
		for _, a := range st.arrivals {
			if a.take.Kind == TakeEvent {
				tag(taken, a.take.Tag)
			}
		}
	}
	for _, t := range opens {
		tag(whileSuspended, t)
	}
}

// Of returns what a function exchanges.
func (x *Exchanges) Of(fn uint32) (e Exchange) {
	if x == nil || int64(fn) >= int64(len(x.sets)) {
		return e
	}
	tags := [tagKinds]*[]uint32{&e.ToParent, &e.ToChildren, &e.ToPeers, &e.Suspended, &e.FromChildren}
	types := [typeKinds]*[]uint32{&e.SwitchesTo, &e.RetiresTo}
	for w, v := range x.sets[fn] {
		for ; v != 0; v &= v - 1 {
			i := w<<6 + bits.TrailingZeros64(v)
			if k := i - tagKinds*x.tags; k >= 0 {
				*types[k/x.types] = append(*types[k/x.types], uint32(k%x.types))
				continue
			}
			*tags[i/x.tags] = append(*tags[i/x.tags], uint32(i%x.tags))
		}
	}
	return e
}
