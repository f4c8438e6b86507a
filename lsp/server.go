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
	"go.lsp.dev/uri"

	"stackscope/analysis/source"
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

// Server is one session with one client.
type Server struct {
	protocol.UnimplementedServer

	opt    Options
	log    *slog.Logger
	end    io.ReadWriteCloser // of the connection
	conn   jsonrpc2.Conn
	client protocol.Client
	ctx    context.Context // ends with the session

	phase  atomic.Int32 // see the phases below
	exited chan struct{}
	exit   sync.Once

	// Set by initialize, constant after it.
	enc  source.Encoding
	caps clientCaps

	wire         *wire
	work         room // requests
	versions     room // versions of documents that are not analysed yet
	errands      errands
	reconfigured atomic.Bool // settings have changed, and the client has not been told
	relinks      relinks

	requests inFlight
	store    store
	files    workspace
	pushing  pusher
	tokens   tokenCache
	foldings foldCache
	outlines symbolCache
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
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := newWire(rwc)
	s := &Server{end: rwc, wire: w, opt: opt, log: opt.Log, ctx: ctx, exited: make(chan struct{})}
	s.store.init(opt)
	s.work.init(maxWork, maxWorkBytes)
	s.versions.init(maxEdits, maxEditsBytes)
	s.conn = jsonrpc2.NewConn(newStream(w, opt.Log), jsonrpc2.WithCodec(codec{}))
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

// doc returns the version of a document that a request is about, or an error to answer with.
func (s *Server) doc(ctx context.Context, u uri.URI) (*document, error) {
	if v, ok := ctx.Value(viewKey{}).(view); ok {
		if d := v[u]; d != nil {
			return d, nil
		}
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s is not open", u)
}
