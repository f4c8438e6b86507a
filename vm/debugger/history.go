package debugger

import "stackscope/vm"

// History keeps the events of the stacks, and passes them on.
type History struct {
	opt        *Options
	mach       *vm.Machine
	sym        *Symbols
	run        *run
	filters    *Filters
	stackEnded func(StackID) // Stepper.stackEnded
	ring       ring          // with payloads, if they are asked for
	recorder   *vm.Recorder  // without
}

// ring is the bounded history of events with their payloads.
type ring struct {
	cap  int
	n    uint64 // how many events there were
	buf  []Event
	next int
}

func (r *ring) add(e Event) {
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

// Event describes an event of the machine. n is its ordinal; values asks for its payload.
func (y *Symbols) Event(ev *vm.Event, n uint64, values bool) Event {
	out := Event{N: n, Kind: eventKinds[ev.Kind], Stack: StackID(ev.Stack), Other: StackID(ev.Other), Tag: tagName(ev.Tag)}
	if ev.Base != nil {
		out.Func = y.info(ev.Base).title
	}
	if ev.Site.Func != nil {
		out.At = y.Site(ev.Site, true)
	}
	if values {
		for _, v := range ev.Values {
			out.Values = append(out.Values, y.Constant(v))
		}
	}
	return out
}

// watch sets the recorder, and the observer, only if somebody wants events: the recorder is
// enough for a history without payloads.
func (h *History) watch() {
	h.mach.SetRecorder(h.recorder)
	if h.run.hurried || h.opt.History > 0 && h.opt.Values || h.opt.OnEvent != nil || h.filters.watchesFinish() {
		h.mach.SetObserver(h.observe)
	} else {
		h.mach.SetObserver(nil)
	}
}

// observe keeps and passes on an event.
func (h *History) observe(ev *vm.Event) {
	if h.run.quiet > 0 {
		return
	}
	if ev.Kind == vm.EventFinish || ev.Kind == vm.EventRelease {
		h.stackEnded(StackID(ev.Stack))
		if text := h.filters.finishes(ev); text != "" {
			h.run.event = text
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
func (h *History) Events() (events []Event, dropped uint64) {
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
