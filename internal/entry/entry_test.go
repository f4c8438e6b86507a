package entry_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/entry"
	"stackscope/wasm"
)

func module(t *testing.T, text string) *wasm.Module {
	t.Helper()
	ms := analysis.Open(source.NewFile("m.wat", text), analysis.Options{}).Modules()
	m, ok := ms[0].Lower()
	if !ok {
		t.Fatalf("%s has errors", text)
	}
	return m
}

// TestDefault: `_start` before `main` before the only exported function; everything else is a
// choice.
func TestDefault(t *testing.T) {
	for text, want := range map[string]string{
		`(module)`:                     "",
		`(module (func))`:              "",
		`(module (func (export "a")))`: "a",
		`(module (memory (export "main") 1) (func (export "a")))`:                                      "a",
		`(module (func (export "a")) (func (export "b")))`:                                             "",
		`(module (func (export "a")) (func (export "main")))`:                                          "main",
		`(module (func (export "main")) (func (export "_start")))`:                                     "_start",
		`(module (memory (export "_start") 1) (func (export "a")) (func (export "b")))`:                "",
		`(module (import "env" "f" (func $f)) (export "f" (func $f)) (func $g) (export "" (func $g)))`: "",
	} {
		f, ok := entry.Default(entry.Functions(module(t, text)))
		if f.Name != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", text, f.Name, ok, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                                  nil,
		"  ":                                nil,
		"1":                                 {"1"},
		" 1  2,3 , 4\t5":                    {"1", "2", "3", "4", "5"},
		"(i32.const 1) i64:2":               {"(i32.const 1)", "i64:2"},
		"(v128.const i32x4 1 2 3 4)(i32 1)": {"(v128.const i32x4 1 2 3 4)", "(i32 1)"},
		"(1 2":                              {"(1 2"},
		"1) 2":                              {"1)", "2"},
	} {
		if got := entry.Split(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// TestCheck: a wrong argument is told before a missing one, and each in words that name the type.
func TestCheck(t *testing.T) {
	m := module(
		t,
		`(module (type $g (func)) (func (export "f") (param i32 f64 funcref externref v128 (ref null $g)) (result i64) (i64.const 0)))`,
	)
	f := entry.Functions(m)[0]
	for line, want := range map[string]string{
		"1 0x1p3 ref.null ref.extern:7 (v128.const i32x4 1 2 3 4) ref.null": "",
		"i32:1 f64:nan ref.null ref.null i64x2:1 ref.null":                  "argument `i64x2:1`",
		"4294967296":                "argument `4294967296` is not of type i32",
		"x":                         "argument `x` is not a number of type i32",
		"1.5 x":                     "argument `1.5` is not a number of type i32",
		"i64:1":                     "argument `i64:1` has type i64, but the parameter has type i32",
		"ref.null":                  "argument `ref.null` is a reference, but the parameter has type i32",
		"1 2 3":                     "argument `3` is not of type funcref: write ref.null",
		"1 2 ref.null ref.extern:x": "argument `ref.extern:x` is not of type externref",
		"":                          `"f" takes 6 arguments, not 0`,
		"1 2":                       `"f" takes 6 arguments, not 2: its type is [i32 f64 funcref externref v128 (ref null $g)] -> [i64]`,
		"1 2 ref.null ref.null (v128.const i64x2 1 2) ref.null 7": `"f" takes 6 arguments, not 7`,
	} {
		args, err := entry.Check(f, entry.Split(line), m.Names.Type)
		if want == "" {
			if err != nil || len(args) != 6 {
				t.Errorf("%q: %v, %v", line, args, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
		if errors.Is(err, entry.ErrMissing) != (line == "" || line == "1 2") {
			t.Errorf("%q: missing is %v", line, errors.Is(err, entry.ErrMissing))
		}
	}
}

func TestSignature(t *testing.T) {
	m := module(
		t,
		`(module (type $g (func)) (func (export "f") (param $n i32) (param i64 f32) (param $k (ref null $g)) (result i32 i32) (i32.const 0) (i32.const 1)) (func (export "g")))`,
	)
	fs := entry.Functions(m)
	local := func(i int) string { return m.Names.Locals[0][uint32(i)] }
	if got := entry.Signature(m, fs[0].Type,
		local); got != "(param $n i32) (param i64 f32) (param $k (ref null $g)) (result i32 i32)" {
		t.Error(got)
	}
	if got := entry.Signature(m, fs[1].Type, local); got != "" {
		t.Error(got)
	}
	if c := entry.Candidates(module(t, `(module (import "e" "f" (func)) (func) (func $a) (func $b))`),
		2); !reflect.DeepEqual(
		c, []uint32{2, 3},
	) {
		t.Error(c)
	}
}
