package analysis

import (
	"strings"
	"testing"

	"stackscope/analysis/source"
)

// TestHandlerFix rewrites the type of the block that a handler label names, in each form that a
// block's type can have.
func TestHandlerFix(t *testing.T) {
	const head = "(module\n  (type $ft (func (param i32) (result i64)))\n  (type $ct (cont $ft))\n  (type $b (func (result i32)))\n" +
		"  (type $lone (func (param f32))) (type $lc (cont $lone))\n  (tag $yield (param i32) (result i32))\n  (tag $other (param i32) (result f64))\n  (func (param $k (ref $ct)) (result i64)\n"
	for _, c := range []struct{ name, block, fixed string }{
		{"results", "(block $l (result i32) (return (resume $ct (on $yield $l) (i32.const 1) (local.get $k))))", "(block $l (result i32 (ref $ct)) "},
		{"no type", "(block $l (return (resume $ct (on $yield $l) (i32.const 1) (local.get $k))))", "(block $l (result i32 (ref $ct)) (return"},
		{"no name", "(block (return (resume $ct (on $yield 0) (i32.const 1) (local.get $k))))", "(block (result i32 (ref $ct)) (return"},
		{"flat", "block $l (result i64)\n (return (resume $ct (on $yield $l) (i32.const 1) (local.get $k)))\n end", "block $l (result i32 (ref $ct))\n"},
		{"nullable", "(block $l (result (ref null $ct)) (return (resume $ct (on $yield $l) (i32.const 1) (local.get $k))))", "(block $l (result i32 (ref null $ct)) "},
		{"type use", "(block $l (type $b) (return (resume $ct (on $yield $l) (i32.const 1) (local.get $k))))", "(block $l (result i32 (ref $ct)) (return"},
		{"loop", "(loop $l (param i32) (drop) (return (resume $ct (on $yield $l) (i32.const 1) (local.get $k))))", "(loop $l (param i32 (ref $ct)) (drop)"},
		{"params stay", "(block $l (param i32) (result i32) (drop) (return (resume $ct (on $yield $l) (i32.const 1) (local.get $k))))", "(block $l (param i32) (result i32 (ref $ct)) (drop)"},
		{"no such type", "(block $l (result i32) (return (resume $ct (on $other $l) (i32.const 1) (local.get $k))))", "(type $ft_rest (func (param f64) (result i64)))\n  (type $ct_rest (cont $ft_rest))\n  (func"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile("f.wat", head+"    "+c.block+"\n    (unreachable)))")
			for _, d := range Open(f, Options{}).Diagnostics() {
				if d.Code != "handler-label" {
					continue
				}
				if len(d.Related) < 3 || len(d.Fixes) != 1 {
					t.Fatalf("%s: %d related places, %d fixes", d.Message, len(d.Related), len(d.Fixes))
				}
				if s := f.Text[d.Span.Start:d.Span.End]; s != "$l" && s != "0" {
					t.Errorf("it marks %q", s)
				}
				text, ok := source.ApplyAll(f.Text, d.Fixes[0].Edits)
				if !ok || !strings.Contains(text, c.fixed) {
					t.Errorf("fixed:\n%s\nwant in it\n%s", text, c.fixed)
				}
				for _, e := range Open(source.NewFile("g.wat", text), Options{}).Diagnostics() {
					if e.Code == "handler-label" || e.Code == "syntax" {
						t.Errorf("the fix leaves: %s\n%s", e.Message, text)
					}
				}
				return
			}
			t.Error("nothing is wrong with the label")
		})
	}
}

// TestOneMistakeOneError counts the diagnostics of single mistakes.
func TestOneMistakeOneError(t *testing.T) {
	for _, text := range []string{
		"(func (result i32) (i32.add (call $nope) (i32.const 1)))",
		"(func (result i32) (i32.plus (i32.const 1) (i32.const 2)))",
		"(func (result i32) (local.get))",
		"(func (result i32) (local.get $x))",
		"(func (param $p (ref $t)) (drop (local.get $p)))",
		"(type $c (cont $f)) (func (param $k (ref $c)) (resume $c (local.get $k)))",
		"(type $f (func)) (type $c (cont $f)) (func (param $k (ref $c)) (block $l (result (ref $c)) (resume $c (on $tag $l) (local.get $k)) (return)) (drop))",
		"(type $f (func)) (type $c (cont $f)) (func (param $k (ref $c)) (resume $c (on $e $l) (local.get $k))) (tag $e)",
		"(global $g i32 (i32.add (i32.const 1) (global.get $h)))",
		"(func (i32.store (i32.const 0) (i32.const 0)))",
		"(func $f) (func $f) (func (call $f))",
		"(func (drop (i32.const 99999999999)))",
		"(func (result v128) (v128.const i32x4 1 2 3))",
		"(@stack-switching \"cont\") (func (result i32) (task.resume $e (unreachable) (i32.const 1)) (i32.const 1))",
		"(func (result f32) (block (result f32) (i32.const 1)))",
	} {
		if ds := Open(source.NewFile("f.wat", text), Options{}).Diagnostics(); len(ds) != 1 {
			t.Errorf("%s\n%d diagnostics:", text, len(ds))
			for _, d := range ds {
				t.Errorf("  %s", d.Message)
			}
		}
	}
}
