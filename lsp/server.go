package lsp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"stackscope/internal/loopback"
	"stackscope/lsp/internal/wire"
)

// ErrNoShutdown reports that a client sent `exit`, or closed the connection, without `shutdown`.
var ErrNoShutdown = errors.New("exit without shutdown")

// Options are what a Server can be told from outside the protocol.
type Options struct {
	Log     *slog.Logger // nil: no log
	Version string       // told to the client
	// Dialect is the dialect of modules that do not say theirs, unless the client's settings say
	// another; "" to detect it, "none" for WebAssembly 3.0 alone.
	Dialect string

	before   func(ctx context.Context, method string) // tests look in before a request is answered
	patience time.Duration                            // tests have another; none at all if it is negative
}

// Server is one session with one client. It reads the messages and answers requests; the answers
// themselves are made by its parts.
type Server struct {
	unimplemented
	*session
	navigation
	editing
	ownRequests
	*presentation
	*documents
	*checker
	*settings

	end  io.ReadWriteCloser // of the connection
	conn jsonrpc2.Conn
	wire *wire.Conn

	phase  atomic.Int32 // see the phases below
	exited chan struct{}
	exit   sync.Once

	work     room // requests
	requests inFlight
}

// unimplemented answers the requests of the protocol that no part of the server has.
type unimplemented struct{ protocol.UnimplementedServer }

// newServer returns the server of a session that ends with ctx. It has no connection yet.
func newServer(ctx context.Context, opt Options) *Server {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	ss := &session{opt: opt, log: opt.Log, ctx: ctx}
	ss.store.Init(opt.Dialect)
	check := &checker{session: ss}
	show := &presentation{session: ss}
	s := &Server{
		session: ss, checker: check, presentation: show, navigation: navigation{ss}, editing: editing{ss},
		ownRequests: ownRequests{ss}, settings: &settings{session: ss, checks: check},
		documents: &documents{session: ss, checks: check, shown: show}, exited: make(chan struct{}),
	}
	s.work.init(maxWork, maxWorkBytes)
	s.versions.init(maxEdits, maxEditsBytes)
	return s
}

// The phases of a session.
const (
	phaseNew int32 = iota
	phaseInitialized
	phaseShutdown
)

// Serve runs a session over a byte stream with LSP framing until the client exits, the stream ends
// or ctx is cancelled. It closes the stream. The error is nil after an orderly end: `shutdown` and
// `exit`, or the end of the stream.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(ctx, opt)
	s.end, s.wire = rwc, wire.NewConn(rwc)
	s.conn = jsonrpc2.NewConn(wire.NewStream(s.wire, s.log), jsonrpc2.WithCodec(wire.Codec{}))
	s.client = protocol.ClientDispatcher(s.conn)
	s.conn.Go(ctx, s.handler())
	defer rwc.Close()
	select {
	case <-s.exited:
		if s.phase.Load() != phaseShutdown {
			return ErrNoShutdown
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.conn.Done():
		return s.conn.Err()
	}
}

// ptr returns a pointer to a value, as optional protocol fields want it.
func ptr[T any](v T) *T { return &v }

// yes is a true that optional protocol fields can point at.
func yes() *bool { return ptr(true) }

// Listen opens a TCP listener at a loopback address.
func Listen(address string) (net.Listener, error) { return loopback.Listen(address) }

// ServeListener serves each connection as a session of its own until ctx ends, then closes the
// listener and waits for the sessions.
func ServeListener(ctx context.Context, ln net.Listener, opt Options) error {
	return loopback.Serve(
		ctx,
		ln,
		loopback.Options{Log: opt.Log, Session: func(ctx context.Context, _ int, c io.ReadWriteCloser) error {
			return Serve(ctx, c, opt)
		}},
	)
}
