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
Serves over standard input and output, or over TCP on a loopback address. Port 0 takes a free port;
the address is then the one line on standard error.`,
		Flags: func(f *cli.Flags) func(context.Context, *cli.Env) int {
			s := serveFlags{
				stdio:   f.Bool("stdio", false, "serve over standard input and output (the default)"),
				listen:  f.String("listen", "", "serve over TCP at this loopback `ADDRESS`, such as 127.0.0.1:0"),
				dialect: f.DialectFlag(),
				logFile: f.LogFlag(),
				level:   f.String("log-level", "warn", "log what is at least of the `LEVEL`: debug, info, warn or error"),
			}
			f.Int("clientProcessId", 0, "`ID`, accepted for editors that pass it; the server ends when its input does")
			return s.serve
		},
	}
}

type serveFlags struct {
	stdio                           *bool
	listen, dialect, logFile, level *string
}

func (s serveFlags) serve(ctx context.Context, e *cli.Env) int {
	if len(e.Args) > 0 {
		return e.UsageError("unexpected argument %q", e.Args[0])
	}
	if *s.stdio && *s.listen != "" {
		return e.UsageError("--stdio and --listen exclude each other")
	}
	if _, err := cli.ParseDialect(*s.dialect); err != nil {
		return e.UsageError("%v", err)
	}
	log, closeLog, err := e.Logger(*s.logFile, *s.level)
	if err != nil {
		return e.Fail(err)
	}
	defer closeLog()
	tuneMemory()
	opt := lsp.Options{Log: log, Version: cli.Version(), Dialect: *s.dialect}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *s.listen != "" {
		err = serveTCP(ctx, *s.listen, opt, e.Stderr)
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
