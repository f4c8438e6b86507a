package lang

import (
	"errors"
	"strings"
	"testing"

	"stackscope/analysis/debuginfo"
)

// scopeOf is a scope for tests.
type scopeOf map[string]Value

func (s scopeOf) Lookup(name string) (Value, bool) {
	v, ok := s[name]
	return v, ok
}

func (s scopeOf) Machine(path string) (Value, error) { return Value{}, errors.New("no " + path) }

// testScope has variables of C over a memory.
func testScope() (*Env, scopeOf, ram) {
	m := make(ram, 4096)
	env := &Env{Memory: m, Type: func(name string) *debuginfo.Type {
		if name == "struct point" {
			return point()
		}
		return nil
	}}
	m.put(100, 3)
	m.put(104, 0xfffffffe)
	m.text(108, "bob")
	m.put(116, 100)
	m.put(200, 100)
	m.put(204, 0)
	for i := range 4 {
		m.put(300+4*i, uint32(10*i))
	}
	m[320], m[324] = 200, 0xff
	color := &debuginfo.Type{Kind: debuginfo.KindEnum, Language: debuginfo.C, Word: "enum", Name: "color", Size: 4,
		Values: []debuginfo.Enumerator{{Name: "RED"}, {Name: "GREEN", Value: 3}}}
	return env, scopeOf{
		"pt": InMemory(env, point(), 100), "p": InMemory(env, c{}.ptr(point()), 200),
		"nothing": InMemory(env, c{}.ptr(point()), 204),
		"a":       InMemory(env, c{}.arr(c{}.base("int"), 4), 300),
		"n":       InMemory(env, c{}.base("int"), 100), "u": InMemory(env, c{}.base("unsigned"), 104),
		"small": InMemory(env, c{}.base("unsigned char"), 320), "ch": InMemory(env, c{}.base("char"), 108),
		"color": InMemory(env, color, 100), "v": InMemory(env, c{}.ptr(nil), 200),
		"gone": Missing(env, c{}.base("int"), debuginfo.C, debuginfo.ErrOptimizedOut),
	}, m
}

func TestEval(t *testing.T) {
	for _, x := range []struct {
		l          debuginfo.Language
		text, want string // a value with its type, or an error
	}{
		{debuginfo.C, "1 + 2 * 3", "7 int"},
		{debuginfo.C, "(1 + 2) * 3 - -4", "13 int"},
		{debuginfo.C, "7 / 2 == 3 && 7 % 2", "1 int"},
		{debuginfo.C, "1 / 0", "integer divide by zero"},
		{debuginfo.C, "0 && 1 / 0", "0 int"},
		{debuginfo.C, "1.0 / 4", "0.25 double"},
		{debuginfo.C, "1 << 31", "-2147483648 int"},
		{debuginfo.C, "0xffffffff + 1", "0 unsigned int"},
		{debuginfo.C, "2147483647 + 1", "-2147483648 int"},
		{debuginfo.C, "2147483647LL + 1", "2147483648 long long"},
		{debuginfo.C, "small + 100", "300 int"},
		{debuginfo.C, "(unsigned char)(small + 100)", "44 unsigned char"},
		{debuginfo.C, "u > 5", "1 int"},
		{debuginfo.C, "-1 < 0u", "0 int"},
		{debuginfo.C, "~n", "-4 int"},
		{debuginfo.C, "!n", "0 int"},
		{debuginfo.C, "n ? 5 : 6", "5 int"},
		{debuginfo.C, "p->x + pt.y", "1 int"},
		{debuginfo.C, "p->next->next->next->x", "3 int"},
		{debuginfo.C, "(*p).y", "-2 int"},
		{debuginfo.C, "p->name == \"bob\"", "1 int"},
		{debuginfo.C, "pt.name[0] == 'b'", "1 int"},
		{debuginfo.C, "&pt == p", "1 int"},
		{debuginfo.C, "p + 1", "0x78 struct point *"},
		{debuginfo.C, "&a[3] - &a[1]", "2 int"},
		{debuginfo.C, "*(a + 2)", "20 int"},
		{debuginfo.C, "a[4]", "4 is out of bounds: there are 4 elements"},
		{debuginfo.C, "a[1..3]", "[10, 20] "},
		{debuginfo.C, "a[0]@3", "[0, 10, 20] int [3]"},
		{debuginfo.C, "nothing == 0", "1 int"},
		{debuginfo.C, "nothing->x", "null pointer"},
		{debuginfo.C, "*v", "void * has no type that it refers to: convert it first"},
		{debuginfo.C, "((struct point *)v)->x", "3 int"},
		{debuginfo.C, "sizeof(struct point) + sizeof n + sizeof(char)", "25 unsigned int"},
		{debuginfo.C, "color == GREEN", "1 int"},
		{debuginfo.C, "gone + 1", "optimized out"},
		{debuginfo.C, "nope + 1", "there is no variable nope here"},
		{debuginfo.C, "n = 5", "assignments are allowed only in the console"},
		{debuginfo.C, "f(1)", "a function cannot be called here"},
		{debuginfo.C, "n +* 2", "a value of type int refers to nothing"},
		{debuginfo.C, "'ab'", "a character is one character in single quotes"},
		{debuginfo.C, "\"ab", "\" without its end"},
		{debuginfo.C, "a[1", "[ without ]"},
		{debuginfo.C, "(1", "( without )"},
		{debuginfo.CPlusPlus, "n == 3", "true bool"},
		{debuginfo.Rust, "200u8 + 100u8", "44 u8"},
		{debuginfo.Rust, "5 as f64 / 2.0", "2.5 f64"},
		{debuginfo.Rust, "-1i8 as u32", "4294967295 u32"},
		{debuginfo.Rust, "!0u8", "255 u8"},
		{debuginfo.Rust, "300 as u8", "44 u8"},
		{debuginfo.Rust, "2 > 1", "true bool"},
		{debuginfo.Kotlin, "1 shl 4 or 3", "19 Int"},
		{debuginfo.Kotlin, "-1 ushr 28", "15 Int"},
		{debuginfo.Kotlin, "2147483647 + 1L", "2147483648 Long"},
		{debuginfo.Kotlin, "2147483647 + 1", "-2147483648 Int"},
		{debuginfo.Kotlin, "null ?: 3", "3 Int"},
		{debuginfo.Kotlin, "3.9.toInt()", "3 Int"},
		{debuginfo.Kotlin, "\"a\" == \"a\"", "true Boolean"},
		{debuginfo.Zig, "1 == 1 and 2 > 3", "false bool"},
	} {
		env, s, _ := testScope()
		got := ""
		e, err := Parse(x.text, x.l, env)
		var v Value
		if err == nil {
			v, err = e.Eval(env, s, false)
		}
		if got = v.Text(Style{}) + " " + v.TypeName(); err != nil {
			got = err.Error()
		}
		if got != x.want && !(err != nil && strings.HasSuffix(got, x.want)) {
			t.Errorf("%s: %s, want %s", x.text, got, x.want)
		}
	}
}

func TestAssign(t *testing.T) {
	for _, x := range []struct{ text, then, want string }{
		{"n = 5", "n", "5"},
		{"p->y -= 3", "pt.y", "-5"},
		{"a[1] = a[2] * 2", "a", "[0, 40, 20, 30]"},
		{"ch = 'z'", "ch", "122 'z'"},
		{"pt.name = \"eve\"", "pt", `{x = 3, y = -2, name = "eve", next = 0x64}`},
		{"color = RED", "color", "RED"},
		{"p = &pt", "p->x", "3"},
		{"small = 300", "", "300 does not fit into 8 bits"},
		{"small = -1", "small", "255"},
		{"pt = 5", "", "a value of type struct point cannot be set: only numbers, characters, enums and pointers can"},
		{"gone = 5", "", "optimized out"},
		{"3 = 4", "", "a value of type int cannot be set: only numbers, characters, enums and pointers can"},
		{"pt.name = \"much too long\"", "", "13 bytes do not fit where there are 8"},
	} {
		env, s, _ := testScope()
		e, err := Parse(x.text, debuginfo.C, env)
		if err == nil {
			_, err = e.Eval(env, s, true)
		}
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			e, err = Parse(x.then, debuginfo.C, env)
			if err != nil {
				t.Fatal(err)
			}
			v, _ := e.Eval(env, s, false)
			got = v.Text(Style{})
		}
		if got != x.want {
			t.Errorf("%s: %s, want %s", x.text, got, x.want)
		}
	}
}

// TestCheck finds what is wrong with conditions before there are values.
func TestCheck(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"p->next->x > 1 && a[n] / n == 3", ""},
		{"nothing->x == 1", ""},
		{"p->z", "struct point * has no member z"},
		{"zz == 1", "there is no variable zz here"},
		{"n == 1 || zz", "there is no variable zz here"},
		{"color == BLUE", "there is no variable BLUE here"},
		{"pt + 1", "a value of type struct point is not a number"},
	} {
		env, s, _ := testScope()
		for k, v := range s {
			s[k] = Unknown(env, v.typ, debuginfo.C)
		}
		e, err := Parse(x.text, debuginfo.C, env)
		if err == nil {
			err = e.Check(env, s)
		}
		if got := errText(err); got != x.want {
			t.Errorf("%s: %s, want %s", x.text, got, x.want)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// FuzzEval evaluates any text in any language: it is a value or an error.
func FuzzEval(f *testing.F) {
	for _, s := range []string{
		"p->next->x@3", "a[-1..]", "((((n))))", "*&*&p", "(int)(char)p->x as u8", "a[a[a[1]]]",
		"x?.y!!.z ?: 1", "'\\u{41}'",
		"sizeof sizeof n", "p@0xffffffff", "a[0..4000000000]", "1e999", "\"\\x\"", "$", "#", "a is B.C",
		"n === 3 ? : 1", strings.Repeat("(", 300), strings.Repeat("-", 5000), strings.Repeat("a[", 300),
		"std::vector<int", ".5 + .", "0x", "0b2",
	} {
		f.Add(s, uint8(1))
		f.Add(s, uint8(3))
		f.Add(s, uint8(5))
	}
	f.Fuzz(func(t *testing.T, text string, l uint8) {
		env, s, _ := testScope()
		e, err := Parse(text, debuginfo.Language(l%10), env)
		if err != nil {
			return
		}
		if v, err := e.Eval(env, s, true); err == nil {
			_ = v.Text(Style{})
			_, _ = v.Format('x')
			if v.HasChildren() {
				_, _ = v.Named(), v.Page(0, 3)
			}
		}
		_ = e.Check(env, s)
	})
}
