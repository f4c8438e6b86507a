package debugger

import (
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/stacks"
	"stackscope/vm/debugger/step"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/debugger/watch"
)

// The values that the engine's methods take and return, under the names that most users of it need.
type (
	StackID     = snapshot.StackID
	FuncID      = snapshot.FuncID
	Site        = snapshot.Site
	Stack       = snapshot.Stack
	Snapshot    = snapshot.Snapshot
	Event       = snapshot.Event
	Query       = stacks.Query
	Answer      = stacks.Answer
	Group       = stacks.Group
	MemoryRef   = watch.MemoryRef
	Frame       = inspect.Frame
	Entry       = inspect.Entry
	Var         = inspect.Var
	StepKind    = step.Kind
	Source      = symbols.Source
	Unit        = symbols.Unit
	Place       = symbols.Place
	CodeAddress = symbols.CodeAddress
	Instruction = symbols.Instruction
	Symbols     = symbols.Symbols
	Granularity = step.Granularity
)

// Running is the state of the stack that executes.
const Running = snapshot.Running

// The kinds of steps.
const (
	Over = step.Over
	Into = step.Into
	Out  = step.Out
	Run  = step.Run
)

// The sizes of steps.
const (
	ByStatement   = step.ByStatement
	ByLine        = step.ByLine
	ByInstruction = step.ByInstruction
)

// ErrCancelled is returned by what was told to stop.
var ErrCancelled = stacks.ErrCancelled

// The accesses that a data breakpoint can wait for.
const (
	Reads  = watch.Reads
	Writes = watch.Writes
)

// The effects that an evaluation may have.
const (
	MayCall   = inspect.MayCall
	MayAssign = inspect.MayAssign
)

// ScriptThread is the id of what is shown while a script is stopped between two calls.
const ScriptThread = inspect.ScriptThread
