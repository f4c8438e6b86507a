package loopback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"time"
)

// Listen opens a TCP listener at a loopback address: the protocols have no authentication, and a
// debugger runs programs.
func Listen(address string) (net.Listener, error) {
	if err := Check(address); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() { // localhost may be anything
		l.Close()
		return nil, fmt.Errorf("%s is not a loopback address", l.Addr())
	}
	return l, nil
}

// Dial connects to a loopback address.
func Dial(address string, timeout time.Duration) (net.Conn, error) {
	if err := Check(address); err != nil {
		return nil, err
	}
	return net.DialTimeout("tcp", address, timeout)
}

// Check reports an error if an address with a port is not this machine's own. It looks nothing up.
func Check(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("address %q: want HOST:PORT, such as 127.0.0.1:4711", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("address %s is not a loopback address (127.0.0.1, [::1] or localhost)", address)
	}
	return nil
}

// Options are how connections are served.
type Options struct {
	// Session serves one connection, which it closes. Connections are numbered from 1.
	Session func(ctx context.Context, number int, conn io.ReadWriteCloser) error
	// Log receives the sessions that fail; nil: nothing is logged.
	Log *slog.Logger
	// Patience is how long a client may take until its session is established; 0: DefaultPatience.
	Patience time.Duration
	// MaxSessions bounds the connections at a time; 0: DefaultMaxSessions.
	MaxSessions int
}

// Defaults of Options.
const (
	DefaultPatience    = 30 * time.Second
	DefaultMaxSessions = 500
)

// Serve serves each connection as a session of its own until the context ends or the listener
// fails. It waits for the sessions. A panic ends only its session. Memory goes back to the system
// after large ones.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = DefaultMaxSessions
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	var sessions sync.WaitGroup
	defer sessions.Wait()
	defer cancel() // before waiting: without a listener the sessions end too
	slots := make(chan struct{}, o.MaxSessions)
	for n := 1; ; n++ {
		c, err := l.Accept()
		if err != nil {
			var ne net.Error
			switch {
			case ctx.Err() != nil || errors.Is(err, net.ErrClosed):
				return nil
			case errors.As(err, &ne) && ne.Timeout():
				continue
			}
			return err
		}
		select {
		case slots <- struct{}{}:
		default:
			o.Log.Warn("connection refused: too many sessions", "sessions", o.MaxSessions)
			c.Close()
			continue
		}
		sessions.Go(func() {
			defer func() { <-slots }()
			o.session(ctx, n, c)
		})
	}
}

func (o *Options) session(ctx context.Context, n int, c net.Conn) {
	defer giveBack()
	defer c.Close()
	defer func() {
		if p := recover(); p != nil {
			o.Log.Error("panic in a session", "value", p, "stack", string(debug.Stack()))
		}
	}()
	if err := o.Session(ctx, n, newGuarded(c, o.Patience)); err != nil && ctx.Err() == nil {
		o.Log.Warn("session ended", "error", err)
	}
}
