package ide

import (
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// Printed text numbers in comments what has no name: a hint does not say it again.
func TestInlayPrinted(t *testing.T) {
	for text, want := range map[string]int{
		"(module (func) (type (func)))":                 2,
		"(module (func (;0;)) (type (;0;) (func)))":     0,
		"(module (func (;0;) nop) (func) (func (;1;)))": 2,
	} {
		s := analysis.Open(source.NewFile("a.wat", text), analysis.Options{})
		if hs := Inlay(s, source.Span{End: len(text)}, InlayOptions{Indices: true}); len(hs) != want {
			t.Errorf("%s: %v", text, hs)
		}
	}
}
