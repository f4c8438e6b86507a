package vm

import "stackscope/wasm"

// emit hands an event to the recorder and the observer. Without either (m.watched) no event is made.
func (m *Machine) emit(e Event) {
	if r := m.recorder; r != nil {
		r.put(e.Kind, &Stack{id: e.Stack, base: e.Base, dialect: e.Dialect}, e.Other, e.Site.Func, e.Site.PC, e.Tag)
	}
	if m.observer != nil {
		m.observer(&e)
	}
}

// ended tells the observer that a stack ended without returning.
func (m *Machine) ended(s, p *Stack) {
	if !m.watched {
		return
	}
	e := Event{Kind: EventFinish, Stack: s.id, Base: s.BaseFunc(), Site: Site{PC: -1}, Dialect: s.dialect}
	if len(s.frames) > 0 {
		e.Site = s.site(len(s.frames) - 1)
	}
	if p != nil {
		e.Other = p.id
	}
	m.emit(e)
}

// payload reads the arguments of the instruction at a frame's pc, without the continuation.
func payload(s *Stack, fr *frame, o *op) []Value {
	mod := fr.fn.inst.mod
	var ts []wasm.ValType
	switch in := &fr.fn.code.body[fr.pc]; in.Op {
	case wasm.OpResume:
		ts = mod.ContFunc(in.A).Params
	case wasm.OpSwitch:
		ts = mod.ContFunc(in.A).Params
		ts = ts[:len(ts)-1]
	case wasm.OpContBind:
		ts = mod.ContFunc(in.A).Params
		ts = ts[:len(ts)-len(mod.ContFunc(in.B).Params)]
	}
	return getValues(ts, s.nums[fr.numBase+uint32(o.a):], s.refs[fr.refBase+uint32(o.b):])
}

// emitResume tells that s resumes t, or a base function's start.
func (m *Machine) emitResume(s *Stack, fr *frame, t, leaf *Stack, o *op) {
	if m.note(EventResume, t, s.id, fr.fn, int(fr.pc), nil) {
		at := Site{fr.fn, int(fr.pc)}
		m.inform(Event{Kind: EventResume, Stack: t.id, Base: t.BaseFunc(), Other: s.id, Site: at, Values: payload(s, fr, o), Dialect: t.dialect})
	}
	m.emitStart(leaf, s.id)
}

// emitSwitch tells that the segment head … s is suspended and t runs in its place.
func (m *Machine) emitSwitch(s *Stack, fr *frame, head, t, leaf *Stack, tag *Tag, o *op) {
	if m.note(EventSwitch, head, t.id, fr.fn, int(fr.pc), tag) {
		at := Site{fr.fn, int(fr.pc)}
		m.inform(Event{Kind: EventSwitch, Stack: head.id, Base: head.BaseFunc(), Other: t.id, Site: at, Tag: tag, Values: payload(s, fr, o), Dialect: t.dialect})
	}
	m.emitStart(leaf, s.id)
}

func (m *Machine) emitStart(leaf *Stack, by uint64) {
	if leaf.state != StackNew {
		return
	}
	if at := leaf.site(0); m.note(EventStart, leaf, by, at.Func, at.PC, nil) {
		m.inform(Event{Kind: EventStart, Stack: leaf.id, Base: leaf.BaseFunc(), Other: by, Site: at, Dialect: leaf.dialect})
	}
}
