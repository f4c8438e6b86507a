//go:build !js

package js

import (
	"runtime"

	"stackscope/vm"
	"stackscope/vm/host/js/engine"
)

// Object is a value of the engine that the program has: an object, a function, a symbol, or an
// integer of any size.
type Object struct {
	h    *realm
	val  engine.Value
	kind string
}

// JSType returns what typeof says of it.
func (o *Object) JSType() string { return o.kind }

// String returns the value as console.log prints it, in one line if it is short. While JavaScript
// runs it is the type alone.
func (o *Object) String() string {
	if !o.h.mu.TryLock() {
		return "[" + o.kind + "]"
	}
	defer o.h.mu.Unlock()
	v, err := o.h.prelude("text", o.val)
	if err != nil {
		return "[" + o.kind + "]"
	}
	defer o.h.e.Free(v)
	b, err := o.h.e.Text(v)
	if err != nil {
		return "[" + o.kind + "]"
	}
	return string(b)
}

// object returns a reference to a value of the engine, which it takes.
func (h *realm) object(v engine.Value, kind string) vm.Ref {
	h.e.Kept()
	o := &Object{h, v, kind}
	runtime.AddCleanup(o, func(d dropped) { d.e.Drop(d.v) }, dropped{h.e, v})
	return vm.HostRef(o)
}

// dropped is a value that Go does not refer to any more.
type dropped struct {
	e *engine.Engine
	v engine.Value
}
