package vm

import "stackscope/wasm"

// bulk executes an instruction on whole memories, tables and segments: memory.size, .grow, .init,
// .copy, .fill, data.drop, table.size, .grow, .init, .copy, .fill, elem.drop. Operands and results are
// as for object; a size or address of a 64-bit memory or table is a 64-bit slot, else zero-extended.
func (m *Machine) bulk(inst *Instance, in *wasm.Instr, nums []uint64, refs []Ref) wasm.TrapKind {
	return wasm.TrapUnreachable
}

// newMemory makes a memory of its minimal size; an error if a limit of the machine forbids it.
func (m *Machine) newMemory(l wasm.Limits) (*Memory, error) { return nil, errNotSupported }

// newTable makes a table of its minimal size, filled with init.
func (m *Machine) newTable(t wasm.ValType, l wasm.Limits, init Ref) (*Table, error) {
	return nil, errNotSupported
}

// Grow grows the memory by pages and gives the old size in pages; ok is false if its maximum or a
// limit of the machine forbids it: then nothing has changed.
func (m *Memory) Grow(pages uint64) (old uint64, ok bool) { return 0, false }

// Grow grows the table by elements filled with init and gives the old length; ok is false if its
// maximum or a limit of the machine forbids it: then nothing has changed.
func (t *Table) Grow(n uint64, init Ref) (old uint64, ok bool) { return 0, false }
