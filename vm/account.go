package vm

import (
	"fmt"
	"unsafe"

	"stackscope/wasm"
)

// What a machine may use by default: linear memories, and everything else. Options.MaxMemory, if it
// is set, bounds both together.
const (
	defaultMaxLinear = 4 << 30
	defaultMaxHeap   = 1 << 30
)

// The bytes of Go objects, without the slots that grow.
const (
	structHead = int64(unsafe.Sizeof(Struct{}))
	arrayHead  = uint64(unsafe.Sizeof(Array{}))
	exnHead    = uint64(unsafe.Sizeof(Exn{}))
	blockSize  = uint64(unsafe.Sizeof(block{}))
	frameSize  = uint64(unsafe.Sizeof(frame{}))
)

// bigStruct is how many bytes a structure may have that is not made by a bulk instruction.
const bigStruct = 4096

// account is what the program has of the memory of its machine. Linear memories and tables are
// counted as they are made. Objects (structures, arrays, exceptions, stacks) are reclaimed by Go's
// collector, which does not say so; they are counted as they are made, and when that comes to more
// than a mark, those that are still alive are counted (census). The mark is beyond the limit by a
// part of it, so that a program that lives near its limit does not spend its time on counting.
type account struct {
	maxLinear, maxHeap, max uint64
	linear                  uint64 // bytes of memories
	fixed                   uint64 // bytes of tables and element segments
	live                    uint64 // bytes of objects that the last census has found
	mark                    int64  // bytes of objects at which the next one comes
	left                    int64  // until then
	walk                    uint16 // the number of the last census
}

// heap allocates the program's objects, memories and tables within the account.
type heap struct {
	m *Machine
	account
	linking  *Instance // that is being made, and is not among insts yet
	noMemory bool      // why the last stack could not be made or grow, see exhausted
}

func newAccount(limit uint64) account {
	a := account{maxLinear: limit, maxHeap: limit, max: limit}
	if limit == 0 {
		a = account{maxLinear: defaultMaxLinear, maxHeap: defaultMaxHeap, max: defaultMaxLinear + defaultMaxHeap}
	}
	a.setMark(0)
	return a
}

// objects returns how many bytes objects may take.
func (a *account) objects() uint64 {
	most := min(a.max-min(a.linear, a.max), a.maxHeap)
	return most - min(a.fixed, most)
}

// setMark sets the mark, with what is alive now.
func (a *account) setMark(live uint64) {
	most := a.objects()
	a.live = live
	a.mark = int64(max(most, live+most/4))
	if live >= most {
		a.mark = int64(live)
	}
	a.left = a.mark - int64(live)
}

// used returns the bytes of objects that may be alive.
func (a *account) used() uint64 { return uint64(a.mark - a.left) }

// alloc takes bytes for a new object, and reports whether they were there.
func (h *heap) alloc(bytes uint64) bool {
	h.left -= int64(bytes)
	return h.left >= 0 || h.recountHeap(bytes)
}

// recountHeap counts the objects that are alive, when the last bytes have been taken for a new one.
// It reports whether that may be made.
func (h *heap) recountHeap(bytes uint64) bool {
	a := &h.account
	live := h.census()
	if most := a.objects(); live > most || bytes > most-live {
		a.setMark(live)
		return false
	}
	a.setMark(live + bytes)
	return true
}

// reserve takes bytes for linear memories, and for tables, and reports whether they were there.
func (h *heap) reserve(linear, fixed uint64) bool {
	a := &h.account
	try := func() bool {
		used := a.used()
		return linear <= a.maxLinear && a.linear <= a.maxLinear-linear &&
			fixed <= a.maxHeap && a.fixed+used <= a.maxHeap-fixed &&
			a.linear+a.fixed+used+linear+fixed <= a.max
	}
	if !try() {
		if a.used() == a.live {
			return false
		}
		a.setMark(h.census())
		h.m.regain() // that may have taken long
		if !try() {
			return false
		}
	}
	used := a.used()
	a.linear += linear
	a.fixed += fixed
	a.rebase(used)
	return true
}

// unreserve takes bytes off the account.
func (h *heap) unreserve(linear, fixed uint64) {
	a := &h.account
	used := a.used()
	a.linear -= linear
	a.fixed -= fixed
	a.rebase(used)
}

// rebase sets the mark again after the room for objects has changed.
func (a *account) rebase(used uint64) {
	live := a.live
	a.setMark(live)
	a.left = a.mark - int64(used)
}

// claim takes the memory for what a module declares, before any of it is made.
func (h *heap) claim(mod *wasm.Module, mems, tables int) (linear, fixed uint64, err error) {
	add := func(to *uint64, n, size uint64) {
		if n > (1<<62)/size || *to > 1<<62 {
			*to = 1 << 62
			return
		}
		*to += n * size
	}
	for i := mems; i < len(mod.Mems); i++ {
		l := mod.Mems[i].Limits
		add(&linear, l.Min, 1<<l.PageSizeBits())
	}
	for i := tables; i < len(mod.Tables); i++ {
		add(&fixed, mod.Tables[i].Limits.Min, refSize)
	}
	for i := range mod.Elems {
		add(&fixed, uint64(len(mod.Elems[i].Init)), refSize)
	}
	if linear < 1<<62 && fixed < 1<<62 && h.reserve(linear, fixed) {
		return linear, fixed, nil
	}
	what := fmt.Sprintf("memories of %d bytes", linear)
	if a := &h.account; linear <= a.maxLinear-min(a.linear, a.maxLinear) && fixed > 0 {
		what = fmt.Sprintf("tables of %d bytes", fixed)
	}
	return 0, 0, &LinkError{
		Message: wasm.TrapOutOfMemory.String() + ": the module declares " + what + ", which is more than the limit",
	}
}

// rounded returns about how many bytes Go takes for an allocation.
func rounded(n uint64) uint64 {
	if n <= 1024 {
		return (n + 15) &^ 15
	}
	return n + n/16
}

// structSize returns the bytes of a structure.
func structSize(nums, refs int) int64 {
	return structHead + int64(rounded(uint64(nums)*8)+rounded(uint64(refs)*refSize))
}

// paidStruct takes the memory for a new structure, and the time if it is large.
func (h *heap) paidStruct(l *layout) wasm.TrapKind {
	if l.size > bigStruct {
		if tk := h.m.charge(uint64(l.size)); tk != 0 {
			return tk
		}
	}
	if h.left -= l.size; h.left < 0 && !h.recountHeap(uint64(l.size)) {
		return wasm.TrapOutOfMemory
	}
	return 0
}

// slotBytes returns the bytes of slots of a stack.
func slotBytes(nums, refs uint32) uint64 {
	return rounded(uint64(nums)*8) + rounded(uint64(refs)*refSize)
}

// size returns the bytes of a stack.
func (s *storage) size() uint64 {
	n := blockSize + slotBytes(uint32(len(s.nums)), uint32(len(s.refs)))
	if c := uint64(cap(s.frames)); c > 2 {
		n += c * frameSize
	}
	return n
}

// exhausted returns the trap of a stack that cannot be made, or cannot grow.
func (h *heap) exhausted() wasm.TrapKind {
	if h.noMemory {
		h.noMemory = false
		return wasm.TrapOutOfMemory
	}
	return wasm.TrapStackExhausted
}

// allocStack is alloc for a stack.
func (h *heap) allocStack(bytes uint64) bool {
	ok := h.alloc(bytes)
	h.noMemory = !ok
	return ok
}

// census counts the bytes of the objects that the program can reach, as Go's collector would: dead
// slots and references that are stale count as well.
func (h *heap) census() uint64 {
	a := &h.account
	if a.walk++; a.walk == 0 {
		a.walk = 1
	}
	h.m.walks++
	c := census{mark: a.walk, walk: h.m.walks}
	for s := h.m.cur; s != nil; s = s.parent {
		c.object(&s.object)
	}
	for i := range h.m.acts {
		for _, s := range []*Stack{h.m.acts[i].outer, h.m.acts[i].root} {
			if s != nil {
				c.object(&s.object)
			}
		}
	}
	for _, p := range h.m.parked {
		for s := p.leaf; s != nil; s = s.parent {
			c.object(&s.object)
		}
		c.object(&p.root.object)
	}
	for _, free := range h.m.pool {
		for _, s := range free {
			c.object(&s.object)
		}
	}
	for _, in := range h.m.insts {
		c.instance(in)
	}
	if h.linking != nil {
		c.instance(h.linking)
	}
	c.follow()
	return c.bytes
}

// census is a count of objects.
type census struct {
	mark  uint16 // of objects
	walk  uint32 // of stacks, see HeapWalk
	todo  []*object
	bytes uint64
}

func (c *census) instance(in *Instance) {
	for _, g := range in.globals {
		c.ref(g.ref)
	}
	for _, t := range in.tables {
		c.refs(t.elems)
	}
	for _, e := range in.elems {
		c.refs(e)
	}
	c.follow()
}

func (c *census) refs(rs []Ref) {
	for i := range rs {
		c.ref(rs[i])
	}
}

func (c *census) ref(r Ref) {
	if r.obj != nil {
		c.object(r.obj)
	}
}

// Counted is a value of the host in an externref whose memory counts as the program's, see
// Machine.Take.
type Counted interface {
	// Count returns the bytes of the value, and of what it refers to, without what it has returned in
	// the same walk before.
	Count(walk uint32) uint64
}

// Take takes bytes for a new value of the host that the program refers to, a Counted. The error is a
// trap: there are not so many left.
func (h *hosting) Take(bytes uint64) error {
	if !h.m.alloc(bytes) {
		return NewTrap(wasm.TrapOutOfMemory, "")
	}
	return nil
}

// object counts an object that was not found before.
func (c *census) object(o *object) {
	r, found := Ref{obj: o}, true
	switch o.kind {
	case objStruct:
		s := r.asStruct()
		found, s.seen = s.seen != c.mark, c.mark
	case objArray:
		a := r.asArray()
		found, a.seen = a.seen != c.mark, c.mark
	case objExn:
		e := r.asExn()
		found, e.seen = e.seen != c.mark, c.mark
	case objStack:
		s := r.asStack()
		found, s.seen = s.seen != c.walk, c.walk
	case objHost:
		if x, ok := r.asHost().val.(Counted); ok {
			c.bytes += x.Count(c.walk)
		}
		return
	default:
		return
	}
	if found {
		c.todo = append(c.todo, o)
	}
}

// follow counts what was found, and what that refers to.
func (c *census) follow() {
	for len(c.todo) > 0 {
		r := Ref{obj: c.todo[len(c.todo)-1]}
		c.todo = c.todo[:len(c.todo)-1]
		switch r.obj.kind {
		case objStruct:
			s := r.asStruct()
			c.bytes += uint64(s.layout.size)
			c.refs(s.refs)
		case objArray:
			a := r.asArray()
			c.bytes += arrayHead + uint64(len(a.data)) + uint64(len(a.refs))*refSize
			c.refs(a.refs)
		case objExn:
			e := r.asExn()
			c.bytes += e.tag.exnBytes
			c.refs(e.refs)
		case objStack:
			s := r.asStack()
			c.bytes += s.size()
			c.refs(s.refs)
			if s.parent != nil {
				c.object(&s.parent.object)
			}
			if s.leaf != nil {
				c.object(&s.leaf.object)
			}
		}
	}
}
