package stacks

import (
	"fmt"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
)

// moves are the last switches of stacks.
type moves struct {
	in, out map[snapshot.StackID]symbols.Switch
}

// maxMoves bounds how many events are looked at for the last switches.
const maxMoves = 20_000

// ForgetSwitches drops what was found out about who switched to whom: something has run.
func (ss *Stacks) ForgetSwitches() { ss.moves, ss.ended, ss.lines, ss.managed = nil, nil, nil, nil }

// switches returns the last switches of a stack: to it, since when nobody has resumed it, and away
// from it.
func (ss *Stacks) switches(id snapshot.StackID) (in, out symbols.Switch) {
	if ss.recorder == nil {
		return
	}
	if ss.moves == nil {
		m := &moves{in: map[snapshot.StackID]symbols.Switch{}, out: map[snapshot.StackID]symbols.Switch{}}
		note := func(to map[snapshot.StackID]symbols.Switch, id uint64, x symbols.Switch) {
			if _, ok := to[snapshot.StackID(id)]; !ok { // the newest event comes first
				to[snapshot.StackID(id)] = x
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
					note(m.in, ev.Other, symbols.Switch{Other: snapshot.StackID(ev.Stack), Base: ev.Base, At: ev.Site})
					note(m.out, ev.Stack, symbols.Switch{Other: snapshot.StackID(ev.Other), Base: nil, At: ev.Site})
				}
			case vm.EventResume:
				note(m.in, ev.Stack, symbols.Switch{})
			case vm.EventSuspend:
				note(m.out, ev.Stack, symbols.Switch{})
			}
		}
		ss.moves = m
	}
	return ss.moves.in[id], ss.moves.out[id]
}

// SwitchedAway reports what a suspended stack did: "switched away to #3 $b with $yield at
// main.wat:12".
func (ss *Stacks) SwitchedAway(s *snapshot.Stack) string {
	out := s.Words().Switched
	if s.SwitchedTo != 0 {
		out += fmt.Sprintf(" to #%d", s.SwitchedTo)
		if to := ss.Find(s.SwitchedTo); to != nil {
			out += " " + ss.sym.BaseTitle(to)
		}
	}
	if s.Tag != "" {
		out += " with " + s.Tag
	}
	return out + s.Standing()
}
