package vm_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/wasm"
)

// The kind of an import is part of what is looked up: one name can be several things.
func TestImportKinds(t *testing.T) {
	m := vm.New(vm.Options{})
	u, err := loader.Text(source.NewFile("test.wat", `(module
  (type $point (struct (field i32) (field (mut (ref null extern)))))
  (import "intrinsics" "memory" (memory $m 2 7))
  (import "intrinsics" "memory" (global $g externref))
  (import "intrinsics" "memory" (func $f (param (ref null $point)) (result (ref null $point))))
  (import "intrinsics" "memory" (table $t 3 (ref null $point)))
  (import "intrinsics" "memory" (tag $e (param (ref null $point))))
  (func (export "size") (result i32 i32 i32)
    (memory.size $m)
    (struct.get $point 0 (call $f (struct.new $point (i32.const 42) (global.get $g))))
    (table.size $t)))`), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var asked []wasm.ExternKind
	in, err := m.Instantiate(context.Background(), u.Module, "", vm.ImportFunc(
		func(module, name string, kind wasm.ExternKind) vm.Extern {
			asked = append(asked, kind)
			return &vm.Generic{Kind: kind, Make: func(d vm.Declared) (vm.Extern, error) {
				switch kind {
				case wasm.ExternMemory:
					return m.NewMemory(d.Limits)
				case wasm.ExternGlobal:
					return m.NewGlobal(d.Value, d.Mut, vm.Value{Type: d.Value}), nil
				case wasm.ExternTable:
					return m.NewTable(d.Value, d.Limits, vm.Ref{})
				case wasm.ExternTag:
					return m.NewTagAs(name, d), nil
				}
				return m.NewFuncAs(name, d, func(c *vm.Call) error { c.Return(c.Args()...); return nil }), nil
			}}
		}))
	if err != nil {
		t.Fatal(err)
	}
	if want := []wasm.ExternKind{wasm.ExternMemory, wasm.ExternGlobal, wasm.ExternFunc, wasm.ExternTable,
		wasm.ExternTag}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	vs, err := in.Invoke(context.Background(), "size")
	if err != nil || len(vs) != 3 || vs[0].I32() != 2 || vs[1].I32() != 42 || vs[2].I32() != 3 {
		t.Error(vs, err)
	}
	// All that is missing is one error. An export of another kind does not fit.
	_, err = m.Instantiate(context.Background(), u.Module, "", vm.Linked(
		map[string]*vm.Instance{"intrinsics": in}, nil, nil))
	var le *vm.LinkError
	if !errors.As(err, &le) || len(le.Missing) != 5 || le.In != u.Module {
		t.Errorf("%v", err)
	}
}

// What an instance exports comes before what others offer, if it is of the kind asked for.
func TestLinked(t *testing.T) {
	m := vm.New(vm.Options{})
	lib := texts(t, m, nil, `(module (memory (export "x") 3))`)[0]
	g := m.NewGlobal(wasm.I32, false, vm.I32(5))
	others := vm.ImportMap{"m": {"x": g, "y": g}}
	for name, kinds := range map[string][2]wasm.ExternKind{ // asked for and found
		"x 1": {wasm.ExternMemory, wasm.ExternMemory}, "x 2": {wasm.ExternGlobal, wasm.ExternGlobal},
		"y": {wasm.ExternMemory, wasm.ExternGlobal},
	} {
		imports := vm.Linked(map[string]*vm.Instance{"m": lib}, nil, others)
		if x := imports.Import("m", name[:1], kinds[0]); x == nil || x.ExternKind() != kinds[1] {
			t.Errorf("%s: %v", name, x)
		}
	}
	alone := vm.Linked(map[string]*vm.Instance{"m": lib}, nil, nil)
	if x := alone.Import("m", "x", wasm.ExternGlobal); x == nil || x.ExternKind() != wasm.ExternMemory {
		t.Error("an export of another kind is lost:", x)
	}
	if x := alone.Import("m", "z", wasm.ExternGlobal); x != nil {
		t.Error("found", x)
	}
}
