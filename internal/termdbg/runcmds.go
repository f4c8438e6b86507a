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

// runner implements the commands that resume the program, and records them for back.
type runner struct {
	*target
	control *control
	breaks  *breakTable
	lister  *lister
	code    *codeView
	trail   []move // what resumed the program since it began
}

func (rn *runner) commands() []cmd {
	return []cmd{
		{
			name: "run", aliases: []string{"r"}, group: running, args: "[ARG…] [< FILE]",
			short: "run the program from the start until something stops it",
			long:  "The arguments are those of the export. With <, the program reads standard input from FILE.",
			once:  true, serves: []string{"restart"}, run: rn.cmdRun,
		},
		{
			name: "restart", aliases: []string{"start"}, group: running,
			short: "restart the program and stop at the start", once: true,
			run: rn.cmdRestart,
		},
		{
			name: "step", aliases: []string{"s"}, group: running, args: "[COUNT]",
			short: "step, following control into calls and to other stacks", counted: true,
			serves: []string{"stepIn"}, run: rn.stepper("step", "stepIn", "statement"),
		},
		{
			name: "next", aliases: []string{"n"}, group: running, args: "[COUNT]",
			short: "step to the next statement on this stack", counted: true, serves: []string{"next"},
			run: rn.stepper("next", "next", "statement"),
		},
		{
			name: "finish", aliases: []string{"fin", "out", "stepout", "so"}, group: running,
			args: "[COUNT]", short: "run until this activation returns", counted: true,
			long: "A suspension does not end an activation. After up, the selected frame returns. " +
				"With COUNT, that many\nactivations return.",
			serves: []string{"stepOut"}, run: rn.cmdFinish,
		},
		{
			name: "stepi", aliases: []string{"si", "step-instruction"}, group: running, args: "[COUNT]",
			short: "step one instruction, like step", counted: true, run: rn.stepper("stepi", "stepIn", "instruction"),
		},
		{
			name: "nexti", aliases: []string{"ni", "next-instruction"}, group: running, args: "[COUNT]",
			short: "step one instruction, like next", counted: true, run: rn.stepper("nexti", "next", "instruction"),
		},
		{
			name: "stepto", group: running, args: "[N]",
			short:  "step into call, resume or switch N of this statement; without N, list them",
			serves: []string{"stepInTargets"}, run: rn.cmdStepto,
		},
		{
			name: "continue", aliases: []string{"c", "cont", "fg"}, group: running, args: "[COUNT]",
			short: "run until something stops the program", counted: true,
			long:   "With COUNT, skip COUNT - 1 hits of the current breakpoint.",
			serves: []string{"continue"}, run: rn.cmdContinue,
		},
		{
			name: "until", aliases: []string{"u"}, group: running, args: "[PLACE]",
			short: "run until a place is reached; without PLACE, until a later line of this function",
			words: placeWords, run: rn.cmdUntil,
		},
		{
			name:    "advance",
			aliases: []string{"adv"},
			group:   running,
			args:    "PLACE",
			short:   "run until a place is reached",
			words:   placeWords, run: func(a args) {
				if a.text == "" {
					rn.failf("advance needs a place")
					return
				}
				rn.cmdUntil(a)
			},
		},
		{
			name: "back", aliases: []string{"rs", "reverse-step", "rewind"}, group: running,
			args: "[COUNT]", short: "go back to the previous stop by running the program again",
			counted: true, run: rn.cmdBack,
		},
		{
			name: "interrupt", aliases: []string{"pause", "halt"}, group: running,
			short: "stop the running program; Ctrl-C does the same", serves: []string{"pause", "cancel"},
			run: rn.cmdInterrupt,
		},
		{
			name: "jump", aliases: []string{"j", "goto"}, group: running,
			args:  "LINE | FILE:LINE[:COL]",
			short: "continue this stack at another place in the current function",
			long:  "A suspended stack continues there when it is resumed.", once: true,
			serves: []string{"gotoTargets", "goto"}, words: placeWords, run: rn.cmdJump,
		},
		{
			name: "again", aliases: []string{"restartframe", "reenter"}, group: running, args: "[N]",
			short: "restart this frame, or frame N; frames that it called are dropped", once: true,
			serves: []string{"restartFrame"}, run: rn.cmdAgain,
		},
		{
			name: "cancel", group: running, args: "#N… | #N $TAG [VALUE…]",
			short: "throw an exception into a suspended continuation; without $TAG, end stacks",
			once:  true, serves: []string{"terminateThreads", "stackscope/cancel"},
			words: stackWords, run: rn.cmdCancel,
		},
		{
			name: "kill", aliases: []string{"k", "terminate"}, group: running, short: "end the program",
			once: true, serves: []string{"terminate"}, run: rn.cmdKill,
		},
		{
			name: "attach", group: running, args: "ADDRESS",
			short: "attach to a program that wasm-dap run --listen ADDRESS runs", once: true,
			serves: []string{"attach"}, run: rn.cmdAttach,
		},
		{
			name: "detach", group: running, short: "detach from a program that was attached to and let it run",
			once: true, run: rn.cmdDetach,
		},
	}
}

// maxCount is the largest count.
const maxCount = 1_000_000_000

// count parses a count; the default is 1.
func count(text, command string) (int, error) {
	if text == "" {
		return 1, nil
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil || n < 1 || n > maxCount {
		return 0, fmt.Errorf("%q is not a count: use a number from 1, such as %s 3", text, command)
	}
	return int(n), nil
}

// act calls do, which resumes the program and waits until it stops, and records it for back. do
// reports whether the adapter accepted it.
func (rn *runner) act(do func() bool) bool {
	if !rn.standing() {
		return false
	}
	m := move{do: do, breaks: rn.breaks.snapshot(), off: maps.Clone(rn.breaks.off), thread: rn.thread}
	if !do() {
		return false
	}
	m.to = rn.standsAt()
	rn.trail = append(rn.trail, m)
	return true
}

// steps makes n steps. It ends early at a stop that is not the end of a step. Only the last stop is
// shown.
func (rn *runner) steps(n int, request string, g godap.SteppingGranularity) bool {
	rn.single = g == "instruction"
	defer func() { rn.suppressed, rn.single = false, false }()
	for i := 1; i <= n; i++ {
		rn.suppressed = i < n
		if !rn.control.resume(request, godap.NextArguments{ThreadId: rn.thread, Granularity: g}) {
			return i > 1
		}
		if i < n && (!rn.alive || rn.stop.Reason != "step" || len(rn.stop.HitBreakpointIds) > 0 || rn.interrupted) {
			if rn.interrupted && !rn.silent {
				rn.printf("interrupted: %d of %d\n", i, n)
			}
			rn.control.showSuppressed()
			break
		}
	}
	return true
}

// stepper returns a command that makes steps of a kind.
func (rn *runner) stepper(name, request string, g godap.SteppingGranularity) func(args) {
	return func(a args) {
		n, err := count(a.text, name)
		if err != nil {
			rn.fail(err)
			return
		}
		thread := rn.thread
		rn.act(func() bool { rn.thread = thread; return rn.steps(n, request, g) })
	}
}

func (rn *runner) cmdFinish(a args) {
	n, err := count(a.text, "finish")
	if err != nil {
		rn.fail(err)
		return
	}
	if !rn.standing() {
		return
	}
	inner := 0 // activations of the same stack that the selected frame waits for
	for i := 0; i < rn.at; i++ {
		if rn.frames[i].PresentationHint != "label" {
			inner++
		} else if inner > 0 {
			rn.failf("this frame is on another stack: finish works on the selected stack")
			return
		}
	}
	thread := rn.thread
	rn.act(func() bool { rn.thread = thread; return rn.steps(n+inner, "stepOut", "statement") })
}

func (rn *runner) cmdContinue(a args) {
	n, err := count(a.text, "continue")
	if err != nil {
		rn.fail(err)
		return
	}
	thread, at := rn.thread, slices.Clone(rn.stop.HitBreakpointIds)
	rn.act(func() bool { rn.thread = thread; return rn.continues(n, at) })
}

// continues resumes the program until the current breakpoints are hit for the nth time, or
// something else stops it. If there is no current breakpoint, any breakpoint counts.
func (rn *runner) continues(n int, at []int) bool {
	defer func() { rn.suppressed = false }()
	for i := 1; i <= n; i++ {
		rn.suppressed = i < n
		if !rn.control.resume("continue", godap.ContinueArguments{ThreadId: rn.thread}) {
			return i > 1
		}
		if !rn.alive {
			return true
		}
		hits := rn.stop.HitBreakpointIds
		same := len(hits) > 0 &&
			(len(at) == 0 || !slices.ContainsFunc(hits, func(id int) bool { return !slices.Contains(at, id) }))
		if i < n && (!same || rn.interrupted) {
			rn.control.showSuppressed()
			return true
		}
	}
	return true
}

func (rn *runner) cmdStepto(a args) {
	if !rn.standing() {
		return
	}
	var b godap.StepInTargetsResponseBody
	if !rn.request("stepInTargets", godap.StepInTargetsArguments{FrameId: rn.frameID()}, &b) {
		return
	}
	if len(b.Targets) == 0 {
		rn.failf("this statement has no call, resume, suspension or switch")
		return
	}
	if a.text == "" {
		for i, t := range b.Targets {
			rn.printf("  %d: %s\n", i+1, t.Label)
		}
		return
	}
	n, err := strconv.Atoi(a.text)
	if err != nil || n < 1 || n > len(b.Targets) {
		rn.failf("%q is not a target: use stepto to list them", a.text)
		return
	}
	thread := rn.thread
	rn.act(func() bool {
		rn.thread = thread
		var b godap.StepInTargetsResponseBody // again: back runs this later
		if !rn.request("stepInTargets", godap.StepInTargetsArguments{FrameId: rn.frameID()}, &b) || len(b.Targets) < n {
			return false
		}
		return rn.control.resume("stepIn", godap.StepInArguments{ThreadId: thread, TargetId: b.Targets[n-1].Id})
	})
}

func (rn *runner) cmdUntil(a args) {
	if !rn.standing() {
		return
	}
	if a.text == "" {
		rn.untilLater()
		return
	}
	p, err := rn.lister.place(a.text)
	if err != nil {
		rn.fail(err)
		return
	}
	thread := rn.thread
	rn.act(func() bool {
		rn.thread = thread
		if !rn.breaks.add(&brk{kind: p.kind(), at: p, until: true}) {
			return false
		}
		return rn.control.resume("continue", godap.ContinueArguments{ThreadId: rn.thread})
	})
}

// untilLater runs until a later line of the function is reached, for example after a loop, or the
// function returns.
func (rn *runner) untilLater() {
	f := rn.frame()
	if f == nil || f.InstructionPointerReference == "" {
		rn.failf("there is no code here: specify a place")
		return
	}
	later := 0
	err := rn.code.eachFrom(f.InstructionPointerReference, maxFunction, func(x *instruction) bool {
		if x.Symbol != "" && x.Address != f.InstructionPointerReference {
			return false
		}
		if x.Line > f.Line && (later == 0 || x.Line < later) {
			later = x.Line
		}
		return true
	})
	if err != nil {
		rn.fail(err)
		return
	}
	src, thread := f.Source, rn.thread
	rn.act(func() bool {
		rn.thread = thread
		if later > 0 && !rn.breaks.add(&brk{kind: bpLine, at: place{src: src, line: later}, stack: thread,
			until: true}) {
			return false
		}
		return rn.control.resume("stepOut", godap.StepOutArguments{ThreadId: thread})
	})
}

// beginAgain restarts the program. It is then stopped at the start.
func (rn *runner) beginAgain() bool {
	rn.trail, rn.control.shown = nil, shown{}
	switch {
	case rn.control.attached:
		rn.failf("cannot restart a program that was attached to: attach again, or debug the file")
		return false
	case rn.conn == nil:
		return rn.control.begin()
	}
	l := rn.control.launchArguments()
	if !rn.request("restart", map[string]any{"arguments": l}, nil) {
		rn.followEnd()
		return false
	}
	rn.pending = slices.DeleteFunc(rn.pending, func(m *dap.Message) bool { // those of the program before
		return m != nil && m.Event != "initialized" && m.Event != "stopped" && m.Seq < rn.answer
	})
	rn.alive, rn.lister.texts = true, nil
	rn.control.wait()
	return rn.alive
}

// followEnd handles the events of a program that could not be restarted.
func (rn *runner) followEnd() {
	for len(rn.pending) > 0 && !rn.control.quit {
		rn.control.steered(rn.next(nil))
	}
}

func (rn *runner) cmdRestart(args) { rn.beginAgain() }

func (rn *runner) cmdRun(a args) {
	words := strings.Fields(strings.ReplaceAll(a.text, "<", " < "))
	if i := slices.Index(words, "<"); i >= 0 {
		if i+2 != len(words) {
			rn.failf("run needs one file after <")
			return
		}
		rn.launch.StdinFile, words = words[i+1], words[:i]
	}
	if len(words) > 0 {
		rn.launch.Args = words
	}
	rn.silent = true
	begun := rn.beginAgain()
	rn.silent = false
	if begun && rn.alive {
		rn.act(func() bool { return rn.control.resume("continue", godap.ContinueArguments{ThreadId: rn.thread}) })
	}
}

func (rn *runner) cmdInterrupt(args) {
	switch {
	case !rn.alive:
		rn.standing()
	case !rn.running:
		rn.printf("the program is already stopped\n")
	case rn.request("pause", godap.PauseArguments{ThreadId: 1}, nil):
		rn.control.wait()
	}
}

func (rn *runner) cmdKill(args) {
	if !rn.alive {
		rn.standing()
		return
	}
	if rn.request("terminate", godap.TerminateArguments{}, nil) {
		rn.control.wait()
	}
	rn.trail = nil
}

func (rn *runner) cmdAttach(a args) {
	if a.text == "" || strings.ContainsAny(a.text, " \t") {
		rn.failf("attach needs an address, such as 127.0.0.1:4711, as printed by wasm-dap run --listen")
		return
	}
	rn.trail, rn.control.shown = nil, shown{}
	rn.control.attach(a.text)
}

func (rn *runner) cmdDetach(args) {
	if !rn.control.attached {
		rn.failf("the program was started here: use kill to end it")
		return
	}
	rn.control.disconnect(false)
	rn.trail = nil
	rn.printf("the program continues\n")
}

func (rn *runner) cmdJump(a args) {
	p, err := rn.lister.place(a.text)
	switch {
	case a.text == "" || err == nil && p.src == nil:
		rn.failf("jump needs a line, or FILE:LINE")
		return
	case err != nil:
		rn.fail(err)
		return
	}
	thread := rn.thread
	rn.act(func() bool {
		rn.thread = thread
		rn.loadFrames(0) // the adapter uses the stacks whose frames were loaded
		var ts godap.GotoTargetsResponseBody
		if !rn.request("gotoTargets", godap.GotoTargetsArguments{Source: *p.src, Line: p.line, Column: p.col}, &ts) {
			return false
		}
		if len(ts.Targets) == 0 {
			rn.failf("there is no place to jump to on line %d", p.line)
			return false
		}
		return rn.control.resume("goto", godap.GotoArguments{ThreadId: thread, TargetId: ts.Targets[0].Id})
	})
}

func (rn *runner) cmdAgain(a args) {
	n := rn.at
	if a.text != "" {
		var err error
		if n, err = strconv.Atoi(a.text); err != nil {
			rn.failf("%q is not a frame number: use backtrace to list them", a.text)
			return
		}
	}
	thread := rn.thread
	rn.act(func() bool {
		rn.thread = thread
		rn.loadFrames(0)
		if n < 0 || n >= len(rn.frames) || rn.frames[n].PresentationHint == "label" {
			rn.failf("there is no frame %d: use backtrace to list them", n)
			return false
		}
		return rn.control.resume("restartFrame", godap.RestartFrameArguments{FrameId: rn.frames[n].Id})
	})
}

func (rn *runner) cmdCancel(a args) {
	words := strings.Fields(a.text)
	if len(words) == 0 {
		rn.failf("cancel needs a stack, such as #3: use stacks to list them")
		return
	}
	if !rn.standing() {
		return
	}
	var ids []int
	for _, w := range words {
		id, err := stackNumber(w)
		if err != nil {
			if len(ids) == 1 {
				break
			}
			rn.fail(err)
			return
		}
		ids = append(ids, id)
		if !strings.HasPrefix(w, "#") && len(words) > 1 && len(ids) > 1 {
			rn.failf("%q is not a tag", w)
			return
		}
	}
	if len(words) > len(ids) {
		tag, values := words[1], words[2:]
		rn.act(func() bool {
			return rn.control.resume("stackscope/cancel", map[string]any{"threadId": ids[0], "tag": tag,
				"values": values})
		})
		return
	}
	rn.act(func() bool {
		if !rn.request("terminateThreads", godap.TerminateThreadsArguments{ThreadIds: ids}, nil) {
			return false
		}
		for _, id := range ids {
			if !rn.silent {
				rn.printf("#%d was released\n", id)
			}
			if rn.thread != id {
				continue
			}
			if ts := rn.threads(); len(ts) > 0 { // select the running stack
				rn.thread = ts[0].Id
			}
			rn.stop = godap.StoppedEventBody{
				Reason: "pause", Description: fmt.Sprintf("#%d was released", id), ThreadId: rn.thread,
			}
		}
		rn.loadFrames(0)
		return true
	})
}
