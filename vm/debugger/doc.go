// Package debugger runs a WebAssembly program under control: breakpoints, steps that know the
// identity of stacks, and a view of all stacks at each stop. It knows no protocol; package dap and
// the terminal debugger are built on it.
//
// A [Program] is what is debugged, [Options] say how and receive what happens. [NewEngine] prepares
// a run, [Engine.Start] begins it:
//
//	e := debugger.NewEngine(program, debugger.Options{OnStop: func(s debugger.Stop) { stops <- s }})
//	err := e.Breakpoints.Set("main.wat", file, []*debugger.Breakpoint{{ID: 1, Line: 11}})
//	e.Start()
//	stop := <-stops
//	err = e.Do(func() { snap = e.Stacks.Snapshot(0, true, nil) })
//	err = e.Stepper.Prepare(debugger.Over, debugger.ByStatement, stop.Stack, false)
//	e.Resume()
//
// # Parts
//
// The engine is composed of parts. Each has a few fields of its own, and uses only parts that are
// listed before it:
//
//   - [Engine.Symbols] (package symbols): the program in the words of its source
//   - [Engine.Stacks] (package stacks): finds, lists and queries stacks
//   - [Engine.Inspector] and [Engine.Evaluator] (package inspect): frames, variables, expressions
//   - [Engine.Breakpoints], [Engine.Filters], [Engine.DataBreakpoints]: what stops the program
//   - [Engine.History]: the events of the stacks
//   - [Engine.Stepper]: steps (package step), and moves to other places
//   - [Engine.Canceller]: ends stacks
//
// The engine itself is what decides at each stop of the machine whether the program stops
// (control.go). What the program is doing is one value: running, stepping, stopped, evaluating,
// cancelling or ended (state.go).
//
// # Goroutines and locks
//
// The program runs on a goroutine of its own, the machine's. Requests come from other goroutines,
// one at a time, and follow these rules:
//
//   - The machine, and all state of the parts, belong to the machine's goroutine. Requests reach them
//     through [Engine.Do], which passes a function to that goroutine and waits for it. A stopped
//     program executes it at once, a running one at its next safe point. Methods that say so must be
//     called inside Do.
//   - Before Start and after the end there is no such goroutine. Do then calls the function itself, and
//     holds a lock (idle), so that sessions that share a program take turns and Start waits.
//   - Five atomic flags (see run) may be used by any goroutine. Pause and Kill set theirs and interrupt
//     the machine.
//   - The functions of Options are called on the machine's goroutine. They must not call the engine.
//   - Output has a lock of its own (outMu), as functions of the host may write from other goroutines.
//   - The list of units grows under a lock, so that [symbols.Code.Units] may be called anywhere.
package debugger
