package vm

import (
	"context"
	"errors"

	"stackscope/wasm"
)

var errNotSupported = errors.New("not supported")

// Machine is a virtual machine.
type Machine struct {
	opt      Options
	memory   uint64 // bytes of all memories together, see reserve
	types    *wasm.TypeStore
	probe    func(*Stop)
	observer func(*Event)
	stats    Stats
}

// code is a compiled function.
type code struct{}

// program is a compiled module.
type program struct {
	layouts []*layout // by type index, of structures and arrays
}

// New gives a machine.
func New(o Options) *Machine { return &Machine{opt: o, types: wasm.NewTypeStore()} }

// Types gives the store of canonical types that all instances share.
func (m *Machine) Types() *wasm.TypeStore { return m.types }

func (m *Machine) newTag(c wasm.Canon, inst *Instance, index uint32, name string) *Tag { return nil }

// Instantiate links a valid module, initialises it and runs its start function. name is for people
// and may be empty. The error is a *LinkError, or what Call gives if a segment or the start function
// traps; the instance's effects on shared tables and memories remain then, as the specification says.
func (m *Machine) Instantiate(ctx context.Context, mod *wasm.Module, name string, imports Imports) (*Instance, error) {
	return nil, errNotSupported
}

// Call calls a function with arguments of its parameter types. The error is a *Trap, an *Exception,
// an *Exit or a *Crash. A deadline or cancellation of ctx interrupts the call (wasm.TrapInterrupted).
func (m *Machine) Call(ctx context.Context, fn *Func, args ...Value) ([]Value, error) {
	return nil, errNotSupported
}

// String gives the function's name as `$name`, or its index; of a host function its name.
func (f *Func) String() string {
	if f.inst != nil {
		return f.inst.mod.Names.Func(f.index)
	}
	return f.name
}
