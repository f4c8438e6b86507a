package termdbg

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	godap "github.com/google/go-dap"

	"stackscope/dap"
)

// connect begins a session with an adapter of its own.
func (d *debugger) connect() bool {
	here, there := net.Pipe()
	events, served := make(chan *dap.Message, 256), make(chan error, 1)
	d.events, d.served, d.pending = events, served, nil
	ctx, cfg := d.ctx, d.o.Server
	go func() { served <- dap.Serve(ctx, there, cfg) }()
	gone := make(chan struct{})
	d.client = dap.NewClient(here, func(m *dap.Message) {
		select {
		case events <- m:
		case <-gone:
		case <-d.closed:
		}
	}, nil)
	d.gone = gone
	init := godap.InitializeRequestArguments{
		ClientID: "wasm-dap", ClientName: "wasm-dap debug", AdapterID: "wasm", LinesStartAt1: true, ColumnsStartAt1: true,
		PathFormat: "path", SupportsVariableType: true, SupportsVariablePaging: true, SupportsMemoryReferences: true,
	}
	return d.request("initialize", init, &d.offered)
}

// disconnect ends the session with the adapter. A program that was launched ends; one that was
// attached to goes on, unless it is to end.
func (d *debugger) disconnect(terminate bool) {
	if d.client == nil {
		return
	}
	_ = d.ask("disconnect", godap.DisconnectArguments{TerminateDebuggee: terminate}, nil)
	close(d.gone)
	_ = d.client.Close()
	<-d.served
	d.client, d.alive, d.running, d.attached = nil, false, false, false
	d.frames, d.trail, d.pending, d.events = nil, nil, nil, nil
}

// ask sends a request and waits for the response. Output is shown meanwhile, so that the adapter
// never waits for us; other events are kept. An interrupt from the keyboard cancels the request.
func (d *debugger) ask(command string, args, body any) error {
	if d.client == nil {
		return errNoProgram
	}
	answer, seq := d.client.Start(command, args)
	for {
		select {
		case m, ok := <-answer:
			d.drain()
			return dap.Decode(command, m, ok, body)
		case m := <-d.events:
			d.keep(m)
		case <-d.intr:
			d.interrupted = true
			d.client.Send("cancel", godap.CancelArguments{RequestId: seq})
		}
	}
}

// askAgain is ask for what a stop shows: an interrupt that comes while it is on its way ends the
// command, but the place is shown all the same.
func (d *debugger) askAgain(command string, args, body any) error {
	err := d.ask(command, args, body)
	if err != nil && err.Error() == "cancelled" {
		err = d.ask(command, args, body)
	}
	return err
}

// request is ask that prints the error.
func (d *debugger) request(command string, args, body any) bool {
	err := d.ask(command, args, body)
	if err != nil {
		d.fail(err)
	}
	return err == nil
}

// drain handles the events that have come.
func (d *debugger) drain() {
	for {
		select {
		case m := <-d.events:
			d.keep(m)
		default:
			return
		}
	}
}

// keep shows what an event has to say, or keeps it for wait.
func (d *debugger) keep(m *dap.Message) {
	if m != nil && !steers(m.Event) {
		d.show(m)
		return
	}
	d.pending = append(d.pending, m)
}

// steers reports whether an event says that the program has stopped, goes on or has ended.
func steers(event string) bool {
	switch event {
	case "initialized", "stopped", "continued", "terminated":
		return true
	}
	return false
}

// begin launches the program, or attaches to one, and waits until it stands.
func (d *debugger) begin() bool {
	if d.o.Attach != "" {
		return d.attach(d.o.Attach)
	}
	if !d.connect() {
		return false
	}
	if !d.request("launch", d.launchArguments(), nil) {
		return false
	}
	if !d.await("initialized") {
		return false
	}
	d.alive = true
	d.sendAll()
	if !d.request("configurationDone", nil, nil) {
		return false
	}
	d.wait()
	return true
}

func (d *debugger) launchArguments() dap.Launch {
	l := d.o.Launch
	l.StopOnEntry = true
	return l
}

// attach joins a program that runs elsewhere, and stops it.
func (d *debugger) attach(address string) bool {
	d.disconnect(false)
	if !d.connect() {
		return false
	}
	if !d.request("attach", map[string]any{"connect": address, "stopOnEntry": true}, nil) || !d.await("initialized") {
		d.disconnect(false)
		return false
	}
	d.alive, d.attached, d.sources = true, true, nil
	d.sendAll()
	if !d.request("configurationDone", nil, nil) {
		return false
	}
	if d.settle(attachTime) {
		return true
	}
	if d.request("pause", godap.PauseArguments{ThreadId: 1}, nil) {
		d.wait()
	}
	return true
}

// attachTime is how long a program that was attached to may take to say that it stands already.
const attachTime = 100 * time.Millisecond

// await waits for an event.
func (d *debugger) await(name string) bool {
	for {
		m := d.next(nil)
		if m == nil || m.Event == "terminated" {
			return false
		}
		if m.Event == name {
			return true
		}
	}
}

// next returns the next event that steers; nil: the connection is closed, or the time is over.
func (d *debugger) next(timeout <-chan time.Time) *dap.Message {
	for {
		if len(d.pending) > 0 {
			m := d.pending[0]
			d.pending = d.pending[1:]
			if m == nil {
				d.lost()
			}
			return m
		}
		select {
		case m := <-d.events:
			d.keep(m)
		case <-timeout:
			return nil
		case <-d.intr:
			d.interrupt()
		}
	}
}

// lost reports that the adapter is gone.
func (d *debugger) lost() {
	if d.alive {
		d.printf("the connection to the program is closed\n")
	}
	d.alive, d.running, d.frames = false, false, nil
	if !d.attached {
		d.quit = true
	}
}

// interrupt stops the program that runs; a second interrupt ends it.
func (d *debugger) interrupt() {
	if !d.interrupted {
		d.interrupted = true
		d.client.Send("pause", godap.PauseArguments{ThreadId: 1})
		return
	}
	d.printf("the program does not stop: it is ended\n")
	d.client.Send("terminate", godap.TerminateArguments{})
}

// wait lets the program run until it stops or ends. An interrupt from the keyboard pauses it.
func (d *debugger) wait() {
	d.running = true
	for d.running && d.alive {
		if m := d.next(nil); m != nil {
			d.steered(m)
		}
	}
}

// settle waits a while for the program to stop and reports whether it stands or has ended.
func (d *debugger) settle(t time.Duration) bool {
	d.running = true
	over := time.After(t)
	for d.running && d.alive {
		m := d.next(over)
		if m == nil {
			return !d.alive
		}
		d.steered(m)
	}
	return true
}

// steered follows an event that says that the program has stopped, goes on or has ended.
func (d *debugger) steered(m *dap.Message) {
	switch m.Event {
	case "stopped":
		d.stop = godap.StoppedEventBody{}
		_ = json.Unmarshal(m.Body, &d.stop)
		d.thread, d.running = d.stop.ThreadId, false
		d.arrived()
	case "continued":
		d.running, d.frames = true, nil
	case "terminated":
		d.alive, d.running = false, false
		d.frames = nil
	}
}

// show prints what an event has to say to people.
func (d *debugger) show(m *dap.Message) {
	if m.Event == "breakpoint" {
		d.breakpointChanged(m)
	}
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
			if d.input.interactive() {
				d.printf("%s", b.Output)
			} else {
				fmt.Fprint(d.o.Err, b.Output)
			}
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

// arrived shows where the program has stopped.
func (d *debugger) arrived() {
	d.caught = ""
	d.loadFrames(0)
	d.listed = span{}
	exception := ""
	if d.stop.Reason == "exception" {
		var b godap.ExceptionInfoResponseBody
		if d.askAgain("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: d.thread}, &b) == nil {
			d.caught, exception = b.ExceptionId, b.Description
		}
	}
	d.reached = slices.ContainsFunc(
		d.breaks, func(b *brk) bool { return b.until && slices.Contains(d.stop.HitBreakpointIds, b.id) },
	)
	d.hits, d.exception = d.hit(), exception
	d.retire(d.hits)
	if !d.silent && !d.hushed {
		d.arrivedAgain()
	}
}

// arrivedAgain prints where the program stands and why.
func (d *debugger) arrivedAgain() {
	f, why := d.frame(), d.stop.Description
	told := why
	now := shown{thread: d.thread}
	if f != nil {
		now.fn, now.src = f.Name, sourceKey(f.Source)
	}
	plain := d.stop.Reason == "step" && len(d.hits) == 0 && (why == "" || why == "Stopped after a step") &&
		d.stop.Text == ""
	if !plain || now != d.last {
		var names []string
		for _, b := range d.hits {
			names = append(names, fmt.Sprintf("%s %d", b.noun(), b.n))
		}
		if why == "" {
			why = "Stopped after a " + d.stop.Reason
		}
		if d.reached && len(names) == 0 {
			why = "Reached"
		}
		if list := strings.Join(names, ", "); list != "" {
			if rest, ok := strings.CutPrefix(why, "Stopped at a breakpoint"); ok {
				why = "Stopped at " + list + rest
			} else {
				why += " (" + list + ")"
			}
		}
		head := d.paint("1", why)
		if f != nil {
			head += fmt.Sprintf(": %s in %s", d.threadName(), d.where(f))
		}
		d.printf("%s\n", head)
	}
	d.last = now
	switch {
	case d.exception != "" && !strings.HasSuffix(told, d.exception):
		d.printf("%s\n", d.paint("31", d.exception))
	case d.exception == "" && d.stop.Text != "":
		d.printf("%s\n", d.stop.Text)
	}
	d.showLine()
	d.showDisplays()
	for _, b := range d.hits {
		if len(b.commands) > 0 {
			d.queued = append(d.queued, &script{name: fmt.Sprintf("commands of %s %d", b.noun(), b.n), lines: b.commands})
		}
	}
}

// loadFrames loads the frames of the thread that is shown, at most limit (0: framesShown); the
// first real one is selected.
func (d *debugger) loadFrames(limit int) {
	var b godap.StackTraceResponseBody
	d.frames, d.at, d.more = nil, 0, 0
	if limit == 0 {
		limit = framesShown
	}
	if d.askAgain("stackTrace", godap.StackTraceArguments{ThreadId: d.thread, Levels: limit}, &b) != nil {
		return
	}
	for _, f := range b.StackFrames {
		d.frames = append(d.frames, frame{f})
	}
	d.more = max(b.TotalFrames-len(d.frames), 0)
	for i := range d.frames {
		if d.frames[i].PresentationHint != "label" {
			d.at = i
			break
		}
	}
	if f := d.frame(); f != nil && f.Source != nil {
		d.source = f.Source
	}
}

// framesShown is how many lines of a stack trace are loaded at a stop.
const framesShown = 1000

// frame returns the selected frame, or nil.
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

// threadName returns `#1 main`.
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
	_ = d.ask("threads", nil, &b)
	return b.Threads
}

// threadTitle returns the title of a thread, "" if it is not listed.
func (d *debugger) threadTitle(id int) string {
	for _, t := range d.threads() {
		if t.Id == id {
			return t.Name
		}
	}
	return ""
}

// atPrompt follows an event that came while a line was read: another session of the same program
// did it.
func (d *debugger) atPrompt(m *dap.Message) {
	if m == nil {
		return
	}
	was := d.running
	d.steered(m)
	if d.running && !was {
		d.printf("another session lets the program go on\n")
	}
}

// standing says so if there is no program that stands.
func (d *debugger) standing() bool {
	switch {
	case d.client == nil:
		d.fail(errNoProgram)
	case !d.alive:
		d.fail(errEnded)
	case d.running:
		d.failf("the program is running: interrupt stops it")
	default:
		return true
	}
	return false
}
