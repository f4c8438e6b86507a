package vm

import (
	"unsafe"

	"stackscope/wasm"
)

// form is a form of code.
type form uint8

// The forms: with one op for each instruction; the same with a hook before each; fused.
const (
	formPlain form = iota
	formHooked
	formFast
)

// setMode chooses the form that frames go on in. A function that holds a breakpoint has no fast
// form (code.plainly), and a trap in the fast form settles the operands for who looks
// (Stack.settle): a debugger that is attached costs nothing.
func (m *Machine) setMode() {
	switch {
	case m.stepping:
		m.mode = formHooked
	case m.opt.Plain:
		m.mode = formPlain
	default:
		m.mode = formFast
	}
}

// plainly takes the fast form of a function away, or gives it back. A frame that runs in it leaves
// it at the next safe point, since whoever sets a breakpoint does so while the machine stands at
// one.
func (c *code) plainly(on bool) {
	if on || len(c.fast) == 0 {
		c.fastBase = nil
	} else {
		c.fastBase = unsafe.Pointer(unsafe.SliceData(c.fast))
	}
}

// load sets the variables for s's innermost frame to go on at its pc.
//
//go:noinline
func (v *vars) load(mode form) {
	fr := v.s.top()
	c := fr.fn.code
	v.cd = c
	v.f, v.r = v.s.numsAt(fr.numBase), v.s.refsAt(fr.refBase)
	v.inst = fr.fn.inst
	v.mem = v.inst.mem0
	v.base, v.fast = c.base, false
	switch mode {
	case formFast:
		if c.fastBase != nil {
			if i := c.fastAt[fr.pc]; i != noFast {
				v.fast = true
				v.o = opAt(c.fastBase, i)
				return
			}
		}
	case formHooked:
		v.base = c.hookedOps()
	}
	v.o = opAt(v.base, fr.pc)
}

// sync sets the innermost frame's pc to the one of the op o, and gives the frame.
//
//go:noinline
func (v *vars) sync() *frame {
	fr := v.s.top()
	fr.pc = v.pc(v.o)
	return fr
}

// pc returns the pc of an op of the plain or the hooked form.
func (v *vars) pc(o *op) uint32 { return pcOf(v.base, o) }

// fastPC returns the pc of the op o of the fast form.
func (v *vars) fastPC() uint32 { return pcIn(v.cd.fastPCs, pcOf(v.cd.fastBase, v.o)) }

// fastSync is sync where o is of the fast form.
//
//go:noinline
func (v *vars) fastSync() *frame {
	v.s.frames = v.s.frames[:v.depth]
	v.fr.pc = v.fastPC()
	return v.fr
}

// exit reports why the loop of the fast form ends.
type exit uint8

const (
	exitLoad  exit = iota // go on at the innermost frame's pc
	exitPlain             // o is to be executed in the plain form
	exitPause             // o is a safe point that wants attention
	exitTrap              // tk happened at o
)

// Ops that the fast form calls. The instruction and the slots are those of the plain op.

//go:noinline
func (m *Machine) fastObject(v *vars) wasm.TrapKind {
	fr := v.fastSync()
	if m.cur != v.s {
		m.cur = v.s // for who counts what is alive
	}
	o := &v.cd.plain[fr.pc]
	return m.object(v.inst, &v.cd.body[fr.pc], v.s.nums[fr.numBase+uint32(o.a):], v.s.refs[fr.refBase+uint32(o.b):])
}

//go:noinline
func (m *Machine) fastBulk(v *vars) wasm.TrapKind {
	fr := v.fastSync()
	if m.cur != v.s {
		m.cur = v.s
	}
	m.budget = v.budget
	o := &v.cd.plain[fr.pc]
	tk := m.bulk(v.inst, &v.cd.body[fr.pc], v.s.nums[fr.numBase+uint32(o.a):], v.s.refs[fr.refBase+uint32(o.b):])
	v.budget = m.budget
	return tk
}

//go:noinline
func (m *Machine) fastVector(v *vars) wasm.TrapKind {
	fr := v.fastSync()
	return m.vector(v.s, v.cd, v.inst, &v.cd.plain[fr.pc], fr.pc)
}
