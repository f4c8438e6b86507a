package vm

import (
	"math"

	"stackscope/wasm"
)

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

// stackStore makes stacks and ends them: it numbers and counts them, and keeps the storage of some
// that have ended.
type stackStore struct {
	m         *Machine
	lastID    uint64
	live      int                        // stacks created and not finished, without rooted ones
	liveMark  int                        // at which to find out how many really exist
	limitMark int                        // the same, for the sake of the limit
	most      int                        // the most of live since that was found out last
	peak      int                        // the most that are known to have been alive at one time
	looked    int                        // what the last look at all of them cost
	pool      [wasm.NumDialects][]*Stack // by dialect
}

// newStack returns a new stack with its base frame, or nil if there are too many. Its first slots
// are for the arguments.
func (st *stackStore) newStack(fn *Func, d wasm.Dialect) *Stack {
	st.m.noMemory = false
	if st.live++; st.live > st.liveMark && !st.recount() {
		st.live--
		return nil
	}
	s := st.takeStack(fn, d)
	if s == nil {
		st.live--
		return nil
	}
	st.m.stats.Created++
	st.most = max(st.most, st.live)
	if st.m.cur != nil {
		s.creator = st.m.cur.id
	}
	return s
}

// block is a new stack with its first two frames, in one allocation. Slots are apart: how many a
// stack needs is known when it is made, and room that it does not need would be lost a million
// times.
type block struct {
	stack  Stack
	frames [2]frame
}

// takeStack returns a stack of a dialect (none: rooted). Storage is used again within a dialect
// only: what a stale reference refers to keeps its kind. Without the memory for it, it returns nil.
func (st *stackStore) takeStack(fn *Func, d wasm.Dialect) *Stack {
	var s *Stack
	free := &st.pool[d]
	cd := fn.code
	if n := len(*free) - 1; n >= 0 {
		s = (*free)[n]
		if bytes := missing(s, cd.Nums, cd.Refs); bytes > 0 && !st.m.allocStack(bytes) {
			return nil
		}
		(*free)[n] = nil
		*free = (*free)[:n]
	} else {
		if !st.m.allocStack(blockSize + slotBytes(cd.Nums, cd.Refs)) {
			return nil
		}
		b := new(block)
		s = &b.stack
		s.object, s.dialect, s.frames = object{kind: objStack}, d, b.frames[:0]
	}
	if uint32(len(s.nums)) < cd.Nums {
		s.nums = make([]uint64, cd.Nums)
	} else {
		clear(s.nums[cd.ParNums:max(cd.ParNums, cd.LocNums)])
	}
	if uint32(len(s.refs)) < cd.Refs {
		s.refs = make([]Ref, cd.Refs)
	}
	s.frames = append(s.frames[:0], frame{fn: fn})
	st.lastID++
	nameStack(s, st.lastID)
	s.state, s.base, s.recvN, s.recvR = StackNew, fn, 0, 0
	s.creator, s.resumes, s.at = 0, 0, nil
	return s
}

// retire ends a stack: every reference to it is stale from here on, and its storage may be used
// again.
func (st *stackStore) retire(s *Stack) {
	if !s.rooted {
		st.live--
	}
	s.generation++
	s.state, s.rooted = StackMoribund, false
	s.parent, s.leaf, s.tag, s.pending = nil, nil, nil, 0
	if s.eventTable != nil && s.eventTable.moved {
		s.eventTable = nil
	}
	s.frames = s.frames[:0]
	clear(s.refs)
	if free := &st.pool[s.dialect]; len(*free) < keepStacks && len(s.nums) <= keepSlots && len(s.refs) <= keepSlots {
		*free = append(*free, s)
	} else {
		s.nums, s.refs, s.frames = nil, nil, nil
	}
}

// missing returns the bytes of slots that a stack has not, with which it would have as many as nums
// and refs.
func missing(s *Stack, nums, refs uint32) (bytes uint64) {
	if uint32(len(s.nums)) < nums {
		bytes += slotBytes(nums, 0)
	}
	if uint32(len(s.refs)) < refs {
		bytes += slotBytes(0, refs)
	}
	return bytes
}

// grow makes room for another frame and for slots up to nums and refs; false if a limit forbids it,
// see exhausted.
func (st *stackStore) grow(s *Stack, nums, refs uint32) bool {
	st.m.noMemory = false
	n, frames := len(s.frames), cap(s.frames)
	if n == frames {
		if n >= st.m.opt.MaxDepth {
			return false
		}
		frames = min(max(4, n*2), st.m.opt.MaxDepth)
	}
	if nums > maxStackSlots || refs > maxStackSlots {
		return false
	}
	if h := uint32(len(s.nums)); nums > h {
		nums = max(nums, min(h*2, maxStackSlots))
	}
	if h := uint32(len(s.refs)); refs > h {
		refs = max(refs, min(h*2, maxStackSlots))
	}
	bytes := missing(s, nums, refs)
	if frames > cap(s.frames) {
		bytes += uint64(frames) * frameSize
	}
	if bytes > 0 && !st.m.allocStack(bytes) {
		return false
	}
	if frames > cap(s.frames) {
		to := make([]frame, n, frames)
		copy(to, s.frames)
		s.frames = to
	}
	s.room(nums, refs)
	return true
}

// room makes sure that the stack has as many slots as nums and refs.
func (s *storage) room(nums, refs uint32) {
	if uint32(len(s.nums)) < nums {
		to := make([]uint64, nums)
		copy(to, s.nums)
		s.nums = to
	}
	if uint32(len(s.refs)) < refs {
		to := make([]Ref, refs)
		copy(to, s.refs)
		s.refs = to
	}
}

// recount finds out how many stacks really exist, when the count of those created and not finished
// has reached a mark: some may have been dropped. It reports whether another one may be.
//
// From that follows the peak as well. What has been dropped since the last recount was not alive at
// its end, and what was alive at the most has either been dropped since or was finished properly:
// so at least most less the dropped ones were alive at one time. The marks are so close that little
// can be dropped between two, and so far apart that recounting is not what the time is spent on.
func (st *stackStore) recount() bool {
	st.live-- // without the one that is to be
	n := st.countStacks()
	limit := st.m.opt.MaxStacks
	ok := true
	if st.live >= st.limitMark {
		st.live, st.most = n, n
		if ok = n < limit; ok {
			st.limitMark = max(limit, n+1+limit/8)
		} else {
			st.limitMark = n
		}
	}
	st.live++
	st.liveMark = min(st.live+max(nearMark, n, st.looked/4), st.limitMark)
	return ok
}

// nearMark is how many stacks are made, at least, between two recounts.
const nearMark = 512

// countStacks counts the stacks that can be reached, and brings the peak up to date.
func (st *stackStore) countStacks() int {
	n := 0
	w := st.m.WalkHeap(func(s *Stack, _ Holder) {
		if !s.rooted {
			n++
		}
	})
	w.left = math.MaxInt // all of them, whatever the count says
	w.More(math.MaxInt)
	st.looked = math.MaxInt - w.budget
	dropped := st.live - n
	st.peak = max(st.peak, n, st.most-dropped)
	st.most = st.live
	return n
}
