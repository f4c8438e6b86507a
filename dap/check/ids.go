package check

import "encoding/json"

// ids are those that are good for one stop.
type ids struct {
	frames, refs map[int]int  // the stop at which an id was made
	lasting      map[int]bool // references of output events: they last
}

func (k *ids) init() {
	k.frames, k.refs, k.lasting = map[int]int{}, map[int]int{}, map[int]bool{}
}

// handed are the arguments of requests that have ids, and sizes.
type handed struct {
	FrameID            *int
	VariablesReference *int
	InstructionCount   *int
	Levels             int
	StartFrame         int
	Count              int
	Filter             string
	Context            string // of evaluate; in `repl` adapters have commands that need no frame
	Breakpoints        []json.RawMessage
}

// made are the ids in the bodies of responses.
type given struct {
	StackFrames  []struct{ ID int }
	TotalFrames  *int
	Scopes       []struct{ VariablesReference int }
	Variables    []json.RawMessage
	Instructions []json.RawMessage
	Data         *string
}

// child is a variable, as far as it matters here.
type child struct {
	Name                                                 string
	VariablesReference                                   int
	MemoryReference                                      *string
	Type                                                 *string
	IndexedVariables, NamedVariables                     int
	DeclarationLocationReference, ValueLocationReference int
}

// id checks that an id is in its range.
func (c *Checker) id(what string, id, least int) {
	if id < least || id > 1<<31-1 {
		c.bad(IDRange, "the id %d of a %s is not from %d to 2³¹-1", id, what, least)
	}
}

// uses checks that the client refers to what is valid.
func (c *Checker) uses(a *asked) {
	var h handed
	if !decode(a.Arguments, &h) {
		return
	}
	if h.FrameID != nil && *h.FrameID != 0 && takesFrame(a.Command) && !c.alive(c.ids.frames, *h.FrameID) {
		c.bad(DeadID, "%s with frame %d, which is not from this stop", a.Command, *h.FrameID)
	}
	if h.VariablesReference != nil && takesReference(a.Command) && !c.ids.lasting[*h.VariablesReference] &&
		!c.alive(c.ids.refs, *h.VariablesReference) {
		c.bad(DeadID, "%s with the reference %d, which is not from this stop", a.Command, *h.VariablesReference)
	}
}

func takesFrame(command string) bool {
	switch command {
	case "scopes", "evaluate", "setExpression", "stepInTargets", "completions", "restartFrame":
		return true
	}
	return false
}

func takesReference(command string) bool { return command == "variables" || command == "setVariable" }

func (c *Checker) alive(in map[int]int, id int) bool {
	at, ok := in[id]
	return ok && at >= c.run.since && c.run.stands
}

// handles follows the ids in a response.
func (c *Checker) handles(a *asked) {
	var h handed
	decode(a.Arguments, &h)
	// What succeeds with a dead id is the adapter's mistake, whoever began. A request that passed a
	// resume or a stop on its way may have been executed before.
	quiet := a.stop == c.run.stop
	if h.FrameID != nil && *h.FrameID != 0 && takesFrame(a.Command) && a.Command != "restartFrame" &&
		h.Context != "repl" &&
		quiet {
		if at, ok := c.ids.frames[*h.FrameID]; !ok || at < c.run.since {
			c.bad(DeadID, "%s succeeds with frame %d, which is not from this stop", a.Command, *h.FrameID)
		}
	}
	if h.VariablesReference != nil && takesReference(a.Command) && quiet && !c.ids.lasting[*h.VariablesReference] {
		if at, ok := c.ids.refs[*h.VariablesReference]; !ok || at < c.run.since {
			c.bad(
				DeadID, "%s succeeds with the reference %d, which is not from this stop", a.Command,
				*h.VariablesReference,
			)
		}
	}
	var g given
	decode(c.m.Body, &g)
	switch a.Command {
	case "stackTrace", "scopes", "variables":
		some := len(g.StackFrames)+len(g.Scopes)+len(g.Variables) > 0
		if !c.run.stands && !a.stopped && some && c.run.stop == a.stop {
			c.bad(InspectRunning, "%s of a running program", a.Command)
		}
	}
	switch a.Command {
	case "stackTrace":
		for _, f := range g.StackFrames {
			c.give("frame", c.ids.frames, f.ID, quiet)
		}
	case "scopes":
		for _, s := range g.Scopes {
			c.give("scope", c.ids.refs, s.VariablesReference, quiet)
		}
	case "variables":
		for _, raw := range g.Variables {
			c.variable(raw, quiet)
		}
	case "evaluate", "setVariable", "setExpression":
		c.variable(c.m.Body, quiet)
	}
}

func (c *Checker) variable(raw json.RawMessage, quiet bool) {
	var v child
	if !decode(raw, &v) {
		return
	}
	c.give("variable", c.ids.refs, v.VariablesReference, quiet)
	if v.MemoryReference != nil && !c.client["supportsMemoryReferences"] {
		c.bad(ClientCapability, "%s has a memoryReference; the client did not declare supportsMemoryReferences", v.Name)
	}
	if v.Type != nil && !c.client["supportsVariableType"] {
		c.bad(ClientCapability, "%s has a type; the client did not declare supportsVariableType", v.Name)
	}
}

// give records an id. Zero is not a reference.
func (c *Checker) give(what string, in map[int]int, id int, quiet bool) {
	if id == 0 && what != "frame" {
		return
	}
	c.id(what, id, 1)
	if at, ok := in[id]; ok && at < c.run.since && quiet && c.o.Strict {
		c.bad(ReusedID, "the id %d of a %s was used at an earlier stop", id, what)
	}
	// For a response that passed a stop on its way it is unknown at which of the two it was
	// made.
	in[id] = c.run.stop
}

// counts checks that there is as much as was asked for.
func (c *Checker) counts(a *asked) {
	var h handed
	var g given
	decode(a.Arguments, &h)
	decode(c.m.Body, &g)
	switch a.Command {
	case "stackTrace":
		n := len(g.StackFrames)
		if h.Levels > 0 && n > h.Levels {
			c.bad(Count, "%d frames; %d were requested", n, h.Levels)
		}
		if g.TotalFrames != nil && n > 0 && *g.TotalFrames < h.StartFrame+n {
			c.bad(Count, "%d frames from %d on, of %d in all", n, h.StartFrame, *g.TotalFrames)
		}
	case "variables":
		if h.Count > 0 && h.Filter != "" && len(g.Variables) > h.Count {
			c.bad(Count, "%d variables; %d were requested", len(g.Variables), h.Count)
		}
	case "disassemble":
		if h.InstructionCount != nil && len(g.Instructions) != *h.InstructionCount {
			c.bad(Count, "%d instructions; %d were requested", len(g.Instructions), *h.InstructionCount)
		}
	case "readMemory":
		// Base64 has four characters for three bytes.
		if g.Data != nil && h.Count >= 0 && len(*g.Data) > (h.Count+2)/3*4 {
			c.bad(Count, "%d characters of data; %d bytes were requested", len(*g.Data), h.Count)
		}
	}
}
