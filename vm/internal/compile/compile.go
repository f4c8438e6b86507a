package compile

import (
	"runtime"
	"stackscope/vm/internal/code"
	"stackscope/wasm"
	"stackscope/wasm/valid"
	"sync"
	"sync/atomic"
)

// Unit is a module that is compiled. What its functions share (the numbers of the clauses of
// resumes, which are those of the module) they take under a lock: a large module is compiled by
// several goroutines. The dialects besides cont share more.
type Unit struct {
	*code.Program
	isLarge func(typ uint32) bool // reports whether structures of a type are made by bulk instructions
	guard   func(*error)          // is deferred where code is compiled: it turns a panic into an error
	mu      sync.Mutex            // guards tableSites and hasBarrier
	env     *valid.Env            // made when a function needs types, see prescan
}

// Unsupported is what makes a function impossible to compile.
type Unsupported struct{ message string }

// Error returns the message.
func (e *Unsupported) Error() string { return e.message }

const (
	manyInstrs = 50_000 // a module of as many is large
	batch      = 8      // functions that a goroutine takes at a time
)

// New returns a unit of a program whose functions are not compiled yet. A panic of the compiler is
// handled by guard, which is deferred.
func New(p *code.Program, isLarge func(typ uint32) bool, guard func(*error)) *Unit {
	return &Unit{Program: p, isLarge: isLarge, guard: guard}
}

// All compiles all functions. The error is that of the first one that has one.
func (u *Unit) All() error {
	n := 0
	for i := range u.Mod.Funcs {
		n += len(u.Mod.Funcs[i].Body)
	}
	workers := runtime.GOMAXPROCS(0)
	if n < manyInstrs || u.Mod.Dialect.Switches() && !u.Mod.Dialect.Info().Upstream {
		workers = 1
	}
	errs := make([]error, workers)
	at := make([]int, workers) // the function of the error
	var next atomic.Int64
	work := func(w int) {
		defer u.guard(&errs[w])
		var sc scratch
		for {
			from := int(next.Add(batch)) - batch
			if from >= len(u.Mod.Funcs) {
				return
			}
			for i := from; i < min(from+batch, len(u.Mod.Funcs)); i++ {
				if at[w] = i; u.Mod.Funcs[i].Import >= 0 {
					continue
				}
				if errs[w] = u.compileFunc(&sc, uint32(i)); errs[w] != nil {
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

func (u *Unit) compileFunc(sc *scratch, i uint32) (err error) {
	fn := &u.Mod.Funcs[i]
	t := u.Mod.FuncType(fn.Type)
	u.Funcs[i], err = u.compile(sc, i, t.Params, t.Results, fn.Locals, fn.Body)
	return err
}

// Constant compiles a constant expression as a function without parameters.
func (u *Unit) Constant(results []wasm.ValType, body []wasm.Instr) (*code.Func, error) {
	return u.compile(&scratch{}, wasm.BadIndex, nil, results, nil, body)
}

// setBarrier records that some function has a barrier.
func (u *Unit) setBarrier() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.HasBarrier = true
}
