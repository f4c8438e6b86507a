package check

import (
	"encoding/json"
	"fmt"
)

// lists are the things that come and go by events: threads, breakpoints, progress, modules.
type lists struct {
	stopped  int // the thread that stopped last
	started  map[int]bool
	gone     map[int]bool
	ended    map[int]bool // terminateThreads named them
	progress map[string]bool
	modules  map[string]bool
	sources  map[string]bool
	breaks   map[string]map[int]bool // by the request and source that set them
}

func (l *lists) init() {
	l.started, l.gone, l.ended = map[int]bool{}, map[int]bool{}, map[int]bool{}
	l.progress, l.modules, l.sources = map[string]bool{}, map[string]bool{}, map[string]bool{}
	l.breaks = map[string]map[int]bool{}
}

// exists reports whether a breakpoint was reported.
func (l *lists) exists(id int) bool {
	for _, set := range l.breaks {
		if set[id] {
			return true
		}
	}
	return false
}

// listed follows the lists in responses.
func (c *Checker) listed(a *asked) {
	switch a.Command {
	case "threads":
		c.threads(a)
	case "setBreakpoints",
		"setFunctionBreakpoints",
		"setInstructionBreakpoints",
		"setDataBreakpoints",
		"setExceptionBreakpoints":
		c.breakpoints(a)
	case "modules":
		var b struct {
			Modules []struct{ ID json.RawMessage }
		}
		decode(c.m.Body, &b)
		for _, m := range b.Modules {
			c.lists.modules[string(m.ID)] = true
		}
	case "loadedSources":
		var b struct{ Sources []sourceKey }
		decode(c.m.Body, &b)
		for _, s := range b.Sources {
			c.lists.sources[s.key()] = true
		}
	case "restart":
		c.lists.started, c.lists.gone, c.lists.ended = map[int]bool{}, map[int]bool{}, map[int]bool{}
	case "terminateThreads":
		var x struct{ ThreadIDs []int }
		decode(a.Arguments, &x)
		for _, id := range x.ThreadIDs {
			c.lists.ended[id] = true
		}
	}
}

func (c *Checker) threads(a *asked) {
	var b struct{ Threads []struct{ ID int } }
	if !decode(c.m.Body, &b) {
		return
	}
	found := false
	for _, t := range b.Threads {
		// Adapters have ids outside of the range for a program that runs.
		if c.run.stands {
			c.id("thread", t.ID, 0)
		}
		found = found || t.ID == c.lists.stopped
		if c.lists.gone[t.ID] {
			c.bad(ThreadPairs, "thread %d, which exited, is listed", t.ID)
		}
	}
	if c.run.stands && !c.run.unsure && a.stop == c.run.stop && c.run.stop > 0 && !found &&
		!c.lists.ended[c.lists.stopped] {
		c.bad(StoppedThread, "thread %d, which stopped, is not listed", c.lists.stopped)
	}
}

// sourceKey identifies a source.
type sourceKey struct {
	Path            string
	SourceReference int
}

func (s sourceKey) key() string { return fmt.Sprintf("%s#%d", s.Path, s.SourceReference) }

func (c *Checker) breakpoints(a *asked) {
	var args struct {
		Source                                     sourceKey
		Breakpoints, Filters, FilterOptions, Lines []json.RawMessage
	}
	var b struct{ Breakpoints []struct{ ID *int } }
	decode(a.Arguments, &args)
	decode(c.m.Body, &b)
	asked := len(args.Breakpoints)
	switch {
	case a.Command == "setExceptionBreakpoints":
		asked = len(args.Filters) + len(args.FilterOptions)
		if len(b.Breakpoints) == 0 {
			asked = 0 // the list may be missing here
		}
	case args.Breakpoints == nil:
		asked = len(args.Lines)
	}
	if len(b.Breakpoints) != asked {
		c.bad(Count, "%d breakpoints; %d were requested", len(b.Breakpoints), asked)
	}
	key := a.Command
	if a.Command == "setBreakpoints" {
		key += " " + args.Source.key()
	}
	delete(c.lists.breaks, key) // the list replaces the one before
	set := map[int]bool{}
	for _, x := range b.Breakpoints {
		if x.ID == nil {
			continue
		}
		c.id("breakpoint", *x.ID, 0)
		if set[*x.ID] || c.lists.exists(*x.ID) {
			c.bad(BreakpointIDs, "the id %d names two breakpoints", *x.ID)
		}
		set[*x.ID] = true
	}
	c.lists.breaks[key] = set
}

// lives follows the events of things that come and go.
func (c *Checker) lives() {
	l := &c.lists
	switch c.m.Event {
	case "thread":
		var b struct {
			Reason   string
			ThreadID int
		}
		decode(c.m.Body, &b)
		c.id("thread", b.ThreadID, 0)
		switch b.Reason {
		case "started":
			if l.started[b.ThreadID] {
				c.bad(ThreadPairs, "thread %d starts again", b.ThreadID)
			}
			l.started[b.ThreadID] = true
			delete(l.gone, b.ThreadID)
		case "exited":
			if l.gone[b.ThreadID] {
				c.bad(ThreadPairs, "thread %d exits again", b.ThreadID)
			}
			l.gone[b.ThreadID] = true
			delete(l.started, b.ThreadID)
		}
	case "breakpoint":
		var b struct {
			Reason     string
			Breakpoint struct{ ID *int }
		}
		decode(c.m.Body, &b)
		id := b.Breakpoint.ID
		switch {
		case id == nil:
			c.bad(BreakpointIDs, "the event breakpoint has no id")
		case b.Reason == "new":
			if l.exists(*id) {
				c.bad(BreakpointIDs, "the new breakpoint %d exists", *id)
			}
			if l.breaks["new"] == nil {
				l.breaks["new"] = map[int]bool{}
			}
			l.breaks["new"][*id] = true
		case !l.exists(*id):
			c.bad(BreakpointIDs, "the event breakpoint names %d, which was never reported", *id)
		case b.Reason == "removed":
			for _, set := range l.breaks {
				delete(set, *id)
			}
		}
	case "progressStart", "progressUpdate", "progressEnd":
		var b struct{ ProgressID string }
		decode(c.m.Body, &b)
		switch on := l.progress[b.ProgressID]; {
		case c.m.Event == "progressStart" && on:
			c.bad(ProgressPairs, "the progress %q starts again", b.ProgressID)
		case c.m.Event != "progressStart" && !on:
			c.bad(ProgressPairs, "%s of %q, which is not running", c.m.Event, b.ProgressID)
		}
		l.progress[b.ProgressID] = c.m.Event != "progressEnd"
	case "module":
		var b struct {
			Reason string
			Module struct{ ID json.RawMessage }
		}
		decode(c.m.Body, &b)
		c.come("module", l.modules, b.Reason, string(b.Module.ID))
	case "loadedSource":
		var b struct {
			Reason string
			Source sourceKey
		}
		decode(c.m.Body, &b)
		c.come("source", l.sources, b.Reason, b.Source.key())
	case "output":
		var b struct{ VariablesReference int }
		if decode(c.m.Body, &b) && b.VariablesReference > 0 {
			c.ids.lasting[b.VariablesReference] = true
		}
	}
}

// come follows things that come, change and go.
func (c *Checker) come(what string, in map[string]bool, reason, key string) {
	switch {
	case reason == "new":
		in[key] = true
	case !in[key]:
		c.bad(ModulePairs, "the %s %s is %s, but was never reported", what, key, reason)
	case reason == "removed":
		delete(in, key)
	}
}
