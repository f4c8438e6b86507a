package coverage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/stackview"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// A session is the script of an example under the debugger.
type session struct {
	o     occurrence
	e     *debugger.Engine
	stops chan debugger.Stop
	ends  chan debugger.End
	stop  debugger.Stop
	ended bool
	end   debugger.End
}

// programs are the scripts of examples, loaded. They are made once for each example.
type programs struct {
	dir  string
	each map[*example]*debugger.Program
}

func (ps *programs) load(x *example) (*debugger.Program, error) {
	if p := ps.each[x]; p != nil {
		return p, nil
	}
	name := filepath.Join(ps.dir, strings.TrimSuffix(strings.ReplaceAll(x.name, "/", "-"), "wat")+"wast")
	if err := os.WriteFile(name, []byte(x.script.Text), 0o600); err != nil {
		return nil, err
	}
	p, err := launch.Load(&dap.Launch{Program: name})
	if err == nil {
		ps.each[x] = p
	}
	return p, err
}

// start starts the script with a breakpoint on a line of the example, from 1.
func (ps *programs) start(o occurrence, b debugger.Breakpoint) (*session, error) {
	p, err := ps.load(o.example)
	if err != nil {
		return nil, err
	}
	s := &session{o: o, stops: make(chan debugger.Stop, 10), ends: make(chan debugger.End, 1)}
	s.e = debugger.NewEngine(p, debugger.Options{
		History: 1000, Values: true,
		OnStop: func(x debugger.Stop) { s.stops <- x },
		OnEnd:  func(x debugger.End) { s.ends <- x },
	})
	own := p.Units[len(p.Units)-1]
	for _, u := range p.Units {
		if u.Module.Dialect == o.dialect {
			own = u
		}
	}
	b.ID = 1
	if err := s.e.Breakpoints.Set("file", own.File, []*debugger.Breakpoint{&b}); err != nil {
		return s, err
	}
	if !b.Verified {
		return s, fmt.Errorf("the breakpoint is not verified: %s", b.Message)
	}
	s.e.Start()
	return s, s.wait()
}

func (s *session) close() {
	if s == nil || s.e == nil {
		return
	}
	s.e.Kill()
	if s.e.Started() {
		<-s.e.Done()
	}
}

func (s *session) wait() error {
	select {
	case s.stop = <-s.stops:
		return nil
	case s.end = <-s.ends:
		s.ended = true
		return nil
	case <-time.After(10 * time.Second):
		return errors.New("nothing happens")
	}
}

// line returns the line of the script that an offset of the example is on, from 0.
func line(o occurrence, at int) int {
	l, _ := o.script.LineCol(o.shift + at)
	return l - 1
}

// top returns the innermost frame of the running stack.
func (s *session) top() (f debugger.Frame, err error) {
	if s.ended {
		return f, errors.New("the program has ended")
	}
	err = s.e.Do(func() {
		es, _, _ := s.e.Inspector.Trace(s.stop.Stack, 0, 0)
		for _, e := range es {
			if e.Label == "" {
				f = e.Frame
				return
			}
		}
	})
	return f, err
}

// reach goes on from a breakpoint on the line of the instruction to the instruction itself.
func (s *session) reach() error {
	for range 40 {
		for range 40 {
			f, err := s.top()
			if err != nil {
				return err
			}
			if f.PC == s.o.pc && f.VM != nil && strings.Contains(f.Site.Text, s.o.body.Instrs[s.o.pc].Op.String()) &&
				f.Site.Line == line(s.o, s.o.body.Span(s.o.pc).Start)+1 {
				return nil
			}
			if f.Site.Line > line(s.o, s.o.to)+1 {
				break
			}
			if err := s.step(debugger.Over); err != nil {
				return err
			}
		}
		s.e.Resume()
		if err := s.wait(); err != nil {
			return err
		}
	}
	return errors.New("it is not reached")
}

func (s *session) step(k debugger.StepKind) error {
	if err := s.e.Stepper.Prepare(k, debugger.ByInstruction, s.stop.Stack, false); err != nil {
		return err
	}
	s.e.Resume()
	return s.wait()
}

// at starts a session that stops at the instruction of an occurrence.
func (ps *programs) at(o occurrence) (*session, error) {
	s, err := ps.start(o, debugger.Breakpoint{Line: line(o, o.body.Span(o.pc).Start)})
	if err == nil {
		err = s.reach()
	}
	return s, err
}

// provesBreak: a breakpoint on its line stops there.
func (ps *programs) provesBreak(_ *construct, o occurrence) error {
	want := line(o, o.body.Span(o.pc).Start)
	s, err := ps.start(o, debugger.Breakpoint{Line: want})
	defer s.close()
	if err != nil {
		return err
	}
	f, err := s.top()
	if err != nil {
		return err
	}
	if s.stop.Reason != debugger.AtBreakpoint || f.Site.Line != want+1 {
		return fmt.Errorf("it stops in line %d, not %d", f.Site.Line, want+1)
	}
	return nil
}

// provesStep: a step over it leads to another place; a step into it leads to the other stack, if
// control goes to one.
func (ps *programs) provesStep(c *construct, o occurrence) error {
	for _, k := range []debugger.StepKind{debugger.Over, debugger.Into} {
		s, err := ps.at(o)
		defer s.close()
		if err != nil {
			return err
		}
		before, _ := s.top()
		if err := s.step(k); err != nil {
			return err
		}
		if s.ended {
			if k == debugger.Into && transfers(c.op) {
				return errors.New("a step into it leads to the end of the program")
			}
			continue
		}
		after, err := s.top()
		if err != nil {
			return err
		}
		if after.PC == before.PC && after.Func == before.Func && after.Stack == before.Stack {
			return errors.New("a step stays at it")
		}
		moves := transfers(o.body.Instrs[o.pc].Op) && o.body.Instrs[o.pc].Op.Info().Effect != wasm.EffectBranch
		if k == debugger.Into && moves && after.Stack == before.Stack {
			return fmt.Errorf("a step into it stays on stack %d, in line %d", after.Stack, after.Site.Line)
		}
	}
	return nil
}

// takesStack reports whether an instruction has a reference to a stack as an operand, whatever the
// design is.
func takesStack(op wasm.Op) bool {
	switch op.Info().Effect {
	case wasm.EffectBind, wasm.EffectResume, wasm.EffectSwitch, wasm.EffectRetire, wasm.EffectRelease:
		return true
	}
	return false
}

// provesInspect: stopped at it, its operands have values that are shown, references to stacks with
// their number.
func (ps *programs) provesInspect(c *construct, o occurrence) error {
	s, err := ps.at(o)
	defer s.close()
	if err != nil {
		return err
	}
	f, err := s.top()
	if err != nil {
		return err
	}
	want := o.body.HeightBefore(o.pc)
	var got []string
	ids, named := 0, false
	err = s.e.Do(func() {
		ip := s.e.Inspector
		for _, vs := range [][]inspect.Var{ip.Operands(f), ip.Params(f), ip.Locals(f)} {
			for _, v := range vs {
				if v.HasValue {
					got = append(got, v.Name+" = "+ip.Show(v, false))
				}
			}
		}
		for _, v := range ip.Operands(f) {
			ids++
			named = named || strings.HasPrefix(ip.Show(v, false), "#")
		}
	})
	switch {
	case err != nil:
		return err
	case ids < want:
		return fmt.Errorf("%d operands are shown of %d", ids, want)
	case !named && takesStack(o.body.Instrs[o.pc].Op):
		return fmt.Errorf("no operand is shown as a stack: %q", got)
	}
	for _, x := range got {
		if strings.HasSuffix(x, " = ") {
			return fmt.Errorf("no value: %s", x)
		}
	}
	return nil
}

// provesTree: stopped at it, the tree has the running stack with this place.
func (ps *programs) provesTree(c *construct, o occurrence) error {
	s, err := ps.at(o)
	defer s.close()
	if err != nil {
		return err
	}
	return s.inTree(line(o, o.body.Span(o.pc).Start) + 1)
}

// inTree reports whether the tree has the running stack on a line.
func (s *session) inTree(line int) error {
	var tree string
	if err := s.e.Do(func() {
		tree = stackview.New(s.e.Stacks.Snapshot(0, true, nil)).Text(stackview.Style{})
	}); err != nil {
		return err
	}
	at := fmt.Sprintf(":%d", line)
	for _, l := range strings.Split(tree, "\n") {
		if strings.Contains(l, fmt.Sprintf("#%d ", s.stop.Stack)) && strings.Contains(l, at) {
			return nil
		}
	}
	return fmt.Errorf("no #%d at %s in\n%s", s.stop.Stack, at, tree)
}

// happens has the events that an instruction may cause, by what the table says that it does.
var happens = map[wasm.Effect][]snapshot.EventKind{
	wasm.EffectNew:     {snapshot.Create},
	wasm.EffectBind:    {snapshot.Bind},
	wasm.EffectResume:  {snapshot.Resume, snapshot.Consume}, // to throw is no resumption
	wasm.EffectSuspend: {snapshot.Suspend},
	wasm.EffectSwitch:  {snapshot.Switch},
	wasm.EffectRetire:  {snapshot.Finish},
	wasm.EffectRelease: {snapshot.Release},
}

// provesTrace: when it has been executed, the trace has the event, with its place.
func (ps *programs) provesTrace(c *construct, o occurrence) error {
	s, err := ps.at(o)
	defer s.close()
	if err != nil {
		return err
	}
	if err := s.step(debugger.Into); err != nil {
		return err
	}
	at := line(o, o.body.Span(o.pc).Start) + 1
	in := o.body.Instrs[o.pc].Op.Info()
	events, _ := s.e.History.Events()
	for i := range events {
		if events[i].At.Line == at && slices.Contains(happens[in.Effect], events[i].Kind) {
			return nil
		}
	}
	var b strings.Builder
	_ = stackview.TraceText(&b, events)
	return fmt.Errorf("no %s in line %d in\n%s", happens[in.Effect], at, &b)
}

// arrive starts a session that stops where control arrives by a clause, at a breakpoint on it.
func (ps *programs) arrive(o occurrence) (s *session, f debugger.Frame, err error) {
	at := o.at - 1 // its parenthesis
	_, col := o.script.LineCol(o.shift + at)
	if s, err = ps.start(o, debugger.Breakpoint{Line: line(o, at), Col: col}); err != nil {
		return s, f, err
	}
	if f, err = s.top(); err != nil {
		return s, f, err
	}
	if s.stop.Reason != debugger.AtBreakpoint || !slices.ContainsFunc(targets(o.body, o.pc), func(ts []place) bool {
		return slices.Contains(ts, place{f.Func.Func, f.PC})
	}) {
		return s, f, fmt.Errorf("it stops in line %d", f.Site.Line)
	}
	return s, f, nil
}

// provesClauseBreak: a breakpoint on the clause stops where control arrives by it.
func (ps *programs) provesClauseBreak(_ *construct, o occurrence) error {
	s, _, err := ps.arrive(o)
	s.close()
	return err
}

// provesClauseStep: a step from there stops at the next place.
func (ps *programs) provesClauseStep(_ *construct, o occurrence) error {
	s, before, err := ps.arrive(o)
	defer s.close()
	if err != nil {
		return err
	}
	if err := s.step(debugger.Over); err != nil {
		return err
	}
	if after, err := s.top(); err == nil && after.Site == before.Site && after.Stack == before.Stack {
		return errors.New("a step stays there")
	}
	return nil
}

// provesClauseInspect: the payload is among the operands, or is what the function was called with.
func (ps *programs) provesClauseInspect(_ *construct, o occurrence) error {
	s, f, err := ps.arrive(o)
	defer s.close()
	if err != nil {
		return err
	}
	in := &o.body.Instrs[o.pc]
	tag := in.A
	if in.Op != wasm.OpEvent {
		for _, c := range in.Ext.HandlerClauses {
			if int(c.At) == o.at-1 || int(c.At) == o.at {
				tag = c.Tag
			}
		}
	}
	m := o.mod.Declared()
	want := len(m.Types[m.Tags[tag].Type].Params)
	got := 0
	err = s.e.Do(func() { got = len(s.e.Inspector.Operands(f)) + len(s.e.Inspector.Params(f)) })
	if err == nil && got < want {
		err = fmt.Errorf("%d values are shown, the payload has %d", got, want)
	}
	return err
}

// provesClauseTree: the tree has the running stack where it arrived.
func (ps *programs) provesClauseTree(_ *construct, o occurrence) error {
	s, f, err := ps.arrive(o)
	defer s.close()
	if err != nil {
		return err
	}
	return s.inTree(f.Site.Line)
}

// provesClauseTrace: the last transfer of control in the trace has the tag.
func (ps *programs) provesClauseTrace(_ *construct, o occurrence) error {
	s, _, err := ps.arrive(o)
	defer s.close()
	if err != nil {
		return err
	}
	own := o.file.Text[o.from:o.to]
	events, _ := s.e.History.Events()
	for i := len(events) - 1; i >= 0 && i > len(events)-5; i-- {
		if events[i].Tag != "" && strings.Contains(own, events[i].Tag) {
			return nil
		}
	}
	var b strings.Builder
	_ = stackview.TraceText(&b, events)
	return fmt.Errorf("no tag of %s at the end of\n%s", own, &b)
}
