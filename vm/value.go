// Package vm runs modules: an instrumented virtual machine whose every stack is a heap object.
package vm

import "stackscope/wasm"

// Value is a WebAssembly value outside the VM: an argument, a result, a variable that is looked at.
type Value struct {
	Type wasm.ValType // of references: with the type indices of no module; the heap type is the abstract one
	Lo   uint64       // i32 (zero-extended), i64, bits of f32 and f64, low half of v128
	Hi   uint64       // high half of v128
	Ref  Ref
}
