package valid

import (
	"fmt"

	"stackscope/wasm"
)

var _ = addRules(handleRules)

// The rules of the dialect `fibers-handle`: docs/design/dialects.md §5. An event clause is a block
// of its own inside its handle (or the function body); `end` closes both.
func handleRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpHandle:             typeBlock,
		wasm.OpEvent:              typeEvent,
		wasm.OpHandleFiberNew:     typeHandleNew,
		wasm.OpFiberSpawn:         typeHandleNew,
		wasm.OpFiberSuspend:       func(t *Typer, in *wasm.Instr) { typeFiberEvent(t, in, 1, true) },
		wasm.OpFiberRetire:        func(t *Typer, in *wasm.Instr) { typeFiberEvent(t, in, 1, true) },
		wasm.OpHandleFiberSwitch:  func(t *Typer, in *wasm.Instr) { typeFiberEvent(t, in, 2, true) },
		wasm.OpFiberRetireto:      func(t *Typer, in *wasm.Instr) { typeFiberEvent(t, in, 2, true) },
		wasm.OpFiberResume:        func(t *Typer, in *wasm.Instr) { typeFiberEvent(t, in, 1, false) },
		wasm.OpHandleFiberRelease: typeFiberRelease,
	}
}

// typeEvent ends the handle's instructions, or the clause before, and begins the clause of a tag:
// its parameters are a suffix of the handle's and then the tag's, its results the handle's.
func typeEvent(t *Typer, in *wasm.Instr) {
	tag := t.tagOf(in.A, 0)
	if t.top().Op == wasm.OpEvent {
		t.fallThrough(in)
		t.undoInits(t.top())
		t.popControl()
	} else if op := t.top().Op; op == wasm.OpHandle || op == wasm.OpInvalid && !t.konst {
		t.fallThrough(in)
		t.undoInits(t.top())
	} else {
		t.fail(CodeBlocks, -1, "unexpected token: event without handle")
		return
	}
	h := t.top()
	c := Control{
		Op: wasm.OpEvent, Start: t.place.Instr, Height: len(t.ops), Results: h.Results,
		Opaque: h.Opaque, inits: len(t.inits),
	}
	params, results, ok := t.blockType(in)
	switch {
	case tag == nil || !ok:
		c.Unreachable = true
	case in.Block() == 0: // no type written
		c.Params = tag.Params
	default:
		c.Params = params
		n := len(params) - len(tag.Params)
		if n < 0 || n > len(h.Params) || !t.e.MatchAll(tag.Params, params[n:]) ||
			!t.e.MatchAll(h.Params[len(h.Params)-n:], params[:n]) {
			t.labelMismatch(
				1,
				append(clone(h.Params), tag.Params...),
				params,
				fmt.Sprintf(
					"type mismatch: the clause for event %s takes %s, but it gets the last of the handle's %s and then the event's %s",
					t.e.m.Names.Tag(in.A),
					t.e.FormatTypes(params),
					t.e.FormatTypes(h.Params),
					t.e.FormatTypes(tag.Params),
				),
			)
		}
		if !h.Opaque && !t.e.MatchAll(results, h.Results) {
			t.labelMismatch(
				1,
				h.Results,
				results,
				fmt.Sprintf("type mismatch: the clause for event %s gives %s, but its handle gives %s",
					t.e.m.Names.Tag(in.A), t.e.FormatTypes(results), t.e.FormatTypes(h.Results)),
			)
		}
	}
	t.pushControl(c)
	t.pushAll(c.Params)
}

// typeHandleNew types fiber.new : [t*] -> [(ref $ft)] and fiber.spawn : [t*] -> [r*];
// $f : [(ref null? $ft) t*] -> [r*], $ft = fiber r*.
func typeHandleNew(t *Typer, in *wasm.Instr) {
	ft := t.funcOf(in.A, 0)
	if ft == nil {
		t.giveUp()
		return
	}
	self := wasm.ValType(wasm.Unknown)
	if len(ft.Params) > 0 {
		self = ft.Params[0]
	}
	var fiber *wasm.SubType
	if h := self.Heap(); h >= 0 {
		switch st := t.e.Type(uint32(h)); {
		case st != nil && st.Kind == wasm.CompFiber:
			fiber = st
		case st != nil && st.Kind == wasm.CompBad: // whatever it was meant to be
			self = wasm.Ref(self.Nullable(), wasm.HeapBad)
		}
	}
	switch {
	case fiber == nil && (len(ft.Params) == 0 || self.Heap() != wasm.HeapBad || !self.IsRef()):
		t.labelMismatch(
			0,
			nil,
			ft.Params,
			fmt.Sprintf(
				"type mismatch: the function of a fiber takes a reference to its fiber type first, but %s has type %s",
				t.e.m.FuncTitle(in.A), t.e.FormatFunc(ft),
			),
		)
		t.giveUp()
		return
	case fiber != nil && !t.e.MatchAll(ft.Results, fiber.Results):
		t.labelMismatch(
			0,
			fiber.Results,
			ft.Results,
			fmt.Sprintf("type mismatch: %s gives %s, but its fiber type gives %s",
				t.e.m.FuncTitle(in.A), t.e.FormatTypes(ft.Results), t.e.FormatTypes(fiber.Results)),
		)
	}
	t.take(in, ft.Params[1:])
	if in.Op == wasm.OpHandleFiberNew {
		t.push(self.NonNull())
	} else {
		t.pushAll(ft.Results)
	}
}

// fiberAt returns what a fiber operand is to be: its own type if it is a fiber, else nil and a
// reference to any fiber type.
func (t *Typer) fiberAt(depth int) (*wasm.SubType, wasm.ValType) {
	r := t.peek(depth)
	if h := r.Heap(); r.IsRef() && h >= 0 {
		if st := t.e.Type(uint32(h)); st != nil && st.Kind == wasm.CompFiber {
			return st, r
		}
	}
	return nil, wasm.FiberRef
}

// typeFiberEvent types what names n fibers and brings them the event in A: [t* fibers te*] ->
// [t'*], polymorphic if it ends the code here, else with the results of the fiber.
func typeFiberEvent(t *Typer, in *wasm.Instr, n int, ends bool) {
	ev := t.tagOf(in.A, 0)
	if ev == nil {
		t.takeRest()
		t.giveUp()
		return
	}
	k := len(ev.Params)
	fiber, last := t.fiberAt(k)
	want := t.wants()
	if n == 2 {
		_, from := t.fiberAt(k + 1)
		want = append(want, from)
	}
	want = append(append(want, last), ev.Params...)
	t.want = want
	t.take(in, want)
	switch {
	case ends:
		t.setUnreachable()
	case fiber == nil:
		t.giveUp()
	default:
		t.pushAll(fiber.Results)
	}
}

func typeFiberRelease(t *Typer, in *wasm.Instr) {
	_, r := t.fiberAt(0)
	t.take(in, t.wants(r))
}
