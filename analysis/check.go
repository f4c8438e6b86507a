package analysis

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/effects"
	"stackscope/analysis/internal/linear"
	"stackscope/analysis/internal/lint"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/internal/protocol"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// checkAll checks every body that an earlier snapshot has not, once.
func (m *Module) checkAll() {
	m.check.Do(func() {
		d := m.decls()
		n := len(d.Mod.Funcs)
		m.states = make([]*bodyState, n)
		d.Environment()
		var todo []uint32
		r := m.reuse
		m.reuse = nil
		for i := range d.Units {
			fn := d.Units[i].Fn
			if fn == wasm.BadIndex || int(fn) >= n {
				continue
			}
			if r != nil {
				switch {
				case r.d != nil:
					if int(fn) < len(r.states) {
						m.states[fn] = r.states[fn]
					}
				case r.hash == d.Hash && r.byUnit != nil:
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
	m      *Module
	l      *lower.Lowerer
	typer  *valid.Typer
	t      lower.Typing
	trace  protocol.Trace
	out    []cursor.Finding
	report cursor.Report
	errs   []valid.Error
	uses   *decl.UseSet
}

func newWorker(m *Module) *worker {
	w := &worker{m: m}
	w.l = m.lowerer(&w.out)
	w.report = func(f cursor.Finding) { w.out = append(w.out, f) }
	w.uses = decl.NewUseSet()
	w.l.Uses = w.uses
	w.typer = w.l.Decls.Environment().NewTyper(func(e valid.Error) { w.errs = append(w.errs, e) })
	return w
}

// body checks the function that a unit declares.
func (w *worker) body(u int32) {
	w.out, w.errs = w.out[:0], w.errs[:0]
	d := w.l.Decls
	fn := d.Units[u].Fn
	w.l.Unit = w.m.unit(u)
	w.l.Fragile = false
	w.uses.Begin()
	b := w.l.Function(fn)
	formed := len(b.Unit.Errors) == 0
	if formed {
		lint.Rules(b, w.report)
	}
	if d.Dialect.Switches() {
		w.trace.Begin(b)
		w.t.Watch = w.trace.Step
	}
	w.t.Run(w.typer, b)
	if len(w.errs) > 0 {
		w.explainAll(b)
	}
	typed := formed && len(w.errs) == 0
	if typed && len(w.out) == 0 {
		lint.Body(b, &w.t, w.m.snap.enabled, w.report)
		linear.Dropped(b, w.t.Drops, w.report)
	}
	var inert []int32
	var proto *protocol.Summary
	if typed && d.Dialect.Switches() {
		inert = linear.Check(b, w.report)
		linear.Shadowed(b, w.report)
		proto = protocol.Summarize(b, &w.trace)
	}
	var eff *effects.Summary
	if len(d.Mod.Tags) > 0 || d.Dialect.Switches() {
		eff = effects.Summarize(b, w.t.Returns, inert)
	}
	broken := len(w.errs) > 0 || !formed || anyError(w.out)
	s := cleanBody
	if len(w.out) > 0 || w.l.Fragile || eff != nil || proto != nil || broken || len(w.uses.List) > 0 {
		s = &bodyState{
			findings: append([]cursor.Finding(nil), w.out...), fragile: w.l.Fragile, effects: eff, protocol: proto,
			uses: w.uses.Take(), broken: broken,
		}
	}
	w.m.states[fn] = s
}

// explainAll turns the violations into findings. In a unit that is malformed, what lies after the
// first syntax error may only be its consequence.
func (w *worker) explainAll(b *lower.Body) {
	if b.Unit.Deep { // instructions are missing
		return
	}
	limit := ^uint32(0)
	if len(b.Unit.Errors) > 0 {
		limit = 0
		if e := b.Unit.Errors[0].Off; e > b.Unit.Base() {
			limit = e - b.Unit.Base()
		}
	}
	for i := range w.errs {
		if f := explain(b, &w.errs[i]); f.At.To <= limit {
			w.out = append(w.out, f)
		}
	}
}
