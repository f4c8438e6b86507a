package dap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	engine "stackscope/vm/debugger"
	"stackscope/vm/debugger/watch"
)

// The modes of breakpoints that are offered; of each kind none is the first.
const (
	modeAny     = "any"     // stops wherever it is reached
	modeStack   = "stack"   // bound to the stack that is shown when it is set
	modeOnce    = "once"    // good for one stop
	modeChanged = "changed" // only writes that change the datum
	modeWritten = "written" // every write of the datum
)

func breakpointModes() []breakpointMode {
	code, data := []string{"source", "instruction"}, []string{"data"}
	return []breakpointMode{
		{modeAny, "Any stack", "Stop on any stack that reaches it", code},
		{modeStack, "This stack", "Stop only on the stack that was shown when the breakpoint was set", code},
		{modeOnce, "Once", "Stop once", code},
		{modeChanged, "Changes", "Stop at a write only if it changes the value", data},
		{modeWritten, "Every write", "Stop at every write, even if the value stays the same", data},
	}
}

// dataBreakpoints are those on data that the client has set. They are kept across restarts.
type dataBreakpoints struct {
	common
	breaks *breakpoints // ids come from there
	vars   *variables
	list   []*engine.DataBreakpoint
}

// The mode of a data breakpoint is kept in the name of the datum: setDataBreakpoints has none.
const modeMark = "!"

// dataBreakpointInfoArguments has the fields of DAP 1.71.
type dataBreakpointInfoArguments struct {
	VariablesReference int    `json:"variablesReference"`
	Name               string `json:"name"`
	FrameID            int    `json:"frameId"`
	Bytes              int    `json:"bytes"`
	AsAddress          bool   `json:"asAddress"`
	Mode               string `json:"mode"`
}

type dataBreakpointInfoBody struct {
	DataID      *string  `json:"dataId"`
	Description string   `json:"description"`
	AccessTypes []string `json:"accessTypes,omitempty"`
	CanPersist  bool     `json:"canPersist,omitempty"`
}

// defaultBytes is how much of a memory is watched without a number of bytes.
const defaultBytes = 4

// onDataBreakpointInfo reports whether something can be watched: a variable, what an expression
// names, or bytes at an address of a memory.
func (db *dataBreakpoints) onDataBreakpointInfo(a *dataBreakpointInfoArguments) (any, error) {
	out := dataBreakpointInfoBody{}
	switch a.Mode {
	case "", modeChanged, modeWritten:
	default:
		return nil, fmt.Errorf("there is no data breakpoint mode %q: want %s or %s", a.Mode, modeChanged, modeWritten)
	}
	err := db.prog.whenStopped(func(e *engine.Engine) error {
		id, title, keep, err := db.datum(e, a)
		if err != nil {
			out.Description = err.Error()
			return nil
		}
		if a.Mode != "" {
			id += modeMark + a.Mode
		}
		out.DataID, out.Description, out.CanPersist = &id, title, keep
		out.AccessTypes = []string{"read", "write", "readWrite"}
		return nil
	})
	return out, err
}

func (db *dataBreakpoints) datum(
	e *engine.Engine, a *dataBreakpointInfoArguments,
) (id, title string, keep bool, err error) {
	bytes := a.Bytes
	if bytes <= 0 {
		bytes = defaultBytes
	}
	if a.AsAddress {
		ref, at, err := db.address(e, a.Name, a.FrameID)
		if err != nil {
			return "", "", false, err
		}
		id = watch.MemoryData(ref, at, bytes)
		title, err = e.DataBreakpoints.Check(id)
		return id, fmt.Sprintf("%s of %s", byteCount(bytes), title), true, err
	}
	var v engine.Var
	found := false
	if a.VariablesReference > 0 {
		c, ok := db.handles.vars[a.VariablesReference]
		if !ok || c.frame.Gone() {
			return "", "", false, errNoVariable
		}
		v, found = c.child(a.Name)
	} else {
		f, err := db.vars.frame(a.FrameID)
		if err != nil {
			return "", "", false, err
		}
		if v, err = e.Evaluator.Find(f, a.Name); err != nil {
			return "", "", false, err
		}
		found = true
	}
	switch {
	case !found:
		return "", "", false, fmt.Errorf("there is no variable %s", a.Name)
	case v.Memory != nil && (v.Data == nil || a.Bytes > 0):
		id = watch.MemoryData(*v.Memory, v.MemoryAt, max(a.Bytes, v.MemoryLen, 1))
		title, err = e.DataBreakpoints.Check(id)
		return id, title, true, err
	case a.Bytes > 0: // the bytes that the variable points to
		f, err := db.vars.frame(a.FrameID)
		if err != nil {
			return "", "", false, err
		}
		ref, at, err := db.address(e, a.Name, a.FrameID)
		_ = f
		if err != nil {
			return "", "", false, err
		}
		id = watch.MemoryData(ref, at, bytes)
		title, err = e.DataBreakpoints.Check(id)
		return id, fmt.Sprintf("%s of %s, to which %s points", byteCount(bytes), title, a.Name), true, err
	}
	if id, title, keep = e.DataBreakpoints.Name(v); id == "" {
		return "", "", false, fmt.Errorf(
			"%s cannot be watched: it is not a local, global, table slot, field, element or memory", a.Name,
		)
	}
	return id, title, keep, nil
}

// address reads an address: a memory reference, a number, or an expression with such a value, in
// the first memory of a frame's module.
func (db *dataBreakpoints) address(e *engine.Engine, text string, frame int) (engine.MemoryRef, uint64, error) {
	if ref, at, err := parseMemory(text); err == nil {
		return ref, uint64(at), nil
	}
	f, err := db.vars.frame(frame)
	if err != nil {
		return engine.MemoryRef{}, 0, err
	}
	ref, ok := e.Inspector.FirstMemory(f)
	if !ok {
		return engine.MemoryRef{}, 0, errors.New("the module has no memory")
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(text), 0, 64); err == nil {
		return ref, n, nil
	}
	n, err := e.Evaluator.Number(f, text)
	return ref, n, err
}

type setDataBreakpointsArguments struct {
	Breakpoints []struct {
		DataID       string `json:"dataId"`
		AccessType   string `json:"accessType"`
		Condition    string `json:"condition"`
		HitCondition string `json:"hitCondition"`
	} `json:"breakpoints"`
}

func (db *dataBreakpoints) onSetDataBreakpoints(a *setDataBreakpointsArguments) (any, error) {
	var list []*engine.DataBreakpoint
	taken := map[int]bool{} // a datum can be watched twice, with conditions of its own
	for _, x := range a.Breakpoints {
		b := &engine.DataBreakpoint{Condition: x.Condition, Hit: x.HitCondition}
		var mode string
		b.Data, mode, _ = strings.Cut(x.DataID, modeMark)
		switch x.AccessType {
		case "read":
			b.On = engine.Reads
		case "", "write": // clients call it a change of the value
			b.On, b.Changes = engine.Writes, mode != modeWritten
		case "readWrite":
			b.On, b.Changes = engine.Reads|engine.Writes, mode == modeChanged
		default:
			return nil, fmt.Errorf("there is no access type %q: want read, write or readWrite", x.AccessType)
		}
		for _, y := range db.list {
			if b.ID == 0 && !taken[y.ID] && y.Data == b.Data && y.On == b.On && y.Changes == b.Changes {
				b.ID = y.ID
			}
		}
		if b.ID == 0 {
			b.ID = db.breaks.id()
		}
		taken[b.ID] = true
		list = append(list, b)
	}
	if db.prog.eng != nil {
		if err := db.prog.eng.DataBreakpoints.Set(db.prog.group(groupData), list); err != nil {
			return nil, err
		}
	}
	db.list = list
	out := breakpointsBody{Breakpoints: []breakpoint{}}
	for _, b := range list {
		out.Breakpoints = append(out.Breakpoints, db.describe(b))
	}
	return out, nil
}

func (db *dataBreakpoints) describe(b *engine.DataBreakpoint) breakpoint {
	var out breakpoint
	out.Id, out.Verified, out.Message = b.ID, b.Verified, b.Message
	if !b.Verified {
		out.Reason = "failed"
		if db.prog.eng == nil || b.Pending {
			out.Reason = "pending"
		}
	}
	return out
}

// changed reports that what a data breakpoint watches has ended, or is there now.
func (db *dataBreakpoints) changed(now engine.DataBreakpoint) {
	for _, b := range db.list {
		if b.ID == now.ID && b.Verified != now.Verified {
			*b = now
			db.out.event("breakpoint", breakpointEventBody{"changed", db.describe(b)})
		}
	}
}

// byteCount returns a number of bytes in words.
func byteCount[N int | int64 | uint64 | uint32](n N) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// restore hands all data breakpoints to a new engine.
func (db *dataBreakpoints) restore() {
	if len(db.list) == 0 {
		return
	}
	_ = db.prog.eng.DataBreakpoints.Set(db.prog.group(groupData), db.list)
	for _, b := range db.list {
		db.out.event("breakpoint", breakpointEventBody{"changed", db.describe(b)})
	}
}
