// Package dap is a debug adapter for WebAssembly with stack switching: the Debug Adapter Protocol
// 1.71 over the engine in vm/debugger.
//
// [Serve] runs one session over a connection, [ServeListener] a session for each connection at a
// loopback address. [Config] holds what a server needs from outside, above all Config.Load, which
// turns a launch configuration (package dap/config) into a program. A [Target] is a program that
// runs by itself and that any number of sessions attach to. [Client] is the other end of a
// connection: the terminal debugger and the tests drive a server with it.
//
// A session is composed of parts with a duty each: intake (messages read), cancellation, inbox
// (what the engine reports), outbox (what is sent), debuggee (phase, owner and engine of the
// program), sources, console, handles, threads, variables, memory, breakpoints, dataBreakpoints,
// stepper, mover, canceller, evaluator and disassembler. commands.go has the table from command to
// handler; a handler is a method of the part whose fields it needs.
//
// One goroutine reads, one executes the session, one runs the program; all writing takes one lock.
// Protocol structures are those of go-dap; where that version lacks a field or loses a zero value,
// protocol.go has an overlay. [CustomRequests] describes the requests that the protocol does not
// have.
package dap
