package vm

import (
	"context"
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// Options are the limits of a machine. Zero means the default.
type Options struct {
	MaxDepth  int // frames of one stack; default 100,000; beyond: "call stack exhausted"
	MaxStacks int // live stacks; default 2,000,000; beyond: "call stack exhausted"
	// MaxMemory bounds the bytes that the program has in all: memories, tables, objects, exceptions
	// and stacks. Beyond, memory.grow and table.grow return -1, other instructions trap with "out
	// of memory", and a module that declares more cannot be instantiated. The default is 4 GiB for
	// memories and 1 GiB for everything else.
	MaxMemory uint64
	MaxTable  uint64 // elements of one table; default 10,000,000; beyond: table.grow returns -1
	Baseline  bool   // run the baseline form of code only: slower, with the same results; for tests
	// Fuel is how many safe points (calls, loop heads, switches, bulk instructions) may be passed
	// in all; 0 means no limit; beyond: "out of fuel". A bulk instruction (memory.fill, array.new
	// and the like) uses one more for each 256 bytes that it touches.
	Fuel uint64
}

// Call is a call of a host function: its arguments, and where its results go. It is valid until the
// function returns.
type Call struct {
	mach   *Machine
	ctx    context.Context
	fn     *Func
	caller *Instance
	nums   []uint64 // arguments, then overwritten by results
	refs   []Ref
	parN   []uint64 // scratch copies of the arguments
	parR   []Ref
}

// Machine returns the machine; a host function may Call into it.
func (c *Call) Machine() *Machine { return c.mach }

// Context returns the context of the outer call of the host.
func (c *Call) Context() context.Context { return c.ctx }

// Caller returns the instance whose function made the call; nil if the host did.
func (c *Call) Caller() *Instance { return c.caller }

// Memory returns the caller's exported memory "memory", else its first one, else nil.
func (c *Call) Memory() *Memory {
	if c.caller == nil {
		return nil
	}
	if m, ok := c.caller.Export("memory").(*Memory); ok {
		return m
	}
	return c.caller.Memory(0)
}

// Func returns the host function itself.
func (c *Call) Func() *Func { return c.fn }

// Work pays for work of the function on so many bytes, before it is done, as a bulk instruction
// does. An error ends the call: the function returns it.
func (c *Call) Work(bytes uint64) error {
	if tk := c.mach.charge(bytes); tk != 0 {
		return NewTrap(tk, "")
	}
	return nil
}

// Args returns all arguments.
func (c *Call) Args() []Value { return getValues(c.fn.host.params, c.parN, c.parR) }

// Results returns the result types of the function; type indices are canonical ids.
func (c *Call) Results() []wasm.ValType { return c.fn.host.results }

// Num returns the number slot of an argument by its position among the numeric arguments
// (references are not counted, a v128 counts twice): the fast way to read arguments.
func (c *Call) Num(i int) uint64 { return c.parN[i] }

// I32 is Num as an i32.
func (c *Call) I32(i int) int32 { return int32(uint32(c.parN[i])) }

// U32 is Num as an unsigned i32.
func (c *Call) U32(i int) uint32 { return uint32(c.parN[i]) }

// Ref returns a reference argument by its position among the reference arguments.
func (c *Call) Ref(i int) Ref { return c.parR[i] }

// Return sets all results. They must be of the function's result types.
func (c *Call) Return(vs ...Value) { putValues(vs, c.nums, c.refs) }

// ReturnNum sets a result by its position among the numeric ones. An i32 must be zero-extended.
func (c *Call) ReturnNum(i int, x uint64) { c.nums[i] = x }

// ReturnI32 sets a numeric result to an i32.
func (c *Call) ReturnI32(i int, x int32) { c.nums[i] = uint64(uint32(x)) }

// NewFunc returns a host function. Its types must not have type indices. The function may return
// nil, a *Trap, an *Exception (thrown in the caller), an *Exit, or another error, which becomes a
// trap of kind wasm.TrapHost. It may call into the machine; nothing can be suspended across it.
func (m *Machine) NewFunc(name string, params, results []wasm.ValType, fn func(*Call) error) *Func {
	h := &hostFunc{fn: fn, params: params, results: results}
	h.parNums, h.parRefs = code.SlotsOf(params)
	h.resNums, h.resRefs = code.SlotsOf(results)
	return m.register(&Func{object: object{kind: objFunc}, canon: m.funcType(params, results), host: h, name: name})
}

// NewFuncAs returns a host function of a declared type, which may have type indices; else it is as
// that of NewFunc.
func (h *hosting) NewFuncAs(name string, t Declared, fn func(*Call) error) *Func {
	f := &hostFunc{fn: fn, params: t.Params, results: t.Results}
	f.parNums, f.parRefs = code.SlotsOf(t.Params)
	f.resNums, f.resRefs = code.SlotsOf(t.Results)
	return h.m.register(&Func{object: object{kind: objFunc}, canon: t.Type, host: f, name: name})
}

// Declare returns a function type without type indices, as a declaration.
func (h *hosting) Declare(params, results []wasm.ValType) Declared {
	return Declared{Type: h.m.funcType(params, results), Params: params, Results: results}
}

// FuncParams returns the parameter types of a function; type indices are canonical ids.
func (h *hosting) FuncParams(f *Func) []wasm.ValType { return h.m.types.Type(f.canon).Params }

// NewGlobal returns a global of the host.
func (m *Machine) NewGlobal(t wasm.ValType, mut bool, v Value) *Global {
	return &Global{typ: t, mut: mut, lo: v.Lo, hi: v.Hi, ref: v.Ref}
}

// NewTable returns a table of the host, filled with a reference.
func (m *Machine) NewTable(t wasm.ValType, l wasm.Limits, init Ref) (*Table, error) {
	return m.newTable(t, l, init)
}

// NewMemory returns a memory of the host.
func (m *Machine) NewMemory(l wasm.Limits) (*Memory, error) { return m.newMemory(l) }

// NewTag returns a tag of the host. Its types must not have type indices.
func (m *Machine) NewTag(name string, params, results []wasm.ValType) *Tag {
	return m.newTag(m.funcType(params, results), nil, 0, name)
}

// NewTagAs returns a tag of the host of a declared type.
func (h *hosting) NewTagAs(name string, t Declared) *Tag { return h.m.newTag(t.Type, nil, 0, name) }

// funcType enters a function type without type indices.
func (m *Machine) funcType(params, results []wasm.ValType) wasm.Canon {
	return m.types.Add(&wasm.Module{
		Types: []wasm.SubType{{Kind: wasm.CompFunc, Final: true, Params: params, Results: results}},
		Recs:  []wasm.RecGroup{{Start: 0, Len: 1}},
	})[0]
}
