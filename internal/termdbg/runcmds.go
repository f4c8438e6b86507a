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

// runner has the commands that resume the program, and records them for back.
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
			short: "run the program from its beginning until something stops it",
			long:  "Arguments are those of the export. With < the program reads its standard input from the file.",
			once:  true, serves: []string{"restart"}, run: rn.cmdRun,
		},
		{
			name: "restart", aliases: []string{"start"}, group: running,
			short: "run the program from its beginning and stop there", once: true,
			run: rn.cmdRestart,
		},
		{
			name: "step", aliases: []string{"s"}, group: running, args: "[COUNT]",
			short: "step, following control into calls and to other stacks", counted: true,
			serves: []string{"stepIn"}, run: rn.stepper("stepIn", "statement"),
		},
		{
			name: "next", aliases: []string{"n"}, group: running, args: "[COUNT]",
			short: "step to the next statement on this stack", counted: true, serves: []string{"next"},
			run: rn.stepper("next", "statement"),
		},
		{
			name: "finish", aliases: []string{"fin", "out", "stepout", "so"}, group: running,
			args: "[COUNT]", short: "run until this activation ends", counted: true,
			long:   "A suspension does not end it. After up it is the selected frame that ends. With a count as many activations end.",
			serves: []string{"stepOut"}, run: rn.cmdFinish,
		},
		{
			name: "stepi", aliases: []string{"si", "step-instruction"}, group: running, args: "[COUNT]",
			short: "like step, by one instruction", counted: true, run: rn.stepper("stepIn", "instruction"),
		},
		{
			name: "nexti", aliases: []string{"ni", "next-instruction"}, group: running, args: "[COUNT]",
			short: "like next, by one instruction", counted: true, run: rn.stepper("next", "instruction"),
		},
		{
			name: "stepto", group: running, args: "[N]",
			short:  "step into one of the calls, resumes and switches of this statement; without N list them",
			serves: []string{"stepInTargets"}, run: rn.cmdStepto,
		},
		{
			name: "continue", aliases: []string{"c", "cont", "fg"}, group: running, args: "[COUNT]",
			short: "run until something stops the program", counted: true,
			long:   "With a count the breakpoint where the program stands lets it pass COUNT - 1 times.",
			serves: []string{"continue"}, run: rn.cmdContinue,
		},
		{
			name: "until", aliases: []string{"u"}, group: running, args: "[PLACE]",
			short: "run until a place is reached; without one until a later line of this function",
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
			args: "[COUNT]", short: "go back to the stop before, by running the program again up to there",
			counted: true, run: rn.cmdBack,
		},
		{
			name: "interrupt", aliases: []string{"pause", "halt"}, group: running,
			short: "stop the program that runs; Ctrl-C does so too", serves: []string{"pause", "cancel"},
			run: rn.cmdInterrupt,
		},
		{
			name: "jump", aliases: []string{"j", "goto"}, group: running,
			args:  "LINE | FILE:LINE[:COL]",
			short: "continue this stack at another place in the current function",
			long:  "A stack that is suspended does so when it is resumed.", once: true,
			serves: []string{"gotoTargets", "goto"}, words: placeWords, run: rn.cmdJump,
		},
		{
			name: "again", aliases: []string{"restartframe", "reenter"}, group: running, args: "[N]",
			short: "restart this frame, or frame N; what it has called is left", once: true,
			serves: []string{"restartFrame"}, run: rn.cmdAgain,
		},
		{
			name: "cancel", group: running, args: "#N… | #N $TAG [VALUE…]",
			short: "throw an exception into a suspended continuation; without a tag end stacks that do not run",
			once:  true, serves: []string{"terminateThreads", "stackscope/cancel"},
			words: stackWords, run: rn.cmdCancel,
		},
		{
			name: "kill", aliases: []string{"k", "terminate"}, group: running, short: "end the program",
			once: true, serves: []string{"terminate"}, run: rn.cmdKill,
		},
		{
			name: "attach", group: running, args: "ADDRESS",
			short: "debug a program that runs elsewhere: wasm-dap run --listen ADDRESS", once: true,
			serves: []string{"attach"}, run: rn.cmdAttach,
		},
		{
			name: "detach", group: running, short: "leave a program that was attached to: it goes on",
			once: true, run: rn.cmdDetach,
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

// steps makes n steps. It ends at whatever is not the end of a step. Only the last stop is shown.
func (rn *runner) steps(n int, request string, g godap.SteppingGranularity) bool {
	defer func() { rn.hushed = false }()
	for i := 1; i <= n; i++ {
		rn.hushed = i < n
		if !rn.control.resume(request, godap.NextArguments{ThreadId: rn.thread, Granularity: g}) {
			return i > 1
		}
		if i < n && (!rn.alive || rn.stop.Reason != "step" || len(rn.stop.HitBreakpointIds) > 0 || rn.interrupted) {
			if rn.interrupted && !rn.silent {
				rn.printf("interrupted: %d of %d\n", i, n)
			}
			rn.control.unhush()
			break
		}
	}
	return true
}

// stepper returns a command that makes steps of a kind.
func (rn *runner) stepper(request string, g godap.SteppingGranularity) func(args) {
	name := map[string]string{"stepInstatement": "step", "nextstatement": "next", "stepIninstruction": "stepi", "nextinstruction": "nexti"}[request+string(g)]
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
			rn.failf("this frame is on another stack: finish ends activations of the stack that is shown")
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

// continues lets the program go on until the breakpoints where it stands are reached for the nth
// time, or something else stops it. If it stands at none, any breakpoint counts.
func (rn *runner) continues(n int, at []int) bool {
	defer func() { rn.hushed = false }()
	for i := 1; i <= n; i++ {
		rn.hushed = i < n
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
			rn.control.unhush()
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
		rn.failf("this statement leads nowhere: it has no call, resume, suspension or switch")
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
		rn.failf("%q is not a target: stepto lists them", a.text)
		return
	}
	thread := rn.thread
	rn.act(func() bool {
		rn.thread = thread
		var b godap.StepInTargetsResponseBody // again: back does this at another time
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

// untilLater goes on until a later line of the function is reached, or the function ends: out of a
// loop, that is.
func (rn *runner) untilLater() {
	f := rn.frame()
	if f == nil || f.InstructionPointerReference == "" {
		rn.failf("there is no code here: name a place")
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
		if later > 0 && !rn.breaks.add(&brk{kind: bpLine, at: place{src: src, line: later}, stack: thread, until: true}) {
			return false
		}
		return rn.control.resume("stepOut", godap.StepOutArguments{ThreadId: thread})
	})
}

// beginAgain runs the program from its beginning. It stands there then.
func (rn *runner) beginAgain() bool {
	rn.trail, rn.control.shown = nil, shown{}
	switch {
	case rn.control.attached:
		rn.failf("a program that was attached to cannot be started again here: attach, or quit and debug the file")
		return false
	case rn.conn == nil:
		return rn.control.begin()
	}
	l := rn.control.launchArguments()
	if !rn.request("restart", map[string]any{"arguments": l}, nil) {
		rn.settleEnd()
		return false
	}
	rn.pending = slices.DeleteFunc(
		rn.pending,
		func(m *dap.Message) bool { return m != nil && m.Event != "initialized" && m.Event != "stopped" },
	)
	rn.alive, rn.lister.texts = true, nil
	rn.control.wait()
	return rn.alive
}

// settleEnd follows the events of a program that could not be started again.
func (rn *runner) settleEnd() {
	for len(rn.pending) > 0 && !rn.control.quit {
		rn.control.steered(rn.next(nil))
	}
}

func (rn *runner) cmdRestart(args) { rn.beginAgain() }

func (rn *runner) cmdRun(a args) {
	words := strings.Fields(strings.ReplaceAll(a.text, "<", " < "))
	if i := slices.Index(words, "<"); i >= 0 {
		if i+2 != len(words) {
			rn.failf("run takes one file after <")
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
		rn.printf("the program is stopped already\n")
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
		rn.failf("attach needs an address, such as 127.0.0.1:4711: wasm-dap run --listen prints it")
		return
	}
	rn.trail, rn.control.shown = nil, shown{}
	rn.control.attach(a.text)
}

func (rn *runner) cmdDetach(args) {
	if !rn.control.attached {
		rn.failf("the program was started here: kill ends it")
		return
	}
	rn.control.disconnect(false)
	rn.trail = nil
	rn.printf("the program goes on\n")
}

// What makes stacks continue elsewhere, or ends them: as an editor has it, see
// docs/reference/debugger.md.

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
		rn.loadFrames(0) // the adapter asks the stacks that were looked at
		var ts godap.GotoTargetsResponseBody
		if !rn.request("gotoTargets", godap.GotoTargetsArguments{Source: *p.src, Line: p.line, Column: p.col}, &ts) {
			return false
		}
		if len(ts.Targets) == 0 {
			rn.failf("there is no place to continue at on line %d", p.line)
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
			rn.failf("%q is not the number of a frame: backtrace shows them", a.text)
			return
		}
	}
	thread := rn.thread
	rn.act(func() bool {
		rn.thread = thread
		rn.loadFrames(0)
		if n < 0 || n >= len(rn.frames) || rn.frames[n].PresentationHint == "label" {
			rn.failf("there is no frame %d: backtrace shows them", n)
			return false
		}
		return rn.control.resume("restartFrame", godap.RestartFrameArguments{FrameId: rn.frames[n].Id})
	})
}

func (rn *runner) cmdCancel(a args) {
	words := strings.Fields(a.text)
	if len(words) == 0 {
		rn.failf("cancel needs a stack, such as #3: stacks lists them")
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
			return rn.control.resume("stackscope/cancel", map[string]any{"threadId": ids[0], "tag": tag, "values": values})
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
			if ts := rn.threads(); len(ts) > 0 { // what runs is shown then
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
