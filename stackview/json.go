package stackview

import (
	"encoding/json"

	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// JSONNode is a stack in the JSON form of a tree, and in the custom request stackscope/stacks.
type JSONNode struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`  // "#3 $generator"
	Title string `json:"title"` // with its state
	State string `json:"state"`
	Doing string `json:"doing"` // in the words of its design: "dismounted with $value at gen.wat:21"
	// In the words of its design: what resumed or mounted, holds and created it.
	Details   []string       `json:"details,omitempty"`
	Dialect   string         `json:"dialect,omitempty"`
	Rooted    bool           `json:"rooted,omitempty"`
	Function  string         `json:"function,omitempty"` // of the top frame
	Tag       string         `json:"tag,omitempty"`
	At        *snapshot.Site `json:"at,omitempty"`
	Frames    int            `json:"frames"`
	Resumes   uint64         `json:"resumes"`
	ResumedBy int            `json:"resumedBy,omitempty"`
	ResumedAt *snapshot.Site `json:"resumedAt,omitempty"`
	// The stack that switched to this one since it was resumed, the position of that switch, and
	// the stack that a suspended one switched to, as far as the history records it.
	SwitchedBy int               `json:"switchedBy,omitempty"`
	SwitchedAt *snapshot.Site    `json:"switchedAt,omitempty"`
	SwitchedTo int               `json:"switchedTo,omitempty"`
	CreatedBy  int               `json:"createdBy,omitempty"`
	CreatedAt  *snapshot.Site    `json:"createdAt,omitempty"`
	HeldBy     []snapshot.Holder `json:"heldBy,omitempty"`
	// The stack that manages it, how many it manages itself, and the place in line where it stands.
	ManagedBy int              `json:"managedBy,omitempty"`
	Manages   int              `json:"manages,omitempty"`
	Queue     *snapshot.Queue  `json:"queue,omitempty"`
	Unlisted  []snapshot.Count `json:"unlisted,omitempty"` // of those that it manages
	// The modules whose frames a captured segment holds, if there are several.
	Modules  []snapshot.ModuleFrames `json:"modules,omitempty"`
	End      *EndJSON                `json:"end,omitempty"`     // of a stack that has ended: how
	Awaits   string                  `json:"awaits,omitempty"`  // the promise that it waits for
	Pending  *snapshot.Pending       `json:"pending,omitempty"` // the event that has arrived and was not taken yet
	Children []*JSONNode             `json:"children,omitempty"`
	// ChildCount is the number of children of a stack whose children are not listed.
	ChildCount int `json:"childCount,omitempty"`
}

// EndJSON is the end of a stack in the JSON forms.
type EndJSON struct {
	*snapshot.End
	At   *snapshot.Site `json:"at,omitempty"`
	Text string         `json:"text"` // in the words of the dialect: "released by #1 at main.wat:30"
}

// end returns the JSON form of the end of a stack of a dialect; nil for none.
func end(e *snapshot.End, d wasm.Dialect) *EndJSON {
	if e == nil {
		return nil
	}
	return &EndJSON{e, site(e.At), e.Text(d)}
}

// JSONTree is the JSON form of a tree.
type JSONTree struct {
	Running int         `json:"running,omitempty"`
	Stacks  []*JSONNode `json:"stacks"`
	Omitted int         `json:"omitted,omitempty"`
	// Of the stacks that are left out, some that nobody manages.
	Unlisted []snapshot.Count `json:"unlisted,omitempty"`
	Finished int              `json:"finished,omitempty"`
	// Ended are the stacks that have ended and that something still refers to, as far as these were
	// looked for; EndedPartial reports that there may be more.
	Ended        []*JSONNode `json:"ended,omitempty"`
	EndedPartial bool        `json:"endedPartial,omitempty"`
}

func site(s snapshot.Site) *snapshot.Site {
	if s.IsZero() {
		return nil
	}
	return &s
}

// Value returns the value that JSON writes.
func (t *Tree) Value() *JSONTree {
	var conv func(ns []*Node) []*JSONNode
	conv = func(ns []*Node) []*JSONNode {
		out := make([]*JSONNode, 0, len(ns))
		for _, n := range ns {
			j := &JSONNode{
				ID: int(n.ID), Name: n.Name(), Title: n.Title(), State: n.State.String(),
				Doing: n.Doing(), Details: n.Details(),
				Dialect: n.Dialect.String(), Rooted: n.Rooted, Function: n.Func, Tag: n.Tag, At: site(n.At),
				Frames: n.Depth, Resumes: n.Resumes, ResumedBy: int(n.Parent), ResumedAt: site(n.ParentAt),
				CreatedBy: int(n.Creator), CreatedAt: site(n.CreatedAt), HeldBy: n.HeldBy, Modules: n.Modules,
				SwitchedBy: int(n.SwitchedBy), SwitchedAt: site(n.SwitchedAt), SwitchedTo: int(n.SwitchedTo),
				End: end(n.End, n.Dialect), Pending: n.Pending, Awaits: n.Awaits,
				ManagedBy: int(n.Manager), Manages: n.Manages, Queue: n.Queue, Unlisted: n.Unlisted,
			}
			if len(n.Children) > 0 {
				j.Children = conv(n.Children)
			}
			out = append(out, j)
		}
		return out
	}
	out := &JSONTree{
		Running: int(t.Running), Stacks: conv(t.Roots), Omitted: t.Omitted, Finished: t.Finished,
		EndedPartial: t.EndedPartial, Unlisted: t.Unlisted,
	}
	if len(t.Ended) > 0 {
		out.Ended = conv(t.Ended)
	}
	return out
}

// JSON returns the tree as indented JSON.
func (t *Tree) JSON() string {
	b, err := json.MarshalIndent(t.Value(), "", "  ")
	if err != nil { // values of these types always marshal
		return "{}\n"
	}
	return string(b) + "\n"
}
