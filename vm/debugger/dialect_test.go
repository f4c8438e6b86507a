package debugger_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	. "stackscope/vm/debugger"
	"stackscope/wasm"
)

// gives is where the producer of the scenario gives a value.
var gives = regexp.MustCompile(`\((suspend|switch|fiber\.dismount|fiber\.suspend|task\.suspend)\b`)

// One transcript of a debugger for the scenario in each design: break where the producer gives a
// value, look at the stacks, step over, into and out.
func TestDesigns(t *testing.T) {
	for _, d := range wasm.Dialects() {
		t.Run(d.String(), func(t *testing.T) {
			name := "../../testdata/examples/scenario/" + d.String() + ".wat"
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			u, err := loader.Text(source.NewFile(name, string(text)), analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			line := 1 + strings.Count(string(text[:gives.FindIndex(text)[0]]), "\n")
			r := drive(t, &Program{Units: []*Unit{u.Unit}, Invoke: "main"}, Options{})
			r.breakAt(line)
			at := fmt.Sprintf("#3 %d", line)
			r.e.Start()
			if got := r.wait(); got != at {
				t.Fatalf("breakpoint: %s, not %s", got, at)
			}
			var stacks []string
			if err := r.e.Do(func() {
				for _, s := range r.e.Stacks.Snapshot(0, true, nil).Stacks {
					stacks = append(stacks, fmt.Sprintf("%d<%d %v", s.ID, s.Parent, s.State))
				}
			}); err != nil {
				t.Fatal(err)
			}
			want := "[3<2 running 2<1 waiting 1<0 waiting]"
			if d == wasm.DialectStacks { // it has no parents
				want = "[3<0 running 1<0 suspended 2<0 suspended]"
			}
			if got := fmt.Sprint(stacks); got != want {
				t.Errorf("stacks: %s, not %s", got, want)
			}
			if got := r.do(Over, ByStatement, 3, false); !strings.HasPrefix(got, "#3 ") {
				t.Errorf("step over: %s, not on stack 3", got)
			}
			for r.do(Run, ByStatement, 3, false) != at {
			}
			if got := r.do(Into, ByStatement, 3, false); !strings.HasPrefix(got, "#2 ") {
				t.Errorf("step into: %s, not on stack 2", got)
			}
			r.breakAt()
			if got := r.do(Out, ByStatement, 2, false); !strings.HasPrefix(got, "#1 ") {
				t.Errorf("step out: %s, not on stack 1", got)
			}
			if got := r.do(Run, ByStatement, 1, false); got != "end" {
				t.Errorf("continue: %s", got)
			}
		})
	}
}
