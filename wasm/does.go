package wasm

import "strings"

// Does is what an instruction does to stacks, as a set. It follows from the rows of the instruction
// and of its dialect: texts for people and their tests ask it rather than repeat it.
type Does uint16

// The members of the set.
const (
	DoesCreate      Does = 1 << iota // makes a stack
	DoesEnter                        // control goes to the stack that it makes
	DoesSwitch                       // control goes to another stack
	DoesWait                         // this stack becomes the parent of the one that runs
	DoesConsume                      // the reference that it takes cannot be used again
	DoesFallThrough                  // continues after it, unchanged, if no clause takes its event
	DoesTrapUnheard                  // ends the host call if no clause takes its event
	DoesEnd                          // the stack that gives up control ends
	DoesEndOther                     // ends a stack that does not run
	DoesNotContinue                  // polymorphic: the code after it is unreachable
	DoesThrow                        // an exception is thrown where control goes
	DoesLeave                        // leaves its function; the stack calls another one when control comes back
)

// Does returns what the instruction does to stacks; 0 for one of Wasm 3.0.
func (op Op) Does() Does {
	in := op.Info()
	d := in.Dialect.Info()
	if in.Dialect == DialectNone {
		return 0
	}
	var s Does
	set := func(on bool, what Does) {
		if on {
			s |= what
		}
	}
	carries := false // an event, or a suspension with a tag
	for _, imm := range in.Imms {
		carries = carries || imm == ImmTag
	}
	switch in.Effect {
	case EffectNew:
		set(true, DoesCreate)
		set(in.Then != EffectNone, DoesEnter|DoesSwitch)
		set(in.Then == EffectResume, DoesWait)
		carries = carries && in.Then != EffectNone
	case EffectBind:
		set(d.OneShot, DoesConsume)
		carries = false
	case EffectResume:
		set(true, DoesSwitch|DoesWait)
		set(d.OneShot, DoesConsume)
		carries = carries && d.Events
	case EffectSuspend:
		set(true, DoesSwitch)
	case EffectSwitch:
		set(true, DoesSwitch)
		set(d.OneShot, DoesConsume)
	case EffectRetire:
		set(true, DoesSwitch|DoesEnd)
		set(d.OneShot, DoesConsume)
	case EffectRelease:
		set(true, DoesEndOther)
		carries = false
	default:
		carries = false
	}
	set(carries && d.FallsThrough, DoesFallThrough)
	set(carries && !d.FallsThrough && (d.Events || d.HandlerClauses), DoesTrapUnheard)
	set(strings.HasSuffix(in.Sig, "-> [t'*]"), DoesNotContinue)
	set(in.Throws, DoesThrow)
	set(in.Leaves, DoesLeave)
	return s
}
