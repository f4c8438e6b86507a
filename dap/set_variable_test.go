package dap_test

import (
	"stackscope/dap"
	"stackscope/internal/launch"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// kinds has a variable of every kind of value.
const kinds = `(module $kinds
  (type $ft (func))
  (type $ct (cont $ft))
  (type $pt (struct (field $x (mut i32)) (field $y (mut i64)) (field $f f64) (field $n (mut (ref null $pt))) (field $b (mut i8)) (field $k (mut (ref null $ct)))))
  (type $arr (array (mut i32)))
  (type $bytes (array (mut i8)))
  (type $gt (func (param i32)))
  (type $other (cont $gt))
  (tag $t (param i32 i64))
  (tag $y)
  (memory $m 1)
  (data (i32.const 16) "Hello, world\00")
  (table $tab 4 funcref)
  (global $g (mut i32) (i32.const 5))
  (global (mut f32) (f32.const nan:0x123))
  (global $v (mut v128) (v128.const i32x4 1 2 3 4))
  (elem declare func $f $run $one)
  (func $f)
  (func $one (param i32))
  (func $run (suspend $y))
  (func $main (export "main") (param i32) (result i32)
    (local $i32 i32) (local $i64 i64) (local $f32 f32) (local $f64 f64) (local $v128 v128)
    (local $fn funcref) (local $ex externref) (local $any anyref) (local $i31 (ref null i31)) (local $pt (ref null $pt))
    (local $arr (ref null $arr)) (local $by (ref null $bytes)) (local $exn exnref)
    (local $k (ref null $ct)) (local $k2 (ref null $ct)) (local $k3 (ref null $other)) (local i64) (local (ref null $pt))
    (local.set $i64 (i64.const -9223372036854775808))
    (local.set $f32 (f32.const nan:0x123))
    (local.set $f64 (f64.const -nan:0x4))
    (local.set $v128 (v128.const i8x16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15))
    (local.set $fn (ref.func $f))
    (local.set $i31 (ref.i31 (i32.const -5)))
    (local.set $any (ref.i31 (i32.const 9)))
    (local.set $pt (struct.new $pt (i32.const 1) (i64.const 2) (f64.const 3.5) (ref.null $pt) (i32.const 255) (ref.null $ct)))
    (local.set 18 (local.get $pt))
    (local.set $arr (array.new $arr (i32.const 3) (i32.const 1000000)))
    (local.set $by (array.new_fixed $bytes 3 (i32.const 72) (i32.const 105) (i32.const 33)))
    (local.set $k (cont.new $ct (ref.func $run)))
    (local.set $k2 (cont.new $ct (ref.func $f)))
    (local.set $k3 (cont.new $other (ref.func $one)))
    (block $h (result exnref)
      (try_table (catch_all_ref $h) (throw $t (i32.const 1) (i64.const 2)))
      (unreachable))
    (local.set $exn)
    (i32.add (i32.const 40)
      (i32.add (local.get $i32) (i32.const 2)))))
`

// kindsSession stops with everything set, and three operands.
func kindsSession(t *testing.T) (c *client, frame int) {
	p := wat(t, kinds)
	c = connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "args": []int{3}}, lineOf(t, p, "(i32.add (i32.const 40)"))
	for range 3 {
		c.step("stepIn", c.last.ThreadId, "instruction")
	}
	return c, c.frames(c.last.ThreadId)[0].Id
}

// TestShownValueCanBeAssigned sets every variable of every scope to what is shown of it, which
// changes nothing, and evaluates it by its name in every context.
func TestShownValueCanBeAssigned(t *testing.T) {
	c, f := kindsSession(t)
	n := 0
	var walk func(ref int)
	walk = func(ref int) {
		var vs godap.VariablesResponseBody
		c.must("variables", godap.VariablesArguments{VariablesReference: ref, Start: 0, Count: 20}, &vs)
		for _, v := range vs.Variables {
			if v.EvaluateName != "" {
				for _, context := range []string{"watch", "hover", "variables"} {
					if got := c.eval(f, context, v.EvaluateName); got != v.Value {
						t.Errorf("%s in a %s: %q, want %q", v.EvaluateName, context, got, v.Value)
					}
				}
			}
			if v.PresentationHint == nil { // it can be set
				n++
				var set godap.SetVariableResponseBody
				c.must("setVariable", godap.SetVariableArguments{
					VariablesReference: ref, Name: v.Name, Value: v.Value,
				}, &set)
				if set.Value != v.Value {
					t.Errorf("%s set to %q is %q", v.Name, v.Value, set.Value)
				}
				c.must("setExpression", godap.SetExpressionArguments{
					FrameId: f, Expression: v.EvaluateName, Value: v.Value,
				}, nil)
			}
			if v.VariablesReference > 0 && !strings.HasPrefix(v.Value, "#") && n < 300 {
				walk(v.VariablesReference)
			}
		}
	}
	var sc godap.ScopesResponseBody
	c.must("scopes", godap.ScopesArguments{FrameId: f}, &sc)
	for _, s := range sc.Scopes {
		walk(s.VariablesReference)
	}
	if n < 200 {
		t.Errorf("only %d variables were set", n)
	}
}

// TestSetVariableOfEachKind sets variables of every kind to what is and is not of their type.
func TestSetVariableOfEachKind(t *testing.T) {
	c, f := kindsSession(t)
	for _, x := range [][3]string{
		{"$i32", "0xffffffff", "-1"},
		{"$i32", "-2147483648", "-2147483648"},
		{"$i32", "4294967296", "(4294967296 does not fit into 32 bits)"},
		{"$i32", "0b101", "5"},
		{"$i32", "1.5", `("1.5" is not an integer)`},
		{"$i32", " ", "(the value is empty)"},
		{"$i32", "_", `("_" is not an integer)`},
		{"$i32", "$i64", "($i64 is i64, not i32)"},
		{"$i64", "18446744073709551615", "-1"},
		{"$i64", "18446744073709551616", "(18446744073709551616 does not fit into 64 bits)"},
		{"$f32", "nan", "nan"},
		{"$f32", "-nan:0x7fffff", "-nan:0x7fffff"},
		{"$f32", "nan:0x800000", "(\"nan:0x800000\" is not a 32-bit NaN: want nan or nan:0x1 … nan:0x7fffff)"},
		{"$f32", "1e39", "(1e39 does not fit into a float of 32 bits)"},
		{"$f64", "nan", "nan"},
		{"$f64", "0x1.8", "1.5"},
		{"$f64", "-inf", "-inf"},
		{"$f64", "infinity", `("infinity" is not a float)`},
		{"$v128", "i64x2 1 -1", "i32x4 0x00000001 0x00000000 0xffffffff 0xffffffff"},
		{"$v128", "i64x2 1", `("i64x2 1" is not a value of type v128)`},
		{"$fn", "$run", "func $run"},
		{"$fn", "func $f", "func $f"},
		{"$fn", "5", `("5" is not a value of type funcref)`},
		{"$i31", "7", "i31 7"},
		{"$i31", "2147483648", "(2147483648 does not fit into 31 bits)"},
		{"$any", "i31 -1", "i31 -1"},
		{"$any", "$fn", "($fn is funcref, not anyref)"},
		{"$any", "$pt", "struct $pt {$x: 1, $y: 2, $f: 3.5, $n: null, $b: 255, $k: null}"},
		{"$pt", "$arr", "($arr is (ref null $arr), not (ref null $pt))"},
		{"$pt.$b", "-1", "255"},
		{"$pt.$b", "256", "(256 does not fit into 8 bits)"},
		{"$pt.$n", "$pt", "struct $pt {$x: 1, $y: 2, $f: 3.5, $n: struct, $b: 255, $k: null}"},
		{"$by[0]", "300", "(300 does not fit into 8 bits)"},
		{"$by[0]", "104", "104"},
		{"$by", "$by", `array of 3 "hi!"`},
		{"$by", `"Bye"`, `array of 3 "Bye"`},
		{"$by", `array of 3 "caf"`, `array of 3 "caf"`},
		{"$by", `"long"`, "(the array has 3 elements, the text 4)"},
		{"string[16]", `"Hello, WORLD"`, `"Hello, WORLD"`},
		{"string[16,5]", `"HELLO"`, `"HELLO"`},
		{"string[16]", `"a text that is too long"`, "(23 bytes do not fit where there are 12)"},
		{"string[16]", "5", "(string[16] is a string: enter it in quotes)"},
		{"string[16]", `"short"`, `"short"`},
		// References to a continuation are used up together, whoever holds them.
		{"$pt.$k", "$k", "#2 $run · not started"},
		{"$k", "$k2", "#3 $f · not started"},
		{"$k2", "$pt.$k", "#2 $run · not started"},
		{"$k3", "$k", "($k is (ref null $ct), not (ref null $other))"},
		{"$k3", "null", "null"},
		{"table $tab[1]", "$main", "func $main"},
		{"operand 0", "9", "9"},
		{"u64[0]", "18446744073709551615", "18446744073709551615"},
	} {
		var b godap.SetExpressionResponseBody
		got := ""
		if err := c.Request(
			"setExpression", godap.SetExpressionArguments{FrameId: f, Expression: x[0], Value: x[1]}, &b,
		); err != nil {
			got = "(" + err.Error() + ")"
		} else if got = b.Value; c.eval(f, "watch", x[0]) != got {
			t.Errorf("%s = %s: %s, but then it is %s", x[0], x[1], got, c.eval(f, "watch", x[0]))
		}
		if got != x[2] {
			t.Errorf("%s = %s: %s, want %s", x[0], x[1], got, x[2])
		}
	}
	for _, x := range [][2]string{
		{"u64[0],x", "0xffffffffffffffff"}, {"i8[0],u", "255"}, {"i8[0],d", "-1"}, {"f32[0],x", "0xffffffff"}, {"i16[0],b", "0b1111111111111111"},
		{"_", "(there is no local or global _ here)"},
		{"(return (i32.const 3))", "(an expression cannot return: there is nothing to return from)"},
		{"(if (i32.const 1) (then (br 1 (i32.const 5)))) (i32.const 6)", "5"},
	} {
		if got := c.eval(f, "watch", x[0]); got != x[1] {
			t.Errorf("%s: %s, want %s", x[0], got, x[1])
		}
	}
}
