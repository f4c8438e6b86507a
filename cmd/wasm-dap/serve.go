package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"stackscope/dap"
	"stackscope/internal/cli"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Short: "serve the Debug Adapter Protocol",
		Long: `
Serves one session over standard input and output, or any number of sessions over TCP on a
loopback address. Port 0 selects a free port. The server prints its address as one line on
standard error.`,
		New: func() ([]cli.Flag, cli.Run) {
			var s serveFlags
			return s.table(), s.serve
		},
	}
}

type serveFlags struct {
	stdio                                       bool
	listen, dialect, transcript, logFile, level string
}

func (s *serveFlags) table() []cli.Flag {
	return []cli.Flag{
		{Name: "stdio", Value: cli.Bool(&s.stdio), Usage: "serve over standard input and output (the default)"},
		{
			Name: "listen", Arg: "ADDRESS", Value: cli.String(&s.listen),
			Usage: "serve over TCP on loopback ADDRESS, such as 127.0.0.1:0",
		},
		cli.DialectFlag(&s.dialect),
		{
			Name: "transcript", Arg: "FILE", Value: cli.String(&s.transcript),
			Usage: "write every message to FILE, one per line; with --listen, session n writes to FILE.n",
		},
		cli.LogFlag(&s.logFile),
		cli.LevelFlag(&s.level),
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
	cfg := serverConfig(log, s.dialect)
	switch {
	case s.transcript == "":
	case s.listen != "":
		cfg.Record = func(n int) (func(bool, []byte), func()) {
			tap, end, err := record(fmt.Sprintf("%s.%d", s.transcript, n))
			if err != nil {
				log.Warn("cannot record the session", "error", err)
				return nil, func() {}
			}
			return tap, end
		}
	default:
		tap, end, err := record(s.transcript)
		if err != nil {
			return e.Fail(err)
		}
		defer end()
		cfg.Tap = tap
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if s.listen != "" {
		l, err := dap.Listen(s.listen)
		if err != nil {
			return e.UsageError("%v", err)
		}
		fmt.Fprintf(e.Stderr, "%s\n", l.Addr())
		err = dap.ServeListener(ctx, l, cfg)
		return served(e, err)
	}
	return served(e, dap.Serve(ctx, cli.Pipes{Reader: e.Stdin, Writer: e.Stdout}, cfg))
}

// record returns a tap that writes the messages of a session to a file, and end, which closes it.
func record(file string) (tap func(outgoing bool, message []byte), end func(), err error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, nil, err
	}
	return func(out bool, raw []byte) {
		arrow := "→"
		if out {
			arrow = "←"
		}
		fmt.Fprintf(f, "%s %s\n", arrow, raw)
	}, func() { f.Close() }, nil
}

func served(e *cli.Env, err error) int {
	if err == nil || errors.Is(err, context.Canceled) {
		return cli.OK
	}
	return e.Fail(err)
}

// serverConfig returns the configuration of the adapter, for editors and for the terminal debugger.
func serverConfig(log *slog.Logger, dialect string) dap.Config {
	var self []string
	if exe, err := os.Executable(); err == nil {
		self = []string{exe}
	}
	return dap.Config{Log: log, Version: cli.Version(), Self: self,
		Load: func(l *dap.Launch) (*debugger.Program, error) {
			if l.Dialect == "" {
				l.Dialect = dialect
			}
			return launch.Load(l)
		}}
}
