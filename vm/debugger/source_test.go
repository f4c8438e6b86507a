package debugger_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/internal/testing/annotated"
	. "stackscope/vm/debugger"
)

// annotatedProgram returns the program of a text whose comments are its debugging information.
func annotatedProgram(t *testing.T, path string) *Program {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	u, err := loader.Text(source.NewFile("prog.wat", string(text)), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if u.Info, err = annotated.Info(u.Module, string(text)); err != nil {
		t.Fatal(err)
	}
	return &Program{Units: []*Unit{u.Unit}, Invoke: "main"}
}

// sourceDriver drives a program that is shown in its source.
type sourceDriver struct{ *driver }

// where returns the frames at a stop: `#1 sum main.c:4 < main main.c:9`, folded ones in parentheses.
func (d *sourceDriver) where(at string) string {
	if !strings.HasPrefix(at, "#") {
		return at
	}
	id := StackID(0)
	_, _ = fmt.Sscanf(at, "#%d", &id)
	var out []string
	if err := d.e.Do(func() {
		es, _, _ := d.e.Inspector.Trace(id, 0, 0)
		for _, x := range es {
			if x.Label != "" {
				out = append(out, "--")
				continue
			}
			s := fmt.Sprintf("%s %s", x.Frame.Title, x.Frame.Site.Short())
			if x.Frame.Folded {
				s = "(" + s + ")"
			}
			out = append(out, s)
		}
	}); err != nil {
		d.t.Fatal(err)
	}
	return fmt.Sprintf("#%d %s", id, strings.Join(out, " < "))
}

// breakAtSource sets breakpoints on lines of main.c.
func (d *sourceDriver) breakAtSource(lines ...int) []*Breakpoint {
	d.t.Helper()
	var bs []*Breakpoint
	for i, l := range lines {
		bs = append(bs, &Breakpoint{ID: i + 1, Line: l - 1})
	}
	var file *Source
	for _, s := range d.e.Symbols.Sources() {
		if s.Name == annotated.File {
			file = s
		}
	}
	if err := d.e.Breakpoints.Set("source", file, bs); err != nil {
		d.t.Fatal(err)
	}
	return bs
}

// TestSourceSteps takes steps through programs with debugging information. A case is a program, a
// line of main.c to break at, and what steps lead to.
func TestSourceSteps(t *testing.T) {
	kinds := map[string]StepKind{"over": Over, "into": Into, "out": Out, "run": Run}
	for _, c := range []struct {
		program string
		line    int
		first   string
		steps   []string // `over #1 main main.c:4`
	}{
		{"calls", 12, "#1 main main.c:12", []string{
			"over #1 main main.c:13", "over #1 main main.c:14", "over #1 main main.c:15", "run end",
		}},
		{"calls", 12, "#1 main main.c:12", []string{
			"into #1 twice main.c:5 < main main.c:12", // after the prologue
			"over #1 twice main.c:6 < main main.c:12",
			"over #1 main main.c:12",
			"into #1 main main.c:13",
			"into #1 callback main.c:9 < ($apply prog.wat:39) < main main.c:13", // through code without lines
			"out #1 main main.c:13",
			"into #1 main main.c:14",
			"into #1 sq lib.h:2 < main main.c:14", // inlined, without moving
			"into #1 sq lib.h:3 < main main.c:14",
			"out #1 main main.c:14",
			"over #1 main main.c:15",
		}},
		{"calls", 9, "#1 callback main.c:9 < ($apply prog.wat:39) < main main.c:13", []string{
			"over #1 main main.c:13",
		}},
	} {
		for _, single := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%d/single=%v", c.program, c.line, single), func(t *testing.T) {
				p := annotatedProgram(t, "testdata/source/"+c.program+".wat")
				d := &sourceDriver{drive(t, p, Options{SingleSteps: single})}
				for _, b := range d.breakAtSource(c.line) {
					if !b.Verified {
						t.Fatal(b.Message)
					}
				}
				d.e.Start()
				if got := d.where(d.wait()); got != c.first {
					t.Fatalf("first stop at %s, want %s", got, c.first)
				}
				d.breakAtSource()
				for i, s := range c.steps {
					kind, want, _ := strings.Cut(s, " ")
					if got := d.where(d.do(kinds[kind], ByStatement, 0, false)); got != want {
						t.Fatalf("step %d (%s) leads to\n%s, want\n%s", i+1, kind, got, want)
					}
				}
			})
		}
	}
}
