package loader_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/vm/debug"
	"stackscope/wasm/binary"
)

// TestLazySource: a run that does not fail prints no text; one that fails has the places that a debugger
// shows.
func TestLazySource(t *testing.T) {
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
	run := func(lazy bool, arg string) (text, said string) {
		p, err := loader.Load(loader.Config{Path: path, Args: []string{arg}, LazySource: lazy})
		if err != nil {
			t.Fatal(err)
		}
		m := vm.New(vm.Options{})
		in, err := p.Link(context.Background(), m, vm.ImportFunc(func(string, string) vm.Extern { return nil }))
		if err != nil {
			t.Fatal(err)
		}
		dp, err := p.Debug()
		if err != nil {
			t.Fatal(err)
		}
		y := debug.NewSymbols(dp)
		if _, err = p.Call(context.Background(), m, in); err != nil {
			said = y.Describe(err)
		}
		return p.Main().File.Text, said
	}
	if text, said := run(true, "1"); text != "" || said != "" {
		t.Errorf("printed %q, said %q", text, said)
	}
	wantText, want := run(false, "0")
	text, got := run(true, "0")
	if got != want || text != wantText || !strings.Contains(got, "$inner") || !strings.Contains(got, "m.wasm:") {
		t.Errorf("lazily:\n%s\nelse:\n%s", got, want)
	}
}
