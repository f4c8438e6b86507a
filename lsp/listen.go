package lsp

import (
	"context"
	"io"
	"net"

	"stackscope/internal/loopback"
)

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
