package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// newExn makes an exception of the operands at the slots a, b of s's innermost frame.
func (m *Machine) newExn(s *Stack, tag *Tag, a, b uint16) *Exn {
	fr := s.top()
	e := &Exn{object: object{kind: objExn}, tag: tag}
	if tag.parNums > 0 {
		at := fr.numBase + uint32(a)
		e.nums = append([]uint64(nil), s.nums[at:at+uint32(tag.parNums)]...)
	}
	if tag.parRefs > 0 {
		at := fr.refBase + uint32(b)
		e.refs = append([]Ref(nil), s.refs[at:at+uint32(tag.parRefs)]...)
		clear(s.refs[at : at+uint32(tag.parRefs)])
	}
	return e
}

// NewExn makes an exception for a host function to throw: return &Exception{Ref: …} with it.
func NewExn(tag *Tag, vs ...Value) Ref {
	e := &Exn{object: object{kind: objExn}, tag: tag, nums: make([]uint64, tag.parNums), refs: make([]Ref, tag.parRefs)}
	putValues(vs, e.nums, e.refs)
	return Ref{obj: &e.object}
}

// catcher is where an exception lands.
type catcher struct {
	stack *Stack
	depth int
	c     *code.CatchClause
}

// findCatch searches for the innermost clause that catches an exception thrown on s. It may meet a
// stack that no exception can leave: then it returns the trap.
func findCatch(s *Stack, e *Exn) (catcher, wasm.TrapKind, bool) {
	for ; s != nil; s = s.parent {
		for i := len(s.frames) - 1; i >= 0; i-- {
			fr := &s.frames[i]
			rs := fr.fn.code.Regions
			for j := len(rs) - 1; j >= 0; j-- {
				r := &rs[j]
				if fr.pc < r.From || fr.pc >= r.To {
					continue
				}
				for k := range r.Catches {
					c := &r.Catches[k]
					if c.Kind >= wasm.CatchAll || fr.fn.inst.tags[c.Tag] == e.tag {
						return catcher{s, i, c}, 0, true
					}
				}
				if r.Delegate {
					j = r.Next + 1
				}
			}
		}
		if tk := s.dialect.Info().Exception; tk != 0 {
			return catcher{}, tk, false
		}
	}
	return catcher{}, 0, false
}

// afterAverted returns the stack that continues after a fault that a debugger has averted, or the
// fault.
func (fs *faults) afterAverted(err error) (*Stack, error) {
	fs.m.lateFault = false
	if err != nil {
		return nil, err
	}
	return fs.m.cur, nil
}

// throw unwinds to the clause that catches an exception thrown on s, and returns the stack that
// goes on. Without one, nothing is unwound before the probe has seen it; then the host call ends.
func (m *Machine) throw(s *Stack, e *Exn) (*Stack, error) {
	if m.watched {
		fr := s.top()
		m.emit(
			Event{
				Kind: EventThrow, Stack: s.id, Base: s.BaseFunc(), Site: Site{fr.fn, int(fr.pc)},
				Tag: e.tag, Values: e.Values(), Dialect: s.dialect,
			},
		)
	}
	to, tk, ok := findCatch(s, e)
	if tk != 0 {
		m.detail, m.missed = e.tag.String(), e.tag
		m.lateFault = true
		return m.afterAverted(m.trap(s, tk))
	}
	if !ok {
		m.lateFault = true
		return m.afterAverted(m.uncaught(s, e))
	}
	for s != to.stack {
		p := s.parent
		m.emitEnd(s, p, end{kind: EndThrew, tag: e.tag})
		m.retire(s)
		s = p
	}
	fr, last := &s.frames[to.depth], s.top()
	dn, dr := fr.numBase+uint32(to.c.DstN), fr.refBase+uint32(to.c.DstR)
	if end := last.refBase + last.fn.code.Refs; end > dr {
		clear(s.refs[dr:end])
	}
	s.frames = s.frames[:to.depth+1]
	switch to.c.Kind {
	case wasm.CatchTag, wasm.CatchTagRef:
		copy(s.nums[dn:], e.nums)
		copy(s.refs[dr:], e.refs)
		dr += uint32(len(e.refs))
	}
	if to.c.Kind == wasm.CatchTagRef || to.c.Kind == wasm.CatchAllRef {
		s.refs[dr] = Ref{obj: &e.object}
	}
	if to.c.Keep {
		s.refs[fr.refBase+uint32(to.c.Hold)] = Ref{obj: &e.object}
	}
	if m.noting() {
		m.noteCatch(s, *fr, e, to.c)
	}
	fr.pc = to.c.PC
	s.state, s.recvR = StackRunning, 0
	m.cur = s
	return s, nil
}
