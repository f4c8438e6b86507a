package debugger

import (
	"fmt"

	"stackscope/vm"
	"stackscope/wasm"
)

// Who switched to a stack is nowhere in the machine: a switch leaves the parent link of the one it
// is made from. The history has it, as far back as it goes.

// entered is how a stack came to run, or gave control away.
type entered struct {
	other StackID // who switched to it, or whom it switched to; 0: that was no switch
	base  *vm.Func
	at    vm.Site
}

// moves are the last switches of stacks.
type moves struct {
	in, out map[StackID]entered
}

// maxMoves bounds how many events are looked at for the last switches.
const maxMoves = 20_000

// switches returns the last switches of a stack: to it, since when nobody has resumed it, and away
// from it.
func (ss *Stacks) switches(id StackID) (in, out entered) {
	if ss.recorder == nil {
		return
	}
	if ss.moves == nil {
		m := &moves{in: map[StackID]entered{}, out: map[StackID]entered{}}
		note := func(to map[StackID]entered, id uint64, x entered) {
			if _, ok := to[StackID(id)]; !ok { // the newest event comes first
				to[StackID(id)] = x
			}
		}
		left := maxMoves
		for _, ev := range ss.recorder.Newest() {
			if left--; left < 0 {
				break
			}
			switch ev.Kind {
			case vm.EventSwitch:
				if ev.Other != ev.Stack { // else nothing moved
					note(m.in, ev.Other, entered{StackID(ev.Stack), ev.Base, ev.Site})
					note(m.out, ev.Stack, entered{StackID(ev.Other), nil, ev.Site})
				}
			case vm.EventResume:
				note(m.in, ev.Stack, entered{})
			case vm.EventSuspend:
				note(m.out, ev.Stack, entered{})
			}
		}
		ss.moves = m
	}
	return ss.moves.in[id], ss.moves.out[id]
}

// addSwitches notes in the description of a stack who switched to it, and whom it switched to.
func (y *Symbols) addSwitches(st *vm.Stack, s *Stack) {
	if s.State == Suspended && !st.Moved() {
		s.Switched = switches(st.Leaf())
	}
	if y.switches == nil {
		return
	}
	in, out := y.switches(s.ID)
	if in.other != 0 && (s.State == Running || s.State == Waiting) {
		s.SwitchedBy, s.SwitchedAt, s.SwitcherOf = in.other, y.Site(in.at, true), y.info(in.base).title
	}
	if s.Switched {
		s.SwitchedTo = out.other
	}
}

// switches reports whether a suspended stack stands at an instruction that switches to a peer.
func switches(st *vm.Stack) bool {
	site, _ := st.Site()
	fn := site.Func
	if fn == nil || fn.Instance() == nil || fn.IsHost() {
		return false
	}
	body := fn.Instance().Module().Funcs[fn.Index()].Body
	if site.PC < 0 || site.PC >= len(body) {
		return false
	}
	op := body[site.PC].Op
	return op.Info().Effect == wasm.EffectSwitch || op == wasm.OpFiberSwitchNew
}

// cameBy reports how a stack came to run if that was by a switch: "switched to by #2 $a at
// main.wat:12"; else "".
func (y *Symbols) cameBy(id StackID) string {
	if y.switches == nil {
		return ""
	}
	in, _ := y.switches(id)
	if in.other == 0 {
		return ""
	}
	return fmt.Sprintf("switched to by #%d %s at %s", in.other, y.info(in.base).title, y.Site(in.at, true).Short())
}

// linkedTo reports how a stack came to hang below its parent: "resumed by #1 main at main.wat:30
// (on $yield → $on_yield)", or, after a switch, "switched to by #2 $a at main.wat:12, parent #1
// main at main.wat:30 (on $yield → $on_yield)".
func (y *Symbols) linkedTo(id, parent StackID, base string, at vm.Site, hs []vm.HandlerClause) string {
	to := y.parentText(parent, base, at, hs)
	if by := y.cameBy(id); by != "" {
		return by + ", parent " + to
	}
	return "resumed by " + to
}

// switchedAway reports what a suspended stack did: "switched away to #3 $b with $yield at
// main.wat:12".
func (ss *Stacks) switchedAway(s *Stack) string {
	out := "switched away"
	if s.SwitchedTo != 0 {
		out += fmt.Sprintf(" to #%d", s.SwitchedTo)
		if to := ss.find(s.SwitchedTo); to != nil {
			out += " " + ss.sym.baseTitle(to)
		}
	}
	if s.Tag != "" {
		out += " with " + s.Tag
	}
	return out + " at " + s.At.Short()
}
