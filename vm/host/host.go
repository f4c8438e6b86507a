package host

import (
	"io"

	"stackscope/vm"
	"stackscope/wasm"
)

// The names of the modules.
const (
	SpectestName = "spectest"
	WASIName     = "wasi_snapshot_preview1"
	UnstableName = "wasi_unstable"
	AsyncName    = "async"
)

// Module is a module of the host: its exports by name. It belongs to one machine.
type Module map[string]vm.Extern

// Import returns the export of a name, nil if there is none, whatever the module is called.
func (m Module) Import(_, name string, _ wasm.ExternKind) vm.Extern {
	if x, ok := m[name]; ok {
		return x
	}
	return nil
}

// Options are the surroundings of a program.
type Options struct {
	Print io.Writer // where spectest's print functions write; nil: nowhere
	WASI  WASI
	Loop  *Loop // of async and promise; nil: a new one
}

// Modules makes the modules for a machine. The returned WASI system must be closed to close
// the files that the program has left open. The error is that of opening a directory.
func Modules(m *vm.Machine, o Options) (vm.Imports, *System, error) {
	sys, err := o.WASI.System()
	if err != nil {
		return nil, nil, err
	}
	if o.Loop == nil {
		o.Loop = &Loop{}
	}
	mods := map[string]Module{
		SpectestName: Spectest(m, o.Print),
		WASIName:     sys.Module(m),
		UnstableName: sys.Unstable(m),
		AsyncName:    o.Loop.Module(m),
		PromiseName:  o.Loop.Promises(m),
	}
	return vm.ImportFunc(func(module, name string, kind wasm.ExternKind) vm.Extern {
		if module == ThenName || module == CatchName {
			return o.Loop.Callback(m, module, name)
		}
		return mods[module].Import(module, name, kind)
	}), sys, nil
}

// Offers reports whether the host has a module of a name.
func Offers(module string) bool {
	switch module {
	case SpectestName, WASIName, UnstableName, AsyncName, PromiseName, ThenName, CatchName:
		return true
	}
	return false
}

// types returns value types from letters: i and I for i32 and i64, f and F for f32 and f64.
func types(sig string) []wasm.ValType {
	ts := make([]wasm.ValType, len(sig))
	for i, c := range sig {
		ts[i] = map[rune]wasm.ValType{'i': wasm.I32, 'I': wasm.I64, 'f': wasm.F32, 'F': wasm.F64}[c]
	}
	return ts
}
