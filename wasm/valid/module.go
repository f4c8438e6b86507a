package valid

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"stackscope/wasm"
)

// Module reports the violations of the whole module: Declarations, then Bodies.
func (e *Env) Module(report func(Error)) {
	e.Declarations(report)
	e.Bodies(report)
}

// Bodies reports the violations in all function bodies that are there, in order. Those of a large
// module are looked at by several goroutines; report is called on the caller's.
func (e *Env) Bodies(report func(Error)) {
	const (
		many  = 50_000 // instructions, from which on it pays
		batch = 8      // functions at a time
	)
	n := 0
	for i := range e.m.Funcs {
		n += len(e.m.Funcs[i].Body)
	}
	workers := runtime.GOMAXPROCS(0)
	if workers == 1 || n < many {
		e.NewTyper(report).bodies(0, len(e.m.Funcs))
		return
	}
	errs := make([][]Error, (len(e.m.Funcs)+batch-1)/batch)
	var next atomic.Int64
	var crash atomic.Value
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			defer func() {
				if x := recover(); x != nil {
					crash.CompareAndSwap(nil, fmt.Sprintf("%v\n%s", x, debug.Stack()))
				}
			}()
			t := e.NewTyper(nil)
			for i := int(next.Add(1)) - 1; i < len(errs); i = int(next.Add(1)) - 1 {
				t.SetReport(func(x Error) { errs[i] = append(errs[i], x) })
				t.bodies(i*batch, min((i+1)*batch, len(e.m.Funcs)))
			}
		})
	}
	wg.Wait()
	if x := crash.Load(); x != nil {
		panic(x) // where the caller can deal with it
	}
	if report == nil {
		return
	}
	for _, xs := range errs {
		for _, x := range xs {
			report(x)
		}
	}
}

func (t *Typer) bodies(from, to int) {
	for i := from; i < to; i++ {
		if t.e.m.Funcs[i].Body != nil {
			t.Body(uint32(i))
		}
	}
}

// Body reports the violations in a function's body and the types of its locals.
func (e *Env) Body(fn uint32, report func(Error)) { e.NewTyper(report).Body(fn) }

// Body types the whole body of a function: Begin, a Step each, End.
func (t *Typer) Body(fn uint32) {
	t.Begin(fn)
	body := t.e.m.Funcs[fn].Body
	for i := range body {
		t.Step(&body[i])
	}
	t.End()
}

// Const types a whole constant expression that must give a value of type want. The sequence may go
// without its last OpEnd.
func (t *Typer) Const(want wasm.ValType, place Place, init []wasm.Instr) {
	t.BeginConst(want, place)
	for i := range init {
		t.Step(&init[i])
	}
	if len(t.ctl) > 0 {
		t.Step(&wasm.Instr{Op: wasm.OpEnd})
	}
	t.End()
}
