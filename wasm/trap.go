package wasm

// TrapKind is a reason to trap. Its text begins with the specification suite's wording where that
// has one; the rest is fixed by this project (docs/design/dialects.md).
type TrapKind uint8

// The traps.
const (
	TrapUnreachable TrapKind = iota + 1
	TrapIntegerDivideByZero
	TrapIntegerOverflow
	TrapInvalidConversion
	TrapMemoryOutOfBounds
	TrapTableOutOfBounds
	TrapUndefinedElement
	TrapUninitializedElement
	TrapIndirectCallType
	TrapNullReference
	TrapNullFunction
	TrapNullStructure
	TrapNullArray
	TrapNullI31
	TrapNullException
	TrapCastFailure
	TrapArrayOutOfBounds
	TrapStackExhausted
	TrapOutOfFuel
	TrapOutOfMemory
	TrapInterrupted
	TrapHost
	TrapNullContinuation
	TrapContinuationConsumed
	TrapUnhandledTag // counts as a suspension, not as a trap, in scripts
	TrapBarrier
	TrapNullStack
	TrapStackConsumed
	TrapCoroutineReturned
	TrapCoroutineException
	TrapRootedRetire
	TrapHostFrame
	TrapNullFiber
	TrapFiberMoribund
	TrapFiberHasParent
	TrapFiberNotAncestor
	TrapFiberNotSuspended
	TrapUnhandledEvent
	TrapFiberResult
	TrapNullTask
	TrapTaskMoribund
	TrapTaskNotActive
	TrapTaskNotSuspended
	TrapTaskReturned
	TrapTaskException
	TrapNoEvent
	TrapNotPromising

	NumTraps
)

var trapTexts = [NumTraps]string{
	TrapUnreachable: "unreachable", TrapIntegerDivideByZero: "integer divide by zero", TrapIntegerOverflow: "integer overflow",
	TrapInvalidConversion: "invalid conversion to integer", TrapMemoryOutOfBounds: "out of bounds memory access",
	TrapTableOutOfBounds: "out of bounds table access", TrapUndefinedElement: "undefined element", TrapUninitializedElement: "uninitialized element",
	TrapIndirectCallType: "indirect call type mismatch", TrapNullReference: "null reference", TrapNullFunction: "null function reference",
	TrapNullStructure: "null structure reference", TrapNullArray: "null array reference", TrapNullI31: "null i31 reference",
	TrapNullException: "null exception reference", TrapCastFailure: "cast failure", TrapArrayOutOfBounds: "out of bounds array access",
	TrapStackExhausted: "call stack exhausted", TrapOutOfFuel: "out of fuel", TrapOutOfMemory: "out of memory", TrapInterrupted: "interrupted",
	TrapHost: "host function failed", TrapNullContinuation: "null continuation reference", TrapContinuationConsumed: "continuation already consumed",
	TrapUnhandledTag: "unhandled tag", TrapBarrier: "suspension across a barrier", TrapNullStack: "null stack reference",
	TrapStackConsumed: "stack already consumed", TrapCoroutineReturned: "coroutine returned", TrapCoroutineException: "uncaught exception in a coroutine",
	TrapRootedRetire: "rooted stack cannot retire", TrapHostFrame: "switch across a host frame", TrapNullFiber: "null fiber reference",
	TrapFiberMoribund: "fiber is moribund", TrapFiberHasParent: "fiber has a control parent", TrapFiberNotAncestor: "fiber is not current nor an ancestor",
	TrapFiberNotSuspended: "fiber is not suspended", TrapUnhandledEvent: "unhandled event", TrapFiberResult: "fiber result type mismatch",
	TrapNullTask: "null task reference", TrapTaskMoribund: "task is moribund", TrapTaskNotActive: "task is not active",
	TrapTaskNotSuspended: "task is not suspended", TrapTaskReturned: "task returned without retiring", TrapTaskException: "uncaught exception in a task",
	TrapNoEvent: "no event is pending", TrapNotPromising: "suspension outside a promising call",
}

// Stale reports whether the trap is the use of a reference to a stack that is used up, or whose
// stack has ended.
func (k TrapKind) Stale() bool {
	for _, d := range Dialects() {
		if d.Info().Stale == k {
			return true
		}
	}
	return false
}

// Misplaced reports whether the trap is about where a fiber or task is that an instruction names: it
// is not suspended, say.
func (k TrapKind) Misplaced() bool {
	switch k {
	case TrapFiberHasParent, TrapFiberNotAncestor, TrapFiberNotSuspended, TrapTaskNotActive, TrapTaskNotSuspended:
		return true
	}
	return false
}

// String returns the trap's text.
func (k TrapKind) String() string {
	if k < NumTraps && trapTexts[k] != "" {
		return trapTexts[k]
	}
	return "unknown trap"
}
