package dap_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
)

// wat writes a program to a file of its own.
func wat(t testing.TB, text string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "prog.wat")
	if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

// stacksOf returns the flat list of stacks that stackscope/stacks tells of.
func (c *client) stacksOf() map[int]map[string]any {
	c.t.Helper()
	var raw json.RawMessage
	c.must("stackscope/stacks", map[string]any{}, &raw)
	var tree struct{ Stacks []map[string]any }
	if err := json.Unmarshal(raw, &tree); err != nil {
		c.t.Fatal(err)
	}
	out := map[int]map[string]any{}
	var walk func([]any)
	walk = func(ns []any) {
		for _, n := range ns {
			m := n.(map[string]any)
			out[int(m["id"].(float64))] = m
			if ch, ok := m["children"].([]any); ok {
				walk(ch)
			}
		}
	}
	for _, s := range tree.Stacks {
		walk([]any{s})
	}
	return out
}

// TestCreator reads who made a stack and how often it was resumed.
func TestCreator(t *testing.T) {
	c := connect(t, dap.Config{})
	if got := c.start(prog, 31); got != "breakpoint #1 test.wat:31" {
		t.Fatal(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	c.stopped()
	s := c.stacksOf()[2]
	if s["createdBy"] != 1.0 || s["resumes"] != 2.0 {
		t.Errorf("created by %v, resumed %v times", s["createdBy"], s["resumes"])
	}
}

const structs = `(module
  (type $point (struct (field $x (mut i32)) (field $y i64) (field f32)))
  (global $g (mut i32) (i32.const 0))
  (func (export "main") (result i32) (local $p (ref null $point)) (local $i i32)
    (local.set $p (struct.new $point (i32.const 3) (i64.const 4) (f32.const 0.5)))
    (loop $l
      (global.set $g (i32.mul (local.get $i) (i32.const 2)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $l (i32.lt_u (local.get $i) (i32.const 20))))
    (struct.get $point $x (local.get $p))))
`

// TestFieldNames reads fields of a structure by name.
func TestFieldNames(t *testing.T) {
	p := wat(t, structs)
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p}, lineOf(t, p, "(loop"))
	vs := c.scope(c.frames(1)[0].Id, "Locals")
	if got := text(c.children(vs[0].VariablesReference)); got != "$x=3, $y=4, 2=0.5" {
		t.Error(got)
	}
}

// TestConditions stops where compiled conditions are true.
func TestConditions(t *testing.T) {
	p := wat(t, structs)
	line := lineOf(t, p, "(br_if")
	for cond, want := range map[string]string{
		"$i == 5":                                   "5",
		"(i32.eq (local.get $i) (i32.const 6))":     "6",
		"(i32.gt_s (global.get $g) (i32.const 13))": "8",
		"(i64.eq (i64.extend_i32_s (local.get $i)) (i64.const 9)) == 1": "9",
		"$g >= 20": "11",
		"$i > 3.5": "4",
		"$i > 2 && $g != 4 && (i32.ne (local.get $i) (i32.const 4))": "5",
		"$i == 100 || $i == 6":                                                               "6",
		"!($i < 8 || $i == 8)":                                                               "9",
		"($i == 7) && !($g == 1 || !$i)":                                                     "7",
		"$i > 5 && (block (result i32) (i32.const 1))":                                       "6",
		"(i32.eqz (i32.sub (local.get $i) (i32.const 12)))":                                  "12",
		"(i32.eq (i32.popcnt (local.get $i)) (i32.const 3))":                                 "7",
		"(block (result i32) (i32.and (i32.const 1) (i32.eq (local.get 1) (i32.const 13))))": "13",
	} {
		c := connect(t, dap.Config{Load: launch.Load})
		c.initialize()
		c.must("launch", map[string]any{"program": p}, nil)
		c.await("initialized", nil)
		var b godap.SetBreakpointsResponseBody
		c.must(
			"setBreakpoints",
			godap.SetBreakpointsArguments{
				Source:      godap.Source{Path: p},
				Breakpoints: []godap.SourceBreakpoint{{Line: line, Condition: cond}},
			},
			&b,
		)
		if !b.Breakpoints[0].Verified {
			t.Errorf("%s: %s", cond, b.Breakpoints[0].Message)
			continue
		}
		c.must("configurationDone", nil, nil)
		if got := c.stopped(); got == "terminated" {
			t.Errorf("%s: never true", cond)
			continue
		}
		vs := text(c.scope(c.frames(1)[0].Id, "Locals"))
		if !strings.HasSuffix(vs, "$i="+want) {
			t.Errorf("%s: %s", cond, vs)
		}
	}
}

const loop = `(module (func (export "main") (local $i i32)
  (loop $l
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $l (i32.lt_u (local.get $i) (i32.const 1000000))))))
`

// BenchmarkCondition measures a million evaluations of a condition that is never true.
func BenchmarkCondition(b *testing.B) {
	for _, cond := range []string{"$i == -1", "(i32.eq (local.get $i) (i32.const -1))"} {
		b.Run(cond, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := wat(b, loop)
				runWithCondition(b, p, 4, cond)
			}
		})
	}
}

// filtered launches a program with exception filters and gives the messages of those refused.
func (c *client) filtered(program string, options ...godap.ExceptionFilterOptions) []string {
	c.t.Helper()
	c.initialize()
	c.must("launch", map[string]any{"program": program}, nil)
	c.await("initialized", nil)
	var b godap.SetExceptionBreakpointsResponseBody
	c.must(
		"setExceptionBreakpoints",
		godap.SetExceptionBreakpointsArguments{Filters: []string{}, FilterOptions: options}, &b,
	)
	var out []string
	for _, x := range b.Breakpoints {
		if !x.Verified {
			out = append(out, x.Message)
		}
	}
	c.must("configurationDone", nil, nil)
	return out
}

// TestControlEvents stops at control events, narrowed by tag, stack and function.
func TestControlEvents(t *testing.T) {
	for _, x := range []struct{ filter, cond, want string }{
		{"create", "", "exception #1 test.wat:22 create: create of a stack for $gen in #1 main"},
		{"resume", "", "exception #1 test.wat:27 resume: resume of #2 $gen by #1 main"},
		{"resume", "#2 and function $main", "exception #1 test.wat:27 resume: resume of #2 $gen by #1 main"},
		{"resume", "tag $yield", "exception #1 test.wat:27 resume: resume of #2 $gen by #1 main"},
		{"resume", "stack 3", "terminated"},
		{"suspend", "tag == $yield, stack == 2", "exception #2 test.wat:8 suspend: suspend of $yield in #2 $gen"},
		{"suspend", "$yield, function 0", "exception #2 test.wat:8 suspend: suspend of $yield in #2 $gen"},
		{"suspend", "function $main", "terminated"},
		{"finish", "function $gen", "exception #1 test.wat:28 finish: finish of #2 $gen"},
		{"finish", "stack 1", "terminated"},
		{"switch", "", "terminated"},
		{"throw", "", "terminated"},
	} {
		c := connect(t, dap.Config{})
		if bad := c.filtered("test.wat", godap.ExceptionFilterOptions{FilterId: x.filter, Condition: x.cond}); bad != nil {
			t.Error(bad)
		}
		got := c.stopped()
		if got != "terminated" {
			var i godap.ExceptionInfoResponseBody
			c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
			got += " " + i.ExceptionId + ": " + i.Description
		}
		if got != x.want {
			t.Errorf("%s %q: %s", x.filter, x.cond, got)
		}
	}
	c := connect(t, dap.Config{})
	bad := c.filtered(
		"test.wat",
		godap.ExceptionFilterOptions{FilterId: "create", Condition: "tag $x"},
		godap.ExceptionFilterOptions{FilterId: "nothing"},
		godap.ExceptionFilterOptions{FilterId: "suspend", Condition: "when it rains"},
		godap.ExceptionFilterOptions{
			FilterId: "suspend", Condition: "$other",
		},
		godap.ExceptionFilterOptions{FilterId: "resume", Condition: "in $nowhere"},
	)
	if len(bad) != 5 || bad[3] != "no module has a tag $other" || bad[4] != "no module has a function $nowhere" {
		t.Error(bad)
	}
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

const twice = `(module
  (type $f (func)) (type $c (cont $f)) (tag $e)
  (func $nop) (elem declare func $nop)
  (func (export "main") (local $k (ref null $c))
    (local.set $k (cont.new $c (ref.func $nop)))
    (block $h (try_table (catch $e $h) (throw $e)))
    (resume $c (local.get $k))
    (resume $c (local.get $k))))
`

// TestConsumed stops at the use of a consumed reference, and before a throw that is caught.
func TestConsumed(t *testing.T) {
	p := wat(t, twice)
	c := connect(t, dap.Config{Load: launch.Load})
	c.filtered(
		p, godap.ExceptionFilterOptions{FilterId: "consumed"},
		godap.ExceptionFilterOptions{FilterId: "throw", Condition: "tag $e"},
	)
	if got := c.stopped(); got != "exception #1 prog.wat:6" {
		t.Error(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "exception #1 prog.wat:8" {
		t.Error(got)
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
	if want := "continuation already consumed\nit was to stack #2, which was resumed at prog.wat:7 by stack #1"; i.Description != want {
		t.Error(i.Description)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

// TestDisassembly reads code, sets a breakpoint in it and steps in it.
func TestDisassembly(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 8)
	f := c.frames(2)[0]
	if f.InstructionPointerReference == "" {
		t.Fatal("the frame has no instruction pointer")
	}
	var b godap.DisassembleResponseBody
	c.must(
		"disassemble",
		godap.DisassembleArguments{
			MemoryReference: f.InstructionPointerReference, InstructionOffset: -2, InstructionCount: 5,
			ResolveSymbols: true,
		},
		&b,
	)
	var got []string
	for _, x := range b.Instructions {
		got = append(got, x.InstructionBytes+"|"+strings.TrimSpace(x.Instruction))
	}
	want := "21 00|local.set $i; 20 00|local.get $i; e2 00|suspend $yield; 20 00|local.get $i; 41 03|i32.const 3"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
	if x := b.Instructions[2]; x.Address != f.InstructionPointerReference || x.Line != 8 || x.Location == nil {
		t.Errorf("%+v", x)
	}
	// Far before and behind there are invalid ones, exactly as many as asked for.
	var far godap.DisassembleResponseBody
	c.must(
		"disassemble",
		godap.DisassembleArguments{
			MemoryReference: f.InstructionPointerReference, InstructionOffset: -200, InstructionCount: 400,
		},
		&far,
	)
	seen := map[string]bool{}
	n := 0
	for _, x := range far.Instructions {
		if x.Location != nil {
			if n++; seen[x.Address] {
				t.Errorf("two instructions at %s", x.Address)
			}
			seen[x.Address] = true
		}
	}
	if len(far.Instructions) != 400 || n < 30 {
		t.Errorf("%d instructions, %d valid", len(far.Instructions), n)
	}
	c.breakpoints("test.wat")
	var bp godap.SetInstructionBreakpointsResponseBody
	c.must(
		"setInstructionBreakpoints",
		godap.SetInstructionBreakpointsArguments{Breakpoints: []godap.InstructionBreakpoint{
			{
				InstructionReference: b.Instructions[4].Address,
			}, {InstructionReference: b.Instructions[2].Address, Offset: 1}, {InstructionReference: "here"}}},
		&bp,
	)
	if !bp.Breakpoints[0].Verified || bp.Breakpoints[0].Line != 10 || bp.Breakpoints[1].Verified ||
		bp.Breakpoints[2].Verified {
		t.Errorf("%+v", bp.Breakpoints)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
	if got := c.stopped(); got != "instruction breakpoint #2 test.wat:10" {
		t.Error(got)
	}
	if got := c.step("next", 2, "instruction"); got != "step #2 test.wat:11" {
		t.Error(got)
	}
	c.refused("disassemble", map[string]any{"memoryReference": "0x1", "instructionCount": 1})
	c.refused("disassemble", map[string]any{"memoryReference": "0xff00000000", "instructionCount": 1})
}

// targets returns the step targets of the top frame by their labels.
func (c *client) targets(thread int) map[string]int {
	c.t.Helper()
	var b godap.StepInTargetsResponseBody
	c.must("stepInTargets", godap.StepInTargetsArguments{FrameId: c.frames(thread)[0].Id}, &b)
	out := map[string]int{}
	for _, x := range b.Targets {
		out[x.Label] = x.Id
	}
	return out
}

// TestStepInTargets steps into a stack, to a handler, out to a handler, and into one call of
// several.
func TestStepInTargets(t *testing.T) {
	step := func(c *client, label string) string {
		t.Helper()
		ts := c.targets(1)
		if ts[label] == 0 {
			t.Fatalf("no target %q in %v", label, ts)
		}
		c.must("stepIn", map[string]any{"threadId": 1, "targetId": ts[label]}, nil)
		return c.stopped()
	}
	c := connect(t, dap.Config{})
	c.start(prog, 27)
	c.breakpoints("test.wat")
	if got := step(c, "into #2 $gen (test.wat:1)"); got != "step #2 test.wat:2" {
		t.Error(got)
	}
	c = connect(t, dap.Config{})
	c.start(prog, 27)
	c.breakpoints("test.wat")
	if got := step(c, "on $yield → its label (test.wat:31)"); got != "step #1 test.wat:30" &&
		got != "step #1 test.wat:31" {
		t.Error(got)
	}
	c = connect(t, dap.Config{})
	c.start(prog, 8)
	c.breakpoints("test.wat")
	ts := c.targets(2)
	if len(ts) != 1 || ts["out to #1 main, on $yield → test.wat:31 (test.wat:31)"] == 0 {
		t.Errorf("%v", ts)
	}
	c.refused("stepIn", map[string]any{"threadId": 2, "targetId": 99999})

	p := wat(t, `(module
  (func $f (result i32) (i32.const 1))
  (func $g (result i32) (i32.const 2))
  (func (export "main") (result i32)
    (i32.add (call $f) (call $g))))
`)
	c = connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p}, 5)
	if got := step(c, "call $g"); got != "step #1 prog.wat:3" {
		t.Error(got)
	}
}

// TestStepByControl steps by the alternative law: a step also ends where control leaves the stack.
func TestStepByControl(t *testing.T) {
	for law, want := range map[string]string{"stack": "step #2 test.wat:9", "control": "step #1 test.wat:31"} {
		c := connect(t, dap.Config{})
		c.start(map[string]any{"program": "test.wat", "stepping": law}, 8)
		c.breakpoints("test.wat")
		if got := c.step("next", 2, ""); got != want {
			t.Errorf("%s: %s", law, got)
		}
	}
}

// TestTerminateThreads ends a suspended stack: its next use finds it consumed.
func TestTerminateThreads(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 31)
	c.refused("terminateThreads", map[string]any{"threadIds": []int{1}})
	c.refused("terminateThreads", map[string]any{"threadIds": []int{7}})
	c.refused("terminateThreads", map[string]any{})
	c.must("terminateThreads", map[string]any{"threadIds": []int{2}}, nil)
	c.await("thread", nil)
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	if len(th.Threads) != 1 {
		t.Errorf("%+v", th.Threads)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "exception #1 test.wat:27" {
		t.Error(got)
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
	if i.ExceptionId != "continuation already consumed" ||
		!strings.HasSuffix(i.Description, "it was to stack #2, which the debugger has ended") {
		t.Error(i.ExceptionId)
	}
	c = connect(t, dap.Config{})
	c.start(prog, 8)
	c.refused("terminateThreads", map[string]any{"threadIds": []int{2}}) // it runs
}

// TestModuleColumns reads the additional columns.
func TestModuleColumns(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 8)
	var b struct {
		Modules []struct {
			Dialect         string
			Functions, Tags int
		}
	}
	c.must("modules", map[string]any{}, &b)
	if m := b.Modules; len(m) != 1 || m[0].Dialect != "cont" || m[0].Functions != 3 || m[0].Tags != 1 {
		t.Errorf("%+v", m)
	}
}
