package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"stackscope/lsp"
	"stackscope/wasm"
)

const serveUsage = `Usage: wasm-ls serve [--stdio | --listen ADDRESS] [--dialect D] [--log FILE] [--log-level LEVEL]

Serves the Language Server Protocol over standard input and output, or over TCP on a loopback
address. Port 0 takes a free port; the address is then the one line on standard error.

`

// serve is the command `wasm-ls serve`. It gives the exit status.
func serve(args []string, stdin io.ReadCloser, stdout io.WriteCloser, stderr io.Writer, version string) int {
	fs := flag.NewFlagSet("wasm-ls serve", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, serveUsage)
		fs.PrintDefaults()
	}
	stdio := fs.Bool("stdio", false, "serve over standard input and output (the default)")
	listen := fs.String("listen", "", "serve over TCP at this loopback `address`, such as 127.0.0.1:0")
	dialect := fs.String("dialect", "", "stack-switching `dialect` of modules that do not say theirs")
	logFile := fs.String("log", "", "write the log to this `file` instead of standard error")
	level := fs.String("log-level", "warn", "debug, info, warn or error")
	fs.Int("clientProcessId", 0, "accepted for editors that pass it; the server ends when its input does")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if fs.NArg() > 0 || *stdio && *listen != "" {
		fs.Usage()
		return 2
	}
	if _, ok := wasm.ParseDialect(*dialect); !ok && *dialect != "" {
		fmt.Fprintf(stderr, "wasm-ls: unknown dialect %q\n", *dialect)
		return 2
	}
	log, err := newLog(*logFile, *level, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "wasm-ls: %v\n", err)
		return 2
	}
	defer log.Sync() //nolint:errcheck // standard error cannot be synced everywhere
	opt := lsp.Options{Log: log, Version: version, Dialect: *dialect}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *listen != "" {
		err = serveTCP(ctx, *listen, opt, stderr)
	} else {
		err = lsp.Serve(ctx, pipes{stdin, stdout}, opt)
	}
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return 0
	case errors.Is(err, lsp.ErrNoShutdown):
		return 1
	}
	fmt.Fprintf(stderr, "wasm-ls: %v\n", err)
	return 1
}

// serveTCP serves sessions, each with its own state, until ctx ends.
func serveTCP(ctx context.Context, address string, opt lsp.Options, stderr io.Writer) error {
	ln, err := lsp.Listen(address)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s\n", ln.Addr())
	return lsp.ServeListener(ctx, ln, opt)
}

// pipes is standard input and output as one stream.
type pipes struct {
	io.ReadCloser
	w io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.w.Write(b) }

func (p pipes) Close() error { return errors.Join(p.ReadCloser.Close(), p.w.Close()) }

// newLog gives a log in lines of text to a file or to standard error.
func newLog(file, level string, stderr io.Writer) (*zap.Logger, error) {
	lvl, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, err
	}
	out := zapcore.Lock(zapcore.AddSync(stderr))
	if file != "" {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		out = zapcore.Lock(f)
	}
	cfg := zap.NewDevelopmentEncoderConfig()
	cfg.EncodeTime = zapcore.ISO8601TimeEncoder
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(cfg), out, lvl)), nil
}
