package termdbg

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"

	"stackscope/dap"
)

// Options configure a debugger.
type Options struct {
	Launch dap.Launch
	Attach string // address of a running program to attach to, instead of launching one
	Server dap.Config
	In     io.Reader
	Out    io.Writer // what the debugger and the program print
	Err    io.Writer // what the program prints on standard error
	Color  bool
	// Commands are executed first, before anything is read from In. Batch ends the session after
	// them.
	Commands []Script
	Batch    bool
	// History is the file that keeps the lines typed at a terminal; "": none is kept.
	History string
}

// Script is a list of commands that was given on the command line: a file, or one line.
type Script struct {
	File string // its path
	Line string // if File is empty
}

// Exit codes of Run.
const (
	ok  = 0
	bad = 1
)

// Run debugs a program until the user quits or the input ends. It returns the exit code of the
// command: 0, or 1 if the program could not be run or a command file failed.
func Run(ctx context.Context, o Options) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := newDebugger(ctx, o)
	signal.Notify(d.intr, os.Interrupt)
	defer signal.Stop(d.intr)
	defer close(d.closed)
	d.input = newInput(o.In, o.Out, openHistory(o.History), d.shell.completeFromInput)
	defer d.input.close()
	defer d.control.disconnect(false)
	return d.shell.run()
}

func cwd() string {
	d, err := os.Getwd()
	if err != nil {
		return ""
	}
	return d
}

// debugger is the terminal debugger, composed of parts. Each part embeds the target, and through it
// the client and the screen, and names the other parts that it uses.
type debugger struct {
	*target
	breaks    *breakTable
	lister    *lister
	code      *codeView
	data      *dataView
	memory    *memoryView
	control   *control
	runner    *runner
	stacks    *stackView
	breakCmds *breakCommands
	info      *info
	shell     *shell
}

// newDebugger returns a debugger without an input. It is not connected.
func newDebugger(ctx context.Context, o Options) *debugger {
	sc := &screen{out: o.Out, errOut: o.Err, color: o.Color, cwd: cwd()}
	cl := &client{
		screen: sc, ctx: ctx, server: o.Server, intr: make(chan os.Signal, 4), closed: make(chan struct{}),
	}
	d := &debugger{target: &target{client: cl, launch: o.Launch}}
	t := d.target
	d.breaks = &breakTable{target: t, off: map[string]bool{}}
	d.lister = &lister{target: t, breaks: d.breaks}
	d.code = &codeView{target: t, breaks: d.breaks, lister: d.lister}
	d.data = &dataView{target: t}
	d.memory = &memoryView{target: t, code: d.code}
	d.control = &control{target: t, breaks: d.breaks, lister: d.lister, data: d.data, attachTo: o.Attach}
	d.runner = &runner{target: t, control: d.control, breaks: d.breaks, lister: d.lister, code: d.code}
	d.stacks = &stackView{target: t, control: d.control, lister: d.lister, data: d.data}
	d.breakCmds = &breakCommands{target: t, breaks: d.breaks, lister: d.lister}
	d.info = &info{target: t, control: d.control, breaks: d.breaks, lister: d.lister, code: d.code}
	d.shell = &shell{target: t, control: d.control, calls: make(chan func()), first: o.Commands, batch: o.Batch}
	cl.onEvent, cl.onClosed = d.control.show, d.control.lost

	d.breakCmds.shell = d.shell
	d.info.topics = d.topics()
	d.shell.table = d.commands()
	d.shell.topics = d.info.topics
	d.stacks.table = d.shell.table
	d.shell.completion = &completion{target: t, breaks: d.breaks, table: d.shell.table, topics: d.info.topics}
	return d
}

// commands returns the table of commands, in the order of help. Each part has rows of its own.
func (d *debugger) commands() table {
	return slices.Concat(
		d.runner.commands(), d.breakCmds.commands(), d.stacks.commands(), d.data.commands(),
		d.stacks.scopeCommands(), d.memory.commands(), d.lister.commands(), d.code.commands(),
		d.info.commands(), d.shell.commands(),
	)
}
