package analysis

import (
	"slices"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// Annotations silence what is no error, within what they stand in.
func TestAllow(t *testing.T) {
	on := Options{Severity: map[diag.Code]diag.Severity{diag.Unused: diag.Warning}}
	for _, c := range []struct {
		text string
		want int
	}{
		{`(module (func (local $x i32)) (func (local $y i32)))`, 2},
		{`(module (@lint.allow "unused") (func (local $x i32)) (func (local $y i32)))`, 0},
		{`(module (func (@lint.allow "unused") (local $x i32)) (func (local $y i32)))`, 1},
		{`(module (func (@lint.allow "unread") (local $x i32)) (func (local $y i32)))`, 2},
		{`(module (func (block $a (block $a)) (block $a)))`, 1},
		{`(module (func (block $a (@lint.allow "shadow" "unread") (block $a))))`, 0},
		{`(module (func (@lint.allow "type-mismatch") (i32.const 1)))`, 1},
	} {
		ds := slices.DeleteFunc(
			Open(source.NewFile("a.wat", c.text), on).Diagnostics(),
			func(d diag.Diagnostic) bool { return d.Code == diag.UnusedLabel },
		)
		if len(ds) != c.want {
			t.Errorf("%s: %d diagnostics: %v", c.text, len(ds), ds)
		}
	}
}
