package termdbg

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/dap"
)

func runCommands() []cmd {
	return []cmd{
		{
			name: "run", aliases: []string{"r"}, group: running, args: "[ARG…] [< FILE]",
			short: "run the program from its beginning until something stops it",
			long:  "Arguments are those of the export. With < the program reads its standard input from the file.",
			once:  true, serves: []string{"restart"}, run: (*debugger).cmdRun,
		},
		{
			name: "restart", aliases: []string{"start"}, group: running,
			short: "run the program from its beginning and stop there", once: true,
			run: (*debugger).cmdRestart,
		},
		{
			name: "step", aliases: []string{"s"}, group: running, args: "[COUNT]",
			short: "step, following control into calls and to other stacks", counted: true,
			serves: []string{"stepIn"}, run: stepper("stepIn", "statement"),
		},
		{
			name: "next", aliases: []string{"n"}, group: running, args: "[COUNT]",
			short: "step to the next statement on this stack", counted: true, serves: []string{"next"},
			run: stepper("next", "statement"),
		},
		{
			name: "finish", aliases: []string{"fin", "out", "stepout", "so"}, group: running,
			args: "[COUNT]", short: "run until this activation ends", counted: true,
			long:   "A suspension does not end it. After up it is the selected frame that ends. With a count as many activations end.",
			serves: []string{"stepOut"}, run: (*debugger).cmdFinish,
		},
		{
			name: "stepi", aliases: []string{"si", "step-instruction"}, group: running, args: "[COUNT]",
			short: "like step, by one instruction", counted: true, run: stepper("stepIn", "instruction"),
		},
		{
			name: "nexti", aliases: []string{"ni", "next-instruction"}, group: running, args: "[COUNT]",
			short: "like next, by one instruction", counted: true, run: stepper("next", "instruction"),
		},
		{
			name: "stepto", group: running, args: "[N]",
			short:  "step into one of the calls, resumes and switches of this statement; without N list them",
			serves: []string{"stepInTargets"}, run: (*debugger).cmdStepto,
		},
		{
			name: "continue", aliases: []string{"c", "cont", "fg"}, group: running, args: "[COUNT]",
			short: "run until something stops the program", counted: true,
			long:   "With a count the breakpoint where the program stands lets it pass COUNT - 1 times.",
			serves: []string{"continue"}, run: (*debugger).cmdContinue,
		},
		{
			name: "until", aliases: []string{"u"}, group: running, args: "[PLACE]",
			short: "run until a place is reached; without one until a later line of this function",
			run:   (*debugger).cmdUntil,
		},
		{
			name:    "advance",
			aliases: []string{"adv"},
			group:   running,
			args:    "PLACE",
			short:   "run until a place is reached",
			run: func(d *debugger, a args) {
				if a.text == "" {
					d.failf("advance needs a place")
					return
				}
				d.cmdUntil(a)
			},
		},
		{
			name: "back", aliases: []string{"rs", "reverse-step", "rewind"}, group: running,
			args: "[COUNT]", short: "go back to the stop before, by running the program again up to there",
			counted: true, run: (*debugger).cmdBack,
		},
		{
			name: "interrupt", aliases: []string{"pause", "halt"}, group: running,
			short: "stop the program that runs; Ctrl-C does so too", serves: []string{"pause", "cancel"},
			run: (*debugger).cmdInterrupt,
		},
		{
			name: "jump", aliases: []string{"j", "goto"}, group: running,
			args:  "LINE | FILE:LINE[:COL]",
			short: "continue this stack at another place in the current function",
			long:  "A stack that is suspended does so when it is resumed.", once: true,
			serves: []string{"gotoTargets", "goto"}, run: (*debugger).cmdJump,
		},
		{
			name: "again", aliases: []string{"restartframe", "reenter"}, group: running, args: "[N]",
			short: "restart this frame, or frame N; what it has called is left", once: true,
			serves: []string{"restartFrame"}, run: (*debugger).cmdAgain,
		},
		{
			name: "cancel", group: running, args: "#N… | #N $TAG [VALUE…]",
			short: "throw an exception into a suspended continuation; without a tag end stacks that do not run",
			once:  true, serves: []string{"terminateThreads", "stackscope/cancel"},
			run: (*debugger).cmdCancel,
		},
		{
			name: "kill", aliases: []string{"k", "terminate"}, group: running, short: "end the program",
			once: true, serves: []string{"terminate"}, run: (*debugger).cmdKill,
		},
		{
			name: "attach", group: running, args: "ADDRESS",
			short: "debug a program that runs elsewhere: wasm-dap run --listen ADDRESS", once: true,
			serves: []string{"attach"}, run: (*debugger).cmdAttach,
		},
		{
			name: "detach", group: running, short: "leave a program that was attached to: it goes on",
			once: true, run: (*debugger).cmdDetach,
		},
	}
}

// maxCount bounds a count.
const maxCount = 1_000_000_000

// count reads a count; none is 1.
func count(text, command string) (int, error) {
	if text == "" {
		return 1, nil
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil || n < 1 || n > maxCount {
		return 0, fmt.Errorf("%q is not a count: %s takes a number from 1, such as %s 3", text, command, command)
	}
	return int(n), nil
}

// act does something that lets the program go on, waits until it stands again, and remembers it for
// back. do reports whether the adapter accepted it; it waits itself.
func (d *debugger) act(do func() bool) bool {
	if !d.standing() {
		return false
	}
	m := move{do: do, breaks: d.snapshot(), off: maps.Clone(d.filtersOff), thread: d.thread}
	if !do() {
		return false
	}
	m.to = d.standsAt()
	d.trail = append(d.trail, m)
	return true
}

// resume lets the program go on and waits until it stands.
func (d *debugger) resume(request string, args any) bool {
	if err := d.ask(request, args, nil); err != nil {
		if d.interrupted && err.Error() == "cancelled" {
			d.unhush()
		} else {
			d.fail(err)
		}
		return false
	}
	d.wait()
	return true
}

// steps makes n steps. It ends at whatever is not the end of a step. Only the last stop is shown.
func (d *debugger) steps(n int, request string, g godap.SteppingGranularity) bool {
	defer func() { d.hushed = false }()
	for i := 1; i <= n; i++ {
		d.hushed = i < n
		if !d.resume(request, godap.NextArguments{ThreadId: d.thread, Granularity: g}) {
			return i > 1
		}
		if i < n && (!d.alive || d.stop.Reason != "step" || len(d.stop.HitBreakpointIds) > 0 || d.interrupted) {
			if d.interrupted && !d.silent {
				d.printf("interrupted: %d of %d\n", i, n)
			}
			d.unhush()
			break
		}
	}
	return true
}

// unhush shows the stop that ends a command early.
func (d *debugger) unhush() {
	d.hushed = false
	if d.alive && !d.silent {
		d.arrivedAgain()
	}
}

func stepper(request string, g godap.SteppingGranularity) func(*debugger, args) {
	name := map[string]string{"stepInstatement": "step", "nextstatement": "next", "stepIninstruction": "stepi", "nextinstruction": "nexti"}[request+string(g)]
	return func(d *debugger, a args) {
		n, err := count(a.text, name)
		if err != nil {
			d.fail(err)
			return
		}
		thread := d.thread
		d.act(func() bool { d.thread = thread; return d.steps(n, request, g) })
	}
}

func (d *debugger) cmdFinish(a args) {
	n, err := count(a.text, "finish")
	if err != nil {
		d.fail(err)
		return
	}
	if !d.standing() {
		return
	}
	inner := 0 // activations of the same stack that the selected frame waits for
	for i := 0; i < d.at; i++ {
		if d.frames[i].PresentationHint != "label" {
			inner++
		} else if inner > 0 {
			d.failf("this frame is on another stack: finish ends activations of the stack that is shown")
			return
		}
	}
	thread := d.thread
	d.act(func() bool { d.thread = thread; return d.steps(n+inner, "stepOut", "statement") })
}

func (d *debugger) cmdContinue(a args) {
	n, err := count(a.text, "continue")
	if err != nil {
		d.fail(err)
		return
	}
	thread, at := d.thread, slices.Clone(d.stop.HitBreakpointIds)
	d.act(func() bool { d.thread = thread; return d.continues(n, at) })
}

// continues lets the program go on until the breakpoints where it stands are reached for the nth
// time, or something else stops it. If it stands at none, any breakpoint counts.
func (d *debugger) continues(n int, at []int) bool {
	defer func() { d.hushed = false }()
	for i := 1; i <= n; i++ {
		d.hushed = i < n
		if !d.resume("continue", godap.ContinueArguments{ThreadId: d.thread}) {
			return i > 1
		}
		if !d.alive {
			return true
		}
		hits := d.stop.HitBreakpointIds
		same := len(hits) > 0 &&
			(len(at) == 0 || !slices.ContainsFunc(hits, func(id int) bool { return !slices.Contains(at, id) }))
		if i < n && (!same || d.interrupted) {
			d.unhush()
			return true
		}
	}
	return true
}

func (d *debugger) cmdStepto(a args) {
	if !d.standing() {
		return
	}
	var b godap.StepInTargetsResponseBody
	if !d.request("stepInTargets", godap.StepInTargetsArguments{FrameId: d.frameID()}, &b) {
		return
	}
	if len(b.Targets) == 0 {
		d.failf("this statement leads nowhere: it has no call, resume, suspension or switch")
		return
	}
	if a.text == "" {
		for i, t := range b.Targets {
			d.printf("  %d: %s\n", i+1, t.Label)
		}
		return
	}
	n, err := strconv.Atoi(a.text)
	if err != nil || n < 1 || n > len(b.Targets) {
		d.failf("%q is not a target: stepto lists them", a.text)
		return
	}
	thread := d.thread
	d.act(func() bool {
		d.thread = thread
		var b godap.StepInTargetsResponseBody // again: back does this at another time
		if !d.request("stepInTargets", godap.StepInTargetsArguments{FrameId: d.frameID()}, &b) || len(b.Targets) < n {
			return false
		}
		return d.resume("stepIn", godap.StepInArguments{ThreadId: thread, TargetId: b.Targets[n-1].Id})
	})
}

func (d *debugger) cmdUntil(a args) {
	if !d.standing() {
		return
	}
	if a.text == "" {
		d.untilLater()
		return
	}
	p, err := d.place(a.text)
	if err != nil {
		d.fail(err)
		return
	}
	thread := d.thread
	d.act(func() bool {
		d.thread = thread
		if !d.add(&brk{kind: p.kind(), at: p, until: true}) {
			return false
		}
		return d.resume("continue", godap.ContinueArguments{ThreadId: d.thread})
	})
}

// untilLater goes on until a later line of the function is reached, or the function ends: out of a
// loop, that is.
func (d *debugger) untilLater() {
	f := d.frame()
	if f == nil || f.InstructionPointerReference == "" {
		d.failf("there is no code here: name a place")
		return
	}
	later := 0
	err := d.eachFrom(f.InstructionPointerReference, maxFunction, func(x *instruction) bool {
		if x.Symbol != "" && x.Address != f.InstructionPointerReference {
			return false
		}
		if x.Line > f.Line && (later == 0 || x.Line < later) {
			later = x.Line
		}
		return true
	})
	if err != nil {
		d.fail(err)
		return
	}
	src, thread := f.Source, d.thread
	d.act(func() bool {
		d.thread = thread
		if later > 0 && !d.add(&brk{kind: bpLine, at: place{src: src, line: later}, stack: thread, until: true}) {
			return false
		}
		return d.resume("stepOut", godap.StepOutArguments{ThreadId: thread})
	})
}

// beginAgain runs the program from its beginning. It stands there then.
func (d *debugger) beginAgain() bool {
	d.trail, d.last = nil, shown{}
	switch {
	case d.attached:
		d.failf("a program that was attached to cannot be started again here: attach, or quit and debug the file")
		return false
	case d.client == nil:
		return d.begin()
	}
	l := d.launchArguments()
	if !d.request("restart", map[string]any{"arguments": l}, nil) {
		d.settleEnd()
		return false
	}
	d.pending = slices.DeleteFunc(
		d.pending,
		func(m *dap.Message) bool { return m != nil && m.Event != "initialized" && m.Event != "stopped" },
	)
	d.alive, d.sources = true, nil
	d.wait()
	return d.alive
}

// settleEnd follows the events of a program that could not be started again.
func (d *debugger) settleEnd() {
	for len(d.pending) > 0 && !d.quit {
		d.steered(d.next(nil))
	}
}

func (d *debugger) cmdRestart(args) { d.beginAgain() }

func (d *debugger) cmdRun(a args) {
	words := strings.Fields(strings.ReplaceAll(a.text, "<", " < "))
	if i := slices.Index(words, "<"); i >= 0 {
		if i+2 != len(words) {
			d.failf("run takes one file after <")
			return
		}
		d.o.Launch.StdinFile, words = words[i+1], words[:i]
	}
	if len(words) > 0 {
		d.o.Launch.Args = words
	}
	d.silent = true
	begun := d.beginAgain()
	d.silent = false
	if begun && d.alive {
		d.act(func() bool { return d.resume("continue", godap.ContinueArguments{ThreadId: d.thread}) })
	}
}

func (d *debugger) cmdInterrupt(args) {
	switch {
	case !d.alive:
		d.standing()
	case !d.running:
		d.printf("the program is stopped already\n")
	case d.request("pause", godap.PauseArguments{ThreadId: 1}, nil):
		d.wait()
	}
}

func (d *debugger) cmdKill(args) {
	if !d.alive {
		d.standing()
		return
	}
	if d.request("terminate", godap.TerminateArguments{}, nil) {
		d.wait()
	}
	d.trail = nil
}

func (d *debugger) cmdAttach(a args) {
	if a.text == "" || strings.ContainsAny(a.text, " \t") {
		d.failf("attach needs an address, such as 127.0.0.1:4711: wasm-dap run --listen prints it")
		return
	}
	d.trail, d.last = nil, shown{}
	d.attach(a.text)
}

func (d *debugger) cmdDetach(args) {
	if !d.attached {
		d.failf("the program was started here: kill ends it")
		return
	}
	d.disconnect(false)
	d.printf("the program goes on\n")
}
