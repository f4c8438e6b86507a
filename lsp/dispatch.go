package lsp

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"stackscope/lsp/internal/wire"
)

// viewKey is the context key of the view that a request sees.
type viewKey struct{}

// handler returns what every message passes: order, life cycle, cancellation, recovery.
func (s *Server) handler() jsonrpc2.Handler {
	h := protocol.ServerHandler(s, jsonrpc2.MethodNotFoundHandler)
	return func(ctx context.Context, r *jsonrpc2.Request) (any, error) {
		switch {
		case r.IsCall():
			return s.call(ctx, r, h)
		case r.Method() == protocol.MethodCancelRequest:
			s.cancelRequest(r.Params())
			return nil, nil
		}
		return s.notification(r, h)
	}
}

// inFlight holds how to cancel the requests that are being answered.
type inFlight struct {
	mu     sync.Mutex
	cancel map[jsonrpc2.ID]context.CancelFunc
}

// begin returns the context of a request, and what to call when it is answered. The context comes
// from the session's: those of package jsonrpc2 must not be derived from, they are recycled.
func (f *inFlight) begin(session context.Context, id jsonrpc2.ID) (context.Context, func()) {
	ctx, cancel := context.WithCancel(session)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cancel == nil {
		f.cancel = map[jsonrpc2.ID]context.CancelFunc{}
	}
	f.cancel[id] = cancel
	return ctx, func() {
		cancel()
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.cancel, id)
	}
}

// cancelRequest cancels a request, if it is still being answered.
func (s *Server) cancelRequest(params []byte) {
	var p protocol.CancelParams
	if err := protocol.Unmarshal(params, &p); err != nil {
		s.log.Warn("$/cancelRequest", "error", err)
		return
	}
	var id jsonrpc2.ID
	switch v := p.ID.(type) {
	case protocol.Integer:
		id = jsonrpc2.NewNumberID(int64(v))
	case protocol.String:
		id = jsonrpc2.NewStringID(string(v))
	}
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	if cancel := s.requests.cancel[id]; cancel != nil {
		cancel()
	}
}

// call answers a request. What it sees is fixed before the next message is read.
func (s *Server) call(conn context.Context, r *jsonrpc2.Request, h jsonrpc2.Handler) (res any, err error) {
	method := r.Method()
	ctx, done := s.requests.begin(s.ctx, r.ID())
	defer done()
	defer s.wire.Answered()
	size := len(r.Params())
	s.wire.CaughtUp(s.ctx)
	if !s.work.enter(s.ctx, size) {
		return nil, protocol.ErrRequestCancelled
	}
	left := sync.OnceFunc(func() { s.work.leave(size) })
	defer func() {
		if left != nil {
			left()
		}
	}()
	switch phase := s.phase.Load(); {
	case method == protocol.MethodInitialize:
		if phase != phaseNew {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "already initialized")
		}
	case phase == phaseNew:
		return nil, jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "not initialized")
	case phase == phaseShutdown:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "shut down")
	default:
		if method == protocol.MethodShutdown {
			s.phase.Store(phaseShutdown) // for the messages after it
		}
		// The answer too is written beside the reading: a client that writes before it reads would
		// else wait for us for ever, and we for it.
		ctx = context.WithValue(ctx, viewKey{}, s.store.View())
		jsonrpc2.Async(conn)
		method = r.Method() // the request now owns its text
	}
	start := time.Now()
	defer func() {
		if s.log.Enabled(ctx, slog.LevelDebug) {
			s.log.Debug("request", "method", method, "took", time.Since(start), "error", err)
		}
	}()
	if method == protocol.MethodInitialize { // before anything else is read
		res, err = s.answer(ctx, r, h)
	} else {
		defer s.requestProgress(method, r.Params())()
		leave := left
		left = nil // when the work is done, which may be after the answer
		res, err = s.answerBeside(ctx, r.Clone(), h, leave)
	}
	if ctx.Err() != nil {
		return nil, protocol.ErrRequestCancelled
	}
	if errors.Is(err, jsonrpc2.ErrParse) { // of the params: the message itself was understood
		if len(r.Params()) == 0 && !strings.HasPrefix(method, "textDocument/") &&
			!strings.HasPrefix(method, "workspace/") {
			return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %q", method)
		}
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid params: %v", err)
	}
	if err != nil && !isWire(err) {
		s.log.Error("request failed", "method", method, "error", err)
		return nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "%s", err)
	}
	if v := reflect.ValueOf(res); v.IsValid() && v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, err // a nil result of any type is `null`
	}
	return res, err
}

// answer has a request answered; a panic becomes an internal error.
func (s *Server) answer(ctx context.Context, r *jsonrpc2.Request, h jsonrpc2.Handler) (res any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "method", r.Method(), "value", p, "stack", string(debug.Stack()))
			res, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s", r.Method())
		}
	}()
	if s.opt.before != nil {
		s.opt.before(ctx, r.Method())
	}
	return h(ctx, r)
}

// answerBeside is answer, but does not wait for work that goes on when ctx has ended: the client
// that cancels a request is told at once.
func (s *Server) answerBeside(ctx context.Context, r *jsonrpc2.Request, h jsonrpc2.Handler, leave func()) (any,
	error) {
	type answer struct {
		res any
		err error
	}
	done := make(chan answer, 1)
	go func() {
		defer leave()
		res, err := s.answer(ctx, r, h)
		done <- answer{res, err}
	}()
	select {
	case a := <-done:
		return a.res, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isWire reports whether an error is one that the protocol layer can send.
func isWire(err error) bool {
	var w *jsonrpc2.Error
	return errors.As(err, &w)
}

// notification handles a message without an answer: whatever goes wrong is logged.
func (s *Server) notification(r *jsonrpc2.Request, h jsonrpc2.Handler) (any, error) {
	method := strings.Clone(r.Method())
	if method != protocol.MethodExit {
		if s.phase.Load() != phaseInitialized {
			return nil, nil
		}
		if strings.HasPrefix(method, "$/") && method != protocol.MethodSetTrace {
			return nil, nil
		}
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "method", method, "value", p, "stack", string(debug.Stack()))
		}
	}()
	if err := s.notify(r, h); err != nil {
		s.log.Warn("notification", "method", method, "error", err)
	}
	return nil, nil
}

// notify passes a notification on.
func (s *Server) notify(r *jsonrpc2.Request, h jsonrpc2.Handler) error {
	if r.Method() != protocol.MethodTextDocumentDidOpen {
		_, err := h(s.ctx, r)
		return err
	}
	p, err := wire.OpenParams(r.Params())
	if err != nil {
		return err
	}
	return s.DidOpen(s.ctx, p)
}

// recovered, deferred, logs a panic and ends it.
func (s *session) recovered(what string) {
	if p := recover(); p != nil {
		s.log.Error("panic", "in", what, "value", p, "stack", string(debug.Stack()))
	}
}
