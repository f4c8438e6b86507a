package dap

import (
	"errors"
	"fmt"

	engine "stackscope/vm/debugger"
)

// handles are what the client may refer to by number while the program is stopped. Numbers are
// never used again, so that one of an earlier stop is noticed.
type handles struct {
	next      int
	frames    map[int]frameHandle
	frameIDs  map[frameKey]int
	vars      map[int]container
	locations map[int]engine.Site
	targets   map[int]engine.StepTarget
	gotos     map[int]engine.GotoTarget
	traced    []engine.StackID // whose stack traces were asked for, in order
}

type frameKey struct {
	stack   engine.StackID
	depth   int
	inlined int // see engine.Frame
	wat     bool
}

// frameHandle is a frame, or a label between frames.
type frameHandle struct {
	engine.Frame
	label bool
}

// container is something with children.
type container struct {
	children func() []engine.Var
	named    func() []engine.Var // those besides the indexed ones of page
	page     func(from, n int) []engine.Var
	indexed  int
	frame    engine.Frame // in which new values are evaluated
}

// child returns the child of a name.
func (c *container) child(name string) (engine.Var, bool) {
	var vars []engine.Var
	switch {
	case c.page == nil:
		vars = c.children()
	default:
		var i int
		if _, err := fmt.Sscanf(name, "[%v]", &i); err == nil && i >= 0 {
			vars = c.page(i, 1)
			if len(vars) == 1 && vars[0].Name != name { // named by address
				vars = c.page(i/max(vars[0].MemoryLen, 1), 1)
			}
		} else if _, err := fmt.Sscanf(name, "0x%x", &i); err == nil { // a line of a memory
			vars = c.page(i/16, 1)
		} else if vars = c.page(0, maxChildren); c.named != nil {
			vars = c.named()
		}
	}
	for _, v := range vars {
		if v.Name == name {
			return v, true
		}
	}
	return engine.Var{}, false
}

func newHandles() *handles {
	h := &handles{next: 1}
	h.reset()
	return h
}

// reset forgets all: the program resumes.
func (h *handles) reset() {
	h.frames = map[int]frameHandle{}
	h.frameIDs = map[frameKey]int{}
	h.vars = map[int]container{}
	h.locations = map[int]engine.Site{}
	h.targets = map[int]engine.StepTarget{}
	h.gotos = map[int]engine.GotoTarget{}
	h.traced = nil
}

func (h *handles) id() int {
	h.next++
	return h.next - 1
}

// frame returns the number of a frame.
func (h *handles) frame(f engine.Frame) int {
	k := frameKey{f.Stack, f.Depth, f.Inlined, f.Source != nil && f.File == f.WAT}
	if id, ok := h.frameIDs[k]; ok {
		return id
	}
	id := h.id()
	h.frames[id] = frameHandle{Frame: f}
	h.frameIDs[k] = id
	return id
}

// stopped returns the frame of a number. It must be called while the program is stopped.
func (h *handles) stopped(id int) (engine.Frame, error) {
	f, ok := h.frames[id]
	switch {
	case !ok:
		return engine.Frame{}, errNoFrame
	case f.label:
		return engine.Frame{}, errors.New("a label has no variables")
	case f.Gone():
		return engine.Frame{}, errNoFrame
	}
	return f.Frame, nil
}

// label returns a number for a label.
func (h *handles) label() int {
	id := h.id()
	h.frames[id] = frameHandle{label: true}
	return id
}

// container returns the number of a container.
func (h *handles) container(c container) int {
	id := h.id()
	h.vars[id] = c
	return id
}

// location returns the number of a place, 0 if it is none.
func (h *handles) location(at engine.Site) int {
	if at.Line == 0 {
		return 0
	}
	id := h.id()
	h.locations[id] = at
	return id
}

// maxTraced is how many stacks are remembered whose stack traces were asked for.
const maxTraced = 100

// trace records that a stack's trace was asked for.
func (h *handles) trace(id engine.StackID) {
	if n := len(h.traced); n > 0 && h.traced[n-1] == id {
		return
	}
	if h.traced = append(h.traced, id); len(h.traced) > maxTraced {
		h.traced = h.traced[1:]
	}
}
