package analysis

import (
	"reflect"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// TestLegacy: one warning for each try, folded or not, whatever is in it; the module is valid.
func TestLegacy(t *testing.T) {
	const text = `(module (tag $e (param i32))
  (func (result i32)
    try $outer (result i32)
      (try (do (throw $e (i32.const 1))) (catch $e drop) (catch_all (rethrow 0)))
      (try (do) (delegate $outer))
      i32.const 2
    catch $e
    end))`
	s := Open(source.NewFile("f", text), Options{})
	var at []int
	for _, d := range s.Diagnostics() {
		if d.Code != diag.Legacy || d.Severity != diag.Warning ||
			!reflect.DeepEqual(d.Tags, []diag.Tag{diag.Deprecated}) {
			t.Errorf("%+v", d)
		}
		if got := s.File().Text[d.Span.Start:d.Span.End]; got != "try" {
			t.Errorf("marked: %q", got)
		}
		line, _ := s.File().LineCol(d.Span.Start)
		at = append(at, line)
	}
	if want := []int{3, 4, 5}; !reflect.DeepEqual(at, want) {
		t.Errorf("warnings in lines %v, want %v", at, want)
	}
	if _, ok := s.Modules()[0].Lower(); !ok {
		t.Error("the module cannot be run")
	}
}
