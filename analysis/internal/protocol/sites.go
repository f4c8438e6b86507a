package protocol

import (
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// Direction is where control goes at a site.
type Direction uint8

// The directions.
const (
	Up   Direction = iota // to the parent, or to whoever handles the tag
	Down                  // to a stack that becomes a child
	Peer                  // to a stack that takes the place of this one
)

// A move is what an instruction does with control between stacks.
type move struct {
	dir   Direction
	ends  bool // the stack ends, unless the instruction falls through
	makes bool // it enters a stack that it makes
	to    bool // the last stack operand is one that gets control, which is not so of Up
	from  bool // an operand is the stack that gives control up
}

// moves are the instructions whose move does not follow from their effect.
var moves = map[wasm.Op]move{
	wasm.OpFiberSpawn:           {dir: Down, makes: true},
	wasm.OpFiberMountNew:        {dir: Down, makes: true},
	wasm.OpFiberSwitchNew:       {dir: Peer, makes: true, from: true},
	wasm.OpFiberDismountRelease: {dir: Up, ends: true, from: true},
	wasm.OpFiberRetire:          {dir: Up, ends: true, from: true},
	wasm.OpTaskRetire:           {dir: Up, ends: true, from: true},
	wasm.OpFiberSwitchRelease:   {dir: Peer, ends: true, to: true, from: true},
	wasm.OpFiberRetireto:        {dir: Peer, ends: true, to: true, from: true},
	wasm.OpMountFiberSwitch:     {dir: Peer, to: true, from: true},
	wasm.OpHandleFiberSwitch:    {dir: Peer, to: true, from: true},
	wasm.OpTaskSwitchto:         {dir: Peer, to: true, from: true},
	wasm.OpFiberDismount:        {dir: Up, from: true},
	wasm.OpFiberSuspend:         {dir: Up, from: true},
	wasm.OpTaskSuspend:          {dir: Up, from: true},
}

// moveOf returns what an instruction does with control between stacks; ok is false if it does
// nothing.
func moveOf(op wasm.Op) (m move, ok bool) {
	if m, ok = moves[op]; ok {
		return m, true
	}
	switch op.Info().Effect {
	case wasm.EffectSuspend:
		return move{dir: Up}, true
	case wasm.EffectResume:
		return move{dir: Down, to: true}, true
	case wasm.EffectSwitch:
		return move{dir: Peer, to: true}, true
	case wasm.EffectRetire:
		return move{dir: Peer, ends: true, to: true}, true
	}
	return move{}, false
}

// eventOf returns the tag of the event that an instruction sends, wasm.BadIndex if it sends none.
func eventOf(in *wasm.Instr) uint32 {
	info := in.Op.Info()
	switch {
	case in.Op == wasm.OpSwitch, in.Op.Info().Throws && in.Op != wasm.OpResumeThrowRef: // the first immediate is a type
		return in.B
	case in.Op == wasm.OpFiberMountNew, in.Op == wasm.OpFiberSwitchNew: // the tag is what comes back
		return wasm.BadIndex
	case len(info.Imms) > 0 && info.Imms[0] == wasm.ImmTag:
		return in.A
	}
	return wasm.BadIndex
}

// typeOf returns the type of the reference that an instruction resumes or switches to,
// wasm.BadIndex if its immediates do not say.
func typeOf(in *wasm.Instr) uint32 {
	if info := in.Op.Info(); len(info.Imms) > 0 && info.Imms[0] == wasm.ImmType {
		return in.A
	}
	return wasm.BadIndex
}

// payload returns how many operands an event brings.
func payload(mod *wasm.Module, tag uint32) int {
	if int64(tag) < int64(len(mod.Tags)) {
		if ft := mod.FuncType(mod.Tags[tag].Type); ft != nil {
			return len(ft.Params)
		}
	}
	return 0
}

// stackOperands returns how far below the top of the operand stack a move's operands are that name
// stacks: the one that gets control, and the one that gives it up; -1 if there is none.
func stackOperands(b *lower.Body, in *wasm.Instr, m move) (to, from int) {
	to, from = -1, -1
	at := 0
	if info := in.Op.Info().Dialect.Info(); info.Events && !info.TagFirst {
		at = payload(b.Decls.Mod, eventOf(in))
	}
	if m.to {
		to = at
		at++
	}
	if m.from {
		from = at
	}
	return to, from
}
