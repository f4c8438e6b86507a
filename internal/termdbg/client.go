package termdbg

import (
	"context"
	"net"
	"os"
	"time"

	godap "github.com/google/go-dap"

	"stackscope/dap"
)

// client is the connection to the debug adapter, which runs in process.
type client struct {
	*screen
	ctx    context.Context
	server dap.Config
	closed chan struct{}  // closed when the session ends
	intr   chan os.Signal // interrupts from the keyboard

	onEvent  func(m *dap.Message) // handles an event that does not steer
	onClosed func()               // handles the end of the connection

	conn    *dap.Client
	events  chan *dap.Message // nil message: the connection is closed
	pending []*dap.Message    // events that arrived while a response was awaited
	answer  int               // the number of the last response
	served  chan error
	gone    chan struct{} // closed when nobody receives events any more
	offered godap.Capabilities

	interrupted bool // the user interrupted since the last command started
}

// connect starts an adapter and a session with it.
func (cl *client) connect() bool {
	here, there := net.Pipe()
	events, served := make(chan *dap.Message, 256), make(chan error, 1)
	cl.events, cl.served, cl.pending = events, served, nil
	ctx, cfg := cl.ctx, cl.server
	go func() { served <- dap.Serve(ctx, there, cfg) }()
	gone := make(chan struct{})
	cl.conn = dap.NewClient(here, func(m *dap.Message) {
		select {
		case events <- m:
		case <-gone:
		case <-cl.closed:
		}
	}, nil)
	cl.gone = gone
	init := godap.InitializeRequestArguments{
		ClientID: "wasm-dap", ClientName: "wasm-dap debug", AdapterID: "wasm", LinesStartAt1: true,
		ColumnsStartAt1: true, PathFormat: "path", SupportsVariableType: true, SupportsVariablePaging: true,
		SupportsMemoryReferences: true,
	}
	return cl.request("initialize", init, &cl.offered)
}

// ask sends a request and waits for the response. Output is shown meanwhile, so that the adapter
// never waits for the debugger; other events are kept. An interrupt from the keyboard cancels the
// request.
func (cl *client) ask(command string, args, body any) error {
	if cl.conn == nil {
		return errNoProgram
	}
	answer, seq := cl.conn.Start(command, args)
	for {
		select {
		case m, ok := <-answer:
			if ok {
				cl.answer = m.Seq
			}
			cl.drain()
			return dap.Decode(command, m, ok, body)
		case m := <-cl.events:
			cl.keep(m)
		case <-cl.intr:
			cl.interrupted = true
			cl.conn.Send("cancel", godap.CancelArguments{RequestId: seq})
		}
	}
}

// askAgain is ask for what a stop shows: an interrupt that arrives meanwhile ends the
// command, but the place is still shown.
func (cl *client) askAgain(command string, args, body any) error {
	err := cl.ask(command, args, body)
	if err != nil && err.Error() == "cancelled" {
		err = cl.ask(command, args, body)
	}
	return err
}

// request is ask, but prints the error. It reports whether there was none.
func (cl *client) request(command string, args, body any) bool {
	err := cl.ask(command, args, body)
	if err != nil {
		cl.fail(err)
	}
	return err == nil
}

// drain handles the events that have arrived.
func (cl *client) drain() {
	for {
		select {
		case m := <-cl.events:
			cl.keep(m)
		default:
			return
		}
	}
}

// keep handles an event, or keeps it for next if it steers.
func (cl *client) keep(m *dap.Message) {
	if m != nil && !steers(m.Event) {
		cl.onEvent(m)
		return
	}
	cl.pending = append(cl.pending, m)
}

// steers reports whether an event is about the program stopping, continuing or ending.
func steers(event string) bool {
	switch event {
	case "initialized", "stopped", "continued", "terminated":
		return true
	}
	return false
}

// await waits for an event.
func (cl *client) await(name string) bool {
	for {
		m := cl.next(nil)
		if m == nil || m.Event == "terminated" {
			return false
		}
		if m.Event == name {
			return true
		}
	}
}

// next returns the next event that steers, or nil if the connection is closed or the timeout
// expired.
func (cl *client) next(timeout <-chan time.Time) *dap.Message {
	for {
		if len(cl.pending) > 0 {
			m := cl.pending[0]
			cl.pending = cl.pending[1:]
			if m == nil {
				cl.onClosed()
			}
			return m
		}
		select {
		case m := <-cl.events:
			cl.keep(m)
		case <-timeout:
			return nil
		case <-cl.intr:
			cl.interrupt()
		}
	}
}

// interrupt stops the running program; a second interrupt ends it.
func (cl *client) interrupt() {
	if !cl.interrupted {
		cl.interrupted = true
		cl.conn.Send("pause", godap.PauseArguments{ThreadId: 1})
		return
	}
	cl.printf("the program does not stop: ending it\n")
	cl.conn.Send("terminate", godap.TerminateArguments{})
}

// close ends the connection. A program that was launched ends; one that was attached to continues,
// unless terminate is set.
func (cl *client) close(terminate bool) {
	_ = cl.ask("disconnect", godap.DisconnectArguments{TerminateDebuggee: terminate}, nil)
	close(cl.gone)
	_ = cl.conn.Close()
	<-cl.served
	cl.conn, cl.pending, cl.events = nil, nil, nil
}
