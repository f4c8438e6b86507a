package vm

import "unsafe"

// form is a form of code.
type form uint8

// The forms: with one op for each instruction; the same with a hook before each; fused.
const (
	formPlain form = iota
	formHooked
	formFast
)

// setMode chooses the form that frames go on in. A function that holds a breakpoint has no fast form
// (code.plainly), and a trap in the fast form settles the operands for who looks (Stack.settle): a
// debugger that is attached costs nothing.
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

// plainly takes the fast form of a function away, or gives it back. A frame that runs in it leaves it
// at the next safe point, since whoever sets a breakpoint does so while the machine stands at one.
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
	v.base, v.pcs = c.base, nil
	switch mode {
	case formFast:
		if c.fastBase != nil {
			if i := c.fastAt[fr.pc]; i != noFast {
				v.base, v.pcs = c.fastBase, c.fastPCs
				v.o = opAt(v.base, i)
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

func (v *vars) pc(o *op) uint32 {
	i := pcOf(v.base, o)
	if v.pcs != nil {
		i = pcIn(v.pcs, i)
	}
	return i
}
