package symbols

import (
	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
)

// Shown is the clause that the innermost frame of a stack is shown at, instead of where it goes on:
// control has come by the clause, and nothing has happened since. It holds as long as the stack
// stands where it does.
type Shown struct {
	code      *Code
	at        Place
	stack     uint64 // 0: none
	depth, pc int

	calls hiddenCalls
}

// hiddenCalls are the innermost calls inlined where a stack stands that have not begun yet: the
// stack has come to where they begin, and the frame that calls is shown.
type hiddenCalls struct {
	stack        uint64
	depth, pc, n int
}

// HideCalls hides the innermost n calls that are inlined where a stack stands. It holds as long as
// the stack stands there.
func (sh *Shown) HideCalls(st *vm.Stack, n int) {
	site, _ := st.Site()
	sh.calls = hiddenCalls{st.ID(), st.NumFrames(), site.PC, n}
}

// Hidden returns how many of the innermost calls that are inlined where a stack stands are hidden.
func (sh *Shown) Hidden(st *vm.Stack) int {
	h := &sh.calls
	if h.n == 0 || h.stack != st.ID() || h.depth != st.NumFrames() {
		return 0
	}
	if site, _ := st.Site(); site.PC != h.pc {
		return 0
	}
	return h.n
}

// ShowArrival makes the innermost frame of a stack be shown at a clause; end undoes that.
func (sh *Shown) ShowArrival(st *vm.Stack, at Place) (end func()) {
	site, _ := st.Site()
	sh.at, sh.stack, sh.depth, sh.pc = at, st.ID(), st.NumFrames(), site.PC
	return func() { sh.stack = 0 }
}

// Arrived returns the clause that the innermost frame of a stack is shown at, and its source; ok is
// false if it is shown where it stands.
func (sh *Shown) Arrived(st *vm.Stack) (at Place, file *Source, ok bool) {
	if sh.stack == 0 || sh.stack != st.ID() || sh.depth != st.NumFrames() {
		return Place{}, nil, false
	}
	if site, _ := st.Site(); site.PC != sh.pc {
		return Place{}, nil, false
	}
	return sh.at, sh.code.FunctionOf(sh.at.Arrival.Func).Unit.File, true
}

// ArrivedSite describes the clause that the innermost frame of a stack is shown at.
func (sh *Shown) ArrivedSite(st *vm.Stack) (s snapshot.Site, ok bool) {
	at, file, ok := sh.Arrived(st)
	if !ok {
		return snapshot.Site{}, false
	}
	s = snapshot.Site{Func: sh.code.FunctionOf(at.Func).Title, File: file.Name, Offset: at.Span.Start}
	if in := sh.code.FunctionOf(at.Arrival.Func).Instr(at.Arrival.PC); in != nil {
		s.Text = in.Op.String()
	}
	s.Line, s.Col = file.LineCol(s.Offset)
	return s, true
}
