package syntax

import (
	"math"
	"strings"
	"testing"

	"stackscope/analysis/source"
)

// dump returns a tree as kinds in parentheses, with own tokens where the kind does not say enough.
func dump(n N) string {
	var b strings.Builder
	b.WriteString(n.Kind().String())
	if n.Kind() == KInstr || n.Kind() == KBlock || n.Kind() == KConst {
		b.WriteString(":" + n.Keyword().Text())
	}
	sep := "("
	for c := range n.Children() {
		b.WriteString(sep + dump(c))
		sep = " "
	}
	if sep == " " {
		b.WriteString(")")
	}
	return b.String()
}

// TestGrammar shows the trees of the forms that package analysis relies on.
func TestGrammar(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"(type $c (stack (param i32) (param $x i64) (ref null $c)))", "type(stacktype(param(numtype) param(numtype) reftype))"},
		{"(type $c (stack i32 (param (ref null $c))))", "type(stacktype(numtype param(reftype)))"},
		{"(type $t (sub final $u (cont $ft)))", "type(sub(conttype))"},
		{"(type $t (fiber (result i32) (result i64)))", "type(fibertype(result(numtype) result(numtype)))"},
		{"(type $g (ref fiber i32))", "type(reftype(numtype))"},
		{"(type $t ref fiber)", "type(reftype)"},
		{"(type $t (struct (field $x (mut i8)) (field i32 (ref null any))))", "type(structtype(field(mut(numtype)) field(numtype reftype)))"},
		{"(rec (type $a (array (mut i32))) (type $b (func (param $p i32) (result i32))))", "rec(type(arraytype(mut(numtype))) type(functype(param(numtype) result(numtype))))"},
		{"(func (param $x $g) (local $y i32))", "func(param local(numtype))"},
		{"(func (resume $ct (on $a $l) (on $b switch) (local.get 0)))", "func(instr:resume(on on instr:local.get))"},
		{"(func local.get 0 resume $ct (on $a $l) (on $b switch) drop)", "func(instr:local.get instr:resume(on on) instr:drop)"},
		{"(func (fiber.mount $ev ($on $l) (on $on2 $l2) (local.get 0)))", "func(instr:fiber.mount(clause on instr:local.get))"},
		{"(func fiber.new $ret ($on $f) drop)", "func(instr:fiber.new(clause) instr:drop)"},
		{"(func (event.switch ($e $l) ($e2 1)))", "func(instr:event.switch(clause clause))"},
		{"(func (task.suspend (local.get $t) ($yield (local.get $v))))", "func(instr:task.suspend(instr:local.get eventarg(instr:local.get)))"},
		{"(func (fiber.suspend (local.get $me) $yield (local.get $v)))", "func(instr:fiber.suspend(instr:local.get instr:local.get))"},
		{"(func (handle $h (result i32) (nop) (event $l $e (param i32) (drop)) (event $f)))", "func(block:handle(result(numtype) instr:nop event(param(numtype) instr:drop) event))"},
		{"(func handle $h nop event $e drop event $l $f nop end drop)", "func(block:handle(instr:nop event(instr:drop) event(instr:nop)) instr:drop)"},
		{"(func (nop) (event $e (nop)))", "func(instr:nop event(instr:nop))"},
		{"(func (barrier $b (result i32) (i32.const 1)))", "func(block:barrier(result(numtype) instr:i32.const))"},
		{"(func barrier nop end)", "func(block:barrier(instr:nop))"},
		{"(func (switch $x (local.get 0)) switch $ct $e)", "func(instr:switch(instr:local.get) instr:switch)"},
		{"(func (if $l (result i32) (i32.const 1) (then (nop)) (else (nop))))", "func(block:if(result(numtype) instr:i32.const then(instr:nop) else(instr:nop)))"},
		{"(func if nop else nop end)", "func(block:if(instr:nop else(instr:nop)))"},
		{"(func (try_table $l (result i32) (catch $e 0) (catch_all_ref 1) (nop)))", "func(block:try_table(result(numtype) catch catch instr:nop))"},
		{"(func try_table (catch $e 0) nop end)", "func(block:try_table(catch instr:nop))"},
		{"(func (try (do (nop)) (catch $e (drop)) (catch_all)))", "func(block:try(do(instr:nop) catchblock(instr:drop) catchblock))"},
		{"(func try nop catch $e drop catch_all end try nop delegate 0)", "func(block:try(instr:nop catchblock(instr:drop) catchblock) block:try(instr:nop))"},
		{"(func (try (do) (delegate 0)))", "func(block:try(do instr:delegate))"},
		{"(func (call_indirect $t (type $s) (param i32) (result i32) (i32.const 0)))", "func(instr:call_indirect(typeuse param(numtype) result(numtype) instr:i32.const))"},
		{"(func (select (result i32) (nop) (nop) (nop)) (ref.test (ref null $t) (nop)) (br_on_cast 0 anyref (ref $t) (nop)))", "func(instr:select(result(numtype) instr:nop instr:nop instr:nop) instr:ref.test(reftype instr:nop) instr:br_on_cast(reftype instr:nop))"},
		{"(func (v128.const i32x4 1 -2 0x3 4) (i8x16.shuffle 0 1 2 (nop)) (i32.load offset=4 align=1 (nop)))", "func(instr:v128.const instr:i8x16.shuffle(instr:nop) instr:i32.load(instr:nop))"},
		{"(func ref.null func ref.null $t)", "func(instr:ref.null instr:ref.null)"},
		{"(func frobnicate 1 $x (frob (nop)))", "func(instr:frobnicate instr:frob(instr:nop))"},
		{"(table $t (export \"t\") i64 1 2 (ref null func) (ref.null func))", "table(inlineexport reftype instr:ref.null)"},
		{"(table funcref (elem $f (item (ref.func 0)) (ref.func 1)))", "table(numtype elemlist(item(instr:ref.func) item(instr:ref.func)))"},
		{"(memory $m i64 1 2 (pagesize 1))", "memory(pagesize)"},
		{"(memory (data \"a\" \"b\"))", "memory(datalist)"},
		{"(global $g (mut i32) (i32.const 1))", "global(mut(numtype) instr:i32.const)"},
		{"(elem $e (table 0) (offset (i32.const 0)) func $f 1)", "elem(tableuse offset(instr:i32.const))"},
		{"(elem (i32.const 0) $f)", "elem(offset(instr:i32.const))"},
		{"(elem declare (ref func) (item ref.func 0))", "elem(reftype item(instr:ref.func))"},
		{"(data (memory $m) (i32.const 0) \"a\")", "data(memoryuse offset(instr:i32.const))"},
		{"(import \"a\" \"b\" (global $g (mut i64)))", "import(externtype(mut(numtype)))"},
		{"(export \"a\" (tag $e))", "export(exportdesc)"},
		{"(tag $e (export \"e\") (type $t) (param i32) (result i32))", "tag(inlineexport typeuse param(numtype) result(numtype))"},
		{"(func (@metadata.code.branch_hint \"\\01\") if nop end)", "func(block:if(instr:nop))"},
		{"(assert_return (invoke $m \"f\" (i32.const 1)) (either (f32.const nan:canonical) (ref.func)))", "command(action(const:i32.const) const:either(const:f32.const const:ref.func))"},
		{"(assert_trap (invoke \"f\") \"unreachable\")", "command(action)"},
		{"(assert_malformed (module quote \"x\") \"y\")", "command(module)"},
		{"(module instance $a $b)", "module"},
		{"(module definition $a binary \"x\")", "module"},
		{"(register \"x\" $m)", "command"},
		{"(assert_suspension (invoke \"f\" (ref.cont)) \"unhandled tag\")", "command(action(const:ref.cont))"},
	} {
		tr := Parse(source.NewFile("f", c.text))
		checkTree(t, tr)
		if tr.HasErrors() {
			t.Errorf("%s: %s", c.text, tr.Errors()[0].Message)
		}
		if got := dump(tr.Root(0)); got != c.want {
			t.Errorf("%s\n   %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestModules(t *testing.T) {
	tr := Parse(
		source.NewFile(
			"f",
			"(module $a (@name \"x\") (func))\n(assert_invalid (module $b (memory 1) (func)) \"m\")\n(module quote \"\")\n(module definition $d)\n(module instance $i $d)\n(invoke \"f\")",
		),
	)
	ms := tr.Modules()
	if len(ms) != 5 || len(tr.Commands()) != 6 || tr.HasErrors() {
		t.Fatalf("%d modules, %d commands, errors %v", len(ms), len(tr.Commands()), tr.Errors())
	}
	if m := ms[0]; m.Name.Text() != "$a" || len(m.Fields()) != 1 || m.Close.Kind() != KModule {
		t.Errorf("first: %+v", m)
	}
	if m := ms[1]; m.Name.Text() != "$b" || len(m.Fields()) != 2 || m.Open.Kind() != KCommand ||
		m.Close.Text() != ") \"m\")" {
		t.Errorf("second: %+v", m)
	}
	if !ms[2].Quote || !ms[3].Definition || !ms[4].Instance {
		t.Errorf("flags: %+v %+v %+v", ms[2], ms[3], ms[4])
	}
	for text, fields := range map[string]int{"": 0, ";; nothing": 0, "(func) (memory 1)": 2, "(@a) (func)": 1} {
		ms := Parse(source.NewFile("f", text)).Modules()
		if len(ms) != 1 || len(ms[0].Fields()) != fields || !ms[0].Open.IsZero() {
			t.Errorf("%q: %+v", text, ms)
		}
	}
}

func TestAt(t *testing.T) {
	text := "(module\n  (func $f (call $g)\n    )\n)"
	tr := Parse(source.NewFile("f", text))
	for _, c := range []struct {
		at        int
		node, tok string
	}{
		{strings.Index(text, "$f"), "func", "$f"}, {strings.Index(text, "$f") + 2, "func", "$f"},
		{strings.Index(text, "call"), "instr", "call"}, {strings.Index(text, "$g") + 2, "instr", "$g"},
		{strings.Index(text, "(call"), "instr", "("}, {strings.Index(text, "\n    )") + 2, "func", ""},
		{strings.Index(text, "module"), "module", "module"}, {len(text), "module", ")"},
	} {
		n, k := tr.At(c.at)
		if n.Kind().String() != c.node || k.Text() != c.tok {
			t.Errorf("at %d: %v %q, want %s %q", c.at, n.Kind(), k.Text(), c.node, c.tok)
		}
		if n.Kind() == KInstr && n.Parent().Kind() != KFunc {
			t.Errorf("parent of the call: %v", n.Parent().Kind())
		}
	}
}

func TestComments(t *testing.T) {
	text := "(module)\n;; not this\n\n;; Adds one.\n;;  Really.\n(; x ;)(func $f (nop)) ;; y\n(func $g)"
	tr := Parse(source.NewFile("f", text))
	cs := Comments(tr, 0, len(text))
	if len(cs) != 5 || cs[3].Text != "(; x ;)" || text[cs[3].Span.Start:cs[3].Span.End] != "(; x ;)" || cs[0].Lines != 1 {
		t.Errorf("%+v", cs)
	}
	tr = Parse(source.NewFile("f", strings.Replace(text, "(; x ;)", "", 1)[9:]))
	if ms := tr.Modules(); len(ms) != 1 || Doc(ms[0].Fields()[0]) != "Adds one.\n Really." ||
		Doc(ms[0].Fields()[1]) != "" {
		t.Errorf("doc %q", Doc(tr.Modules()[0].Fields()[0]))
	}
}

func TestLiterals(t *testing.T) {
	for _, c := range []struct {
		s    string
		bits int
		want uint64
		err  error
	}{{"0", 32, 0, nil}, {"4_294_967_295", 32, 0xffffffff, nil}, {"4294967296", 32, 0, ErrRange}, {"-2147483648", 32, 0x80000000, nil}, {"-2147483649", 32, 0, ErrRange},
		{"-1", 64, math.MaxUint64, nil}, {"0xffff_ffff_ffff_ffff", 64, math.MaxUint64, nil}, {"0x1_0000_0000_0000_0000", 64, 0, ErrRange}, {"-128", 8, 0x80, nil}, {"256", 8, 0, ErrRange},
		{"+5", 32, 5, nil}, {"1__0", 32, 0, ErrForm}, {"0x", 32, 0, ErrForm}, {"", 32, 0, ErrForm}, {"-", 32, 0, ErrForm}, {"1.0", 32, 0, ErrForm}, {"-0x8000000000000000", 64, 1 << 63, nil}} {
		if v, err := ParseInt(c.s, c.bits); v != c.want || err != c.err {
			t.Errorf("ParseInt(%q, %d) = %#x, %v", c.s, c.bits, v, err)
		}
	}
	if v, err := ParseNat("0x10", 32); v != 16 || err != nil {
		t.Error(v, err)
	}
	if _, err := ParseNat("-1", 32); err != ErrForm {
		t.Error(err)
	}
	for _, c := range []struct {
		s    string
		want uint32
		err  error
	}{{"1", 0x3f800000, nil}, {"-0", 0x80000000, nil}, {"0x1p-149", 1, nil}, {"0x1p-150", 0, nil}, {"0x1.000002p-150", 1, nil}, {"inf", 0x7f800000, nil}, {"-nan", 0xffc00000, nil}, {"nan:0x1", 0x7f800001, nil},
		{"nan:0x800000", 0, ErrRange}, {"nan:0x0", 0, ErrRange}, {"0x1p128", 0, ErrRange}, {"3.4028235677973367e38", 0, ErrRange}, {"0x1.fffffefffffp127", 0x7f7fffff, nil}, {"1_0.5e0_1", math.Float32bits(105), nil}, {"0x1.8", 0x3fc00000, nil}, {"0xAp+1", math.Float32bits(20), nil}, {"1.", 0x3f800000, nil}, {".5", 0, ErrForm}, {"1e", 0, ErrForm}, {"infinity", 0, ErrForm}, {"1p3", 0, ErrForm}} {
		if v, err := ParseFloat32(c.s); v != c.want || err != c.err {
			t.Errorf("ParseFloat32(%q) = %#x, %v", c.s, v, err)
		}
	}
	if v, err := ParseFloat64("0x1.00000000000008p0"); v != 0x3ff0000000000000 || err != nil { // half: to even
		t.Errorf("%#x %v", v, err)
	}
	if b, err := DecodeString(`"a\t\n\r\"\'\\\00\ff\u{1F600}"`); string(b) != "a\t\n\r\"'\\\x00\xff😀" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	for _, s := range []string{`"\q"`, `"\u{110000}"`, `"\u{d800}"`, `"\u{}"`, `"\0"`} {
		if _, err := DecodeString(s); err == nil {
			t.Errorf("%s is taken", s)
		}
	}
	if s, err := DecodeID(`$"a b"`); s != "a b" || err != nil {
		t.Error(s, err)
	}
	if _, err := DecodeID(`$"\ff"`); err != ErrUTF8 {
		t.Error(err)
	}
}
