package stackview

import (
	"encoding/json"
	"fmt"
	"io"

	"stackscope/vm/debugger/snapshot"
)

// TraceText writes one line for each event.
func TraceText(w io.Writer, events []snapshot.Event) error {
	for i := range events {
		if _, err := fmt.Fprintf(w, "%6d  %s\n", events[i].N, events[i].String()); err != nil {
			return err
		}
	}
	return nil
}

// JSONEvent is an event in the JSON form of a trace.
type JSONEvent struct {
	N      uint64         `json:"n"`
	Step   uint64         `json:"step,omitempty"`
	Kind   string         `json:"kind"`
	Stack  int            `json:"stack"`
	Other  int            `json:"other,omitempty"`
	Func   string         `json:"func,omitempty"`
	Tag    string         `json:"tag,omitempty"`
	Values []string       `json:"values,omitempty"`
	At     *snapshot.Site `json:"at,omitempty"`
	End    *EndJSON       `json:"end,omitempty"` // of finish and release: how the stack ended
}

// TraceJSON writes one JSON object on a line for each event.
func TraceJSON(w io.Writer, events []snapshot.Event) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range events {
		e := &events[i]
		if err := enc.Encode(JSONEvent{e.N, e.Step, e.Kind.String(), int(e.Stack), int(e.Other), e.Func, e.Tag,
			e.Values, site(e.At), end(e.End, e.Dialect)}); err != nil {
			return err
		}
	}
	return nil
}

// perfettoEvent is an event of the Chrome trace format, which Perfetto opens.
type perfettoEvent struct {
	Name string         `json:"name"`
	Cat  string         `json:"cat,omitempty"`
	Ph   string         `json:"ph"`
	TS   uint64         `json:"ts"`
	Dur  uint64         `json:"dur,omitempty"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	ID   uint64         `json:"id,omitempty"`
	Bp   string         `json:"bp,omitempty"`
	S    string         `json:"s,omitempty"` // of an instant: its scope
	Args map[string]any `json:"args,omitempty"`
}

// endEvent marks the end of a lane.
func endEvent(l *Lane, at uint64) perfettoEvent {
	args := map[string]any{}
	if !l.End.At.IsZero() {
		args["at"] = l.End.At.Full()
	}
	if s := l.End.SkippedText(); s != "" {
		args["skipped"] = s
	}
	return perfettoEvent{
		Name: "finished, " + l.End.Text(l.Dialect), Cat: "stack", Ph: "i", S: "t", TS: at, Pid: 1, Tid: int(l.ID), Args: args,
	}
}

// TracePerfetto writes the timeline for Perfetto (ui.perfetto.dev) and chrome://tracing: a track
// for each stack, a slice for each state, a flow for each transfer of control. One event takes one
// microsecond of the display: a run has no clock.
func TracePerfetto(w io.Writer, t *Timeline) error {
	out := []perfettoEvent{{Name: "process_name", Ph: "M", Pid: 1, Args: map[string]any{"name": "stacks"}}}
	for i, l := range t.Lanes {
		out = append(
			out,
			perfettoEvent{
				Name: "thread_name", Ph: "M", Pid: 1, Tid: int(l.ID),
				Args: map[string]any{"name": fmt.Sprintf("#%d %s", l.ID, l.Base)},
			},
			perfettoEvent{Name: "thread_sort_index", Ph: "M", Pid: 1, Tid: int(l.ID),
				Args: map[string]any{"sort_index": i}},
		)
		for _, s := range l.Slices {
			if s.State == snapshot.Moribund {
				if l.End != nil {
					out = append(out, endEvent(l, s.From))
				}
				continue
			}
			name := s.State.String()
			if s.State == snapshot.Suspended {
				name = l.Dialect.Info().Suspended
			}
			if s.Tag != "" {
				name += " " + s.Tag
			}
			args := map[string]any{}
			if !s.At.IsZero() {
				args["at"] = s.At.Full()
			}
			out = append(
				out,
				perfettoEvent{
					Name: name, Cat: "stack", Ph: "X", TS: s.From, Dur: max(s.To-s.From, 1), Pid: 1,
					Tid: int(l.ID), Args: args,
				},
			)
		}
	}
	for _, a := range t.Arrows {
		if a.From == 0 || a.To == 0 {
			continue
		}
		name := a.Word
		if a.Tag != "" {
			name += " " + a.Tag
		}
		out = append(out,
			perfettoEvent{Name: name, Cat: "control", Ph: "s", TS: a.N, Pid: 1, Tid: int(a.From), ID: a.N},
			perfettoEvent{Name: name, Cat: "control", Ph: "f", Bp: "e", TS: a.N, Pid: 1, Tid: int(a.To), ID: a.N})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"traceEvents": out, "displayTimeUnit": "ms"})
}
