//go:build !js

package js

import (
	"context"
	"errors"
	"fmt"

	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/vm/host/js/engine"
	"stackscope/wasm"
)

// suspending is what a WebAssembly.Suspending holds: a function whose promises calls wait for.
type suspending struct{ fn engine.Value }

// promising is what a function of WebAssembly.promising holds.
type promising struct{ fn *vm.Func }

// importFunc makes an import of any type that calls a function of JavaScript, which it keeps.
func (h *Host) importFunc(t vm.Declared, fn engine.Value, waits bool) *vm.Func {
	return h.m.NewFuncAs(t.Module+"."+t.Name, t, func(c *vm.Call) error {
		if a, ok := c.Resumed(); ok {
			return h.resumed(c, t, a)
		}
		return h.inside(c.Context(), func() error {
			v, err := h.callJS(fn, c.Args())
			if err != nil {
				return h.fromThrown(err)
			}
			defer h.e.Free(v)
			if waits {
				return h.suspend(c, v)
			}
			vs, err := h.toResults(v, t.Results)
			if err != nil {
				return h.fromThrown(err)
			}
			if len(vs) > 0 {
				c.Return(vs...)
			}
			return nil
		})
	})
}

// callJS calls a function with values of the program.
func (h *Host) callJS(fn engine.Value, vs []vm.Value) (engine.Value, error) {
	args := make([]engine.Value, len(vs))
	defer h.freeAll(args)
	for i, v := range vs {
		var err error
		if args[i], err = h.toJS(v); err != nil {
			return engine.Undefined, err
		}
	}
	return h.e.Call(fn, engine.Undefined, args...)
}

// waiting is what a call waits for that called a Suspending: the outcome of a promise.
type waiting struct {
	ref    vm.Ref // the value
	thrown *engine.Thrown
}

// suspend suspends the host call in progress until a promise is settled.
func (h *Host) suspend(c *vm.Call, v engine.Value) error {
	p, err := h.loop.New(c.Func().String())
	if err != nil {
		return err
	}
	p.Handled()
	if err := c.Suspend(p); err != nil && isTrap(err) {
		p.Reject(host.Reason{Err: err})
		return err
	} else if err != nil {
		if terr := h.follow(p, v); terr != nil {
			return h.fromThrown(terr)
		}
		return err
	}
	return nil
}

func isTrap(err error) bool {
	var t *vm.Trap
	return errors.As(err, &t)
}

// follow settles a promise of the loop as one of JavaScript, or with a value that is none.
func (h *Host) follow(p *host.Promise, v engine.Value) error {
	ok := h.e.NewHolder(outcome{p, false}, true)
	bad := h.e.NewHolder(outcome{p, true}, true)
	defer h.freeAll([]engine.Value{ok, bad})
	r, err := h.prelude("then", v, ok, bad)
	if err == nil {
		h.e.Free(r)
	}
	return err
}

// outcome is a function that settles a promise of the loop.
type outcome struct {
	p   *host.Promise
	bad bool
}

func (s outcome) call(h *Host, args []engine.Value) (engine.Value, error) {
	v := engine.Undefined
	if len(args) > 0 {
		v = args[0]
	}
	// The promise has the value as it is: what type the import wants is seen when the call continues.
	w := waiting{}
	if s.bad {
		w.thrown = &engine.Thrown{Value: h.e.Dup(v)}
		s.p.Resolve(vm.HostValue(w))
		return engine.Undefined, nil
	}
	o := h.object(h.e.Dup(v), "object")
	w.ref = o
	s.p.Resolve(vm.HostValue(w))
	return engine.Undefined, nil
}

// resumed returns from an import whose call continues.
func (h *Host) resumed(c *vm.Call, t vm.Declared, a vm.Answer) error {
	if a.Err != nil {
		return a.Err
	}
	if len(a.Values) != 1 {
		return errors.New("the promise has no value")
	}
	x, _ := a.Values[0].Ref.Host()
	w, ok := x.(waiting)
	if !ok {
		return errors.New("the call was suspended by another host")
	}
	return h.inside(c.Context(), func() error {
		if w.thrown != nil {
			return h.fromThrown(w.thrown)
		}
		x, _ := w.ref.Host()
		vs, err := h.toResults(x.(*Object).val, t.Results)
		if err != nil {
			return h.fromThrown(err)
		}
		if len(vs) > 0 {
			c.Return(vs...)
		}
		return nil
	})
}

// call is what the engine calls for a function that is not its own.
func (h *Host) call(held any, _ engine.Value, args []engine.Value) (engine.Value, error) {
	switch f := held.(type) {
	case *vm.Func:
		vs, err := h.params(f, args)
		if err != nil {
			return engine.Undefined, err
		}
		var out []vm.Value
		ctx := h.ctx
		if err = h.outside(func() error {
			if h.m.Running() == nil && h.loop.Calling != nil {
				h.loop.Calling()
			}
			out, err = h.m.Call(ctx, f, vs...)
			return err
		}); err != nil {
			return engine.Undefined, h.toThrown(err)
		}
		return h.fromResults(out)
	case promising:
		vs, err := h.params(f.fn, args)
		if err != nil {
			return engine.Undefined, err
		}
		var p *host.Promise
		ctx := h.ctx
		if err = h.outside(func() error {
			if h.m.Running() == nil && h.loop.Calling != nil {
				h.loop.Calling()
			}
			p, err = h.loop.Call(ctx, h.m, f.fn, "call of "+f.fn.String(), vs...)
			return err
		}); err != nil {
			return engine.Undefined, h.toThrown(err)
		}
		return h.promise(p)
	case outcome:
		return f.call(h, args)
	}
	return engine.Undefined, h.typeError("not a function")
}

// params converts the arguments of a call of the program.
func (h *Host) params(f *vm.Func, args []engine.Value) ([]vm.Value, error) {
	ts := h.m.FuncParams(f)
	if in := f.Instance(); in != nil && in == h.in {
		for _, e := range in.Module().Exports {
			if e.Kind == wasm.ExternFunc && e.Index == f.Index() {
				h.called[e.Name] = true
			}
		}
	}
	vs := make([]vm.Value, len(ts))
	for i, t := range ts {
		v := engine.Undefined
		if i < len(args) {
			v = args[i]
		}
		var err error
		if vs[i], err = h.toWasm(v, t); err != nil {
			return nil, err
		}
	}
	return vs, nil
}

// promise returns a promise of JavaScript that is settled as one of the loop.
func (h *Host) promise(p *host.Promise) (engine.Value, error) {
	list, err := h.prelude("deferred")
	if err != nil {
		return engine.Undefined, err
	}
	defer h.e.Free(list)
	xs, err := h.elements(list)
	if err != nil {
		return engine.Undefined, err
	}
	q, resolve, reject := xs[0], xs[1], xs[2]
	p.Settled("settle a promise of JavaScript", func(ctx context.Context) error {
		return h.task(ctx, func() error {
			defer h.freeAll([]engine.Value{resolve, reject})
			f, v, err := resolve, engine.Undefined, error(nil)
			if p.State() == host.Rejected {
				f = reject
				var t *engine.Thrown
				if errors.As(h.toThrown(p.Reason().Err), &t) {
					v = t.Value
				}
			} else if v, err = h.fromResults(p.Values()); err != nil {
				return err
			}
			defer h.e.Free(v)
			r, err := h.e.Call(f, engine.Undefined, v)
			if err == nil {
				h.e.Free(r)
			}
			return err
		})
	})
	return q, nil
}

// function returns the function of JavaScript that calls one of the program.
func (h *realm) function(fn *vm.Func) engine.Value {
	if v, ok := h.objects[fn]; ok {
		return h.e.Dup(v)
	}
	v := h.e.NewHolder(fn, true)
	h.e.Define(v, "name", h.e.NewString(fmt.Sprint(fn.Index())), true)
	h.e.Define(v, "length", engine.NewInt(int32(len(h.m.FuncParams(fn)))), true)
	h.objects[fn] = h.e.Dup(v)
	return v
}
