package debugger

import "stackscope/vm"

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

// watchEvents sets the recorder, and the observer, only if somebody wants events: the recorder is
// enough for a history without payloads.
func (e *Engine) watchEvents() {
	e.mach.SetRecorder(e.recorder)
	if e.hurried || e.opt.History > 0 && e.opt.Values || e.opt.OnEvent != nil || e.watchesFinish() {
		e.mach.SetObserver(e.observe)
	} else {
		e.mach.SetObserver(nil)
	}
}

// observe keeps and passes on an event.
func (e *Engine) observe(ev *vm.Event) {
	if e.quiet > 0 {
		return
	}
	if ev.Kind == vm.EventFinish || ev.Kind == vm.EventRelease {
		e.stackEnded(StackID(ev.Stack))
		if text := e.finishes(ev); text != "" {
			e.after = text
			e.stepping()
		}
	}
	if e.history.cap == 0 && e.opt.OnEvent == nil {
		return
	}
	e.history.n++
	x := e.Event(ev, e.history.n, e.opt.Values || e.opt.OnEvent != nil)
	e.history.add(x)
	if e.opt.OnEvent != nil {
		e.opt.OnEvent(x)
	}
}

// History returns the events that are kept, oldest first, and how many older ones were dropped. It
// must be called inside Do.
func (e *Engine) History() (events []Event, dropped uint64) {
	if rec := e.recorder; rec != nil && !e.opt.Values {
		for n, ev := range rec.All() {
			events = append(events, e.Event(ev, n, false))
		}
		return events, rec.Count() - uint64(len(events))
	}
	r := &e.history
	events = append(events, r.buf[r.next:]...)
	events = append(events, r.buf[:r.next]...)
	return events, r.n - uint64(len(events))
}
