package wast_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"stackscope/analysis"
	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/wasm"
)

var update = flag.Bool("update", false, "rewrite the list of expected failures")

// TestSpec runs the specification's suite. What fails must be exactly what testdata/expected.txt
// lists, with the reason of each: an unexpected pass is a failure too.
func TestSpec(t *testing.T) {
	all, got := runSpecs(t, specFiles(t), analysis.Options{})
	t.Log(all)
	compareList(t, "testdata/expected.txt", got)
}

// TestSpecOff runs the suite of WebAssembly 3.0 with stack switching turned off: nothing fails.
func TestSpecOff(t *testing.T) {
	files := slices.DeleteFunc(
		specFiles(t), func(f string) bool { return strings.HasPrefix(filepath.ToSlash(f), "stack-switching/") },
	)
	all, got := runSpecs(t, files, analysis.Options{Dialect: wasm.DialectOff})
	t.Log(all)
	for _, f := range got {
		t.Error(f)
	}
}

// runSpecs runs files of the suite beside each other. fails has a line for each command that fails.
func runSpecs(t *testing.T, files []string, o analysis.Options) (all wast.Summary, fails []string) {
	type outcome struct {
		sum   wast.Summary
		fails []string
	}
	results := make([]outcome, len(files))
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				out := &results[i]
				out.sum = runSpec(t, files[i], o, func(r *wast.Result) {
					if !r.OK {
						out.fails = append(out.fails, fmt.Sprint(r))
					}
				})
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, r := range results {
		all.Passed += r.sum.Passed
		all.Failed += r.sum.Failed
		fails = append(fails, r.fails...)
	}
	sort.Strings(fails)
	return all, fails
}

func runSpec(t *testing.T, rel string, o analysis.Options, report func(*wast.Result)) wast.Summary {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cfg := wast.Config{Analysis: o, Host: func(m *vm.Machine) vm.Imports {
		mods, _, err := host.Modules(m, host.Options{})
		if err != nil {
			t.Error(err)
		}
		return mods
	}}
	f := readSpec(t, rel)
	return wast.New(analysis.Open(f, cfg.Analysis), cfg).Run(ctx, report)
}

// compareList compares lines with a file of expected ones, in which `#` begins a comment.
func compareList(t *testing.T, path string, got []string) {
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(append(got, ""), "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := map[string]bool{}
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if line := strings.TrimSpace(s.Text()); line != "" && !strings.HasPrefix(line, "#") {
				want[line] = true
			}
		}
	}
	shown := 0
	for _, g := range got {
		if !want[g] {
			if shown++; shown <= 50 {
				t.Error("fails unexpectedly:", g)
			}
		}
		delete(want, g)
	}
	for w := range want {
		t.Error("passes unexpectedly:", w)
	}
	if shown > 50 {
		t.Errorf("and %d more", shown-50)
	}
}
