package ide_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// everyProgram returns the module that has every instruction and clause of a design.
func everyProgram(t *testing.T, d wasm.Dialect) *analysis.Snapshot {
	t.Helper()
	name := "testdata/every/" + strings.TrimPrefix(d.String(), "fibers-") + ".wat"
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s := analysis.Open(source.NewFile(name, string(b)), analysis.Options{})
	for _, x := range s.Diagnostics() {
		if x.Severity == diag.Error {
			line, col := s.File().LineCol(x.Span.Start)
			t.Fatalf("%s:%d:%d: %s", name, line, col, x.Message)
		}
	}
	return s
}

// checkEvery reports the instructions of a design that are not among those seen, and compares what
// was written about the program with the golden of a kind.
func checkEvery(t *testing.T, d wasm.Dialect, kind string, seen map[string]bool, got string) {
	t.Helper()
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		if op.Info().Dialect == d && !seen[op.String()] {
			t.Errorf("%s: %s is in no program of testdata/every", d, op)
		}
	}
	golden := filepath.Join("testdata", kind+"_"+strings.TrimPrefix(d.String(), "fibers-")+".txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, _ := os.ReadFile(golden); string(want) != got {
		t.Errorf("%s differs; see the difference after `go test ./analysis/ide -update`", golden)
	}
}

// everyPlace calls f at the keyword of each instruction of the design, each clause of it and each
// tag in a clause without a keyword, with what the place is.
func everyPlace(s *analysis.Snapshot, d wasm.Dialect, f func(what string, n syntax.N, at source.Span)) {
	var walk func(n syntax.N)
	walk = func(n syntax.N) {
		switch n.Kind() {
		case syntax.KInstr, syntax.KBlock, syntax.KEvent:
			k := n.Keyword()
			if k.T == nil {
				break
			}
			for _, op := range wasm.Lookup(k.Text()) {
				if op.Info().Dialect == d {
					f(k.Text(), n, k.Span())
				}
			}
		case syntax.KOn:
			f("clause of "+n.Parent().Keyword().Text(), n, n.Keyword().Span())
		case syntax.KClause:
			for tok := range n.Own() {
				if tok.Kind() == syntax.TokID {
					f("clause of "+n.Parent().Keyword().Text(), n, tok.Span())
					break
				}
			}
		}
		for c := range n.Children() {
			walk(c)
		}
	}
	for i := range s.Tree().Units {
		walk(s.Tree().Root(i))
	}
}

// TestHoverOfEveryInstruction compares the hovers of all instructions and clauses of all designs
// with goldens, and each sentence about stacks with what the instruction table says.
func TestHoverOfEveryInstruction(t *testing.T) {
	for _, d := range wasm.Dialects() {
		s := everyProgram(t, d)
		var got strings.Builder
		seen, said := map[string]bool{}, map[string]bool{}
		everyPlace(s, d, func(what string, n syntax.N, at source.Span) {
			seen[what] = true
			h, ok := ide.Hover(s, at.Start)
			line, _ := s.File().LineCol(at.Start)
			if !ok {
				t.Errorf("%s:%d: no hover of %s", s.File().Name, line, what)
				return
			}
			head, _, _ := strings.Cut(n.Text(), "\n")
			if text := fmt.Sprintf("==== %s\n%s\n\n", head, h.Markdown); !said[text] {
				said[text] = true
				got.WriteString(text)
			}
			for _, op := range wasm.Lookup(what) {
				if op.Info().Dialect == d {
					sentences(t, op, h.Markdown)
					b, i := bodyAt(s, at.Start)
					if i < 0 || op.OpensBlock() || op == wasm.OpEvent {
						continue
					}
					if stops := op.Does()&wasm.DoesNotContinue != 0; stops != b.Unreachable(i+1) {
						t.Errorf("%s %s: the code after it is unreachable: %v, but its typing says otherwise", d, op, stops)
					}
				}
			}
			if strings.Contains(h.Markdown, "nreachable.") && what != "unreachable" &&
				!strings.Contains(h.Markdown, "code after it") {
				t.Errorf("%s:%d: the hover of %s says that it is unreachable:\n%s", s.File().Name, line, what, h.Markdown)
			}
		})
		checkEvery(t, d, "hover", seen, got.String())
	}
}

// bodyAt returns the instruction at an offset, with the body that it is in; -1 if there is none.
func bodyAt(s *analysis.Snapshot, off int) (*analysis.Body, int) {
	m := s.ModuleAt(off)
	fn, ok := m.FuncAt(off)
	if !ok {
		return nil, -1
	}
	b := m.Body(fn)
	return b, b.At(off)
}

// phrases are what a hover says of each thing that an instruction can do to stacks.
var phrases = []struct {
	does wasm.Does
	says []string
}{
	{wasm.DoesCreate, []string{"**Creates a "}},
	{wasm.DoesEnter, []string{"enters it at once", "control goes to its function"}},
	{wasm.DoesSwitch, []string{"control goes to"}},
	{wasm.DoesWait, []string{"stack waits as its"}},
	{wasm.DoesConsume, []string{"**Consumes**"}},
	{wasm.DoesFallThrough, []string{"**Falls through**"}},
	{wasm.DoesTrapUnheard, []string{"unhandled "}},
	{wasm.DoesEnd, []string{"**Ends "}},
	{wasm.DoesEndOther, []string{"**Ends ", "without running it"}},
	{wasm.DoesNotContinue, []string{"code after it is unreachable"}},
}

// sentences checks that a hover says each thing that the instruction does, and no other.
func sentences(t *testing.T, op wasm.Op, hover string) {
	t.Helper()
	may := map[string]bool{}
	for _, p := range phrases {
		if op.Does()&p.does != 0 {
			for _, s := range p.says {
				may[s] = true
			}
		}
	}
	own := ide.StackText(op) // what is true of the place may come on top
	for _, p := range phrases {
		for _, s := range p.says {
			if strings.Contains(own, s) != may[s] || may[s] && !strings.Contains(hover, s) {
				t.Errorf("%s %s does %b; its hover says %q: %v\n%s", op.Info().Dialect, op, op.Does(), s, !may[s], own)
			}
		}
	}
	d := op.Info().Dialect.Info()
	for _, o := range wasm.Dialects() { // nor a word of another design
		n := o.Info().Noun
		if n != d.Noun && n != "stack" && strings.Contains(own, n) {
			t.Errorf("%s %s: its hover speaks of a %s:\n%s", op.Info().Dialect, op, n, own)
		}
	}
	if op.Does()&wasm.DoesCreate != 0 && op.Does()&wasm.DoesEnter == 0 != strings.Contains(own, "Nothing runs until") {
		t.Errorf("%s %s: %s", op.Info().Dialect, op, own)
	}
}
