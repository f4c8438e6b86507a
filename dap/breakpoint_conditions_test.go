package dap_test

import (
	"stackscope/dap"
	"stackscope/internal/launch"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestBreakpointConditions stops where compiled conditions are true.
func TestBreakpointConditions(t *testing.T) {
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

const terms = `(module
  (type $arr (array (mut i32)))
  (type $p (struct (field $x (mut i32)) (field $a (mut (ref null $arr)))))
  (memory $m 1) (data (i32.const 8) "\ff\ff\ff\ff\80")
  (table $t 3 funcref)
  (func $twice (param $n i32) (result i32) (i32.mul (local.get $n) (i32.const 2)))
  (func (export "main") (param i32) (result i32) (local $p (ref null $p)) (local $i i32)
    (local.set $p (struct.new $p (i32.const 0) (array.new $arr (i32.const 7) (i32.const 3))))
    (loop $l
      (struct.set $p $x (local.get $p) (local.get $i))
      (array.set $arr (struct.get $p $a (local.get $p)) (i32.const 1) (local.get $i))
      (i32.store (i32.const 0) (local.get $i))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $l (i32.lt_s (local.get $i) (i32.const 10))))
    (local.get $i)))
`

// TestBreakpointConditionsWithPaths has conditions and log messages with fields, elements, memory,
// operands, calls and formats.
func TestBreakpointConditionsWithPaths(t *testing.T) {
	p := wat(t, terms)
	line := lineOf(t, p, "(local.set $i (i32.add")
	for _, x := range [][2]string{
		{"$p.$x == 3", "3"},
		{"p.x == 3", "3"},
		{"$p.$a[1] > 4", "5"},
		{"$p.$a[$p.$x] == 7 && $p.$x > 0", "2"},
		{"i32[0] == 6 && local 0 == 9", "6"},
		{"memory $m.u32[0] >= 8", "8"},
		{"u32[8] == 4294967295 && $i == 1", "1"},
		{"i8[12] == -128 && !($i != 4)", "4"},
		{"table $t[0] == table $t[1] && $i == 2", "2"},
		{"$p.$x == $i && i32[0] == 7", "7"},
		{"$nowhere.$x == 3", "condition: there is no local or global $nowhere.$x here"},
		{"$p.$x ==", "condition: an operand is missing after =="},
	} {
		c := real(t)
		c.initialize()
		c.must("launch", map[string]any{"program": p, "args": []int{9}}, nil)
		c.await("initialized", nil)
		var b godap.SetBreakpointsResponseBody
		c.must(
			"setBreakpoints",
			godap.SetBreakpointsArguments{
				Source:      godap.Source{Path: p},
				Breakpoints: []godap.SourceBreakpoint{{Line: line, Condition: x[0]}},
			},
			&b,
		)
		if !b.Breakpoints[0].Verified {
			if strings.TrimSpace(b.Breakpoints[0].Message) != x[1] {
				t.Errorf("%s: %s", x[0], b.Breakpoints[0].Message)
			}
			continue
		}
		c.must("configurationDone", nil, nil)
		if got := c.stopped(); !strings.HasPrefix(got, "breakpoint") {
			t.Errorf("%s: %s", x[0], got)
			continue
		}
		f := c.frames(1)[0].Id
		if got := c.eval(f, "watch", "$i"); got != x[1] {
			t.Errorf("%s: stops where $i is %s", x[0], got)
		}
		for _, y := range [][3]string{{"u8[12]", "128", "0x80"}, {"i8[12]", "-128", "0x80"}, {"i32[8]", "-1", "0xffffffff"}, {"u32[8]", "4294967295", "0xffffffff"}} {
			for i, hex := range []bool{false, true} {
				var e godap.EvaluateResponseBody
				c.must(
					"evaluate",
					godap.EvaluateArguments{
						Expression: y[0], FrameId: f, Context: "watch", Format: &godap.ValueFormat{Hex: hex},
					},
					&e,
				)
				if e.Result != y[1+i] {
					t.Errorf("%s: %s, want %s", y[0], e.Result, y[1+i])
				}
			}
		}
		for _, y := range [][2]string{{"u32[8] == 4294967295", "1"}, {"i32[u8[12]] == 0", "1"}, {"$i = u8[12]", "128"}} {
			if got := c.eval(f, "repl", y[0]); got != y[1] {
				t.Errorf("%s: %s, want %s", y[0], got, y[1])
			}
		}
	}
	c := real(t)
	c.initialize()
	c.must("launch", map[string]any{"program": p, "args": []int{9}}, nil)
	c.await("initialized", nil)
	log := func(text string) string {
		t.Helper()
		var b godap.SetBreakpointsResponseBody
		c.must(
			"setBreakpoints",
			godap.SetBreakpointsArguments{
				Source:      godap.Source{Path: p},
				Breakpoints: []godap.SourceBreakpoint{{Line: line, LogMessage: text, HitCondition: "3"}},
			},
			&b,
		)
		return b.Breakpoints[0].Message
	}
	for text, want := range map[string]string{"{$nope}": "log message: there is no local or global $nope here", "{$nope(1)}": "log message: there is no function $nope here", "{": "log message: { without }", "{$i = 5}": "log message: assignments are allowed only in the console"} {
		if got := log(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got := log("x={$p.$x} a={$p.$a[1],x} hex={u8[12],x} twice={$twice($i)} {local 0} {$i == 2} {#1.state}"); got != "" {
		t.Error(got)
	}
	c.must("configurationDone", nil, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
	want := "x=2 a=0x2 hex=0x80 twice=4 9 1 running\nmain returned (i32.const 10)\n"
	if got := c.output("console"); got != want {
		t.Errorf("logged %q", got)
	}
}
