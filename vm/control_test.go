package vm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"stackscope/wasm"
)

// A breakpoint stops before its instruction with locals and operands right; changed locals count.
func TestBreakpoint(t *testing.T) {
	m, fn := start(t, generatorModule())
	gen := fn.Instance().Func(0)
	const suspend = 2
	if !m.SetBreakpoint(gen, suspend) || m.SetBreakpoint(gen, 99) || m.SetBreakpoint(gen, -1) {
		t.Fatal("SetBreakpoint")
	}
	hits := 0
	m.SetProbe(func(st *Stop) {
		hits++
		if st.Reason != StopBreak || st.Site != (Site{gen, suspend}) || st.Stack != m.Running() {
			t.Fatal(st)
		}
		f := st.Stack.Frames()[0]
		want := fmt.Sprint([]int32{int32(11 - hits)})
		if got := fmt.Sprint(i32sOf(f.Locals())); got != want {
			t.Error("locals", got, want)
		}
		if got := fmt.Sprint(i32sOf(f.Operands())); got != want {
			t.Error("operands", got, want)
		}
		var chain []uint64
		for s := range m.Chain() {
			chain = append(chain, s.ID())
		}
		if len(chain) != 2 || st.Stack.State() != StackRunning || st.Stack.Parent().State() != StackWaiting {
			t.Error(chain)
		}
		p := st.Stack.Parent().Frames()[0]
		if hs := p.HandlerClauses(); len(hs) != 1 || hs[0].Switch || hs[0].Tag != gen.inst.tags[0] || hs[0].PC != 12 ||
			!p.Waiting() {
			t.Error(hs)
		}
		if hits == 3 {
			m.ClearBreakpoint(gen, suspend)
			f.SetLocal(0, I32(1))
			f.SetOperand(0, I32(100))
		}
	})
	if r := call(t, m, fn, I32(10)); r[0].I64() != 10+9+100 || hits != 3 {
		t.Error(r, hits)
	}
}

func i32sOf(vs []Value) (out []int32) {
	for _, v := range vs {
		out = append(out, v.I32())
	}
	return out
}

// Stepping stops at every instruction, each once, also where a breakpoint is.
func TestStepping(t *testing.T) {
	m, fn := start(t, generatorModule())
	m.SetBreakpoint(fn.Instance().Func(0), 0)
	var got []string
	m.SetProbe(func(st *Stop) {
		got = append(got, fmt.Sprint(st.Site.Func.Index(), ".", st.Site.PC))
	})
	m.SetStepping(true)
	call(t, m, fn, I32(2))
	want := "[1.0 1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 0.0 0.1 0.2 1.12 1.13 1.14 1.15 1.16 1.17 1.5 1.6 1.7 1.8 " +
		"0.3 0.4 0.5 0.6 0.7 0.0 0.1 0.2 1.12 1.13 1.14 1.15 1.16 1.17 1.5 1.6 1.7 1.8 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.9 1.10]"
	if fmt.Sprint(got) != want {
		t.Error(got)
	}
	m.SetStepping(false)
	got = nil
	call(t, m, fn, I32(2))
	if len(got) != 2 {
		t.Error(got)
	}
}

func loopModule() *wasm.Module {
	return module([]wasm.SubType{ftype(nil, nil)},
		testFunc(0, nil, blk(wasm.OpLoop, 0), ins(wasm.OpBr, 0), ins(wasm.OpEnd)))
}

func trapKind(t *testing.T, err error, k wasm.TrapKind) *Trap {
	t.Helper()
	var tr *Trap
	if !errors.As(err, &tr) || tr.Kind != k {
		t.Fatalf("%v, want %v", err, k)
	}
	return tr
}

func TestInterrupts(t *testing.T) {
	m, fn := start(t, loopModule())
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	_, err := m.Call(ctx, fn)
	trapKind(t, err, wasm.TrapInterrupted)
	time.AfterFunc(5*time.Millisecond, m.Terminate)
	_, err = m.Call(context.Background(), fn)
	trapKind(t, err, wasm.TrapInterrupted)
	m.ClearTerminate()
	pauses := 0
	m.SetProbe(func(st *Stop) {
		if st.Reason == StopPause {
			if pauses++; pauses == 2 {
				m.Terminate()
			} else {
				m.RequestPause()
			}
		}
	})
	time.AfterFunc(5*time.Millisecond, m.RequestPause)
	_, err = m.Call(context.Background(), fn)
	trapKind(t, err, wasm.TrapInterrupted)
	if pauses != 2 {
		t.Error(pauses)
	}
}

func TestFuel(t *testing.T) {
	m := New(Options{Fuel: 1_000_000})
	in, _ := m.Instantiate(context.Background(), loopModule(), "", nil)
	_, err := m.Call(context.Background(), in.Func(0))
	trapKind(t, err, wasm.TrapOutOfFuel)
	if f := m.Stats().Fuel; f != 1_000_000 {
		t.Error(f)
	}
}

func TestDepth(t *testing.T) {
	mod := module([]wasm.SubType{ftype(nil, nil)}, testFunc(0, nil, ins(wasm.OpCall, 0)))
	m, fn := start(t, mod)
	_, err := m.Call(context.Background(), fn)
	tr := trapKind(t, err, wasm.TrapStackExhausted)
	if b := tr.Backtrace[0]; len(b.Frames) != 120 || b.Omitted != defaultMaxDepth-120 || b.OmittedAt != 100 {
		t.Error(len(b.Frames), b.Omitted, b.OmittedAt)
	}
}

// nestModule: main(n) creates a continuation of nest and resumes it; nest(n) does the same with n-1
// and at 0 does what end says.
func nestModule(end ...wasm.Instr) *wasm.Module {
	types := []wasm.SubType{
		ftype(i32s, i32s), {Kind: wasm.CompCont, Final: true, Func: 0}, ftype(nil, nil), ftype(i32s, nil),
		{Kind: wasm.CompCont, Final: true, Func: 5}, ftype(nil, i32s),
	}
	body := []wasm.Instr{ins(wasm.OpLocalGet, 0), ins(wasm.OpI32Eqz), blk(wasm.OpIf, 0)}
	body = append(body, end...)
	body = append(
		body,
		ins(wasm.OpEnd),
		ins(
			wasm.OpLocalGet, 0,
		),
		i32c(1),
		ins(wasm.OpI32Sub),
		ins(wasm.OpRefFunc, 0),
		ins(wasm.OpContNew, 1),
		ins(wasm.OpResume, 1),
	)
	m := module(types, testFunc(0, nil, body...))
	m.Recs = []wasm.RecGroup{{Start: 0, Len: 6}}
	m.Tags = []wasm.Tag{{Type: 2, Import: -1}, {Type: 3, Import: -1}}
	return m
}

// A trap ends all stacks of the chain, and its backtrace shows them.
func TestTrapChain(t *testing.T) {
	m, fn := start(t, nestModule(ins(wasm.OpUnreachable)))
	seen := 0
	m.SetProbe(func(st *Stop) {
		seen++
		if st.Reason != StopTrap || len(m.LiveStacks(0)) != 4 || len(m.LiveStacks(2)) != 2 {
			t.Error(st.Reason, m.LiveStacks(0))
		}
	})
	_, err := m.Call(context.Background(), fn, I32(3))
	tr := trapKind(t, err, wasm.TrapUnreachable)
	if len(tr.Backtrace) != 4 || !tr.Backtrace[3].Rooted || tr.Backtrace[0].Frames[0].PC != 3 ||
		tr.Backtrace[1].Frames[0].PC != 10 {
		t.Error(tr.Backtrace)
	}
	if seen != 1 || m.live != 0 || len(m.LiveStacks(0)) != 0 || m.Running() != nil {
		t.Error(seen, m.live, m.LiveStacks(0))
	}
}

func TestUnhandled(t *testing.T) {
	m, fn := start(t, nestModule(i32c(42), ins(wasm.OpSuspend, 1)))
	_, err := m.Call(context.Background(), fn, I32(3))
	tr := trapKind(t, err, wasm.TrapUnhandledTag)
	if tr.Tag.Index() != 1 || tr.Values[0].I32() != 42 || tr.Message != "unhandled tag 1" {
		t.Error(tr)
	}
}

// An exception crosses stacks; those it leaves are gone.
func TestThrowAcross(t *testing.T) {
	mod := nestModule(i32c(42), ins(wasm.OpThrow, 1))
	tryTable := wasm.Instr{
		Op:  wasm.OpTryTable,
		Ext: &wasm.Ext{Catches: []wasm.Catch{{Kind: wasm.CatchTag, Tag: 0}, {Kind: wasm.CatchTag, Tag: 1, Label: 0}}},
	}
	mod.Funcs = append(mod.Funcs, testFunc(0, nil,
		blk(wasm.OpBlock, wasm.BlockResult(wasm.I32)),
		tryTable, ins(wasm.OpLocalGet, 0), ins(wasm.OpCall, 0), ins(wasm.OpReturn), ins(wasm.OpEnd),
		ins(wasm.OpUnreachable), ins(wasm.OpEnd)))
	mod.Exports[0].Index = 1
	tryTable.Ext.Catches[0].Label = 1
	mod.Tags[0].Type = 3
	m, fn := start(t, mod)
	var finished int
	m.SetObserver(func(e *Event) {
		if e.Kind == EventFinish {
			finished++
		}
	})
	if r := call(t, m, fn, I32(5)); r[0].I32() != 42 || finished != 6 || m.live != 0 {
		t.Error(r, finished, m.live)
	}
	_, err := m.Call(context.Background(), fn.Instance().Func(0), I32(2))
	var x *Exception
	if !errors.As(err, &x) || x.Values[0].I32() != 42 || len(x.Backtrace) != 3 || m.live != 0 {
		t.Error(err)
	}
}

func TestMaxStacks(t *testing.T) {
	m := New(Options{MaxStacks: 10})
	in, err := m.Instantiate(context.Background(), nestModule(i32c(7), ins(wasm.OpReturn)), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	call(t, m, in.Func(0), I32(10))
	_, err = m.Call(context.Background(), in.Func(0), I32(11))
	trapKind(t, err, wasm.TrapStackExhausted)
	// Dropped ones do not count.
	mod := module([]wasm.SubType{ftype(i32s, nil), ftype(nil, nil), {Kind: wasm.CompCont, Final: true, Func: 1}},
		testFunc(1, nil),
		testFunc(
			0,
			nil,
			blk(wasm.OpLoop, 0),
			ins(wasm.OpRefFunc, 0),
			ins(wasm.OpContNew, 2),
			ins(wasm.OpDrop),
			ins(
				wasm.OpLocalGet, 0,
			),
			i32c(1),
			ins(wasm.OpI32Sub),
			ins(wasm.OpLocalTee, 0),
			ins(wasm.OpBrIf, 0),
			ins(wasm.OpEnd),
		))
	if in, err = m.Instantiate(context.Background(), mod, "", nil); err != nil {
		t.Fatal(err)
	}
	call(t, m, in.Func(1), I32(1000))
	if m.Stats().Created < 1000 {
		t.Error(m.Stats())
	}
}

// farmModule: main(n) fills a table of n with continuations that have each been suspended in a
// function that their function calls.
func farmModule(n uint32) *wasm.Module {
	cont := wasm.Ref(true, 1)
	m := module(
		[]wasm.SubType{
			ftype(nil, nil), {Kind: wasm.CompCont, Final: true, Func: 0}, ftype(i32s, nil),
			ftype(nil, []wasm.ValType{wasm.Ref(false, 1)}),
		},
		testFunc(0, []wasm.ValType{wasm.I32, wasm.I32}, i32c(5), ins(wasm.OpLocalSet, 0), ins(wasm.OpSuspend, 0)),
		testFunc(
			0, []wasm.ValType{wasm.I32, wasm.I32, wasm.I64}, i32c(6), ins(wasm.OpLocalSet, 1), i32c(1),
			ins(wasm.OpCall, 0), ins(wasm.OpDrop),
		),
		testFunc(2, []wasm.ValType{cont},
			blk(wasm.OpLoop, 0),
			ins(wasm.OpLocalGet, 0), i32c(1), ins(wasm.OpI32Sub), ins(wasm.OpLocalTee, 0),
			blk(wasm.OpBlock, wasm.BlockIndex(3)),
			ins(wasm.OpRefFunc, 1), ins(wasm.OpContNew, 1),
			wasm.Instr{Op: wasm.OpResume, A: 1, Ext: &wasm.Ext{HandlerClauses: []wasm.HandlerClause{{}}}},
			ins(wasm.OpUnreachable),
			ins(wasm.OpEnd),
			ins(wasm.OpTableSet, 0),
			ins(wasm.OpLocalGet, 0), ins(wasm.OpBrIf, 0), ins(wasm.OpEnd)),
	)
	m.Recs = []wasm.RecGroup{{Start: 0, Len: 4}}
	m.Tags = []wasm.Tag{{Type: 0, Import: -1}}
	m.Tables = []wasm.Table{{Type: cont, Limits: wasm.Limits{Min: uint64(n)}, Import: -1}}
	return m
}

// Suspended stacks are found where they are held, with their frames.
func TestSuspendedStacks(t *testing.T) {
	m, fn := start(t, farmModule(3))
	call(t, m, fn, I32(3))
	live := m.LiveStacks(0)
	if len(live) != 3 {
		t.Fatal(live)
	}
	s := live[0]
	if s.Holder.Kind != HeldByTable || s.Holder.Slot != 2 || s.State() != StackSuspended || s.Parent() != nil ||
		s.BaseFunc().Index() != 1 ||
		s.CreatedAt().PC != 7 {
		t.Error(s)
	}
	if site, tag := s.Site(); site.PC != 2 || tag != fn.inst.tags[0] {
		t.Error(site, tag)
	}
	fs := s.Frames()
	if len(fs) != 2 || !fs[0].Waiting() || fmt.Sprint(i32sOf(fs[0].Locals())) != "[5 0]" ||
		fmt.Sprint(i32sOf(fs[1].Locals()[:2])) != "[0 6]" ||
		fmt.Sprint(i32sOf(fs[1].Operands())) != "[1]" {
		t.Error(fs)
	}
	r := fn.inst.tables[0].Get(0)
	if st, gen, stale := r.Stack(); st == nil || gen != st.Generation() || stale {
		t.Error(r)
	}
}

// A suspended stack with two frames takes little.
func TestSuspendedSize(t *testing.T) {
	const n = 100_000
	m, fn := start(t, farmModule(n))
	var a, b runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&a)
	call(t, m, fn, I32(n))
	runtime.GC()
	runtime.ReadMemStats(&b)
	per := float64(b.HeapAlloc-a.HeapAlloc) / n
	t.Logf("%.0f bytes each", per)
	if per > 500 {
		t.Error(per)
	}
	runtime.KeepAlive(m)
}
