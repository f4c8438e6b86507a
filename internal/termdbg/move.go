package termdbg

import (
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// What makes stacks continue elsewhere, or ends them: as an editor has it, see
// docs/reference/debugger.md.

func (d *debugger) cmdJump(a args) {
	p, err := d.place(a.text)
	switch {
	case a.text == "" || err == nil && p.src == nil:
		d.failf("jump needs a line, or FILE:LINE")
		return
	case err != nil:
		d.fail(err)
		return
	}
	thread := d.thread
	d.act(func() bool {
		d.thread = thread
		d.loadFrames(0) // the adapter asks the stacks that were looked at
		var ts godap.GotoTargetsResponseBody
		if !d.request("gotoTargets", godap.GotoTargetsArguments{Source: *p.src, Line: p.line, Column: p.col}, &ts) {
			return false
		}
		if len(ts.Targets) == 0 {
			d.failf("there is no place to continue at on line %d", p.line)
			return false
		}
		return d.resume("goto", godap.GotoArguments{ThreadId: thread, TargetId: ts.Targets[0].Id})
	})
}

func (d *debugger) cmdAgain(a args) {
	n := d.at
	if a.text != "" {
		var err error
		if n, err = strconv.Atoi(a.text); err != nil {
			d.failf("%q is not the number of a frame: backtrace shows them", a.text)
			return
		}
	}
	thread := d.thread
	d.act(func() bool {
		d.thread = thread
		d.loadFrames(0)
		if n < 0 || n >= len(d.frames) || d.frames[n].PresentationHint == "label" {
			d.failf("there is no frame %d: backtrace shows them", n)
			return false
		}
		return d.resume("restartFrame", godap.RestartFrameArguments{FrameId: d.frames[n].Id})
	})
}

func (d *debugger) cmdCancel(a args) {
	words := strings.Fields(a.text)
	if len(words) == 0 {
		d.failf("cancel needs a stack, such as #3: stacks lists them")
		return
	}
	if !d.standing() {
		return
	}
	var ids []int
	for _, w := range words {
		id, err := stackNumber(w)
		if err != nil {
			if len(ids) == 1 {
				break
			}
			d.fail(err)
			return
		}
		ids = append(ids, id)
		if !strings.HasPrefix(w, "#") && len(words) > 1 && len(ids) > 1 {
			d.failf("%q is not a tag", w)
			return
		}
	}
	if len(words) > len(ids) {
		tag, values := words[1], words[2:]
		d.act(func() bool {
			return d.resume("stackscope/cancel", map[string]any{"threadId": ids[0], "tag": tag, "values": values})
		})
		return
	}
	d.act(func() bool {
		if !d.request("terminateThreads", godap.TerminateThreadsArguments{ThreadIds: ids}, nil) {
			return false
		}
		for _, id := range ids {
			if !d.silent {
				d.printf("#%d was released\n", id)
			}
			if d.thread != id {
				continue
			}
			if ts := d.threads(); len(ts) > 0 { // what runs is shown then
				d.thread = ts[0].Id
			}
			d.stop = godap.StoppedEventBody{
				Reason: "pause", Description: fmt.Sprintf("#%d was released", id), ThreadId: d.thread,
			}
		}
		d.loadFrames(0)
		return true
	})
}
