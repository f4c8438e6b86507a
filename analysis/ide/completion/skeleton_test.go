package completion

import (
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// TestGeneratorSnippet checks that the generator skeleton is a module without a diagnostic.
func TestGeneratorSnippet(t *testing.T) {
	text := "(module\n" + unsnippet(generatorSnippet) + "\n(export \"f\" (func $consume)))"
	if ds := analysis.Open(source.NewFile("g.wat", text), analysis.Options{}).Diagnostics(); len(ds) > 0 {
		t.Errorf("diagnostics of\n%s\n%v", text, ds)
	}
}
