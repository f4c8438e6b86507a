package vm

import (
	"runtime"
	"sync"
	"sync/atomic"

	"stackscope/wasm"
)

// A large module is compiled by several goroutines. What functions share (the numbers of the
// clauses of resumes, which are those of the module) they take under a lock; the dialects besides
// cont share more.
const (
	manyInstrs = 50_000 // from here on
	batch      = 8      // functions at a time
)

// compileAll compiles all functions. The error is that of the first one that has one.
func (p *program) compileAll(types *wasm.TypeStore) error {
	n := 0
	for i := range p.mod.Funcs {
		n += len(p.mod.Funcs[i].Body)
	}
	workers := runtime.GOMAXPROCS(0)
	if n < manyInstrs || p.mod.Dialect.Switches() && p.mod.Dialect != wasm.DialectCont {
		workers = 1
	}
	errs := make([]error, workers)
	at := make([]int, workers) // the function of the error
	var next atomic.Int64
	work := func(w int) {
		defer guard(&errs[w])
		var sc scratch
		for {
			from := int(next.Add(batch)) - batch
			if from >= len(p.mod.Funcs) {
				return
			}
			for i := from; i < min(from+batch, len(p.mod.Funcs)); i++ {
				if at[w] = i; p.mod.Funcs[i].Import >= 0 {
					continue
				}
				if errs[w] = p.compileFunc(types, &sc, uint32(i)); errs[w] != nil {
					return
				}
			}
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	work(0)
	wg.Wait()
	first := -1
	for w, err := range errs {
		if err != nil && (first < 0 || at[w] < at[first]) {
			first = w
		}
	}
	if first < 0 {
		return nil
	}
	return errs[first]
}

func (p *program) compileFunc(types *wasm.TypeStore, sc *scratch, i uint32) (err error) {
	fn := &p.mod.Funcs[i]
	t := p.mod.FuncType(fn.Type)
	p.funcs[i], err = p.compile(types, sc, i, t.Params, t.Results, fn.Locals, fn.Body)
	return err
}
