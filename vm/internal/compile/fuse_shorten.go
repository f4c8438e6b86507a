package compile

import (
	"slices"
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/fused"
)

// A jump to a few ops that end in another jump, or in a return, is replaced by a copy of these: an
// op of the fused form costs its dispatch more than anything else. A jump to a jump leads where
// that does.

// maxTail is the number of ops that a jump may become.
const maxTail = 2

// shorten replaces jumps by what they lead to.
func (e *emitter) shorten() {
	var at []int // of the jumps in e.jumps, by op; made when a tail is found
	more := 0
	tails := e.tails[:0]
	for i := range e.jumps {
		j := &e.jumps[i]
		if e.out[j.at].Code != fused.Jump {
			continue
		}
		for range maxTail { // a jump to a jump
			next := e.lands(*j)
			if e.out[next].Code != fused.Jump {
				break
			}
			if at == nil {
				at = e.jumpsByOp()
			}
			to := e.jumps[at[next]]
			j.to, j.kind = to.to, to.kind
		}
		if j.entry {
			continue
		}
		if n := e.tail(e.lands(*j)); n > 0 {
			tails = append(tails, tail{j.at, e.lands(*j), n})
			more += n - 1
		}
	}
	e.tails = tails
	if len(tails) == 0 {
		return
	}
	if at == nil {
		at = e.jumpsByOp()
	}
	e.insert(at, more)
}

// tail is a jump that is to become n ops, those from the op from on.
type tail struct{ at, from, n int }

// tail returns the number of ops from i on that end in a jump or a return, 0 if there are too many
// or if they are not of a kind that may be anywhere.
func (e *emitter) tail(i int) int {
	for n := 1; n <= maxTail && i+n <= len(e.out); n++ {
		o := &e.out[i+n-1]
		switch opcode := o.Code; {
		case opcode == fused.Jump || opcode == fused.JumpBack || opcode == fused.Ret0 ||
			opcode == fused.Ret1 || isRet(opcode):
			return n
		case opcode >= fused.Store32 && opcode <= fused.Store16K ||
			fused.Ops[opcode].Roles&fused.RoleDst != 0 || opcode == fused.Mov2 || opcode == fused.Mov3:
		default:
			return 0
		}
	}
	return 0
}

// isRet reports whether an op returns what it computes.
func isRet(opcode uint16) bool {
	for _, fam := range families {
		if _, ok := among(opcode, fam.ret, 2*binEq); ok {
			return true
		}
	}
	return false
}

// jumpsByOp returns the index of each op's jump, -1 where it has none.
func (e *emitter) jumpsByOp() []int {
	at := make([]int, len(e.out))
	for i := range at {
		at[i] = -1
	}
	for i, j := range e.jumps {
		at[j.at] = i
	}
	return at
}

// insert puts the tails in place of their jumps, which makes the code longer by some ops.
func (e *emitter) insert(at []int, more int) {
	slices.SortFunc(e.tails, func(a, b tail) int { return a.at - b.at })
	out, pcs := make([]code.Op, 0, len(e.out)+more), make([]uint32, 0, len(e.out)+more)
	moved := make([]int, len(e.out)+1)
	jumps := make([]jump, 0, len(e.jumps))
	tails := e.tails
	for i := range e.out {
		moved[i] = len(out)
		from, n := i, 1
		if len(tails) > 0 && tails[0].at == i {
			from, n, tails = tails[0].from, tails[0].n, tails[1:]
		}
		for k := from; k < from+n; k++ {
			if at[k] >= 0 {
				j := e.jumps[at[k]]
				j.at = len(out)
				jumps = append(jumps, j)
			}
			out, pcs = append(out, e.out[k]), append(pcs, e.pcs[k])
		}
	}
	moved[len(e.out)] = len(out)
	for i := range jumps {
		if jumps[i].kind == toOp {
			jumps[i].to = moved[jumps[i].to]
		}
	}
	for pc, i := range e.c.FusedAt {
		if i != code.NoFused {
			e.c.FusedAt[pc] = uint32(moved[i])
		}
	}
	e.out, e.pcs, e.jumps = out, pcs, jumps
}
