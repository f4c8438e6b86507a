package binary

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"stackscope/wasm"
)

// The bodies of a large code section are read by several goroutines, while the sections after it
// are read: they tell of their sizes, and do not depend on each other.
const (
	manyBytes = 100_000 // from here on
	batch     = 8       // bodies at a time
)

// bodies reads the bodies of a code section.
type bodies struct {
	d     *decoder // of the section
	at    []int    // where the bodies are, with their sizes
	funcs []wasm.Func
	next  atomic.Int64
	wg    sync.WaitGroup

	mu       sync.Mutex // guards what follows
	failed   int        // the first body with an error; len(at): none has one
	err      *Error
	crash    string // a panic, for the goroutine that waits
	usesData bool
	dialect  wasm.Dialect
}

// readBodies reads the bodies of functions, as many as are announced, the first of them into funcs.
// That may go on until wait is called.
func (d *decoder) readBodies(n int, funcs []wasm.Func) {
	if at, end, ok := d.bodyStarts(n); ok && runtime.GOMAXPROCS(0) > 1 && end-d.pos >= manyBytes {
		d.behind = &bodies{d: d, at: at, funcs: funcs, failed: n}
		for range runtime.GOMAXPROCS(0) {
			d.behind.wg.Go(d.behind.work)
		}
		d.pos = end
		return
	}
	for i := 0; i < n && d.err == nil; i++ {
		d.code(slot(funcs, i))
	}
}

// slot returns where a body goes; one that no function was announced for is read for its errors.
func slot(funcs []wasm.Func, i int) *wasm.Func {
	if i < len(funcs) {
		return &funcs[i]
	}
	return &wasm.Func{}
}

// bodyStarts returns where the bodies begin, and where the last one ends. ok is false if their
// sizes are not right.
func (d *decoder) bodyStarts(n int) (at []int, end int, ok bool) {
	r := reader{b: d.b, pos: d.pos}
	at = make([]int, 0, n)
	for range n {
		at = append(at, r.pos)
		r.bytes(r.count())
	}
	return at, r.pos, r.err == nil
}

func (b *bodies) work() {
	defer func() {
		if x := recover(); x != nil {
			b.mu.Lock()
			b.crash = fmt.Sprintf("%v\n%s", x, debug.Stack())
			b.mu.Unlock()
		}
	}()
	d := &decoder{reader: reader{b: b.d.b}}
	for {
		from := int(b.next.Add(batch)) - batch
		if from >= len(b.at) {
			break
		}
		for i := from; i < min(from+batch, len(b.at)); i++ {
			d.pos = b.at[i]
			if d.code(slot(b.funcs, i)); d.err != nil {
				b.fail(i, d.err)
				return
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.usesData, b.dialect = b.usesData || d.usesData, max(b.dialect, d.dialect)
}

// fail records the error of a body. Those before it that nobody has begun are not left out: bodies
// are begun in order.
func (b *bodies) fail(i int, err *Error) {
	b.next.Store(int64(len(b.at)))
	b.mu.Lock()
	defer b.mu.Unlock()
	if i < b.failed {
		b.failed, b.err = i, err
	}
}

// wait waits until all bodies are read. Their error comes before one that was found after them.
func (b *bodies) wait() {
	if b == nil {
		return
	}
	b.wg.Wait()
	if b.crash != "" {
		panic(b.crash) // where the caller can deal with it
	}
	if b.err != nil {
		b.d.err = b.err
	}
	b.d.usesData, b.d.dialect = b.d.usesData || b.usesData, max(b.d.dialect, b.dialect)
}
