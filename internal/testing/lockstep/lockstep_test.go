package lockstep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/testing/difftest"
	"stackscope/internal/testing/suite"
	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

var plain = Side{Options: vm.Options{Baseline: true}}

// script returns the commands of a file as a script.
func script(f *source.File) Script {
	return func(m *vm.Machine) string {
		cfg := wast.Config{Machine: m, Host: func(m *vm.Machine) vm.Imports {
			mods, _, err := host.Modules(m, host.Options{})
			if err != nil {
				panic(err)
			}
			return mods
		}}
		var b strings.Builder
		sum := wast.New(analysis.Open(f, cfg.Analysis), cfg).Run(context.Background(), func(r *wast.Result) {
			if !r.OK {
				fmt.Fprintln(&b, r)
			}
		})
		return fmt.Sprintf("%v\n%s", sum, &b)
	}
}

// each calls f for each script, two at a time.
func each(t *testing.T, files []string, f func(path string) error) {
	var wg sync.WaitGroup
	next := make(chan string)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for path := range next {
				if err := f(path); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		})
	}
	for _, p := range files {
		next <- p
	}
	close(next)
	wg.Wait()
}

func read(path string) (*source.File, error) {
	b, err := os.ReadFile(path)
	return source.NewFile(path, string(b)), err
}

// own returns the scripts of this repository: examples, and the suites of the dialects.
func own(t *testing.T) []string {
	examples, _ := filepath.Glob("../../../testdata/examples/*/*.wast")
	dialects, _ := filepath.Glob("../../../testdata/dialects/*/*.wast")
	if len(examples) < 20 || len(dialects) < 5 {
		t.Fatal(len(examples), len(dialects))
	}
	return slices.Concat(examples, dialects)
}

// The baseline and the fused form do the same in all scripts, official and own.
func TestSuites(t *testing.T) {
	each(t, slices.Concat(own(t), suite.Files(t)), func(path string) error {
		f, err := read(path)
		if err != nil {
			return err
		}
		return Compare(plain, Side{}, script(f))
	})
}

// Scripts take their course whatever form their code runs in from one moment to the next.
func TestTransitions(t *testing.T) {
	files := own(t)
	for i, p := range suite.Files(t) {
		if i%4 == 0 || strings.Contains(p, "stack-switching") {
			files = append(files, p)
		}
	}
	each(t, files, func(path string) error {
		f, err := read(path)
		if err != nil {
			return err
		}
		return Compare(plain, Disturbed(uint64(len(path))), script(f))
	})
}

// random returns a random module's calls as a script, to whose results the history belongs if it is
// recorded.
func random(c *difftest.Case, recorded bool) Script {
	return func(m *vm.Machine) string {
		var b strings.Builder
		rec := vm.NewRecorder(1 << 12)
		if recorded {
			m.SetRecorder(rec)
		}
		in, err := m.Instantiate(context.Background(), c.Module, "random", nil)
		if err != nil {
			return err.Error()
		}
		for _, call := range c.Calls {
			r, err := m.Call(context.Background(), in.Export(call.Name).(*vm.Func), call.Values()...)
			fmt.Fprintln(&b, call.Name, r, err)
		}
		if recorded {
			history(&b, rec)
		}
		return b.String()
	}
}

func history(b *strings.Builder, rec *vm.Recorder) {
	for n, e := range rec.All() {
		fmt.Fprintln(b, n, e.Kind, e.Stack, e.Base, e.Other, e.Site.Func, e.Site.PC, e.Tag, e.Dialect, e.End,
			e.By, e.With, e.Skipped)
	}
}

// Random programs, with stacks and without, do the same in the baseline form, in the fused form,
// and while the form changes. LOCKSTEP_N sets how many, LOCKSTEP_SEED the first seed.
func TestRandom(t *testing.T) {
	n, first := 600, uint64(1)
	if testing.Short() {
		n = 20
	}
	if s := os.Getenv("LOCKSTEP_N"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("LOCKSTEP_SEED"); s != "" {
		first, _ = strconv.ParseUint(s, 10, 64)
	}
	switches := uint64(0)
	for seed := first; seed < first+uint64(n); seed++ {
		c := difftest.Generate(seed, seed%3 == 0)
		if seed%2 == 0 {
			ds := wasm.Dialects()
			c = difftest.GenerateStacks(seed, ds[seed/2%uint64(len(ds))])
		}
		valid.New(c.Module).
			Module(func(e valid.Error) { t.Fatalf("seed %d: the generator made an invalid module: %+v", seed, e) })
		if err := Compare(plain, Side{}, random(c, false)); err != nil {
			t.Fatalf("seed %d, fast: %v", seed, err)
		}
		if err := Compare(plain, Side{}, random(c, true)); err != nil {
			t.Fatalf("seed %d, fast, recorded: %v", seed, err)
		}
		for k := range uint64(3) {
			if err := Compare(plain, Disturbed(seed*7+k), random(c, k == 0)); err != nil {
				t.Fatalf("seed %d, disturbed by %d: %v", seed, k, err)
			}
		}
		m := vm.New(vm.Options{})
		random(c, false)(m)
		switches += m.Stats().Switches
	}
	if switches < uint64(n) {
		t.Errorf("%d modules switched only %d times", n, switches)
	}
}

// What differs is found: the results, the order of things, and what only the memory shows.
func TestFinds(t *testing.T) {
	module := func(k uint64) *wasm.Module {
		return &wasm.Module{
			Names: wasm.NewNames(), Start: wasm.BadIndex,
			Types: []wasm.SubType{{Kind: wasm.CompFunc, Final: true}}, Recs: []wasm.RecGroup{{Len: 1}},
			Mems: []wasm.Memory{{Limits: wasm.Limits{Min: 1}, Import: -1}},
			Funcs: []wasm.Func{{Import: -1, Body: []wasm.Instr{
				{Op: wasm.OpI32Const, Imm: 8}, {Op: wasm.OpI32Const, Imm: k}, {Op: wasm.OpI32Store}, {Op: wasm.OpEnd},
			}}},
			Exports: []wasm.Export{{Name: "f", Kind: wasm.ExternFunc}},
		}
	}
	n := uint64(0)
	var mu sync.Mutex
	err := Compare(plain, Side{}, func(m *vm.Machine) string {
		mu.Lock()
		n++
		k := n
		mu.Unlock()
		in, err := m.Instantiate(context.Background(), module(k), "", nil)
		if err != nil {
			return err.Error()
		}
		if _, err := in.Invoke(context.Background(), "f"); err != nil {
			return err.Error()
		}
		return ""
	})
	if err == nil || !strings.Contains(err.Error(), "states differ at the end") {
		t.Error(err)
	}
}
