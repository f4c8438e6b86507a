package analysis

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/testing/genwat"
)

func megabytes(mb int, stacks bool) *source.File {
	return source.NewFile("bench.wat", genwat.Text(genwat.Options{Bytes: mb << 20, Seed: 1, Stacks: stacks}))
}

// BenchmarkOpen measures a cold open up to the diagnostics: parse, bind, lower, check.
func BenchmarkOpen(b *testing.B) {
	for _, mb := range []int{1, 10} {
		for _, stacks := range []bool{false, true} {
			b.Run(fmt.Sprintf("mb=%d/stacks=%v", mb, stacks), func(b *testing.B) {
				f := megabytes(mb, stacks)
				b.SetBytes(int64(len(f.Text)))
				for b.Loop() {
					g := source.NewFile(f.Name, f.Text)
					if d := noHints(Open(g, Options{}).Diagnostics()); len(d) > 0 {
						b.Fatal(d[0])
					}
				}
			})
		}
	}
}

// BenchmarkCheck measures what stands after the parser.
func BenchmarkCheck(b *testing.B) {
	b.Run("mb=10", func(b *testing.B) {
		f := megabytes(10, true)
		t := syntax.Parse(f)
		b.SetBytes(int64(len(f.Text)))
		for b.Loop() {
			s := &Snapshot{tree: t}
			s.findModules()
			if d := noHints(s.Diagnostics()); len(d) > 0 {
				b.Fatal(d[0])
			}
		}
	})
}

// BenchmarkEdit measures one typed character up to the diagnostics.
func BenchmarkEdit(b *testing.B) {
	for _, mb := range []int{1, 10} {
		for _, what := range []string{"body", "declaration", "rename"} {
			b.Run(fmt.Sprintf("mb=%d/in=%s", mb, what), func(b *testing.B) {
				f := megabytes(mb, false)
				s := Open(f, Options{})
				s.Diagnostics()
				at := strings.Index(f.Text[len(f.Text)/2:], "i32.const ") + len(f.Text)/2 + len("i32.const ")
				switch what {
				case "declaration":
					at = strings.Index(f.Text, "(global $counter")
				case "rename":
					at = strings.Index(f.Text, "$counter") + len("$counter")
				}
				on := false
				for b.Loop() {
					e := source.Edit{Span: source.Span{Start: at, End: at}, New: "1"}
					if what == "declaration" {
						e.New = " "
					}
					if on {
						e.End, e.New = at+1, ""
					}
					on = !on
					s = s.Edit(e)
					s.Diagnostics()
				}
			})
		}
	}
}

// TestMemory measures what a snapshot keeps per byte of text.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("measures memory")
	}
	f := megabytes(4, true)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := Open(f, Options{})
	if d := noHints(s.Diagnostics()); len(d) > 0 {
		t.Fatal(d[0])
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	per := float64(after.HeapAlloc-before.HeapAlloc)/float64(len(f.Text)) + 1
	t.Logf("%.2f bytes per byte of text, the text included", per)
	if per > 12 {
		t.Errorf("a snapshot keeps %.2f bytes per byte of text", per)
	}
	runtime.KeepAlive(s)
}

// noHints leaves out what only suggests.
func noHints(ds []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(slices.Clone(ds), func(d diag.Diagnostic) bool { return d.Severity == diag.Hint })
}
