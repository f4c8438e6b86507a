//go:build !js

// Package engine is what the JavaScript host needs of QuickJS: values, calls in both directions, and
// objects that hold values of Go. It is not safe for concurrent use.
package engine

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// Value is a value of an engine, which counts references to it: who has one must Free it.
type Value = lib.TJSValue

// The values that need no engine, and are not counted.
var (
	Undefined = Value{Ftag: lib.EJS_TAG_UNDEFINED}
	Null      = Value{Ftag: lib.EJS_TAG_NULL}
	exception = Value{Ftag: lib.EJS_TAG_EXCEPTION}
)

// Kind is what a value is.
type Kind uint8

// The kinds.
const (
	KindUndefined Kind = iota
	KindNull
	KindBoolean
	KindNumber
	KindBigInt
	KindString
	KindSymbol
	KindObject
	KindOther
)

// Native is a function of Go that JavaScript calls. The arguments are the engine's; the result is
// given away. An error that is a *Thrown is thrown; any other one ends all JavaScript that runs, and
// is what Call and its like return.
type Native func(this Value, args []Value) (Value, error)

// Thrown is an exception of JavaScript as an error. Its value must be freed, or thrown again.
type Thrown struct{ Value Value }

// Error returns a few words: the value can be looked at in the engine only.
func (t *Thrown) Error() string { return "uncaught exception of JavaScript" }

// ErrInterrupted is the error of JavaScript that Interrupt has ended, or that has been closed.
var ErrInterrupted = errors.New("JavaScript was interrupted")

// Engine is a JavaScript engine with one realm.
type Engine struct {
	tls     *libc.TLS
	rt, ctx uintptr
	id      uintptr
	natives []Native
	held    map[uintptr]any // what objects of Go hold, by their numbers
	last    uintptr
	fatal   error // why JavaScript is being ended
	stop    atomic.Bool
	// Released is called when an object of Go is freed, with what it held; it must not use the engine.
	Released func(any)
	// Called calls an object of NewFunction.
	Called func(held any, this Value, args []Value) (Value, error)
	// Rejected is called when a promise is rejected and nobody handles that, and when somebody does
	// later.
	Rejected func(promise, reason Value, handled bool)
	// Poll is called now and then while JavaScript runs. An error ends it.
	Poll func() error
	// Resolve finds the source of a module.
	Resolve func(base, name string) (path, source string, err error)
	sources map[string]string

	mu     sync.Mutex
	drops  []Value     // to be freed
	full   atomic.Bool // drops are not empty
	memory uint64      // bytes that the engine may use
	mark   uint64      // bytes of memory from which on Go's collector is asked what is to be freed
}

// The engines by number: native code has only numbers to hold.
var (
	enginesMu sync.Mutex
	engines   = map[uintptr]weak.Pointer[Engine]{}
	lastID    uintptr
	classOnce sync.Once
	// The classes of objects that hold values of Go: functions, and others.
	classFunction, classHolder lib.TJSClassID
)

// New starts an engine that may use so many bytes.
func New(memory uint64) (*Engine, error) {
	e := &Engine{tls: libc.NewTLS(), held: map[uintptr]any{}, sources: map[string]string{}}
	e.rt = lib.XJS_NewRuntime(e.tls)
	if e.rt == 0 {
		return nil, errors.New("JavaScript: not enough memory")
	}
	classOnce.Do(func() {
		p := e.tls.Alloc(16)
		defer e.tls.Free(16)
		for _, c := range []*lib.TJSClassID{&classFunction, &classHolder} {
			*(*lib.TJSClassID)(at(p)) = 0
			*c = lib.XJS_NewClassID(e.tls, p)
		}
	})
	enginesMu.Lock()
	lastID++
	e.id = lastID
	engines[e.id] = weak.Make(e)
	enginesMu.Unlock()
	lib.XJS_SetRuntimeOpaque(e.tls, e.rt, e.id)
	lib.XJS_SetMemoryLimit(e.tls, e.rt, lib.Tsize_t(memory))
	e.memory = memory
	e.mark = min(minMark, max(memory/2, 1))
	lib.XJS_SetMaxStackSize(e.tls, e.rt, lib.MaxStackSlots)
	e.ctx = lib.XJS_NewContext(e.tls, e.rt)
	if e.ctx == 0 {
		return nil, errors.New("JavaScript: not enough memory")
	}
	lib.XJS_SetInterruptHandler(e.tls, e.rt, fp(onInterrupt), e.id)
	lib.XJS_SetHostPromiseRejectionTracker(e.tls, e.rt, fp(onRejection), e.id)
	lib.XJS_SetModuleLoaderFunc2(e.tls, e.rt, fp(onNormalize), fp(onLoad), 0, e.id)
	if err := e.class(classFunction, "WebAssembly.Function", fp(onCall)); err != nil {
		return nil, err
	}
	if err := e.class(classHolder, "WebAssembly.Reference", 0); err != nil {
		return nil, err
	}
	global := lib.XJS_GetGlobalObject(e.tls, e.ctx)
	function := e.property(global, "Function")
	lib.XJS_SetClassProto(e.tls, e.ctx, classFunction, e.property(function, "prototype"))
	lib.XJS_SetClassProto(e.tls, e.ctx, classHolder, Null)
	e.Free(function)
	e.Free(global)
	runtime.AddCleanup(e, closeEngine, closing{e.tls, e.rt, e.ctx, e.id})
	return e, nil
}

// closing is what is left to do when an engine cannot be reached any more.
type closing struct {
	tls         *libc.TLS
	rt, ctx, id uintptr
}

// closeEngine frees the engine's memory. Its values may be referred to: the memory of the runtime
// is freed without looking at them.
func closeEngine(c closing) {
	enginesMu.Lock()
	delete(engines, c.id)
	enginesMu.Unlock()
	lib.XJS_FreeContext(c.tls, c.ctx)
	lib.XJS_RunGC(c.tls, c.rt)
	lib.XJS_FreeRuntime(c.tls, c.rt)
	c.tls.Close()
}

// at returns the pointer of an address of the engine's memory.
func at(p uintptr) unsafe.Pointer { return unsafe.Add(nil, p) }

// fp returns the address of a function as the engine calls it.
func fp(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }

// find returns an engine by its number; nil if it is being closed.
func find(id uintptr) *Engine {
	enginesMu.Lock()
	defer enginesMu.Unlock()
	return engines[id].Value()
}

func ofContext(tls *libc.TLS, ctx uintptr) *Engine {
	return find(lib.XJS_GetRuntimeOpaque(tls, lib.XJS_GetRuntime(tls, ctx)))
}

func (e *Engine) class(id lib.TJSClassID, name string, call uintptr) error {
	cname, err := libc.CString(name)
	if err != nil {
		return err
	}
	size := int(unsafe.Sizeof(lib.TJSClassDef{}))
	p := e.tls.Alloc(size)
	defer e.tls.Free(size)
	*(*lib.TJSClassDef)(at(p)) = lib.TJSClassDef{Fclass_name: cname, Ffinalizer: fp(onFree), Fcall: call}
	if lib.XJS_NewClass(e.tls, e.rt, id, p) < 0 {
		return errors.New("JavaScript: not enough memory")
	}
	libc.Xfree(e.tls, cname)
	return nil
}

// Interrupt ends the JavaScript that runs. It may be called from any goroutine.
func (e *Engine) Interrupt() { e.stop.Store(true) }

func onInterrupt(_ *libc.TLS, _, id uintptr) int32 {
	e := find(id)
	if e == nil || e.fatal != nil {
		return 1
	}
	if e.stop.Load() {
		e.fatal = ErrInterrupted
		return 1
	}
	if e.Poll != nil {
		if e.fatal = e.Poll(); e.fatal != nil {
			return 1
		}
	}
	return 0
}

func onRejection(_ *libc.TLS, _ uintptr, promise, reason Value, handled int32, id uintptr) {
	if e := find(id); e != nil && e.Rejected != nil {
		e.Rejected(promise, reason, handled != 0)
	}
}

// onFree is called when an object that holds a value of Go is freed.
func onFree(tls *libc.TLS, rt uintptr, v Value) {
	e := find(lib.XJS_GetRuntimeOpaque(tls, rt))
	if e == nil {
		return
	}
	id := e.number(v)
	x, ok := e.held[id]
	delete(e.held, id)
	if ok && e.Released != nil {
		e.Released(x)
	}
}

// number returns the number of an object that holds a value of Go; 0 if it is none.
func (e *Engine) number(v Value) uintptr {
	if v.Ftag != lib.EJS_TAG_OBJECT {
		return 0
	}
	switch lib.XJS_GetClassID(e.tls, v) {
	case classFunction:
		return lib.XJS_GetOpaque(e.tls, v, classFunction)
	case classHolder:
		return lib.XJS_GetOpaque(e.tls, v, classHolder)
	}
	return 0
}

func onCall(tls *libc.TLS, ctx uintptr, fn, this Value, argc int32, argv uintptr, _ int32) Value {
	e := ofContext(tls, ctx)
	if e == nil {
		return exception
	}
	x := e.held[e.number(fn)]
	return e.native(func(this Value, args []Value) (Value, error) { return e.Called(x, this, args) }, this, argc, argv)
}

func onNative(tls *libc.TLS, ctx uintptr, this Value, argc int32, argv uintptr, magic int32) Value {
	e := ofContext(tls, ctx)
	if e == nil {
		return exception
	}
	return e.native(e.natives[magic], this, argc, argv)
}

// native calls a function of Go for JavaScript.
func (e *Engine) native(f Native, this Value, argc int32, argv uintptr) Value {
	var args []Value
	if argc > 0 {
		args = append(args, unsafe.Slice((*Value)(at(argv)), int(argc))...)
	}
	v, err := f(this, args)
	if err == nil && e.fatal == nil && !e.stop.Load() {
		return v
	}
	if err == nil {
		e.Free(v)
		if err = e.fatal; err == nil {
			err = ErrInterrupted
		}
	}
	var t *Thrown
	if e.fatal == nil && errors.As(err, &t) {
		return lib.XJS_Throw(e.tls, e.ctx, t.Value)
	}
	if e.fatal == nil {
		e.fatal = err
	}
	lib.XJS_Throw(e.tls, e.ctx, e.NewString("interrupted"))
	lib.XJS_SetUncatchableException(e.tls, e.ctx, 1)
	return exception
}

// outcome returns the result of a call, or its error.
func (e *Engine) outcome(v Value) (Value, error) {
	if v.Ftag != lib.EJS_TAG_EXCEPTION {
		return v, nil
	}
	x := lib.XJS_GetException(e.tls, e.ctx)
	lib.XJS_SetUncatchableException(e.tls, e.ctx, 0)
	if e.fatal != nil {
		e.Free(x)
		return Undefined, e.fatal
	}
	return Undefined, &Thrown{x}
}

// Begin is called where Go calls JavaScript and none is running: what has ended the one before is
// forgotten, and values are freed that Go does not refer to any more.
func (e *Engine) Begin() {
	e.fatal = nil
	e.stop.Store(false)
	e.dropAll()
}

// dropAll frees what was dropped.
func (e *Engine) dropAll() {
	if !e.full.Load() {
		return
	}
	e.mu.Lock()
	drops := e.drops
	e.drops = nil
	e.full.Store(false)
	e.mu.Unlock()
	for _, v := range drops {
		e.Free(v)
	}
}

// minMark is the least of Engine.mark, unless the engine's memory is smaller.
const minMark = 4 << 20

// Kept is called when Go begins to refer to a value. When the engine's memory has doubled, or half of
// what was left of it is used, Go's collector runs, which does not see that memory, so that values
// are dropped.
func (e *Engine) Kept() {
	e.dropAll()
	if used(e) <= e.mark {
		return
	}
	collect(e)
	now := used(e)
	e.mark = max(2*now, minMark)
	if left := e.memory - min(now, e.memory); e.memory > 0 {
		e.mark = min(e.mark, now+left/2)
	}
}

// used returns the bytes that the engine has allocated.
func used(e *Engine) uint64 {
	return uint64((*lib.TJSRuntime)(at(e.rt)).Fmalloc_ctx.Fmalloc_state.Fmalloc_size)
}

// collect runs Go's collector and frees what it found. The cleanups run on goroutines of their own,
// which a busy machine delays: they are waited for, a moment each time, as long as they go on.
func collect(e *Engine) {
	done := make(chan struct{})
	func() {
		last := new([16]byte)
		runtime.AddCleanup(last, func(c chan struct{}) { close(c) }, done)
	}()
	runtime.GC()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
	for range 100 {
		if !e.full.Load() {
			break
		}
		e.dropAll()
		time.Sleep(100 * time.Microsecond)
	}
	e.dropAll()
}

// Drop arranges for a value to be freed. It may be called from any goroutine.
func (e *Engine) Drop(v Value) {
	e.mu.Lock()
	e.drops = append(e.drops, v)
	e.full.Store(true)
	e.mu.Unlock()
}

// Free ends a reference to a value.
func (e *Engine) Free(v Value) { lib.XFreeValue(e.tls, e.ctx, v) }

// Dup returns another reference to a value.
func (e *Engine) Dup(v Value) Value { return lib.XDupValue(e.tls, e.ctx, v) }

// Call calls a function.
func (e *Engine) Call(fn, this Value, args ...Value) (Value, error) {
	p := uintptr(0)
	if n := len(args) * int(unsafe.Sizeof(Value{})); n > 0 {
		p = e.tls.Alloc(n)
		defer e.tls.Free(n)
		copy(unsafe.Slice((*Value)(at(p)), len(args)), args)
	}
	return e.outcome(lib.XJS_Call(e.tls, e.ctx, fn, this, int32(len(args)), p))
}

// Eval runs a script, and returns its value.
func (e *Engine) Eval(name, source string) (Value, error) {
	return e.eval(name, source, lib.MJS_EVAL_TYPE_GLOBAL)
}

func (e *Engine) eval(name, source string, flags int32) (Value, error) {
	src, err := libc.CString(source)
	if err != nil {
		return Undefined, err
	}
	defer libc.Xfree(e.tls, src)
	file, err := libc.CString(name)
	if err != nil {
		return Undefined, err
	}
	defer libc.Xfree(e.tls, file)
	return e.outcome(lib.XJS_Eval(e.tls, e.ctx, src, lib.Tsize_t(len(source)), file, flags))
}

// Job does the first job of the queue of microtasks. ok is false if there is none.
func (e *Engine) Job() (ok bool, err error) {
	p := e.tls.Alloc(16)
	defer e.tls.Free(16)
	switch n := lib.XJS_ExecutePendingJob(e.tls, e.rt, p); {
	case n < 0:
		_, err = e.outcome(exception)
		return true, err
	default:
		if e.fatal != nil {
			return n > 0, e.fatal
		}
		return n > 0, nil
	}
}

// JobPending reports whether there is a microtask to do.
func (e *Engine) JobPending() bool { return lib.XJS_IsJobPending(e.tls, e.rt) != 0 }

// NewNative returns a function of JavaScript that calls one of Go.
func (e *Engine) NewNative(name string, params int, f Native) Value {
	cname, err := libc.CString(name)
	if err != nil {
		return Undefined
	}
	defer libc.Xfree(e.tls, cname)
	e.natives = append(e.natives, f)
	return lib.XJS_NewCFunction2(
		e.tls, e.ctx, fp(onNative), cname, int32(params), lib.EJS_CFUNC_generic_magic, int32(len(e.natives)-1),
	)
}

// NewHolder returns an object without properties and prototype that holds a value of Go, or, if it
// is to be called, a function: see Called.
func (e *Engine) NewHolder(x any, function bool) Value {
	class := classHolder
	if function {
		class = classFunction
	}
	v := lib.XJS_NewObjectClass(e.tls, e.ctx, int32(class))
	if v.Ftag != lib.EJS_TAG_OBJECT {
		return v
	}
	e.last++
	e.held[e.last] = x
	lib.XJS_SetOpaque(e.tls, v, e.last)
	if !function {
		lib.XJS_PreventExtensions(e.tls, e.ctx, v)
	}
	return v
}

// Held returns what an object of NewHolder holds.
func (e *Engine) Held(v Value) any {
	if id := e.number(v); id != 0 {
		return e.held[id]
	}
	return nil
}

// KindOf returns the kind of a value.
func KindOf(v Value) Kind {
	switch int32(v.Ftag) {
	case lib.EJS_TAG_UNDEFINED:
		return KindUndefined
	case lib.EJS_TAG_NULL:
		return KindNull
	case lib.EJS_TAG_BOOL:
		return KindBoolean
	case lib.EJS_TAG_INT, lib.EJS_TAG_FLOAT64:
		return KindNumber
	case lib.EJS_TAG_BIG_INT, lib.EJS_TAG_SHORT_BIG_INT:
		return KindBigInt
	case lib.EJS_TAG_STRING, lib.EJS_TAG_STRING_ROPE:
		return KindString
	case lib.EJS_TAG_SYMBOL:
		return KindSymbol
	case lib.EJS_TAG_OBJECT:
		return KindObject
	}
	return KindOther
}

// IsFunction reports whether a value can be called.
func (e *Engine) IsFunction(v Value) bool { return lib.XJS_IsFunction(e.tls, e.ctx, v) != 0 }

func bits(v *Value) *uint64 { return (*uint64)(unsafe.Pointer(v)) }

// NewBool returns a boolean.
func NewBool(b bool) Value {
	v := Value{Ftag: lib.EJS_TAG_BOOL}
	if b {
		*bits(&v) = 1
	}
	return v
}

// NewInt returns a number.
func NewInt(n int32) Value {
	v := Value{Ftag: lib.EJS_TAG_INT}
	*bits(&v) = uint64(uint32(n))
	return v
}

// NewNumber returns a number.
func NewNumber(x float64) Value {
	v := Value{Ftag: lib.EJS_TAG_FLOAT64}
	*(*float64)(unsafe.Pointer(&v)) = x
	return v
}

// NewBigInt returns an integer of any size.
func (e *Engine) NewBigInt(n int64) Value { return lib.XJS_NewBigInt64(e.tls, e.ctx, lib.Tint64_t(n)) }

// Bool returns a boolean's value.
func Bool(v Value) bool { return *bits(&v) != 0 }

// Number returns a number's value.
func Number(v Value) float64 {
	if int32(v.Ftag) == lib.EJS_TAG_INT {
		return float64(int32(uint32(*bits(&v))))
	}
	return *(*float64)(unsafe.Pointer(&v))
}

// ToInt32 converts a value as the language does, as ToBigInt64 and ToFloat64 do.
func (e *Engine) ToInt32(v Value) (int32, error) { return converted[int32](e, v, lib.XJS_ToInt32) }

// ToBigInt64 converts a value to an integer, modulo 2⁶⁴.
func (e *Engine) ToBigInt64(v Value) (int64, error) {
	return converted[int64](e, v, lib.XJS_ToBigInt64)
}

// ToFloat64 converts a value to a number.
func (e *Engine) ToFloat64(v Value) (float64, error) {
	return converted[float64](e, v, lib.XJS_ToFloat64)
}

// converted returns the number that a function of the engine writes for a value.
func converted[T int32 | int64 | float64](
	e *Engine, v Value, to func(tls *libc.TLS, ctx, p uintptr, v Value) int32,
) (T, error) {
	p := e.tls.Alloc(16)
	defer e.tls.Free(16)
	if to(e.tls, e.ctx, p, v) != 0 {
		_, err := e.outcome(exception)
		return 0, err
	}
	return *(*T)(at(p)), nil
}

// lend calls a function with the address of a copy of some bytes, which is good until it returns.
// The address of Go's own is not good enough: what stands on a goroutine's stack moves when the
// stack grows, also while the engine runs. It reports whether there is memory for the copy.
func lend[B []byte | string](e *Engine, b B, call func(p uintptr)) bool {
	p := libc.Xmalloc(e.tls, libc.Tsize_t(len(b)+1))
	if p == 0 {
		return false
	}
	defer libc.Xfree(e.tls, p)
	copy(unsafe.Slice((*byte)(at(p)), len(b)), b)
	call(p)
	return true
}

// NewString returns a string of a text in UTF-8, or in WTF-8; undefined if there is no memory.
func (e *Engine) NewString(s string) (v Value) {
	if !lend(e, s, func(p uintptr) { v = lib.XJS_NewStringLen(e.tls, e.ctx, p, lib.Tsize_t(len(s))) }) {
		return Undefined
	}
	return v
}

// Text returns a value as a string, in WTF-8.
func (e *Engine) Text(v Value) ([]byte, error) {
	n := e.tls.Alloc(16)
	defer e.tls.Free(16)
	p := lib.XJS_ToCStringLen2(e.tls, e.ctx, n, v, 0)
	if p == 0 {
		_, err := e.outcome(exception)
		return nil, err
	}
	b := append([]byte(nil), unsafe.Slice((*byte)(at(p)), int(*(*lib.Tsize_t)(at(n))))...)
	lib.XJS_FreeCString(e.tls, e.ctx, p)
	return b, nil
}

func (e *Engine) property(v Value, name string) Value {
	cname, err := libc.CString(name)
	if err != nil {
		return Undefined
	}
	defer libc.Xfree(e.tls, cname)
	return lib.XJS_GetPropertyStr(e.tls, e.ctx, v, cname)
}

// Property returns a property of an object.
func (e *Engine) Property(v Value, name string) (Value, error) { return e.outcome(e.property(v, name)) }

// Element returns an element of an array.
func (e *Engine) Element(v Value, i int) (Value, error) {
	return e.outcome(lib.XJS_GetPropertyUint32(e.tls, e.ctx, v, lib.Tuint32_t(i)))
}

// Define sets a property of an object, whose value it takes. One that is hidden is configurable only.
func (e *Engine) Define(v Value, name string, x Value, hidden bool) {
	cname, err := libc.CString(name)
	if err != nil {
		return
	}
	defer libc.Xfree(e.tls, cname)
	flags := int32(lib.MJS_PROP_C_W_E)
	if hidden {
		flags = lib.MJS_PROP_CONFIGURABLE
	}
	lib.XJS_DefinePropertyValueStr(e.tls, e.ctx, v, cname, x, flags)
}

// NewObject returns an empty object.
func (e *Engine) NewObject() Value { return lib.XJS_NewObject(e.tls, e.ctx) }

// NewArray returns an array of values, which it takes.
func (e *Engine) NewArray(vs ...Value) Value {
	a := lib.XJS_NewArray(e.tls, e.ctx)
	for i, v := range vs {
		lib.XJS_SetPropertyUint32(e.tls, e.ctx, a, lib.Tuint32_t(i), v)
	}
	return a
}

// Throw returns a value as an error to return to JavaScript, which takes it.
func Throw(v Value) error { return &Thrown{v} }

// NewBuffer returns an ArrayBuffer on bytes of Go's heap, which must be referred to until Detach:
// there they do not move.
func (e *Engine) NewBuffer(b []byte) Value {
	p := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	if len(b) == 0 {
		return lib.XJS_NewArrayBufferCopy(e.tls, e.ctx, 0, 0)
	}
	return lib.XJS_NewArrayBuffer(e.tls, e.ctx, p, lib.Tsize_t(len(b)), fp(onFreeBuffer), 0, 0)
}

func onFreeBuffer(*libc.TLS, uintptr, uintptr, uintptr) {}

// NewBufferCopy returns an ArrayBuffer with a copy of bytes; undefined if there is no memory.
func (e *Engine) NewBufferCopy(b []byte) (v Value) {
	if !lend(e, b, func(p uintptr) { v = lib.XJS_NewArrayBufferCopy(e.tls, e.ctx, p, lib.Tsize_t(len(b))) }) {
		return Undefined
	}
	return v
}

// Detach takes the bytes from an ArrayBuffer.
func (e *Engine) Detach(v Value) { lib.XJS_DetachArrayBuffer(e.tls, e.ctx, v) }

// Bytes returns a copy of the bytes of an ArrayBuffer; ok is false if it is none.
func (e *Engine) Bytes(v Value) (b []byte, ok bool) {
	n := e.tls.Alloc(16)
	defer e.tls.Free(16)
	p := lib.XJS_GetArrayBuffer(e.tls, e.ctx, n, v)
	if p == 0 {
		x := lib.XJS_GetException(e.tls, e.ctx)
		none := int32(x.Ftag) == lib.EJS_TAG_NULL || int32(x.Ftag) == lib.EJS_TAG_UNINITIALIZED
		e.Free(x)
		return nil, none
	}
	return append([]byte(nil), unsafe.Slice((*byte)(at(p)), int(*(*lib.Tsize_t)(at(n))))...), true
}

// Part returns a copy of some bytes of an ArrayBuffer; ok is false if it is none, or has not so many.
func (e *Engine) Part(v Value, from, n int) (b []byte, ok bool) {
	size := e.tls.Alloc(16)
	defer e.tls.Free(16)
	p := lib.XJS_GetArrayBuffer(e.tls, e.ctx, size, v)
	if p == 0 {
		e.Free(lib.XJS_GetException(e.tls, e.ctx))
		return nil, n == 0
	}
	if all := int(*(*lib.Tsize_t)(at(size))); from < 0 || n < 0 || from > all || n > all-from {
		return nil, false
	}
	return append([]byte(nil), unsafe.Slice((*byte)(at(p+uintptr(from))), n)...), true
}

// Promise returns the state of a promise, and its value or reason.
func (e *Engine) Promise(v Value) (state string, x Value) {
	switch lib.XJS_PromiseState(e.tls, e.ctx, v) {
	case lib.EJS_PROMISE_FULFILLED:
		return "fulfilled", lib.XJS_PromiseResult(e.tls, e.ctx, v)
	case lib.EJS_PROMISE_REJECTED:
		return "rejected", lib.XJS_PromiseResult(e.tls, e.ctx, v)
	}
	return "pending", Undefined
}
