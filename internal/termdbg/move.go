package termdbg

import (
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// What makes stacks go on elsewhere, or ends them: as an editor has it, see docs/debugger.md.

// moveCommands are the commands of this file.
func moveCommands() []cmd {
	return []cmd{
		{"jump", []string{"j", "goto"}, "LINE | FILE:LINE[:COL]", "make this stack go on at another place of its innermost frame's function; one that is suspended does when it is resumed", (*debugger).cmdJump},
		{"again", nil, "[N]", "begin this frame, or frame N, anew; what it has called is left", (*debugger).cmdAgain},
		{"cancel", nil, "#N [$TAG [VALUE…]]", "throw an exception into a suspended continuation, so that its catch clauses run; without a tag end a stack that does not run", (*debugger).cmdCancel},
	}
}

// act does something after which the program stands again, and remembers it for back.
func (d *debugger) act(do func() bool) {
	if !d.needProgram() {
		return
	}
	m := move{do: do, breaks: d.breaksNow()}
	if do() {
		d.wait()
		m.to = d.place()
		d.trail = append(d.trail, m)
	}
}

func (d *debugger) cmdJump(args string) {
	b, err := d.location(args)
	switch {
	case args == "" || err == nil && b.fn != "":
		d.printf("jump needs a line, or FILE:LINE\n")
		return
	case err != nil:
		d.fail(err)
		return
	}
	thread := d.thread
	d.act(func() bool {
		d.thread = thread
		d.loadFrames() // the adapter asks the stacks that were looked at
		var ts godap.GotoTargetsResponseBody
		if !d.request("gotoTargets", godap.GotoTargetsArguments{Source: godap.Source{Path: b.file}, Line: b.line, Column: b.col}, &ts) {
			return false
		}
		return d.request("goto", godap.GotoArguments{ThreadId: thread, TargetId: ts.Targets[0].Id}, nil)
	})
}

func (d *debugger) cmdAgain(args string) {
	n := d.at
	if args != "" {
		var err error
		if n, err = strconv.Atoi(args); err != nil {
			d.printf("again needs the number of a frame: where shows them\n")
			return
		}
	}
	thread := d.thread
	d.act(func() bool {
		d.thread = thread
		d.loadFrames()
		if n < 0 || n >= len(d.frames) || d.frames[n].PresentationHint == "label" {
			d.printf("again needs the number of a frame: where shows them\n")
			return false
		}
		return d.request("restartFrame", godap.RestartFrameArguments{FrameId: d.frames[n].Id}, nil)
	})
}

func (d *debugger) cmdCancel(args string) {
	words := strings.Fields(args)
	if len(words) == 0 {
		d.printf("cancel needs the number of a stack: stacks lists them\n")
		return
	}
	id, err := strconv.Atoi(strings.TrimPrefix(words[0], "#"))
	if err != nil {
		d.printf("%s is no stack: stacks lists them\n", words[0])
		return
	}
	a := map[string]any{"threadId": id}
	if len(words) > 1 {
		a["tag"], a["values"] = words[1], words[2:]
		d.act(func() bool { return d.request("stackscope/cancel", a, nil) })
		return
	}
	release := func() bool {
		if !d.request("stackscope/cancel", a, nil) {
			return false
		}
		if d.thread == id { // what runs is looked at then
			if ts := d.threads(); len(ts) > 0 {
				d.thread = ts[0].Id
			}
			d.stop = godap.StoppedEventBody{Reason: "pause", Description: fmt.Sprintf("#%d was released", id), ThreadId: d.thread}
			d.loadFrames()
		}
		return true
	}
	if d.needProgram() && release() {
		d.printf("#%d was released\n", id)
		// It is no move: nothing runs. But going back to a place behind it does it again.
		d.trail = append(d.trail, move{do: release, breaks: d.breaksNow(), stays: true, to: d.place()})
	}
}
