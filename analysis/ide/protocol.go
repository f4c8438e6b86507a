package ide

import (
	"slices"
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/stackview/diagram"
	"stackscope/wasm"
)

// ProtocolInfo is the protocol of a function, in words.
type ProtocolInfo struct {
	Func    uint32
	Name    string // of the function, as people call it
	Began   bool   // stacks begin with the function
	Diagram diagram.Diagram
	States  []ProtocolState // by node of the diagram
	// Partial reports that some states are missing.
	Partial bool
}

// ProtocolState is what is known of a state besides its label.
type ProtocolState struct {
	Op    string      // the instruction at which control leaves the stack; "" for none
	Func  string      // the function that it stands in
	Sends []string    // events
	Place source.Span // of the instruction; empty if there is none
}

// protocolHidden reports whether a transition is left out of diagrams: an exception that nothing
// catches may end a stack nearly everywhere.
func protocolHidden(p *analysis.Protocol, t analysis.ProtocolTransition) bool {
	return (t.Take.Kind == analysis.TakeThrow || p.Opaque) && p.States[t.To].Kind == analysis.ProtocolThrew
}

// ProtocolOf returns the protocol of a function; ok is false if it never gives up control.
func ProtocolOf(m *analysis.Module, fn uint32) (info ProtocolInfo, ok bool) {
	p := analysis.ProtocolsOf(m).Of(fn)
	if p == nil {
		return info, false
	}
	w := protocolWriter{m: m, t: query.NewTypes(m), p: p, words: &m.Dialect().Info().Words}
	info = ProtocolInfo{Func: fn, Name: w.fn(fn), Began: p.Began, Partial: p.Partial}
	info.Diagram.Title = w.fn(fn)
	led := make([]bool, len(p.States))
	led[0] = true
	for _, t := range p.Transitions {
		led[t.To] = led[t.To] || !protocolHidden(p, t)
	}
	var order []int // the ends come last
	for _, ends := range []bool{false, true} {
		for i, s := range p.States {
			if led[i] && s.Kind.Ends() == ends {
				order = append(order, i)
			}
		}
	}
	number := make([]int, len(p.States))
	for i := range number {
		number[i] = -1
	}
	for _, i := range order {
		s := p.States[i]
		number[i] = len(info.States)
		st := ProtocolState{Func: w.fn(s.Func)}
		n := diagram.Node{Label: w.state(s), Kind: protocolKinds[s.Kind]}
		if at, ok := analysis.ProtocolsOf(m).Place(s); ok {
			line, _ := m.Snapshot().File().LineCol(at.Start)
			n.Note = "line " + strconv.Itoa(line)
			if s.Func != fn {
				n.Note = w.fn(s.Func) + ", " + n.Note
			}
			st.Place, st.Op = at, s.Op.String()
		}
		for _, tag := range s.Sends {
			st.Sends = append(st.Sends, w.tag(tag))
		}
		info.States = append(info.States, st)
		info.Diagram.Nodes = append(info.Diagram.Nodes, n)
	}
	for _, t := range p.Transitions {
		if !protocolHidden(p, t) && number[t.From] >= 0 {
			info.Diagram.Edges = append(info.Diagram.Edges,
				diagram.Edge{From: number[t.From], To: number[t.To], Label: w.take(p.States[t.From], t.Take)})
		}
	}
	if p.Partial {
		info.Diagram.Notes = append(info.Diagram.Notes, "… more states")
	}
	if p.Opaque {
		info.Diagram.Notes = append(info.Diagram.Notes, "What imported functions do is not in it.")
	}
	return info, true
}

var protocolKinds = [...]diagram.Kind{
	analysis.ProtocolNew: diagram.Start, analysis.ProtocolSuspended: diagram.Suspended,
	analysis.ProtocolWaiting: diagram.Waiting, analysis.ProtocolSwitched: diagram.Suspended,
	analysis.ProtocolRetired: diagram.End, analysis.ProtocolReturned: diagram.End, analysis.ProtocolThrew: diagram.End,
}

// protocolWriter puts the parts of a protocol into the words of its design.
type protocolWriter struct {
	m     *analysis.Module
	t     query.Types
	p     *analysis.Protocol
	words *wasm.Words
}

func (w *protocolWriter) fn(i uint32) string {
	if y, ok := w.m.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: i}); ok && y.Name != "" {
		return query.Identifier(y.Name)
	}
	return w.t.Declared.FuncTitle(i)
}

func (w *protocolWriter) tag(i uint32) string {
	if y, ok := w.m.Symbol(analysis.Sym{Space: analysis.SpaceTag, Index: i}); ok {
		return query.Display(y)
	}
	return query.Index(i)
}

// state returns the label of a state.
func (w *protocolWriter) state(s analysis.ProtocolState) string {
	var tags []string
	for _, t := range s.Sends {
		tags = append(tags, w.tag(t))
	}
	with := ""
	if len(tags) > 0 {
		with = " with " + strings.Join(tags, " or ")
	}
	at := " at " + s.Op.String()
	switch {
	case len(tags) > 0 && w.words.Event == "event":
		at += " " + tags[0]
	case s.Type != wasm.BadIndex:
		at += " " + w.t.Name(s.Type)
	}
	switch s.Kind {
	case analysis.ProtocolNew:
		if w.p.Began {
			return "new"
		}
		return "called"
	case analysis.ProtocolSuspended:
		if len(tags) > 0 {
			return w.words.Suspended + " " + w.words.With + " " + tags[0]
		}
		return w.words.Suspended + at
	case analysis.ProtocolWaiting:
		return "waiting" + at
	case analysis.ProtocolSwitched:
		return w.words.Switched + at
	case analysis.ProtocolRetired:
		if with == "" {
			with = at
		}
		return w.words.Retired + with
	case analysis.ProtocolReturned:
		return "returned" + with
	}
	return "ended by an exception"
}

// take returns the label of a transition from a state.
func (w *protocolWriter) take(from analysis.ProtocolState, t analysis.ProtocolTake) string {
	switch t.Kind {
	case analysis.TakeEvent:
		return w.tag(t.Tag)
	case analysis.TakeReturn:
		return "return"
	case analysis.TakeThrow:
		return "exception"
	}
	if from.Kind == analysis.ProtocolNew && !w.p.Began {
		return "call"
	}
	return w.words.Resume
}

// shownStates is how many lines of a protocol a hover has.
const shownStates = 12

// protocolText returns the protocol of a function for a hover, as a code block; "" for none. Only
// functions that stacks begin with have one there.
func protocolText(m *analysis.Module, fn uint32) string {
	if _, is := slices.BinarySearch(analysis.ProtocolsOf(m).Funcs(), fn); !is {
		return ""
	}
	info, ok := ProtocolOf(m, fn)
	if !ok {
		return ""
	}
	return "States of a " + m.Dialect().Info().Noun + ", what each takes, and where that leads:\n\n```text\n" +
		strings.TrimSuffix(info.Diagram.Text(shownStates), "\n") + "\n```"
}

// ProtocolLens is a place over which an editor offers to show a protocol.
type ProtocolLens struct {
	Span source.Span // the function's name, or its head
	Func uint32
	Name string // of the function, or its number
	Noun string // what begins with it
}

// ProtocolLenses returns the functions of a file that stacks begin with. A script has none.
func ProtocolLenses(s *analysis.Snapshot) []ProtocolLens {
	var out []ProtocolLens
	if query.IsScript(s) {
		return nil
	}
	for _, m := range s.Modules() {
		for _, fn := range analysis.ProtocolsOf(m).Funcs() {
			y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: fn})
			if ok && !query.IsImport(y.N) {
				out = append(out, ProtocolLens{target(y).Name, fn, query.Display(y), m.Dialect().Info().Noun})
			}
		}
	}
	return out
}

// FuncNamed returns the function of a module that has a name, with or without its `$`, the name of an
// export, or a number.
func FuncNamed(m *analysis.Module, name string) (uint32, bool) {
	for _, y := range m.Symbols(analysis.SpaceFunc) {
		if y.Name != "" && (query.Display(y) == name || y.Name == strings.TrimPrefix(name, "$")) {
			return y.Index, true
		}
	}
	if x, ok := m.Declared().Export(name); ok && x.Kind == wasm.ExternFunc {
		return x.Index, true
	}
	n, err := strconv.ParseUint(name, 10, 32)
	return uint32(n), err == nil && n < uint64(len(m.Declared().Funcs))
}

// ProtocolMachine is a protocol for programs: plain data, as JSON has it.
type ProtocolMachine struct {
	Function    string         `json:"function" doc:"The function: its name, or its number."`
	Begins      bool           `json:"begins" doc:"Whether stacks begin with the function."`
	States      []MachineState `json:"states" doc:"The states; the first is where it begins."`
	Transitions []MachineStep  `json:"transitions" doc:"The ways from a state to the next one."`
	Notes       []string       `json:"notes,omitempty" doc:"What is missing."`
	Partial     bool           `json:"partial,omitempty" doc:"Whether states are missing: there are too many."`
}

// MachineState is a state of a ProtocolMachine.
type MachineState struct {
	Label    string       `json:"label" doc:"The state, in the words of the design."`
	Kind     diagram.Kind `json:"kind" doc:"start, suspended, waiting (for a stack that it resumed) or end."`
	Op       string       `json:"op,omitempty" doc:"The instruction at which control leaves the stack."`
	Function string       `json:"function,omitempty" doc:"The function that it stands in."`
	Line     int          `json:"line,omitempty" doc:"Its line, from 1."`
	Sends    []string     `json:"sends,omitempty" doc:"The events that the other stack gets."`
}

// MachineStep is a transition of a ProtocolMachine.
type MachineStep struct {
	From  int    `json:"from" doc:"The number of a state, from 0."`
	To    int    `json:"to" doc:"The number of the next state."`
	Takes string `json:"takes" doc:"The event that leads there, or a word: resume, return, exception."`
}

// Machine returns the protocol as plain data.
func (i *ProtocolInfo) Machine(f *source.File) ProtocolMachine {
	m := ProtocolMachine{
		Function: i.Name, Begins: i.Began, Partial: i.Partial, Notes: i.Diagram.Notes,
		States: []MachineState{}, Transitions: []MachineStep{},
	}
	for k, s := range i.States {
		x := MachineState{
			Label: i.Diagram.Nodes[k].Label, Kind: i.Diagram.Nodes[k].Kind, Op: s.Op, Sends: s.Sends,
		}
		if s.Op != "" {
			x.Function = s.Func
			x.Line, _ = f.LineCol(s.Place.Start)
		}
		m.States = append(m.States, x)
	}
	for _, e := range i.Diagram.Edges {
		m.Transitions = append(m.Transitions, MachineStep{e.From, e.To, e.Label})
	}
	return m
}
