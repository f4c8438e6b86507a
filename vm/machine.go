package vm

import (
	"context"
	"runtime/debug"
	"stackscope/vm/internal/code"
	"stackscope/wasm"
	"sync/atomic"
)

// Machine is a virtual machine.
type Machine struct {
	Inspection
	Debugging
	history
	heap
	stackStore
	faults
	payloadBuffer
	hosting

	opt       Options
	types     *wasm.TypeStore
	stats     Stats
	hostWatch hostWatch

	insts    []*Instance
	programs map[*wasm.Module]*program
	thunks   map[*Func]*Func
	hostInst *Instance // what thunks belong to

	cur         *Stack // the running stack
	acts        []activation
	host        *Func // the host function that is running
	ctx         context.Context
	calls       []*Call // for use again
	barriers    bool    // some module has a barrier
	baselineOps counter // of ops of the fused form that were left to the baseline form; only kept in the checked build
	mode        form

	budget int64  // safe points left in the slice
	fuel   uint64 // and beyond it, if there is a limit
	flags  atomic.Int32

	walks   uint32 // how often all stacks were looked for, see HeapWalk
	noEntry *Func  // see idle
}

// New returns a machine.
func New(o Options) *Machine {
	def(&o.MaxDepth, defaultMaxDepth)
	def(&o.MaxStacks, defaultMaxStacks)
	def(&o.MaxTable, defaultMaxTable)
	m := &Machine{
		opt: o, types: wasm.NewTypeStore(), programs: map[*wasm.Module]*program{},
		thunks: map[*Func]*Func{}, fuel: o.Fuel, heap: heap{account: newAccount(o.MaxMemory)},
		stackStore: stackStore{liveMark: min(nearMark, o.MaxStacks), limitMark: o.MaxStacks},
	}
	m.Inspection.m, m.Debugging.m, m.heap.m, m.stackStore.m, m.faults.m = m, m, m, m, m
	m.hosting.m = m
	m.hostInst = &Instance{name: "host", mach: m, mod: &wasm.Module{Names: wasm.NewNames(), Start: wasm.BadIndex}}
	m.setMode()
	return m
}

func def[T int | uint64](x *T, to T) {
	if *x == 0 {
		*x = to
	}
}

// Types returns the store of canonical types that all instances share.
func (m *Machine) Types() *wasm.TypeStore { return m.types }

// Stats returns the counters.
func (m *Machine) Stats() Stats {
	if m.most > m.peak {
		m.countStacks()
	}
	st := m.stats
	st.Peak = uint64(m.peak)
	if m.opt.Fuel > 0 {
		st.Fuel = m.opt.Fuel - m.fuel - uint64(max(m.budget, 0))
	}
	return st
}

func (m *Machine) newTag(c wasm.Canon, inst *Instance, index uint32, name string) *Tag {
	ct := m.types.Type(c)
	t := &Tag{canon: c, params: ct.Params, results: ct.Results, inst: inst, index: index, name: name}
	m.tags = append(m.tags, t)
	t.number = uint32(len(m.tags))
	t.parNums, t.parRefs = code.SlotsOf(t.params)
	t.resNums, t.resRefs = code.SlotsOf(t.results)
	t.exnBytes = exnHead + rounded(uint64(t.parNums)*8) + rounded(uint64(t.parRefs)*refSize)
	return t
}

// String returns the function's name as `$name`, or its index; of a host function its name.
func (f *Func) String() string {
	if f.inst != nil && f.thunk == nil && !f.OfDebugger() {
		return f.inst.mod.Names.Func(f.index)
	}
	return f.name
}

func newCrash(x any) error { return &Crash{Value: x, Stack: string(debug.Stack())} }

// Stats are counters of a machine.
type Stats struct {
	Created  uint64 // stacks created, without rooted ones
	Switches uint64 // resumes, suspensions, symmetric switches and ends of stacks
	// Peak is the most stacks that were alive at one time, without rooted ones. A stack that the
	// program has dropped does not count; where it drops some, up to as many as it drops between
	// two looks at all of them (512, or a part of what a look costs) may be missing.
	Peak uint64
	Fuel uint64 // fuel used; counted only if Options.Fuel is set
}
