package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// fusedStackSwitch is the switch of the dialect stacks, to which all of the running chain gives
// way. It ends that if there is a number beside the counts.
//
//go:noinline
func (v *vars) fusedStackSwitch(m *Machine, o *code.Op) (*Stack, *frame, *code.Op) {
	s, fr := v.s, v.fr
	cr := v.r.at(o.C)
	t := cr.asStack()
	if t == nil || t.generation != cr.aux || m.observer != nil || m.barriers ||
		t.rooted && t != m.acts[len(m.acts)-1].root {
		return nil, nil, nil
	}
	head, ends := s, uint32(o.Imm)>>(2*code.PassBits) != 0
	for head.parent != nil {
		head = head.parent
	}
	if ends && !v.canEnd(m, head, wasm.DialectStacks) {
		return nil, nil, nil
	}
	leaf := t
	if t.leaf != nil {
		leaf = t.leaf
		t.leaf = nil
	}
	fr.pc = uint32(o.Imm >> 32)
	if o.Imm&(1<<(2*code.PassBits)-1) != 0 {
		v.copyArgs(o, leaf)
	}
	*cr = Ref{}
	back := leaf.refsAt(leaf.recvR).at(uint16(o.Imm >> code.PassBits & (1<<code.PassBits - 1)))
	if ends {
		*back = Ref{}
		v.end(m)
	} else {
		*back = Ref{&head.object, head.generation}
		v.suspendLeaf(head, s, fr, o, nil)
	}
	t.resumes++
	if r := m.recorder; r != nil {
		return r.recordSwitched(head, t, leaf, s, fr, nil)
	}
	return m.resumeLeaf(t, leaf)
}
