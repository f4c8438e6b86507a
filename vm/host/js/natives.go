//go:build !js

package js

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"stackscope/vm"
	"stackscope/vm/host/js/engine"
	"stackscope/wasm"
)

// native is a function of the host that the prelude calls.
type native func(h *Host, a args) (engine.Value, error)

// args are the arguments of a native function; those that are not there are undefined.
type args []engine.Value

func (a args) at(i int) engine.Value {
	if i < len(a) {
		return a[i]
	}
	return engine.Undefined
}

func (a args) number(i int) float64 {
	if v := a.at(i); engine.KindOf(v) == engine.KindNumber {
		return engine.Number(v)
	}
	return 0
}

func (a args) bool(i int) bool {
	return engine.KindOf(a.at(i)) == engine.KindBoolean && engine.Bool(a.at(i))
}

// text returns an argument as text; what is not well-formed becomes U+FFFD.
func (h *realm) textOf(v engine.Value) (string, error) {
	b, err := h.e.Text(v)
	if err != nil {
		return "", err
	}
	return stringFrom(b).String(), nil
}

// natives returns the object with the functions of the host for the prelude.
func (h *Host) natives() engine.Value {
	o := h.e.NewObject()
	for name, f := range nativeFuncs {
		h.e.Define(o, name, h.e.NewNative(name, 0, func(_ engine.Value, as []engine.Value) (engine.Value, error) {
			return f(h, as)
		}), false)
	}
	return o
}

var nativeFuncs map[string]native

func init() {
	nativeFuncs = map[string]native{
		"write": func(h *Host, a args) (engine.Value, error) {
			s, err := h.textOf(a.at(1))
			if err != nil {
				return engine.Undefined, err
			}
			return engine.Undefined, h.onWrite(int(a.number(0)), s)
		},
		"now": func(h *Host, _ args) (engine.Value, error) { return number(float64(h.loop.Now())), nil },
		"time": func(h *Host, _ args) (engine.Value, error) {
			return number(float64(h.o.Start.UnixMilli()) + float64(h.loop.Now())), nil
		},
		"random": func(h *Host, _ args) (engine.Value, error) { return engine.NewNumber(h.random.Float64()), nil },
		"timer":  timer,
		"kind":   func(h *Host, a args) (engine.Value, error) { return h.e.NewString(kindOf(h.e.Held(a.at(0)))), nil },
		"own": func(h *Host, a args) (engine.Value, error) {
			h.objects[h.e.Held(a.at(1))] = h.e.Dup(a.at(0))
			return engine.Undefined, nil
		},
		"isReference": func(h *Host, a args) (engine.Value, error) {
			_, ok := h.e.Held(a.at(0)).(opaque)
			return engine.NewBool(ok), nil
		},
		"promiseState": func(h *Host, a args) (engine.Value, error) {
			state, v := h.e.Promise(a.at(0))
			return h.e.NewArray(h.e.NewString(state), v), nil
		},
		"file":         file,
		"instantiated": func(h *Host, _ args) (engine.Value, error) { return engine.NewBool(h.in != nil), nil },
		"compile":      compile,
		"instantiate":  instantiate,
		"describe":     describe,
		"sections":     sections,
		"memory":       newMemory,
		"buffer":       memoryBuffer,
		"grow":         memoryGrow,
		"table":        newTable,
		"tableLength":  func(h *Host, a args) (engine.Value, error) { return number(float64(h.table(a).Len())), nil },
		"tableGet":     tableGet,
		"tableSet":     tableSet,
		"tableGrow":    tableGrow,
		"global":       newGlobal,
		"globalGet": func(h *Host, a args) (engine.Value, error) {
			return h.toJS(h.e.Held(a.at(0)).(*vm.Global).Get())
		},
		"globalSet": globalSet,
		"tag":       newTag,
		"jsTag":     func(h *Host, _ args) (engine.Value, error) { return h.e.NewHolder(h.tag, false), nil },
		"exception": newException,
		"exceptionIs": func(h *Host, a args) (engine.Value, error) {
			return engine.NewBool(h.e.Held(a.at(0)).(raised).x.Tag == h.e.Held(a.at(1)).(*vm.Tag)), nil
		},
		"exceptionArg": exceptionArg,
		"suspending": func(h *Host, a args) (engine.Value, error) {
			return h.e.NewHolder(suspending{h.e.Dup(a.at(0))}, false), nil
		},
		"promising": func(h *Host, a args) (engine.Value, error) {
			fn, ok := h.e.Held(a.at(0)).(*vm.Func)
			if !ok {
				return engine.Undefined, h.typeError("promising: argument 0 must be an exported function")
			}
			return h.e.NewHolder(promising{fn}, true), nil
		},
		"encode": func(h *Host, a args) (engine.Value, error) {
			s, err := h.textOf(a.at(0))
			if err != nil {
				return engine.Undefined, err
			}
			return h.e.NewBufferCopy([]byte(s)), nil
		},
		"decode": decode,
	}
}

// kindOf returns the name of the class of an object of JavaScript that stands for a value.
func kindOf(x any) string {
	switch x.(type) {
	case *wasm.Module, *module:
		return "Module"
	case *vm.Memory:
		return "Memory"
	case *vm.Table:
		return "Table"
	case *vm.Global:
		return "Global"
	case *vm.Tag:
		return "Tag"
	case raised:
		return "Exception"
	case suspending:
		return "Suspending"
	}
	return ""
}

// newError returns an error of JavaScript that holds what it stands for.
func (h *realm) newError(kind, text string, holds any) engine.Value {
	k, t := h.e.NewString(kind), h.e.NewString(text)
	held := engine.Undefined
	if holds != nil {
		held = h.e.NewHolder(holds, false)
	}
	defer h.freeAll([]engine.Value{k, t, held})
	v, err := h.prelude("error", k, t, held)
	if err != nil {
		return h.e.NewString(text)
	}
	return v
}

// throw returns an error of JavaScript to throw.
func (h *realm) throw(kind, text string) error { return engine.Throw(h.newError(kind, text, nil)) }

func (h *realm) typeError(text string) error { return h.throw("TypeError", text) }

// holds returns what an object of JavaScript stands for; nil if it is none of the host's.
func (h *realm) holds(v engine.Value) any {
	if engine.KindOf(v) != engine.KindObject || h.lib["handle"] == (engine.Value{}) {
		return nil
	}
	held, err := h.prelude("handle", v)
	if err != nil {
		return nil
	}
	defer h.e.Free(held)
	return h.e.Held(held)
}

// wrap returns the object of a class of WebAssembly for a value: the same one each time, but for
// exceptions.
func (h *realm) wrap(kind string, x any) engine.Value {
	if v, ok := h.objects[x]; ok {
		return h.e.Dup(v)
	}
	k, held := h.e.NewString(kind), h.e.NewHolder(x, false)
	defer h.freeAll([]engine.Value{k, held})
	v, err := h.prelude("wrap", k, held)
	if err != nil {
		return engine.Undefined
	}
	if _, ok := x.(raised); !ok {
		h.objects[x] = h.e.Dup(v)
	}
	return v
}

// wrapExtern returns the object for what a module exports.
func (h *realm) wrapExtern(x vm.Extern) engine.Value {
	if fn, ok := x.(*vm.Func); ok {
		return h.function(fn)
	}
	return h.wrap(kindOf(x), x)
}

// timer arranges for the call of a timer's function.
func timer(h *Host, a args) (engine.Value, error) {
	name, err := h.textOf(a.at(2))
	if err != nil {
		return engine.Undefined, err
	}
	id := a.number(1)
	run := func() error {
		v, err := h.prelude("fire", number(id))
		if err == nil {
			h.e.Free(v)
		}
		return err
	}
	return engine.Undefined, h.loop.After(
		uint64(a.number(0)), strings.TrimSpace("timer "+name),
		func(ctx context.Context) error { return h.task(ctx, run) },
	)
}

// file returns the bytes of the program's module.
func file(h *Host, a args) (engine.Value, error) {
	name, err := h.textOf(a.at(0))
	if err != nil {
		return engine.Undefined, err
	}
	if h.o.Path == "" || strings.TrimPrefix(name, "/") != filepath.Base(h.o.Path) {
		return engine.Undefined, h.typeError(fmt.Sprintf("fetch of %q: %v", name, errNoFile))
	}
	return h.e.NewBufferCopy(h.o.Data), nil
}

// decode decodes UTF-8.
func decode(h *Host, a args) (engine.Value, error) {
	b, ok := h.e.Part(a.at(0), int(a.number(1)), int(a.number(2)))
	if !ok {
		return engine.Undefined, h.typeError("decode: argument 0 must be a buffer source")
	}
	if !utf8.Valid(b) {
		if a.bool(3) {
			return engine.Undefined, h.typeError("the encoded data is not valid UTF-8")
		}
		b = []byte(validUTF8(b))
	}
	return h.e.NewString(string(b)), nil
}

// validUTF8 replaces what is not UTF-8 as the encoding standard says: each maximal part of a sequence
// by one U+FFFD.
func validUTF8(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r != utf8.RuneError || n > 1 {
			out.Write(b[:n])
			b = b[n:]
			continue
		}
		n = 1
		for n < len(b) && n < 3 && !utf8.FullRune(b[:n]) && partial(b[:n+1]) {
			n++
		}
		out.WriteRune(utf8.RuneError)
		b = b[n:]
	}
	return out.String()
}

// partial reports whether bytes begin a character.
func partial(b []byte) bool { return !utf8.FullRune(b) }

// module is a module that the glue has compiled, with what it has said of its imports.
type module struct {
	mod       *wasm.Module
	program   bool
	constants string // the module of string constants; "" if none was named
	builtins  bool
}

// compile reads a module.
func compile(h *Host, a args) (engine.Value, error) {
	b, ok := h.e.Bytes(a.at(0))
	if !ok {
		return engine.Undefined, h.typeError("WebAssembly: argument 0 must be a buffer source")
	}
	m := &module{}
	if h.program != nil && bytes.Equal(b, h.o.Data) {
		m.mod, m.program = h.program, true
	} else {
		if h.o.Compile == nil {
			return engine.Undefined, h.throw("CompileError", "only the program's module can be compiled")
		}
		mod, err := h.o.Compile(b)
		if err != nil {
			return engine.Undefined, h.throw("CompileError", err.Error())
		}
		m.mod = mod
	}
	if err := h.compileOptions(m, a.at(1)); err != nil {
		return engine.Undefined, err
	}
	return h.e.NewHolder(m, false), nil
}

// compileOptions reads the options of a compilation.
func (h *Host) compileOptions(m *module, o engine.Value) error {
	if engine.KindOf(o) != engine.KindObject {
		return nil
	}
	c, err := h.e.Property(o, "importedStringConstants")
	if err != nil {
		return err
	}
	defer h.e.Free(c)
	if engine.KindOf(c) == engine.KindString {
		if m.constants, err = h.textOf(c); err != nil {
			return err
		}
	}
	b, err := h.e.Property(o, "builtins")
	if err != nil {
		return err
	}
	defer h.e.Free(b)
	if engine.KindOf(b) != engine.KindObject {
		return nil
	}
	names, err := h.elements(b)
	if err != nil {
		return err
	}
	defer h.freeAll(names)
	for _, n := range names {
		if s, err := h.textOf(n); err == nil && s == "js-string" {
			m.builtins = true
		}
	}
	return nil
}

// held returns the module of an argument.
func (h *Host) module(a args) *module { m, _ := h.e.Held(a.at(0)).(*module); return m }

// describe lists the imports or exports of a module.
func describe(h *Host, a args) (engine.Value, error) {
	m := h.module(a).mod
	var out []engine.Value
	if a.bool(1) {
		for _, e := range m.Exports {
			o := h.e.NewObject()
			h.e.Define(o, "name", h.e.NewString(e.Name), false)
			h.e.Define(o, "kind", h.e.NewString(externName(e.Kind)), false)
			out = append(out, o)
		}
		return h.e.NewArray(out...), nil
	}
	for _, im := range m.Imports {
		o := h.e.NewObject()
		h.e.Define(o, "module", h.e.NewString(im.Module), false)
		h.e.Define(o, "name", h.e.NewString(im.Name), false)
		h.e.Define(o, "kind", h.e.NewString(externName(im.Kind)), false)
		out = append(out, o)
	}
	return h.e.NewArray(out...), nil
}

// externName returns a kind as the JavaScript interface calls it.
func externName(k wasm.ExternKind) string {
	switch k {
	case wasm.ExternFunc:
		return "function"
	case wasm.ExternTable:
		return "table"
	case wasm.ExternMemory:
		return "memory"
	case wasm.ExternGlobal:
		return "global"
	}
	return "tag"
}

// sections lists the custom sections of a name, if the module is the program's.
func sections(h *Host, a args) (engine.Value, error) {
	name, err := h.textOf(a.at(1))
	if err != nil {
		return engine.Undefined, err
	}
	var out []engine.Value
	if h.module(a).program {
		for _, s := range h.program.Customs {
			if s.Name == name {
				out = append(out, h.e.NewBufferCopy(s.Bytes))
			}
		}
	}
	return h.e.NewArray(out...), nil
}

// errInstantiated is the error of glue that instantiates the program a second time.
var errInstantiated = errors.New("the program is instantiated already: a debugger runs one instance of it")
