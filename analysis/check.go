package analysis

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"stackscope/analysis/internal/cursor"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// checkAll checks every body that an earlier snapshot has not, once.
func (m *Module) checkAll() {
	m.check.Do(func() {
		d := m.decls()
		n := len(d.mod.Funcs)
		m.states = make([]*bodyState, n)
		d.environment()
		var todo []uint32
		r := m.reuse
		m.reuse = nil
		for i := range d.units {
			fn := d.units[i].fn
			if fn == wasm.BadIndex || int(fn) >= n {
				continue
			}
			if r != nil {
				switch {
				case r.d != nil:
					if int(fn) < len(r.states) {
						m.states[fn] = r.states[fn]
					}
				case r.hash == d.hash && r.byUnit != nil:
					if s := r.byUnit[m.snap.tree.Units[m.first+i].Unit]; s != nil && !s.fragile && !s.broken {
						m.states[fn] = s.movedTo(int32(i))
					}
				}
			}
			if m.states[fn] == nil {
				todo = append(todo, uint32(i))
			}
		}
		m.checkBodies(todo)
		if r != nil && r.d != nil {
			m.facts = r.facts
			for fn, was := range r.was {
				if !sameWhole(was, m.states[fn]) {
					m.facts = nil
					break
				}
			}
		}
	})
}

// checkBodies checks the functions of the units, on all processors.
func (m *Module) checkBodies(todo []uint32) {
	if len(todo) == 0 {
		return
	}
	const chunk = 16
	workers := min(runtime.GOMAXPROCS(0), (len(todo)+chunk-1)/chunk)
	if workers <= 1 {
		w := newWorker(m)
		for _, u := range todo {
			w.body(int32(u))
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			w := newWorker(m)
			for {
				i := int(next.Add(chunk)) - chunk
				if i >= len(todo) {
					return
				}
				for _, u := range todo[i:min(i+chunk, len(todo))] {
					w.body(int32(u))
				}
			}
		})
	}
	wg.Wait()
}

// movedTo returns the state for the function in another unit of the module, nil if it says
// something about other places as well.
func (s *bodyState) movedTo(unit int32) *bodyState {
	if len(s.findings) == 0 {
		return s
	}
	from := s.findings[0].At.Unit
	c := *s
	c.findings = slices.Clone(s.findings)
	for i := range c.findings {
		f := &c.findings[i]
		if f.At.Unit != from {
			return nil
		}
		f.At.Unit = unit
		f.Related, f.Fixes = slices.Clone(f.Related), slices.Clone(f.Fixes)
		for k := range f.Related {
			if f.Related[k].At.Unit != from {
				return nil
			}
			f.Related[k].At.Unit = unit
		}
		for k := range f.Fixes {
			x := &f.Fixes[k]
			x.Edits = slices.Clone(x.Edits)
			for j := range x.Edits {
				if x.Edits[j].At.Unit != from {
					return nil
				}
				x.Edits[j].At.Unit = unit
			}
		}
	}
	if from == unit {
		return s
	}
	return &c
}

// worker checks one body after the other with the same scratch.
type worker struct {
	m     *Module
	l     *lowerer
	t     *valid.Typer
	out   []cursor.Finding
	errs  []valid.Error
	dead  deadCode
	drops []int32 // instructions that drop one-shot references
	uses  *useSet
}

func newWorker(m *Module) *worker {
	w := &worker{m: m}
	w.l = m.lowerer(&w.out)
	w.uses = newUseSet()
	w.l.uses = w.uses
	w.t = w.l.d.environment().NewTyper(func(e valid.Error) { w.errs = append(w.errs, e) })
	return w
}

// body checks the function that a unit declares.
func (w *worker) body(u int32) {
	w.out, w.errs = w.out[:0], w.errs[:0]
	d := w.l.d
	fn := d.units[u].fn
	w.l.u = w.m.unit(u)
	w.l.fragile = false
	w.uses.begin()
	w.l.function(fn)
	w.typeBody(fn)
	if len(w.errs) == 0 && len(w.l.u.Errors) == 0 && len(w.out) == 0 {
		w.l.lints(w.m.snap)
		w.l.lintDead(&w.dead)
		w.l.leaks(w.drops)
	}
	w.l.inert = nil
	if d.dialect.Switches() && len(w.errs) == 0 && len(w.l.u.Errors) == 0 {
		w.l.linear()
		w.l.shadowedClauses()
	}
	broken := len(w.errs) > 0 || len(w.l.u.Errors) > 0 || anyError(w.out)
	s := cleanBody
	var eff *effSummary
	if len(d.mod.Tags) > 0 || d.dialect.Switches() {
		eff = w.l.summary()
	}
	if len(w.out) > 0 || w.l.fragile || eff != nil || broken || len(w.uses.list) > 0 {
		s = &bodyState{
			findings: append([]cursor.Finding(nil), w.out...), fragile: w.l.fragile, effects: eff,
			uses: w.uses.take(), broken: broken,
		}
	}
	w.m.states[fn] = s
}

// typeBody runs the typing engine over what was lowered.
func (w *worker) typeBody(fn uint32) {
	l := w.l
	params := 0
	if ft := l.d.mod.FuncType(l.d.mod.Funcs[fn].Type); ft != nil {
		params = min(len(ft.Params), len(l.locals))
	}
	w.t.BeginLocals(fn, l.locals[params:])
	w.dead.begin()
	l.returns, w.drops = false, w.drops[:0]
	for i := range l.instrs {
		dead := w.t.Unreachable()
		w.dead.step(i, l.instrs[i].Op, dead)
		if l.instrs[i].Op == wasm.OpDrop && !dead && l.oneShot() {
			if ops := w.t.Operands(); len(ops) > 0 && l.followed(ops[len(ops)-1]) {
				w.drops = append(w.drops, int32(i))
			}
		}
		if op := l.instrs[i].Op; !dead && (op == wasm.OpReturn || i == len(l.instrs)-1) {
			l.returns = true
		}
		w.t.Step(&l.instrs[i])
	}
	w.t.End()
	if len(w.errs) > 0 {
		w.explainAll()
	}
}

// explainAll turns the violations into findings. In a unit that is malformed, what lies behind the
// first syntax error may only be its consequence.
func (w *worker) explainAll() {
	if w.l.u.Deep { // instructions are missing
		return
	}
	limit := ^uint32(0)
	if len(w.l.u.Errors) > 0 {
		limit = 0
		if e := w.l.u.Errors[0].Off; e > w.l.u.Base() {
			limit = e - w.l.u.Base()
		}
	}
	for i := range w.errs {
		if f := w.l.explain(&w.errs[i]); f.At.To <= limit {
			w.out = append(w.out, f)
		}
	}
}
