package wast_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/values"
	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/host"
)

const testdata = "../../testdata"

func openFile(t testing.TB, path string) *source.File {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return source.NewFile(path, string(b))
}

func hostConfig(t testing.TB, m *vm.Machine) wast.Config {
	return wast.Config{Machine: m, Host: func(m *vm.Machine) vm.Imports {
		mods, _, err := host.Modules(m, host.Options{})
		if err != nil {
			t.Error(err)
		}
		return mods
	}}
}

// TestExamples runs every script among the examples, and the suites of the dialects.
func TestExamples(t *testing.T) {
	examples, _ := filepath.Glob(testdata + "/examples/*/*.wast")
	suites, _ := filepath.Glob(testdata + "/dialects/*/*.wast")
	if len(examples) < 20 {
		t.Fatalf("%d examples", len(examples))
	}
	notes, _ := filepath.Glob(testdata + "/annotations/*.wast")
	for _, path := range slices.Concat(examples, suites, notes) {
		rel, _ := filepath.Rel(testdata, path)
		t.Run(filepath.ToSlash(rel), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			sum := wast.RunFile(ctx, openFile(t, path), hostConfig(t, nil), func(r *wast.Result) {
				if !r.OK {
					t.Error(r)
				}
			})
			if sum.Passed == 0 {
				t.Error("nothing in it")
			}
		})
	}
}

// TestExamplesAreFormatted expects examples and suites to look as the formatter writes them, and to
// be without diagnostics, suites without errors.
func TestExamplesAreFormatted(t *testing.T) {
	for _, glob := range []string{"/examples/*/*.wa[st]*", "/dialects/*/*.wast", "/annotations/*.wast"} {
		files, _ := filepath.Glob(testdata + glob)
		for _, path := range files {
			f := openFile(t, path)
			s := analysis.Open(f, analysis.Options{})
			if text, ok := source.ApplyAll(f.Text, syntax.Format(s.Tree(), syntax.FormatOptions{},
				source.Span{End: len(f.Text)})); !ok ||
				text != f.Text {
				t.Errorf("%s is not formatted", path)
			}
			for _, d := range s.Diagnostics() {
				if d.Severity != diag.Error && !strings.Contains(glob, "examples") {
					continue
				}
				line, _ := f.LineCol(d.Span.Start)
				t.Errorf("%s:%d: %s", path, line, d.Message)
			}
		}
	}
}

// TestScenario runs the scenario in the five designs: the switches are the same.
func TestScenario(t *testing.T) {
	const want = "create $filter · $consume → $filter · create $producer · $filter → $producer · $producer → $filter (1) · $filter → $producer · " +
		"$producer → $filter (2) · $filter → $producer · $producer → $filter (3) · $filter → $consume (3) · $consume → $filter · " +
		"$filter → $producer · $producer → $filter (4) · $filter → $producer · $producer ends → $filter · $filter ends → $consume"
	for _, dialect := range []string{"cont", "stacks", "fibers-mount", "fibers-handle", "tasks"} {
		path := testdata + "/examples/scenario/" + dialect + ".wast"
		_ = openFile(t, path)
		m := vm.New(vm.Options{})
		var log switchLog
		m.SetObserver(log.event)
		f := source.NewFile(path, fmt.Sprintf("(input %q) (invoke \"run\" (i32.const 4))", dialect+".wat"))
		if sum := wast.RunFile(context.Background(), f, hostConfig(t, m), nil); sum.Failed > 0 {
			t.Fatalf("%s: %v", dialect, sum)
		}
		if got := strings.Join(log.steps, " · "); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", dialect, got, want)
		}
	}
}

// switchLog writes down who passes control to whom with which numbers, whatever it is called in a
// dialect.
type switchLog struct {
	names map[uint64]string
	steps []string
	last  [2]uint64
}

func (l *switchLog) event(e *vm.Event) {
	if l.names == nil {
		l.names = map[uint64]string{}
	}
	switch e.Kind {
	case vm.EventCreate:
		l.names[e.Stack] = e.Base.String()
		if e.Other != 0 {
			l.steps = append(l.steps, "create "+l.names[e.Stack])
		}
	case vm.EventResume:
		l.pass(e.Other, e.Stack, e.Values)
	case vm.EventSuspend, vm.EventSwitch:
		l.pass(e.Stack, e.Other, e.Values)
	case vm.EventFinish:
		if e.Other == 0 {
			return
		}
		if l.last == [2]uint64{e.Stack, e.Other} { // it has said goodbye
			l.steps = l.steps[:len(l.steps)-1]
		}
		l.steps = append(l.steps, l.names[e.Stack]+" ends → "+l.names[e.Other])
	}
}

func (l *switchLog) pass(from, to uint64, vs []vm.Value) {
	s := l.names[from] + " → " + l.names[to]
	for _, v := range vs {
		s += " (" + strings.TrimSuffix(strings.TrimPrefix(values.Format(v), "(i32.const "), ")") + ")"
	}
	l.steps = append(l.steps, s)
	l.last = [2]uint64{from, to}
}
