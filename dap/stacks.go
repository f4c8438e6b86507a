package dap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/stackview"
	engine "stackscope/vm/debugger"
	"stackscope/vm/debugger/stacks"
)

// stacksArguments are those of the custom request stackscope/stacks. Without any of those after
// Holders the answer is the tree of the stacks within the limit; with one of them it is a flat page
// of those that are asked for, by id.
type stacksArguments struct {
	Max      int    `json:"max"`    // at most so many stacks; 0: maxThreads
	Start    int    `json:"start"`  // skip so many; in the tree, those outside the running chain
	Cursor   int    `json:"cursor"` // go on there: `next` of the answer before
	Exact    *bool  `json:"exact"`  // look at all stacks, however long it takes; by default for groups only
	Holders  *bool  `json:"holders"`
	Ended    *bool  `json:"ended"`    // also those that have ended; by default with the first page of the tree
	Roots    bool   `json:"roots"`    // stacks that no other one waits for
	Children int    `json:"children"` // stacks that this one waits for
	State    string `json:"state"`    // new, suspended, running, waiting
	Tag      string `json:"tag"`
	Function string `json:"function"`
	Site     string `json:"site"` // `file:line` or a line
	Text     string `json:"text"` // part of the title
	Group    string `json:"group"`
	By       string `json:"by"` // "scheduler": a tree in which each stack is below the one that manages it
}

// stacksBody is the answer to stackscope/stacks, with the sources that a client can open.
type stacksBody struct {
	*stackview.JSONTree
	Groups  []engine.Group           `json:"groups,omitempty"`
	Sources map[string]*godap.Source `json:"sources"` // by the file names of sites
	Total   int                      `json:"total"`   // how many stacks there are that were asked for
	// Of very many stacks an answer looks at some only. What it counts is then true of those, and
	// Alive is how many there are at most. The next page begins at the cursor Next.
	Partial bool `json:"partial,omitempty"`
	Alive   int  `json:"alive,omitempty"`
	Next    int  `json:"next,omitempty"`
}

func (a *stacksArguments) narrows() bool {
	return a.Roots || a.Children != 0 || a.State != "" || a.Tag != "" || a.Function != "" || a.Site != "" ||
		a.Text != "" ||
		a.Group != ""
}

// wantsEnded reports whether the stacks that have ended are asked for.
func (a *stacksArguments) wantsEnded() bool {
	if a.Ended != nil {
		return *a.Ended
	}
	return !a.narrows() && a.Start <= 0 && a.Cursor <= 0 && (a.Holders == nil || *a.Holders)
}

// onStacks is the custom request stackscope/stacks: the tree of stacks, a page of some of them, or
// how many there are of each kind.
func (ts *threads) onStacks(a *stacksArguments) (any, error) {
	e, err := ts.prog.engine()
	switch {
	case err != nil:
		return nil, err
	case a.Group != "" && !slices.Contains(stacks.Groupings(), a.Group):
		return nil, fmt.Errorf("cannot group stacks by %q: want %s", a.Group, strings.Join(stacks.Groupings(), ", "))
	case a.By != "" && a.By != "parent" && a.By != "scheduler":
		return nil, fmt.Errorf("cannot order stacks by %q: want parent or scheduler", a.By)
	case a.By == "scheduler" && a.narrows():
		return nil, errors.New("a tree by scheduler cannot be filtered")
	case ts.prog.phase == phaseEnded:
		return stacksBody{
			JSONTree: &stackview.JSONTree{Stacks: []*stackview.JSONNode{}},
			Sources:  map[string]*godap.Source{},
		}, nil
	}
	limit := ts.prog.launch.MaxThreads
	if a.Max > 0 {
		limit = a.Max
	}
	holders := a.Holders == nil || *a.Holders
	exact := a.Group != ""
	if a.Exact != nil {
		exact = *a.Exact
	}
	out := stacksBody{Sources: map[string]*godap.Source{}}
	ctx := ts.prog.cancels.ctx
	stop := func() bool { return ctx.Err() != nil }
	var failed error
	err = e.Do(func() {
		if a.By == "scheduler" {
			snap, err := e.Stacks.Schedulers(limit, stop)
			if failed = err; err == nil {
				out.JSONTree, out.Total = stackview.ByScheduler(snap).Value(), len(snap.Stacks)+snap.Omitted
			}
			return
		}
		if !a.narrows() {
			page, err := e.Stacks.Page(max(a.Start, a.Cursor, 0), limit, holders, exact, ts.pinned, stop)
			if failed = err; err == nil {
				if a.wantsEnded() {
					page.Ended, page.EndedPartial = e.Stacks.Ended()
				}
				out.JSONTree, out.Total = stackview.New(&page.Snapshot).Value(), len(page.Stacks)+page.Omitted
				out.Partial, out.Alive, out.Next = page.Partial, page.Alive, page.Next
			}
			return
		}
		found, err := e.Stacks.Query(engine.Query{
			State: a.State, Tag: a.Tag, Function: a.Function, Site: a.Site, Text: a.Text, Group: a.Group,
			Roots:    a.Roots,
			Children: engine.StackID(a.Children), Start: max(a.Start, 0), Max: limit, Holders: holders,
			Cursor: max(a.Cursor, 0), Exact: exact, Stop: stop,
		})
		if failed = err; err != nil {
			return
		}
		if a.wantsEnded() {
			found.Ended, found.EndedPartial = e.Stacks.Ended()
		}
		out.JSONTree, out.Total, out.Groups = stackview.Flat(&found.Snapshot).Value(), found.Total, found.Groups
		out.Partial, out.Alive, out.Next = found.Partial, found.Alive, found.Next
		for _, n := range out.Stacks {
			n.ChildCount = found.Children[engine.StackID(n.ID)]
		}
	})
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	for i, u := range ts.prog.units() {
		out.Sources[u.File.Name] = ts.src.of(i)
	}
	ts.addSources(out.Sources, out.JSONTree)
	return out, nil
}

// addSources adds the files of source that the sites of a tree are in.
func (ts *threads) addSources(to map[string]*godap.Source, tree *stackview.JSONTree) {
	if tree == nil {
		return
	}
	add := func(at *engine.Site) {
		if at == nil || at.File == "" {
			return
		}
		if _, ok := to[at.File]; ok {
			return
		}
		if f := ts.src.named(at.File); f != nil {
			if src := ts.src.external(f); src != nil {
				to[at.File] = src
			}
		}
	}
	var walk func(ns []*stackview.JSONNode)
	walk = func(ns []*stackview.JSONNode) {
		for _, n := range ns {
			for _, at := range []*engine.Site{n.At, n.ResumedAt, n.SwitchedAt, n.CreatedAt} {
				add(at)
			}
			walk(n.Children)
		}
	}
	walk(tree.Stacks)
	walk(tree.Ended)
}
