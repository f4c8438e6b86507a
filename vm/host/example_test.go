package host_test

import (
	"context"
	"fmt"
	"os"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/vm/host"
)

// A program that prints with spectest and waits with async.
func ExampleModules() {
	snapshot := analysis.Open(source.NewFile("wait.wat", `(module
		(import "spectest" "print_i32" (func $print (param i32)))
		(import "async" "request" (func $request (param i32 i32) (result i32)))
		(import "async" "wait" (func $wait (result i32 i32)))
		(func (export "main")
			(drop (call $request (i32.const 20) (i32.const 1)))
			(drop (call $request (i32.const 10) (i32.const 2)))
			(call $wait)
			(call $print)
			(drop)))`), analysis.Options{})
	module, ok := snapshot.Modules()[0].Lower()
	if !ok {
		fmt.Println(snapshot.Diagnostics())
		return
	}
	ctx, m := context.Background(), vm.New(vm.Options{})
	imports, system, err := host.Modules(m, host.Options{Print: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer system.Close()
	in, err := m.Instantiate(ctx, module, "main", imports)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := m.Call(ctx, in.Export("main").(*vm.Func)); err != nil {
		fmt.Println(err)
	}
	// Output: 2 : i32
}
