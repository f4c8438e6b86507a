package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"stackscope/dap"
	"stackscope/internal/cli"
	"stackscope/internal/values"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
)

// attachFlags are the flags of runs that debuggers can attach to.
type attachFlags struct {
	listen, connect string
	wait            bool
	sources         sourceFlags
	history         int
}

// historyFlag is how many stack events a debugger can look back at.
func historyFlag(p *int) cli.Flag {
	return cli.Flag{
		Name: "history-events", Arg: "N", Default: strconv.Itoa(dap.HistorySize), Value: cli.Int(p),
		Usage: "number of stack events to keep for debuggers (0 = none)",
	}
}

func (a *attachFlags) table() []cli.Flag {
	return append([]cli.Flag{
		{
			Name: "listen", Arg: "ADDRESS", Value: cli.String(&a.listen),
			Usage: "accept debuggers on loopback ADDRESS, such as 127.0.0.1:0, and print the address on standard error",
		},
		{
			Name: "connect", Arg: "ADDRESS", Value: cli.String(&a.connect),
			Usage: "connect to a debugger listening on loopback ADDRESS and wait for it before starting",
		},
		{Name: "wait", Value: cli.Bool(&a.wait), Usage: "with --listen: wait for a debugger before starting"},
		historyFlag(&a.history),
	}, a.sources.table()...)
}

func (a *attachFlags) used() bool { return a.listen != "" || a.connect != "" || a.wait }

// drainTime is how long sessions may take to receive the end of the program.
const drainTime = 2 * time.Second

// run runs a program that debuggers can attach to. Until one does it runs at full speed.
func (a *attachFlags) run(ctx context.Context, e *cli.Env, pf *programFlags) int {
	switch {
	case a.listen != "" && a.connect != "":
		return e.UsageError("--listen and --connect are mutually exclusive")
	case a.wait && a.listen == "":
		return e.UsageError("--wait needs --listen")
	}
	if err := dap.CheckHistory(a.history); err != nil {
		return e.UsageError("%v", err)
	}
	p, err := pf.load(e, a.sources.find)
	if err != nil {
		return loadError(e, err)
	}
	dp, err := p.Debug()
	if err != nil {
		return e.Fail(err)
	}
	if err := a.sources.show(dp); err != nil {
		return e.UsageError("flag --printers: %v", err)
	}
	ctx, cancel := pf.context(ctx)
	defer cancel()
	ended := make(chan debugger.End, 1)
	t := dap.NewTarget(dp, debugger.Options{
		History: a.history,
		OnEnd:   func(x debugger.End) { ended <- x },
		OnOutput: func(s debugger.Stream, text string, _ snapshot.Site) {
			if s == debugger.Stdout {
				fmt.Fprint(e.Stdout, text)
			} else {
				fmt.Fprint(e.Stderr, text)
			}
		},
	})
	cfg := dap.Config{Target: t, Version: cli.Version()}
	if a.connect != "" {
		conn, err := dap.Dial(a.connect)
		if err != nil {
			return e.Fail(err)
		}
		go func() { _ = dap.Serve(ctx, conn, cfg) }()
	} else {
		l, err := dap.Listen(a.listen)
		if err != nil {
			return e.UsageError("%v", err)
		}
		defer l.Close()
		defer announce(l.Addr().String(), p.Config.Path, p.Config.Args)()
		fmt.Fprintf(e.Stderr, "%s\n", l.Addr())
		go func() { _ = dap.ServeListener(ctx, l, cfg) }()
		if !a.wait {
			t.Start()
		}
	}
	var end debugger.End
	select {
	case end = <-ended:
	case <-ctx.Done():
		t.Engine().Kill()
		select {
		case end = <-ended:
		case <-time.After(drainTime): // it has not started, or does not end
		}
		if end.Err == nil {
			end.Err = ctx.Err()
		}
	}
	for _, v := range end.Results {
		fmt.Fprintln(e.Stdout, values.Format(v))
	}
	code := cli.OK
	if end.Err != nil {
		code = runError(e, symbols.NewSymbols(dp.Units), end.Err)
	}
	drain, done := context.WithTimeout(context.Background(), drainTime)
	defer done()
	t.Drain(drain)
	return code
}
