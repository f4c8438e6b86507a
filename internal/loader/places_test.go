package loader_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
)

// TestPlacesOfRun: the places that are told of a binary module's run are those of its text, which
// is not made for them.
func TestPlacesOfRun(t *testing.T) {
	u, err := loader.Text(source.NewFile("m.wat", `(module $m
  (func $inner (param $x i32) (result i32) (i32.div_s (i32.const 1) (local.get $x)))
  (func (export "div") (param i32) (result i32) (call $inner (local.get 0))))`), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := binary.Encode(u.Module)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.wasm")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(whole bool) string {
		p, err := loader.Load(loader.Config{Path: path, Args: []string{"0"}})
		if err != nil {
			t.Fatal(err)
		}
		if whole {
			m := p.Main().Module
			src, places := text.Print(m, text.Options{})
			places.Place(m)
			p.Main().File = symbols.NewSource(source.NewFile(path, src))
		}
		m := vm.New(vm.Options{})
		in, err := p.Link(context.Background(), m, vm.ImportMap{}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		dp, err := p.Debug()
		if err != nil {
			t.Fatal(err)
		}
		y := symbols.NewSymbols(dp.Units)
		if _, err = m.Call(context.Background(), in.Export(p.Entry).(*vm.Func), p.Args...); err == nil {
			t.Fatal("it does not trap")
		}
		return y.Describe(err)
	}
	want := run(true)
	if got := run(false); got != want || !strings.Contains(got, "$inner") || !strings.Contains(got, "m.wasm:7:5") {
		t.Errorf("lazily:\n%s\nfrom the whole text:\n%s", got, want)
	}
}

// TestNoText: naming the places of a trap in a binary module takes a small part of the memory that
// its text would.
func TestNoText(t *testing.T) {
	var b strings.Builder
	b.WriteString("(module\n")
	for range 5000 {
		b.WriteString("(func " + strings.Repeat("(nop) ", 30) + ")\n")
	}
	b.WriteString("(func $last (export \"run\") (nop) (unreachable)))")
	u, err := loader.Text(source.NewFile("m.wat", b.String()), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := binary.Encode(u.Module)
	if err != nil {
		t.Fatal(err)
	}
	if u, err = loader.Binary("m.wasm", raw, analysis.Options{}); err != nil {
		t.Fatal(err)
	}
	m := vm.New(vm.Options{})
	in, err := m.Instantiate(context.Background(), u.Module, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, trap := in.Invoke(context.Background(), "run")
	y := symbols.NewSymbols([]*debugger.Unit{u.Unit})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	said := y.Describe(trap)
	runtime.ReadMemStats(&after)
	if text := u.File.Text(); !strings.Contains(said, "$last (m.wasm:155006:5)") ||
		!strings.Contains(strings.Split(text, "\n")[155005], "unreachable") {
		t.Errorf("%s", said)
	} else if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(text))/3 {
		t.Errorf("it took %d bytes, the text is of %d", took, len(text))
	}
}
