package debug

import (
	"fmt"
	"sort"
	"strings"

	"stackscope/vm"
)

// Query asks for some of the stacks. What is empty does not narrow.
type Query struct {
	State    string  // new, suspended, running, waiting
	Tag      string  // that they were suspended with, with or without `$`
	Function string  // base function, or the function that they stand in
	Site     string  // `file:line`, or the line alone, where they stand
	Text     string  // part of the title, whatever its case
	Children StackID // those that this stack resumed and waits for
	Roots    bool    // those that no other stack waits for
	Start    int     // leave out so many
	Max      int     // give at most so many; 0: all
	Holders  bool
	Group    string // count them by state, tag, function or site instead of listing them
}

// Group is what stacks have in common, and how many of them there are.
type Group struct {
	Key   string  `json:"key"`
	Count int     `json:"count"`
	First StackID `json:"first"` // one of them
}

// Answer is what a query gives.
type Answer struct {
	Snapshot
	Total    int // how many stacks there are that the query asks for
	Groups   []Group
	Children map[StackID]int // how many stacks hang below each that is listed
}

// standing is where a stack stands, in what can be compared without being described.
type standing struct {
	state vm.StackState
	tag   *vm.Tag
	base  *vm.Func
	at    vm.Site
}

func standsAt(st *vm.Stack) standing {
	site, tag := st.Site()
	s := standing{st.State(), tag, st.BaseFunc(), site}
	if s.state == vm.StackNew {
		s.at = vm.Site{Func: s.base, PC: -1}
	}
	if s.state != vm.StackSuspended {
		s.tag = nil
	}
	return s
}

// Query finds stacks. It must be called inside Do. Stacks that stand at the same place are described
// once: a query takes a fraction of a microsecond for each stack that there is.
func (e *Engine) Query(q Query) *Answer {
	all := e.all()
	if e.heads == nil {
		e.heads = make(map[*vm.Stack]int)
		for i := range all {
			if p := all[i].Parent(); p != nil {
				e.heads[p]++
			}
		}
	}
	out := &Answer{Children: map[StackID]int{}}
	wanted := map[standing]bool{}
	keys := map[standing]string{}
	groups := map[string]*Group{}
	var page []vm.LiveStack
	var at standing
	ok := false
	for i := range all {
		st := all[i].Stack
		if st.State() == vm.StackRunning {
			out.Running = StackID(st.ID())
		}
		p := st.Parent()
		if q.Roots && p != nil || q.Children != 0 && (p == nil || StackID(p.ID()) != q.Children) {
			continue
		}
		if now := standsAt(st); i == 0 || now != at { // neighbours often stand at the same place
			at = now
			known := false
			if ok, known = wanted[at]; !known {
				s := e.Stack(st)
				ok = e.matches(q, &s)
				wanted[at] = ok
			}
		}
		if !ok || q.Text != "" && !e.hasText(q.Text, st) {
			continue
		}
		out.Total++
		if q.Group != "" {
			k, ok := keys[at]
			if !ok {
				s := e.Stack(st)
				k = groupKey(q.Group, &s)
				keys[at] = k
			}
			if groups[k] == nil {
				groups[k] = &Group{Key: k, First: StackID(st.ID())}
			}
			groups[k].Count++
			continue
		}
		if out.Total > q.Start && (q.Max == 0 || len(page) < q.Max) {
			page = append(page, all[i])
		}
	}
	out.Snapshot.Stacks = e.snapshot(page, 0, 0, q.Holders, nil).Stacks
	for i := range page {
		if n := e.heads[page[i].Stack]; n > 0 {
			out.Children[StackID(page[i].ID())] = n
		}
	}
	if q.Group == "" {
		out.Omitted = out.Total - len(out.Stacks)
	}
	for _, g := range groups {
		out.Groups = append(out.Groups, *g)
	}
	sort.Slice(out.Groups, func(i, j int) bool {
		a, b := out.Groups[i], out.Groups[j]
		if a.Count != b.Count {
			return a.Count > b.Count
		}
		return a.Key < b.Key
	})
	return out
}

// matches tells whether a query asks for stacks that stand where one stands.
func (e *Engine) matches(q Query, s *Stack) bool {
	name := func(want, have string) bool {
		return want == "" || strings.Trim(strings.TrimPrefix(have, "$"), `"`) == strings.Trim(strings.TrimPrefix(want, "$"), `"`)
	}
	switch {
	case q.State != "" && s.State.String() != q.State:
	case q.Tag != "" && !name(q.Tag, s.Tag):
	case q.Function != "" && !name(q.Function, s.Base) && !name(q.Function, s.Func):
	case q.Site != "" && s.At.Short() != q.Site && fmt.Sprint(s.At.Line) != q.Site:
	default:
		return true
	}
	return false
}

func (e *Engine) hasText(text string, st *vm.Stack) bool {
	s := e.Stack(st)
	return strings.Contains(strings.ToLower(s.Title()), strings.ToLower(text))
}

// groupKey gives what a stack has in common with others.
func groupKey(by string, s *Stack) string {
	switch by {
	case "state":
		return s.State.String()
	case "tag":
		if s.Tag == "" {
			return "no tag"
		}
		return s.Tag
	case "function":
		return s.Base
	}
	return s.Base + " · " + s.Doing()
}

// Groupings lists what a query can group by.
func Groupings() []string { return []string{"state", "tag", "function", "site"} }
