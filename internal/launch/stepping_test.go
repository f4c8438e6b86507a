package launch_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/internal/testing/suite"
	"stackscope/vm"
	"stackscope/vm/debugger"
)

// state is how a program ended: what it wrote and returned, and all that it left in its instances.
type state struct {
	output, results, err string
	instances            []string
}

// observed makes a program that reports on which machine it runs.
func observed(p *debugger.Program, mach **vm.Machine) *debugger.Program {
	q := *p
	if p.Run != nil {
		q.Run = func(ctx context.Context, r *debugger.Runner) error {
			*mach = r.Machine
			return p.Run(ctx, r)
		}
	}
	q.Prepare = func(r *debugger.Runner) debugger.Session {
		*mach = r.Machine
		if p.Prepare == nil {
			return debugger.Session{}
		}
		return p.Prepare(r)
	}
	return &q
}

// instances returns the globals, the sizes of the tables, and the contents of the memories of every
// instance.
func instances(m *vm.Machine) (out []string) {
	for _, in := range m.Instances() {
		var b strings.Builder
		fmt.Fprintf(&b, "%s:", in.Name())
		for i := uint32(0); in.Global(i) != nil; i++ {
			v := in.Global(i).Get()
			fmt.Fprintf(&b, " g%d=%x,%x,%v", i, v.Lo, v.Hi, v.Ref.IsNull())
		}
		for i := uint32(0); in.Table(i) != nil; i++ {
			t := in.Table(i)
			fmt.Fprintf(&b, " t%d=%d", i, t.Len())
			for k := uint64(0); k < min(t.Len(), 1000); k++ {
				if r := t.Get(k); !r.IsNull() {
					fmt.Fprintf(&b, ",%d", k)
				}
			}
		}
		for i := uint32(0); in.Memory(i) != nil; i++ {
			fmt.Fprintf(&b, " m%d=%d,%x", i, in.Memory(i).Pages(), sha256.Sum256(in.Memory(i).Bytes()))
		}
		out = append(out, b.String())
	}
	return out
}

// plain runs a program: a script without any debugger, another one with a debugger that has nothing
// to do.
func plain(t *testing.T, p *debugger.Program) state {
	if p.Run == nil {
		return stepped(t, p, nil, 0, nil)
	}
	var s state
	m := vm.New(p.Limits)
	err := p.Run(
		context.Background(),
		&debugger.Runner{Machine: m, Program: p, Output: func(_ debugger.Stream, text string) { s.output += text }},
	)
	if err != nil {
		s.err = err.Error()
	}
	s.instances = instances(m)
	return s
}

// kinds is one way to step: the kinds and granularities that are asked for in turn.
type kinds []struct {
	k debugger.StepKind
	g debugger.Granularity
}

// stepped steps through a program, at most limit times, and lets it run on from there.
func stepped(t *testing.T, p *debugger.Program, ks kinds, limit int, count *int) state {
	var mach *vm.Machine
	var s state
	stops, ends := make(chan debugger.Stop, 1), make(chan debugger.End, 1)
	e := debugger.NewEngine(observed(p, &mach), debugger.Options{
		StopOnEntry: limit > 0,
		OnStop:      func(x debugger.Stop) { stops <- x },
		OnEnd:       func(x debugger.End) { ends <- x },
		OnOutput:    func(_ debugger.Stream, text string, _ debugger.Site) { s.output += text },
	})
	if limit == 0 {
		if _, err := e.Filters.Set(nil); err != nil {
			t.Fatal(err)
		}
	}
	e.Start()
	timeout := time.After(5 * time.Minute)
	for n := 0; ; n++ {
		select {
		case x := <-stops:
			if n < limit {
				k := ks[n%len(ks)]
				if err := e.Stepper.Prepare(k.k, k.g, x.Stack, false); err != nil {
					t.Errorf("%s: step %d: %v", p.Path, n, err)
				}
				*count++
			}
			e.Resume()
		case x := <-ends:
			<-e.Done()
			s.results = fmt.Sprint(x.Results)
			if p.Run != nil {
				s.results = "" // a script has none
			}
			if x.Err != nil {
				s.err = x.Err.Error()
			}
			s.instances = instances(mach)
			return s
		case <-timeout:
			t.Errorf("%s: does not end after %d steps", p.Path, n)
			e.Kill()
			<-e.Done()
			return s
		}
	}
}

// TestSteppingIsRunning steps through every program of the suites and of the examples, instruction
// by instruction, and compares the end with that of a run without a debugger: output, results,
// traps, globals, tables and memories. Of each program only the first steps are made one by one, so
// that the test takes seconds; STACKSCOPE_STEPS gives another number, or `all`.
func TestSteppingIsRunning(t *testing.T) {
	limit := 1500
	if testing.Short() {
		limit = 200
	}
	switch v := os.Getenv("STACKSCOPE_STEPS"); v {
	case "":
	case "all":
		limit = math.MaxInt
	default:
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatal(err)
		}
		limit = n
	}
	files := suite.Files(t)
	examples, err := filepath.Glob(filepath.Join("..", "..", "testdata", "examples", "*", "*.wa[st]*"))
	if err != nil || len(examples) < 40 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	files = append(files, examples...)
	into := kinds{{debugger.Into, debugger.ByInstruction}}
	// Every kind of step in every granularity, on whatever stack the step before led to.
	mixed := kinds{
		{debugger.Over, debugger.ByInstruction},
		{debugger.Into, debugger.ByStatement},
		{debugger.Over, debugger.ByLine},
		{debugger.Into, debugger.ByLine},
		{
			debugger.Over, debugger.ByStatement,
		},
		{debugger.Into, debugger.ByInstruction},
		{debugger.Into, debugger.ByInstruction},
		{debugger.Out, debugger.ByStatement},
	}
	programs, steps := 0, 0
	for _, path := range files {
		p, err := launch.Load(&dap.Launch{Program: path})
		if err != nil {
			continue // an example of something wrong, or a script whose text is
		}
		programs++
		want := plain(t, p)
		for name, ks := range map[string]kinds{"by instructions": into, "by all kinds of steps": mixed} {
			got := stepped(t, p, ks, limit, &steps)
			if d := diff(want, got); d != "" {
				t.Errorf("%s, %s: %s", path, name, d)
			}
		}
	}
	t.Logf("%d programs, %d steps", programs, steps)
	if programs < 250 || steps < 50000 && limit > 1000 {
		t.Errorf("only %d programs and %d steps", programs, steps)
	}
}

// diff reports where two ends differ; empty: nowhere.
func diff(want, got state) string {
	for _, x := range []struct{ what, want, got string }{
		{"output", want.output, got.output}, {"results", want.results, got.results}, {"error", want.err, got.err},
		{"number of instances", fmt.Sprint(len(want.instances)), fmt.Sprint(len(got.instances))},
	} {
		if x.want != x.got {
			return fmt.Sprintf("%s: %.600q\nwant %.600q", x.what, x.got, x.want)
		}
	}
	for i := range want.instances {
		if want.instances[i] != got.instances[i] {
			return fmt.Sprintf("instance %.600s\nwant %.600s", got.instances[i], want.instances[i])
		}
	}
	return ""
}
