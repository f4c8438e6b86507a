package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// history makes the events of stacks, for the observer and the recorder. Without either (watched)
// no event is made.
type history struct {
	observer func(*Event)
	recorder *Recorder
	watched  bool    // there is an observer or a recorder
	funcs    []*Func // by number less 1; see record
	tags     []*Tag
}

// emit hands an event to the recorder and the observer. Without either (m.watched) no event is
// made.
func (h *history) emit(e Event) {
	if h.recorder != nil {
		about, at, tag := Stack{id: e.Stack, base: e.Base, dialect: e.Dialect}, e.Site.Func, uint32(0)
		if about.base == nil {
			about.base = &Func{}
		}
		if at == nil {
			at = &Func{}
		}
		if e.Tag != nil {
			tag = e.Tag.number
		}
		h.record(e.Kind, &about, e.Other, at, uint32(e.Site.PC), tag)
	}
	if h.observer != nil {
		h.notify(e)
	}
}

// emitEnd notifies the observer that a stack ended without returning.
func (h *history) emitEnd(s, p *Stack) {
	if !h.watched {
		return
	}
	e := Event{Kind: EventFinish, Stack: s.id, Base: s.BaseFunc(), Site: Site{PC: -1}, Dialect: s.dialect}
	if len(s.frames) > 0 {
		e.Site = s.site(len(s.frames) - 1)
	}
	if p != nil {
		e.Other = p.id
	}
	h.emit(e)
}

// payload reads the arguments of the instruction at a frame's pc, without the continuation.
func payload(s *Stack, fr *frame, o *code.Op) []Value {
	mod := fr.fn.inst.mod
	var ts []wasm.ValType
	switch in := &fr.fn.code.Body[fr.pc]; in.Op {
	case wasm.OpResume:
		ts = mod.ContFunc(in.A).Params
	case wasm.OpSwitch:
		ts = mod.ContFunc(in.A).Params
		ts = ts[:len(ts)-1]
	case wasm.OpContBind:
		ts = mod.ContFunc(in.A).Params
		ts = ts[:len(ts)-len(mod.ContFunc(in.B).Params)]
	}
	return getValues(ts, s.nums[fr.numBase+uint32(o.A):], s.refs[fr.refBase+uint32(o.B):])
}

// notifyResume notifies the observer that s resumes t.
func (h *history) notifyResume(s *Stack, fr *frame, t *Stack, o *code.Op) {
	h.notify(
		Event{
			Kind: EventResume, Stack: t.id, Base: t.BaseFunc(), Other: s.id, Site: fr.site(),
			Values: payload(s, fr, o), Dialect: t.dialect,
		},
	)
}

// notifySwitch notifies the observer that the segment head … s is suspended and t runs in its
// place.
func (h *history) notifySwitch(s *Stack, fr *frame, head, t *Stack, tag *Tag, o *code.Op) {
	h.notify(
		Event{
			Kind: EventSwitch, Stack: head.id, Base: head.BaseFunc(), Other: t.id, Site: fr.site(),
			Tag: tag, Values: payload(s, fr, o), Dialect: t.dialect,
		},
	)
}

// emitStart reports that the leaf of a segment enters its base function, if it does.
func (h *history) emitStart(leaf *Stack, by uint64) {
	if leaf.state != StackNew {
		return
	}
	if h.record(EventStart, leaf, by, leaf.base, 0, 0) {
		h.notify(
			Event{Kind: EventStart, Stack: leaf.id, Base: leaf.BaseFunc(), Other: by, Site: leaf.site(0), Dialect: leaf.dialect},
		)
	}
}

// emitBegin is emitStart where the leaf goes on at its pc, to which a debugger may have moved it.
func (h *history) emitBegin(leaf *Stack, by uint64) {
	if leaf.begins() {
		h.emitStart(leaf, by)
	}
}
