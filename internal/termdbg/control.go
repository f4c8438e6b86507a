package termdbg

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	godap "github.com/google/go-dap"

	"stackscope/dap"
)

// control starts programs and joins them, follows their events, and shows each stop.
type control struct {
	*target
	breaks *breakTable
	lister *lister
	data   *dataView

	attachTo string // address of a running program to attach to, instead of launching one
	attached bool
	hits     []*brk // the breakpoints that stopped the program
	reached  bool   // a place of until was reached
	shown    shown
	// queued are the commands of the breakpoints that stopped the program. They run after the
	// command that resumed it.
	queued []*script
	quit   bool // the session is over
}

// shown is where the program stood when a stop was printed last.
type shown struct {
	thread int
	fn     string
	src    string
}

// begin launches the program, or attaches to one, and waits until it stops.
func (ct *control) begin() bool {
	if ct.attachTo != "" {
		return ct.attach(ct.attachTo)
	}
	if !ct.connect() {
		return false
	}
	if !ct.request("launch", ct.launchArguments(), nil) {
		return false
	}
	if !ct.await("initialized") {
		return false
	}
	ct.alive = true
	ct.breaks.sendAll()
	if !ct.request("configurationDone", nil, nil) {
		return false
	}
	ct.wait()
	return true
}

func (ct *control) launchArguments() dap.Launch {
	l := ct.launch
	l.StopOnEntry = true
	return l
}

// attach joins a program that runs elsewhere, and stops it.
func (ct *control) attach(address string) bool {
	ct.disconnect(false)
	if !ct.connect() {
		return false
	}
	if !ct.request("attach", map[string]any{"connect": address, "stopOnEntry": true}, nil) || !ct.await("initialized") {
		ct.disconnect(false)
		return false
	}
	ct.alive, ct.attached, ct.lister.texts = true, true, nil
	ct.breaks.sendAll()
	if !ct.request("configurationDone", nil, nil) {
		return false
	}
	if ct.waitUpTo(attachTime) {
		return true
	}
	if ct.request("pause", godap.PauseArguments{ThreadId: 1}, nil) {
		ct.wait()
	}
	return true
}

// attachTime is how long attach waits for a program that is already stopped to report it.
const attachTime = 100 * time.Millisecond

// lost handles the end of the connection.
func (ct *control) lost() {
	if ct.alive {
		ct.printf("connection to the program closed\n")
	}
	ct.alive, ct.running, ct.frames = false, false, nil
	if !ct.attached {
		ct.quit = true
	}
}

// wait waits until the program stops or ends. An interrupt from the keyboard pauses it.
func (ct *control) wait() {
	ct.running = true
	for ct.running && ct.alive {
		if m := ct.next(nil); m != nil {
			ct.steered(m)
		}
	}
}

// waitUpTo waits up to t for the program to stop and reports whether it stopped or ended.
func (ct *control) waitUpTo(t time.Duration) bool {
	ct.running = true
	over := time.After(t)
	for ct.running && ct.alive {
		m := ct.next(over)
		if m == nil {
			return !ct.alive
		}
		ct.steered(m)
	}
	return true
}

// steered handles an event about the program stopping, continuing or ending.
func (ct *control) steered(m *dap.Message) {
	switch m.Event {
	case "stopped":
		ct.stop = godap.StoppedEventBody{}
		_ = json.Unmarshal(m.Body, &ct.stop)
		ct.thread, ct.running = ct.stop.ThreadId, false
		ct.arrived()
	case "continued":
		ct.running, ct.frames = true, nil
	case "terminated":
		ct.alive, ct.running = false, false
		ct.frames = nil
	}
}

// show prints an event.
func (ct *control) show(m *dap.Message) {
	switch m.Event {
	case "breakpoint":
		ct.breaks.breakpointChanged(m)
	case "capabilities": // what is offered for this program, in its words
		b := struct {
			Capabilities *godap.Capabilities `json:"capabilities"`
		}{&ct.offered}
		_ = json.Unmarshal(m.Body, &b)
	}
	if ct.silent {
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
			if ct.input.interactive() {
				ct.printf("%s", b.Output)
			} else {
				fmt.Fprint(ct.errOut, b.Output)
			}
		case "console":
			ct.printf("%s", ct.paint("2", b.Output))
		default:
			ct.printf("%s", b.Output)
		}
	case "exited":
		var b struct {
			ExitCode int `json:"exitCode"`
		}
		_ = json.Unmarshal(m.Body, &b)
		ct.printf("the program ended with exit code %d\n", b.ExitCode)
	}
}

// arrived loads and shows where the program stopped.
func (ct *control) arrived() {
	ct.caught = ""
	ct.loadFrames(0)
	ct.lister.listed = span{}
	exception := ""
	if ct.stop.Reason == "exception" {
		var b godap.ExceptionInfoResponseBody
		if ct.askAgain("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: ct.thread}, &b) == nil {
			ct.caught, exception = b.ExceptionId, b.Description
		}
	}
	ct.reached = slices.ContainsFunc(
		ct.breaks.all, func(b *brk) bool { return b.until && slices.Contains(ct.stop.HitBreakpointIds, b.id) },
	)
	ct.hits, ct.exception = ct.breaks.hit(), exception
	ct.breaks.retire(ct.hits)
	if !ct.silent && !ct.suppressed {
		ct.arrivedAgain()
	}
}

// arrivedAgain prints where the program is stopped and why.
func (ct *control) arrivedAgain() {
	f, why := ct.frame(), ct.stop.Description
	told := why
	now := shown{thread: ct.thread}
	if f != nil {
		now.fn, now.src = f.Name, sourceKey(f.Source)
	}
	plain := ct.stop.Reason == "step" && len(ct.hits) == 0 && (why == "" || why == "Stopped after a step") &&
		ct.stop.Text == ""
	if !plain || now != ct.shown {
		var names []string
		for _, b := range ct.hits {
			names = append(names, fmt.Sprintf("%s %d", b.noun(), b.n))
		}
		if why == "" {
			why = "Stopped after a " + ct.stop.Reason
		}
		if ct.reached && len(names) == 0 {
			why = "Reached"
		}
		if list := strings.Join(names, ", "); list != "" {
			if rest, ok := strings.CutPrefix(why, "Stopped at a breakpoint"); ok {
				why = "Stopped at " + list + rest
			} else {
				why += " (" + list + ")"
			}
		}
		head := ct.paint("1", why)
		if f != nil {
			head += fmt.Sprintf(": %s in %s", ct.threadName(), ct.where(f))
		}
		ct.printf("%s\n", head)
	}
	ct.shown = now
	switch {
	case ct.exception != "" && !strings.HasSuffix(told, ct.exception):
		ct.printf("%s\n", ct.paint("31", ct.exception))
	case ct.exception == "" && ct.stop.Text != "":
		ct.printf("%s\n", ct.stop.Text)
	}
	ct.lister.showLine()
	if ct.single {
		ct.lister.showInstruction()
	}
	ct.data.showDisplays()
	for _, b := range ct.hits {
		if len(b.commands) > 0 {
			ct.queued = append(ct.queued, &script{name: fmt.Sprintf("commands of %s %d", b.noun(), b.n),
				lines: b.commands})
		}
	}
}

// atPrompt handles an event that arrived while a line was read: another session of the same program
// caused it.
func (ct *control) atPrompt(m *dap.Message) {
	if m == nil {
		return
	}
	was := ct.running
	ct.steered(m)
	if ct.running && !was {
		ct.printf("another session resumed the program\n")
	}
}

// resume sends a request that resumes the program and waits until it stops.
func (ct *control) resume(request string, args any) bool {
	if err := ct.ask(request, args, nil); err != nil {
		if ct.interrupted && err.Error() == "cancelled" {
			ct.showSuppressed()
		} else {
			ct.fail(err)
		}
		return false
	}
	ct.wait()
	return true
}

// showSuppressed shows a stop that ends a command early.
func (ct *control) showSuppressed() {
	ct.suppressed = false
	if ct.alive && !ct.silent {
		ct.arrivedAgain()
	}
}

// focus selects another stack.
func (ct *control) focus(n int) error {
	if n == scriptThread {
		ct.thread = n
		ct.loadFrames(0)
		return nil
	}
	if err := ct.ask("stackscope/focus", map[string]any{"threadId": n}, nil); err != nil {
		return err
	}
	stop, hits, exception, caught := ct.stop, ct.hits, ct.exception, ct.caught
	silent := ct.silent
	ct.silent = true
	ct.wait() // the adapter sends a stopped event for this stack
	ct.silent = silent
	ct.stop, ct.hits, ct.exception, ct.caught = stop, hits, exception, caught
	ct.shown = shown{}
	return nil
}

// disconnect ends the session with the adapter. A program that was launched ends; one that was
// attached to continues, unless it is to end.
func (ct *control) disconnect(terminate bool) {
	if ct.conn == nil {
		return
	}
	ct.close(terminate)
	ct.alive, ct.running, ct.attached, ct.frames = false, false, false, nil
}
