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
func (f *fuser) shorten() {
	var at []int // of the jumps in f.jumps, by op; made when a tail is found
	more := 0
	tails := f.tails[:0]
	for i := range f.jumps {
		j := &f.jumps[i]
		if f.out[j.at].Code != fused.Jump {
			continue
		}
		for range maxTail { // a jump to a jump
			next := f.lands(*j)
			if f.out[next].Code != fused.Jump {
				break
			}
			if at == nil {
				at = f.jumpsByOp()
			}
			to := f.jumps[at[next]]
			j.to, j.kind = to.to, to.kind
		}
		if j.entry {
			continue
		}
		if n := f.tail(f.lands(*j)); n > 0 {
			tails = append(tails, tail{j.at, f.lands(*j), n})
			more += n - 1
		}
	}
	f.tails = tails
	if len(tails) == 0 {
		return
	}
	if at == nil {
		at = f.jumpsByOp()
	}
	f.insert(at, more)
}

// tail is a jump that is to become n ops, those from the op from on.
type tail struct{ at, from, n int }

// tail returns the number of ops from i on that end in a jump or a return, 0 if there are too many
// or if they are not of a kind that may be anywhere.
func (f *fuser) tail(i int) int {
	for n := 1; n <= maxTail && i+n <= len(f.out); n++ {
		o := &f.out[i+n-1]
		switch opcode := o.Code; {
		case opcode == fused.Jump || opcode == fused.JumpBack || opcode == fused.Ret0 || opcode == fused.Ret1 || isRet(opcode):
			return n
		case opcode >= fused.Store32 && opcode <= fused.Store16K || fused.Ops[opcode].Roles&fused.RoleDst != 0 || opcode == fused.Mov2 || opcode == fused.Mov3:
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
func (f *fuser) jumpsByOp() []int {
	at := make([]int, len(f.out))
	for i := range at {
		at[i] = -1
	}
	for i, j := range f.jumps {
		at[j.at] = i
	}
	return at
}

// insert puts the tails in place of their jumps, which makes the code longer by some ops.
func (f *fuser) insert(at []int, more int) {
	slices.SortFunc(f.tails, func(a, b tail) int { return a.at - b.at })
	out, pcs := make([]code.Op, 0, len(f.out)+more), make([]uint32, 0, len(f.out)+more)
	moved := make([]int, len(f.out)+1)
	jumps := make([]jump, 0, len(f.jumps))
	tails := f.tails
	for i := range f.out {
		moved[i] = len(out)
		from, n := i, 1
		if len(tails) > 0 && tails[0].at == i {
			from, n, tails = tails[0].from, tails[0].n, tails[1:]
		}
		for k := from; k < from+n; k++ {
			if at[k] >= 0 {
				j := f.jumps[at[k]]
				j.at = len(out)
				jumps = append(jumps, j)
			}
			out, pcs = append(out, f.out[k]), append(pcs, f.pcs[k])
		}
	}
	moved[len(f.out)] = len(out)
	for i := range jumps {
		if jumps[i].kind == toOp {
			jumps[i].to = moved[jumps[i].to]
		}
	}
	for pc, i := range f.c.FusedAt {
		if i != code.NoFused {
			f.c.FusedAt[pc] = uint32(moved[i])
		}
	}
	f.out, f.pcs, f.jumps = out, pcs, jumps
}
