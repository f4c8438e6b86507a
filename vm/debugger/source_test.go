package debugger_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/internal/testing/annotated"
	"stackscope/vm"
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

// TestSourceBreakpoints sets breakpoints in the source of a program.
func TestSourceBreakpoints(t *testing.T) {
	d := &sourceDriver{drive(t, annotatedProgram(t, "testdata/source/calls.wat"), Options{})}
	for line, want := range map[int]string{
		4:  "5",  // the prologue
		5:  "5",  //
		7:  "9",  // between functions: the next one
		8:  "9",  // where a function is declared
		10: "12", //
		14: "14", // where a call begins that was inlined
		16: "there is no code at or below line 16",
	} {
		b := d.breakAtSource(line)[0]
		got := b.Message
		if b.Verified {
			got = fmt.Sprint(b.File.LineOf(b.Place.Span.Start) + 1)
		}
		if got != want {
			t.Errorf("line %d: %s, want %s", line, got, want)
		}
	}
	for name, want := range map[string]string{
		"twice": "main.c:5", "twice(int)": "main.c:5", "sq": "lib.h:2", "$twice": "main.c:5", "main": "main.c:12",
		"apply": "prog.wat:37", "nothing": "there is no function or tag nothing",
	} {
		b := &Breakpoint{ID: 1, Func: name}
		if err := d.e.Breakpoints.Set("functions", nil, []*Breakpoint{b}); err != nil {
			t.Fatal(err)
		}
		got := b.Message
		if b.Verified {
			got = fmt.Sprintf("%s:%d", b.File.Name, b.File.LineOf(b.Place.Span.Start)+1)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if err := d.e.Breakpoints.Set("functions", nil, nil); err != nil {
		t.Fatal(err)
	}
	d.breakAtSource(14)
	d.e.Start()
	if got := d.where(d.wait()); got != "#1 main main.c:14" {
		t.Errorf("a line whose first code is an inlined call stops at %s", got)
	}
}

// TestViews shows functions in the text format, and in their source again.
func TestViews(t *testing.T) {
	p := annotatedProgram(t, "testdata/source/calls.wat")
	d := &sourceDriver{drive(t, p, Options{})}
	d.breakAtSource(13)
	d.e.Start()
	d.wait()
	at := func(want string) {
		t.Helper()
		if got := d.where("#1"); got != want {
			t.Errorf("shown at %s, want %s", got, want)
		}
	}
	view := func(fn *FuncID, wat bool) {
		t.Helper()
		if err := d.e.Do(func() { d.e.Symbols.SetView(fn, wat) }); err != nil {
			t.Fatal(err)
		}
	}
	at("#1 main main.c:13")
	view(nil, true)
	at("#1 $main prog.wat:24")
	if got := d.do(Over, ByStatement, 0, false); got != "#1 27" {
		t.Errorf("a step in the text format leads to %s", got)
	}
	view(nil, false)
	at("#1 sq lib.h:2 < main main.c:14")
	view(&FuncID{Unit: 0, Func: 2}, true)
	at("#1 $main prog.wat:27")
	view(nil, false)
	if got := d.where(d.do(Over, ByStatement, 0, false)); got != "#1 sq lib.h:3 < main main.c:14" {
		t.Errorf("a step in the source leads to %s", got)
	}
}

// TestDeepTrace reads a long trace with inlined calls in parts.
func TestDeepTrace(t *testing.T) {
	d := &sourceDriver{drive(t, annotatedProgram(t, "testdata/source/deep.wat"), Options{})}
	d.breakAtSource(3)
	d.e.Start()
	d.wait()
	if err := d.e.Do(func() {
		all, total, _ := d.e.Inspector.Trace(1, 0, 0)
		if len(all) != total || total < 7001 || total > 7010 {
			t.Errorf("%d of %d lines", len(all), total)
		}
		for from := 0; from < total; from += 997 {
			part, n, _ := d.e.Inspector.Trace(1, from, 10)
			if n != total {
				t.Errorf("%d lines from %d on, %d in all", n, from, total)
			}
			for i, x := range part {
				a, b := all[from+i].Frame, x.Frame
				if a.Title != b.Title || a.Depth != b.Depth || a.Site != b.Site || a.Inlined != b.Inlined {
					t.Errorf("line %d: %s %v, in the whole trace %s %v", from+i, b.Title, b.Site, a.Title, a.Site)
				}
			}
		}
		if f := all[1].Frame; f.Title != "again" || f.Inlined != 1 || all[2].Frame.Title != "down" || all[2].Frame.Site.Line != 4 {
			t.Errorf("the second frame is %s, the third %s %v", f.Title, all[2].Frame.Title, all[2].Frame.Site)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// TestSourceOfLateUnit sets a breakpoint in a source that becomes known when the program runs.
func TestSourceOfLateUnit(t *testing.T) {
	late := annotatedProgram(t, "testdata/source/calls.wat")
	u := late.Units[0]
	p := &Program{Run: func(ctx context.Context, r *Runner) error {
		in, err := r.Instantiate(ctx, u, nil)
		if err != nil {
			return err
		}
		_, err = r.Machine.Call(ctx, in.Export("main").(*vm.Func))
		return err
	}}
	changed := make(chan Breakpoint, 1)
	d := &sourceDriver{drive(t, p, Options{
		InGroup:  func(group string, f *Source) bool { return f.External() != nil && f.Name == group },
		OnChange: func(b Breakpoint) { changed <- b },
	})}
	b := &Breakpoint{ID: 7, Line: 12}
	if err := d.e.Breakpoints.Set(annotated.File, nil, []*Breakpoint{b}); err != nil || b.Verified {
		t.Fatal(err, b.Verified)
	}
	d.e.Start()
	if got := d.where(d.wait()); got != "#1 main main.c:13" {
		t.Errorf("stops at %s", got)
	}
	if c := <-changed; !c.Verified || c.ID != 7 || c.File.Name != annotated.File {
		t.Errorf("%+v", c)
	}
}
