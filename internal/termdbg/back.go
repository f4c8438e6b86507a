package termdbg

import (
	"maps"
)

// The debugger goes back by running the program again and repeating all moves but the last: what a
// program does follows from its input, so it comes to the same place. Only what it reads from
// outside (clocks, random numbers, files that changed) can lead it elsewhere, which is detected.

// move is something that resumed the program.
type move struct {
	do     func() bool // makes the move and waits; reports whether it was accepted
	breaks []*brk      // the breakpoints at that time
	off    map[string]bool
	thread int
	to     string // where it stopped: thread, function and place
}

func (rn *runner) cmdBack(a args) {
	n, err := count(a.text, "back")
	switch {
	case err != nil:
		rn.fail(err)
		return
	case rn.control.attached:
		rn.failf("back runs the program again: it does not work on a program that was attached to")
		return
	case rn.running:
		rn.failf("the program is running: use interrupt to stop it")
		return
	case len(rn.trail) == 0:
		rn.printf("this is the start of the program\n")
		return
	}
	again, breaks, off := rn.trail[:max(0, len(rn.trail)-n)], rn.breaks.all, rn.breaks.off
	rn.silent = true
	ok := rn.beginAgain()
	for _, m := range again {
		if !ok || rn.interrupted {
			break
		}
		ok = rn.redo(m)
	}
	rn.breaks.off = off
	rn.breaks.use(breaks)
	rn.silent = false
	rn.control.queued = nil
	if !ok {
		rn.failf("the program ran differently this time: it reads external input, or something was set by hand")
	}
	if rn.alive {
		rn.control.shown = shown{}
		rn.control.arrivedAgain()
	}
}

// redo makes a move again and reports whether it led to the same place.
func (rn *runner) redo(m move) bool {
	rn.breaks.off = maps.Clone(m.off)
	rn.breaks.use(m.breaks)
	if m.thread != rn.thread {
		rn.thread = m.thread
		rn.loadFrames(0)
	}
	if !m.do() || rn.standsAt() != m.to {
		return false
	}
	rn.trail = append(rn.trail, m)
	return true
}
