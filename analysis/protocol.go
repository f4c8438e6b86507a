package analysis

import (
	"stackscope/analysis/internal/effects"
	"stackscope/analysis/internal/protocol"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// Protocol is the protocol of a function: the states that a fiber, coroutine, task or continuation
// of it stands in, which events it takes in each, and what it sends.
type Protocol = protocol.Protocol

// ProtocolState, Transition and Take are its parts.
type (
	ProtocolState      = protocol.State
	ProtocolTransition = protocol.Transition
	ProtocolTake       = protocol.Take
)

// What a stack does in a state.
const (
	ProtocolNew       = protocol.New
	ProtocolSuspended = protocol.Suspended
	ProtocolWaiting   = protocol.Waiting
	ProtocolSwitched  = protocol.Switched
	ProtocolRetired   = protocol.Retired
	ProtocolReturned  = protocol.Returned
	ProtocolThrew     = protocol.Threw
)

// How control comes to a stack.
const (
	TakeEvent  = protocol.TakeEvent
	TakeResume = protocol.TakeResume
	TakeReturn = protocol.TakeReturn
	TakeThrow  = protocol.TakeThrow
)

// Protocols are the queries of a module about the protocols of its functions. There are none in a
// module that has an error.
type Protocols struct{ m *Module }

// ProtocolsOf returns the queries about protocols.
func ProtocolsOf(m *Module) Protocols { return Protocols{m} }

// program returns what protocols are made of. Every body has been checked for it.
func (x Protocols) program() *protocol.Program {
	m := x.m
	states := m.known()
	p := m.program()
	var taken []uint32
	asked := false
	return &protocol.Program{
		Decls: m.decls(),
		Of: func(fn uint32) *protocol.Summary {
			if int(fn) < len(states) && states[fn] != nil {
				return states[fn].protocol
			}
			return nil
		},
		Taken: func() []uint32 {
			if !asked {
				taken, asked = p.TakenRefs(), true
			}
			return taken
		},
		Sealed: func() bool { return effects.Sealed(m.decls().Mod) },
	}
}

// Of returns the protocol of a function; nil if it never gives up control.
func (x Protocols) Of(fn uint32) *Protocol {
	if x.m.HasErrors() {
		return nil
	}
	return x.program().Protocol(fn)
}

// Funcs returns the functions that stacks of the module begin with, in order.
func (x Protocols) Funcs() []uint32 {
	if !x.m.Dialect().Switches() || x.m.HasErrors() {
		return nil
	}
	return x.program().Bases()
}

// Exchange is what a function exchanges with other stacks while it runs, by itself and by what it
// calls.
type Exchange = protocol.Exchange

// Exchange returns what a function exchanges with other stacks.
func (x Protocols) Exchange(fn uint32) Exchange {
	if !x.m.Dialect().Switches() {
		return Exchange{}
	}
	f := x.m.wholeFacts()
	f.exchangeOnce.Do(func() { f.exchanges = x.program().Exchanges() })
	return f.exchanges.Of(fn)
}

// ProtocolSites returns the instructions of a body at which control leaves its stack: State.Site is
// an index of the result.
func ProtocolSites(code []wasm.Instr) []int { return protocol.Sites(code) }

// Place returns where the instruction of a state stands in the text, and whether it is one.
func (x Protocols) Place(s ProtocolState) (source.Span, bool) {
	b := x.m.Body(s.Func)
	if b == nil || s.Site < 0 {
		return source.Span{}, false
	}
	sites := protocol.Sites(b.Instrs)
	if s.Site >= len(sites) {
		return source.Span{}, false
	}
	return b.Node(sites[s.Site]).Keyword().Span(), true
}
