package js_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"stackscope/analysis"
	analysissource "stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/vm/host/js"
	"stackscope/wasm"
)

// builtins are all of them with their types, and an array to work on.
const builtins = `
	(type $units (array (mut i16)))
	(import "wasm:js-string" "cast" (func $cast (param externref) (result (ref extern))))
	(import "wasm:js-string" "test" (func $test (param externref) (result i32)))
	(import "wasm:js-string" "fromCharCodeArray" (func $fromCharCodeArray (param (ref null $units) i32 i32) (result (ref extern))))
	(import "wasm:js-string" "intoCharCodeArray" (func $intoCharCodeArray (param externref (ref null $units) i32) (result i32)))
	(import "wasm:js-string" "fromCharCode" (func $fromCharCode (param i32) (result (ref extern))))
	(import "wasm:js-string" "fromCodePoint" (func $fromCodePoint (param i32) (result (ref extern))))
	(import "wasm:js-string" "charCodeAt" (func $charCodeAt (param externref i32) (result i32)))
	(import "wasm:js-string" "codePointAt" (func $codePointAt (param externref i32) (result i32)))
	(import "wasm:js-string" "length" (func $length (param externref) (result i32)))
	(import "wasm:js-string" "concat" (func $concat (param externref externref) (result (ref extern))))
	(import "wasm:js-string" "substring" (func $substring (param externref i32 i32) (result (ref extern))))
	(import "wasm:js-string" "equals" (func $equals (param externref externref) (result i32)))
	(import "wasm:js-string" "compare" (func $compare (param externref externref) (result i32)))
	(import "'" "abc" (global $abc (ref extern)))
	(import "'" "héllo 😀" (global $wide externref))
	(global $a (ref $units) (array.new_fixed $units 3 (i32.const 104) (i32.const 105) (i32.const 0xD83D)))
	(export "cast" (func $cast)) (export "test" (func $test)) (export "fromCharCode" (func $fromCharCode))
	(export "fromCodePoint" (func $fromCodePoint)) (export "charCodeAt" (func $charCodeAt))
	(export "codePointAt" (func $codePointAt)) (export "length" (func $length)) (export "concat" (func $concat))
	(export "substring" (func $substring)) (export "equals" (func $equals)) (export "compare" (func $compare))
	(export "abc" (global $abc)) (export "wide" (global $wide))
	(func (export "fromCharCodeArray") (param i32 i32) (result externref)
		(call $fromCharCodeArray (global.get $a) (local.get 0) (local.get 1)))
	(func (export "fromNull") (result externref) (call $fromCharCodeArray (ref.null $units) (i32.const 0) (i32.const 0)))
	(func (export "intoCharCodeArray") (param externref i32) (result i32)
		(call $intoCharCodeArray (local.get 0) (global.get $a) (local.get 1)))
	(func (export "intoNull") (param externref) (result i32)
		(call $intoCharCodeArray (local.get 0) (ref.null $units) (i32.const 0)))
	(func (export "unit") (param i32) (result i32) (array.get_u $units (global.get $a) (local.get 0)))
	(func (export "append") (param externref i32) (result externref)
		(local $i i32)
		(loop $l
			(local.set 0 (call $concat (local.get 0) (call $fromCharCode (i32.and (local.get $i) (i32.const 0x1FF)))))
			(drop (call $charCodeAt (local.get 0) (i32.const 0)))
			(br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get 1))))
		(local.get 0))
`

// lower returns a module of the text format.
func lower(t *testing.T, text string) *wasm.Module {
	t.Helper()
	s := analysis.Open(analysissource.NewFile("test.wat", "(module "+text+")"), analysis.Options{})
	mod, ok := s.Modules()[0].Lower()
	if !ok {
		t.Fatal(s.Diagnostics())
	}
	return mod
}

// link instantiates a module that imports the builtins alone.
func link(t *testing.T, text string, o vm.Options) (*vm.Machine, *vm.Instance, error) {
	t.Helper()
	mod := lower(t, text)
	m := vm.New(o)
	in, err := m.Instantiate(t.Context(), mod, "", js.Imports(m, mod, nil))
	return m, in, err
}

func str(s string) vm.Value      { return vm.HostValue(js.NewString(s)) }
func units(u ...uint16) vm.Value { return vm.HostValue(js.FromUTF16(u)) }

// show returns a value for comparisons: of a string its code units.
func show(v vm.Value) string {
	if !v.Type.IsRef() {
		return fmt.Sprint(v.I32())
	}
	x, _ := v.Ref.Host()
	s, ok := x.(*js.String)
	if !ok {
		return fmt.Sprint(x)
	}
	return fmt.Sprintf("%q %x", s.String(), s.UTF16(0, s.Len()))
}

// TestBuiltins calls each of the builtins, with bad arguments too.
func TestBuiltins(t *testing.T) {
	null, number, other := vm.NullValue(wasm.ExternRef), vm.RefValue(vm.I31Ref(7)), vm.HostValue(js.Boolean(true))
	abc, wide := str("abc"), str("é😀")
	const noString, array = "trap: cast failure", "trap: out of bounds array access"
	i := vm.I32
	for _, c := range []struct {
		name string
		args []vm.Value
		want string // the result, or the error
	}{
		{"test", []vm.Value{abc}, "1"}, {"test", []vm.Value{null}, "0"}, {"test", []vm.Value{number}, "0"},
		{"test", []vm.Value{other}, "0"},
		{"cast", []vm.Value{abc}, show(abc)}, {"cast", []vm.Value{null}, noString + " (null is no string)"},
		{"cast", []vm.Value{number}, noString + " (a value of type number is no string)"},
		{"length", []vm.Value{abc}, "3"}, {"length", []vm.Value{wide}, "3"}, {"length", []vm.Value{str("")}, "0"},
		{"length", []vm.Value{null}, noString}, {"length", []vm.Value{other}, noString},
		{"charCodeAt", []vm.Value{wide, i(1)}, fmt.Sprint(0xD83D)}, {"charCodeAt", []vm.Value{wide, i(2)}, fmt.Sprint(0xDE00)},
		{"charCodeAt", []vm.Value{abc, i(3)}, "position 3 is beyond the end of a string of length 3"},
		{"charCodeAt", []vm.Value{abc, i(-1)}, "position 4294967295 is beyond"},
		{"charCodeAt", []vm.Value{null, i(0)}, noString},
		{"codePointAt", []vm.Value{wide, i(1)}, fmt.Sprint(0x1F600)}, {"codePointAt", []vm.Value{wide, i(2)}, fmt.Sprint(0xDE00)},
		{"codePointAt", []vm.Value{units(0xD83D, 'x'), i(0)}, fmt.Sprint(0xD83D)},
		{"codePointAt", []vm.Value{units(0xD83D), i(0)}, fmt.Sprint(0xD83D)},
		{"codePointAt", []vm.Value{abc, i(3)}, "is beyond the end"}, {"codePointAt", []vm.Value{number, i(0)}, noString},
		{"fromCharCode", []vm.Value{i(65)}, show(str("A"))}, {"fromCharCode", []vm.Value{i(0x1D83D)}, show(units(0xD83D))},
		{"fromCharCode", []vm.Value{i(-1)}, show(units(0xFFFF))},
		{"fromCodePoint", []vm.Value{i(0x1F600)}, show(str("😀"))}, {"fromCodePoint", []vm.Value{i(0xD83D)}, show(units(0xD83D))},
		{"fromCodePoint", []vm.Value{i(0x10FFFF)}, show(str("\U0010FFFF"))},
		{"fromCodePoint", []vm.Value{i(0x110000)}, "1114112 is no code point"},
		{"fromCodePoint", []vm.Value{i(-1)}, "4294967295 is no code point"},
		{"concat", []vm.Value{abc, wide}, show(str("abcé😀"))}, {"concat", []vm.Value{units(0xD83D), units(0xDE00)}, show(str("😀"))},
		{"concat", []vm.Value{abc, str("")}, show(abc)}, {"concat", []vm.Value{abc, null}, noString},
		{"concat", []vm.Value{number, abc}, noString},
		{"substring", []vm.Value{abc, i(1), i(2)}, show(str("b"))}, {"substring", []vm.Value{abc, i(0), i(-1)}, show(abc)},
		{"substring", []vm.Value{abc, i(2), i(1)}, show(str(""))}, {"substring", []vm.Value{abc, i(3), i(9)}, show(str(""))},
		{"substring", []vm.Value{abc, i(4), i(9)}, show(str(""))}, {"substring", []vm.Value{abc, i(-1), i(-1)}, show(str(""))},
		{"substring", []vm.Value{wide, i(0), i(2)}, show(units(0xE9, 0xD83D))}, {"substring", []vm.Value{null, i(0), i(0)}, noString},
		{"equals", []vm.Value{abc, str("abc")}, "1"}, {"equals", []vm.Value{abc, str("abd")}, "0"},
		{"equals", []vm.Value{wide, str("é😀")}, "1"}, {"equals", []vm.Value{null, null}, "1"},
		{"equals", []vm.Value{abc, null}, "0"}, {"equals", []vm.Value{null, abc}, "0"},
		{"equals", []vm.Value{number, null}, noString}, {"equals", []vm.Value{null, other}, noString},
		{"equals", []vm.Value{abc, other}, noString},
		{"compare", []vm.Value{abc, str("abd")}, "-1"}, {"compare", []vm.Value{str("b"), abc}, "1"},
		{"compare", []vm.Value{abc, str("ab")}, "1"}, {"compare", []vm.Value{abc, str("abc")}, "0"},
		{"compare", []vm.Value{units(0xFFFF), str("😀")}, "1"}, {"compare", []vm.Value{str("z"), wide}, "-1"},
		{"compare", []vm.Value{str("é"), str("é😀")}, "-1"}, {"compare", []vm.Value{null, abc}, noString},
		{"compare", []vm.Value{abc, null}, noString},
		{"fromCharCodeArray", []vm.Value{i(0), i(3)}, show(units('h', 'i', 0xD83D))},
		{"fromCharCodeArray", []vm.Value{i(1), i(1)}, show(str(""))}, {"fromCharCodeArray", []vm.Value{i(2), i(1)}, array},
		{"fromCharCodeArray", []vm.Value{i(0), i(4)}, array}, {"fromCharCodeArray", []vm.Value{i(-1), i(-1)}, array},
		{"fromNull", nil, "trap: null array reference"},
		{"intoCharCodeArray", []vm.Value{str("ho"), i(0)}, "2"}, {"intoCharCodeArray", []vm.Value{str(""), i(3)}, "0"},
		{"intoCharCodeArray", []vm.Value{str("ho"), i(2)}, array}, {"intoCharCodeArray", []vm.Value{str(""), i(4)}, array},
		{"intoCharCodeArray", []vm.Value{str("ho"), i(-1)}, array}, {"intoCharCodeArray", []vm.Value{null, i(0)}, noString},
		{"intoNull", []vm.Value{abc}, "trap: null array reference"}, {"intoNull", []vm.Value{null}, noString},
	} {
		t.Run(fmt.Sprintf("%s %d", c.name, len(c.args)), func(t *testing.T) {
			_, in, err := link(t, builtins, vm.Options{})
			if err != nil {
				t.Fatal(err)
			}
			vs, err := in.Invoke(t.Context(), c.name, c.args...)
			got := ""
			var trap *vm.Trap
			switch {
			case errors.As(err, &trap):
				got = "trap: " + trap.Message
			case err != nil:
				t.Fatal(err)
			default:
				got = show(vs[0])
			}
			if err == nil && got != c.want || err != nil && !strings.Contains(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	_, in, err := link(t, builtins, vm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Invoke(t.Context(), "intoCharCodeArray", str("é😀"), i(0)); err != nil {
		t.Fatal(err)
	}
	for k, want := range []int32{0xE9, 0xD83D, 0xDE00} {
		if vs, err := in.Invoke(t.Context(), "unit", i(int32(k))); err != nil || vs[0].I32() != want {
			t.Errorf("unit %d is %v, %v", k, vs, err)
		}
	}
	for name, want := range map[string]string{"abc": "abc", "wide": "héllo 😀"} {
		if got := show(in.Export(name).(*vm.Global).Get()); got != show(str(want)) {
			t.Errorf("the string constant %s is %s", name, got)
		}
	}
}

// TestBuiltinTypes imports builtins with types that are not theirs.
func TestBuiltinTypes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`(import "wasm:js-string" "length" (func (param i32) (result i32)))`, "its type is (func (param externref) (result i32))"},
		{`(import "wasm:js-string" "concat" (func (param externref externref) (result externref)))`,
			"its type is (func (param externref externref) (result (ref extern)))"},
		{`(type $a (array i16)) (import "wasm:js-string" "fromCharCodeArray"
			(func (param (ref null $a) i32 i32) (result (ref extern))))`, "(ref null (array (mut i16)))"},
		{`(import "wasm:js-string" "shout" (func (param externref) (result externref)))`, "unknown import"},
		{`(import "wasm:js-string" "length" (global externref))`, "unknown import"},
		{`(import "'" "x" (global i32))`, "a string constant is an immutable global"},
		{`(import "'" "x" (global (mut externref)))`, "a string constant is an immutable global"},
		{`(import "'" "x" (func))`, "unknown import"},
		{`(import "s" "x" (global (ref extern)))`, "unknown import"}, // without a builtin it could be anything
	} {
		if _, _, err := link(t, c.text, vm.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	// The module of the constants can have another name.
	_, in, err := link(t, `(import "wasm:js-string" "length" (func (param externref) (result i32)))
		(import "s" "x" (global $x (ref extern))) (export "x" (global $x))`, vm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := show(in.Export("x").(*vm.Global).Get()); got != show(str("x")) {
		t.Error(got)
	}
}

// TestAppend appends to strings and looks at them in between: what follows a string that is kept
// stays as it is, and the work is in proportion to what is appended.
func TestAppend(t *testing.T) {
	_, in, err := link(t, builtins, vm.Options{Fuel: 1 << 18}) // to copy the whole each time takes 1.5 million
	if err != nil {
		t.Fatal(err)
	}
	const n = 20_000
	first, err := in.Invoke(t.Context(), "append", str("start"), vm.I32(n))
	if err != nil {
		t.Fatal(err)
	}
	// Two ways on from one string: neither changes the other, or what they have begun with.
	x, err := in.Invoke(t.Context(), "append", first[0], vm.I32(3))
	if err != nil {
		t.Fatal(err)
	}
	y, err := in.Invoke(t.Context(), "concat", first[0], str("yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(v vm.Value) []uint16 {
		h, _ := v.Ref.Host()
		s := h.(*js.String)
		return s.UTF16(0, s.Len())
	}
	base := text(first[0])
	if len(base) != n+5 || base[5+0x141] != 0x141 || base[n+4] != (n-1)&0x1FF {
		t.Errorf("%d units", len(base))
	}
	if xs := text(x[0]); len(xs) != n+8 || xs[n+5] != 0 || xs[n+7] != 2 {
		t.Error("x", xs[n+4:])
	}
	if ys := text(y[0]); len(ys) != n+37 || ys[n+5] != 'y' {
		t.Error("y", ys[n+4:])
	}
}

// TestLong makes strings that are too long, and strings of many nodes.
func TestLong(t *testing.T) {
	_, in, err := link(t, builtins, vm.Options{Fuel: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	s := str("0123456789")
	for {
		vs, err := in.Invoke(t.Context(), "concat", s, s)
		if err != nil {
			if !strings.Contains(err.Error(), "invalid string length") {
				t.Error(err)
			}
			break
		}
		s = vs[0]
	}
	x, _ := s.Ref.Host()
	if n := x.(*js.String).Len(); n < js.MaxLength/2 || n > js.MaxLength {
		t.Error(n)
	}
	// To look at it costs what it is long, and there is not so much fuel.
	if _, err := in.Invoke(t.Context(), "charCodeAt", s, vm.I32(0)); err == nil || !strings.Contains(err.Error(), "out of fuel") {
		t.Error(err)
	}
}

// TestMemory keeps strings until there is no memory for more, and drops others.
func TestMemory(t *testing.T) {
	const text = `
		(import "wasm:js-string" "fromCharCode" (func $char (param i32) (result (ref extern))))
		(import "wasm:js-string" "concat" (func $concat (param externref externref) (result (ref extern))))
		(import "wasm:js-string" "charCodeAt" (func $at (param externref i32) (result i32)))
		(table $t 100000 externref)
		(func $make (param $doubled i32) (result externref) (local $s externref)
			(local.set $s (call $char (i32.const 0x3B1)))
			(loop $l
				(local.set $s (call $concat (local.get $s) (local.get $s)))
				(br_if $l (local.tee $doubled (i32.sub (local.get $doubled) (i32.const 1)))))
			(drop (call $at (local.get $s) (i32.const 0)))
			(local.get $s))
		(func (export "drop") (param $n i32)
			(loop $l
				(drop (call $make (i32.const 12)))
				(br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
		(func (export "keep") (param $n i32)
			(loop $l
				(table.set $t (local.get $n) (call $make (i32.const 12)))
				(br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))`
	for _, c := range []struct {
		name string
		n    int32
		ok   bool
	}{{"drop", 5000, true}, {"keep", 100, true}, {"keep", 5000, false}} {
		_, in, err := link(t, text, vm.Options{MaxMemory: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		_, err = in.Invoke(t.Context(), c.name, vm.I32(c.n))
		if c.ok && err != nil || !c.ok && (err == nil || !strings.Contains(err.Error(), "out of memory")) {
			t.Errorf("%s %d: %v", c.name, c.n, err)
		}
	}
}
