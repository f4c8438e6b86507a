// Package lsp serves the Language Server Protocol 3.18 for WebAssembly text: one file per method,
// over the queries of analysis and analysis/ide. It converts between spans and protocol positions
// and keeps the state of a session; it knows nothing of the language itself.
//
// Notifications are handled one after the other, in the order of the stream; the analysis of a new
// text goes on beside that. A request is handled concurrently with all else, on the documents as
// they were at its place in the stream, and waits for no text but those it is about.
package lsp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
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
	wire *wire

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
	ss.store.init(opt)
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
	s.end, s.wire = rwc, newWire(rwc)
	s.conn = jsonrpc2.NewConn(newStream(s.wire, s.log), jsonrpc2.WithCodec(codec{}))
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

// codec encodes payloads with the union-aware functions of package protocol.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

// Unmarshal decodes the answer to a request of ours. Package protocol lets strings and raw messages
// point into b, which the next message overwrites: what is decoded points into a copy.
func (codec) Unmarshal(b []byte, v any) error { return protocol.Unmarshal(bytes.Clone(b), v) }

// ptr returns a pointer to a value, as optional protocol fields want it.
func ptr[T any](v T) *T { return &v }

// yes is a true that optional protocol fields can point at.
func yes() *bool { return ptr(true) }
