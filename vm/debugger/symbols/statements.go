package symbols

import (
	"stackscope/analysis/source"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// A step by statement goes from statement to statement. In folded code an instruction in a sequence
// is one, with its operands. In flat code, and in the text of a binary module, the operands of an
// instruction come before it: there a statement begins where the operand stack of the block is
// empty, and ends where it is empty again.

// statement is a statement as it is written.
type statement struct {
	pc   int
	span source.Span
	flat bool
}

// statements returns by pc the text of the statement that begins there, empty where none does. Of
// written, in the order of their pcs, flat ones are joined.
func statements(t *valid.Typer, fn uint32, body []wasm.Instr, written []statement) []source.Span {
	out := make([]source.Span, len(body))
	flat := make([]bool, len(body))
	anyFlat := false
	for _, s := range written {
		if s.pc < len(out) && out[s.pc].End == 0 { // the outermost of those that begin here
			out[s.pc], flat[s.pc] = s.span, s.flat
			anyFlat = anyFlat || s.flat
		}
	}
	if !anyFlat {
		return out
	}
	t.Begin(fn)
	open := []int{-1} // by open block: where the last statement in it begins, -1: none has yet
	for pc := range body {
		ctl := t.Controls()
		if len(ctl) == 0 {
			break
		}
		for len(open) < len(ctl) {
			open = append(open, -1)
		}
		open = open[:len(ctl)]
		last := &open[len(open)-1]
		switch body[pc].Op {
		case wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpEvent: // another arm
			*last = -1
		}
		if out[pc].End > 0 {
			if begin := *last; flat[pc] && begin >= 0 && len(t.Operands()) > ctl[len(ctl)-1].Height {
				out[begin].End = max(out[begin].End, out[pc].End)
				out[pc] = source.Span{}
			} else {
				*last = pc
			}
		}
		t.Step(&body[pc])
	}
	t.End()
	return out
}
