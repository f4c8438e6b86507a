package ide

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/ide/action"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
)

// TestSignatureInBothForms asks for the signature at every operand without operands of its own, in
// the functions of the examples as they are and written flat: the instruction that consumes it, and
// which operand it is, stay the same.
func TestSignatureInBothForms(t *testing.T) {
	compared := 0
	files, _ := filepath.Glob("../../testdata/examples/*/*.wat")
	every, _ := filepath.Glob("testdata/every/*.wat")
	files = append(files, every...)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := analysis.Open(source.NewFile(name, string(text)), analysis.Options{})
		for _, m := range s.Modules() {
			for _, y := range m.Symbols(analysis.SpaceFunc) {
				if m.Body(y.Index) == nil {
					continue
				}
				for _, r := range action.Refactors(s, query.HeadSpan(y).Start) {
					if r.Title != "Write the function flat" {
						continue
					}
					flat := s.EditAll(r.Make())
					compared += sameSignatures(t, s, flat, m, flat.Modules()[0], y.Index)
				}
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d operands were compared", compared)
	}
}

func sameSignatures(t *testing.T, s, flat *analysis.Snapshot, m, fm *analysis.Module, fn uint32) (n int) {
	t.Helper()
	b, fb := m.Body(fn), fm.Body(fn)
	if fb == nil || len(b.Instrs) != len(fb.Instrs) {
		t.Fatalf("%s: function %d has other instructions when it is written flat", s.File().Name, fn)
	}
	ty := query.NewTypes(m)
	for i := range b.Instrs {
		params, results, ok := ty.Operands(b, i)
		if !ok || len(params) > 0 || len(results) == 0 || b.Instrs[i].Op.OpensBlock() || b.Unreachable(i) {
			continue
		}
		x, ok1 := Signature(s, b.Span(i).End)
		y, ok2 := Signature(flat, fb.Span(i).End)
		if y.Active < 0 && x.Active >= 0 && meetsUnknown(ty, b, i) {
			continue // what consumes it in flat code is unknown
		}
		word := func(s SignatureInfo) string { w, _, _ := strings.Cut(s.Label, " "); return w }
		if ok1 != ok2 || word(x) != word(y) || x.Active != y.Active || len(x.Params) != len(y.Params) {
			line, col := s.File().LineCol(b.Span(i).Start)
			t.Errorf(
				"%s:%d:%d: %q operand %d; flat %q operand %d", s.File().Name, line, col, x.Label, x.Active,
				y.Label, y.Active,
			)
		}
		n++
	}
	return n
}

// meetsUnknown reports whether an instruction whose operands are not known comes before the value
// of instruction i is consumed.
func meetsUnknown(ty query.Types, b *analysis.Body, i int) bool {
	for j := i + 1; j < len(b.Instrs) && len(b.StackAfter(j)) >= len(b.StackAfter(i)); j++ {
		if _, _, ok := ty.Operands(b, j); !ok {
			return true
		}
	}
	return false
}
