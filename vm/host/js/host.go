//go:build !js

package js

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"sync"

	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/vm/host/js/engine"
	"stackscope/wasm"
)

//go:embed prelude.js
var prelude string

// Host is JavaScript for one machine: an engine with the surroundings that glue expects.
type Host struct {
	*realm
	loop *host.Loop
	o    Options
	ctx  context.Context
	// depth counts the calls of JavaScript in progress.
	depth    int
	random   *rand.Rand
	rejected []rejection
	queued   bool // a job of the loop is to do the microtasks

	program *wasm.Module // whose bytes the glue fetches
	rest    vm.Imports
	make    func(vm.Imports) (*vm.Instance, error) // instantiates it
	in      *vm.Instance                           // that it has made
	called  map[string]bool
	settled bool // the glue is evaluated
	failure error
}

// realm is the engine of a host, and what makes values of the machine and of JavaScript the same.
type realm struct {
	m       *vm.Machine
	e       *engine.Engine
	mu      sync.Mutex              // held while JavaScript runs
	lib     map[string]engine.Value // of the prelude
	tag     *vm.Tag                 // of the exceptions of JavaScript
	objects map[any]engine.Value    // for functions, memories, tables, globals and tags
	opaques map[any]engine.Value    // see opaque; not counted
	buffers map[*vm.Memory]buffer
}

// buffer is the ArrayBuffer of a memory, for as long as the memory stays where it is.
type buffer struct {
	bytes []byte
	val   engine.Value
}

// rejection is a promise that was rejected, and that nobody has asked for.
type rejection struct{ promise, reason engine.Value }

// New starts an engine for a machine. The event loop takes timers, and runs what promises cause.
func New(m *vm.Machine, loop *host.Loop, o Options) (*Host, error) {
	o = o.defaults()
	e, err := engine.New(o.Memory)
	if err != nil {
		return nil, err
	}
	r := &realm{
		m: m, e: e, lib: map[string]engine.Value{}, tag: m.NewTag("$JSTag", []wasm.ValType{wasm.ExternRef}, nil),
		objects: map[any]engine.Value{}, opaques: map[any]engine.Value{}, buffers: map[*vm.Memory]buffer{},
	}
	h := &Host{
		realm: r, loop: loop, o: o, ctx: context.Background(), random: rand.New(rand.NewPCG(o.Seed, 0)),
		called: map[string]bool{},
	}
	e.Released, e.Called, e.Rejected, e.Resolve = h.released, h.call, h.onRejection, h.resolve
	e.Poll = func() error {
		if err := h.ctx.Err(); err != nil {
			return vm.NewTrap(wasm.TrapInterrupted, "")
		}
		return m.Charge(pollWork)
	}
	err = h.inside(context.Background(), func() error {
		f, err := e.Eval("host.js", prelude)
		if err != nil {
			return h.describeThrown(err)
		}
		defer e.Free(f)
		n := h.natives()
		defer e.Free(n)
		lib, err := e.Call(f, engine.Undefined, n)
		if err != nil {
			return h.describeThrown(err)
		}
		defer e.Free(lib)
		for _, name := range preludeNames {
			if h.lib[name], err = e.Property(lib, name); err != nil {
				return err
			}
		}
		return nil
	})
	return h, err
}

// pollWork is the work of the instructions of JavaScript between two looks at the machine, in bytes
// as of a bulk instruction.
const pollWork = 1 << 14

// preludeNames are the functions of the prelude that the host calls.
var preludeNames = []string{
	"handle", "wrap", "error", "fire", "list", "other", "text", "uncaught", "exports", "then", "deferred", "run",
}

// Close frees what the engine has. The host, and values of it, must not be used any more.
func (h *Host) Close() {
	h.e.Interrupt()
	h.lib, h.objects, h.buffers = nil, nil, nil
}

// prelude calls a function of the prelude.
func (h *realm) prelude(name string, args ...engine.Value) (engine.Value, error) {
	return h.e.Call(h.lib[name], engine.Undefined, args...)
}

// inside runs a function that calls JavaScript. When the outermost one returns, microtasks are left
// to the event loop: code of the program may be running that called JavaScript.
func (h *Host) inside(ctx context.Context, run func() error) error {
	outer := h.ctx
	h.ctx = ctx
	h.depth++
	h.mu.Lock()
	if h.depth == 1 {
		h.e.Begin()
	}
	h.detach()
	defer func() {
		h.mu.Unlock()
		h.depth--
		h.ctx = outer
		if h.depth == 0 && !h.queued && h.e.JobPending() {
			h.queued = true
			h.loop.Soon("microtasks", h.microtasks)
		}
	}()
	return run()
}

// outside runs a function that leaves JavaScript: it calls the program.
func (h *Host) outside(run func() error) error {
	depth := h.depth
	h.mu.Unlock()
	defer func() {
		h.depth = depth
		h.mu.Lock()
		h.detach()
	}()
	return run()
}

// microtasks does what promises have caused, and what that causes in turn.
func (h *Host) microtasks(ctx context.Context) error {
	h.queued = false
	return h.inside(ctx, func() error {
		for {
			ok, err := h.e.Job()
			if err != nil {
				return h.describeThrown(err)
			}
			if !ok {
				return h.unhandled()
			}
		}
	})
}

// task is inside for a job of the event loop: microtasks follow it.
func (h *Host) task(ctx context.Context, run func() error) error {
	if err := h.inside(ctx, run); err != nil {
		return h.describeThrown(err)
	}
	return h.microtasks(ctx)
}

// onRejection records a promise that was rejected while nobody had asked for it.
func (h *Host) onRejection(promise, reason engine.Value, handled bool) {
	if !handled {
		h.rejected = append(h.rejected, rejection{h.e.Dup(promise), h.e.Dup(reason)})
		return
	}
	for i, r := range h.rejected {
		if r.promise == promise {
			h.e.Free(r.promise)
			h.e.Free(r.reason)
			h.rejected = append(h.rejected[:i], h.rejected[i+1:]...)
			return
		}
	}
}

// unhandled returns the error of the first promise that was rejected, and that nobody asks for.
func (h *Host) unhandled() error {
	if len(h.rejected) == 0 {
		return nil
	}
	r := h.rejected[0]
	h.rejected = h.rejected[1:]
	h.e.Free(r.promise)
	return h.describeThrown(engine.Throw(r.reason))
}

// Error is an exception of JavaScript that nothing has caught.
type Error struct {
	Text string // as V8 prints it, with the stack of JavaScript
	Err  error  // the exception of the VM, if the program has passed it on
}

// Error returns the text.
func (e *Error) Error() string { return "uncaught exception of JavaScript: " + e.Text }

// Unwrap returns the VM's exception.
func (e *Error) Unwrap() error { return e.Err }

// describeThrown returns an uncaught exception of JavaScript as an error that ends the program.
func (h *realm) describeThrown(err error) error {
	var t *engine.Thrown
	if !errors.As(err, &t) {
		return err
	}
	if x, ok := h.holds(t.Value).(trapped); ok {
		h.e.Free(t.Value)
		return x.err
	}
	if x, ok := h.holds(t.Value).(raised); ok {
		h.e.Free(t.Value)
		return x.x
	}
	text := h.uncaught(t.Value)
	h.e.Free(t.Value)
	return &Error{Text: text}
}

// uncaught returns the text of a value that was thrown.
func (h *realm) uncaught(v engine.Value) string {
	if h.lib["uncaught"] == (engine.Value{}) {
		b, _ := h.e.Text(v)
		return string(b)
	}
	s, err := h.prelude("uncaught", v)
	if err == nil {
		defer h.e.Free(s)
		if b, err := h.e.Text(s); err == nil {
			return string(b)
		}
	}
	return "a value that has no text"
}

// Describe returns an exception of JavaScript as V8 prints it; ok is false if the error is none.
func (h *Host) Describe(err error) (text string, ok bool) {
	var x *vm.Exception
	if !errors.As(err, &x) || x.Tag != h.tag || len(x.Values) != 1 {
		return "", false
	}
	err = h.inside(context.Background(), func() error {
		v, err := h.toJS(x.Values[0])
		if err != nil {
			return err
		}
		defer h.e.Free(v)
		text = h.uncaught(v)
		return nil
	})
	return text, err == nil
}

// Tag returns the tag of the exceptions of JavaScript.
func (h *Host) Tag() *vm.Tag { return h.tag }

// Run evaluates the glue of a program, which instantiates the program by make, once, with imports:
// those that the glue offers, else the JS String Builtins and string constants, else rest. It returns
// the instance when the glue is evaluated, as far as the event loop has to run for that. If the glue
// itself calls exports, they have run; see Called.
func (h *Host) Run(
	ctx context.Context, mod *wasm.Module, rest vm.Imports, make func(vm.Imports) (*vm.Instance, error),
) (*vm.Instance, error) {
	h.program, h.rest, h.make = mod, rest, make
	err := h.task(ctx, func() error {
		path, file, modules := engine.Null, h.e.NewString("/"+filepath.Base(h.o.Path)), h.e.NewObject()
		if h.o.Glue != "" {
			path = h.e.NewString("/" + filepath.Base(h.o.Glue))
		}
		for name, p := range h.o.Modules {
			h.e.Define(modules, name, h.e.NewString(root+name+"/"+filepath.Base(p)), false)
		}
		defer h.freeAll([]engine.Value{path, file, modules})
		p, err := h.prelude("run", path, file, modules)
		if err != nil {
			return err
		}
		defer h.e.Free(p)
		ok := h.e.NewNative("", 1, func(engine.Value, []engine.Value) (engine.Value, error) {
			h.settled = true
			return engine.Undefined, nil
		})
		bad := h.e.NewNative("", 1, func(_ engine.Value, args []engine.Value) (engine.Value, error) {
			h.settled = true
			h.failure = h.describeThrown(engine.Throw(h.e.Dup(args[0])))
			return engine.Undefined, nil
		})
		defer h.freeAll([]engine.Value{ok, bad})
		_, err = h.prelude("then", p, ok, bad)
		return err
	})
	for err == nil && !h.settled && h.in == nil {
		j, ok := h.loop.Next(1<<64 - 1)
		if !ok {
			break
		}
		h.loop.SetOrigin(j.Origin)
		err = j.Run(ctx)
	}
	switch {
	case err != nil:
		return h.in, err
	case h.failure != nil:
		return h.in, h.failure
	case h.in == nil:
		return nil, fmt.Errorf("%s: the JavaScript does not instantiate %s", h.o.Glue, filepath.Base(h.o.Path))
	}
	return h.in, nil
}

// Failure returns the error of the glue, if its evaluation has failed after Run.
func (h *Host) Failure() error { return h.failure }

// Called reports whether the glue has called an export of the program.
func (h *Host) Called(export string) bool { return h.called[export] }

// resolve finds a module that another one imports: a file in the directory of the glue.
func (h *Host) resolve(base, name string) (path, source string, err error) {
	file, shown, err := h.o.file(base, name)
	if err != nil {
		return "", "", err
	}
	b, err := h.o.Read(file)
	if err != nil {
		return "", "", fmt.Errorf("the module %q cannot be read: %w", name, err)
	}
	return shown, string(b), nil
}

// onWrite writes to the program's output.
func (h *Host) onWrite(fd int, text string) error {
	w := h.o.Stdout
	if fd == 2 {
		w = h.o.Stderr
	}
	_, err := io.WriteString(w, text)
	return err
}
