//go:build !js

package js_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis"
	analysissource "stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/vm/host/js"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/valid"
)

// ran is a program that has been run to its end.
type ran struct {
	out, err string // what it has written
	fault    error
	stats    vm.Stats
	now      uint64 // of the virtual clock
	host     *js.Host
}

// decode reads and checks a binary module.
func decode(b []byte) (*wasm.Module, error) {
	m, err := binary.Decode(b)
	if err == nil {
		valid.New(m).Module(func(e valid.Error) { err = errors.New(e.Msg) })
	}
	return m, err
}

// run runs a program with the glue beside it.
func run(t *testing.T, path string) ran { return runWith(t, path, js.Options{}) }

func runWith(t *testing.T, path string, o js.Options) (r ran) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	m, loop, ctx := vm.New(vm.Options{}), &host.Loop{}, t.Context()
	o.Path, o.Data, o.Stdout, o.Stderr, o.Compile = path, data, &out, &errs, decode
	if o.Glue == "" {
		o.Glue = js.Find(path)
	}
	h, err := js.New(m, loop, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		r.out, r.err, r.stats, r.now, r.host = out.String(), errs.String(), m.Stats(), loop.Now(), h
	}()
	in, err := h.Run(ctx, mod, nil, func(im vm.Imports) (*vm.Instance, error) {
		return m.Instantiate(ctx, mod, "", im)
	})
	if err != nil {
		r.fault = err
		return r
	}
	if fn, ok := in.Export("_start").(*vm.Func); ok && !h.Called("_start") {
		if _, err := m.Call(ctx, fn); err != nil {
			r.fault = err
			return r
		}
	}
	for {
		j, ok := loop.Next(1<<64 - 1)
		if !ok {
			r.fault = h.Failure()
			return r
		}
		if err := j.Run(context.WithoutCancel(ctx)); err != nil {
			r.fault = err
			return r
		}
	}
}

// TestKotlin runs programs of the Kotlin compiler with the glue that it has emitted. They print what
// V8 prints.
func TestKotlin(t *testing.T) {
	programs, err := filepath.Glob("../../../testdata/programs/kotlin/*.wasm")
	programs = append(programs, "testdata/kotlin/bridge.wasm")
	if err != nil || len(programs) < 3 {
		t.Fatal("no programs", err)
	}
	for _, path := range programs {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".wasm"), func(t *testing.T) {
			want, err := os.ReadFile(strings.TrimSuffix(path, ".wasm") + ".out")
			if err != nil {
				t.Fatal(err)
			}
			r := run(t, path)
			if r.fault != nil {
				t.Error(r.fault)
			}
			if r.out != string(want) || r.err != "" {
				t.Errorf("it prints\n%swant\n%s%s", r.out, want, r.err)
			}
			if again := run(t, path); again.stats != r.stats || again.now != r.now {
				t.Errorf("a second run is not as the first: %+v at %d, %+v at %d", r.stats, r.now, again.stats, again.now)
			}
			if r.stats.Switches == 0 {
				t.Error("it does not switch stacks")
			}
		})
	}
}

// glue runs JavaScript that is glue, with a module in the text format as the program; "": an empty
// one. The glue is in testdata, or given as its source.
func glue(t *testing.T, source, text string, o js.Options) ran {
	t.Helper()
	dir := t.TempDir()
	s := analysis.Open(analysissource.NewFile("test.wat", "(module "+text+")"), analysis.Options{})
	mod, ok := s.Modules()[0].Lower()
	if !ok {
		t.Fatal(s.Diagnostics())
	}
	b, err := binary.Encode(mod)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"test.wasm": b, "test.mjs": []byte(source)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return runWith(t, filepath.Join(dir, "test.wasm"), o)
}

// TestConsole compares what console prints with what node prints.
func TestConsole(t *testing.T) {
	source, err := os.ReadFile("testdata/console.mjs")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/console.out")
	if err != nil {
		t.Fatal(err)
	}
	r := glue(t, string(source), "", js.Options{})
	if r.fault != nil {
		t.Fatal(r.fault)
	}
	got, wanted := strings.Split(r.out, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		var a, b string
		if i < len(got) {
			a = got[i]
		}
		if i < len(wanted) {
			b = wanted[i]
		}
		if a != b {
			t.Fatalf("line %d of console.out is\n%s\nwant\n%s", i+1, a, b)
		}
	}
}
