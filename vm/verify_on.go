//go:build checked

package vm

import (
	"fmt"
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/fused"
	"stackscope/wasm"
	"unsafe"
)

// checked reports whether every access of the loops is checked (build tag `checked`): before an op
// is executed, that it, the frame, and what its fields lead to are where they have to be (access.go
// has what makes that so). What is not fails with a panic that names the op.
const checked = true

// verify checks the op o of the fused form, and the frame whose number slots are at f.
func (v *vars) verify(o *code.Op, f unsafe.Pointer) {
	at := opIndex(v.cd.Fused, o)
	if at < 0 {
		panic(fmt.Sprintf("vm: the fused form of function %d goes on outside of its code", v.fr.fn.index))
	}
	name := "of an unknown code"
	if int(o.Code) < len(fused.Ops) {
		name = fused.Ops[o.Code].Name
	}
	x := verifier{v: v, kind: "fused op ", fast: name, at: at, c: v.cd, fr: v.fr}
	x.that(o.Code < fused.Num, "has no such code")
	x.that(
		v.depth >= 1 && v.depth <= cap(v.s.frames) && v.cap == cap(v.s.frames),
		"runs at a depth that the stack has not",
	)
	x.that(v.fr == &v.s.frames[:v.depth][v.depth-1], "runs in another frame than the innermost")
	x.that(
		v.numCap == uint32(len(v.s.nums)) && v.refCap == uint32(len(v.s.refs)),
		"has another size of the stack in mind",
	)
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
	r := fused.Ops[o.Code].Roles
	for _, s := range [...]struct {
		role fused.Role
		slot uint16
	}{{fused.RoleAN, o.A}, {fused.RoleBN, o.B}, {fused.RoleCN, o.C}, {fused.RoleDN, uint16(o.Imm)},
		{fused.RoleEN, uint16(o.Imm >> 16)}, {fused.RoleGN, uint16(o.Imm >> 32)}} {
		if r&s.role != 0 {
			x.nums(uint32(s.slot), 1)
		}
	}
	for _, s := range [...]struct {
		role fused.Role
		slot uint16
	}{{fused.RoleAR, o.A}, {fused.RoleBR, o.B}, {fused.RoleCR, o.C}} {
		if r&s.role != 0 {
			x.refs(uint32(s.slot), 1)
		}
	}
	if r&fused.RoleJump != 0 {
		x.jump(o, at)
	}
	if r&fused.RoleMoves != 0 {
		x.that(o.Imm < uint64(len(v.cd.Branches)), "takes a branch that there is not")
		x.branch(&v.cd.Branches[o.Imm])
	}
	if r&fused.RoleTable != 0 {
		n := int(uint32(o.Imm)) + 1
		x.that(at+n < len(v.cd.Fused), "has a table that ends after the code")
		for i := at + 1; i <= at+n; i++ {
			x.jump(&v.cd.Fused[i], i)
		}
	}
	x.others(o)
}

// others checks what the roles do not tell.
func (x *verifier) others(o *code.Op) {
	const few = 1<<code.PassBits - 1
	switch o.Code {
	case fused.Ret:
		x.nums(uint32(o.A), uint32(o.C))
		x.refs(uint32(o.B), uint32(o.Imm))
	case fused.Call, fused.CallIndirect, fused.CallRef:
		x.nums(uint32(o.A), 0)
		x.refs(uint32(o.B), 0)
		x.pc(o)
	case fused.Resume, fused.Switch, fused.StackSwitch:
		x.nums(uint32(o.A), uint32(o.Imm)&few)
		x.refs(uint32(o.B), uint32(o.Imm)>>code.PassBits&few)
		x.pc(o)
		if n := uint32(o.Imm) >> (2 * code.PassBits); o.Code == fused.Resume {
			x.that(int(n) < len(x.v.inst.clauses), "has clauses that there are not")
		} else if o.Code == fused.Switch {
			x.that(int(n) < len(x.v.inst.tags), "has a tag that there is not")
		}
	case fused.Suspend:
		x.that(int(uint32(o.Imm)) < len(x.v.inst.tags), "has a tag that there is not")
		t := x.v.inst.tags[uint32(o.Imm)]
		x.nums(uint32(o.A), uint32(t.parNums))
		x.refs(uint32(o.B), uint32(t.parRefs))
		x.pc(o)
	case fused.New, fused.Enter:
		x.that(int(o.C) < len(x.c.Points), "has a resume point that there is not")
		pt := &x.c.Points[o.C]
		x.that(int(pt.Table) < len(x.v.inst.clauses), "has clauses that there are not")
		x.nums(uint32(o.A), uint32(pt.Nums))
		x.refs(uint32(o.B), uint32(pt.Refs))
		x.pc(o)
	case fused.Mount, fused.Dismount, fused.Exchange:
		x.that(int(uint32(o.Imm)) < len(x.v.inst.clauses), "has clauses that there are not")
		t := x.v.inst.clauses[uint32(o.Imm)].sentTag
		x.that(t != nil, "sends no event")
		x.nums(uint32(o.A), uint32(t.parNums))
		x.refs(uint32(o.B), uint32(t.parRefs))
		if o.Code == fused.Exchange {
			x.refs(uint32(o.C), 2)
		}
		x.pc(o)
	case fused.Events:
		n := len(x.c.Points[x.c.Baseline[x.c.FusedPC[x.at]].C].Clauses)
		x.that(o.Imm+uint64(n) <= uint64(len(x.c.Branches)), "takes branches that there are not")
		if p := x.v.s.pending; p > 0 {
			x.that(int(p) <= n, "has an event pending that it has no pair for")
			x.branch(&x.c.Branches[o.Imm+uint64(p)-1])
		}
	}
}

// verifyBaseline is verify for the baseline and the instrumented form.
func (v *vars) verifyBaseline(o *code.Op, f unsafe.Pointer) {
	at := opIndex(v.cd.Baseline, o)
	if at < 0 {
		at = opIndex(v.cd.Instrumented, o)
	}
	fr := v.s.top()
	if at < 0 {
		panic(fmt.Sprintf("vm: the baseline form of function %d goes on outside of its code", fr.fn.index))
	}
	opcode := v.cd.Original(uint32(at))
	in := wasm.Op(opcode)
	x := verifier{v: v, kind: "op of ", at: at, c: v.cd, fr: fr}
	x.frame(f)
	o = &v.cd.Baseline[at]
	switch {
	case in >= wasm.OpI32Eqz && in <= wasm.OpI64TruncSatF64U:
		x.nums(uint32(o.A), 1)
		x.nums(uint32(o.B), 1)
		if len(in.Info().Params) == 2 {
			x.nums(uint32(o.C), 1)
		}
	case in >= wasm.OpI32Load && in <= wasm.OpI64Store32, opcode == code.OpMovN:
		x.nums(uint32(o.A), 1)
		x.nums(uint32(o.B), 1)
	case opcode == code.OpConst,
		opcode == code.OpBrIf,
		opcode == code.OpBrUnless,
		opcode == code.OpGlobalGetN,
		opcode == code.OpGlobalSetN:
		x.nums(uint32(o.A), 1)
	case opcode == code.OpMovR, opcode == code.OpTakeR:
		x.refs(uint32(o.A), 1)
		x.refs(uint32(o.B), 1)
	case opcode == code.OpClearR, opcode == code.OpGlobalGetR, opcode == code.OpGlobalSetR:
		x.refs(uint32(o.A), 1)
	case opcode == code.OpReturn:
		x.nums(uint32(o.A), uint32(o.C))
		x.refs(uint32(o.B), uint32(o.Imm))
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
func opIndex(opcode []code.Op, o *code.Op) int {
	off := uintptr(unsafe.Pointer(o)) - uintptr(unsafe.Pointer(unsafe.SliceData(opcode)))
	if off%code.OpSize != 0 || off/code.OpSize >= uintptr(len(opcode)) {
		return -1
	}
	return int(off / code.OpSize)
}

// verifier checks one op.
type verifier struct {
	v    *vars
	kind string
	fast string // its name in the fused form; in the others its instruction's
	at   int    // of it in the code
	c    *code.Func
	fr   *frame
}

func (x *verifier) that(ok bool, what string) {
	if ok {
		return
	}
	name := x.fast
	if name == "" {
		name = x.c.Body[x.at].Op.String()
	}
	panic(fmt.Sprintf("vm: %s%s at %d of function %d %s", x.kind, name, x.at, x.fr.fn.index, what))
}

// frame checks that the frame is one of the code, is all on the stack, and that f and r are its
// slots.
func (x *verifier) frame(f unsafe.Pointer) {
	v, fr := x.v, x.fr
	x.that(fr.fn.code == v.cd, "runs in a frame of another function")
	x.that(fr.fn.inst == v.inst, "runs with another instance")
	x.that(uint64(fr.numBase)+uint64(v.cd.Nums) <= uint64(len(v.s.nums)), "has number slots after the stack's")
	x.that(uint64(fr.refBase)+uint64(v.cd.Refs) <= uint64(len(v.s.refs)), "has reference slots after the stack's")
	x.that(f == v.s.numsAt(fr.numBase).p, "has other number slots than the frame's")
	x.that(v.r.p == v.s.refsAt(fr.refBase).p, "has other reference slots than the frame's")
}

// below checks where the frame below goes on.
func (x *verifier) below(fr *frame) {
	if c := fr.fn.code; fr.at != nil {
		at := opIndex(c.Fused, fr.at)
		x.that(
			at >= 0 && int(fr.pc)+1 < len(c.FusedAt) && c.FusedAt[fr.pc+1] == uint32(at),
			"would return to another op than the one after the call",
		)
	}
}

func (x *verifier) nums(slot, n uint32) {
	if slot+n > x.c.Nums {
		x.that(false, fmt.Sprintf("uses the number slots %d to %d of %d", slot, slot+n, x.c.Nums))
	}
}

func (x *verifier) refs(slot, n uint32) {
	if slot+n > x.c.Refs {
		x.that(false, fmt.Sprintf("uses the reference slots %d to %d of %d", slot, slot+n, x.c.Refs))
	}
}

func (x *verifier) pc(o *code.Op) {
	x.that(int(o.Imm>>32) < len(x.c.Baseline), "has a pc after the code")
}

// jump checks the distance of a jump at an index.
func (x *verifier) jump(o *code.Op, at int) {
	d := int(int32(o.Imm))
	to := at + d/code.OpSize
	x.that(d%code.OpSize == 0 && to >= 0 && to < len(x.c.Fused), "jumps out of the code")
}

func (x *verifier) branch(b *code.Branch) {
	x.that(int(b.Fused) < len(x.c.Fused), "branches out of the code")
	x.nums(uint32(b.SrcN), uint32(b.NumN))
	x.nums(uint32(b.DstN), uint32(b.NumN))
	x.refs(uint32(b.SrcR), uint32(b.NumR))
	x.refs(uint32(b.DstR), uint32(b.NumR))
}
