package dap_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
)

// examples are the programs of the dialect cont, debugged as an editor does it.
var examples = filepath.Join("..", "testdata", "examples", "cont")

func real(t *testing.T) *client { return connect(t, dap.Config{Load: launch.Load}) }

func example(t *testing.T, name string) string {
	t.Helper()
	p, err := filepath.Abs(filepath.Join(examples, name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lineOf returns the 1-based line of the first occurrence of a text.
func lineOf(t *testing.T, path, text string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i := strings.Index(string(b), text)
	if i < 0 {
		t.Fatalf("%s has no %q", path, text)
	}
	return 1 + strings.Count(string(b[:i]), "\n")
}

// output returns what came as output of a category so far.
func (c *client) output(category string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out strings.Builder
	for _, l := range strings.Split(c.log.String(), "\n") {
		if strings.Contains(l, `"event":"output"`) && strings.Contains(l, `"category":"`+category+`"`) {
			_, rest, _ := strings.Cut(l, `"output":"`)
			text, _, _ := strings.Cut(rest, `"`)
			out.WriteString(strings.ReplaceAll(text, `\n`, "\n"))
		}
	}
	return out.String()
}

// TestGeneratorTranscript is a session with the generator as an editor has it.
func TestGeneratorTranscript(t *testing.T) {
	p := example(t, "generator.wat")
	resume := lineOf(t, p, "(resume $gen")
	c := real(t)
	if got := c.start(map[string]any{"program": p}, resume); got != fmt.Sprintf("breakpoint #1 generator.wat:%d", resume) {
		t.Fatal(got)
	}
	f := c.frames(1)
	c.scope(f[0].Id, "Locals")
	c.must(
		"evaluate",
		godap.EvaluateArguments{Expression: "(i64.add (local.get $sum) (i64.const 7))", FrameId: f[0].Id, Context: "watch"},
		nil,
	)
	c.step("stepIn", 1, "statement")
	c.must("threads", nil, nil)
	c.step("stepOut", 2, "statement") // the generator returns only at the end: the breakpoint is met before
	c.must("setBreakpoints", godap.SetBreakpointsArguments{Source: godap.Source{Path: p}}, nil)
	c.step("next", 1, "statement")
	c.must("stackscope/stacks", map[string]any{}, nil)
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "step #1 generator.wat:47" && !strings.HasPrefix(got, "terminated") {
		t.Fatal(got)
	}
	c.must("disconnect", godap.DisconnectArguments{}, nil)
	c.golden("generator-wat")
}

// TestSchedulerThreads looks at stacks that wait in a table.
func TestSchedulerThreads(t *testing.T) {
	p := example(t, "scheduler.wat")
	c := real(t)
	c.start(map[string]any{"program": p}, lineOf(t, p, "(call $print"))
	for range 3 {
		c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
		c.stopped()
	}
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	var names []string
	for _, x := range th.Threads {
		names = append(names, x.Name)
	}
	want := `#5 $worker · running
#1 main · waiting for #5
#3 $worker · suspended at $yield scheduler.wat:70
#4 $worker · suspended at $yield scheduler.wat:70`
	if got := strings.Join(names, "\n"); got != want {
		t.Errorf("threads:\n%s", got)
	}
	frames := c.frames(th.Threads[0].Id)
	var lines []string
	for _, f := range frames {
		lines = append(lines, f.Name)
	}
	if got := strings.Join(lines, " | "); got != `$note | $worker | resumed by #1 main at scheduler.wat:48 (on $yield → $on_yield, on $spawn → $on_spawn) | $schedule | "main"` {
		t.Error(got)
	}
	// Every frame has its variables, that of the resumer and of the suspended stack too.
	if got := text(c.scope(frames[3].Id, "Locals")); !strings.HasPrefix(got, "$first=") {
		t.Error(got)
	}
	last := th.Threads[len(th.Threads)-1].Id
	sf := c.frames(last)
	if got := text(c.scope(sf[1].Id, "Locals")); !strings.HasPrefix(got, "$digit=2, $times=") {
		t.Errorf("#%d: %s", last, got)
	}
	if vs := c.scope(sf[1].Id, "Continuation"); len(vs) < 4 {
		t.Errorf("%+v", vs)
	}
	// The value in the table names the stack, and expands to it.
	var table godap.Variable
	for _, v := range c.scope(frames[0].Id, "Memory") {
		if strings.HasPrefix(v.Name, "table") {
			table = v
		}
	}
	found := false
	for _, v := range c.children(table.VariablesReference) {
		if v.VariablesReference > 0 {
			for _, x := range c.children(v.VariablesReference) {
				found = found || x.Name == "frame 0" && x.VariablesReference > 0
			}
		}
	}
	if !found {
		t.Errorf("no stack for %+v", table)
	}
}

func TestUnhandledTag(t *testing.T) {
	p := example(t, filepath.Join("wrong", "unhandled.wat"))
	c := real(t)
	if got := c.start(map[string]any{"program": p}); !strings.HasPrefix(got, "exception #3") {
		t.Fatal(got)
	}
	var b godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 3}, &b)
	if b.ExceptionId != "unhandled tag $spawn" || len(b.Details.InnerException) != 3 ||
		!strings.Contains(b.Description, "it handles only $yield") {
		t.Errorf("%+v", b)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 3}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Fatal(got)
	}
	if got := c.output("stderr"); !strings.Contains(got, "unhandled tag $spawn") ||
		!strings.Contains(got, "resumed by #2 $relay") {
		t.Error(got)
	}
}

func TestFilters(t *testing.T) {
	p := example(t, filepath.Join("wrong", "trap-deep.wat"))
	c := real(t)
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.await("initialized", nil)
	c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{"unhandled"}}, nil)
	c.must("configurationDone", nil, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
	c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{"trap"}}, nil)
	c.must("restart", map[string]any{}, nil)
	if got := c.stopped(); got != "exception #3 trap-deep.wat:11" {
		t.Error(got)
	}
}

// TestRemainingRequests uses what no other test does.
func TestRemainingRequests(t *testing.T) {
	p := example(t, "generator.wat")
	c := real(t)
	c.start(map[string]any{"program": p}, lineOf(t, p, "(suspend $yield"))
	f := c.frames(2)[0].Id
	var comp godap.CompletionsResponseBody
	c.must("completions", godap.CompletionsArguments{FrameId: f, Text: "$l", Column: 3}, &comp)
	if len(comp.Targets) != 1 || comp.Targets[0].Label != "$length" {
		t.Errorf("completions: %+v", comp)
	}
	c.must("completions", godap.CompletionsArguments{FrameId: f, Text: "(i32.ad", Column: 8}, &comp)
	if len(comp.Targets) != 1 || comp.Targets[0].Label != "i32.add" {
		t.Errorf("completions: %+v", comp)
	}
	var mods godap.ModulesResponseBody
	c.must("modules", map[string]any{}, &mods)
	if mods.TotalModules != 1 || mods.Modules[0].Name != "$generator" {
		t.Errorf("modules: %+v", mods)
	}
	var ls godap.LoadedSourcesResponseBody
	c.must("loadedSources", nil, &ls)
	if len(ls.Sources) != 1 || ls.Sources[0].Path != p {
		t.Errorf("sources: %+v", ls)
	}
	var src godap.SourceResponseBody
	c.must("source", godap.SourceArguments{Source: &ls.Sources[0]}, &src)
	if !strings.Contains(src.Content, "(module $generator") {
		t.Error("the source's text is missing")
	}
	// Memory: 0, 1, 2 … as i64.
	var ref string
	for _, v := range c.scope(f, "Memory") {
		if v.MemoryReference != "" {
			ref = v.MemoryReference
		}
	}
	var rm godap.ReadMemoryResponseBody
	c.must("readMemory", godap.ReadMemoryArguments{MemoryReference: ref, Offset: 8, Count: 9}, &rm)
	if b, _ := base64.StdEncoding.DecodeString(rm.Data); len(b) != 9 || b[0] != 1 || b[8] != 2 || rm.Address != "0x8" {
		t.Errorf("memory: %+v", rm)
	}
	c.must(
		"writeMemory",
		godap.WriteMemoryArguments{
			MemoryReference: ref, Offset: 8, Data: base64.StdEncoding.EncodeToString([]byte{100}),
		},
		nil,
	)
	var ev godap.EvaluateResponseBody
	c.must("evaluate", godap.EvaluateArguments{Expression: "(i64.load (i32.const 8))", FrameId: f, Context: "repl"}, &ev)
	if ev.Result != "100" || ev.Type != "i64" {
		t.Errorf("evaluate: %+v", ev)
	}
	c.must(
		"evaluate",
		godap.EvaluateArguments{
			Expression: "(i64.load (i32.const 8))", FrameId: f, Context: "watch",
			Format: &godap.ValueFormat{Hex: true},
		},
		&ev,
	)
	if ev.Result != "0x64" {
		t.Errorf("hex: %+v", ev)
	}
	if m := c.refused("evaluate", godap.EvaluateArguments{Expression: "(i32.div_u (i32.const 1) (i32.const 0))", FrameId: f, Context: "watch"}); !strings.Contains(
		m,
		"divide by zero",
	) {
		t.Error(m)
	}
	if m := c.refused("evaluate", godap.EvaluateArguments{Expression: "(loop $x (br $x))", FrameId: f, Context: "watch"}); !strings.Contains(
		m,
		"takes longer than",
	) {
		t.Error(m)
	}
	c.must(
		"evaluate",
		godap.EvaluateArguments{Expression: "(local.set $i (i32.const 999))", FrameId: f, Context: "repl"}, nil,
	)
	if got := text(c.scope(f, "Locals")); got != "$i=999" {
		t.Errorf("an assignment gives %s", got)
	}
	var locs godap.EvaluateResponseBody
	c.must("evaluate", godap.EvaluateArguments{Expression: "#1", FrameId: f, Context: "watch"}, &locs)
	if locs.VariablesReference == 0 {
		t.Errorf("#1: %+v", locs)
	}
	for _, v := range c.scope(f, "Handler clauses") {
		_ = v
	}
	// A single thread: stop when this stack gives up control.
	c.must("setBreakpoints", godap.SetBreakpointsArguments{Source: godap.Source{Path: p}}, nil)
	c.must("continue", godap.ContinueArguments{ThreadId: 2, SingleThread: true}, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "step #1 generator.wat:") {
		t.Error(got)
	}
	// A request that is cancelled while it waits is answered as such, or was too fast.
	m := <-c.Send("threads", nil)
	c.must("cancel", godap.CancelArguments{RequestId: m.RequestSeq + 1000}, nil)
}

// TestLocations follows a location reference.
func TestLocations(t *testing.T) {
	p := example(t, "generator.wat")
	c := real(t)
	c.start(map[string]any{"program": p}, lineOf(t, p, "(suspend $yield"))
	f := c.frames(2)[0].Id
	var sc godap.ScopesResponseBody
	c.must("scopes", godap.ScopesArguments{FrameId: f}, &sc)
	for _, s := range sc.Scopes {
		if s.Name != "Handler clauses" {
			continue
		}
		var vs struct {
			Variables []struct {
				ValueLocationReference int `json:"valueLocationReference"`
			} `json:"variables"`
		}
		c.must("variables", godap.VariablesArguments{VariablesReference: s.VariablesReference}, &vs)
		var loc struct{ Line int }
		c.must("locations", map[string]any{"locationReference": vs.Variables[0].ValueLocationReference}, &loc)
		if want := lineOf(t, p, "(local.set $k)"); loc.Line != want {
			t.Errorf("line %d, want %d", loc.Line, want)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestStepEverything steps the examples, those of the other designs that have a drive script too,
// instruction by instruction, to their ends: that must give what a run returns.
func TestStepEverything(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(examples, "*.wat"))
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	driven, err := filepath.Glob(filepath.Join(filepath.Dir(examples), "*", "*.drive"))
	if err != nil || len(driven) == 0 {
		t.Fatal("no drive scripts", err)
	}
	for _, f := range driven {
		if f = strings.TrimSuffix(f, ".drive") + ".wat"; !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	run := func(path string, step bool) (string, int) {
		l := &dap.Launch{Program: path}
		if drive := strings.TrimSuffix(path, ".wat") + ".drive"; exists(drive) {
			l.Drive = drive
		}
		p, err := launch.Load(l)
		if err != nil {
			t.Fatal(err)
		}
		stops, ends := make(chan debugger.Stop, 1), make(chan debugger.End, 1)
		var out strings.Builder
		e := debugger.NewEngine(
			p,
			debugger.Options{
				StopOnEntry: step, OnStop: func(s debugger.Stop) { stops <- s },
				OnEnd:    func(x debugger.End) { ends <- x },
				OnOutput: func(_ debugger.Stream, s string, _ debugger.Site) { out.WriteString(s) },
			},
		)
		e.Start()
		for n := 0; ; n++ {
			select {
			case <-stops:
				kind, gran := debugger.Into, debugger.ByInstruction
				if n > 3000 { // long enough
					kind = debugger.Run
				}
				if err := e.Stepper.Prepare(kind, gran, 0, false); err != nil {
					t.Fatal(err)
				}
				e.Resume()
			case x := <-ends:
				for _, v := range x.Results {
					out.WriteString(e.Symbols.Constant(v) + "\n")
				}
				return out.String() + x.Text, n
			}
		}
	}
	for _, f := range files {
		want, _ := run(f, false)
		if strings.HasPrefix(want, "unknown import") {
			continue // it runs on a host of its own
		}
		got, n := run(f, true)
		if got != want || n < 10 {
			t.Errorf("%s: %d steps give\n%swant\n%s", filepath.Base(f), n, got, want)
		}
	}
}

func TestScript(t *testing.T) {
	p := example(t, "generator.wast")
	c := real(t)
	wat := example(t, "generator.wat")
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.await("initialized", nil)
	if b := c.breakpoints(wat, lineOf(t, wat, "(call $fill")); b[0].Verified {
		t.Errorf("verified before the module is known: %+v", b)
	}
	c.must("configurationDone", nil, nil)
	for range 5 {
		if got := c.stopped(); !strings.HasPrefix(got, "breakpoint #") {
			t.Fatal(got)
		}
		c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	}
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
	if got := c.output("console"); !strings.Contains(got, "6 passed, 0 failed") {
		t.Error(got)
	}
}

func TestWrongProgram(t *testing.T) {
	c := real(t)
	c.initialize()
	m := c.refused("launch", map[string]any{"program": example(t, filepath.Join("wrong", "label.wat"))})
	if !strings.Contains(m, "label.wat:") {
		t.Error(m)
	}
	if got := c.output("stderr"); got == "" {
		t.Error("the diagnostics are not on the console")
	}
}
