// Package termdbg is the terminal debugger: a client of the debug adapter that runs in process.
package termdbg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/dap"
)

// Options tell what to debug, and where to talk.
type Options struct {
	Launch dap.Launch
	Server dap.Config
	In     io.Reader
	Out    io.Writer // what the debugger and the program print
	Err    io.Writer // what the program prints on standard error
	Color  bool
}

// Exit codes of Run.
const (
	ok    = 0
	bad   = 1
	usage = 2
)

// Run debugs a program until the user quits or the input ends. It gives the exit code of the
// command: 0, or 1 if the program could not be run.
func Run(ctx context.Context, o Options) int {
	d := &debugger{o: o, events: make(chan *dap.Message, 256), cwd: cwd()}
	here, there := net.Pipe()
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { served <- dap.Serve(ctx, there, o.Server) }()
	d.client = dap.NewClient(here, d.event, nil)
	defer func() {
		_ = d.client.Request("disconnect", godap.DisconnectArguments{}, nil)
		_ = d.client.Close()
		<-served
	}()
	d.input = newInput(o.In, o.Out, d.complete)
	defer d.input.close()
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
	client *dap.Client
	events chan *dap.Message // nil: the connection is closed
	input  input
	cwd    string

	alive   bool // the program has not ended
	stop    godap.StoppedEventBody
	thread  int // whose frames are looked at
	frames  []frame
	at      int // index in frames
	listed  int // 1-based line that `list` showed last
	breaks  []brk
	nextBrk int
	watches []watch
	last    string // for the empty line
	sources map[string][]string
	trail   []move // what let the program go on, since it began
	silent  bool   // it is brought back to a place: nothing is shown
	quit    bool
	code    int
}

type frame struct {
	godap.StackFrame
}

type brk struct {
	n      int
	file   string // absolute; "" for a function
	line   int
	col    int
	fn     string
	cond   string
	temp   bool // of `until`
	id     int
	text   string // what the server said
	failed bool
}

type watch struct{ expr, value string }

// event is called by the reading goroutine.
func (d *debugger) event(m *dap.Message) { d.events <- m }

func (d *debugger) printf(format string, args ...any) { fmt.Fprintf(d.o.Out, format, args...) }

func (d *debugger) paint(code, s string) string {
	if !d.o.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// request sends a request; an error is printed.
func (d *debugger) request(command string, args, body any) bool {
	err := d.client.Request(command, args, body)
	if err != nil {
		d.fail(err)
	}
	return err == nil
}

func (d *debugger) fail(err error) {
	text := err.Error()
	if text == "notStopped" {
		text = "the program is running"
	}
	d.printf("%s %s\n", d.paint("31;1", "error:"), text)
}

// run starts the program and executes commands.
func (d *debugger) run() int {
	if !d.launch() {
		return usageOr(d.code)
	}
	for !d.quit {
		line, err := d.input.line("(wasm) ")
		if err != nil {
			if !errors.Is(err, io.EOF) {
				d.fail(err)
			}
			break
		}
		line = strings.TrimSpace(line)
		if line == "" {
			if !d.input.interactive() {
				continue
			}
			line = d.last
		}
		if line == "" || strings.HasPrefix(line, ";;") {
			continue
		}
		d.last = line
		d.command(line)
	}
	return d.code
}

func usageOr(code int) int {
	if code == ok {
		return bad
	}
	return code
}

// launch loads and starts the program, which stops on entry.
func (d *debugger) launch() bool {
	init := godap.InitializeRequestArguments{
		ClientID: "wasm-dap", ClientName: "wasm-dap debug", AdapterID: "wasm", LinesStartAt1: true, ColumnsStartAt1: true,
		PathFormat: "path", SupportsVariableType: true, SupportsVariablePaging: true,
	}
	if !d.request("initialize", init, nil) {
		return false
	}
	l := d.o.Launch
	l.StopOnEntry = true
	if err := d.client.Request("launch", l, nil); err != nil {
		d.drain()
		d.fail(err)
		d.code = bad
		return false
	}
	for m := range d.events {
		if m == nil {
			return false
		}
		if m.Event == "initialized" {
			break
		}
		d.show(m)
	}
	d.alive = true
	if !d.request("configurationDone", nil, nil) {
		return false
	}
	d.wait()
	return true
}

// drain shows the events that have come.
func (d *debugger) drain() {
	for {
		select {
		case m := <-d.events:
			if m == nil {
				return
			}
			d.show(m)
		default:
			return
		}
	}
}

// show prints what an event has to say to people.
func (d *debugger) show(m *dap.Message) {
	if d.silent {
		return
	}
	switch m.Event {
	case "output":
		var b godap.OutputEventBody
		if json.Unmarshal(m.Body, &b) != nil {
			return
		}
		switch b.Category {
		case "stderr":
			fmt.Fprint(d.o.Err, b.Output)
		case "console":
			d.printf("%s", d.paint("2", b.Output))
		default:
			d.printf("%s", b.Output)
		}
	case "exited":
		var b struct {
			ExitCode int `json:"exitCode"`
		}
		_ = json.Unmarshal(m.Body, &b)
		d.printf("the program has ended with exit code %d\n", b.ExitCode)
	}
}

// wait lets the program run until it stops or ends. An interrupt from the keyboard pauses it.
func (d *debugger) wait() {
	intr := make(chan os.Signal, 1)
	signal.Notify(intr, os.Interrupt)
	defer signal.Stop(intr)
	for {
		select {
		case <-intr:
			d.client.Send("pause", godap.PauseArguments{ThreadId: 1})
		case m := <-d.events:
			switch {
			case m == nil:
				d.alive, d.quit = false, true
				return
			case m.Event == "stopped":
				d.stop = godap.StoppedEventBody{}
				_ = json.Unmarshal(m.Body, &d.stop)
				d.thread = d.stop.ThreadId
				d.arrived()
				return
			case m.Event == "terminated":
				d.alive = false
				d.frames = nil
				return
			default:
				d.show(m)
			}
		}
	}
}

// arrived shows where the program has stopped.
func (d *debugger) arrived() {
	d.dropTemporary()
	d.loadFrames()
	d.listed = 0
	if d.silent {
		return
	}
	why := d.stop.Description
	if why == "" {
		why = "Stopped after a " + d.stop.Reason
	}
	d.printf("%s", d.paint("1", why))
	if f := d.frame(); f != nil {
		d.printf(": %s in %s", d.threadName(), d.where(f))
	}
	d.printf("\n")
	if d.stop.Reason == "exception" {
		var b godap.ExceptionInfoResponseBody
		if d.request("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: d.thread}, &b) {
			d.printf("%s\n", d.paint("31", b.Description))
		}
	} else if d.stop.Text != "" {
		d.printf("%s\n", d.stop.Text)
	}
	d.showLine()
	d.showWatches()
}

// loadFrames gets the frames of the thread that is looked at; the first real one is selected.
func (d *debugger) loadFrames() {
	var b godap.StackTraceResponseBody
	d.frames, d.at = nil, 0
	if !d.request("stackTrace", godap.StackTraceArguments{ThreadId: d.thread}, &b) {
		return
	}
	for _, f := range b.StackFrames {
		d.frames = append(d.frames, frame{f})
	}
	for i := range d.frames {
		if d.frames[i].PresentationHint != "label" {
			d.at = i
			break
		}
	}
}

// frame gives the selected frame, or nil.
func (d *debugger) frame() *frame {
	if d.at < len(d.frames) && d.frames[d.at].PresentationHint != "label" {
		return &d.frames[d.at]
	}
	return nil
}

func (d *debugger) frameID() int {
	if f := d.frame(); f != nil {
		return f.Id
	}
	return 0
}

// threadName gives `#1 main`.
func (d *debugger) threadName() string {
	for _, t := range d.threads() {
		if t.Id == d.thread {
			name, _, _ := strings.Cut(t.Name, " · ")
			return name
		}
	}
	return fmt.Sprintf("#%d", d.thread)
}

func (d *debugger) threads() []godap.Thread {
	var b godap.ThreadsResponseBody
	d.request("threads", nil, &b)
	return b.Threads
}
