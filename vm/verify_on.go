//go:build checked

package vm

import (
	"fmt"
	"unsafe"

	"stackscope/wasm"
)

// checked reports whether every access of the loops is checked (build tag `checked`): before an op
// is executed, that it, the frame, and what its fields lead to are where they have to be (access.go
// has what makes that so). What is not fails with a panic that names the op.
const checked = true

// verify checks the op o of the fused form, and the frame whose number slots are at f.
func (v *vars) verify(o *op, f unsafe.Pointer) {
	at := opIndex(v.cd.fused, o)
	if at < 0 {
		panic(fmt.Sprintf("vm: the fused form of function %d goes on outside of its code", v.fr.fn.index))
	}
	name := "of an unknown code"
	if int(o.code) < len(fusedOps) {
		name = fusedOps[o.code].name
	}
	x := verifier{v: v, kind: "fused op ", fast: name, at: at, c: v.cd, fr: v.fr}
	x.that(o.code < numFused, "has no such code")
	x.that(
		v.depth >= 1 && v.depth <= cap(v.s.frames) && v.cap == cap(v.s.frames),
		"runs at a depth that the stack has not",
	)
	x.that(v.fr == &v.s.frames[:v.depth][v.depth-1], "runs in another frame than the innermost")
	x.that(v.numCap == uint32(len(v.s.nums)) && v.refCap == uint32(len(v.s.refs)), "has another size of the stack in mind")
	x.that(
		v.num0 == unsafe.Pointer(unsafe.SliceData(v.s.nums)) && v.ref0 == unsafe.Pointer(unsafe.SliceData(v.s.refs)),
		"has another place of the stack in mind",
	)
	if v.depth > 1 {
		x.below(&v.s.frames[:v.depth][v.depth-2])
	}
	x.frame(f)
	if v.mem != nil {
		x.that(
			v.ml == uint64(len(v.mem.bytes)) && v.mb == unsafe.Pointer(unsafe.SliceData(v.mem.bytes)),
			"has another memory in mind",
		)
	} else {
		x.that(v.ml == 0, "has a memory in mind where there is none")
	}
	v.r = v.s.refsAt(v.fr.refBase) // of which the loop moves only the pointer
	r := fusedOps[o.code].roles
	for _, s := range [...]struct {
		role role
		slot uint16
	}{{roleAN, o.a}, {roleBN, o.b}, {roleCN, o.c}, {roleDN, uint16(o.imm)}, {roleEN, uint16(o.imm >> 16)}, {roleGN, uint16(o.imm >> 32)}} {
		if r&s.role != 0 {
			x.nums(uint32(s.slot), 1)
		}
	}
	for _, s := range [...]struct {
		role role
		slot uint16
	}{{roleAR, o.a}, {roleBR, o.b}, {roleCR, o.c}} {
		if r&s.role != 0 {
			x.refs(uint32(s.slot), 1)
		}
	}
	if r&roleJump != 0 {
		x.jump(o, at)
	}
	if r&roleMoves != 0 {
		x.that(o.imm < uint64(len(v.cd.branches)), "takes a branch that there is not")
		x.branch(&v.cd.branches[o.imm])
	}
	if r&roleTable != 0 {
		n := int(uint32(o.imm)) + 1
		x.that(at+n < len(v.cd.fused), "has a table that ends behind the code")
		for i := at + 1; i <= at+n; i++ {
			x.jump(&v.cd.fused[i], i)
		}
	}
	x.others(o)
}

// others checks what the roles do not tell.
func (x *verifier) others(o *op) {
	const few = 1<<passBits - 1
	switch o.code {
	case rRet:
		x.nums(uint32(o.a), uint32(o.c))
		x.refs(uint32(o.b), uint32(o.imm))
	case rCall, rCallIndirect, rCallRef:
		x.nums(uint32(o.a), 0)
		x.refs(uint32(o.b), 0)
		x.pc(o)
	case rResume, rSwitch, rStackSwitch:
		x.nums(uint32(o.a), uint32(o.imm)&few)
		x.refs(uint32(o.b), uint32(o.imm)>>passBits&few)
		x.pc(o)
		if n := uint32(o.imm) >> (2 * passBits); o.code == rResume {
			x.that(int(n) < len(x.v.inst.clauses), "has clauses that there are not")
		} else if o.code == rSwitch {
			x.that(int(n) < len(x.v.inst.tags), "has a tag that there is not")
		}
	case rSuspend:
		x.that(int(uint32(o.imm)) < len(x.v.inst.tags), "has a tag that there is not")
		t := x.v.inst.tags[uint32(o.imm)]
		x.nums(uint32(o.a), uint32(t.parNums))
		x.refs(uint32(o.b), uint32(t.parRefs))
		x.pc(o)
	case rNew, rEnter:
		x.that(int(o.c) < len(x.c.points), "has a resume point that there is not")
		pt := &x.c.points[o.c]
		x.that(int(pt.table) < len(x.v.inst.clauses), "has clauses that there are not")
		x.nums(uint32(o.a), uint32(pt.nums))
		x.refs(uint32(o.b), uint32(pt.refs))
		x.pc(o)
	case rMount, rDismount, rExchange:
		x.that(int(uint32(o.imm)) < len(x.v.inst.clauses), "has clauses that there are not")
		t := x.v.inst.clauses[uint32(o.imm)].sentTag
		x.that(t != nil, "sends no event")
		x.nums(uint32(o.a), uint32(t.parNums))
		x.refs(uint32(o.b), uint32(t.parRefs))
		if o.code == rExchange {
			x.refs(uint32(o.c), 2)
		}
		x.pc(o)
	case rEvents:
		n := len(x.c.points[x.c.baseline[x.c.fusedPC[x.at]].c].clauses)
		x.that(o.imm+uint64(n) <= uint64(len(x.c.branches)), "takes branches that there are not")
		if p := x.v.s.pending; p > 0 {
			x.that(int(p) <= n, "has an event pending that it has no pair for")
			x.branch(&x.c.branches[o.imm+uint64(p)-1])
		}
	}
}

// verifyBaseline is verify for the baseline and the instrumented form.
func (v *vars) verifyBaseline(o *op, f unsafe.Pointer) {
	at := opIndex(v.cd.baseline, o)
	if at < 0 {
		at = opIndex(v.cd.instrumented, o)
	}
	fr := v.s.top()
	if at < 0 {
		panic(fmt.Sprintf("vm: the baseline form of function %d goes on outside of its code", fr.fn.index))
	}
	code := v.cd.original(uint32(at))
	in := wasm.Op(code)
	x := verifier{v: v, kind: "op of ", at: at, c: v.cd, fr: fr}
	x.frame(f)
	o = &v.cd.baseline[at]
	switch {
	case in >= wasm.OpI32Eqz && in <= wasm.OpI64TruncSatF64U:
		x.nums(uint32(o.a), 1)
		x.nums(uint32(o.b), 1)
		if len(in.Info().Params) == 2 {
			x.nums(uint32(o.c), 1)
		}
	case in >= wasm.OpI32Load && in <= wasm.OpI64Store32, code == opMovN:
		x.nums(uint32(o.a), 1)
		x.nums(uint32(o.b), 1)
	case code == opConst, code == opBrIf, code == opBrUnless, code == opGlobalGetN, code == opGlobalSetN:
		x.nums(uint32(o.a), 1)
	case code == opMovR, code == opTakeR:
		x.refs(uint32(o.a), 1)
		x.refs(uint32(o.b), 1)
	case code == opClearR, code == opGlobalGetR, code == opGlobalSetR:
		x.refs(uint32(o.a), 1)
	case code == opReturn:
		x.nums(uint32(o.a), uint32(o.c))
		x.refs(uint32(o.b), uint32(o.imm))
	}
}

// counter counts the ops of the fused form that were left to the baseline form.
type counter struct{ n int }

func (t *counter) add() { t.n++ }

// BaselineOps returns how many there were. It is only there in the checked build.
func (m *Machine) BaselineOps() int { return m.baselineOps.n }

// checkAccess checks an access to n bytes at addr of a memory whose bytes are at base.
func checkAccess(m *Memory, base unsafe.Pointer, addr, n uint64) {
	if m == nil || base != unsafe.Pointer(unsafe.SliceData(m.bytes)) || addr > uint64(len(m.bytes)) ||
		n > uint64(len(m.bytes))-addr {
		panic(fmt.Sprintf("vm: an access to %d bytes at %d is not in the memory", n, addr))
	}
}

// opIndex returns the index of an op in code, -1 if it is not in it.
func opIndex(code []op, o *op) int {
	off := uintptr(unsafe.Pointer(o)) - uintptr(unsafe.Pointer(unsafe.SliceData(code)))
	if off%opSize != 0 || off/opSize >= uintptr(len(code)) {
		return -1
	}
	return int(off / opSize)
}

// verifier checks one op.
type verifier struct {
	v    *vars
	kind string
	fast string // its name in the fused form; in the others its instruction's
	at   int    // of it in the code
	c    *code
	fr   *frame
}

func (x *verifier) that(ok bool, what string) {
	if ok {
		return
	}
	name := x.fast
	if name == "" {
		name = x.c.body[x.at].Op.String()
	}
	panic(fmt.Sprintf("vm: %s%s at %d of function %d %s", x.kind, name, x.at, x.fr.fn.index, what))
}

// frame checks that the frame is one of the code, is all on the stack, and that f and r are its
// slots.
func (x *verifier) frame(f unsafe.Pointer) {
	v, fr := x.v, x.fr
	x.that(fr.fn.code == v.cd, "runs in a frame of another function")
	x.that(fr.fn.inst == v.inst, "runs with another instance")
	x.that(uint64(fr.numBase)+uint64(v.cd.nums) <= uint64(len(v.s.nums)), "has number slots behind the stack's")
	x.that(uint64(fr.refBase)+uint64(v.cd.refs) <= uint64(len(v.s.refs)), "has reference slots behind the stack's")
	x.that(f == v.s.numsAt(fr.numBase).p, "has other number slots than the frame's")
	x.that(v.r.p == v.s.refsAt(fr.refBase).p, "has other reference slots than the frame's")
}

// below checks where the frame below goes on.
func (x *verifier) below(fr *frame) {
	if c := fr.fn.code; fr.at != nil {
		at := opIndex(c.fused, fr.at)
		x.that(
			at >= 0 && int(fr.pc)+1 < len(c.fusedAt) && c.fusedAt[fr.pc+1] == uint32(at),
			"would return to another op than the one behind the call",
		)
	}
}

func (x *verifier) nums(slot, n uint32) {
	if slot+n > x.c.nums {
		x.that(false, fmt.Sprintf("uses the number slots %d to %d of %d", slot, slot+n, x.c.nums))
	}
}

func (x *verifier) refs(slot, n uint32) {
	if slot+n > x.c.refs {
		x.that(false, fmt.Sprintf("uses the reference slots %d to %d of %d", slot, slot+n, x.c.refs))
	}
}

func (x *verifier) pc(o *op) {
	x.that(int(o.imm>>32) < len(x.c.baseline), "has a pc behind the code")
}

// jump checks the distance of a jump at an index.
func (x *verifier) jump(o *op, at int) {
	d := int(int32(o.imm))
	to := at + d/opSize
	x.that(d%opSize == 0 && to >= 0 && to < len(x.c.fused), "jumps out of the code")
}

func (x *verifier) branch(b *branch) {
	x.that(int(b.fused) < len(x.c.fused), "branches out of the code")
	x.nums(uint32(b.srcN), uint32(b.numN))
	x.nums(uint32(b.dstN), uint32(b.numN))
	x.refs(uint32(b.srcR), uint32(b.numR))
	x.refs(uint32(b.dstR), uint32(b.numR))
}
