package dap

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"stackscope/dap/config"
	"time"

	"stackscope/internal/loopback"
	"stackscope/vm/debugger"
)

// Config is what a server needs from outside.
type Config struct {
	// Load reads what a launch configuration names. Its error may be a *LoadError. It is called
	// again at every restart.
	Load func(*config.Launch) (*debugger.Program, error)
	// Log gets what is of interest to the developers of the adapter; nil: nothing is logged.
	Log *slog.Logger
	// Tap sees every message of a session, if it is set.
	Tap func(outgoing bool, message []byte)
	// Record returns what sees every message of a session of ServeListener, and what is called when
	// that session has ended; nil: the sessions are not recorded. The sessions are numbered from 1,
	// as they come.
	Record func(session int) (tap func(outgoing bool, message []byte), end func())
	// Target is a program that runs already: sessions attach to it, and launch nothing.
	Target *Target
	// Self is the command line of this program, for programs that run in a terminal of the client.
	Self []string
	// ProgressAfter is how long loading may take before the client sees its progress; 0: 300 ms.
	ProgressAfter time.Duration
	// Patience is how long a client of ServeListener may take until it has sent initialize; 0: 30
	// s.
	Patience time.Duration
	// Version is the version to show.
	Version string
}

// Launch is a launch configuration; see package config.
type Launch = config.Launch

// Limits are the limits of a launch configuration.
type Limits = config.Limits

// Pair is a name with a value in a launch configuration.
type Pair = config.Pair

// HistorySize is how many stack events are kept by default.
const HistorySize = config.HistorySize

// CheckHistory returns an error if so many stack events cannot be kept.
func CheckHistory(n int) error { return config.CheckHistory(n) }

// LoadError is a program that cannot be run.
type LoadError struct {
	Message     string // one line
	Diagnostics []Diagnostic
	Usage       bool // the program was asked for the wrong way; its text may be right
}

// Diagnostic is one thing that is wrong with a program.
type Diagnostic struct {
	Path      string
	Line, Col int // 1-based, the column in characters; 0 if unknown
	Text      string
}

// Error returns the message.
func (e *LoadError) Error() string { return e.Message }

// Serve runs one session over a connection until it is closed or the session ends. It closes it.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, cfg Config) error {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
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

// Listen opens a TCP listener at a loopback address.
func Listen(address string) (net.Listener, error) { return loopback.Listen(address) }

// CheckLoopback reports an error if an address is not one that Listen and Dial take.
func CheckLoopback(address string) error { return loopback.Check(address) }

// Dial connects to a loopback address.
func Dial(address string) (net.Conn, error) { return loopback.Dial(address, connectTime) }

// ServeListener runs a session for every connection, each on its own, until the context ends or the
// listener fails. It waits for the sessions.
func ServeListener(ctx context.Context, l net.Listener, cfg Config) error {
	return loopback.Serve(
		ctx,
		l,
		loopback.Options{
			Log:      cfg.Log,
			Patience: cfg.Patience,
			Session: func(ctx context.Context, n int, c io.ReadWriteCloser) error {
				cfg := cfg
				if cfg.Record != nil {
					tap, end := cfg.Record(n)
					defer end()
					cfg.Tap = tap
				}
				return Serve(ctx, c, cfg)
			},
		},
	)
}
