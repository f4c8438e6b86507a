package vm

import "stackscope/wasm"

// The defaults of Options that this file uses.
const (
	defaultMaxDepth  = 100_000
	defaultMaxStacks = 2_000_000
)

// What a finished stack may keep for the next one, and how many are kept.
const (
	keepStacks = 1024
	keepSlots  = 1 << 12
)

// maxStackSlots bounds the number slots, and the reference slots, of one stack.
const maxStackSlots = 8 << 20

// newStack gives a new stack with its base frame, or nil if there are too many. Its first slots are
// for the arguments.
func (m *Machine) newStack(fn *Func, d wasm.Dialect) *Stack {
	if m.live++; m.live > m.liveMark && !m.recount() {
		m.live--
		return nil
	}
	m.stats.Created++
	if m.live > m.peak {
		m.peak = m.live
	}
	s := m.takeStack(fn, d)
	if m.cur != nil {
		s.creator = m.cur.id
	}
	return s
}

// block is a new stack with its first two frames, in one allocation. Slots are apart: how many a
// stack needs is known when it is made, and room that it does not need would be lost a million times.
type block struct {
	stack  Stack
	frames [2]frame
}

// takeStack gives a stack of a dialect (none: rooted). Storage is used again within a dialect only:
// what a stale reference refers to keeps its kind.
func (m *Machine) takeStack(fn *Func, d wasm.Dialect) *Stack {
	var s *Stack
	free := &m.free[d]
	if n := len(*free) - 1; n >= 0 {
		s = (*free)[n]
		(*free)[n] = nil
		*free = (*free)[:n]
	} else {
		b := new(block)
		s = &b.stack
		s.object, s.dialect, s.frames = object{objStack}, d, b.frames[:0]
	}
	cd := fn.code
	if uint32(len(s.nums)) < cd.nums {
		s.nums = make([]uint64, cd.nums)
	} else {
		clear(s.nums[cd.parNums:max(cd.parNums, cd.locNums)])
	}
	if uint32(len(s.refs)) < cd.refs {
		s.refs = make([]Ref, cd.refs)
	}
	s.frames = append(s.frames[:0], frame{fn: fn})
	m.lastID++
	s.id = m.lastID
	s.state, s.base, s.recvN, s.recvR = StackNew, fn, 0, 0
	s.creator, s.resumes, s.at = 0, 0, nil
	return s
}

// retire ends a stack: every reference to it is stale from here on, and its storage may be used again.
func (m *Machine) retire(s *Stack) {
	if !s.rooted {
		m.live--
	}
	s.generation++
	s.state, s.rooted = StackMoribund, false
	s.parent, s.leaf, s.tag, s.pending = nil, nil, nil, 0
	if s.takes != nil && s.takes.moved {
		s.takes = nil
	}
	s.frames = s.frames[:0]
	clear(s.refs)
	if free := &m.free[s.dialect]; len(*free) < keepStacks && len(s.nums) <= keepSlots && len(s.refs) <= keepSlots {
		*free = append(*free, s)
	} else {
		s.nums, s.refs, s.frames = nil, nil, nil
	}
}

// grow makes room for another frame and for slots up to nums and refs; false if a limit forbids it.
func (m *Machine) grow(s *Stack, nums, refs uint32) bool {
	if n := len(s.frames); n == cap(s.frames) {
		if n >= m.opt.MaxDepth {
			return false
		}
		to := make([]frame, n, min(max(4, n*2), m.opt.MaxDepth))
		copy(to, s.frames)
		s.frames = to
	}
	if n := uint32(len(s.nums)); nums > n {
		if nums > maxStackSlots {
			return false
		}
		to := make([]uint64, max(nums, min(n*2, maxStackSlots)))
		copy(to, s.nums)
		s.nums = to
	}
	if n := uint32(len(s.refs)); refs > n {
		if refs > maxStackSlots {
			return false
		}
		to := make([]Ref, max(refs, min(n*2, maxStackSlots)))
		copy(to, s.refs)
		s.refs = to
	}
	return true
}

// recount finds out how many stacks really exist, when the count of those created and not finished
// has reached a mark: some may have been dropped. It tells whether another one may be.
func (m *Machine) recount() bool {
	limit := m.opt.MaxStacks
	n := 1 // the one that is to be
	m.walk(func(s *Stack, _ Holder) {
		if !s.rooted {
			n++
		}
	})
	m.live = n
	m.liveMark = max(limit, n+limit/8)
	return n <= limit
}
