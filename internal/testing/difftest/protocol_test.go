package difftest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/internal/testing/suite"
	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// watched is an instance that is watched, with what is known of its text.
type watched struct {
	mod       *analysis.Module
	sites     map[uint32][]int // by function: its sites
	protocols map[uint32]*analysis.Protocol
	wrong     map[[2]uint32]string // by function and pc: what is reported there
}

// follow is what is known of a stack that is watched.
type follow struct {
	w      *watched // of its base function; nil if it is not followed
	p      *analysis.Protocol
	states []int                            // it stood in one of these when control left it last
	took   func(analysis.ProtocolTake) bool // how control came to it
	next   []int                            // where it stands if control leaves it at the last site
	warned string                           // what is reported of the last instruction
	fell   vm.Site                          // where it goes on if that falls through
}

// watcher follows the stacks of a machine and compares what they do with the protocols of their
// functions.
type watcher struct {
	t       testing.TB
	name    string
	mods    map[*vm.Instance]*watched
	stacks  map[uint64]*follow
	last    uint64
	event   vm.Event
	happens bool // there was an event since the last instruction
	checked map[wasm.Dialect]int
	traps   int // how many reported instructions were run
}

func newWatcher(t testing.TB, name string) *watcher {
	return &watcher{t: t, name: name, mods: map[*vm.Instance]*watched{}, stacks: map[uint64]*follow{},
		checked: map[wasm.Dialect]int{}}
}

// watch makes a machine tell what its stacks do.
func (w *watcher) watch(m *vm.Machine) {
	m.SetObserver(func(e *vm.Event) {
		switch e.Kind {
		case vm.EventSuspend, vm.EventResume, vm.EventSwitch, vm.EventFinish:
			w.event = *e
			w.happens = true
		}
	})
	m.SetProbe(w.instruction)
	m.SetStepping(true)
}

// module makes an instance known.
func (w *watcher) module(inst *vm.Instance, mod *analysis.Module) {
	x := &watched{mod: mod, sites: map[uint32][]int{}, protocols: map[uint32]*analysis.Protocol{},
		wrong: map[[2]uint32]string{}}
	for _, d := range mod.Snapshot().Diagnostics() {
		if d.Code != diag.EventNotTaken && d.Code != diag.EndedUse {
			continue
		}
		if fn, ok := mod.FuncAt(d.Span.Start); ok && mod.Span().Contains(d.Span.Start) {
			b := mod.Body(fn)
			for i := range b.Instrs {
				if int(b.Instrs[i].At) == d.Span.Start {
					x.wrong[[2]uint32{fn, uint32(i)}] = d.Message
				}
			}
		}
	}
	w.mods[inst] = x
}

func (x *watched) sitesOf(fn uint32) []int {
	s, ok := x.sites[fn]
	if !ok {
		if b := x.mod.Body(fn); b != nil {
			s = analysis.ProtocolSites(b.Instrs)
		}
		x.sites[fn] = s
	}
	return s
}

func (x *watched) protocol(fn uint32) *analysis.Protocol {
	p, ok := x.protocols[fn]
	if !ok {
		p = analysis.ProtocolsOf(x.mod).Of(fn)
		x.protocols[fn] = p
	}
	return p
}

// instruction is called before each instruction.
func (w *watcher) instruction(s *vm.Stop) {
	if s.Reason != vm.StopStep {
		return
	}
	id := s.Stack.ID()
	left := w.last != id || w.happens
	w.last, w.happens = id, false
	f := w.stacks[id]
	if f == nil {
		f = w.first(s)
		w.stacks[id] = f
	} else if f.w != nil {
		if left && f.next != nil {
			f.states, f.took = f.next, w.arrived(f, s.Site.Func.Instance())
		}
		f.next = nil
	}
	if f.warned != "" && s.Site != f.fell {
		w.t.Errorf("%s: %s: but it goes on at %v", w.name, f.warned, s.Site)
	}
	f.warned = ""
	x := w.mods[s.Site.Func.Instance()]
	if x == nil {
		return
	}
	fn, pc := s.Site.Func.Index(), s.Site.PC
	if msg := x.wrong[[2]uint32{fn, uint32(pc)}]; msg != "" {
		w.traps++
		f.warned, f.fell = msg, vm.Site{Func: s.Site.Func, PC: pc + 1}
	}
	if k := slices.Index(x.sitesOf(fn), pc); k >= 0 && f.w != nil {
		w.site(f, x, s, fn, k)
	}
}

// first begins to follow a stack.
func (w *watcher) first(s *vm.Stop) *follow {
	sites := s.Stack.Trace(0)
	base := sites[len(sites)-1].Func
	f := &follow{}
	x := w.mods[base.Instance()]
	if x == nil {
		return f
	}
	p := x.protocol(base.Index())
	if p == nil || p.Partial || p.Began == s.Stack.Rooted() {
		return f
	}
	f.w, f.p, f.states = x, p, []int{0}
	f.took = w.arrived(f, base.Instance())
	return f
}

// arrived returns which transitions agree with how control came to a stack.
func (w *watcher) arrived(f *follow, inst *vm.Instance) func(analysis.ProtocolTake) bool {
	e := w.event
	d := f.w.mod.Dialect()
	info := d.Info()
	if e.Dialect != d {
		return func(analysis.ProtocolTake) bool { return true }
	}
	return func(t analysis.ProtocolTake) bool {
		if t.Kind == analysis.TakeEvent {
			if e.Kind == vm.EventFinish && e.Tag == nil {
				return info.ReturnEvent || info.Events // with the event of a return or an end
			}
			if e.Tag == nil {
				return false
			}
			if e.Tag.Instance() == inst {
				return e.Tag.Index() == t.Tag
			}
			return f.w.mod.Declared().Tags[t.Tag].Import >= 0
		}
		if t.Kind == analysis.TakeThrow {
			return true
		}
		if e.Kind == vm.EventFinish {
			return t.Kind == analysis.TakeReturn || t.Kind == analysis.TakeResume && info.MustEnd != "" // it retired to this one
		}
		return t.Kind == analysis.TakeResume && (!info.Events || e.Kind == vm.EventStart || e.Tag == nil)
	}
}

// site compares the site that a stack has come to with its protocol.
func (w *watcher) site(f *follow, x *watched, s *vm.Stop, fn uint32, k int) {
	f.next = []int{}
	for _, t := range f.p.Transitions {
		st := f.p.States[t.To]
		if x == f.w && st.Func == fn && st.Site == k && slices.Contains(f.states, t.From) && f.took(t.Take) &&
			!slices.Contains(f.next, t.To) {
			f.next = append(f.next, t.To)
		}
	}
	if len(f.next) > 0 {
		w.checked[f.w.mod.Dialect()]++
		return
	}
	if !f.p.Opaque {
		w.t.Errorf("%s: a stack of function %d is at %v (site %d of function %d) after %v, event %v %v, which its protocol does not have:\n%+v",
			w.name, f.p.Func, s.Site, k, fn, f.states, w.event.Kind, w.event.Tag, *f.p)
	}
	f.w = nil
}

// TestProtocolsObserved runs the official suite of stack switching, the suites of the dialects and
// the examples, and compares what stacks do with the protocols of their functions: no stack goes
// where its protocol does not, and nothing goes on after an instruction that is reported.
func TestProtocolsObserved(t *testing.T) {
	files := suite.Own(t, "examples/*/*.wast", "dialects/*/*.wast")
	official, _ := filepath.Glob(filepath.Join(suite.Dir(t), "stack-switching", "*.wast"))
	checked := map[wasm.Dialect]int{}
	for _, f := range slices.Concat(files, official) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		w := newWatcher(t, filepath.Base(filepath.Dir(f))+"/"+filepath.Base(f))
		m := vm.New(vm.Options{})
		w.watch(m)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		wast.RunFile(ctx, source.NewFile(f, string(b)), wast.Config{
			Machine: m,
			Host: func(m *vm.Machine) vm.Imports {
				mods, _, err := host.Modules(m, host.Options{})
				if err != nil {
					t.Error(err)
				}
				return mods
			},
			Instantiate: func(ctx context.Context, u *loader.Unit, imports vm.Imports) (*vm.Instance, error) {
				inst, err := m.Instantiate(ctx, u.Module, u.Name, imports)
				if err == nil && u.Analysis != nil {
					w.module(inst, u.Analysis)
				}
				return inst, err
			},
		}, nil)
		cancel()
		for d, n := range w.checked {
			checked[d] += n
		}
	}
	for _, d := range wasm.Dialects() {
		if t.Logf("%s: %d", d, checked[d]); checked[d] < 100 {
			t.Errorf("%s: only %d switches were compared", d, checked[d])
		}
	}
}

// TestProtocolsOfRandomPrograms does the same with random programs.
func TestProtocolsOfRandomPrograms(t *testing.T) {
	n := 25
	if s := os.Getenv("STACKSCOPE_LONG"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	checked := map[wasm.Dialect]int{}
	for seed := range uint64(n) {
		for _, d := range wasm.Dialects() {
			c := GenerateStacks(seed, d)
			src, _ := text.Print(c.Module, text.Options{})
			w := newWatcher(t, fmt.Sprintf("%s, seed %d", d, seed))
			m := vm.New(vm.Options{})
			s := analysis.Open(source.NewFile("random.wat", src), analysis.Options{Dialect: d})
			mod, ok := s.Modules()[0].Lower()
			if !ok {
				t.Fatalf("%s: the printed module has errors: %v", w.name, s.Diagnostics())
			}
			inst, err := m.Instantiate(t.Context(), mod, "random", nil)
			if err != nil {
				continue
			}
			w.module(inst, s.Modules()[0])
			w.watch(m)
			for _, call := range c.Calls {
				_, _ = m.Call(t.Context(), inst.Export(call.Name).(*vm.Func), call.Values()...)
			}
			checked[d] += w.checked[d]
		}
	}
	for _, d := range wasm.Dialects() {
		if checked[d] < 100 {
			t.Errorf("%s: only %d switches were compared", d, checked[d])
		}
	}
}
