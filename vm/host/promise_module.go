package host

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// The module promise: promises, which programs have as externref, for the event loop. A function
// has the type that the importing module declares. T is any number or reference type, and may be
// left out: the promise has no value then. The functions are in promiseFuncs, and in
// docs/reference/drive.md.

// PromiseName and the names of the modules whose imports are exports of the program itself: they
// are called when a promise is fulfilled, or rejected.
const (
	PromiseName = "promise"
	ThenName    = "promise.then"
	CatchName   = "promise.catch"
)

// outcome is what the host does for a call: a promise, or values at once.
type outcome struct {
	promise *Promise
	values  []vm.Value
	own     bool // the promise was made for the call
}

// source does what an import is for.
type source func(c *vm.Call, args []vm.Value) (outcome, error)

// promiseFunc is a function of the module.
type promiseFunc struct {
	params string // of which types: see fitsSignature
	// result is what it returns: "promise", "value" (of any type, none too), "i32",
	// "number" (i32 or i64), "list", "" for none or "promise?" for none or a promise.
	result string
	make   func(l *Loop, m *vm.Machine) source
}

// promiseFuncs are the functions of the module. In params, t stands for a time (i32 or i64), v for
// a value that may be left out, p for a promise, P for any number of promises or lists of them, l
// for a list, i for an i32, f for a function and u for any number of values.
var promiseFuncs = map[string]promiseFunc{
	"new": {"", "promise", func(l *Loop, _ *vm.Machine) source {
		return func(*vm.Call, []vm.Value) (outcome, error) { return l.made("new") }
	}},
	"after": {"tv", "promise", func(l *Loop, _ *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			return l.later("after", args, func(p *Promise) { p.Resolve(args[1:]...) })
		}
	}},
	"fail_after": {"tv", "promise", func(l *Loop, _ *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			return l.later("fail_after", args, func(p *Promise) { p.Reject(Reason{Values: args[1:]}) })
		}
	}},
	"resolved": {"v", "promise", func(l *Loop, _ *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			o, err := l.made("resolved")
			if err == nil {
				o.promise.Resolve(args...)
			}
			return o, err
		}
	}},
	"rejected": {"v", "promise", func(l *Loop, _ *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			o, err := l.made("rejected")
			if err == nil {
				o.promise.Reject(Reason{Values: args})
			}
			return o, err
		}
	}},
	"resolve": {"pv", "", func(*Loop, *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			p, err := promiseArg(args[0])
			if err == nil {
				p.Resolve(args[1:]...)
			}
			return outcome{}, err
		}
	}},
	"reject": {"pv", "", func(*Loop, *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			p, err := promiseArg(args[0])
			if err == nil {
				p.Reject(Reason{Values: args[1:]})
			}
			return outcome{}, err
		}
	}},
	"await": {"p", "value", func(*Loop, *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			if p := PromiseOf(args[0]); p != nil {
				return outcome{promise: p}, nil
			}
			return outcome{values: args}, nil // as in JavaScript, what is no promise is its own value
		}
	}},
	"sleep": {"t", "", func(l *Loop, _ *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			return l.later("sleep", args, func(p *Promise) { p.Resolve() })
		}
	}},
	"state": {"p", "i32", func(*Loop, *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			p, err := promiseArg(args[0])
			if err != nil {
				return outcome{}, err
			}
			return outcome{values: []vm.Value{vm.I32(int32(p.state))}}, nil
		}
	}},
	"value": {"p", "value", func(*Loop, *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			p, err := promiseArg(args[0])
			switch {
			case err != nil:
				return outcome{}, err
			case p.state == Pending:
				return outcome{}, fmt.Errorf("%s is pending: it has no value yet", p)
			case p.state == Rejected && p.reason.Err != nil:
				return outcome{values: []vm.Value{vm.HostValue(p.reason.Err)}}, nil
			case p.state == Rejected:
				return outcome{values: p.reason.Values}, nil
			}
			return outcome{values: p.values}, nil
		}
	}},
	"now": {"", "number", func(l *Loop, _ *vm.Machine) source {
		return func(c *vm.Call, _ []vm.Value) (outcome, error) {
			v := vm.I64(int64(l.now))
			if c.Results()[0] == wasm.I32 {
				v = vm.I32(int32(uint32(l.now)))
			}
			return outcome{values: []vm.Value{v}}, nil
		}
	}},
	"list": {"", "list", func(*Loop, *vm.Machine) source {
		return func(*vm.Call, []vm.Value) (outcome, error) {
			return outcome{values: []vm.Value{vm.HostValue(&List{})}}, nil
		}
	}},
	"push": {"lv", "", func(*Loop, *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			l, err := listArg(args[0])
			switch {
			case err != nil:
				return outcome{}, err
			case len(l.items) >= maxList:
				return outcome{}, fmt.Errorf("a list has at most %d items", maxList)
			case len(args) == 1:
				args = append(args, vm.Value{Type: wasm.ExternRef})
			}
			l.items = append(l.items, args[1])
			return outcome{}, nil
		}
	}},
	"length": {"l", "i32", func(*Loop, *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			l, err := listArg(args[0])
			if err != nil {
				return outcome{}, err
			}
			return outcome{values: []vm.Value{vm.I32(int32(len(l.items)))}}, nil
		}
	}},
	"item": {"li", "value", func(*Loop, *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			l, err := listArg(args[0])
			if err != nil {
				return outcome{}, err
			}
			i := args[1].I32()
			if i < 0 || int(i) >= len(l.items) {
				return outcome{}, fmt.Errorf("item %d of a list with %d items", i, len(l.items))
			}
			return outcome{values: l.items[i : i+1]}, nil
		}
	}},
	"all":         {"P", "promise", combination((*Loop).All)},
	"all_settled": {"P", "promise", combination((*Loop).AllSettled)},
	"any":         {"P", "promise", combination((*Loop).Any)},
	"race":        {"P", "promise", combination((*Loop).Race)},
	"race_index":  {"P", "promise", combination((*Loop).RaceIndex)},
	"then":        {"pfu", "promise?", callback(Fulfilled)},
	"catch":       {"pfu", "promise?", callback(Rejected)},
	"finally":     {"pfu", "promise?", callback(Pending)},
}

// maxList bounds the items of a list.
const maxList = 1 << 16

// PromiseFuncs returns the names of the functions of the module promise, in no order.
func PromiseFuncs() []string {
	var out []string
	for name := range promiseFuncs {
		out = append(out, name)
	}
	return out
}

func (l *Loop) made(from string) (outcome, error) {
	p, err := l.New(from)
	return outcome{promise: p}, err
}

// later makes a promise for a time, args[0] ticks from now.
func (l *Loop) later(from string, args []vm.Value, end func(*Promise)) (outcome, error) {
	ticks := uint64(max(args[0].I64(), 0))
	if args[0].Type == wasm.I32 {
		ticks = uint64(max(args[0].I32(), 0))
	}
	due := l.Later(ticks)
	o, err := l.made(fmt.Sprintf("%s, due at %d", from, due))
	if err == nil {
		err = l.At(due, "settle "+o.promise.String(), func(context.Context) error {
			end(o.promise)
			return nil
		})
	}
	return o, err
}

func combination(f func(*Loop, []vm.Value) (*Promise, error)) func(*Loop, *vm.Machine) source {
	return func(l *Loop, _ *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			var of []vm.Value
			for _, a := range args {
				if list := listOf(a); list != nil {
					of = append(of, list.items...)
				} else {
					of = append(of, a)
				}
			}
			if l.crowded(len(of)) {
				return outcome{}, errJobs
			}
			p, err := f(l, of)
			return outcome{promise: p}, err
		}
	}
}

// crowded reports whether there is no room for so many more reactions.
func (l *Loop) crowded(n int) bool { return l.reactions+n > maxJobs }

func promiseArg(v vm.Value) (*Promise, error) {
	if p := PromiseOf(v); p != nil {
		return p, nil
	}
	if v.Ref.IsNull() {
		return nil, errors.New("null is no promise")
	}
	return nil, errors.New("the reference is no promise")
}

func listArg(v vm.Value) (*List, error) {
	if l := listOf(v); l != nil {
		return l, nil
	}
	if v.Ref.IsNull() {
		return nil, errors.New("null is no list")
	}
	return nil, errors.New("the reference is no list")
}

// callback makes then, catch or finally: a function with values of the user is called when the
// promise is settled like that (Pending: however it is). It gets these values, and the promise's if
// it takes one more.
func callback(when PromiseState) func(*Loop, *vm.Machine) source {
	return func(l *Loop, m *vm.Machine) source {
		return func(_ *vm.Call, args []vm.Value) (outcome, error) {
			p, err := promiseArg(args[0])
			if err != nil {
				return outcome{}, err
			}
			fn := args[1].Ref.Func()
			if fn == nil {
				return outcome{}, errors.New("the callback is null")
			}
			return l.call(m, p, when, fn, args[2:])
		}
	}
}

// call arranges for the call of a function when a promise is settled. The outcome is the promise
// for that of the call.
func (l *Loop) call(m *vm.Machine, p *Promise, when PromiseState, fn *vm.Func, user []vm.Value) (outcome, error) {
	params := m.FuncParams(fn)
	if n := len(params) - len(user); n < 0 || n > 1 {
		return outcome{}, fmt.Errorf(
			"the callback %s takes %d values; it gets %d, and the promise's if it takes one more", fn, len(params),
			len(user),
		)
	}
	for i, v := range user {
		if !m.Fits(v, params[i]) {
			return outcome{}, fmt.Errorf("parameter %d of the callback %s is not of type %s", i, fn, v.Type)
		}
	}
	if l.crowded(1) {
		return outcome{}, errJobs
	}
	name := nameOf(fn)
	out, err := l.New(name)
	if err != nil {
		return outcome{}, err
	}
	p.then("call "+name, l.origin, true, func(ctx context.Context) error {
		if when != Pending && p.state != when { // passed on
			if p.state == Rejected {
				out.Reject(p.reason)
			} else {
				out.Resolve(p.values...)
			}
			return nil
		}
		args := append([]vm.Value{}, user...)
		if len(params) > len(user) {
			v, err := l.lastArg(m, p, params[len(user)])
			if err != nil {
				out.Reject(Reason{Err: fmt.Errorf("the callback %s: %w", fn, err)})
				return nil
			}
			args = append(args, v)
		}
		q, err := l.Call(ctx, m, fn, "call of "+name, args...)
		if err != nil {
			return err
		}
		out.Resolve(q.Value())
		return nil
	})
	return outcome{promise: out}, nil
}

// nameOf returns the name of a function: `$name`, else that of an export of it.
func nameOf(fn *vm.Func) string {
	in := fn.Instance()
	if in == nil || strings.HasPrefix(fn.String(), "$") {
		return fn.String()
	}
	for _, e := range in.Module().Exports {
		if e.Kind == wasm.ExternFunc && e.Index == fn.Index() {
			return strconv.Quote(e.Name)
		}
	}
	return fn.String()
}

// lastArg returns the value of a settled promise as an argument of a callback.
func (l *Loop) lastArg(m *vm.Machine, p *Promise, t wasm.ValType) (vm.Value, error) {
	vs := p.values
	if p.state == Rejected {
		if vs = p.reason.Values; p.reason.Err != nil {
			vs = []vm.Value{vm.HostValue(p.reason.Err)}
		}
	}
	if err := fit(m, vs, []wasm.ValType{t}); err != nil {
		return vm.Value{}, err
	}
	return vs[0], nil
}

// Promises returns the module promise for a machine.
func (l *Loop) Promises(m *vm.Machine) Module {
	mod := Module{"error": &vm.Generic{Kind: wasm.ExternTag, Make: func(t vm.Declared) (vm.Extern, error) {
		if len(t.Params) > 1 || len(t.Results) > 0 {
			return nil, errors.New("the tag takes the reason of a rejection: one value, or none")
		}
		return l.errorTag(m, t), nil
	}}}
	for name, f := range promiseFuncs {
		mod[name] = &vm.Generic{Kind: wasm.ExternFunc, Make: func(t vm.Declared) (vm.Extern, error) {
			waits := name == "await" || name == "sleep" || l.suspending[[2]string{t.Module, t.Name}]
			if err := f.check(t, waits); err != nil {
				return nil, err
			}
			return l.function(m, PromiseName+"."+name, t, waits, f.make(l, m)), nil
		}}
	}
	return mod
}

// Suspending marks an import whose function returns a promise: a call of it waits for the promise
// and returns its value. It must be called before the import is linked.
func (l *Loop) Suspending(module, name string) {
	if l.suspending == nil {
		l.suspending = map[[2]string]bool{}
	}
	l.suspending[[2]string{module, name}] = true
}

// IsSuspending reports whether an import was marked by Suspending.
func (l *Loop) IsSuspending(module, name string) bool { return l.suspending[[2]string{module, name}] }

// Func returns a function of the host whose calls have an outcome: a promise, or values if that is
// nil. If the call waits, a promise suspends it; otherwise the promise is the result, an externref.
// own reports that the promises are made for the calls.
func (l *Loop) Func(
	m *vm.Machine, name string, t vm.Declared, waits, own bool,
	do func(c *vm.Call, args []vm.Value) (*Promise, []vm.Value, error),
) *vm.Func {
	return l.function(m, name, t, waits, func(c *vm.Call, args []vm.Value) (outcome, error) {
		p, vs, err := do(c, args)
		return outcome{promise: p, values: vs, own: own}, err
	})
}

func (l *Loop) function(m *vm.Machine, name string, t vm.Declared, waits bool, do source) *vm.Func {
	give := func(c *vm.Call, vs []vm.Value) error {
		if len(t.Results) == 0 {
			return nil
		}
		if err := fit(m, vs, t.Results); err != nil {
			return err
		}
		c.Return(vs...)
		return nil
	}
	return m.NewFuncAs(name, t, func(c *vm.Call) error {
		if a, ok := c.Resumed(); ok {
			var r rejected
			if errors.As(a.Err, &r) {
				return l.exception(m, r.p.reason)
			}
			if a.Err != nil {
				return a.Err
			}
			return give(c, a.Values)
		}
		o, err := do(c, c.Args())
		switch {
		case err != nil:
			return err
		case o.promise == nil:
			return give(c, o.values)
		case !waits && len(t.Results) == 0:
			return nil
		case !waits:
			return give(c, []vm.Value{o.promise.Value()})
		case l.crowded(1):
			return errJobs
		}
		o.promise.handled = true
		err = c.Suspend(o.promise)
		if trap := (*vm.Trap)(nil); o.own && errors.As(err, &trap) { // nobody has it
			o.promise.Reject(Reason{Err: err})
		}
		return err
	})
}

// fit checks values against the types that a module has declared for them.
func fit(m *vm.Machine, vs []vm.Value, ts []wasm.ValType) error {
	switch {
	case len(vs) == 0:
		return fmt.Errorf("the promise has no value, but the program expects one of type %s", typeName(ts[0]))
	case len(vs) != len(ts):
		return fmt.Errorf("the promise has %d values, but the program expects %d", len(vs), len(ts))
	}
	for i, v := range vs {
		if !m.Fits(v, ts[i]) {
			return fmt.Errorf(
				"the value of the promise is of type %s, but the program expects type %s", v.Type, typeName(ts[i]),
			)
		}
	}
	return nil
}

// typeName returns a type; of one with a type index only what it is.
func typeName(t wasm.ValType) string {
	if t.IsRef() && t.Heap() >= 0 {
		return "(ref …)"
	}
	return t.String()
}

// Exception returns what a wait for a promise throws that is rejected with a reason.
func (l *Loop) Exception(m *vm.Machine, r Reason) error { return l.exception(m, r) }

func (l *Loop) exception(m *vm.Machine, r Reason) error {
	var x *vm.Exception
	if errors.As(r.Err, &x) && !x.Ref.IsNull() {
		return &vm.Exception{Tag: x.Tag, Values: x.Values, Ref: x.Ref}
	}
	vs := r.Values
	if r.Err != nil {
		vs = []vm.Value{vm.HostValue(r.Err)}
	}
	ts := make([]wasm.ValType, len(vs))
	for i, v := range vs {
		ts[i] = topOf(v)
	}
	tag := l.errorTag(m, m.Declare(ts, nil))
	return &vm.Exception{Tag: tag, Values: vs, Ref: vm.NewExn(tag, vs...)}
}

// topOf returns the type of a value in a tag: of a reference the nullable top type.
func topOf(v vm.Value) wasm.ValType {
	if !v.Type.IsRef() {
		return v.Type
	}
	switch v.Ref.Kind() {
	case vm.RefFunc:
		return wasm.FuncRef
	case vm.RefStruct, vm.RefArray, vm.RefI31:
		return wasm.Ref(true, wasm.HeapAny)
	case vm.RefExn:
		return wasm.Ref(true, wasm.HeapExn)
	case vm.RefStack:
		return v.Type.OrNull()
	}
	return wasm.ExternRef
}

// errorTag returns the tag promise.error of a type: of what a wait for a rejected promise throws.
func (l *Loop) errorTag(m *vm.Machine, t vm.Declared) *vm.Tag {
	if l.errors == nil {
		l.errors = map[wasm.Canon]*vm.Tag{}
	}
	tag := l.errors[t.Type]
	if tag == nil {
		tag = m.NewTagAs("$promise.error", t)
		l.errors[t.Type] = tag
	}
	return tag
}

// check checks the type that a module declares for a function. The result of a call that waits is the
// value instead of the promise.
func (f *promiseFunc) check(t vm.Declared, waits bool) error {
	if !fitsSignature(f.params, t.Params) {
		return errors.New("it takes " + describe(f.params))
	}
	ok, want := false, ""
	rs := t.Results
	result := f.result
	if waits {
		if result != "promise" && result != "promise?" && t.Name != "await" && t.Name != "sleep" {
			return errors.New("it gives no promise, so a call of it cannot wait for one")
		}
		result = "value"
	}
	switch result {
	case "promise", "list":
		ok, want = len(rs) == 1 && isExtern(rs[0]), "an externref"
	case "promise?":
		ok, want = len(rs) == 0 || len(rs) == 1 && isExtern(rs[0]), "nothing, or an externref"
	case "value":
		ok, want = len(rs) <= 1 || waits, "one value, or none"
	case "i32":
		ok, want = len(rs) == 1 && rs[0] == wasm.I32, "an i32"
	case "number":
		ok, want = len(rs) == 1 && (rs[0] == wasm.I32 || rs[0] == wasm.I64), "an i32 or i64"
	default:
		ok, want = len(rs) == 0, "nothing"
	}
	if !ok {
		return errors.New("it gives " + want)
	}
	return nil
}

func isExtern(t wasm.ValType) bool { return t.IsRef() && t.Heap() == wasm.HeapExtern }

// fitsSignature reports whether types are as letters say, see promiseFuncs.
func fitsSignature(sig string, ts []wasm.ValType) bool {
	for _, c := range sig {
		switch {
		case c == 'u':
			return true
		case c == 'P':
			for _, t := range ts {
				if !isExtern(t) {
					return false
				}
			}
			return true
		case c == 'v' && len(ts) == 0:
			return true
		case len(ts) == 0:
			return false
		}
		t := ts[0]
		switch c {
		case 't':
			if t != wasm.I32 && t != wasm.I64 {
				return false
			}
		case 'i':
			if t != wasm.I32 {
				return false
			}
		case 'p', 'l':
			if !isExtern(t) {
				return false
			}
		case 'f':
			if !t.IsRef() || isExtern(t) {
				return false
			}
		}
		ts = ts[1:]
	}
	return len(ts) == 0
}

// describe returns the letters of a signature in words.
func describe(sig string) string {
	if sig == "" {
		return "nothing"
	}
	words := map[rune]string{
		't': "a time (i32 or i64)", 'v': "a value, or none", 'p': "a promise (externref)",
		'P': "promises and lists of them (externref)", 'l': "a list (externref)", 'i': "an i32",
		'f': "a function reference", 'u': "any values",
	}
	var out []string
	for _, c := range sig {
		out = append(out, words[c])
	}
	return strings.Join(out, ", ")
}

// Callback returns an import of the modules promise.then and promise.catch: it calls the export of
// the importing module that has the same name.
func (l *Loop) Callback(m *vm.Machine, module, name string) vm.Extern {
	when := Fulfilled
	if module == CatchName {
		when = Rejected
	}
	return &vm.Generic{Kind: wasm.ExternFunc, Make: func(t vm.Declared) (vm.Extern, error) {
		f := promiseFunc{params: "pu", result: "promise?"}
		if err := f.check(t, false); err != nil {
			return nil, err
		}
		return l.function(m, module+"."+name, t, false, func(c *vm.Call, args []vm.Value) (outcome, error) {
			p, err := promiseArg(args[0])
			if err != nil {
				return outcome{}, err
			}
			var fn *vm.Func
			if in := c.Caller(); in != nil {
				fn, _ = in.Export(name).(*vm.Func)
			}
			if fn == nil {
				return outcome{}, fmt.Errorf("the program exports no function %q to call", name)
			}
			return l.call(m, p, when, fn, args[1:])
		}), nil
	}}
}
