package vm

import "stackscope/wasm"

// StackState is the state of a stack (docs/dialects.md §1).
type StackState uint8

// The states.
const (
	StackMoribund  StackState = iota // returned, trapped, threw, retired or released
	StackNew                         // created, base function not entered
	StackSuspended                   // gave up control; the head of a segment if others hang below it
	StackRunning
	StackWaiting // has resumed a child that has not come back; in the running chain or a suspended segment
)

var stackStateNames = [...]string{"moribund", "new", "suspended", "running", "waiting"}

// String gives the state's name.
func (s StackState) String() string { return stackStateNames[s] }

// Stack is a stack: a rooted one of a host call, or one that the program made. A stack's storage is
// used again when it has ended, so a *Stack means the same stack only while the machine stands still,
// or while its ID is the same.
type Stack struct {
	object
	dialect    wasm.Dialect
	state      StackState
	rooted     bool
	recvN      uint32 // where the next resumption puts its numbers, references (absolute slots)
	recvR      uint32
	generation uint64
	id         uint64
	nums       []uint64 // len is what is allocated
	refs       []Ref
	frames     []frame
	parent     *Stack
	leaf       *Stack // of a suspended segment's head: where execution continues; nil: itself
	base       *Func
	created    Site
	tag        *Tag // of the last switch
}

// frame is a call in progress: the op at pc is being executed (a call, a resume) or comes next.
type frame struct {
	fn      *Func
	pc      uint32
	numBase uint32
	refBase uint32
	flags   uint32
}

// ID gives the number of the stack; they count up from 1 and are never used twice.
func (s *Stack) ID() uint64 { return s.id }

// Dialect gives the dialect it belongs to; DialectNone for a rooted stack.
func (s *Stack) Dialect() wasm.Dialect { return s.dialect }

// State gives the state.
func (s *Stack) State() StackState { return s.state }

// Rooted tells whether it was made for a call of the host.
func (s *Stack) Rooted() bool { return s.rooted }

// Parent gives the stack that resumed it and waits; nil if there is none.
func (s *Stack) Parent() *Stack { return s.parent }

// Head gives the head of the segment or chain it is in: the one without a parent.
func (s *Stack) Head() *Stack {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// Leaf gives where execution continues when a suspended segment is resumed at its head s.
func (s *Stack) Leaf() *Stack {
	if s.leaf != nil {
		return s.leaf
	}
	return s
}

// Generation gives the generation that a reference must have to be good.
func (s *Stack) Generation() uint64 { return s.generation }

// BaseFunc gives the function it runs, or ran.
func (s *Stack) BaseFunc() *Func { return s.base }

// CreatedAt gives the instruction that made it; no function for a rooted one.
func (s *Stack) CreatedAt() Site { return s.created }

// Site gives the instruction where it stands: of its innermost frame; and the tag of its last
// suspension, switch or resumption with one, if any.
func (s *Stack) Site() (Site, *Tag) { return Site{PC: -1}, s.tag }

// Frames gives the frames, innermost first.
func (s *Stack) Frames() []*Frame { return nil }

// Trace gives the functions and places of the frames, innermost first, at most max (0: all).
func (s *Stack) Trace(max int) []Site { return nil }

// NumFrames gives the number of frames.
func (s *Stack) NumFrames() int { return len(s.frames) }

// Frame is a frame of a stack that stands still.
type Frame struct {
	stack *Stack
	depth int // index in stack.frames
}

// Stack gives the stack.
func (f *Frame) Stack() *Stack { return f.stack }

// Depth tells how many frames are below: the base frame has 0. With the stack's id it identifies a
// frame as long as it lives.
func (f *Frame) Depth() int { return f.depth }

// Func gives the function.
func (f *Frame) Func() *Func { return f.stack.frames[f.depth].fn }

// PC gives the index, in the function's body, of the instruction that comes next, or that is waiting
// (a call, a resume, a suspend).
func (f *Frame) PC() int { return int(f.stack.frames[f.depth].pc) }

// Waiting tells whether the instruction at PC has begun: it is a call, resume or suspension in progress.
func (f *Frame) Waiting() bool { return true }

// Instance gives the function's instance.
func (f *Frame) Instance() *Instance { return f.Func().inst }

// Locals gives the parameters and locals; Type has the module's own type indices.
func (f *Frame) Locals() []Value { return nil }

// SetLocal changes a local. The value must be of its type.
func (f *Frame) SetLocal(i int, v Value) {}

// Operands gives the operand stack at PC, bottom first; Type has the module's own type indices. The
// operands that an instruction in progress has consumed are not there.
func (f *Frame) Operands() []Value { return nil }

// SetOperand changes an operand. The value must be of its type.
func (f *Frame) SetOperand(i int, v Value) {}

// Handlers gives the clauses in force at a waiting frame's resume instruction; none if it is at
// another instruction.
func (f *Frame) Handlers() []Handled { return nil }
