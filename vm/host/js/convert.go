//go:build !js

package js

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"stackscope/vm"
	"stackscope/vm/host/js/engine"
	"stackscope/wasm"
)

// opaque is what an object of the engine holds that stands for a reference of the program: a
// structure, an array, or something of another host.
type opaque struct{ ref vm.Ref }

// identity returns what makes two references the same object in JavaScript; nil if nothing does.
func identity(r vm.Ref) any {
	switch r.Kind() {
	case vm.RefStruct:
		return r.Struct()
	case vm.RefArray:
		return r.Array()
	case vm.RefHost:
		return r
	}
	return nil
}

// toJS returns a value of the program as one of JavaScript.
func (h *realm) toJS(v vm.Value) (engine.Value, error) {
	switch v.Type.Kind() {
	case wasm.KindI32:
		return engine.NewInt(v.I32()), nil
	case wasm.KindI64:
		return h.e.NewBigInt(v.I64()), nil
	case wasm.KindF32:
		return number(float64(v.F32())), nil
	case wasm.KindF64:
		return number(v.F64()), nil
	case wasm.KindRef:
		return h.refToJS(v.Ref)
	}
	return engine.Undefined, h.typeError(fmt.Sprintf("a value of type %s cannot be passed to JavaScript", v.Type))
}

// number returns a number, as an integer if it is a small one.
func number(x float64) engine.Value {
	if i := int32(x); float64(i) == x && (i != 0 || !math.Signbit(x)) {
		return engine.NewInt(i)
	}
	return engine.NewNumber(x)
}

func (h *realm) refToJS(r vm.Ref) (engine.Value, error) {
	switch r.Kind() {
	case vm.RefNull:
		return engine.Null, nil
	case vm.RefI31:
		x, _ := r.I31()
		return engine.NewInt(int32(x<<1) >> 1), nil
	case vm.RefFunc:
		return h.function(r.Func()), nil
	case vm.RefStruct, vm.RefArray:
		return h.opaque(r), nil
	case vm.RefHost:
		x, _ := r.Host()
		switch x := x.(type) {
		case *String:
			return h.text(x), nil
		case undefined:
			return engine.Undefined, nil
		case Boolean:
			return engine.NewBool(bool(x)), nil
		case Number:
			return engine.NewNumber(float64(x)), nil
		case *Object:
			if x.h == h {
				return h.e.Dup(x.val), nil
			}
		}
		return h.opaque(r), nil
	}
	return engine.Undefined, h.typeError("a reference of this type cannot be passed to JavaScript")
}

// opaque returns the object for a reference that JavaScript can only pass on.
func (h *realm) opaque(r vm.Ref) engine.Value {
	id := identity(r)
	if v, ok := h.opaques[id]; ok {
		return h.e.Dup(v)
	}
	v := h.e.NewHolder(opaque{r}, false)
	h.opaques[id] = v // not counted: released takes it out
	return v
}

// released forgets an object of the engine that is gone.
func (h *realm) released(x any) {
	if o, ok := x.(opaque); ok {
		delete(h.opaques, identity(o.ref))
	}
}

// text returns a string of the engine.
func (h *realm) text(s *String) engine.Value {
	s.flatten()
	if s.wide == nil {
		return h.e.NewString(unsafe.String(unsafe.SliceData(s.ascii), len(s.ascii)))
	}
	b := make([]byte, 0, len(s.wide)+len(s.wide)/2)
	for i := 0; i < len(s.wide); i++ {
		r := rune(s.wide[i])
		if utf16.IsSurrogate(r) {
			if i+1 < len(s.wide) {
				if x := utf16.DecodeRune(r, rune(s.wide[i+1])); x != utf8.RuneError {
					b = utf8.AppendRune(b, x)
					i++
					continue
				}
			}
			b = append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F|0x80, 0x80|byte(r)&0x3F)
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	return h.e.NewString(unsafe.String(unsafe.SliceData(b), len(b)))
}

// stringFrom returns a string for one of the engine, which is in WTF-8.
func stringFrom(b []byte) *String {
	wide := false
	for _, c := range b {
		if c >= utf8.RuneSelf {
			wide = true
			break
		}
	}
	if !wide {
		return &String{n: len(b), ascii: b}
	}
	units := make([]uint16, 0, len(b))
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 && i+2 < len(b) && b[i] == 0xED { // half a surrogate pair
			units = append(units, 0xD000|uint16(b[i+1]&0x3F)<<6|uint16(b[i+2]&0x3F))
			i += 3
			continue
		}
		units = utf16.AppendRune(units, r)
		i += n
	}
	return &String{n: len(units), wide: units}
}

// toRef returns a value of JavaScript as an externref. The value stays the caller's.
func (h *realm) toRef(v engine.Value) (vm.Ref, error) {
	switch engine.KindOf(v) {
	case engine.KindNull:
		return vm.Ref{}, nil
	case engine.KindUndefined:
		return undefinedRef, nil
	case engine.KindBoolean:
		if engine.Bool(v) {
			return trueRef, nil
		}
		return falseRef, nil
	case engine.KindNumber:
		x := engine.Number(v)
		if x >= -1<<30 && x < 1<<30 && x == math.Trunc(x) && (x != 0 || !math.Signbit(x)) {
			return vm.I31Ref(uint32(int32(x))), nil
		}
		return vm.HostRef(Number(x)), nil
	case engine.KindString:
		b, err := h.e.Text(v)
		if err != nil {
			return vm.Ref{}, err
		}
		s := stringFrom(b)
		if err := h.m.Take(stringHead + uint64(len(s.ascii)+2*len(s.wide))); err != nil {
			return vm.Ref{}, h.toThrown(err)
		}
		return vm.HostRef(s), nil
	case engine.KindBigInt:
		return h.object(h.e.Dup(v), "bigint"), nil
	case engine.KindSymbol:
		return h.object(h.e.Dup(v), "symbol"), nil
	}
	switch x := h.e.Held(v).(type) {
	case opaque:
		return x.ref, nil
	case *vm.Func:
		return h.object(h.e.Dup(v), "function"), nil
	}
	if h.e.IsFunction(v) {
		return h.object(h.e.Dup(v), "function"), nil
	}
	return h.object(h.e.Dup(v), "object"), nil
}

// toWasm converts a value of JavaScript to a type of the program, whose type index, if any, is a
// canonical id. The value stays the caller's.
func (h *realm) toWasm(v engine.Value, t wasm.ValType) (vm.Value, error) {
	switch t.Kind() {
	case wasm.KindI32:
		x, err := h.e.ToInt32(v)
		return vm.I32(x), err
	case wasm.KindI64:
		x, err := h.e.ToBigInt64(v)
		return vm.I64(x), err
	case wasm.KindF32:
		x, err := h.e.ToFloat64(v)
		return vm.F32(float32(x)), err
	case wasm.KindF64:
		x, err := h.e.ToFloat64(v)
		return vm.F64(x), err
	case wasm.KindRef:
		return h.toRefType(v, t)
	}
	return vm.Value{}, h.typeError(fmt.Sprintf("JavaScript has no values of type %s", t))
}

func (h *realm) toRefType(v engine.Value, t wasm.ValType) (vm.Value, error) {
	if engine.KindOf(v) == engine.KindNull {
		if !t.Nullable() {
			return vm.Value{}, h.typeError(fmt.Sprintf("null is not of type %s", typeName(t)))
		}
		return vm.NullValue(t), nil
	}
	r, err := h.toRef(v)
	if err != nil {
		return vm.Value{}, err
	}
	if fn, ok := h.e.Held(v).(*vm.Func); ok && h.m.Types().Top(t.Heap()) == wasm.HeapFunc {
		r = vm.FuncRef(fn)
	}
	x := vm.Value{Type: t, Ref: r}
	if t.Heap() != wasm.HeapExtern && t.Heap() != wasm.HeapAny && !h.m.Fits(x, t) {
		return vm.Value{}, h.typeError(fmt.Sprintf("%s is not of type %s", h.describe(v), typeName(t)))
	}
	return vm.Value{Type: vm.RefValue(r).Type, Ref: r}, nil
}

// typeName returns a type; of one with a type index only what it is.
func typeName(t wasm.ValType) string {
	if t.IsRef() && t.Heap() >= 0 {
		return "(ref …)"
	}
	return t.String()
}

// describe returns a value of JavaScript in a few words.
func (h *realm) describe(v engine.Value) string {
	r, err := h.toRef(v)
	if err != nil {
		return "the value"
	}
	return "a value of type " + TypeOf(r)
}

// toResults converts what a function of JavaScript has returned to the result types of an import.
func (h *realm) toResults(v engine.Value, ts []wasm.ValType) ([]vm.Value, error) {
	switch len(ts) {
	case 0:
		return nil, nil
	case 1:
		x, err := h.toWasm(v, ts[0])
		return []vm.Value{x}, err
	}
	list, err := h.prelude("list", v)
	if err != nil {
		return nil, err
	}
	defer h.e.Free(list)
	xs, err := h.elements(list)
	if err != nil {
		return nil, err
	}
	defer h.freeAll(xs)
	if len(xs) != len(ts) {
		return nil, h.typeError(fmt.Sprintf("the function returns %d values, not %d", len(xs), len(ts)))
	}
	out := make([]vm.Value, len(ts))
	for i, x := range xs {
		if out[i], err = h.toWasm(x, ts[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// elements returns the elements of an array, which must be freed.
func (h *realm) elements(list engine.Value) ([]engine.Value, error) {
	n, err := h.e.Property(list, "length")
	if err != nil {
		return nil, err
	}
	out := make([]engine.Value, int(engine.Number(n)))
	for i := range out {
		if out[i], err = h.e.Element(list, i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (h *realm) freeAll(vs []engine.Value) {
	for _, v := range vs {
		h.e.Free(v)
	}
}

// fromResults returns the results of a function of the program as one value of JavaScript.
func (h *realm) fromResults(vs []vm.Value) (engine.Value, error) {
	switch len(vs) {
	case 0:
		return engine.Undefined, nil
	case 1:
		return h.toJS(vs[0])
	}
	out := make([]engine.Value, len(vs))
	for i, v := range vs {
		var err error
		if out[i], err = h.toJS(v); err != nil {
			return engine.Undefined, err
		}
	}
	return h.e.NewArray(out...), nil
}

// trapped is a trap as an object of JavaScript holds it: a RuntimeError.
type trapped struct{ err error }

// raised is an exception of the program as an object of JavaScript holds it.
type raised struct{ x *vm.Exception }

// toThrown returns the error of a call of the program as what JavaScript can catch. What ends the
// program is returned as it is.
func (h *realm) toThrown(err error) error {
	var x *vm.Exception
	var trap *vm.Trap
	var exit *vm.Exit
	var crash *vm.Crash
	var thrown *engine.Thrown
	switch {
	case errors.As(err, &thrown), errors.As(err, &exit), errors.As(err, &crash), errors.Is(err, engine.ErrInterrupted):
		return err
	case errors.As(err, &x):
		if x.Tag == h.tag && len(x.Values) == 1 {
			v, err := h.toJS(x.Values[0])
			if err != nil {
				return err
			}
			return engine.Throw(v)
		}
		return engine.Throw(h.wrap("Exception", raised{x}))
	case errors.As(err, &trap):
		switch trap.Kind {
		case wasm.TrapInterrupted, wasm.TrapOutOfFuel:
			return err
		case wasm.TrapNotPromising:
			return engine.Throw(h.newError("SuspendError", trap.Message, trapped{err}))
		case wasm.TrapStackExhausted:
			return engine.Throw(h.newError("RangeError", "Maximum call stack size exceeded", trapped{err}))
		}
		return engine.Throw(h.newError("RuntimeError", trap.Message, trapped{err}))
	}
	var link *vm.LinkError
	if errors.As(err, &link) {
		return engine.Throw(h.newError("LinkError", err.Error(), trapped{err}))
	}
	return h.typeError(err.Error())
}

// fromThrown returns what JavaScript has thrown as an error for the VM: an exception with the tag of
// JavaScript's exceptions, or what the program had thrown itself.
func (h *realm) fromThrown(err error) error {
	var t *engine.Thrown
	if !errors.As(err, &t) {
		return err
	}
	defer h.e.Free(t.Value)
	switch x := h.holds(t.Value).(type) {
	case raised:
		return &vm.Exception{Tag: x.x.Tag, Values: x.x.Values, Ref: x.x.Ref}
	case trapped:
		return x.err
	}
	r, err := h.toRef(t.Value)
	if err != nil {
		return err
	}
	v := vm.Value{Type: wasm.ExternRef, Ref: r}
	return &vm.Exception{Tag: h.tag, Values: []vm.Value{v}, Ref: vm.NewExn(h.tag, v)}
}
