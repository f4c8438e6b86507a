package effects

import (
	"math/bits"

	"stackscope/analysis/internal/decl"
	"stackscope/wasm"
)

// tagBits is a set of small numbers.
type tagBits []uint64

func (b tagBits) has(i int) bool { return i>>6 < len(b) && b[i>>6]>>(i&63)&1 != 0 }

// Sets are the effects of a module's functions, and after them of what calls by type and
// resumes stand for: per tag a bit for suspending, then for switching, then for throwing.
type Sets struct {
	tags  int
	wide  bool // what other modules may do with this one's functions is in it
	sets  []tagBits
	users [][]int32 // by node: the nodes whose sets depend on it
	types map[[2]uint32]int32
}

// maxEffectWords bounds the room for the sets of a module: 16 MB, that of 6,000 functions and as
// many tags. Nothing is said of the effects in a module that needs more.
const maxEffectWords = 2 << 20

// Effects finds the least effects that agree with all calls, resumes and handlers of the module.
// With wide, code of other modules counts as calling and resuming whatever it can get hold of: then
// no effect with a tag that other modules do not know is missing. It returns nil if the module has
// no tags, or too many.
func (p *Program) Effects(wide bool) *Sets {
	ir := p.Decls.Mod
	if len(ir.Tags) == 0 {
		return nil
	}
	e := &Sets{tags: len(ir.Tags), wide: wide, types: map[[2]uint32]int32{}}
	e.sets, e.users = make([]tagBits, len(ir.Funcs)), make([][]int32, len(ir.Funcs))
	taken := p.TakenRefs()
	outside := int32(-1) // the node of what other modules may do
	if wide {
		outside = int32(len(e.sets))
		e.sets, e.users = append(e.sets, nil), append(e.users, nil)
		for _, x := range ir.Exports {
			if x.Kind == wasm.ExternFunc && int64(x.Index) < int64(len(ir.Funcs)) {
				e.users[x.Index] = append(e.users[x.Index], outside)
			}
		}
		for _, fn := range taken {
			e.users[fn] = append(e.users[fn], outside)
		}
		for i := range ir.Funcs {
			if ir.Funcs[i].Import >= 0 {
				e.users[outside] = append(e.users[outside], int32(i))
			}
		}
	}
	sealed := !wide || Sealed(ir)
	sum := func(n int32) *Summary {
		if int(n) < len(ir.Funcs) {
			return p.Of(uint32(n))
		}
		return nil
	}
	for fn := range ir.Funcs {
		s := sum(int32(fn))
		if s == nil {
			continue
		}
		for _, it := range s.items {
			switch it.kind {
			case effCall:
				if int64(it.a) < int64(len(ir.Funcs)) {
					e.users[it.a] = append(e.users[it.a], int32(fn))
				}
			case effCallType, effResume, effPark:
				fresh := len(e.sets)
				n := e.node(p.Decls, it, taken)
				e.users[n] = append(e.users[n], int32(fn))
				if int(n) == fresh && !sealed {
					e.users[outside] = append(e.users[outside], n)
				}
			}
		}
	}
	words := (3*e.tags + 63) / 64
	if words*len(e.sets) > maxEffectWords {
		return nil
	}
	var todo []int32
	queued := make([]bool, len(e.sets))
	push := func(n int32) {
		if !queued[n] {
			queued[n] = true
			todo = append(todo, n)
		}
	}
	all := make(tagBits, words*len(e.sets))
	for n := range e.sets {
		e.sets[n] = all[n*words : (n+1)*words : (n+1)*words]
		if s := sum(int32(n)); s != nil {
			push(int32(n))
		}
	}
	if parked, ok := e.types[[2]uint32{uint32(effPark), 0}]; ok {
		p.eachStep(func(_ uint32, _ *Summary, it step) {
			if it.kind == effThrowInto && int64(it.a) < int64(e.tags) {
				i := 2*e.tags + int(it.a)
				e.sets[parked][i>>6] |= 1 << (i & 63)
			}
		})
	}
	for len(todo) > 0 { // first in, first out: a caller waits for all of its callees that are due
		n := todo[0]
		todo = todo[1:]
		queued[n] = false
		if s := sum(n); s != nil && !e.apply(n, s) {
			continue
		}
		for _, u := range e.users[n] {
			// What has steps goes over them again; the rest is the sum of what it stands for.
			if sum(u) != nil || e.merge(u, n) {
				push(u)
			}
		}
	}
	return e
}

// merge adds the effects of one node to those of another, and reports whether that is new.
func (e *Sets) merge(to, from int32) (changed bool) {
	a, b := e.sets[to], e.sets[from]
	for w := range a {
		v := a[w] | b[w]
		changed = changed || v != a[w]
		a[w] = v
	}
	return changed
}

// node returns the node of a call by type or a resume: it stands for every function that may be
// after the reference. That of effPark stands for all exceptions that are thrown into other stacks.
func (e *Sets) node(d *decl.Decls, it step, taken []uint32) int32 {
	key := [2]uint32{uint32(it.kind), it.a}
	if n, ok := e.types[key]; ok {
		return n
	}
	n := int32(len(e.sets))
	e.types[key] = n
	e.sets, e.users = append(e.sets, nil), append(e.users, nil)
	if it.kind == effPark {
		return n
	}
	ir, env := d.Mod, d.Environment()
	ft := ir.FuncType(it.a)
	if it.kind == effResume {
		ft = ir.ContFunc(it.a)
	}
	if ft == nil {
		return n
	}
	for _, fn := range taken {
		g := env.FuncTypeOf(fn)
		// What a continuation was made of has other parameters once it has run a while or was
		// bound, but always the same results.
		if g != nil &&
			(it.kind == effResume && len(g.Results) == len(ft.Results) && env.MatchAll(g.Results, ft.Results) ||
				it.kind == effCallType && env.MatchHeap(wasm.HeapType(ir.Funcs[fn].Type), wasm.HeapType(it.a))) {
			e.users[fn] = append(e.users[fn], n)
		}
	}
	return n
}

// apply adds to a function's set what its steps do, and reports whether that is new.
func (e *Sets) apply(fn int32, s *Summary) (changed bool) {
	set := e.sets[fn]
	add := func(kind int, tag uint32) {
		if int64(tag) >= int64(e.tags) {
			return
		}
		if i := kind*e.tags + int(tag); !set.has(i) {
			set[i>>6] |= 1 << (i & 63)
			changed = true
		}
	}
	for _, it := range s.items {
		if it.inert {
			continue
		}
		from := int32(-1)
		switch it.kind {
		case effSuspend:
			if !it.barrier {
				add(0, it.a)
			}
		case effSwitch:
			if !it.barrier {
				add(1, it.a)
			}
		case effThrow:
			if !s.caught(it.ctx, it.a) {
				add(2, it.a)
			}
		case effCall:
			if int64(it.a) < int64(len(e.sets)) {
				from = int32(it.a)
			}
		case effCallType, effResume, effPark:
			if n, ok := e.types[[2]uint32{uint32(it.kind), it.a}]; ok {
				from = n
			}
		}
		if from < 0 {
			continue
		}
		plain := it.kind != effResume && it.ctx < 0 && !it.barrier
		for w, v := range e.sets[from] {
			if v &^= set[w]; plain && v != 0 {
				set[w] |= v
				changed = true
				continue
			}
			for v &^= set[w]; v != 0; v &= v - 1 { // what is new
				i := w<<6 + bits.TrailingZeros64(v)
				kind, t := i/e.tags, uint32(i%e.tags)
				if it.kind == effResume && it.h >= 0 && handles(s.handlerClauses[it.h], t, kind) ||
					kind == 2 && s.caught(it.ctx, t) ||
					kind < 2 && it.barrier {
					continue
				}
				add(kind, t)
			}
		}
	}
	return changed
}

// handles reports whether clauses take a suspension (0) or a switch (1) with a tag.
func handles(hs []wasm.HandlerClause, tag uint32, kind int) bool {
	for _, h := range hs {
		if h.Tag == tag && (h.Switch && kind == 1 || !h.Switch && kind == 0) {
			return true
		}
	}
	return false
}

// TakenRefs returns the functions that a reference of this module may lead to.
func (p *Program) TakenRefs() []uint32 {
	ir := p.Decls.Mod
	seen := make([]bool, len(ir.Funcs))
	take := func(code []wasm.Instr) {
		for i := range code {
			if code[i].Op == wasm.OpRefFunc && int64(code[i].A) < int64(len(seen)) {
				seen[code[i].A] = true
			}
		}
	}
	p.eachStep(func(_ uint32, _ *Summary, it step) {
		if it.kind == effRef && int64(it.a) < int64(len(seen)) {
			seen[it.a] = true
		}
	})
	for i := range ir.Elems {
		if ir.Elems[i].Mode == wasm.SegmentDeclarative {
			continue
		}
		for _, x := range ir.Elems[i].Init {
			take(x)
		}
	}
	for i := range ir.Globals {
		take(ir.Globals[i].Init)
	}
	for i := range ir.Tables {
		take(ir.Tables[i].Init)
	}
	var out []uint32
	for i, s := range seen {
		if s {
			out = append(out, uint32(i))
		}
	}
	return out
}
