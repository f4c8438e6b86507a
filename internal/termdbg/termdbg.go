// Package termdbg is the terminal debugger: a client of the debug adapter that runs in process.
//
// One goroutine executes the commands and talks to the adapter. A second one reads the terminal, so
// that events are seen while a line is edited. Everything the user can type is a row of the table
// in table.go.
package termdbg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/dap"
)

// Options say what to debug, and where to talk.
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
	d := &debugger{
		o: o, ctx: ctx, cwd: cwd(), intr: make(chan os.Signal, 4), calls: make(chan func()), closed: make(chan struct{}),
		filtersOff: map[string]bool{},
	}
	signal.Notify(d.intr, os.Interrupt)
	defer signal.Stop(d.intr)
	defer close(d.closed)
	d.input = newInput(o.In, o.Out, openHistory(o.History), d.completeFromInput)
	defer d.input.close()
	defer d.disconnect(false)
	return d.run()
}

func cwd() string {
	d, err := os.Getwd()
	if err != nil {
		return ""
	}
	return d
}

type debugger struct {
	o      Options
	ctx    context.Context
	cwd    string
	input  input
	intr   chan os.Signal
	calls  chan func()   // what the input's goroutine asks the main one to do
	closed chan struct{} // closed when the session is over

	client   *dap.Client
	events   chan *dap.Message // nil message: the connection is closed
	pending  []*dap.Message    // events that came while a response was awaited
	served   chan error
	gone     chan struct{} // closed when nobody takes the events any more
	attached bool
	offered  godap.Capabilities

	alive     bool // there is a program, and it has not ended
	running   bool // it runs: another session let it go on
	stop      godap.StoppedEventBody
	hits      []*brk // the breakpoints that stopped it
	reached   bool   // a place of until was reached
	exception string // what the adapter says of the fault
	caught    string // the exception filter that stopped it
	thread    int    // whose frames are shown
	frames    []frame
	more      int // frames of the stack trace that are not loaded
	at        int // index in frames
	last      shown

	breaks     []*brk
	nextBrk    int
	filtersOff map[string]bool // default filters that are off
	displays   []display
	nextDisp   int
	source     *godap.Source // that of the frame that was shown last
	listed     span          // lines that `list` showed last
	examined   examined
	sources    map[string][]string
	trail      []move // what let the program go on, since it began
	hushed     bool   // intermediate stops are not shown
	silent     bool   // it is brought back to a place: nothing is shown

	repeat  string    // the command that an empty line repeats
	scripts []*script // those that are being executed, the outermost first
	// the commands of the breakpoints that stopped the program; they run when the command has ended
	queued      []*script
	following   bool // queued is being executed
	failures    int  // errors that were printed
	interrupted bool // the user asked to stop since the last command began
	quit        bool
	code        int
}

type frame struct{ godap.StackFrame }

// shown is where the program stood when a stop was printed last.
type shown struct {
	thread int
	fn     string
	src    string
}

func (d *debugger) printf(format string, args ...any) { fmt.Fprintf(d.input, format, args...) }

func (d *debugger) paint(code, s string) string {
	if !d.o.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// fail prints an error.
func (d *debugger) fail(err error) {
	text := err.Error()
	if text == "notStopped" {
		text = "the program is running: interrupt stops it"
	}
	d.failures++
	d.printf("%s %s\n", d.paint("31;1", "error:"), text)
}

func (d *debugger) failf(format string, args ...any) { d.fail(fmt.Errorf(format, args...)) }

// run starts the program and executes commands.
func (d *debugger) run() int {
	if !d.begin() {
		return bad
	}
	for _, s := range d.o.Commands {
		if d.quit {
			break
		}
		var err error
		if s.File != "" {
			err = d.runFile(s.File)
		} else {
			before := d.failures
			d.printf("%s%s\n", prompt, s.Line)
			if d.execute(s.Line); d.failures > before {
				err = errReported
			}
		}
		if err != nil {
			if !errors.Is(err, errReported) {
				d.fail(err)
			}
			d.code = bad
			break
		}
	}
	for !d.quit && !d.o.Batch {
		line, err := d.readLine(prompt)
		switch {
		case errors.Is(err, errInterrupted):
			continue
		case errors.Is(err, io.EOF):
			return d.code
		case err != nil:
			d.fail(err)
			return bad
		}
		line = strings.TrimSpace(line)
		if line == "" && d.input.interactive() {
			line = d.repeat
		}
		d.execute(line)
	}
	return d.code
}

const prompt = "(wasm) "

// execute executes a line.
func (d *debugger) execute(line string) {
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, ";;") || strings.HasPrefix(line, "#!") ||
		line[0] == '#' && (len(line) == 1 || line[1] == ' ' || line[1] == '#') {
		return
	}
	c, a, err := parseLine(line)
	if err != nil {
		d.fail(err)
		return
	}
	d.repeat = line
	if c.once {
		d.repeat = ""
	}
	if c.again {
		d.repeat = c.name + a.slash()
	}
	if a.format != "" && !c.slash {
		d.failf("%s takes no format", c.name)
		return
	}
	if len(d.scripts) == 0 {
		d.interrupted = false
	}
	c.run(d, a)
	if !d.following {
		d.following = true
		d.afterStop()
		d.following = false
	}
}
