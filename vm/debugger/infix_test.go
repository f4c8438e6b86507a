package debugger_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	. "stackscope/vm/debugger"
	"stackscope/vm/debugger/arith"
)

const infixProgram = `(module
  (type $s (struct (field $x i32) (field $q-1 i64)))
  (memory 1) (data (i32.const 8) "\ff\ff\ff\ff\80")
  (global $g (mut i64) (i64.const -3))
  (global $a-1 (mut i32) (i32.const 40))
  (func $twice (param $n i32) (result i32) (i32.mul (local.get $n) (i32.const 2)))
  (func $two (result i32 i32) (i32.const 1) (i32.const 2))
  (func (export "main") (param $a i32) (param $b i32) (param $p i64) (param $q i64)
    (local $f f64) (local $h f32) (local $r (ref null $s)) (local $null anyref) (local $i i32)
    (local.set $f (f64.const 2.5))
    (local.set $h (f32.const 0.1))
    (local.set $i (i32.const 7))
    (local.set $r (struct.new $s (i32.const 5) (i64.const 6)))
    (nop)))
`

// infixFrame stops a program where its variables have values, and calls f there.
func infixFrame(t *testing.T, args []string, f func(e *Engine, fr Frame)) {
	t.Helper()
	u, err := loader.Text(source.NewFile("infix.wat", infixProgram), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{Units: []*Unit{u.Unit}, Invoke: "main", Compile: loader.Compile}
	main := &u.Module.Funcs[2]
	for i, a := range args {
		v, err := arith.ParseValue(u.Module.FuncType(main.Type).Params[i], a)
		if err != nil {
			t.Fatal(err)
		}
		p.Args = append(p.Args, v)
	}
	d := drive(t, p, Options{})
	d.breakAt(1 + strings.Count(infixProgram[:strings.Index(infixProgram, "(nop)")], "\n"))
	d.e.Start()
	d.wait()
	if err := d.e.Do(func() {
		es, _, _ := d.e.Inspector.Trace(1, 0, 0)
		f(d.e, es[0].Frame)
	}); err != nil {
		t.Fatal(err)
	}
}

// reference is a random expression with its value, computed with whole numbers of any size.
type reference struct {
	text string
	val  *big.Int // signed
	bad  bool     // a division by zero, or an overflow
	lit  bool
}

// wrap returns a whole number as one of some bits, signed.
func wrap(n *big.Int, bits uint) *big.Int {
	out := new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1)))
	if out.Bit(int(bits)-1) == 1 {
		out.Sub(out, new(big.Int).Lsh(big.NewInt(1), bits))
	}
	return out
}

// asUnsigned returns a signed number of some bits as unsigned.
func asUnsigned(n *big.Int, bits uint) *big.Int {
	if n.Sign() < 0 {
		return new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), bits))
	}
	return n
}

func randomInt(r *rand.Rand, bits uint, vars []reference, depth int) reference {
	if depth == 0 || r.IntN(6) == 0 {
		if r.IntN(3) > 0 {
			return vars[r.IntN(len(vars))]
		}
		n := []int64{0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 255, math.MaxInt32, math.MaxUint32}[r.IntN(13)]
		return reference{text: fmt.Sprint(n), val: wrap(big.NewInt(n), bits), lit: true}
	}
	a, b := randomInt(r, bits, vars, depth-1), randomInt(r, bits, vars, depth-1)
	if a.lit { // the width is to be that of a variable
		a = vars[r.IntN(len(vars))]
	}
	x, y := a.val, b.val
	ux, uy := asUnsigned(x, bits), asUnsigned(y, bits)
	bad, val := a.bad || b.bad, new(big.Int)
	shift := uint(new(big.Int).Mod(uy, big.NewInt(int64(bits))).Uint64())
	ops := []string{"+", "-", "*", "/", "%", "/u", "%u", "<<", ">>", ">>u", "&", "|", "^", "neg", "not", "?"}
	op := ops[r.IntN(len(ops))]
	if strings.ContainsAny(op, "/%") && y.Sign() == 0 {
		return reference{text: "(" + a.text + " " + op + " " + b.text + ")", val: val, bad: true}
	}
	switch op {
	case "neg":
		return reference{text: "(-" + a.text + ")", val: wrap(val.Neg(x), bits), bad: a.bad}
	case "not":
		return reference{text: "(~" + a.text + ")", val: wrap(val.Not(x), bits), bad: a.bad}
	case "?":
		c := []string{"<", "<=", ">", ">=", "==", "!=", "<u", "<=u", ">u", ">=u"}[r.IntN(10)]
		n := x.Cmp(y)
		if strings.HasSuffix(c, "u") {
			n = ux.Cmp(uy)
		}
		is := map[string]bool{"<": n < 0, "<=": n <= 0, ">": n > 0, ">=": n >= 0, "==": n == 0, "!=": n != 0}[strings.TrimSuffix(c, "u")]
		if val = y; is {
			val = x
		}
		return reference{
			text: fmt.Sprintf("(%s %s %s ? %s : %s)", a.text, c, b.text, a.text, b.text), val: val, bad: bad,
		}
	case "+":
		val.Add(x, y)
	case "-":
		val.Sub(x, y)
	case "*":
		val.Mul(x, y)
	case "/":
		val.Quo(x, y)
		bad = bad || val.Cmp(wrap(val, bits)) != 0
	case "%":
		val.Rem(x, y)
	case "/u":
		val.Quo(ux, uy)
	case "%u":
		val.Rem(ux, uy)
	case "<<":
		val.Lsh(x, shift)
	case ">>":
		val.Rsh(x, shift)
	case ">>u":
		val.Rsh(ux, shift)
	case "&":
		val.And(x, y)
	case "|":
		val.Or(x, y)
	case "^":
		val.Xor(x, y)
	}
	return reference{text: "(" + a.text + " " + op + " " + b.text + ")", val: wrap(val, bits), bad: bad}
}

// TestInfixReference evaluates random arithmetic of both widths as a watch and as a condition, and
// compares it with arithmetic on whole numbers. STACKSCOPE_LONG multiplies the number of
// expressions.
func TestInfixReference(t *testing.T) {
	n := 1500
	if long, err := strconv.Atoi(os.Getenv("STACKSCOPE_LONG")); err == nil {
		n *= long
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		ns := []int64{
			int64(int32(r.Uint32())), int64(int32(r.Uint32() >> r.IntN(32))), int64(r.Uint64()),
			int64(r.Uint64() >> r.IntN(64)),
		}
		for i := range ns {
			if r.IntN(4) == 0 {
				ns[i] = []int64{math.MinInt32, math.MinInt32, math.MinInt64, -1}[i]
			}
		}
		args := make([]string, 4)
		for i := range args {
			args[i] = fmt.Sprint(ns[i])
		}
		infixFrame(t, args, func(e *Engine, f Frame) {
			for i := range n {
				bits, vars, names := uint(32), ns[:2], []string{"$a", "b"}
				if i%2 == 1 {
					bits, vars, names = 64, ns[2:], []string{"local 2", "$q"}
				}
				if t.Failed() {
					return // not Fatal: this is the program's goroutine
				}
				var refs []reference
				for j := range vars {
					refs = append(refs, reference{text: names[j], val: big.NewInt(vars[j])})
				}
				x := randomInt(r, bits, refs, 1+r.IntN(5))
				if x.lit {
					continue
				}
				want := x.val.String()
				vs, err := e.Evaluator.Eval(f, x.text, 0)
				switch {
				case x.bad && err == nil:
					t.Errorf("%v: %s is %s, want an error", args, x.text, e.Inspector.Show(vs[0], false))
				case !x.bad && (err != nil || e.Inspector.Show(vs[0], false) != want):
					t.Errorf("%v: %s is %v, want %s: %v", args, x.text, vs, want, err)
				}
				is, inLoop, err := e.CompiledTest(f, x.text+" == "+want)
				if !inLoop || is == x.bad || (err != nil) != x.bad {
					t.Errorf("%v: condition %s == %s: %v, in the loop: %v, %v", args, x.text, want, is, inLoop, err)
				}
			}
		})
	}
}

// TestInfix has what the operators do beyond integers, and what they refuse.
func TestInfix(t *testing.T) {
	infixFrame(t, []string{"10", "-3", "100", "-7"}, func(e *Engine, f Frame) {
		for _, c := range [][2]string{
			{"$i + 1", "8"}, {"$a * 2 > $b", "1"}, {"-$i", "-7"}, {"$a-1", "40"}, {"$a - 1", "9"}, {"$a-2", "8"},
			{"$f * 2 + 1", "6"}, {"$h == 0.1", "1"}, {"-$f", "-2.5"}, {"$f > 2", "1"}, {"$i > 3.5", "1"}, {"1.5 + 1", "2.5"}, {"-inf < $f", "1"}, {"nan == nan", "0"},
			{"i64($i) + $p", "107"}, {"i64u($b)", "4294967293"}, {"i32($q)", "-7"}, {"f64($i) / 2", "3.5"}, {"f64u($b)", "4.294967293e+09"}, {"i32($f)", "2"},
			{"i32[8] + $i", "6"}, {"u8[12] + $i", "135"}, {"i8[12] + $p", "-28"}, {"u32[8] + 1", "4294967296"}, {"u32[8] == $i - 8", "1"}, {"u32[8] + $p", "4294967395"}, {"i32[$i + 1]", "-1"}, {"u8[12] - i32[8]", "129"},
			{"$r.$x + 1", "6"}, {"$r.$q-1 + 1", "7"}, {"$r.$q-1-1", "5"}, {"$r == null", "0"}, {"$null == null && $r != null", "1"}, {"!$r", "0"},
			{"$twice($i) + 1", "15"}, {"$twice($twice(1 + 1)) * 2", "16"}, {"$i > 5 ? $a : $b", "10"}, {"$i == 7 ? $i / 7 : $i / 0", "1"}, {"$i || $i / 0", "1"},
			{"(local.get $i) + (i32.const 1)", "8"}, {"(i32.add (local.get $i) (i32.const 1)) * 2", "16"}, {"local.get $i", "7"}, {"0xff & ~1", "254"}, {"$i == 7 && $q == -7", "1"},
			{"1 << 40", "1099511627776"}, {"$i & 0xffffffff", "7"}, {"($i + 1) * ($i - 1)", "48"}, {"$g / 2", "-1"}, {"$g % 2", "-1"}, {"$g /u 2", "9223372036854775806"},
			{"$i << $p", "<< needs two operands of one type, not i32 and i64: convert one with i64(…) (signed) or i64u(…) (unsigned)"},
			{"$i == $p", "== needs two operands of one type, not i32 and i64: convert one with i64(…) (signed) or i64u(…) (unsigned)"},
			{"$p & ($i == 1)", "& needs two operands of one type, not i64 and i32: convert one with i64(…) (signed) or i64u(…) (unsigned)"},
			{"$i + $f", "+ needs two operands of one type, not i32 and f64: convert one, for example with f64(…)"},
			{"$h + $f", "+ needs two operands of one type, not f32 and f64: convert one, for example with f64(…)"},
			{"$i + 0.5", "+ needs two operands of one type, not i32 and a float: convert one, for example with f64(…)"},
			{"$i + $r", "+ needs two operands of one type, not i32 and a reference"},
			{"$r == 0", "== needs two operands of one type, not a reference and an integer"},
			{"$f % 2", "% does not take f64"}, {"~$f", "~ does not take f64"}, {"$r < null", "references can only be compared with == and !="}, {"$f <u 3", "<u does not take f64"},
			{"-$r", "- does not take a reference"}, {"i64($r)", "i64(…) does not take a reference"}, {"$i == 5000000000", "5000000000 does not fit into an i32"},
			{"$i / 0", "integer divide by zero"}, {"1 / 0", "integer divide by zero"}, {"i32($f * 1e10)", "2.5e+10 does not fit into an i32"},
			{"$two() + 1", "$two has 2 results, not one"}, {"$nope + 1", "there is no local or global $nope here"}, {"$nope(1) + 1", "there is no function $nope here"}, {"$i +", "an operand is missing after +"},
		} {
			text := ""
			vs, err := e.Evaluator.Eval(f, c[0], MayCall)
			if err == nil {
				text = e.Inspector.Show(vs[0], false)
			} else {
				text = err.Error()
			}
			if text != c[1] {
				t.Errorf("%s is %s, want %s", c[0], text, c[1])
			}
			is, _, cerr := e.CompiledTest(f, c[0])
			if (cerr == nil) != (err == nil) || err != nil && cerr.Error() != err.Error() ||
				err == nil && is != (text != "0") {
				t.Errorf("as a condition %s is %v, %v; want %s", c[0], is, cerr, c[1])
			}
		}
		for _, c := range [][2]string{{"$i = $a * 2 + 1", "21"}, {"$p = 2 * 3", "6"}, {"$f = 1 + 1", "2"}, {"$q = u8[12]", "128"}, {"$q = i64($i)", "21"}} {
			if vs, err := e.Evaluator.Eval(f, c[0], MayAssign|MayCall); err != nil ||
				e.Inspector.Show(vs[0], false) != c[1] {
				t.Errorf("%s: %v, %v", c[0], vs, err)
			}
		}
	})
}

// TestExpressionErrors names what is wrong in a few words, once, however long the expression is.
func TestExpressionErrors(t *testing.T) {
	infixFrame(t, []string{"1", "2", "3", "4"}, func(e *Engine, f Frame) {
		marker := "marker" + strings.Repeat("x", 500)
		for _, text := range []string{
			"$" + marker, marker, "$" + marker + " + 1", "$" + marker + "(1)", "1 " + marker, "(i32." + marker + ")", "(local.get $" + marker + ")", "$i = $" + marker,
			"$" + marker + " = 1", "$i = $" + marker + " + 1", "$twice($" + marker + ")", "(i32.add (local.get $i) (local.get $" + marker + "))", "$r." + marker, "i32[$" + marker + "]",
			"memory $" + marker, "local " + marker, "#1." + marker, "$i ? $" + marker + " : 2", marker + "(", "$i = \"" + marker, "0x" + marker, "#" + marker,
		} {
			_, err := e.Evaluator.Eval(f, text, MayCall|MayAssign)
			if err == nil {
				t.Errorf("%.30s… is accepted", text)
			} else if n := strings.Count(err.Error(), "marker"); n > 1 || len(err.Error()) > 300 {
				t.Errorf("%.30s…: %d times, %d bytes: %s", text, n, len(err.Error()), err)
			}
		}
	})
}
