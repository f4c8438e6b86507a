package dap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"go.uber.org/zap"

	"stackscope/vm/debug"
)

// Config is what a server needs from outside.
type Config struct {
	// Load reads what a launch configuration names. Its error may be a *LoadError. It is called again
	// at every restart.
	Load func(*Launch) (*debug.Program, error)
	// Log gets what is of interest to the developers of the adapter; nil: nothing is logged.
	Log *zap.Logger
	// Tap sees every message of a session, if it is set.
	Tap func(outgoing bool, message []byte)
	// Record gives what sees every message of a session of ServeListener, and what is called when that session
	// has ended; nil: the sessions are not recorded. The sessions are numbered from 1, as they come.
	Record func(session int) (tap func(outgoing bool, message []byte), end func())
	// Target is a program that runs already: sessions attach to it, and launch nothing.
	Target *Target
	// Self is the command line of this program, for programs that run in a terminal of the client.
	Self []string
	// ProgressAfter is how long loading may take before a client is told of it; 0: 300 ms.
	ProgressAfter time.Duration
	// Version is told to people.
	Version string
}

// LoadError is a program that cannot be run.
type LoadError struct {
	Message     string // one line
	Diagnostics []Diagnostic
}

// Diagnostic is one thing that is wrong with a program.
type Diagnostic struct {
	Path      string
	Line, Col int // 1-based, the column in characters; 0 if unknown
	Text      string
}

// Error gives the message.
func (e *LoadError) Error() string { return e.Message }

// Serve runs one session over a connection until it is closed or the session ends. It closes it.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, cfg Config) error {
	if cfg.Log == nil {
		cfg.Log = zap.NewNop()
	}
	if cfg.Target != nil {
		defer cfg.Target.serves()()
	}
	s := newSession(cfg, rwc)
	stop := context.AfterFunc(ctx, func() { rwc.Close() })
	defer stop()
	err := s.serve()
	rwc.Close()
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Listen opens a TCP listener. Only loopback addresses are accepted: a debugger runs programs.
func Listen(address string) (net.Listener, error) {
	if err := CheckLoopback(address); err != nil {
		return nil, err
	}
	return net.Listen("tcp", address)
}

// Dial connects to a loopback address.
func Dial(address string) (net.Conn, error) {
	if err := CheckLoopback(address); err != nil {
		return nil, err
	}
	return net.DialTimeout("tcp", address, connectTime)
}

// CheckLoopback refuses an address with a port that is not this machine's own. Nothing is looked up.
func CheckLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("address %q: want one such as 127.0.0.1:4711", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("address %s is not a loopback address (127.0.0.1, [::1] or localhost)", address)
	}
	return nil
}

// ServeListener runs a session for every connection, each on its own, until the context ends or the
// listener fails. It waits for the sessions.
func ServeListener(ctx context.Context, l net.Listener, cfg Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	for n := 1; ; n++ {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			return err
		}
		wg.Go(func() {
			cfg := cfg
			if cfg.Record != nil {
				tap, end := cfg.Record(n)
				defer end()
				cfg.Tap = tap
			}
			if err := Serve(ctx, c, cfg); err != nil && cfg.Log != nil {
				cfg.Log.Warn("session ended", zap.Error(err))
			}
		})
	}
}
