package lsp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"sync"

	"go.uber.org/zap"
)

// Listen opens a TCP listener at a loopback address: the protocol has no authentication, so no
// other address is accepted.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%s is not a loopback address: only 127.0.0.1, [::1] and localhost are served", address)
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if a, ok := ln.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() { // localhost may be anything
		ln.Close()
		return nil, fmt.Errorf("%s is not a loopback address", ln.Addr())
	}
	return ln, nil
}

// ServeListener serves each connection as a session of its own until ctx ends, then closes the
// listener and waits for the sessions.
func ServeListener(ctx context.Context, ln net.Listener, opt Options) error {
	if opt.Log == nil {
		opt.Log = zap.NewNop()
	}
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for {
		conn, err := ln.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			var ne net.Error
			if errors.As(err, &ne) && ne.Timeout() {
				continue
			}
			return err
		}
		sessions.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					opt.Log.Error("panic in a session", zap.Any("value", p), zap.ByteString("stack", debug.Stack()))
				}
			}()
			if err := Serve(ctx, conn, opt); err != nil && ctx.Err() == nil {
				opt.Log.Info("session ended", zap.Error(err))
			}
		})
	}
}
