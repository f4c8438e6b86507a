package launch_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// passes is how often a run passes code on the lines of a program, found out by single steps.
type passes struct {
	sym  *symbols.Symbols
	next uint32                // activations
	last map[uint32]lastPassed // by activation
	// by file and line: statements and event clauses, clauses of a list, other instructions
	stmts, lists, instrs map[place]int
	// has reports which of these a line has, whether or not they are passed
	has map[place]has
	// controls are by activation where it last gave control to another stack; events are by tag where
	// that is sent so, or where control comes back by it
	controls map[uint32]vm.Site
	events   map[string]map[vm.Site]bool
}

type place struct {
	file *symbols.Source
	line int // 0-based
}

// has is what a line has; pc is the first of its instructions. own reports that it is the one that
// has the clauses on the line.
type has struct {
	stmt, list, arm bool
	own             bool
	fn              debugger.FuncID
	pc              int
}

// lastPassed is the statement or clause that an activation passed last.
type lastPassed struct {
	at place
	pc int
}

func newPasses(p *debugger.Program) *passes {
	s := &passes{
		sym: symbols.NewSymbols(p.Units), last: map[uint32]lastPassed{}, stmts: map[place]int{}, lists: map[place]int{},
		instrs: map[place]int{}, has: map[place]has{}, controls: map[uint32]vm.Site{},
		events: map[string]map[vm.Site]bool{},
	}
	for i, u := range p.Units {
		for fn := range u.Module.Funcs {
			fi := s.sym.FunctionOf(debugger.FuncID{Unit: i, Func: uint32(fn)})
			body := fi.Func.Body
			if ownClauses(body) {
				s.has[place{u.File, u.File.LineOf(int(fi.Func.At))}] = has{stmt: true, arm: true}
			}
			for pc := range body {
				at := place{u.File, fi.Line(pc) - 1}
				h, ok := s.has[at]
				if !ok {
					h.fn, h.pc = fi.ID, pc
				}
				h.arm = h.arm || arm(body[pc].Op)
				h.stmt = h.stmt || fi.IsStatement(pc) || h.arm
				s.has[at] = h
				for _, a := range clauseLines(&body[pc]) {
					at := place{u.File, u.File.LineOf(a)}
					h := s.has[at]
					if at.line == fi.Line(pc)-1 && !fi.IsStatement(pc) && !h.own {
						h.own, h.fn, h.pc = true, fi.ID, pc
					}
					h.list = true
					s.has[at] = h
				}
			}
		}
	}
	return s
}

func arm(op wasm.Op) bool { return op == wasm.OpEvent || op == wasm.OpCatch || op == wasm.OpCatchAll }

// ownClauses reports whether a function has event clauses of its own.
func ownClauses(body []wasm.Instr) bool {
	depth := 0
	for i := range body {
		switch op := body[i].Op; {
		case op.OpensBlock():
			depth++
		case op == wasm.OpEnd || op == wasm.OpDelegate:
			depth--
		case op == wasm.OpEvent && depth == 0:
			return true
		}
	}
	return false
}

// clauseLines returns the offsets of the clauses of an instruction.
func clauseLines(in *wasm.Instr) (out []int) {
	if in.Ext == nil {
		return nil
	}
	for _, c := range in.Ext.Catches {
		out = append(out, int(c.At))
	}
	for _, h := range in.Ext.HandlerClauses {
		if !h.Switch {
			out = append(out, int(h.At))
		}
	}
	return out
}

// step counts what the machine is about to execute, and how control has come there.
func (s *passes) step(x *vm.Stop) {
	fi := s.sym.Function(x.Site.Func)
	if x.Reason != vm.StopStep || fi.Unit == nil {
		return
	}
	f := x.Stack.Frame(x.Stack.NumFrames() - 1)
	first := f.Mark() == 0
	if first {
		s.next++
		f.SetMark(s.next)
	}
	l := s.last[f.Mark()]
	at := place{fi.Unit.File, fi.Line(x.Site.PC) - 1}
	header := place{fi.Unit.File, fi.Unit.File.LineOf(int(fi.Func.At))}
	own := ownClauses(fi.Func.Body)
	if a := x.Arrival; a != nil {
		by := s.sym.Function(a.Func)
		in := by.Instr(a.PC)
		if a.Clause >= 0 {
			s.lists[place{by.Unit.File, by.Unit.File.LineOf(clauseLines(in)[a.Clause])}]++
		} else {
			c := place{by.Unit.File, by.Line(a.PC) - 1}
			s.stmts[c]++
			l = lastPassed{c, a.PC}
			if a.New && own && header != c {
				s.stmts[header]++
			}
		}
	} else if own && first && x.Site.PC == 0 {
		s.stmts[header]++
	}
	switch op := fi.Instr(x.Site.PC).Op; {
	case arm(op), op == wasm.OpElse, op == wasm.OpDelegate, op == wasm.OpEnd && x.Site.PC != len(fi.Func.Body)-1:
	default:
		if fi.IsStatement(x.Site.PC) {
			if l.at != at || x.Site.PC <= l.pc {
				s.stmts[at]++
			}
			l = lastPassed{at, x.Site.PC}
		}
		if h := s.has[at]; h.pc == x.Site.PC && h.fn == fi.ID {
			s.instrs[at]++
		}
	}
	s.last[f.Mark()] = l
	s.event(x, f, fi.Instr(x.Site.PC))
}

// event records where events are sent from and where they come back to.
func (s *passes) event(x *vm.Stop, f *vm.Frame, in *wasm.Instr) {
	add := func(tag *vm.Tag, at vm.Site) {
		if s.events[tag.String()] == nil {
			s.events[tag.String()] = map[vm.Site]bool{}
		}
		s.events[tag.String()][at] = true
	}
	if a := x.Arrival; a != nil && a.Tag != nil && !a.New {
		by := s.sym.Function(a.Func).Instr(a.PC).Op
		if at, ok := s.controls[f.Mark()]; ok && by.Info().Effect != wasm.EffectBlock || by == wasm.OpEvent && ok {
			add(a.Tag, at)
		}
	}
	info := in.Op.Info()
	switch {
	case info.Effect == wasm.EffectResume, info.Effect == wasm.EffectSwitch, info.Then == wasm.EffectResume,
		info.Then == wasm.EffectSwitch:
		s.controls[f.Mark()] = x.Site
		if t, ok := symbols.Index(in, wasm.ImmTag, 0); ok {
			add(f.Instance().Tag(t), x.Site)
		}
	case info.Effect == wasm.EffectSuspend:
		delete(s.controls, f.Mark())
	}
}

// want returns how often a breakpoint on a line is to stop.
func (s *passes) want(at place) int {
	switch h := s.has[at]; {
	case h.stmt:
		return s.stmts[at]
	case h.own:
		return s.lists[at] + s.instrs[at]
	case h.list:
		return s.lists[at]
	}
	return s.instrs[at]
}

// traced runs a program by single steps.
func traced(t *testing.T, p *debugger.Program) *passes {
	s := newPasses(p)
	watch := func(m *vm.Machine) {
		m.SetProbe(s.step)
		m.SetStepping(true)
	}
	if p.Run != nil {
		m := vm.New(p.Limits)
		watch(m)
		_ = p.Run(context.Background(), &debugger.Runner{
			Machine: m, Program: p, Output: func(debugger.Stream, string) {},
		})
		return s
	}
	q := *p
	q.Prepare = func(r *debugger.Runner) debugger.Session {
		watch(r.Machine)
		if p.Prepare == nil {
			return debugger.Session{}
		}
		return p.Prepare(r)
	}
	e := debugger.NewEngine(&q, debugger.Options{NoDebug: true})
	e.Start()
	<-e.Done()
	return s
}

// logged runs a program with a breakpoint that logs on each of some lines, and returns how often
// each did.
func logged(t *testing.T, p *debugger.Program, at []place) (bs []*debugger.Breakpoint, hits []int) {
	byText := map[string]int{}
	hits = make([]int, len(at))
	e := debugger.NewEngine(p, debugger.Options{
		OnStop: func(debugger.Stop) { t.Errorf("%s stops", p.Path) },
		OnOutput: func(_ debugger.Stream, text string, _ debugger.Site) {
			for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
				if i, ok := byText[l]; ok {
					hits[i]++
				}
			}
		},
	})
	if _, err := e.Filters.Set(nil); err != nil {
		t.Fatal(err)
	}
	groups := map[*symbols.Source][]*debugger.Breakpoint{}
	for i, x := range at {
		b := &debugger.Breakpoint{ID: i + 1, Line: x.line, Log: fmt.Sprintf("passes %d", i)}
		byText[b.Log] = i
		bs = append(bs, b)
		groups[x.file] = append(groups[x.file], b)
	}
	for f, bs := range groups {
		if err := e.Breakpoints.Set(f.Name, f, bs); err != nil {
			t.Fatal(err)
		}
	}
	e.Start()
	<-e.Done()
	return bs, hits
}

// TestBreakpointsStop sets a breakpoint on every line of every example, on all at once, and on
// some alone that have clauses. One that is verified where it was set stops as often as the program
// passes code on that line, which single steps tell; and where the program passes a statement or
// a clause, a breakpoint is verified.
func TestBreakpointsStop(t *testing.T) {
	var files []string
	for _, pattern := range []string{"examples/*/*.wat", "examples/*/*/*.wat", "debugger/*.wat", "dialects/*/*.wast"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	designs := map[wasm.Dialect]int{}
	lines, clauses := 0, 0
	for _, path := range files {
		p, err := launch.Load(&dap.Launch{Program: path})
		if err != nil {
			continue
		}
		want := traced(t, p)
		check := func(at []place) {
			bs, hits := logged(t, p, at)
			for i, b := range bs {
				at := at[i]
				there := b.Verified && at.file.LineOf(b.Place.Span.Start) == at.line
				switch n := want.want(at); {
				case there && b.Place.Func.Unit < 0: // a command of a script
				case there && hits[i] != n:
					t.Errorf("%s:%d: stops %d times, passed %d times, one of %d breakpoints:\n%s",
						at.file.Name, at.line+1, hits[i], n, len(bs), at.file.LineText(at.line))
				case !there && n > 0 && (want.has[at].stmt || want.has[at].list):
					t.Errorf("%s:%d: not verified there, passed %d times: %s\n%s",
						at.file.Name, at.line+1, n, b.Message, at.file.LineText(at.line))
				}
			}
		}
		var all []place
		known := map[*symbols.Source]bool{}
		for _, u := range p.Units {
			designs[u.Module.Dialect]++
			for line := range u.File.NumLines() {
				if at := (place{u.File, line}); !known[u.File] {
					all = append(all, at)
				}
			}
			known[u.File] = true
		}
		check(all)
		few := 0
		for _, at := range all {
			if h := want.has[at]; (h.list || h.arm) && want.want(at) > 0 {
				if clauses++; few < 10 {
					check([]place{at})
				}
				few++
			}
		}
		lines += len(all)
	}
	t.Logf("%d lines of %d files, %d with clauses", lines, len(files), clauses)
	for _, d := range wasm.Dialects() {
		if designs[d] < 3 {
			t.Errorf("only %d modules of %s", designs[d], d)
		}
	}
	if clauses < 100 {
		t.Errorf("only %d lines with clauses", clauses)
	}
}

// TestFiltersOfEvents asks, for each tag of each example, for stops before what resumes or switches
// and is about the tag. It stops wherever a run sends the tag so, and wherever control comes back
// by it: by a clause of the instruction's list, by an event clause around it, by an event.switch
// after it.
func TestFiltersOfEvents(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "examples", "*", "*.wat"))
	if err != nil {
		t.Fatal(err)
	}
	designs := map[wasm.Dialect]int{}
	for _, path := range files {
		p, err := launch.Load(&dap.Launch{Program: path})
		if err != nil {
			continue
		}
		for tag, want := range traced(t, p).events {
			type site struct {
				fn debugger.FuncID
				pc int
			}
			missing := map[site]string{}
			sym := symbols.NewSymbols(p.Units)
			for at := range want {
				fi := sym.FunctionOf(debugger.FuncID{Unit: len(p.Units) - 1, Func: at.Func.Index()})
				missing[site{fi.ID, at.PC}] = fi.Site(at.PC, true).Full()
			}
			designs[p.Units[len(p.Units)-1].Module.Dialect] += len(missing)
			stops, end := make(chan debugger.StackID, 1), make(chan struct{})
			e := debugger.NewEngine(p, debugger.Options{
				OnStop: func(s debugger.Stop) { stops <- s.Stack }, OnEnd: func(debugger.End) { close(end) },
			})
			filters := []debugger.Filter{{Name: "resume", Cond: "tag " + tag}, {Name: "switch", Cond: "tag " + tag}}
			if _, err := e.Filters.Set(filters); err != nil {
				t.Fatal(err)
			}
			e.Start()
			for running := true; running; {
				select {
				case id := <-stops:
					if err := e.Do(func() {
						lines, _, _ := e.Inspector.Trace(id, 0, 1)
						delete(missing, site{lines[0].Frame.Func, lines[0].Frame.PC})
					}); err != nil {
						t.Fatal(err)
					}
					if len(missing) == 0 {
						e.Kill()
					}
					e.Resume()
				case <-end:
					running = false
				}
			}
			for _, at := range missing {
				t.Errorf("%s: no stop for %s at %s", path, tag, at)
			}
		}
	}
	for _, d := range wasm.Dialects() {
		if designs[d] < 3 && d.Info().Events {
			t.Errorf("only %d places of events in %s", designs[d], d)
		}
	}
}
