package ide_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/ide"
	"stackscope/analysis/ide/action"
	"stackscope/analysis/ide/completion"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// TestDialectsEverywhere asks everything at every place of the scenario in all dialects: renaming
// leaves no error, and the hover of a mnemonic names the other designs.
func TestDialectsEverywhere(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/examples/scenario/*.wat")
	if len(files) != 5 {
		t.Fatalf("%d files", len(files))
	}
	elsewhere := map[wasm.Dialect]bool{}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := source.NewFile(path, string(b))
		s := analysis.Open(f, analysis.Options{})
		ide.Symbols(s)
		ide.Folding(s)
		ide.Lenses(s)
		ide.EffectLenses(s)
		ide.ReferenceLenses(s, true)
		ide.Inlay(s, source.Span{End: len(f.Text)}, ide.InlayOptions{})
		for off := range f.Text {
			c := f.Text[off]
			if c != '$' && c != '(' && (off == 0 || f.Text[off-1] != '(') {
				continue
			}
			if h, ok := ide.Hover(s, off); ok && strings.Contains(h.Markdown, "Elsewhere: ") {
				elsewhere[s.ModuleAt(off).Dialect()] = true
			}
			completion.Complete(s, off)
			ide.Signature(s, off)
			ide.Selection(s, off)
			ide.TypeDefinition(s, off)
			action.Refactors(s, off)
			line := f.Text[f.LineStart(f.LineOf(off)):off]
			if c != '$' || strings.Contains(line, ";;") ||
				strings.Contains(line, "(type") && strings.HasSuffix(line, "(param ") {
				continue
			}
			if len(ide.Definition(s, off)) == 0 && line != "(module " {
				line, col := f.LineCol(off)
				t.Errorf("%s:%d:%d: nothing is defined", path, line, col)
			}
			edits, err := ide.Rename(s, off, "$renamed")
			text, ok := source.ApplyAll(f.Text, edits)
			if err != nil || !ok {
				continue
			}
			for _, d := range analysis.Open(source.NewFile(path, text), analysis.Options{}).Diagnostics() {
				line, col := f.LineCol(off)
				t.Errorf("%s:%d:%d: renaming leaves: %s", path, line, col, d.Message)
			}
		}
	}
	for _, d := range wasm.Dialects() {
		if !elsewhere[d] {
			t.Errorf("no hover of %s names the others", d)
		}
	}
}
