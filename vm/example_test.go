package vm_test

import (
	"context"
	"fmt"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/wasm"
)

// compileText returns the module of a text.
func compileText(text string) *wasm.Module {
	u, err := loader.Text(source.NewFile("example.wat", text), analysis.Options{})
	if err != nil {
		panic(err)
	}
	return u.Module
}

// Instantiate a module and call one of its exports.
func Example() {
	mod := compileText(`(module
	  (func (export "add") (param i32 i32) (result i32)
	    (i32.add (local.get 0) (local.get 1))))`)
	m := vm.New(vm.Options{Fuel: 1_000_000})
	in, err := m.Instantiate(context.Background(), mod, "sums", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	results, err := in.Invoke(context.Background(), "add", vm.I32(2), vm.I32(3))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(results[0].I32())
	// Output: 5
}

// List the stacks of a machine that stands at a breakpoint: the generator runs on a stack of its
// own, which the stack of the call has resumed.
func ExampleMachine_LiveStacks() {
	mod := compileText(`(module
	  (type $f (func))
	  (type $k (cont $f))
	  (tag $yield (param i32))
	  (func $generator (suspend $yield (i32.const 7)))
	  (elem declare func $generator)
	  (func $main (export "main") (result i32)
	    (block $on_yield (result i32 (ref $k))
	      (resume $k (on $yield $on_yield) (cont.new $k (ref.func $generator)))
	      (unreachable))
	    (drop)))`)
	m := vm.New(vm.Options{})
	in, err := m.Instantiate(context.Background(), mod, "", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m.SetProbe(func(s *vm.Stop) {
		for _, live := range m.LiveStacks(0) {
			site, _ := live.Site()
			fmt.Println(live.ID(), live.State(), "in", site.Func, "at instruction", site.PC)
		}
	})
	m.SetBreakpoint(in.Func(0), 1)
	results, err := in.Invoke(context.Background(), "main")
	fmt.Println(results[0].I32(), err)
	// Output:
	// 2 running in $generator at instruction 1
	// 1 waiting in $main at instruction 3
	// 7 <nil>
}
