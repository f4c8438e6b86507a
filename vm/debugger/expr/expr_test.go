package expr

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// scope has names that contain operators, and two instructions.
func scope() Scope {
	return Scope{
		Odd:      map[string]bool{"a-1": true, "a-1*b": true, "x<y": true, "f+": true},
		Variable: func(w string) bool { return w == "nop" },
		Mnemonic: func(w string) bool { return w == "i32.add" || w == "local.get" || w == "nop" || w == "i32.const" },
	}
}

// random makes a random expression.
func random(r *rand.Rand, depth int) *Expr {
	pick := func(ss ...string) string { return ss[r.IntN(len(ss))] }
	if depth == 0 || r.IntN(5) == 0 {
		switch r.IntN(8) {
		case 0:
			return &Expr{Kind: Int, Text: pick("0", "1", "0x1e", "1_000", "18446744073709551615")}
		case 1:
			return &Expr{Kind: Float, Text: pick("1.5", "1e-5", "0x1.8p+3", "inf", "nan")}
		case 2:
			return &Expr{Kind: Null, Text: "null"}
		case 3:
			return &Expr{Kind: Code, Text: pick("(i32.add (local.get $x) (i32.const -1))", "(local.get $x)")}
		case 4:
			return &Expr{
				Kind: Call, Text: pick("$f", "g", `"an export"`, "$f+"),
				Raw: [][]string{nil, {"1"}, {"$x + 1", "(i32.const 2)", "f(1, 2)"}}[r.IntN(3)],
			}
		}
		return &Expr{
			Kind: Path,
			Text: pick(
				"$x", "y", "local 3", "global $g", "memory $m.u8[1]", "i32[$x + 1]", "$p.$f[2]", "#3",
				"#3.state", "$a-1", "$a", "$a-1*b", "$x<y", "$p.$a-1",
			),
		}
	}
	switch r.IntN(6) {
	case 0:
		return &Expr{Kind: Unary, Op: pick("-", "!", "~", "+"), Args: []*Expr{random(r, depth-1)}}
	case 1:
		return &Expr{Kind: Cond, Args: []*Expr{random(r, depth-1), random(r, depth-1), random(r, depth-1)}}
	case 2:
		return &Expr{Kind: Convert, Text: pick(Conversions()...), Args: []*Expr{random(r, depth-1)}}
	}
	return &Expr{Kind: Binary, Op: pick(Operators()...), Args: []*Expr{random(r, depth-1), random(r, depth-1)}}
}

// TestRoundTrip parses what random expressions are written as.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		want := random(r, r.IntN(6))
		text := want.String()
		got, err := Parse(text, scope())
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is read as %s: %#v", text, got, got)
		}
	}
}

// bracketed writes an expression with parentheses around every operation.
func bracketed(x *Expr) string {
	switch x.Kind {
	case Unary:
		return "(" + x.Op + bracketed(x.Args[0]) + ")"
	case Binary:
		return "(" + bracketed(x.Args[0]) + " " + x.Op + " " + bracketed(x.Args[1]) + ")"
	case Cond:
		return "(" + bracketed(x.Args[0]) + " ? " + bracketed(x.Args[1]) + " : " + bracketed(x.Args[2]) + ")"
	case Convert:
		return x.Text + "(" + bracketed(x.Args[0]) + ")"
	}
	return x.String()
}

// TestPrecedence has the precedences of C, and names that contain operators.
func TestPrecedence(t *testing.T) {
	for _, c := range [][2]string{
		{"1+2*3", "(1 + (2 * 3))"},
		{"1-2-3", "((1 - 2) - 3)"},
		{"$i + 1", "($i + 1)"},
		{"$a * 2 > $b", "(($a * 2) > $b)"},
		{"-$x", "(-$x)"},
		{"!$i == 5", "((!$i) == 5)"},
		{"1 | 2 ^ 3 & 4 == 5", "(1 | (2 ^ (3 & (4 == 5))))"},
		{"1 << 2 + 3 < 4 && 5 || 6", "((((1 << (2 + 3)) < 4) && 5) || 6)"},
		{"1 ? 2 : 3 ? 4 : 5", "(1 ? 2 : (3 ? 4 : 5))"},
		{"~1 %u 2 /u 3", "(((~1) %u 2) /u 3)"},
		{"1 >>u 2 >= 3", "((1 >>u 2) >= 3)"},
		{"1 <u $x", "(1 <u $x)"},
		{"1 <up", "(1 < up)"},
		{"$b-1", "($b - 1)"},
		{"$a-1", "$a-1"},
		{"$a - 1", "($a - 1)"},
		{"$a-1*b", "$a-1*b"},
		{"$a-1*c", "($a-1 * c)"},
		{"$a-2", "($a - 2)"},
		{"a-1", "a-1"},
		{"$x<y", "$x<y"},
		{"$x<z", "($x < z)"},
		{"$p.$a-1-2", "($p.$a-1 - 2)"},
		{"$p.$q-1", "($p.$q - 1)"},
		{"i64($i)+1", "(i64($i) + 1)"},
		{"i32[0]+1", "(i32[0] + 1)"},
		{"local 3+1", "(local 3 + 1)"},
		{"nop+1", "(nop + 1)"},
		{"(i32.add (local.get $a) (i32.const 1)) == 2", "((i32.add (local.get $a) (i32.const 1)) == 2)"},
		{"local.get $x == 2", "(local.get $x == 2)"},
		{"(i32.const 1) (i32.const 2)", "(i32.const 1) (i32.const 2)"},
		{"(1 + 2) * 3", "((1 + 2) * 3)"},
		{"1e-5-2", "(1e-5 - 2)"},
		{"0x1e-2", "(0x1e - 2)"},
		{"f+(1)", "f+(1)"},
	} {
		x, err := Parse(c[0], scope())
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
		} else if got := bracketed(x); got != c[1] {
			t.Errorf("%s is %s, want %s", c[0], got, c[1])
		}
	}
}

// TestErrors reports what is wrong, in a few words whatever the length of the text.
func TestErrors(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, c := range [][2]string{
		{"", "the expression is empty"},
		{"1 +", "an operand is missing after +"},
		{"1 + )", "an operand is missing after +"},
		{"* 2", "unexpected *: an operand is missing"},
		{"(1 + 2", "( without )"},
		{"(1 + 2))", "unexpected ): an operator is missing"},
		{"$a = 2 3", "unexpected =: write == to compare"},
		{"$a $b", "unexpected $b: an operator is missing"},
		{"1 ? 2", "? without the other branch"},
		{"$a[1", "[ without ]"},
		{"f(1", "f( without )"},
		{"i64(1", "i64( without )"},
		{"# + 1", "# without the number of a stack"},
		{`"text"`, "a text is no operand"},
		{"1 " + long, "unexpected " + long[:60] + "…: an operator is missing"},
		{strings.Repeat("1+", 40_000) + "1", ErrLong.Error()},
		{strings.Repeat("(", 201), ErrDeep.Error()},
		{strings.Repeat("-", 1000) + "1", ErrDeep.Error()},
		{strings.Repeat("1?1:", 1000) + "1", ErrDeep.Error()},
	} {
		if _, err := Parse(c[0], scope()); err == nil || err.Error() != c[1] {
			t.Errorf("%s: %v, want %s", Brief(c[0]), err, c[1])
		}
	}
}

// FuzzParse parses anything: what is accepted is read back the same from what it is written as.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"$a-1*b + 2 ? f(1,\"x\") : -0x1p-3", "(i32.add (;;) \"\\\")", "i32[(]", "#3.state == null", "local.get $x (nop) < 3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := Parse(text, scope())
		if err != nil {
			return
		}
		y, err := Parse(x.String(), scope())
		if err != nil || !reflect.DeepEqual(x, y) {
			t.Fatalf("%q is written %q, which is %v: %v", text, x, y, err)
		}
	})
}
