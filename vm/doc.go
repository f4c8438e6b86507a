// Package vm runs WebAssembly modules: an instrumented virtual machine whose every stack is a heap
// object that can be looked at.
//
// A Machine links modules (Instantiate, or Compile beforehand) and calls their functions (Call,
// Instance.Invoke). Imports are functions, memories, tables, globals and tags of the host (NewFunc
// and so on) or exports of other instances. Options bound what a program may use: frames, stacks,
// memory, tables, and fuel. A program ends with its results, a *Trap, an *Exception, or an *Exit;
// faults of the VM itself are a *Crash. A Machine belongs to one goroutine; RequestPause, Terminate
// and InHost may be called from any.
//
// # Stacks
//
// A Stack is what a continuation, coroutine, fiber or task of the program is; a call of the host
// runs on a rooted one. The five designs of stack switching share one switch, which links and
// unlinks segments of stacks and copies nothing but arguments (switch.go, and switch_X.go for each
// design X; switch_cont_fused.go, switch_stacks_fused.go and switch_event_fused.go have the same
// switches as ops of the fused form).
//
// # Looking at a machine
//
// A machine that stands still can be inspected: at a stop of its probe (SetProbe, SetBreakpoint,
// SetStepping), in a host function, or between two calls. Chain returns the running stacks,
// LiveStacks all that exist and what holds them, HeapWalk finds them in parts. A Frame has locals,
// operands and handler clauses; it can be changed, and made to continue elsewhere (Jump, Restart).
// An observer (SetObserver) gets each event of stacks; a Recorder keeps the last ones cheaply.
//
// # Code
//
// Functions are compiled to the format of vm/internal/code by vm/internal/compile, in a baseline
// form of one op for each instruction and a fused form of fewer ops. baseline_loop.go and
// fused_loop.go execute them. internal/gen/loop writes both from the same tables.
//
// The loops read code and slots without bounds checks. What makes this right:
//
//   - Code comes from valid bodies. Every slot in an op is below the frame's size (code.Func.Nums,
//     Refs), and every pc below the number of ops; the last op is a return.
//   - An access to memory is compared with its length at each access.
//   - A frame is pushed only after its whole size has been allocated on its stack (grow), and
//     pointers into the areas are taken again after anything that may replace them.
//   - A frame's size has one slot to spare, so that no frame's base points past an area (a pointer
//     past an object could keep another one alive, or point nowhere).
//
// Slots are read by the methods in slots_unchecked.go. With the build tag `checked` those of
// slots_checked.go take their place, and verify_on.go checks each op before it is executed: every
// access is compared with what there is. The compiler inlines only very small functions into one as
// large as a loop: those methods are, and what is not is written out there.
package vm

import (
	"unsafe"

	"stackscope/vm/internal/code"
)

//go:generate go run ../internal/gen/loop

// The layouts that the loops compute addresses by. On a platform where one differs, this does not
// compile.
var (
	_ [8 - unsafe.Sizeof(uintptr(0))]struct{}
	_ [unsafe.Sizeof(uintptr(0)) - 8]struct{}
	_ [code.OpSize - unsafe.Sizeof(code.Op{})]struct{}
	_ [unsafe.Sizeof(code.Op{}) - code.OpSize]struct{}
	_ [refSize - unsafe.Sizeof(Ref{})]struct{}
	_ [unsafe.Sizeof(Ref{}) - refSize]struct{}
)
