package debugger

import (
	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
)

// History keeps the events of the stacks, and passes them on.
type History struct {
	opt        *Options
	mach       *vm.Machine
	sym        *symbols.Symbols
	run        *run
	filters    *Filters
	stackEnded func(snapshot.StackID) // Stepper.stackEnded
	ring       ring                   // with payloads, if they are asked for
	recorder   *vm.Recorder           // without
}

// ring is the bounded history of events with their payloads.
type ring struct {
	cap  int
	n    uint64 // how many events there were
	buf  []snapshot.Event
	next int
}

func (r *ring) add(e snapshot.Event) {
	if r.cap == 0 {
		return
	}
	if len(r.buf) < r.cap {
		r.buf = append(r.buf, e)
		return
	}
	r.buf[r.next] = e
	r.next = (r.next + 1) % r.cap
}

// watch sets the recorder, and the observer, only if somebody wants events: the recorder is
// enough for a history without payloads.
func (h *History) watch() {
	h.mach.SetRecorder(h.recorder)
	if h.run.fast() || h.opt.History > 0 && h.opt.Values || h.opt.OnEvent != nil || h.filters.watchesFinish() {
		h.mach.SetObserver(h.observe)
	} else {
		h.mach.SetObserver(nil)
	}
}

// maxEventText bounds the text of events that happen at once.
const maxEventText = 2000

// joinEvents joins the texts of events that one instruction causes.
func joinEvents(before, text string) string {
	switch {
	case before == "":
		return text
	case len(before) > maxEventText:
		return before
	}
	return before + "\n" + text
}

// observe keeps and passes on an event.
func (h *History) observe(ev *vm.Event) {
	if h.run.silent() {
		return
	}
	if ev.Kind == vm.EventFinish || ev.Kind == vm.EventRelease {
		h.stackEnded(snapshot.StackID(ev.Stack))
		if text := h.filters.finishes(ev); text != "" {
			h.run.due.event = joinEvents(h.run.due.event, text)
			h.run.setStepping()
		}
	}
	if h.ring.cap == 0 && h.opt.OnEvent == nil {
		return
	}
	h.ring.n++
	x := h.sym.Event(ev, h.ring.n, h.opt.Values || h.opt.OnEvent != nil)
	h.ring.add(x)
	if h.opt.OnEvent != nil {
		h.opt.OnEvent(x)
	}
}

// Events returns the events that are kept, oldest first, and how many older ones were dropped. It
// must be called inside Do.
func (h *History) Events() (events []snapshot.Event, dropped uint64) {
	if rec := h.recorder; rec != nil && !h.opt.Values {
		for n, ev := range rec.All() {
			events = append(events, h.sym.Event(ev, n, false))
		}
		return events, rec.Count() - uint64(len(events))
	}
	r := &h.ring
	events = append(events, r.buf[r.next:]...)
	events = append(events, r.buf[:r.next]...)
	return events, r.n - uint64(len(events))
}
