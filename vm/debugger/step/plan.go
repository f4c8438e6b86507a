package step

import (
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
)

// Granularity is the size of a step.
type Granularity uint8

// The granularities.
const (
	// an instruction in a sequence, with its folded operands, or a line of source
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

	// Code is what kind of code it is.
	Code Code
	// Of code that is shown in its source:
	File     string          // the file that Line is in
	Inline   *symbols.Inline // the innermost call that is inlined here; nil: none
	Entering []Caller        // of the calls that are inlined and begin here the callers, innermost first
	Prologue bool            // the function's own code has not begun
}

// Caller is where a call that was inlined is called.
type Caller struct {
	Inline *symbols.Inline // what calls; nil: the function
	File   string
	Line   int
	Folded bool
}

// Code is a kind of code.
type Code uint8

// The kinds of code.
const (
	AsText   Code = iota // shown in the text format
	InSource             // shown in its source
	Folded               // of a runtime, without lines, or skipped: steps end elsewhere
)

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
	// any reports that a step ends in folded code, too: it began there, or is by instruction
	any     bool
	outward bool // control has come back to folded code: only shallower frames than Depth count
	// Hide is set where the step ends: how many of the innermost calls that are inlined there have not
	// begun for it.
	Hide int
}

// NewPlan begins a step from a stopped stack's top frame. runs reports whether that is the running
// stack; for another one the step begins when it is resumed.
func NewPlan(kind Kind, g Granularity, at Point, runs bool) *Plan {
	return &Plan{
		Kind: kind, Gran: g, Stack: at.Stack, Depth: at.Depth, start: at, tail: runs && at.Tail,
		wait: !runs, Via: -1, last: at.PC, To: -1, any: at.Code == Folded || g == ByInstruction,
	}
}

// Own reports whether a point is in the activation that a step by lines of source began in, and goes
// on in.
func (p *Plan) Own(at *Point) bool {
	return p.start.Code == InSource && p.Gran != ByInstruction && p.Kind != Run && p.Via < 0 &&
		!p.outward && !p.tail && !p.wait && !p.Gone &&
		at.Stack == p.start.Stack && at.Depth == p.start.Depth && at.Func == p.start.Func
}

// Start returns the point that the step began at.
func (p *Plan) Start() Point { return p.start }

// Passes reports whether the step goes on at a point, and nothing changes for it there.
func (p *Plan) Passes(at *Point) bool {
	q := *p
	return !at.Tail && !q.At(*at)
}

// Any reports whether the step ends in folded code, too.
func (p *Plan) Any() bool { return p.any }

// Watch reports which points matter: all of them, or those of Stack with at most depth frames.
func (p *Plan) Watch() (all bool, depth int) {
	switch {
	case p.Gone:
		return true, 0
	case p.Kind == Run:
		return false, 0
	case p.Kind == Into:
		return !p.wait, 1 << 30
	case p.outward || p.tail || p.Kind == Out && p.start.Inline == nil:
		return false, p.Depth - 1
	}
	return false, p.Depth
}

// At reports whether the step ends at a point. It must see, in order, every point that Watch asks
// for.
func (p *Plan) At(at Point) bool {
	p.Hide = 0
	if p.Gone {
		return p.arrives(&at)
	}
	switch p.Kind {
	case Run:
		return false
	case Into:
		return p.into(at)
	}
	if at.Stack != p.Stack || at.Depth > p.Depth {
		return false
	}
	if at.Depth < p.Depth {
		return p.returns(&at)
	}
	if p.tail || p.outward {
		return false
	}
	if p.Kind == Out {
		return p.leaves(&at)
	}
	if p.To >= 0 {
		if at.PC == p.To || at.PC == p.To+1 {
			return true
		}
	} else if p.boundary(&at) {
		return true
	}
	p.tail = at.Tail
	return false
}

// arrives reports whether a step ends where control has come to another activation, or goes on in
// one: in user code, after the prologue.
func (p *Plan) arrives(at *Point) bool {
	if !p.any && at.Code == Folded || p.Gran != ByInstruction && at.Prologue {
		return false
	}
	if p.Gran != ByInstruction {
		p.Hide = len(at.Entering)
	}
	return true
}

// returns reports whether a step ends where control has come back to a shallower frame. If that is
// folded, the step goes on to the next one.
func (p *Plan) returns(at *Point) bool {
	if p.arrives(at) {
		return true
	}
	p.Depth, p.outward = at.Depth, true
	return false
}

// leaves reports whether control has left the call, inlined, that the step began in.
func (p *Plan) leaves(at *Point) bool {
	if at.Inline.Within(p.start.Inline) || !at.Stmt {
		return false
	}
	return p.arrives(at)
}

func (p *Plan) into(at Point) bool {
	if p.wait {
		if at.Stack != p.Stack {
			return false
		}
		p.wait = false
		switch {
		case p.start.Code == InSource && p.Gran != ByInstruction:
		case p.Gran == ByInstruction || at.Stmt:
			return true
		default:
			line := p.start.Line
			p.start = at
			p.start.Line = line
			return false
		}
	}
	if p.Via >= 0 {
		switch {
		case at.Stack == p.start.Stack && at.Depth < p.start.Depth:
			return p.arrives(&at) // the frame has ended
		case at.Stack != p.start.Stack || at.Depth != p.start.Depth || at.Func != p.start.Func:
			if p.last != p.Via {
				return false
			}
			p.Via = -1
			return p.arrives(&at)
		}
		p.last = at.PC
		return p.boundary(&at)
	}
	if at.Stack != p.start.Stack || at.Depth != p.start.Depth || at.Func != p.start.Func {
		return p.arrives(&at)
	}
	return p.boundary(&at)
}

// inSource reports whether a step of a line of source ends at a point of the function that it began
// in. It stops where a statement of another line begins, and where the very statement begins again,
// but not in a call that was inlined, unless it is a step into that.
func (p *Plan) inSource(at *Point) bool {
	if !at.Stmt {
		return false
	}
	file, line, folded, own := at.File, at.Line, at.Code == Folded, at.Inline == p.start.Inline
	for i := 0; i < len(at.Entering) && !own; i++ {
		if c := &at.Entering[i]; c.Inline == p.start.Inline {
			own, p.Hide = true, i+1
			file, line, folded = c.File, c.Line, c.Folded
		}
	}
	switch {
	case own && (line != p.start.Line || file != p.start.File || at.PC == p.start.PC):
		if p.any || !folded {
			return true
		}
	case own && (p.Kind != Into || p.Hide == 0):
	case own: // the call is on the same line
		if p.Hide--; p.any || p.Hide > 0 && !at.Entering[p.Hide-1].Folded || p.Hide == 0 && at.Code != Folded {
			return true
		}
	case !at.Inline.Within(p.start.Inline) || p.Kind == Into:
		return p.arrives(at)
	}
	p.Hide = 0
	return false
}

// boundary reports whether a step of this granularity ends at a point of the frame it began in.
func (p *Plan) boundary(at *Point) bool {
	if p.start.Code == InSource && p.Gran != ByInstruction {
		return p.inSource(at)
	}
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
