package check

// run is what is known of the program.
type run struct {
	inits   int
	ends    int // terminated
	exits   int
	stop    int             // ordinal of the last stop
	since   int             // the first stop that may be the current one: others were shown again
	stands  bool            // it stopped, and was not resumed since, as far as is known
	unsure  bool            // a resume that was answered may have led to the last stop, or come after it
	may     bool            // it may stop: something was resumed, or a custom request was answered
	custom  bool            // a custom request was answered: the same stop may be shown again
	done    map[string]bool // requests that were answered since the last stop
	pending map[string]int  // resuming requests without an answer
}

// resumes reports whether a request lets the program run.
func resumes(command string) bool {
	switch command {
	case "continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "goto", "restartFrame":
		return true
	}
	return false
}

// starts reports whether a program may run for the first time, or again, after a request.
func starts(command string) bool {
	switch command {
	case "launch", "attach", "configurationDone", "restart":
		return true
	}
	return false
}

// answersFirst reports whether the response to a request comes before the stop that it leads to:
// the specification requires it of each.
func answersFirst(command string) bool {
	switch command {
	case "next", "stepIn", "stepOut", "stepBack", "pause", "goto":
		return true
	}
	return false
}

// asks records that a request was sent. The program may run from now on: the response need not be
// first.
func (r *run) asks(command string) {
	if resumes(command) || starts(command) || command == "pause" {
		r.may = true
		if r.pending == nil {
			r.pending = map[string]int{}
		}
		r.pending[command]++
	}
}

// refused records that a request was not executed.
func (r *run) refused(command string) {
	if r.pending[command] > 0 {
		r.pending[command]--
	}
}

// resumed follows the response to a request that lets the program run.
func (c *Checker) resumed(a *asked) {
	r := &c.run
	if r.pending[a.Command] > 0 {
		r.pending[a.Command]--
	}
	if r.done == nil {
		r.done = map[string]bool{}
	}
	r.done[a.Command] = true
	switch {
	case a.Command == "terminate":
		r.stands, r.may = false, true // it ends, or refuses to, in its own time
	case a.Command == "restart":
		r.stands, r.unsure, r.custom, r.ends, r.exits = false, false, false, 0, 0
	case resumes(a.Command):
		if r.ends > 0 {
			c.bad(AfterEnd, "%s succeeds after terminated", a.Command)
		}
		r.custom = false
		switch {
		case r.stop == a.stop || answersFirst(a.Command) && !a.stopped:
			// A stop that came since the request was sent, while the program ran, was on its way
			// before: the one that the request leads to comes after its response.
			r.stands, r.unsure, r.may = false, false, true
		default: // the stop may be the one that it led to, or the one that it was executed at
			r.unsure, r.may = r.stands, true
		}
	case c.o.Schema != nil && !c.o.Schema.Request(a.Command):
		if r.stands {
			r.may, r.custom = true, true
		}
	}
}

// happens follows an event.
func (c *Checker) happens() {
	r := &c.run
	if r.ends > 0 {
		switch c.m.Event {
		case "stopped", "continued", "process", "initialized", "progressStart":
			c.bad(AfterEnd, "%s comes after terminated", c.m.Event)
		case "terminated", "exited", "breakpoint":
		default:
			if c.o.Strict {
				c.bad(StrictEnd, "%s comes after terminated", c.m.Event)
			}
		}
	}
	switch c.m.Event {
	case "initialized":
		if r.inits++; r.inits > 1 {
			c.bad(InitializedOnce, "initialized comes again")
		}
	case "terminated":
		if r.ends++; r.ends > 1 {
			c.bad(EndOnce, "terminated comes again")
		}
		r.stands = false
	case "exited":
		if r.exits++; r.exits > 1 {
			c.bad(EndOnce, "exited comes again")
		}
	case "continued":
		r.stands, r.unsure, r.may, r.custom = false, false, true, false
	case "stopped":
		c.stopped()
	}
}

func (c *Checker) stopped() {
	r := &c.run
	var b struct {
		Reason            string
		ThreadID          int
		AllThreadsStopped bool
		HitBreakpointIDs  []int
	}
	decode(c.m.Body, &b)
	if !r.may {
		c.bad(StopWithoutResume, "nothing was resumed since the last stop")
	}
	for _, a := range c.open[Client] {
		// A stop that a request that was answered leads to is not that of one that waits after it.
		early := b.Reason == "step" && r.stands && !r.unsure && a.stopped && resumes(a.Command) ||
			b.Reason == a.Command && !r.done[a.Command]
		if early && !r.custom && answersFirst(a.Command) {
			c.bad(StopBeforeResponse, "stopped (%s) comes before the response to %s", b.Reason, a.Command)
		}
	}
	if c.o.Strict && (b.ThreadID < 1 || !b.AllThreadsStopped) {
		c.bad(StrictStop, "thread %d, all threads stopped: %v", b.ThreadID, b.AllThreadsStopped)
	}
	c.id("thread", b.ThreadID, 0)
	for _, id := range b.HitBreakpointIDs {
		if !c.lists.exists(id) {
			c.bad(BreakpointIDs, "the breakpoint %d, which was hit, was never reported", id)
		}
	}
	c.lists.stopped = b.ThreadID
	if c.lists.gone[b.ThreadID] {
		c.bad(ThreadPairs, "thread %d, which exited, stops", b.ThreadID)
	}
	waits := false // what is still to be answered may lead to another stop
	for command, n := range r.pending {
		waits = waits || n > 0 && command != "configurationDone"
	}
	switch {
	case !r.custom || !r.stands:
		r.stop++
		r.since = r.stop
	case waits: // it is the same stop, or that of a resume whose response is on its way
		r.stop++
	}
	r.stands, r.unsure, r.done = true, false, nil
	r.may, r.custom = waits || !b.AllThreadsStopped, false
}
