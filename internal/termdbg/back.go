package termdbg

import (
	"fmt"
	"maps"
)

// The debugger goes back by running the program again and repeating all moves but the last: what a
// program does follows from its input, so it comes to the same place. Only what it reads from
// outside (clocks, random numbers, files that changed) can lead it elsewhere; that is noticed.

// move is something that let the program go on.
type move struct {
	do     func() bool // does it and waits, and reports whether it was accepted
	breaks []*brk      // the breakpoints at that time
	off    map[string]bool
	thread int
	to     string // where it stopped: thread, function and place
}

// standsAt reports where the program stands, "" if it has ended.
func (d *debugger) standsAt() string {
	f := d.frame()
	if !d.alive || f == nil {
		return ""
	}
	return fmt.Sprintf("#%d %s:%d:%d", d.stop.ThreadId, f.Name, f.Line, f.Column)
}

func (d *debugger) cmdBack(a args) {
	n, err := count(a.text, "back")
	switch {
	case err != nil:
		d.fail(err)
		return
	case d.attached:
		d.failf("back runs the program again, and this one was attached to")
		return
	case d.running:
		d.failf("the program is running: interrupt stops it")
		return
	case len(d.trail) == 0:
		d.printf("this is where the program begins\n")
		return
	}
	again, breaks, off := d.trail[:max(0, len(d.trail)-n)], d.breaks, d.filtersOff
	d.silent = true
	ok := d.beginAgain()
	for _, m := range again {
		if !ok || d.interrupted {
			break
		}
		ok = d.redo(m)
	}
	d.filtersOff = off
	d.use(breaks)
	d.silent = false
	d.queued = nil
	if !ok {
		d.failf("the program took another way this time: it reads something from outside, or something was set by hand")
	}
	if d.alive {
		d.last = shown{}
		d.arrivedAgain()
	}
}

// redo makes a move again and reports whether it led to the same place.
func (d *debugger) redo(m move) bool {
	d.filtersOff = maps.Clone(m.off)
	d.use(m.breaks)
	if m.thread != d.thread {
		d.thread = m.thread
		d.loadFrames(0)
	}
	if !m.do() || d.standsAt() != m.to {
		return false
	}
	d.trail = append(d.trail, m)
	return true
}
