package step

import "stackscope/vm/debugger/snapshot"

// Granularity is the size of a step.
type Granularity uint8

// The granularities.
const (
	// an instruction in a sequence, with its folded operands; of flat code see group.go
	ByStatement   Granularity = iota
	ByLine                    // a line of the source
	ByInstruction             // one instruction
)

// Kind is a kind of step.
type Kind uint8

// The kinds. The step semantics: Step Over stays on this stack, Step Into follows control, Step Out
// finishes this activation.
const (
	Over Kind = iota
	Into
	Out
	Run // no step: with Stay it stops when control leaves the stack
)

var stepNames = [...]string{"step over", "step into", "step out", "continue"}

// String returns the step in words.
func (k Kind) String() string { return stepNames[k] }

// Point is an instruction about to be executed.
type Point struct {
	Stack snapshot.StackID
	Depth int             // number of frames of the stack; the base frame has depth 1
	Func  snapshot.FuncID // the function of the top frame
	PC    int             // index in its body
	Stmt  bool            // a statement begins here
	Line  int             // its line
	Tail  bool            // it is a tail call: the activation ends with it
}

// Plan is a step that is under way. It is keyed by the identity of the stack and the depth of the
// frame, so that recursion, and other stacks that run the same function, do not disturb it.
type Plan struct {
	Kind  Kind
	Gran  Granularity
	Stack snapshot.StackID // the stack it was asked on
	Depth int              // its depth then
	Stay  bool             // also stop when control leaves the stack other than for one it resumed
	start Point
	Gone  bool // the activation has ended with its stack: stop at whatever comes next
	tail  bool // a tail call has ended the activation: only shallower frames count
	wait  bool // the stack has yet to be resumed
	Away  bool // it is no part of the running chain yet
	Via   int  // Into: the instruction that is to give control away; -1: any
	last  int  // with via: the last instruction of the frame that was seen
	To    int  // Over: the instruction of the frame that is to be reached, or the one after it; -1: none
}

// NewPlan begins a step from a stopped stack's top frame. runs reports whether that is the running
// stack; for another one the step begins when it is resumed.
func NewPlan(kind Kind, g Granularity, at Point, runs bool) *Plan {
	return &Plan{
		Kind: kind, Gran: g, Stack: at.Stack, Depth: at.Depth, start: at, tail: runs && at.Tail,
		wait: !runs, Via: -1, last: at.PC, To: -1,
	}
}

// Watch reports which points matter: all of them, or those of Stack with at most depth frames.
func (p *Plan) Watch() (all bool, depth int) {
	switch {
	case p.Gone:
		return true, 0
	case p.Kind == Run:
		return false, 0
	case p.Kind == Into:
		return !p.wait, 1 << 30
	case p.Kind == Out || p.tail:
		return false, p.Depth - 1
	}
	return false, p.Depth
}

// At reports whether the step ends at a point. It must see, in order, every point that Watch asks
// for.
func (p *Plan) At(at Point) bool {
	if p.Gone {
		return true
	}
	switch p.Kind {
	case Run:
		return false
	case Into:
		return p.into(at)
	case Out:
		return at.Stack == p.Stack && at.Depth < p.Depth
	}
	if at.Stack != p.Stack || at.Depth > p.Depth {
		return false
	}
	if at.Depth < p.Depth {
		return true
	}
	if p.tail {
		return false
	}
	if p.To >= 0 {
		if at.PC == p.To || at.PC == p.To+1 {
			return true
		}
	} else if p.boundary(at) {
		return true
	}
	p.tail = at.Tail
	return false
}

func (p *Plan) into(at Point) bool {
	if p.wait {
		if at.Stack != p.Stack {
			return false
		}
		p.wait = false
		if p.Gran == ByInstruction || at.Stmt {
			return true
		}
		line := p.start.Line
		p.start = at
		p.start.Line = line
		return false
	}
	if p.Via >= 0 {
		switch {
		case at.Stack == p.start.Stack && at.Depth < p.start.Depth:
			return true // the frame has ended
		case at.Stack != p.start.Stack || at.Depth != p.start.Depth || at.Func != p.start.Func:
			return p.last == p.Via
		}
		p.last = at.PC
		return p.boundary(at)
	}
	if at.Stack != p.start.Stack || at.Depth != p.start.Depth || at.Func != p.start.Func {
		return true
	}
	return p.boundary(at)
}

// boundary reports whether a step of this granularity ends at a point of the frame it began in.
func (p *Plan) boundary(at Point) bool {
	switch p.Gran {
	case ByInstruction:
		return true
	case ByLine:
		return at.Stmt && (at.Line != p.start.Line || at.PC <= p.start.PC)
	}
	return at.Stmt
}

// Finished records that a stack has ended.
func (p *Plan) Finished(id snapshot.StackID) {
	if id == p.Stack && !(p.Kind == Run && !p.Stay) {
		p.Gone = true
	}
}

// Chained records whether the plan's stack is part of the running chain. If it has been and is not
// any more, control has left it.
func (p *Plan) Chained(yes bool) {
	if p.Stay && !yes && !p.Away {
		p.Gone = true
	}
	p.Away = !yes
}
