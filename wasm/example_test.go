package wasm_test

import (
	"fmt"

	"stackscope/wasm"
)

func ExampleLookup() {
	for _, op := range wasm.Lookup("switch") {
		fmt.Printf("%s: %s\n", op.Info().Dialect, op.Signature())
	}
	// Output:
	// cont: [t1* (ref null $ct1)] -> [t2*]
	// stacks: [t1* (ref null $x)] -> [t2* rt2]
}

func ExampleDialects() {
	for _, d := range wasm.Dialects() {
		fmt.Printf("%s: a %s\n", d, d.Info().Noun)
	}
	// Output:
	// cont: a continuation
	// stacks: a stack
	// fibers-mount: a fiber
	// fibers-handle: a fiber
	// tasks: a task
}
