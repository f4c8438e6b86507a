package analysis_test

import (
	"fmt"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// Parse and check a text, and print what is wrong with it.
func Example() {
	text := `(module
  (tag $yield)
  (func (export "run") (suspend $yeild)))`
	snap := analysis.Open(source.NewFile("gen.wat", text), analysis.Options{})
	for _, d := range snap.Diagnostics() {
		line, col := snap.File().LineCol(d.Span.Start)
		fmt.Printf("%d:%d: %s [%s]\n", line, col, d.Message, d.Code)
	}
	mod := snap.Modules()[0]
	fmt.Println("functions:", len(mod.Symbols(analysis.SpaceFunc)), "errors:", mod.HasErrors())
	// Output:
	// 3:33: unknown tag $yeild; did you mean $yield? [unknown-tag]
	// functions: 1 errors: true
}
