package termdbg

import (
	"fmt"
	"slices"
)

// The debugger goes back by running the program anew and repeating all steps but the last: what a
// program does follows from its input, so it comes to the same place. Only what it reads from outside
// (clocks, random numbers, files that changed) can lead it elsewhere; that is noticed.

// move is something that let the program go on.
type move struct {
	do     func() bool // sends the request, and tells whether it was accepted
	breaks []brk       // the breakpoints that there were
	to     string      // where it stopped: thread, function and place
	stays  bool        // the program does not go on by it
}

// breaksNow gives the breakpoints for a move.
func (d *debugger) breaksNow() []brk { return slices.Clone(d.breaks) }

// place tells where the program stands, "" if it has ended.
func (d *debugger) place() string {
	f := d.frame()
	if !d.alive || f == nil {
		return ""
	}
	return fmt.Sprintf("#%d %s:%d:%d", d.stop.ThreadId, f.Name, f.Line, f.Column)
}

func (d *debugger) cmdBack(string) {
	if len(d.trail) == 0 {
		d.printf("this is where the program begins\n")
		return
	}
	again, breaks := d.trail[:len(d.trail)-1], d.breaks
	d.trail = nil
	d.silent = true
	ok := d.request("restart", map[string]any{}, nil)
	if ok {
		d.alive = true
		d.wait()
		for _, m := range again {
			if ok = d.repeat(m); !ok {
				break
			}
		}
	}
	d.useBreaks(breaks)
	d.silent = false
	if !ok {
		d.printf("the program took another way this time: it reads something from outside, or something was set by hand\n")
	}
	if d.alive {
		d.arrived()
	}
}

// repeat makes a move again and tells whether it led to the same place.
func (d *debugger) repeat(m move) bool {
	d.useBreaks(m.breaks)
	if !m.do() {
		return false
	}
	if !m.stays {
		d.wait()
	}
	if d.place() != m.to {
		return false
	}
	d.trail = append(d.trail, m)
	return true
}

// useBreaks puts other breakpoints in force.
func (d *debugger) useBreaks(bs []brk) {
	files := map[string]bool{}
	for _, b := range append(slices.Clone(d.breaks), bs...) {
		files[b.file] = true
	}
	d.breaks = slices.Clone(bs)
	for f := range files {
		d.sendBreaks(f)
	}
}
