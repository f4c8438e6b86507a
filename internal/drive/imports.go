package drive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/wasm"
)

// provided is an import that the script provides.
type provided struct {
	calls   int             // how many there were
	pending []*host.Promise // that calls have got and the script may settle, oldest first
}

// oldest returns the oldest promise that is pending; nil if there is none.
func (x *provided) oldest() *host.Promise {
	x.pending = slices.DeleteFunc(x.pending, func(p *host.Promise) bool { return p.State() != host.Pending })
	if len(x.pending) == 0 {
		return nil
	}
	return x.pending[0]
}

// Imports returns what the script provides, then what the host does.
func (r *Run) Imports(hosts vm.Imports) vm.Imports {
	return vm.ImportFunc(func(module, name string, kind wasm.ExternKind) vm.Extern {
		im := Import{module, name}
		if kind != wasm.ExternFunc {
			return hosts.Import(module, name, kind)
		}
		c := r.p.on[im]
		var x vm.Extern
		if c == nil {
			x = hosts.Import(module, name, kind)
		}
		if c == nil && (x != nil || !r.p.suspends[im]) {
			return r.Linked(module, name, x)
		}
		return &vm.Generic{Kind: wasm.ExternFunc, Make: func(t vm.Declared) (vm.Extern, error) {
			return r.provide(im, c, t)
		}}
	})
}

// Linked returns an import that is found elsewhere as the script wants it: if it is suspending, as
// one that waits for the promise that the function returns.
func (r *Run) Linked(module, name string, x vm.Extern) vm.Extern {
	fn, ok := x.(*vm.Func)
	if !ok || !r.p.suspends[Import{module, name}] {
		return x
	}
	return &vm.Generic{Kind: wasm.ExternFunc, Make: func(t vm.Declared) (vm.Extern, error) {
		ft := r.m.Types().Type(fn.Type())
		if len(ft.Results) != 1 || !r.m.Types().MatchVal(ft.Results[0], wasm.ExternRef) {
			return nil, errors.New("it is suspending, but the function gives no promise (externref)")
		}
		if !slices.Equal(ft.Params, t.Params) {
			return nil, errors.New("the parameters differ")
		}
		return r.loop.Func(r.m, module+"."+name, t, true, false,
			func(c *vm.Call, args []vm.Value) (*host.Promise, []vm.Value, error) {
				vs, err := r.m.Call(c.Context(), fn, args...)
				if err != nil {
					return nil, nil, err
				}
				return host.PromiseOf(vs[0]), vs, nil
			}), nil
	}}
}

// provide makes an import that the script provides, c says how; nil: its calls give promises that
// the script settles.
func (r *Run) provide(im Import, c *wast.Command, t vm.Declared) (vm.Extern, error) {
	x := &provided{}
	r.imports[im] = x
	waits := r.p.suspends[im]
	var clauses []*wast.Command
	if c != nil {
		clauses = c.Drive.Clauses
	}
	if len(clauses) == 0 {
		if err := givesPromise(t, waits, true); err != nil {
			return nil, err
		}
	}
	for _, k := range clauses {
		if err := r.fits(k, t, waits); err != nil {
			return nil, err
		}
	}
	return r.loop.Func(r.m, im.String(), t, waits, true,
		func(call *vm.Call, args []vm.Value) (*host.Promise, []vm.Value, error) {
			x.calls++
			if len(clauses) == 0 {
				return r.open(im, x, t, waits)
			}
			return r.clause(clauses[min(x.calls, len(clauses))-1], im, t, args)
		}), nil
}

// open returns a promise for a call that the script settles.
func (r *Run) open(im Import, x *provided, t vm.Declared, waits bool) (*host.Promise, []vm.Value, error) {
	if !waits && len(t.Results) == 0 {
		return nil, nil, nil
	}
	p, err := r.loop.New(im.String())
	if err == nil {
		x.pending = append(x.pending, p)
	}
	return p, nil, err
}

// givesPromise checks that an import may give a promise.
func givesPromise(t vm.Declared, waits, or0 bool) error {
	if waits || or0 && len(t.Results) == 0 || len(t.Results) == 1 && t.Results[0] == wasm.ExternRef {
		return nil
	}
	return fmt.Errorf(
		"its calls give promises: the result is an externref, or a drive script says (suspending %q %q)", t.Module,
		t.Name,
	)
}

// fits checks that a clause of an `on` suits the type of the import.
func (r *Run) fits(k *wast.Command, t vm.Declared, waits bool) error {
	for k.Kind == "after" {
		k = k.Drive.Do
	}
	switch k.Kind {
	case "resolve", "reject":
		return givesPromise(t, waits, false)
	case "return":
		if len(k.Drive.Values) != len(t.Results) {
			return fmt.Errorf(
				"the clause returns %d values, but it has %d results", len(k.Drive.Values), len(t.Results),
			)
		}
	case "invoke":
		for _, v := range t.Results {
			if v.IsRef() && !v.Nullable() {
				return fmt.Errorf("the clause returns zeros, but a result is of type %s", v)
			}
		}
	}
	return nil
}

// clause does what a clause of an `on` says for a call with some arguments.
func (r *Run) clause(k *wast.Command, im Import, t vm.Declared, args []vm.Value) (*host.Promise, []vm.Value, error) {
	due, n := r.loop.Now(), r.p.number[k]
	waits := false
	for k.Kind == "after" {
		ticks := k.Drive.Ticks.Ticks()
		if i, ok := k.Drive.Ticks.Arg(); ok && i < len(args) {
			if ticks = uint64(max(args[i].I64(), 0)); args[i].Type == wasm.I32 {
				ticks = uint64(max(args[i].I32(), 0))
			}
		}
		if due += ticks; due < ticks {
			due = math.MaxUint64
		}
		k, waits = k.Drive.Do, true
	}
	later := func(title string, f func(context.Context) error) error {
		outer := r.loop.Origin()
		r.loop.SetOrigin(n)
		defer r.loop.SetOrigin(outer)
		return r.loop.At(due, title, f)
	}
	switch k.Kind {
	case "return":
		vs, err := r.values(k.Drive, args)
		return nil, vs, err
	case "invoke":
		err := later("call "+k.Action.Export, func(ctx context.Context) error {
			r.loop.SetOrigin(r.p.number[k])
			if err := r.about(ctx, k); err != nil {
				return err
			}
			if r.p.promising[k.Action.Export] {
				return r.callPromising(ctx, k, args)
			}
			return r.call(ctx, k, args)
		})
		return nil, zeros(t.Results), err
	}
	vs, err := r.values(k.Drive, args)
	if err != nil {
		return nil, nil, err
	}
	p, err := r.loop.New(im.String())
	if err != nil {
		return nil, nil, err
	}
	end := func(context.Context) error {
		if k.Kind == "resolve" {
			p.Resolve(vs...)
		} else {
			p.Reject(host.Reason{Values: vs})
		}
		return nil
	}
	if !waits {
		return p, nil, end(nil)
	}
	return p, nil, later("settle "+p.String(), end)
}

// zeros returns the zero values of types.
func zeros(ts []wasm.ValType) []vm.Value {
	vs := make([]vm.Value, len(ts))
	for i, t := range ts {
		vs[i].Type = t
	}
	return vs
}
