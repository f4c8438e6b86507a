package action

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/internal/testing/genwat"
	"stackscope/wasm"
)

// program returns the instructions of a function without their places.
func program(m *analysis.Module, fn uint32) []wasm.Instr {
	b := m.Body(fn)
	if b == nil {
		return nil
	}
	out := append([]wasm.Instr(nil), b.Instrs...)
	for i := range out {
		out[i].At = 0
		if out[i].Ext != nil {
			x := *out[i].Ext
			x.HandlerClauses = append([]wasm.HandlerClause(nil), x.HandlerClauses...)
			x.Catches = append([]wasm.Catch(nil), x.Catches...)
			for k := range x.HandlerClauses {
				x.HandlerClauses[k].At = 0
			}
			for k := range x.Catches {
				x.Catches[k].At = 0
			}
			out[i].Ext = &x
		}
	}
	return out
}

// TestFormsRunTheSame: a function written folded or flat has the instructions that it had, and the
// comments; writing it so again changes nothing.
func TestFormsRunTheSame(t *testing.T) {
	texts := map[string]string{"generated": genwat.Text(genwat.Options{Bytes: 12_000, Seed: 3, Stacks: true})}
	for _, pattern := range []string{"../../../testdata/examples/*.wat", "../../../testdata/examples/*/*.wat",
		"../../../testdata/dialects/*/*.wat"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			texts[f] = string(b)
		}
	}
	if len(texts) < 5 {
		t.Fatalf("only %d texts", len(texts))
	}
	changed := 0
	for name, text := range texts {
		s := analysis.Open(source.NewFile(name, text), analysis.Options{})
		for _, m := range s.Modules() {
			for _, y := range m.Symbols(analysis.SpaceFunc) {
				if m.Body(y.Index) == nil {
					continue
				}
				at := query.HeadSpan(y).Start
				for _, r := range Refactors(s, at) {
					if !strings.HasPrefix(r.Title, "Write the function") {
						continue
					}
					next := s.EditAll(r.Make())
					for _, d := range next.Diagnostics() {
						if d.Severity == 1 && len(s.Diagnostics()) == 0 {
							t.Fatalf("%s, %s, %q: %s\n%s", name, y.Name, r.Title, d.Message, next.File().Text)
						}
					}
					changed++
					now := next.Modules()[0]
					for _, o := range next.Modules() {
						if o.Name() == m.Name() {
							now = o
						}
					}
					if got, want := program(now, y.Index), program(m, y.Index); !reflect.DeepEqual(got, want) {
						t.Fatalf(
							"%s, %s, %q: other instructions in\n%s\n got %v\nwant %v", name, y.Name, r.Title,
							next.File().Text, got, want,
						)
					}
					if got, want := strings.Count(next.File().Text, ";;"), strings.Count(text, ";;"); got != want {
						t.Errorf(
							"%s, %s, %q: %d comments, want %d\n%s",
							name,
							y.Name,
							r.Title,
							got,
							want,
							next.File().Text,
						)
					}
				}
			}
		}
	}
	if changed < 50 {
		t.Errorf("only %d functions were changed", changed)
	}
}
