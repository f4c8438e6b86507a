package dap_test

import (
	"stackscope/dap"
	"stackscope/internal/launch"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestEvaluateStackPaths has paths for what is known of a stack, and none for the variables of its
// frames: a path is evaluated in the frame that is shown.
func TestEvaluateStackPaths(t *testing.T) {
	c, f := kindsSession(t)
	for _, root := range []string{"$k", "#3", "#2"} {
		var e godap.EvaluateResponseBody
		c.must("evaluate", godap.EvaluateArguments{Expression: root, FrameId: f, Context: "watch"}, &e)
		paths := 0
		for _, v := range c.children(e.VariablesReference) {
			if v.EvaluateName != "" {
				paths++
				if got := c.eval(f, "hover", v.EvaluateName); got != v.Value {
					t.Errorf("%s: %s, want %s", v.EvaluateName, got, v.Value)
				}
			}
			if !strings.HasPrefix(v.Name, "frame ") {
				continue
			}
			for _, x := range c.children(v.VariablesReference) {
				if x.EvaluateName != "" {
					t.Errorf("%s of %s of %s can be evaluated as %s, elsewhere", x.Name, v.Name, root, x.EvaluateName)
				}
				if x.VariablesReference > 0 {
					for _, y := range c.children(x.VariablesReference)[:1] {
						if y.EvaluateName != "" && !strings.HasPrefix(y.EvaluateName, "#") {
							t.Errorf("%s in %s can be evaluated as %s", y.Name, x.Name, y.EvaluateName)
						}
					}
				}
			}
		}
		if paths < 3 {
			t.Errorf("%s has %d paths", root, paths)
		}
	}
}

// TestEvaluateEndlessCall cancels an evaluation that does not end, and continues.
func TestEvaluateEndlessCall(t *testing.T) {
	c, f := kindsSession(t)
	if got := c.eval(f, "watch", "(loop (br 0))"); got != "(the evaluation takes longer than 2s)" {
		t.Error(got)
	}
	if got := c.eval(f, "watch", "$i32 == 0"); got != "1" {
		t.Error(got)
	}
}

// TestEvaluateFieldNames reads fields of a structure by name.
func TestEvaluateFieldNames(t *testing.T) {
	p := wat(t, structs)
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p}, lineOf(t, p, "(loop"))
	vs := c.scope(c.frames(1)[0].Id, "Locals")
	if got := text(c.children(vs[0].VariablesReference)); got != "$x=3, $y=4, 2=0.5" {
		t.Error(got)
	}
}

// eval evaluates in a context and returns the result, or the error in parentheses.
func (c *client) eval(frame int, context, expr string) string {
	c.t.Helper()
	var b godap.EvaluateResponseBody
	if err := c.Request(
		"evaluate", godap.EvaluateArguments{Expression: expr, FrameId: frame, Context: context}, &b,
	); err != nil {
		return "(" + err.Error() + ")"
	}
	return b.Result
}

// TestEvaluate evaluates paths, calls, comparisons and assignments, in each context.
func TestEvaluate(t *testing.T) {
	c, f := dataSession(t)
	for _, x := range [][3]string{
		{"watch", "$g", "0"},
		{"watch", "global $g", "0"},
		{"watch", "global 0", "0"},
		{"watch", "local $i", "0"},
		{"watch", "local 9", "(there is no local 9 here)"},
		{"watch", "$p.$x", "3"},
		{"watch", "p.y", "4"},
		{"watch", "$p.1", "4"},
		{"watch", "$p.z", "($p has no z)"},
		{"watch", "$a[1]", "101"},
		{"watch", "$a[5]", "($a has no element 5)"},
		{"watch", "table $t[2]", "null"},
		{"watch", "$t[9]", "(table $t has no element 9)"},
		{"watch", "u8[100]", "104"},
		{"watch", "memory $m.i32[0x64]", "1819043176"},
		{"watch", "string[100]", `"hello, world"`},
		{"watch", "string[100,5]", `"hello"`},
		{"watch", "i64[65535]", "(0xffff is beyond the end of memory $m)"},
		{"watch", "i128[0]", "(there is no local or global i128[0] here)"},
		{"watch", "double(21)", "42"},
		{"watch", `double($p.$x)`, "6"},
		{"watch", "double(1, 2)", `("double" takes 1 argument, not 2)`},
		{"watch", "$p.$x == 3", "1"},
		{"watch", "$i > 3", "0"},
		{"watch", "(i32.add (local.get $i) (i32.const 2))", "2"},
		{"watch", "$i = 3", "(assignments are allowed only in the console)"},
		{"hover", "$i", "0"},
		{"hover", "$p.$x", "3"},
		{"hover", "double(1)", "(functions cannot be called here)"},
		{"hover", "(global.set $g (i32.const 1))", "(only names can be evaluated here)"},
		{"hover", "$i == (local.tee $i (i32.const 7))", "(only names can be evaluated here)"},
		{"hover", "$a[(local.tee $i (i32.const 1))]", "(only names can be evaluated here)"},
		{"hover", "$i == 0", "1"},
		{"variables", "(local.get $i)", "(only names can be evaluated here)"},
		{"watch", "(global.set $g (i32.const 1))", "(expressions with side effects are allowed only in the console)"},
		{"watch", "$a[(local.tee $i (i32.const 1))]", "(expressions with side effects are allowed only in the console)"},
		{"watch", "(i32.store (i32.const 0) (i32.const 1))", "(expressions with side effects are allowed only in the console)"},
		{"clipboard", "(memory.grow (i32.const 1))", "(expressions with side effects are allowed only in the console)"},
		{"watch", "(i32.load (i32.const 0))", "0"},
		{"clipboard", "$p", "struct {$x: 3, $y: 4}"},
		{"clipboard", "$a", `array of 5 "tests"`},
		{"repl", "$i = 3", "3"},
		{"repl", "$p.$x = $i", "3"},
		{"repl", "$p.$x = 11", "11"},
		{"repl", "$p.$x", "11"},
		{"repl", "$a[0] = 0x41", "65"},
		{"repl", "i32[0x20] = -2", "-2"},
		{"repl", "u16[0x20]", "65534"},
		{"repl", "u8[0] = 256", "(256 does not fit into 8 bits)"},
		{"repl", "f64[8] = 1.5", "1.5"},
		{"repl", "table $t[0] = (ref.func $bump)", "func $bump"},
		{"repl", "$p = null", "null"},
		{"repl", "$a = (ref.func $bump)", "((ref.func $bump) is (ref 2), not (ref null $bytes))"},
		{"repl", "$nothing = 1", "($nothing is not a variable here)"},
		{"repl", "$bump(2)", "no value"},
		{"repl", "$g", "2"},
	} {
		if got := c.eval(f.Id, x[0], x[1]); got != x[2] {
			t.Errorf("%s %s: %s, want %s", x[0], x[1], got, x[2])
		}
	}
	var b godap.SetExpressionResponseBody
	c.must("setExpression", godap.SetExpressionArguments{FrameId: f.Id, Expression: "$a[4]", Value: "33"}, &b)
	if got := c.eval(f.Id, "watch", "$a[4]"); b.Value != "33" || got != "33" {
		t.Error(b.Value, got)
	}
	c.refused("setExpression", godap.SetExpressionArguments{FrameId: f.Id, Expression: "double(3)", Value: "33"})
}

// TestEvaluateFormats shows values in other formats.
func TestEvaluateFormats(t *testing.T) {
	c, f := dataSession(t)
	for _, x := range [][2]string{
		{"$p.$x,x", "0x3"},
		{"$p.$x,b", "0b11"},
		{"$p.$x,o", "0o3"},
		{"u8[100],c", "'h'"},
		{"$p.$x,f", "4e-45"},
		{"$p.$y,f", "2e-323"},
		{"(f32.const 1),x", "0x3f800000"},
		{"(f64.const 1.5),h", "0x1.8p+00"},
		{"(i32.const -1),u", "4294967295"},
		{"(i32.const 100),s", `"hello, world"`},
		{"$p.$x,q", "(there is no format q: want x, b, o, u, d, f, h, c or s)"},
	} {
		if got := c.eval(f.Id, "watch", x[0]); got != x[1] {
			t.Errorf("%s: %s, want %s", x[0], got, x[1])
		}
	}
}

// TestEvaluateMemoryViews reads memory by its views, and sets variables of all kinds.
func TestEvaluateMemoryViews(t *testing.T) {
	c, f := dataSession(t)
	mem := c.scope(f.Id, "Memory")[0]
	vs := c.children(mem.VariablesReference)
	if len(vs) != 1000+11 && len(vs) < 100 {
		t.Fatalf("%d children", len(vs))
	}
	ref := map[string]int{}
	for _, v := range vs {
		ref[v.Name] = v.VariablesReference
	}
	for _, x := range []struct{ view, want string }{
		{"u8", "[0x64]=104, [0x65]=101"},
		{"u16", "[0x64]=25960, [0x66]=27756"},
		{"i32", "[0x64]=1819043176, [0x68]=1998597231"},
	} {
		size := map[string]int{"u8": 1, "u16": 2, "i32": 4}[x.view]
		var b godap.VariablesResponseBody
		c.must(
			"variables",
			godap.VariablesArguments{VariablesReference: ref[x.view], Filter: "indexed", Start: 100 / size, Count: 2},
			&b,
		)
		if got := text(b.Variables); got != x.want {
			t.Errorf("%s: %s", x.view, got)
		}
		if x.view == "i32" && b.Variables[0].MemoryReference != "1:0:100" {
			t.Error(b.Variables[0].MemoryReference)
		}
	}
	if got := text(c.children(ref["strings"])); got != `string[0x64]="hello, world"` {
		t.Error(got)
	}
	set := func(container int, name, value, want string) {
		t.Helper()
		var b godap.SetVariableResponseBody
		c.must("setVariable", godap.SetVariableArguments{VariablesReference: container, Name: name, Value: value}, &b)
		if b.Value != want {
			t.Errorf("%s = %s: %s", name, value, b.Value)
		}
	}
	set(ref["i32"], "[0x10]", "77", "77")
	locals := c.scope(f.Id, "Locals")
	set(locals[0].VariablesReference, "$x", "9", "9")
	set(locals[1].VariablesReference, "[3]", "9", "9")
	tables := c.scope(f.Id, "Memory")[1]
	set(tables.VariablesReference, "[1]", "(ref.func $bump)", "func $bump")
	for expr, want := range map[string]string{"i32[16]": "77", "$p.$x": "9", "$a[3]": "9", "$t[1]": "func $bump"} {
		if got := c.eval(f.Id, "watch", expr); got != want {
			t.Errorf("%s: %s", expr, got)
		}
	}
	if got := locals[1].Value; got != `array of 5 "tests"` {
		t.Error(got)
	}
	if !strings.HasPrefix(locals[0].EvaluateName, "$p") {
		t.Error(locals[0].EvaluateName)
	}
}

// TestEvaluateOperands reads and sets operands by path and by variable.
func TestEvaluateOperands(t *testing.T) {
	p := wat(t, moves)
	c := real(t)
	c.start(map[string]any{"program": p, "args": []int{1}}, lineOf(t, p, "(drop)"))
	f := c.frames(1)[0]
	for _, x := range [][2]string{{"operand 0", "5"}, {"operand 0 = 6", "6"}, {"operand 0", "6"}, {"operand 1", "(there is no operand 1 here)"}} {
		if got := c.eval(f.Id, "repl", x[0]); got != x[1] {
			t.Errorf("%s: %s", x[0], got)
		}
	}
	if got := text(c.scope(f.Id, "Operand stack")); got != "[0] top=6" {
		t.Error(got)
	}
	// Names with dots are names, not fields.
	p = wat(t, `(module (func (export "main") (local $a.b i32) (local $a i32)
  (local.set $a.b (i32.const 7))
  (nop)))
`)
	c = real(t)
	c.start(map[string]any{"program": p}, 3)
	if got := c.eval(c.frames(1)[0].Id, "watch", "$a.b"); got != "7" {
		t.Error(got)
	}
}
