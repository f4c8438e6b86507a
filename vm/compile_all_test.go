package vm_test

import (
	"context"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/internal/testing/genwat"
	"stackscope/vm"
	"stackscope/wasm"
)

// A module that is large enough for several goroutines is compiled to the same as function by
// function, and of its errors the first counts.
func TestCompileLarge(t *testing.T) {
	u, err := loader.Text(
		source.NewFile("large.wat", genwat.Text(genwat.Options{Bytes: 1 << 20, Seed: 3})), analysis.Options{},
	)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range u.Module.Funcs {
		n += len(u.Module.Funcs[i].Body)
	}
	if n < 50_000 {
		t.Fatalf("%d instructions are not many", n)
	}
	m := vm.New(vm.Options{})
	log := m.NewFunc("log", []wasm.ValType{wasm.I32}, nil, func(*vm.Call) error { return nil })
	in, err := m.Instantiate(context.Background(), u.Module, "", vm.ImportMap{"env": {"log": log}})
	if err != nil {
		t.Fatal(err)
	}
	if in.Func(uint32(len(u.Module.Funcs)-1)) == nil {
		t.Error("the last function is not there")
	}
	for _, at := range []int{len(u.Module.Funcs) - 1, 7} {
		u.Module.Funcs[at].Locals = make([]wasm.ValType, 70_000)
		for i := range u.Module.Funcs[at].Locals {
			u.Module.Funcs[at].Locals[i] = wasm.I64
		}
		want := u.Module.Names.Func(uint32(at))
		if err := vm.New(vm.Options{}).Compile(u.Module); err == nil ||
			!strings.Contains(err.Error(), want+" needs more than") {
			t.Errorf("want an error of %s, got %v", want, err)
		}
	}
}
