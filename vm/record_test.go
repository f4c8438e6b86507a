package vm_test

import (
	"context"
	"fmt"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/wasm"
)

// The recorder keeps what an observer is told, but for payloads; the last of it if that is too
// much.
func TestRecorder(t *testing.T) {
	u, err := loader.Text(source.NewFile("mixed.wat", mixedProgram), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 7, 100, 100_000} {
		m := vm.New(vm.Options{})
		tick := m.NewFunc("tick", []wasm.ValType{wasm.I32}, []wasm.ValType{wasm.I32}, func(c *vm.Call) error {
			c.ReturnI32(0, c.I32(0)*3+1)
			return nil
		})
		line := func(e *vm.Event) string {
			return fmt.Sprint(e.Kind, e.Stack, e.Base, e.Other, e.Site.Func, e.Site.PC, e.Tag, e.Dialect,
				e.End, e.By, e.With, e.Skipped)
		}
		var want []string
		rec := vm.NewRecorder(size)
		m.SetRecorder(rec)
		m.SetObserver(func(e *vm.Event) { want = append(want, line(e)) })
		in, err := m.Instantiate(context.Background(), u.Module, "", vm.ImportMap{"m": {"tick": tick}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Invoke(context.Background(), "run"); err != nil {
			t.Fatal(err)
		}
		if rec.Count() != uint64(len(want)) || len(want) < 400 {
			t.Fatalf("%d events recorded, %d observed", rec.Count(), len(want))
		}
		next := max(0, len(want)-size)
		for n, e := range rec.All() {
			if got := line(e); int(n) != next+1 || got != want[next] {
				t.Fatalf("size %d: event %d is %s, want %d: %s", size, n, got, next+1, want[next])
			}
			next++
		}
		if next != len(want) {
			t.Errorf("size %d: ends at %d of %d", size, next, len(want))
		}
	}
}
