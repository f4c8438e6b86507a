package debugger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stackscope/internal/testing/testprog"
	. "stackscope/vm/debugger"
	"stackscope/wasm"
)

// driver runs an engine step by step.
type driver struct {
	t     *testing.T
	e     *Engine
	stops chan Stop
	ends  chan End
	out   *strings.Builder
	end   *End
}

func drive(t *testing.T, p *Program, o Options) *driver {
	d := &driver{t: t, stops: make(chan Stop, 10), ends: make(chan End, 1), out: &strings.Builder{}}
	o.OnStop = func(s Stop) { d.stops <- s }
	o.OnEnd = func(e End) { d.ends <- e }
	o.OnOutput = func(_ Stream, s string, _ Site) { d.out.WriteString(s) }
	d.e = NewEngine(p, o)
	t.Cleanup(func() {
		d.e.Kill()
		if d.e.Started() {
			<-d.e.Done()
		}
	})
	return d
}

// wait returns where the program is stopped next: `breakpoint #1 27`, `end`.
func (d *driver) wait() string {
	d.t.Helper()
	select {
	case s := <-d.stops:
		where := ""
		if err := d.e.Do(func() {
			es, _, _ := d.e.Inspector.Trace(s.Stack, 0, 0)
			for _, x := range es {
				if x.Label == "" {
					where = fmt.Sprintf("#%d %d", x.Frame.Stack, x.Frame.Site.Line)
					break
				}
			}
		}); err != nil {
			d.t.Fatal(err)
		}
		return where
	case e := <-d.ends:
		d.end = &e
		if e.Err != nil {
			return "error: " + e.Err.Error()
		}
		return "end"
	case <-time.After(5 * time.Second):
		d.t.Fatal("nothing happens")
	}
	return ""
}

func (d *driver) do(k StepKind, g Granularity, stack StackID, stay bool) string {
	d.t.Helper()
	if err := d.e.Stepper.Prepare(k, g, stack, stay); err != nil {
		d.t.Fatal(err)
	}
	d.e.Resume()
	return d.wait()
}

func (d *driver) breakAt(lines ...int) {
	d.t.Helper()
	var bs []*Breakpoint
	for i, l := range lines {
		bs = append(bs, &Breakpoint{ID: i + 1, Line: l - 1})
	}
	if err := d.e.Breakpoints.Set("file", d.e.Program().Units[0].File, bs); err != nil {
		d.t.Fatal(err)
	}
	for _, b := range bs {
		if !b.Verified {
			d.t.Fatal(b.Message)
		}
	}
}

func TestRunToEnd(t *testing.T) {
	d := drive(t, testprog.Generator().Program("main"), Options{})
	d.e.Start()
	if got := d.wait(); got != "end" || d.end.Results[0].I32() != 6 {
		t.Fatalf("%s %v", got, d.end)
	}
}

// TestLaw drives the step semantics on a machine. Every program has one instruction on a line.
func TestLaw(t *testing.T) {
	type step struct {
		kind  StepKind
		gran  Granularity
		stack StackID
		stay  bool
		want  string
	}
	over := func(want string) step { return step{Over, ByStatement, 0, false, want} }
	into := func(want string) step { return step{Into, ByStatement, 0, false, want} }
	out := func(want string) step { return step{Out, ByStatement, 0, false, want} }
	cont := func(want string) step { return step{Run, ByStatement, 0, false, want} }
	for name, c := range map[string]struct {
		breaks []int
		first  string
		steps  []step
	}{
		"entry":                        {nil, "#1 21", []step{over("#1 22"), over("#1 23"), over("#1 24")}},
		"next at resume: suspends":     {[]int{27}, "#1 27", []step{over("#1 31"), over("#1 32")}},
		"stepIn at resume: fresh":      {[]int{27}, "#1 27", []step{into("#2 2"), into("#2 3")}},
		"stepIn at suspend":            {[]int{8}, "#2 8", []step{into("#1 31")}},
		"next at suspend":              {[]int{8}, "#2 8", []step{over("#2 9"), over("#2 10")}},
		"next over call":               {[]int{33}, "#1 33", []step{over("#1 34")}},
		"stepIn call, stepOut":         {[]int{33}, "#1 33", []step{into("#1 16"), out("#1 34")}},
		"stepIn resume: after suspend": {[]int{33}, "#1 33", []step{over("#1 34"), over("#1 35"), over("#1 24"), over("#1 25"), over("#1 26"), over("#1 27"), into("#2 9")}},
		"stepOut of a base frame":      {[]int{3}, "#2 3", []step{cont("#2 3"), cont("#2 3"), out("#1 28")}},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, testprog.Generator().Program("main"), Options{StopOnEntry: len(c.breaks) == 0})
			if len(c.breaks) > 0 {
				d.breakAt(c.breaks...)
			}
			d.e.Start()
			if got := d.wait(); got != c.first {
				t.Fatalf("first stop at %s, want %s", got, c.first)
			}
			if strings.Contains(name, "suspend") || strings.Contains(name, "call") {
				if err := d.e.Breakpoints.Set("file", nil, nil); err != nil {
					t.Fatal(err)
				}
			}
			for i, s := range c.steps {
				if got := d.do(s.kind, s.gran, s.stack, s.stay); got != s.want {
					t.Fatalf("step %d (%s) leads to %s, want %s", i+1, s.kind, got, s.want)
				}
			}
		})
	}
}

// TestStepToEnd steps instruction by instruction to the end: the result is that of a plain run.
func TestStepToEnd(t *testing.T) {
	for _, k := range []StepKind{Over, Into} {
		d := drive(t, testprog.Generator().Program("main"), Options{StopOnEntry: true})
		d.e.Start()
		at := d.wait()
		n := 0
		for at != "end" && n < 1000 {
			at = d.do(k, ByInstruction, 0, false)
			n++
		}
		if at != "end" || d.end.Results[0].I32() != 6 {
			t.Errorf("%s: %s after %d steps: %+v", k, at, n, d.end)
		}
	}
}

func TestInspection(t *testing.T) {
	d := drive(t, testprog.Generator().Program("main"), Options{History: 100})
	d.breakAt(8)
	d.e.Start()
	d.wait()
	var b strings.Builder
	if err := d.e.Do(func() {
		es, _, _ := d.e.Inspector.Trace(2, 0, 0)
		for _, x := range es {
			if x.Label != "" {
				fmt.Fprintf(&b, "-- %s\n", x.Label)
				continue
			}
			f := x.Frame
			fmt.Fprintf(&b, "%s %d\n", f.Title, f.Site.Line)
			for _, s := range []struct {
				n  string
				vs []Var
			}{{"local", d.e.Inspector.Locals(f)}, {"operand", d.e.Inspector.Operands(f)}, {"handler", d.e.Inspector.HandlerClauses(f)}} {
				for _, v := range s.vs {
					text := v.Text
					if v.HasValue {
						text = d.e.Symbols.Preview(v.Value, false)
					}
					fmt.Fprintf(&b, "  %s %s: %s = %s\n", s.n, v.Name, v.Type, text)
				}
			}
		}
		for _, s := range d.e.Stacks.Snapshot(0, true, nil).Stacks {
			fmt.Fprintln(&b, s.Title())
		}
	}); err != nil {
		t.Fatal(err)
	}
	want := `$gen 8
  local $i: i32 = 1
  operand [0] top: i32 = 1
  handler on $yield:  = test.wat:31, in #1 $main
-- resumed by #1 main at test.wat:27 (on $yield → test.wat:31)
$main 27
  local $k: (ref 1) = #2 $gen · consumed, resumed by #1 at test.wat:27
  local $sum: i32 = 0
  handler on $yield:  = test.wat:31, in #1 $main
#2 $gen · running
#1 main · waiting for #2
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestPauseAndKill(t *testing.T) {
	b := testprog.New()
	b.Func(
		"main", b.FuncType(nil, nil), nil, nil, testprog.Block(wasm.OpLoop, 0), testprog.Op(wasm.OpBr, 0),
		testprog.Op(wasm.OpEnd),
	)
	d := drive(t, b.Program("main"), Options{})
	d.e.Start()
	done := false
	if err := d.e.Do(func() { done = true }); err != nil || !done {
		t.Fatalf("Do while running: %v", err)
	}
	d.e.Pause()
	if got := d.wait(); !strings.HasPrefix(got, "#1") {
		t.Fatalf("paused at %s", got)
	}
	d.e.Kill()
	if got := d.wait(); !strings.HasPrefix(got, "error: interrupted") || !d.end.Killed {
		t.Fatalf("killed: %s", got)
	}
}

// fib is a program whose $main calls a recursive function and then a continuation that does.
func fib(n int32) *testprog.Builder {
	b := testprog.New()
	ft := b.FuncType([]wasm.ValType{wasm.I32}, []wasm.ValType{wasm.I32})
	mt := b.FuncType(nil, []wasm.ValType{wasm.I32})
	b.Func("fib", ft, []string{"n"}, nil, // 1
		testprog.Op(wasm.OpLocalGet, 0),                       // 2
		testprog.I32(2),                                       // 3
		testprog.Op(wasm.OpI32LtU),                            // 4
		testprog.Block(wasm.OpIf, wasm.BlockResult(wasm.I32)), // 5
		testprog.Op(wasm.OpLocalGet, 0),                       // 6
		testprog.Op(wasm.OpElse),                              // 7
		testprog.Op(wasm.OpLocalGet, 0),                       // 8
		testprog.I32(1),                                       // 9
		testprog.Op(wasm.OpI32Sub),                            // 10
		testprog.Op(wasm.OpCall, 0),                           // 11
		testprog.Op(wasm.OpLocalGet, 0),                       // 12
		testprog.I32(2),                                       // 13
		testprog.Op(wasm.OpI32Sub),                            // 14
		testprog.Op(wasm.OpCall, 0),                           // 15
		testprog.Op(wasm.OpI32Add),                            // 16
		testprog.Op(wasm.OpEnd),                               // 17
	)
	b.Func("main", mt, nil, nil, // 19
		testprog.I32(n),             // 20
		testprog.Op(wasm.OpCall, 0), // 21
		testprog.I32(1),             // 22
		testprog.Op(wasm.OpI32Add),  // 23
	)
	return b
}

// TestHurry steps over millions of instructions: that must not take single steps.
func TestHurry(t *testing.T) {
	d := drive(t, fib(24).Program("main"), Options{StopOnEntry: true})
	d.e.Start()
	d.wait()
	d.do(Over, ByStatement, 0, false)
	begin := time.Now()
	if got := d.do(Over, ByStatement, 0, false); got != "#1 22" {
		t.Errorf("step over a call leads to %s", got)
	}
	t.Logf("%v", time.Since(begin))
	// Step out of a deep recursion, and over calls inside it.
	d = drive(t, fib(12).Program("main"), Options{})
	d.breakAt(6)
	d.e.Start()
	d.wait()
	if err := d.e.Breakpoints.Set("file", nil, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 11 {
		want := "#1 12"
		if got := d.do(Out, ByStatement, 0, false); got != want {
			t.Fatalf("step out %d leads to %s, want %s", i, got, want)
		}
	}
	if got := d.do(Out, ByStatement, 0, false); got != "#1 22" {
		t.Fatalf("the last step out leads to %s", got)
	}
}
