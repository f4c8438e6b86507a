package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// StackState is the state of a stack (docs/design/dialects.md §1).
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

// String returns the state's name.
func (s StackState) String() string { return stackStateNames[s] }

// Stack is a stack: a rooted one of a host call, or one that the program made. A stack's storage is
// used again when it has ended, so a *Stack means the same stack only while the machine stands
// still, or while its ID is the same.
type Stack struct {
	object
	dialect    wasm.Dialect
	state      StackState
	rooted     bool
	recvN      uint32 // where the next resumption puts its numbers, references (absolute slots)
	recvR      uint32
	makerPC    int32 // where that is in it
	generation uint64
	id         uint64
	storage
	parent      *Stack
	leaf        *Stack       // of a suspended segment's head: where execution continues; nil: itself
	resumeTable *clauseTable // of the resume at which the parent waits, if it is one of the dialect cont
	// where its innermost frame goes on in the fused form, if that is known; nil where it is not
	// suspended or new
	at    *code.Op
	base  *Func
	maker *Func // the function with the instruction that made it
	// what an event is looked up in, where the stack stands still (see standing); nil if it takes
	// none
	eventTable *clauseTable
	creator    uint64 // the stack that made it, 0 if none
	resumes    uint64 // how often control was given to it
	tag        *Tag   // of the last switch
	// of the dialect tasks: the event for the next event.switch, see noEvent; of one that
	// return_switch has parked: entering
	pending int32
	seen    uint32 // the last walk that has been here, see HeapWalk
}

// storage is what a stack's frames are kept in.
type storage struct {
	nums   []uint64 // len is what is allocated
	refs   []Ref
	frames []frame
}

// frame is a call in progress: the op at pc is being executed (a call, a resume) or comes next.
//
// Whoever calls a function from a frame says where the frame goes on: at is the op after the call
// if that was one of the fused form, else nil. It is a short cut past pc, which is right as ever.
type frame struct {
	fn      *Func
	at      *code.Op
	pc      uint32
	mark    uint32 // a debugger's, see Frame.Mark; 0 in a new frame
	numBase uint32
	refBase uint32
}

// ID returns the number of the stack; they count up from 1 and are never used twice.
func (s *Stack) ID() uint64 { return s.id }

// Dialect returns the dialect it belongs to; DialectNone for a rooted stack.
func (s *Stack) Dialect() wasm.Dialect { return s.dialect }

// State returns the state.
func (s *Stack) State() StackState {
	if s.state == StackNew && !s.begins() {
		return StackSuspended
	}
	return s.state
}

// Below reports a running stack that another call was made on top of it, by a host function or a
// debugger, which has not returned, or whose host call is suspended (Parked): it is not the one
// that runs now.
func (s *Stack) Below() bool {
	return s.state == StackRunning && len(s.frames) > 0 && s.top().fn.inst.mach.cur != s
}

// InHost reports that the stack is in a call of a host function.
func (s *Stack) InHost() bool {
	return len(s.frames) > 0 && s.top().fn.inst.mach.hostOf(s) != nil
}

// Rooted reports whether it was made for a call of the host.
func (s *Stack) Rooted() bool { return s.rooted }

// Parent returns the stack that resumed it and waits; nil if there is none.
func (s *Stack) Parent() *Stack { return s.parent }

// Head returns the head of the segment or chain it is in: the one without a parent.
func (s *Stack) Head() *Stack {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// Leaf returns where execution continues when a suspended segment is resumed at its head s.
func (s *Stack) Leaf() *Stack {
	if s.leaf != nil {
		return s.leaf
	}
	return s
}

// Generation reports how often references to the stack were used up, which makes a new one good.
func (s *Stack) Generation() uint64 { return s.generation & (1<<useBits - 1) }

// BaseFunc returns the function it runs, or ran.
func (s *Stack) BaseFunc() *Func { return s.base }

// CreatedAt returns the instruction that made it; no function for a rooted one.
func (s *Stack) CreatedAt() Site { return Site{s.maker, int(s.makerPC)} }

// Creator returns the id of the stack that made it, 0 for a rooted one.
func (s *Stack) Creator() uint64 { return s.creator }

// Resumes reports how often it was resumed, or switched to, as the head of a segment.
func (s *Stack) Resumes() uint64 { return s.resumes }

// Site returns the instruction where it stands: of its innermost frame; and the tag of its last
// suspension, switch or resumption with one, if any. A moribund stack has no function there.
func (s *Stack) Site() (Site, *Tag) {
	if len(s.frames) == 0 {
		return Site{PC: -1}, s.tag
	}
	return s.site(len(s.frames) - 1), s.tag
}

// Frames returns the frames, innermost first.
func (s *Stack) Frames() []*Frame {
	out := make([]*Frame, len(s.frames))
	for i := range out {
		out[i] = &Frame{s, len(s.frames) - 1 - i}
	}
	return out
}

// Frame returns the frame with depth others below it, or nil.
func (s *Stack) Frame(depth int) *Frame {
	if depth < 0 || depth >= len(s.frames) {
		return nil
	}
	return &Frame{s, depth}
}

// Trace returns the functions and places of the frames, innermost first, at most max (0: all).
func (s *Stack) Trace(max int) []Site {
	n := len(s.frames)
	if max > 0 && n > max {
		n = max
	}
	out := make([]Site, n)
	for i := range out {
		out[i] = s.site(len(s.frames) - 1 - i)
	}
	return out
}

// NumFrames returns the number of frames.
func (s *Stack) NumFrames() int { return len(s.frames) }

// Frame is a frame of a stack that stands still.
type Frame struct {
	stack *Stack
	depth int // index in stack.frames
}

// Stack returns the stack.
func (f *Frame) Stack() *Stack { return f.stack }

// Depth reports how many frames are below: the base frame has 0. With the stack's id it identifies
// a frame as long as it lives.
func (f *Frame) Depth() int { return f.depth }

// Func returns the function. Of a stack whose base function is the host's it is that one.
func (f *Frame) Func() *Func { return f.stack.site(f.depth).Func }

// PC returns the index, in the function's body, of the instruction that comes next, or that is
// waiting (a call, a resume, a suspend); -1 in a host function.
func (f *Frame) PC() int { return f.stack.site(f.depth).PC }

// Instance returns the function's instance; nil for a host function.
func (f *Frame) Instance() *Instance { return f.Func().inst }
