package vm

import (
	"fmt"
	"math"

	"stackscope/wasm"
)

const (
	defaultMaxTable = 10_000_000 // of Options
	refSize         = 16         // bytes of a Ref
)

// bulk executes an instruction on whole memories, tables, segments and arrays: those of isBulk, and
// memory.size, table.size, data.drop, elem.drop, and new objects of many slots. Operands and
// results are as for object; a size or address of a 64-bit memory or table is a 64-bit slot, else
// zero-extended. An instruction that is interrupted (wasm.TrapInterrupted) may have done part of
// its work; else one that traps changes nothing.
func (inst *Instance) bulk(in *wasm.Instr, nums []uint64, refs []Ref) wasm.TrapKind {
	if in.Op >= wasm.OpArrayNew && in.Op <= wasm.OpArrayInitElem {
		return inst.array(in, nums, refs)
	}
	switch in.Op {
	case wasm.OpMemorySize:
		nums[0] = inst.mems[in.A].Pages()
	case wasm.OpMemoryGrow:
		mem := inst.mems[in.A]
		old, ok, tk := mem.grow(inst.mach, nums[0])
		if tk != 0 {
			return tk
		}
		nums[0] = grown(old, ok, mem.limits.Is64)
	case wasm.OpMemoryInit:
		mem, data := inst.mems[in.A].bytes, inst.datas[in.B]
		to, from, n := nums[0], nums[1], nums[2]
		if !within(to, n, uint64(len(mem))) || !within(from, n, uint64(len(data))) {
			return wasm.TrapMemoryOutOfBounds
		}
		if tk := inst.mach.charge(n); tk != 0 {
			return tk
		}
		return copyWork(inst.mach, mem[to:to+n], data[from:from+n], false)
	case wasm.OpDataDrop:
		inst.datas[in.A] = nil
	case wasm.OpMemoryCopy:
		dst, src := inst.mems[in.A].bytes, inst.mems[in.B].bytes
		to, from, n := nums[0], nums[1], nums[2]
		if !within(to, n, uint64(len(dst))) || !within(from, n, uint64(len(src))) {
			return wasm.TrapMemoryOutOfBounds
		}
		if tk := inst.mach.charge(n); tk != 0 {
			return tk
		}
		return copyWork(inst.mach, dst[to:to+n], src[from:from+n], to > from)
	case wasm.OpMemoryFill:
		mem := inst.mems[in.A].bytes
		to, n := nums[0], nums[2]
		if !within(to, n, uint64(len(mem))) {
			return wasm.TrapMemoryOutOfBounds
		}
		if tk := inst.mach.charge(n); tk != 0 {
			return tk
		}
		return fillBytes(inst.mach, mem[to:to+n], byte(nums[1]))
	case wasm.OpTableSize:
		nums[0] = inst.tables[in.A].Len()
	case wasm.OpTableGrow:
		t := inst.tables[in.A]
		old, ok, tk := t.grow(inst.mach, nums[0], refs[0], inst.mach.opt.MaxTable)
		if tk != 0 {
			return tk
		}
		nums[0], refs[0] = grown(old, ok, t.limits.Is64), Ref{}
	case wasm.OpTableInit:
		t, elem := inst.tables[in.A].elems, inst.elems[in.B]
		to, from, n := nums[0], nums[1], nums[2]
		if !within(to, n, uint64(len(t))) || !within(from, n, uint64(len(elem))) {
			return wasm.TrapTableOutOfBounds
		}
		if tk := inst.mach.charge(n * refSize); tk != 0 {
			return tk
		}
		return copyWork(inst.mach, t[to:to+n], elem[from:from+n], false)
	case wasm.OpElemDrop:
		inst.elems[in.A] = nil
	case wasm.OpTableCopy:
		dst, src := inst.tables[in.A].elems, inst.tables[in.B].elems
		to, from, n := nums[0], nums[1], nums[2]
		if !within(to, n, uint64(len(dst))) || !within(from, n, uint64(len(src))) {
			return wasm.TrapTableOutOfBounds
		}
		if tk := inst.mach.charge(n * refSize); tk != 0 {
			return tk
		}
		return copyWork(inst.mach, dst[to:to+n], src[from:from+n], to > from)
	case wasm.OpTableFill:
		t := inst.tables[in.A].elems
		to, n := nums[0], nums[1]
		if !within(to, n, uint64(len(t))) {
			return wasm.TrapTableOutOfBounds
		}
		if tk := inst.mach.charge(n * refSize); tk != 0 {
			return tk
		}
		if tk := fillRefs(inst.mach, t[to:to+n], refs[0]); tk != 0 {
			return tk
		}
		refs[0] = Ref{}
	default:
		return inst.object(in, nums, refs)
	}
	return 0
}

// grown returns the result of memory.grow and table.grow.
func grown(old uint64, ok, is64 bool) uint64 {
	switch {
	case ok:
		return old
	case is64:
		return math.MaxUint64
	}
	return math.MaxUint32
}

// maxPages returns how many pages the memory may have by its type.
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

// newMemory makes a memory of its minimal size; an error if a limit of the machine forbids it. The
// memory of an instance is paid for beforehand.
func (m *Machine) newMemory(l wasm.Limits) (*Memory, error) {
	mem := &Memory{limits: l, mach: m}
	size, ok := mem.size(l.Min)
	if !ok || size > m.account.maxLinear {
		return nil, fmt.Errorf("memory of %d pages is more than the limit", l.Min)
	}
	mem.bytes = make([]byte, size)
	return mem, nil
}

// size returns the bytes of a number of pages, and reports whether Go can have as many.
func (m *Memory) size(pages uint64) (uint64, bool) {
	size := pages << m.pageBits()
	return size, size>>m.pageBits() == pages && size <= math.MaxInt
}

// Grow grows the memory by pages and returns the old size in pages; ok is false if its maximum or a
// limit of the machine forbids it: then nothing has changed.
func (m *Memory) Grow(pages uint64) (old uint64, ok bool) {
	old, ok, _ = m.grow(nil, pages)
	return old, ok
}

// grow is Grow, as work of a machine that can be interrupted if mach is not nil.
func (m *Memory) grow(mach *Machine, pages uint64) (old uint64, ok bool, tk wasm.TrapKind) {
	old = m.Pages()
	most := m.maxPages()
	if old > most || pages > most-old {
		return old, false, 0
	}
	size, ok := m.size(old + pages)
	if !ok {
		return old, false, 0
	}
	have := uint64(len(m.bytes))
	if size <= uint64(cap(m.bytes)) {
		if tk = pay(mach, size-have); tk == 0 {
			m.bytes = m.bytes[:size] // what is beyond the length has never been written
		}
		return old, true, tk
	}
	had := uint64(cap(m.bytes))
	spare := size
	if have > 0 { // grown before or in use: likely again
		spare = size + size/4
		if limit, ok := m.size(most); ok {
			spare = min(spare, limit)
		}
	}
	if acc := m.mach; acc != nil && !acc.reserve(spare-had, 0) {
		if spare = size; !acc.reserve(spare-had, 0) {
			return old, false, 0
		}
	}
	if tk = pay(mach, size); tk == 0 {
		b := make([]byte, size, spare)
		if tk = copyWork(mach, b, m.bytes, false); tk == 0 {
			m.bytes = b
			return old, true, 0
		}
	}
	if m.mach != nil {
		m.mach.unreserve(spare-had, 0)
	}
	return old, false, tk
}

// newTable makes a table of its minimal size, filled with init. The table of an instance is paid
// for beforehand.
func (m *Machine) newTable(t wasm.ValType, l wasm.Limits, init Ref) (*Table, error) {
	tab := &Table{typ: t, limits: l}
	if _, ok, _ := tab.grow(nil, l.Min, init, m.opt.MaxTable); !ok {
		return nil, fmt.Errorf("table of %d elements is more than the limit", l.Min)
	}
	tab.mach = m
	return tab, nil
}

// Grow grows the table by elements filled with init and returns the old length; ok is false if its
// maximum or the limit of its machine forbids it: then nothing has changed.
func (t *Table) Grow(n uint64, init Ref) (old uint64, ok bool) {
	limit := uint64(0)
	if t.mach != nil {
		limit = t.mach.opt.MaxTable
	}
	old, ok, _ = t.grow(nil, n, init, limit)
	return old, ok
}

// grow is Grow with a limit, as work of a machine that can be interrupted if m is not nil.
func (t *Table) grow(m *Machine, n uint64, init Ref, limit uint64) (old uint64, ok bool, tk wasm.TrapKind) {
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
		return old, false, 0
	}
	size, had := old+n, uint64(cap(t.elems))
	if size <= had {
		if tk = pay(m, n*refSize); tk != 0 {
			return old, false, tk
		}
	} else {
		spare := size
		if old > 0 {
			spare = min(size+size/4, limit)
		}
		if t.mach != nil && !t.mach.reserve(0, (spare-had)*refSize) {
			if spare = size; !t.mach.reserve(0, (spare-had)*refSize) {
				return old, false, 0
			}
		}
		if tk = pay(m, size*refSize); tk == 0 {
			e := make([]Ref, old, spare)
			if tk = copyWork(m, e, t.elems, false); tk == 0 {
				t.elems = e
			}
		}
		if tk != 0 {
			if t.mach != nil {
				t.mach.unreserve(0, (spare-had)*refSize)
			}
			return old, false, tk
		}
	}
	if !init.IsNull() {
		if tk = fillRefs(m, t.elems[old:size], init); tk != 0 {
			clear(t.elems[old:size])
			return old, false, tk
		}
	}
	t.elems = t.elems[:size]
	return old, true, 0
}
