package vm

import (
	"unsafe"

	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// form is a form of code.
type form uint8

// The forms: with one op for each instruction; the same with a hook before each; fused.
const (
	formBaseline form = iota
	formInstrumented
	formFused
)

// setMode chooses the form that frames go on in. A function that holds a breakpoint has no fused
// form (code.disableFused), and a trap in the fused form rematerializes the operands for who looks
// (Stack.rematerialize): a debugger that is attached costs nothing.
func (d *Debugging) setMode() {
	switch {
	case d.stepping || d.arrivals.under != nil:
		d.m.mode = formInstrumented
	case d.m.opt.Baseline:
		d.m.mode = formBaseline
	default:
		d.m.mode = formFused
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
	v.base, v.fused = c.BaselineBase, false
	switch mode {
	case formFused:
		if c.FusedBase != nil {
			if i := c.FusedAt[fr.pc]; i != code.NoFused {
				v.fused = true
				v.o = code.At(c.FusedBase, i)
				return
			}
		}
	case formInstrumented:
		v.base = c.InstrumentedOps()
	}
	v.o = code.At(v.base, fr.pc)
}

// sync sets the innermost frame's pc to the one of the op o, and returns the frame.
//
//go:noinline
func (v *vars) sync() *frame {
	fr := v.s.top()
	fr.pc = v.pc(v.o)
	return fr
}

// pc returns the pc of an op of the plain or the instrumented form.
func (v *vars) pc(o *code.Op) uint32 { return code.PCOf(v.base, o) }

// fusedPC returns the pc of the op o of the fused form.
func (v *vars) fusedPC() uint32 { return code.PCIn(v.cd.FusedPCs, code.PCOf(v.cd.FusedBase, v.o)) }

// syncFused is sync where o is of the fused form.
//
//go:noinline
func (v *vars) syncFused() *frame {
	v.s.frames = v.s.frames[:v.depth]
	v.fr.pc = v.fusedPC()
	return v.fr
}

// exit reports why the loop of the fused form ends.
type exit uint8

const (
	exitLoad     exit = iota // go on at the innermost frame's pc
	exitBaseline             // o is to be executed in the baseline form
	exitPause                // o is a safe point that wants attention
	exitTrap                 // tk happened at o
)

// Ops that the fused form calls. The instruction and the slots are those of the baseline op.

//go:noinline
func (v *vars) fusedObject(m *Machine) wasm.TrapKind {
	fr := v.syncFused()
	if m.cur != v.s {
		m.cur = v.s // for who counts what is alive
	}
	o := &v.cd.Baseline[fr.pc]
	return v.inst.object(&v.cd.Body[fr.pc], v.s.nums[fr.numBase+uint32(o.A):], v.s.refs[fr.refBase+uint32(o.B):])
}

//go:noinline
func (v *vars) fusedBulk(m *Machine) wasm.TrapKind {
	fr := v.syncFused()
	if m.cur != v.s {
		m.cur = v.s
	}
	m.budget = v.budget
	o := &v.cd.Baseline[fr.pc]
	tk := v.inst.bulk(&v.cd.Body[fr.pc], v.s.nums[fr.numBase+uint32(o.A):], v.s.refs[fr.refBase+uint32(o.B):])
	v.budget = m.budget
	return tk
}

//go:noinline
func (v *vars) fusedVector(m *Machine) wasm.TrapKind {
	fr := v.syncFused()
	return v.inst.vector(v.s, v.cd, &v.cd.Baseline[fr.pc], fr.pc)
}

// vars are the loop's variables that most ops do not use. They are too many for the compiler to
// keep in registers, so they stay in memory and cost nothing where they are not used.
type vars struct {
	s      *Stack
	cd     *code.Func
	base   unsafe.Pointer
	r      rslots
	inst   *Instance
	mem    *Memory
	mb     unsafe.Pointer // its bytes, and how many, as the loop of the fused form has them
	ml     uint64
	budget int64
	fused  bool          // the frame goes on in the fused form
	tk     wasm.TrapKind // of exitTrap
	o      *code.Op      // o and f while something is called, so that they need not survive calls in registers
	f      nslots
	callee *Func

	// of the fused form
	fr             *frame         // the innermost frame
	depth, cap     int            // of s.frames; its len is set where somebody looks (frames)
	numCap, refCap uint32         // of the stack's slots
	num0, ref0     unsafe.Pointer // the first of them
}
