package vm

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"stackscope/wasm"
)

// hostModule imports h : [i32] -> [i32] and exports a function of the body.
func hostModule(body ...wasm.Instr) *wasm.Module {
	m := module([]wasm.SubType{ftype(i32s, i32s), {Kind: wasm.CompCont, Final: true, Func: 0}, ftype(i32s, nil)},
		wasm.Func{Type: 0, Import: 0}, testFunc(0, nil, body...))
	m.Imports = []wasm.Import{{Module: "m", Name: "h"}}
	m.Tags = []wasm.Tag{{Type: 2, Import: -1}}
	return m
}

func withHost(t *testing.T, h func(*Call) error, body ...wasm.Instr) (*Machine, *Func) {
	t.Helper()
	m := New(Options{})
	imports := ImportMap{"m": {"h": m.NewFunc("h", i32s, i32s, h)}}
	in, err := m.Instantiate(context.Background(), hostModule(body...), "", imports)
	if err != nil {
		t.Fatal(err)
	}
	return m, in.Export("main").(*Func)
}

func TestHostFunc(t *testing.T) {
	double := func(c *Call) error {
		if c.Caller() == nil || c.Memory() != nil || c.Args()[0].I32() != c.I32(0) {
			t.Error(c.Caller(), c.Args())
		}
		c.ReturnI32(0, 2*c.I32(0))
		return nil
	}
	m, fn := withHost(t, double, ins(wasm.OpLocalGet, 0), ins(wasm.OpCall, 0), i32c(1), ins(wasm.OpI32Add))
	if r := call(t, m, fn, I32(20)); r[0].I32() != 41 {
		t.Error(r)
	}
	m, fn = withHost(t, double, ins(wasm.OpLocalGet, 0), ins(wasm.OpReturnCall, 0))
	if r := call(t, m, fn, I32(20)); r[0].I32() != 40 {
		t.Error(r)
	}
	// As the function of a continuation, it has no caller of the program.
	own := func(c *Call) error {
		if c.Caller() != nil {
			t.Error(c.Caller())
		}
		c.ReturnI32(0, 2*c.I32(0))
		return nil
	}
	m, fn = withHost(
		t, own, ins(wasm.OpLocalGet, 0), ins(wasm.OpRefFunc, 0), ins(wasm.OpContNew, 1), ins(wasm.OpResume, 1),
	)
	if r := call(t, m, fn, I32(20)); r[0].I32() != 40 {
		t.Error(r)
	}
	if r, err := m.Call(context.Background(), fn.inst.funcs[0], I32(4)); err != nil || r[0].I32() != 8 {
		t.Error(r, err)
	}
}

func TestHostErrors(t *testing.T) {
	var give error
	m, fn := withHost(t, func(c *Call) error { return give }, ins(wasm.OpLocalGet, 0), ins(wasm.OpCall, 0))
	give = errors.New("disk full")
	_, err := m.Call(context.Background(), fn, I32(0))
	tr := trapKind(t, err, wasm.TrapHost)
	if !errors.Is(err, give) || tr.Message != "host function failed: disk full" || len(tr.Backtrace) != 1 ||
		tr.Backtrace[0].Frames[0].Func != fn.inst.funcs[0] ||
		tr.Backtrace[0].Frames[1] != (Site{fn, 1}) {
		t.Error(tr, tr.Backtrace)
	}
	give = &Exit{3}
	_, err = m.Call(context.Background(), fn, I32(0))
	var exit *Exit
	if !errors.As(err, &exit) || exit.Code != 3 {
		t.Error(err)
	}
	give = &Exception{Tag: fn.inst.tags[0], Values: []Value{I32(5)}}
	_, err = m.Call(context.Background(), fn, I32(0))
	var x *Exception
	if !errors.As(err, &x) || x.Values[0].I32() != 5 || len(x.Backtrace) != 1 {
		t.Error(err)
	}
	m, fn = withHost(t, func(c *Call) error { panic("oops") }, ins(wasm.OpLocalGet, 0), ins(wasm.OpCall, 0))
	_, err = m.Call(context.Background(), fn, I32(0))
	var crash *Crash
	if !errors.As(err, &crash) || crash.Value != "oops" || m.Running() != nil {
		t.Error(err)
	}
}

// A host function calls back; nothing is suspended across it; endless nesting is a trap.
func TestHostNesting(t *testing.T) {
	var main *Func
	m, fn := withHost(t, func(c *Call) error {
		r, err := c.Machine().Call(c.Context(), main, I32(c.I32(0)-1))
		if err == nil {
			c.Return(r...)
		}
		return err
	}, ins(wasm.OpLocalGet, 0), ins(wasm.OpI32Eqz), blk(wasm.OpIf, 0), i32c(9), ins(wasm.OpSuspend, 0),
		ins(wasm.OpEnd), ins(wasm.OpLocalGet, 0), ins(wasm.OpCall, 0))
	main = fn
	depth := 0
	m.SetProbe(func(st *Stop) {
		for s := range m.Chain() {
			depth++
			if s != m.Running() && !s.Frames()[0].Waiting() {
				t.Error("not waiting")
			}
		}
	})
	_, err := m.Call(context.Background(), fn, I32(3))
	tr := trapKind(t, err, wasm.TrapUnhandledTag)
	if depth != 4 || len(tr.Backtrace) != 4 || len(tr.Backtrace[1].Frames) != 2 || m.Running() != nil {
		t.Error(depth, tr.Backtrace)
	}
	m.SetProbe(nil)
	_, err = m.Call(context.Background(), fn, I32(-1))
	trapKind(t, err, wasm.TrapStackExhausted)
}

// Arguments of the wrong type are an error, never a fault.
func TestArguments(t *testing.T) {
	m, fn := start(t, fibModule())
	for _, args := range [][]Value{nil, {I64(1)}, {I32(1), I32(2)}, {HostValue(1)}} {
		if _, err := m.Call(context.Background(), fn, args...); err == nil {
			t.Error(args)
		}
	}
	for _, c := range []struct {
		v  Value
		t  wasm.ValType
		ok bool
	}{
		{HostValue(1), wasm.ExternRef, true}, {HostValue(1), wasm.FuncRef, false}, {RefValue(FuncRef(fn)),
			wasm.FuncRef, true},
		{RefValue(FuncRef(fn)), wasm.Ref(false, wasm.HeapType(fn.canon)), true}, {NullValue(wasm.FuncRef),
			wasm.Ref(false, wasm.HeapFunc), false},
		{RefValue(I31Ref(3)), wasm.EqRef, true}, {RefValue(I31Ref(3)), wasm.StructRef, false},
		{RefValue(I31Ref(3)), wasm.ExternRef, true},
		{RefValue(FuncRef(fn)), wasm.AnyRef, false}, {I32(1), wasm.FuncRef, false},
	} {
		if m.Fits(c.v, c.t) != c.ok {
			t.Error(c)
		}
	}
}

// Continuations that are dropped are reclaimed.
func TestDroppedStacks(t *testing.T) {
	mod := farmModule(1)
	main := mod.Funcs[2].Body
	main[11] = ins(wasm.OpDrop) // in place of table.set
	for i := range main {
		if main[i].Op == wasm.OpTableSet {
			t.Fatal(i)
		}
	}
	m, fn := start(t, mod)
	call(t, m, fn, I32(1000))
	var a, b runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&a)
	call(t, m, fn, I32(200_000))
	runtime.GC()
	runtime.ReadMemStats(&b)
	if d := int64(b.HeapAlloc) - int64(a.HeapAlloc); d > 100_000 {
		t.Error(d)
	}
	if n := len(m.LiveStacks(0)); n != 0 {
		t.Error(n)
	}
	runtime.KeepAlive(fn)
}
