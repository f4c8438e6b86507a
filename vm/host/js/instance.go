//go:build !js

package js

import (
	"errors"
	"fmt"
	"math"

	"stackscope/vm"
	"stackscope/vm/host/js/engine"
	"stackscope/wasm"
)

// instantiate instantiates a module with an object of imports, and returns its exports.
func instantiate(h *Host, a args) (engine.Value, error) {
	m := h.module(a)
	imports := &importObject{h: h, m: m, o: a.at(1), read: map[[2]string]engine.Value{}}
	defer imports.free()
	if err := imports.all(); err != nil {
		return engine.Undefined, err
	}
	var in *vm.Instance
	ctx := h.ctx
	err := h.outside(func() (err error) {
		switch {
		case !m.program:
			in, err = h.m.Instantiate(ctx, m.mod, "", imports)
		case h.in != nil:
			err = errInstantiated
		default:
			in, err = h.make(imports)
			h.in = in
		}
		return err
	})
	if err != nil {
		return engine.Undefined, h.toThrown(err)
	}
	var entries []engine.Value
	for _, e := range m.mod.Exports {
		entries = append(entries, h.e.NewArray(h.e.NewString(e.Name), h.wrapExtern(in.Export(e.Name))))
	}
	list := h.e.NewArray(entries...)
	defer h.e.Free(list)
	return h.prelude("exports", list)
}

// importObject is an object of imports.
type importObject struct {
	h    *Host
	m    *module
	o    engine.Value
	read map[[2]string]engine.Value // what it has under two names
}

func (x *importObject) free() {
	for _, v := range x.read {
		x.h.e.Free(v)
	}
}

// all reads what the module imports, in order, as the specification says.
func (x *importObject) all() error {
	h := x.h
	if k := engine.KindOf(x.o); k != engine.KindObject {
		if k == engine.KindUndefined {
			return nil
		}
		return h.typeError("WebAssembly: the imports must be an object")
	}
	for _, im := range x.m.mod.Imports {
		key := [2]string{im.Module, im.Name}
		if _, ok := x.read[key]; ok {
			continue
		}
		mod, err := h.e.Property(x.o, im.Module)
		if err != nil {
			return err
		}
		v := engine.Undefined
		if engine.KindOf(mod) == engine.KindObject {
			v, err = h.e.Property(mod, im.Name)
		}
		h.e.Free(mod)
		if err == nil && engine.KindOf(v) == engine.KindUndefined && x.m.program {
			m, n := h.e.NewString(im.Module), h.e.NewString(im.Name)
			v, err = h.prelude("other", m, n)
			h.freeAll([]engine.Value{m, n})
		}
		if err != nil {
			return err
		}
		x.read[key] = v
	}
	return nil
}

// Import returns an import. JavaScript does not run in the meantime.
func (x *importObject) Import(module, name string, kind wasm.ExternKind) vm.Extern {
	h := x.h
	if x.m.builtins || x.m.program {
		if e := x.native(module, name, kind); e != nil {
			return e
		}
	}
	v, ok := x.read[[2]string{module, name}]
	if !ok || engine.KindOf(v) == engine.KindUndefined {
		if x.m.program && h.rest != nil {
			return h.rest.Import(module, name, kind)
		}
		return nil
	}
	return &vm.Generic{Kind: kind, Make: func(t vm.Declared) (out vm.Extern, err error) {
		err = h.inside(h.ctx, func() error {
			out, err = x.convert(v, t, kind)
			return err
		})
		if err != nil {
			err = errors.New(h.reason(err))
		}
		return out, err
	}}
}

// reason returns the text of an error that JavaScript may have thrown.
func (h *realm) reason(err error) string {
	var t *engine.Thrown
	if errors.As(err, &t) {
		text := h.uncaught(t.Value)
		h.e.Free(t.Value)
		return text
	}
	return err.Error()
}

// native returns one of the JS String Builtins, or a string constant.
func (x *importObject) native(module, name string, kind wasm.ExternKind) vm.Extern {
	constants := x.m.constants
	if constants == "" && x.m.program {
		constants = constantsModule(x.m.mod)
	}
	switch {
	case module == StringsName && kind == wasm.ExternFunc:
		return stringImport(x.h.m, name)
	case module == constants && constants != "" && kind == wasm.ExternGlobal:
		return constantImport(x.h.m, name)
	}
	return nil
}

// convert makes an import of a value.
func (x *importObject) convert(v engine.Value, t vm.Declared, kind wasm.ExternKind) (vm.Extern, error) {
	h := x.h
	switch kind {
	case wasm.ExternFunc:
		if fn, ok := h.e.Held(v).(*vm.Func); ok {
			return fn, nil
		}
		if s, ok := h.holds(v).(suspending); ok {
			return h.importFunc(t, h.e.Dup(s.fn), true), nil
		}
		if !h.e.IsFunction(v) {
			return nil, fmt.Errorf("%s is no function", h.describe(v))
		}
		return h.importFunc(t, h.e.Dup(v), false), nil
	case wasm.ExternGlobal:
		if g, ok := h.holds(v).(*vm.Global); ok {
			return g, nil
		}
		if t.Mut {
			return nil, fmt.Errorf("%s is no WebAssembly.Global", h.describe(v))
		}
		k := engine.KindOf(v)
		if !t.Value.IsRef() && (k == engine.KindBigInt) != (t.Value == wasm.I64) || !t.Value.IsRef() &&
			k != engine.KindNumber && k != engine.KindBigInt {
			return nil, fmt.Errorf("%s is not of type %s", h.describe(v), t.Value)
		}
		w, err := h.toWasm(v, t.Value)
		if err != nil {
			return nil, err
		}
		return h.m.NewGlobal(t.Value, false, w), nil
	}
	if e, ok := h.holds(v).(vm.Extern); ok {
		return e, nil
	}
	return nil, fmt.Errorf("%s is no %s", h.describe(v), externName(kind))
}

func newMemory(h *Host, a args) (engine.Value, error) {
	l := wasm.Limits{Min: uint64(a.number(0)), Shared: a.bool(2), Is64: a.bool(3)}
	if most := a.number(1); most >= 0 {
		l.Max, l.HasMax = uint64(most), true
	}
	if l.HasMax && l.Min > l.Max {
		return engine.Undefined, h.throw("RangeError", "Memory: the initial size is beyond the maximum")
	}
	mem, err := h.m.NewMemory(l)
	if err != nil {
		return engine.Undefined, h.throw("RangeError", "Memory: "+err.Error())
	}
	return h.e.NewHolder(mem, false), nil
}

// memoryBuffer returns the ArrayBuffer of a memory.
func memoryBuffer(h *Host, a args) (engine.Value, error) {
	mem := h.e.Held(a.at(0)).(*vm.Memory)
	h.detach()
	if b, ok := h.buffers[mem]; ok {
		return h.e.Dup(b.val), nil
	}
	b := buffer{mem.Bytes(), h.e.NewBuffer(mem.Bytes())}
	h.buffers[mem] = b
	return h.e.Dup(b.val), nil
}

// detach detaches the buffers of memories that have moved.
func (h *realm) detach() {
	for mem, b := range h.buffers {
		now := mem.Bytes()
		if len(now) == len(b.bytes) && (len(now) == 0 || &now[0] == &b.bytes[0]) {
			continue
		}
		h.e.Detach(b.val)
		h.e.Free(b.val)
		delete(h.buffers, mem)
	}
}

func memoryGrow(h *Host, a args) (engine.Value, error) {
	mem := h.e.Held(a.at(0)).(*vm.Memory)
	old, ok := mem.Grow(uint64(a.number(1)))
	if !ok {
		return engine.Undefined, h.throw("RangeError", "Memory.grow: the memory cannot grow by so much")
	}
	if b, ok := h.buffers[mem]; ok { // even by 0 the old one is detached
		h.e.Detach(b.val)
		h.e.Free(b.val)
		delete(h.buffers, mem)
	}
	return number(float64(old)), nil
}

func (h *Host) table(a args) *vm.Table { t, _ := h.e.Held(a.at(0)).(*vm.Table); return t }

// refTypes are the types of tables and globals that JavaScript can name.
var refTypes = map[string]wasm.ValType{
	"anyfunc": wasm.FuncRef, "funcref": wasm.FuncRef, "externref": wasm.ExternRef,
	"anyref": wasm.Ref(true, wasm.HeapAny),
}

var valTypes = map[string]wasm.ValType{"i32": wasm.I32, "i64": wasm.I64, "f32": wasm.F32, "f64": wasm.F64}

// reference returns an argument as a reference of a table's type; what is missing is null, or of
// externref undefined.
func (h *Host) reference(v engine.Value, given bool, t wasm.ValType) (vm.Ref, error) {
	if !given || engine.KindOf(v) == engine.KindUndefined && t.Heap() != wasm.HeapExtern {
		if t.Heap() == wasm.HeapExtern {
			return undefinedRef, nil
		}
		return vm.Ref{}, nil
	}
	x, err := h.toWasm(v, t)
	return x.Ref, err
}

func newTable(h *Host, a args) (engine.Value, error) {
	kind, err := h.textOf(a.at(0))
	if err != nil {
		return engine.Undefined, err
	}
	t, ok := refTypes[kind]
	if !ok {
		return engine.Undefined, h.typeError(fmt.Sprintf("Table: %q is no type of elements", kind))
	}
	l := wasm.Limits{Min: uint64(a.number(1))}
	if most := a.number(2); most >= 0 {
		l.Max, l.HasMax = uint64(most), true
	}
	r, err := h.reference(a.at(3), a.bool(4), t)
	if err != nil {
		return engine.Undefined, err
	}
	tab, err := h.m.NewTable(t, l, r)
	if err != nil {
		return engine.Undefined, h.throw("RangeError", "Table: "+err.Error())
	}
	return h.e.NewHolder(tab, false), nil
}

// index returns the index argument of a table's method.
func (h *Host) index(a args) (uint64, error) {
	i := a.number(1)
	if i >= float64(h.table(a).Len()) {
		return 0, h.throw("RangeError", fmt.Sprintf("Table: index %g is beyond the end", i))
	}
	return uint64(i), nil
}

func tableGet(h *Host, a args) (engine.Value, error) {
	i, err := h.index(a)
	if err != nil {
		return engine.Undefined, err
	}
	return h.refToJS(h.table(a).Get(i))
}

func tableSet(h *Host, a args) (engine.Value, error) {
	i, err := h.index(a)
	if err != nil {
		return engine.Undefined, err
	}
	t, _ := h.table(a).Type()
	r, err := h.reference(a.at(2), a.bool(3), t)
	if err != nil {
		return engine.Undefined, err
	}
	h.table(a).Set(i, r)
	return engine.Undefined, nil
}

func tableGrow(h *Host, a args) (engine.Value, error) {
	t, _ := h.table(a).Type()
	r, err := h.reference(a.at(2), a.bool(3), t)
	if err != nil {
		return engine.Undefined, err
	}
	old, ok := h.table(a).Grow(uint64(a.number(1)), r)
	if !ok {
		return engine.Undefined, h.throw("RangeError", "Table.grow: the table cannot grow by so much")
	}
	return number(float64(old)), nil
}

func newGlobal(h *Host, a args) (engine.Value, error) {
	kind, err := h.textOf(a.at(0))
	if err != nil {
		return engine.Undefined, err
	}
	t, ok := valTypes[kind]
	if !ok {
		if t, ok = refTypes[kind]; !ok {
			return engine.Undefined, h.typeError(fmt.Sprintf("Global: %q is no type", kind))
		}
	}
	v := vm.Value{Type: t}
	switch {
	case t.IsRef():
		v.Ref, err = h.reference(a.at(2), a.bool(3), t)
	case engine.KindOf(a.at(2)) != engine.KindUndefined:
		v, err = h.toWasm(a.at(2), t)
	}
	if err != nil {
		return engine.Undefined, err
	}
	return h.e.NewHolder(h.m.NewGlobal(t, a.bool(1), v), false), nil
}

func globalSet(h *Host, a args) (engine.Value, error) {
	g := h.e.Held(a.at(0)).(*vm.Global)
	t, mut := g.Type()
	if !mut {
		return engine.Undefined, h.typeError("Global: the global is immutable")
	}
	v, err := h.toWasm(a.at(1), t)
	if err != nil {
		return engine.Undefined, err
	}
	g.Set(v)
	return engine.Undefined, nil
}

func newTag(h *Host, a args) (engine.Value, error) {
	names, err := h.elements(a.at(0))
	if err != nil {
		return engine.Undefined, err
	}
	defer h.freeAll(names)
	var ts []wasm.ValType
	for _, n := range names {
		s, err := h.textOf(n)
		if err != nil {
			return engine.Undefined, err
		}
		t, ok := valTypes[s]
		if !ok {
			if t, ok = refTypes[s]; !ok {
				return engine.Undefined, h.typeError(fmt.Sprintf("Tag: %q is no type", s))
			}
		}
		ts = append(ts, t)
	}
	return h.e.NewHolder(h.m.NewTag("$WebAssembly.Tag", ts, nil), false), nil
}

func newException(h *Host, a args) (engine.Value, error) {
	tag := h.e.Held(a.at(0)).(*vm.Tag)
	if tag == h.tag {
		return engine.Undefined, h.typeError("Exception: JSTag is the tag of what JavaScript throws: throw the value")
	}
	vs, err := h.elements(a.at(1))
	if err != nil {
		return engine.Undefined, err
	}
	defer h.freeAll(vs)
	if len(vs) != len(tag.Params()) {
		return engine.Undefined, h.typeError(fmt.Sprintf("Exception: the tag takes %d values", len(tag.Params())))
	}
	out := make([]vm.Value, len(vs))
	for i, v := range vs {
		if out[i], err = h.toWasm(v, tag.Params()[i]); err != nil {
			return engine.Undefined, err
		}
	}
	return h.e.NewHolder(raised{&vm.Exception{Tag: tag, Values: out, Ref: vm.NewExn(tag, out...)}}, false), nil
}

func exceptionArg(h *Host, a args) (engine.Value, error) {
	x := h.e.Held(a.at(0)).(raised).x
	if x.Tag != h.e.Held(a.at(1)).(*vm.Tag) {
		return engine.Undefined, h.typeError("Exception.getArg: the exception has another tag")
	}
	i := a.number(2)
	if i >= float64(min(len(x.Values), math.MaxInt32)) {
		return engine.Undefined, h.throw("RangeError", "Exception.getArg: there is no such value")
	}
	return h.toJS(x.Values[int(i)])
}
