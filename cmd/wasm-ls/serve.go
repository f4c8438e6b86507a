package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"stackscope/internal/cli"
	"stackscope/lsp"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Short: "serve the Language Server Protocol",
		Long: `
Serves over standard input and output, or over TCP on a loopback address. Port 0 selects a free
port. The server prints its address as one line on standard error.`,
		New: func() ([]cli.Flag, cli.Run) {
			var s serveFlags
			return s.table(), s.serve
		},
	}
}

type serveFlags struct {
	stdio                           bool
	listen, dialect, logFile, level string
}

func (s *serveFlags) table() []cli.Flag {
	return []cli.Flag{
		{Name: "stdio", Value: cli.Bool(&s.stdio), Usage: "serve over standard input and output (the default)"},
		{
			Name: "listen", Arg: "ADDRESS", Value: cli.String(&s.listen),
			Usage: "serve over TCP on loopback ADDRESS, such as 127.0.0.1:0",
		},
		cli.DialectFlag(&s.dialect),
		cli.LogFlag(&s.logFile),
		cli.LevelFlag(&s.level),
		{
			Name: "clientProcessId", Arg: "ID", Value: cli.Int(new(int)),
			Usage: "accepted and ignored: the server ends when its input ends",
		},
	}
}

func (s *serveFlags) serve(ctx context.Context, e *cli.Env) int {
	if len(e.Args) > 0 {
		return e.UsageError("unexpected argument %q", e.Args[0])
	}
	if s.stdio && s.listen != "" {
		return e.UsageError("--stdio and --listen are mutually exclusive")
	}
	if _, err := cli.ParseDialect(s.dialect); err != nil {
		return e.UsageError("%v", err)
	}
	log, closeLog, err := e.Logger(s.logFile, s.level)
	if err != nil {
		return e.Fail(err)
	}
	defer closeLog()
	tuneMemory()
	opt := lsp.Options{Log: log, Version: cli.Version(), Dialect: s.dialect}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if s.listen != "" {
		err = serveTCP(ctx, s.listen, opt, e.Stderr)
	} else {
		err = lsp.Serve(ctx, cli.Pipes{Reader: e.Stdin, Writer: e.Stdout}, opt)
	}
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return cli.OK
	case errors.Is(err, lsp.ErrNoShutdown):
		return cli.Bad
	}
	fmt.Fprintf(e.Stderr, "wasm-ls: %v\n", err)
	return cli.Bad
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
