package analysis_test

import (
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// What is wrong with an annotation is said at the annotation, or at the token of it: between ⟦ and
// ⟧. So it is after each edit.
func TestAnnotationPlaces(t *testing.T) {
	for _, text := range []string{
		`(module $m ⟦(@name)⟧)`,
		`(module $m (@name "a") ⟦(@name "b")⟧ (func))`,
		`(module (func) (func $f (param i32) ⟦(@name "x")⟧))`,
		`(module (func $f (@name "x" ⟦y⟧) (param i32)))`,
		`(module (func $f (@name ⟦"\ff"⟧)))`,
		`(module (func ⟦(@custom "x")⟧))`,
		`(module (@custom "x" (after ⟦tables⟧)))`,
		`(module (@custom "x" (⟦beside⟧ table)))`,
		`(module (@custom "x" ⟦(before table)⟧ "y") (memory 1))`,
		`(module (@custom "x" (before table) "y" ⟦z⟧) (table 1 funcref))`,
		`(module ⟦(@metadata.code.branch_hint "\00")⟧ (func))`,
		`(module (func ⟦(@metadata.code.branch_hint "\00")⟧ (nop)))`,
		`(module (func (@metadata.code.branch_hint "\00") ⟦(@metadata.code.branch_hint "\00")⟧ (if (i32.const 0) (then))))`,
		`(module (func ⟦(@metadata.code.branch_hint "\00\00")⟧ (if (i32.const 0) (then))))`,
	} {
		from := strings.Index(text, "⟦")
		to := strings.Index(text, "⟧") - len("⟦")
		text = strings.NewReplacer("⟦", "", "⟧", "").Replace(text)
		s := analysis.Open(source.NewFile("a.wat", text), analysis.Options{})
		check := func(s *analysis.Snapshot, shift int) {
			t.Helper()
			ds := s.Diagnostics()
			if len(ds) != 1 || ds[0].Span != (source.Span{Start: from + shift, End: to + shift}) ||
				ds[0].Code != diag.Annotation && ds[0].Code != diag.CustomPlace {
				t.Errorf("%s: want one diagnostic at [%d,%d): %v", text, from+shift, to+shift, ds)
			}
			if _, ok := s.Modules()[0].Lower(); ok == (ds[0].Code == diag.Annotation) {
				t.Errorf("%s: lowered: %t", text, ok)
			}
		}
		check(s, 0)
		check(s.Edit(source.Edit{New: ";; a line\n"}), 10)
		gone := s.Edit(source.Edit{Span: source.Span{Start: from, End: to}})
		want := analysis.Open(source.NewFile("a.wat", gone.File().Text), analysis.Options{}).Diagnostics()
		if got := gone.Diagnostics(); len(got) != len(want) {
			t.Errorf("%s: after an edit %v, afresh %v", gone.File().Text, got, want)
		}
	}
}
