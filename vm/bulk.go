package vm

import (
	"fmt"
	"math"

	"stackscope/wasm"
)

// The defaults of Options that this file uses.
const (
	defaultMaxMemory = 4 << 30
	defaultMaxTable  = 10_000_000
)

// bulk executes an instruction on whole memories, tables and segments: memory.size, .grow, .init,
// .copy, .fill, data.drop, table.size, .grow, .init, .copy, .fill, elem.drop. Operands and results are
// as for object; a size or address of a 64-bit memory or table is a 64-bit slot, else zero-extended.
func (m *Machine) bulk(inst *Instance, in *wasm.Instr, nums []uint64, refs []Ref) wasm.TrapKind {
	switch in.Op {
	case wasm.OpMemorySize:
		nums[0] = inst.mems[in.A].Pages()
	case wasm.OpMemoryGrow:
		mem := inst.mems[in.A]
		old, ok := mem.Grow(nums[0])
		nums[0] = grown(old, ok, mem.limits.Is64)
	case wasm.OpMemoryInit:
		mem, data := inst.mems[in.A].bytes, inst.datas[in.B]
		to, from, n := nums[0], nums[1], nums[2]
		if !within(to, n, uint64(len(mem))) || !within(from, n, uint64(len(data))) {
			return wasm.TrapMemoryOutOfBounds
		}
		copy(mem[to:to+n], data[from:])
	case wasm.OpDataDrop:
		inst.datas[in.A] = nil
	case wasm.OpMemoryCopy:
		dst, src := inst.mems[in.A].bytes, inst.mems[in.B].bytes
		to, from, n := nums[0], nums[1], nums[2]
		if !within(to, n, uint64(len(dst))) || !within(from, n, uint64(len(src))) {
			return wasm.TrapMemoryOutOfBounds
		}
		copy(dst[to:to+n], src[from:from+n])
	case wasm.OpMemoryFill:
		mem := inst.mems[in.A].bytes
		to, n := nums[0], nums[2]
		if !within(to, n, uint64(len(mem))) {
			return wasm.TrapMemoryOutOfBounds
		}
		fillBytes(mem[to:to+n], byte(nums[1]))
	case wasm.OpTableSize:
		nums[0] = inst.tables[in.A].Len()
	case wasm.OpTableGrow:
		t := inst.tables[in.A]
		old, ok := m.growTable(t, nums[0], refs[0])
		nums[0], refs[0] = grown(old, ok, t.limits.Is64), Ref{}
	case wasm.OpTableInit:
		t, elem := inst.tables[in.A].elems, inst.elems[in.B]
		to, from, n := nums[0], nums[1], nums[2]
		if !within(to, n, uint64(len(t))) || !within(from, n, uint64(len(elem))) {
			return wasm.TrapTableOutOfBounds
		}
		copy(t[to:to+n], elem[from:])
	case wasm.OpElemDrop:
		inst.elems[in.A] = nil
	case wasm.OpTableCopy:
		dst, src := inst.tables[in.A].elems, inst.tables[in.B].elems
		to, from, n := nums[0], nums[1], nums[2]
		if !within(to, n, uint64(len(dst))) || !within(from, n, uint64(len(src))) {
			return wasm.TrapTableOutOfBounds
		}
		copy(dst[to:to+n], src[from:from+n])
	case wasm.OpTableFill:
		t := inst.tables[in.A].elems
		to, n := nums[0], nums[1]
		if !within(to, n, uint64(len(t))) {
			return wasm.TrapTableOutOfBounds
		}
		for i := range t[to : to+n] {
			t[to+uint64(i)] = refs[0]
		}
		refs[0] = Ref{}
	default:
		return wasm.TrapUnreachable // not an instruction of this file: the caller checks with objectSupported
	}
	return 0
}

// grown gives the result of memory.grow and table.grow.
func grown(old uint64, ok, is64 bool) uint64 {
	switch {
	case ok:
		return old
	case is64:
		return math.MaxUint64
	}
	return math.MaxUint32
}

func fillBytes(p []byte, x byte) {
	if x == 0 {
		clear(p)
		return
	}
	if len(p) == 0 {
		return
	}
	p[0] = x
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

// maxPages gives how many pages the memory may have by its type.
func (m *Memory) maxPages() uint64 {
	bits := uint(32)
	if m.limits.Is64 {
		bits = 64
	}
	most := uint64(math.MaxUint64) // of 2^64 pages of one byte
	if p := bits - m.pageBits(); p < 64 {
		most = 1 << p
	}
	if m.limits.HasMax {
		most = min(most, m.limits.Max)
	}
	return most
}

// reserve takes bytes from what all memories of the machine together may have, and tells whether
// they were there.
func (m *Machine) reserve(bytes uint64) bool {
	limit := m.opt.MaxMemory
	if limit == 0 {
		limit = defaultMaxMemory
	}
	if bytes > limit || m.memory > limit-bytes {
		return false
	}
	m.memory += bytes
	return true
}

// newMemory makes a memory of its minimal size; an error if a limit of the machine forbids it.
func (m *Machine) newMemory(l wasm.Limits) (*Memory, error) {
	mem := &Memory{limits: l, mach: m}
	size, ok := mem.size(l.Min)
	if !ok || !m.reserve(size) {
		return nil, fmt.Errorf("memory of %d pages is more than the limit", l.Min)
	}
	mem.bytes = make([]byte, size)
	return mem, nil
}

// size gives the bytes of a number of pages, and whether Go can have as many.
func (m *Memory) size(pages uint64) (uint64, bool) {
	size := pages << m.pageBits()
	return size, size>>m.pageBits() == pages && size <= math.MaxInt
}

// Grow grows the memory by pages and gives the old size in pages; ok is false if its maximum or a
// limit of the machine forbids it: then nothing has changed.
func (m *Memory) Grow(pages uint64) (old uint64, ok bool) {
	old = m.Pages()
	most := m.maxPages()
	if old > most || pages > most-old {
		return old, false
	}
	size, ok := m.size(old + pages)
	if !ok || m.mach != nil && !m.mach.reserve(size-uint64(len(m.bytes))) {
		return old, false
	}
	if size <= uint64(cap(m.bytes)) {
		m.bytes = m.bytes[:size] // what is beyond the length has never been written
		return old, true
	}
	spare := size
	if len(m.bytes) > 0 { // grown before or in use: likely again
		spare = size + size/4
		if limit, ok := m.size(most); ok {
			spare = min(spare, limit)
		}
	}
	b := make([]byte, size, spare)
	copy(b, m.bytes)
	m.bytes = b
	return old, true
}

// newTable makes a table of its minimal size, filled with init.
func (m *Machine) newTable(t wasm.ValType, l wasm.Limits, init Ref) (*Table, error) {
	tab := &Table{typ: t, limits: l}
	if _, ok := m.growTable(tab, l.Min, init); !ok {
		return nil, fmt.Errorf("table of %d elements is more than the limit", l.Min)
	}
	return tab, nil
}

// Grow grows the table by elements filled with init and gives the old length; ok is false if its
// maximum or the default limit of a machine forbids it: then nothing has changed.
func (t *Table) Grow(n uint64, init Ref) (old uint64, ok bool) { return t.grow(n, init, 0) }

// growTable is Grow with the machine's limit.
func (m *Machine) growTable(t *Table, n uint64, init Ref) (old uint64, ok bool) {
	return t.grow(n, init, m.opt.MaxTable)
}

func (t *Table) grow(n uint64, init Ref, limit uint64) (old uint64, ok bool) {
	if limit == 0 {
		limit = defaultMaxTable
	}
	if t.limits.HasMax {
		limit = min(limit, t.limits.Max)
	}
	if !t.limits.Is64 {
		limit = min(limit, math.MaxUint32)
	}
	old = t.Len()
	if old > limit || n > limit-old {
		return old, false
	}
	size := old + n
	if size > uint64(cap(t.elems)) {
		spare := size
		if old > 0 {
			spare = min(size+size/4, limit)
		}
		e := make([]Ref, old, spare)
		copy(e, t.elems)
		t.elems = e
	}
	t.elems = t.elems[:size]
	if !init.IsNull() {
		for i := range t.elems[old:] {
			t.elems[old+uint64(i)] = init
		}
	}
	return old, true
}
