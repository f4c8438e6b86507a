package analysis

import (
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// TestInlineTypeSpan: the place of inline parameters reaches to their last parenthesis, also when
// the last type has a nested one.
func TestInlineTypeSpan(t *testing.T) {
	text := `(module (@stack-switching "fibers-handle") (type $f (func))
  (func (type $f) (result (ref fiber (ref fiber i32))) unreachable))`
	for _, d := range Open(source.NewFile("a.wat", text), Options{}).Diagnostics() {
		if d.Code != diag.InlineType {
			continue
		}
		if got := text[d.Span.Start:d.Span.End]; got != "(result (ref fiber (ref fiber i32)))" {
			t.Errorf("the place is %q", got)
		}
		return
	}
	t.Error("no diagnostic")
}

// TestExportFixQuotes: a name with a backslash is escaped in the export that is offered.
func TestExportFixQuotes(t *testing.T) {
	for _, d := range Open(source.NewFile("a.wat", `(module (func $a\b))`), Options{}).Diagnostics() {
		for _, f := range d.Fixes {
			if strings.HasPrefix(f.Title, "Export as") {
				if got, want := f.Edits[0].New, ` (export "a\\b")`; got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				return
			}
		}
	}
	t.Error("no fix")
}

// TestNoUnknownInFix: a block's type with an unknown type in it is never offered.
func TestNoUnknownInFix(t *testing.T) {
	text := `(module (tag $e (param (ref null $nope))) (type $f (func)) (type $c (cont $f))
  (func (param $k (ref $c)) (block $l (resume $c (on $e $l) (local.get $k)))))`
	for _, d := range Open(source.NewFile("a.wat", text), Options{}).Diagnostics() {
		for _, f := range d.Fixes {
			for _, e := range f.Edits {
				if strings.Contains(f.Title+e.New, "unknown") {
					t.Errorf("%s: %s: %s", d.Code, f.Title, e.New)
				}
			}
		}
	}
}
