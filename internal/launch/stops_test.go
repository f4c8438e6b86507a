package launch_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/internal/testing/annotated"
	"stackscope/internal/testing/suite"
	"stackscope/vm"
	"stackscope/vm/debugger"
)

// follower is an engine that takes the steps it is told to take.
type follower struct {
	e     *debugger.Engine
	stops chan debugger.Stop
	ends  chan debugger.End
	stop  debugger.Stop
	mach  *vm.Machine
}

// source returns the file of source of a name, nil if the program has none.
func (f *follower) source(name string) (found *debugger.Source) {
	for _, s := range f.e.Symbols.Sources() {
		if filepath.Base(s.Name) == name {
			found = s
		}
	}
	return found
}

func follow(p *debugger.Program, single bool) *follower {
	f := &follower{stops: make(chan debugger.Stop, 1), ends: make(chan debugger.End, 1)}
	f.e = debugger.NewEngine(observed(p, &f.mach), debugger.Options{
		StopOnEntry: true, SingleSteps: single, Patience: 2,
		OnStop: func(s debugger.Stop) { f.stops <- s },
		OnEnd:  func(e debugger.End) { f.ends <- e },
	})
	return f
}

// breakAt sets a breakpoint on every line that where asks for, with a condition.
func (f *follower) breakAt(condition string, where func(line int) bool) error {
	done := map[*debugger.Source]bool{}
	for i, file := range f.e.Symbols.Sources() {
		if done[file] {
			continue
		}
		done[file] = true
		lines := file.NumLines()
		if file.External() != nil {
			lines = 50
		}
		var bs []*debugger.Breakpoint
		for line := range min(lines, 2000) {
			if where(line) {
				bs = append(bs, &debugger.Breakpoint{ID: line + 1, Line: line, Condition: condition})
			}
		}
		if err := f.e.Breakpoints.Set(fmt.Sprint(i), file, bs); err != nil {
			return err
		}
	}
	return nil
}

// wait describes where the program stops next, or how it ends.
func (f *follower) wait() (where string, ended bool) {
	select {
	case s := <-f.stops:
		f.stop = s
		text := fmt.Sprintf("reason %d, stack #%d, %q", s.Reason, s.Stack, s.Text)
		_ = f.e.Do(func() {
			lines, _, _ := f.e.Inspector.Trace(s.Stack, 0, 0)
			for _, x := range lines {
				if x.Label == "" {
					text += fmt.Sprintf(", %s pc %d depth %d at %s", x.Frame.Title, x.Frame.PC, x.Frame.Depth,
						x.Frame.Site.Full())
					break
				}
			}
		})
		return text, false
	case e := <-f.ends:
		<-f.e.Done()
		return fmt.Sprintf("end: %v %v %s", e.Results, e.Err, e.Pending), true
	case <-time.After(5 * time.Minute):
		return "it does not stop", true
	}
}

// others lists the stacks besides the one that the program stopped on.
func (f *follower) others() (ids []debugger.StackID) {
	_ = f.e.Do(func() {
		for _, s := range f.e.Stacks.Threads(8, nil).Stacks {
			if s.ID != f.stop.Stack {
				ids = append(ids, s.ID)
			}
		}
	})
	return ids
}

// targets lists where a step into the statement can lead.
func (f *follower) targets() (ts []debugger.StepTarget) {
	_ = f.e.Do(func() {
		if lines, _, _ := f.e.Inspector.Trace(f.stop.Stack, 0, 1); len(lines) > 0 && lines[0].Label == "" {
			ts = f.e.Stepper.Targets(lines[0].Frame)
		}
	})
	return ts
}

// move is what a follower is told to do.
type move struct {
	kind   debugger.StepKind
	gran   debugger.Granularity
	stack  debugger.StackID
	target int // of a step into a target: which one, counted from 1
}

func (f *follower) move(m move) error {
	var err error
	if m.target > 0 {
		err = f.e.Stepper.PrepareTarget(f.targets()[m.target-1], m.gran)
	} else {
		err = f.e.Stepper.Prepare(m.kind, m.gran, m.stack, false)
	}
	f.e.Resume()
	return err
}

// choose picks what to do next.
func (f *follower) choose(r *rand.Rand) move {
	m := move{
		gran:  []debugger.Granularity{debugger.ByStatement, debugger.ByLine, debugger.ByInstruction}[r.IntN(3)],
		stack: f.stop.Stack,
	}
	switch n := r.IntN(20); {
	case m.stack == debugger.ScriptThread:
		m.kind = debugger.Into // a step out ends the script
		if n < 4 {
			m.kind = debugger.Over
		}
		return m
	case n < 10:
		m.kind = debugger.Over
	case n < 18:
		m.kind = debugger.Into
	case n < 19:
		m.kind = debugger.Out
	default:
		m.kind = debugger.Run // finishes a step that a breakpoint has interrupted
	}
	if r.IntN(20) == 0 {
		if ids := f.others(); len(ids) > 0 {
			m.stack = ids[r.IntN(len(ids))]
		}
	} else if r.IntN(5) == 0 {
		if ts := f.targets(); len(ts) > 0 {
			m.target = 1 + r.IntN(len(ts))
		}
	}
	return m
}

func (f *follower) close() {
	f.e.Kill()
	if f.e.Started() {
		<-f.e.Done()
	}
}

// sameStops takes the same random steps, at most limit, with two engines: one runs at full speed
// while a step waits for its frame, the other executes every instruction by itself. They must stop
// at the same places.
func sameStops(t *testing.T, p *debugger.Program, seed uint64, limit int) (steps int) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(filepath.Base(p.Path)))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	fast, slow := follow(p, false), follow(p, true)
	defer fast.close()
	defer slow.close()
	var err error
	switch r.IntN(3) {
	case 0: // breakpoints that never stop must not hide a place that a step waits for
		err = fast.breakAt("0", func(int) bool { return true })
	case 1: // some that interrupt steps
		n := r.IntN(7)
		some := func(line int) bool { return line%7 == n }
		err = errors.Join(fast.breakAt("", some), slow.breakAt("", some))
	}
	if err != nil {
		t.Fatal(err)
	}
	fast.e.Start()
	slow.e.Start()
	history := ""
	for ; ; steps++ {
		want, ended := slow.wait()
		if got, _ := fast.wait(); got != want {
			t.Errorf("%s, seed %d, step %d: %s\nat full speed:  %s\nsingle-stepped: %s", p.Path, seed, steps, history,
				got, want)
			return steps
		}
		if ended || steps == limit {
			return steps
		}
		m := fast.choose(r)
		history = fmt.Sprintf("%+v from %s", m, want)
		if a, b := fast.move(m), slow.move(m); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s, seed %d, step %d: %s: %v, single-stepped %v", p.Path, seed, steps, history, a, b)
			return steps
		}
	}
}

// withSource returns a program with debugging information that is made up.
func withSource(p *debugger.Program, seed uint64) *debugger.Program {
	q := *p
	q.Units = nil
	r := rand.New(rand.NewPCG(seed, 7))
	for _, u := range p.Units {
		c := *u
		c.Info = annotated.Random(u.Module, r)
		q.Units = append(q.Units, &c)
	}
	return &q
}

// TestStopsOfSteps compares the stops of steps over, into and out in every granularity at full
// speed with the stops of the same steps by single instructions, over the suites and the programs
// of all designs. By default it takes a sample; STACKSCOPE_LONG=N takes N random walks of 1,000
// steps through each program.
func TestStopsOfSteps(t *testing.T) {
	walks, limit := 0, 40
	if v := os.Getenv("STACKSCOPE_LONG"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatal(err)
		}
		walks, limit = n, 1000
	}
	var own []string
	for _, pattern := range []string{"examples/*/*.wa[st]*", "examples/*/*/*.wa[st]*", "dialects/*/*.wast"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d programs, %v", pattern, len(found), err)
		}
		own = append(own, found...)
	}
	programs, steps := 0, 0
	run := func(files []string, walks int, limit int, every int) {
		for i, path := range files {
			if i%every != 0 {
				continue
			}
			p, err := launch.Load(&dap.Launch{Program: path})
			if err != nil {
				continue // an example of something wrong
			}
			programs++
			for seed := range walks {
				steps += sameStops(t, p, uint64(seed), limit)
				if seed == 0 || walks > 3 {
					steps += sameStops(t, withSource(p, uint64(seed)), uint64(seed), limit)
				}
			}
		}
	}
	if walks > 0 {
		run(own, walks, limit, 1)
		run(suite.Files(t), walks, limit, 1)
	} else {
		run(own, 3, 60, 1)
		if !testing.Short() {
			run(suite.Files(t), 1, limit, 7)
		}
	}
	t.Logf("%d programs, %d steps", programs, steps)
	if programs < 50 || steps < 2000 {
		t.Errorf("only %d programs and %d steps", programs, steps)
	}
}

// TestBreakpointsDuringStep sets and removes breakpoints while a step over a call runs: the step
// still ends.
func TestBreakpointsDuringStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wait.wat")
	text := `(module
  (global $go (mut i32) (i32.const 0))
  (func $wait
    (loop $again
      (br_if $again (i32.eqz (global.get $go)))))
  (func (export "main")
    (call $wait)
    (nop)
    (nop)))
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := launch.Load(&dap.Launch{Program: path})
	if err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string][][]int{"removed": {{7}, nil}, "added": {nil, {7}, {2, 7}}} {
		f := follow(p, false)
		defer f.close()
		set := func(lines []int) {
			in := func(line int) bool { return slices.Contains(lines, line) }
			if err := f.breakAt("0", in); err != nil {
				t.Fatal(err)
			}
		}
		set(lines[0])
		f.e.Start()
		f.wait()
		if err := f.move(move{kind: debugger.Over}); err != nil {
			t.Fatal(err)
		}
		for _, ls := range lines[1:] {
			set(ls)
		}
		if err := f.e.Do(func() { f.mach.Instances()[0].Global(0).Set(vm.I32(1)) }); err != nil {
			t.Fatal(err)
		}
		if got, _ := f.wait(); !strings.Contains(got, "wait.wat:8:") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
