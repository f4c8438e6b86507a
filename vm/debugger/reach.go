package debugger

import (
	"fmt"
	"runtime/debug"
	"time"

	"stackscope/vm"
)

// The machine is looked at on the goroutine that runs it, at moments when it stands still. This is
// how others reach it.

// Fallen is what Do panics with if its function did, on the goroutine of the machine.
type Fallen struct {
	Value any
	Stack string // where that was
}

// Error returns the value.
func (f *Fallen) Error() string { return fmt.Sprint(f.Value) }

// whileIdle calls a function if the program has not started or has ended, and reports whether it
// did. Sessions that share the program take turns then, and it does not start meanwhile.
func (e *Engine) whileIdle(f func()) bool {
	e.idle.Lock()
	defer e.idle.Unlock()
	if e.run.started.Load() && !e.Ended() {
		return false
	}
	f()
	return true
}

// Do calls a function at a moment when the machine stands still and may be looked at: at once if
// the program has not started, is stopped or has ended, else at its next safe point, after which it
// runs on. It gives ErrRunning if no safe point is reached within two seconds. If the function
// panics, Do does, with a *Fallen, and the program is as it was.
func (e *Engine) Do(f func()) error {
	if e.whileIdle(f) {
		return nil
	}
	if e.opt.NoDebug { // it is not to be disturbed
		return ErrRunning
	}
	done := make(chan struct{})
	var fault *Fallen
	call := func() {
		defer close(done)
		defer e.run.want.Add(-1)
		defer func() {
			if r := recover(); r != nil {
				fault = &Fallen{r, string(debug.Stack())}
			}
		}()
		f()
	}
	e.run.want.Add(1)
	if !e.run.stopped.Load() {
		e.mach.RequestPause()
	}
	t := time.NewTimer(2 * time.Second)
	defer t.Stop()
	select {
	case e.calls <- call:
		if <-done; fault != nil {
			panic(fault)
		}
	case <-e.ended:
		e.run.want.Add(-1)
		f()
	case <-t.C:
		e.run.want.Add(-1)
		return ErrRunning
	}
	return nil
}

// WhenStopped is Do for what needs a stopped program.
func (e *Engine) WhenStopped(f func()) error {
	switch {
	case e.Ended():
		return ErrEnded
	case !e.run.stopped.Load():
		return ErrRunning
	}
	return e.Do(f)
}

// serve does the calls that are on their way.
func (e *Engine) serve() {
	e.Stacks.forget()
	defer e.Stacks.forget()
	for e.run.want.Load() > 0 {
		select {
		case f := <-e.calls:
			f()
		case <-time.After(10 * time.Millisecond): // the caller has given up
		}
	}
}

// Pause makes the program stop at its next safe point.
func (e *Engine) Pause() {
	if e.run.stopped.Load() {
		return
	}
	e.run.pausing.Store(true)
	e.mach.RequestPause()
}

// InHost reports the call of the host that the program is in, and how many stacks wait for it to
// return; ok is false if it is in none. Meanwhile the program cannot be stopped. It may be called
// while the program runs.
func (e *Engine) InHost() (text string, ok bool) {
	e.outMu.Lock() // the host function may write something
	defer e.outMu.Unlock()
	ok = e.mach.InHost(func(fn *vm.Func) {
		run := e.mach.Running()
		if run == nil {
			return
		}
		s := e.Symbols.Stack(run)
		text = fmt.Sprintf(
			"the program is in a call of the host: %s called %s at %s, and stops when that returns", s.Name(),
			fn, s.At.Short(),
		)
		waiting, suspended := 0, 0
		found, _ := e.mach.SomeStacks(exactUpTo)
		for _, l := range found {
			switch {
			case l.Stack == run:
			case l.Holder.Kind == vm.HeldByChain:
				waiting++
			default:
				suspended++
			}
		}
		switch {
		case suspended > 0 && waiting == 0:
			text += fmt.Sprintf(
				"; all other stacks are suspended, %d of them: nothing goes on but by what the host gives",
				suspended,
			)
		case suspended+waiting > 0:
			text += fmt.Sprintf("; %d stacks wait for it, %d are suspended", waiting, suspended)
		}
	})
	return text, ok && text != ""
}

// Kill ends the program. It does not wait: see Done.
func (e *Engine) Kill() {
	if e.run.killed.Swap(true) {
		return
	}
	e.cancel()
	e.mach.Terminate()
	if e.run.started.Load() && e.run.stopped.Load() {
		go func() {
			select {
			case e.calls <- func() { e.run.goOn = true }:
			case <-e.ended:
			}
		}()
	}
}
