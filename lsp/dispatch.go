package lsp

import (
	"context"
	"errors"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// viewKey is the context key of the view that a request sees.
type viewKey struct{}

// handler gives the chain that every message passes: cancellation, order, life cycle, recovery.
func (s *Server) handler() jsonrpc2.Handler {
	h := protocol.ServerHandler(s, jsonrpc2.MethodNotFoundHandler)
	cancelled := protocol.CancelHandler(func(ctx context.Context, r *jsonrpc2.Request) (any, error) {
		if r.IsCall() {
			return s.call(ctx, r, h)
		}
		return s.notification(ctx, r, h)
	})
	return func(ctx context.Context, r *jsonrpc2.Request) (any, error) {
		res, err := cancelled(ctx, r)
		if err != nil && !r.IsCall() { // a malformed $/cancelRequest must not end the session
			s.log.Warn("notification", zap.String("method", r.Method()), zap.Error(err))
			return nil, nil
		}
		return res, err
	}
}

// call answers a request. What it sees is fixed before the next message is read.
func (s *Server) call(ctx context.Context, r *jsonrpc2.Request, h jsonrpc2.Handler) (res any, err error) {
	method := r.Method()
	switch phase := s.phase.Load(); {
	case method == protocol.MethodInitialize:
		if phase != phaseNew {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "already initialized")
		}
	case phase == phaseNew:
		return nil, jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "not initialized")
	case phase == phaseShutdown:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "shut down")
	case method != protocol.MethodShutdown:
		ctx = context.WithValue(ctx, viewKey{}, s.store.view())
		jsonrpc2.Async(ctx)
		method = r.Method() // the request now owns its text
	}
	start := time.Now()
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", zap.String("method", method), zap.Any("value", p), zap.ByteString("stack", debug.Stack()))
			res, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s", method)
		}
		s.log.Debug("request", zap.String("method", method), zap.Duration("took", time.Since(start)), zap.Error(err))
	}()
	res, err = h(ctx, r)
	if ctx.Err() != nil {
		return nil, protocol.ErrRequestCancelled
	}
	if err != nil && !isWire(err) {
		s.log.Error("request failed", zap.String("method", method), zap.Error(err))
		return nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "%s", err)
	}
	if v := reflect.ValueOf(res); v.IsValid() && v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, err // a nil result of any type is `null`
	}
	return res, err
}

// isWire tells whether an error is one that the protocol layer knows how to send.
func isWire(err error) bool {
	var w *jsonrpc2.Error
	return errors.As(err, &w)
}

// notification handles a message without an answer: whatever goes wrong is logged.
func (s *Server) notification(ctx context.Context, r *jsonrpc2.Request, h jsonrpc2.Handler) (any, error) {
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
			s.log.Error("panic", zap.String("method", method), zap.Any("value", p), zap.ByteString("stack", debug.Stack()))
		}
	}()
	if _, err := h(ctx, r); err != nil {
		s.log.Warn("notification", zap.String("method", method), zap.Error(err))
	}
	return nil, nil
}

// background runs work that no message waits for; a panic in it is logged.
func (s *Server) background(what string, f func(ctx context.Context)) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic", zap.String("in", what), zap.Any("value", p), zap.ByteString("stack", debug.Stack()))
			}
		}()
		f(s.ctx)
	}()
}
