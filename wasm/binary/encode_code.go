package binary

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"stackscope/wasm"
)

// encodeBatch is how many functions are encoded in one go; with several such batches the processors
// share the work.
const encodeBatch = 64

// codes writes the bodies of all functions that are not imported, and returns their number.
func (e *encoder) codes() int {
	var fns []uint32
	for i := range e.m.Funcs {
		if e.m.Funcs[i].Import < 0 {
			fns = append(fns, uint32(i))
		}
	}
	parts := make([]*encoder, (len(fns)+encodeBatch-1)/encodeBatch)
	part := func(i int) {
		p := &encoder{m: e.m, scratch: &encoder{m: e.m}}
		for _, fn := range fns[i*encodeBatch : min((i+1)*encodeBatch, len(fns))] {
			p.code(fn, &e.m.Funcs[fn])
		}
		parts[i] = p
	}
	inParallel(len(parts), part)
	e.u32(uint32(len(fns)))
	for _, p := range parts {
		if e.err == nil {
			e.err = p.err
		}
		by := uint32(len(e.b))
		for _, r := range p.funcs {
			e.funcs = append(e.funcs, codeRange{r.at + by, r.end + by})
		}
		e.b = append(e.b, p.b...)
		e.hints = append(e.hints, p.hints...)
	}
	return len(fns)
}

// inParallel calls do for 0 … n-1, on all processors. A panic is the caller's.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var crash atomic.Value
	work := func() {
		defer func() {
			if x := recover(); x != nil {
				crash.CompareAndSwap(nil, fmt.Sprintf("%v\n%s", x, debug.Stack()))
			}
		}()
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if x := crash.Load(); x != nil {
		panic(x)
	}
}

// code writes the body of a function with its size.
func (e *encoder) code(fn uint32, f *wasm.Func) {
	w := e.scratch
	w.b, w.err, w.hinted, w.offs = w.b[:0], e.err, f.Hints, nil
	w.body(f)
	e.err = w.err
	e.sized(w.b)
	e.funcs = append(e.funcs, codeRange{uint32(len(e.b) - len(w.b)), uint32(len(e.b))})
	if len(w.offs) > 0 {
		e.hints = append(e.hints, funcHints{fn, w.offs, f.Hints})
	}
}
