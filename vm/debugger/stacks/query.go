package stacks

import (
	"bytes"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
)

// Query asks for some of the stacks. What is empty does not narrow.
type Query struct {
	State    string           // new, suspended, running, waiting
	Tag      string           // that they were suspended with, with or without `$`
	Function string           // base function, or the function that they stand in
	Site     string           // `file:line`, or the line alone, where they stand
	Text     string           // part of the title, whatever its case
	Children snapshot.StackID // those that this stack waits for
	Roots    bool             // those that no other stack waits for
	Start    int              // leave out so many
	Max      int              // give at most so many; 0: all
	Holders  bool
	Group    string      // count them by state, tag, function or site instead of listing them
	Cursor   int         // where to go on: Next of an answer, since when nothing has run
	Exact    bool        // look at all stacks
	Stop     func() bool // asked now and then: whether nobody waits for the answer any more; may be nil
}

// lookAt is how many stacks an answer looks at that is not to be exact.
const lookAt = ExactUpTo

// Group is what stacks have in common, and how many of them there are.
type Group struct {
	Key   string           `json:"key"`
	Count int              `json:"count"`
	First snapshot.StackID `json:"first"` // one of them
}

// Answer is what a query returns.
type Answer struct {
	Page
	// how many stacks there are that the query asks for; of a partial answer, among those that it
	// has looked at
	Total    int
	Groups   []Group
	Children map[snapshot.StackID]int // how many stacks hang below each that is listed
}

// standing is where a stack stands, in what can be compared without being described.
type standing struct {
	state  vm.StackState
	rooted bool
	tag    *vm.Tag
	base   *vm.Func
	at     vm.Site
	source symbols.Standing
}

func (ss *Stacks) standsAt(st *vm.Stack) standing {
	site, tag := st.Site()
	s := standing{state: st.State(), rooted: st.Rooted(), tag: tag, base: st.BaseFunc(), at: site}
	s.source, _ = ss.sym.Standing(st)
	if s.state == vm.StackNew {
		s.at = vm.Site{Func: s.base, PC: -1}
	}
	if s.state != vm.StackSuspended {
		s.tag = nil
	}
	return s
}

// kind is what a query has of the stacks that stand at the same place.
type kind struct {
	wanted bool
	group  string
	doing  string // the title after the id, in small letters
	exact  bool   // the titles of these stacks differ: they name whom each switched to
}

// Query finds stacks. It must be called inside Do. Stacks that stand at the same place are
// described once: a query takes a fraction of a microsecond for each stack that it looks at. Those
// are all stacks, if there are few, if the answer is to be exact, or stacks are left out by their
// number; else so many that it does not take long. The error is ErrCancelled.
func (ss *Stacks) Query(q Query) (*Answer, error) {
	q.Text = strings.ToLower(q.Text)
	out := &Answer{Children: map[snapshot.StackID]int{}}
	if run := ss.mach.Running(); run != nil {
		out.Running = snapshot.StackID(run.ID())
	}
	c := cursor{at: q.Cursor, left: math.MaxInt}
	switch {
	case q.Children != 0: // they are found together with it
		if ss.Find(q.Children) == nil {
			return out, nil
		}
		c.list = ss.walk().found
	case q.Exact, q.Start > 0, ss.Few():
		all, ok := ss.allUnless(q.Stop)
		if !ok {
			return nil, ErrCancelled
		}
		c.list = all
	default:
		c.walk, c.left = ss.walk(), lookAt
	}
	kinds := map[standing]*kind{}
	groups := map[string]*Group{}
	var page []vm.LiveStack
	var at standing
	var k *kind
	first := c.at
	for {
		l := c.next()
		if l == nil {
			break
		}
		if c.at%walkPart == 0 && q.Stop != nil && q.Stop() {
			return nil, ErrCancelled
		}
		st := l.Stack
		p := st.Parent()
		if q.Roots && p != nil || q.Children != 0 && (p == nil || snapshot.StackID(p.ID()) != q.Children) {
			continue
		}
		if now := ss.standsAt(st); k == nil || now != at { // neighbours often stand at the same place
			at = now
			if k = kinds[at]; k == nil {
				k = ss.kindOf(q, st)
				kinds[at] = k
			}
		}
		if !k.wanted || q.Text != "" && !k.hasText(ss, q.Text, st) {
			continue
		}
		out.Total++
		switch {
		case q.Group != "":
			g := groups[k.group]
			if g == nil {
				g = &Group{Key: k.group, First: snapshot.StackID(st.ID())}
				groups[k.group] = g
			}
			g.Count++
		case out.Total <= q.Start:
		case q.Max == 0 || len(page) < q.Max:
			page = append(page, *l)
			out.Next = c.at
		}
	}
	out.Stacks = ss.sym.SnapshotOf(page, 0, 0, q.Holders, nil).Stacks
	for i := range page {
		if n := ss.seen.below[page[i].Stack]; n > 0 {
			out.Children[snapshot.StackID(page[i].ID())] = n
		}
	}
	more := c.more()
	if out.Partial = first > 0 || more; out.Partial {
		out.Alive = ss.mach.Count()
	}
	if q.Group == "" {
		out.Omitted = out.Total - len(out.Stacks)
	}
	switch behind := q.Group == "" && out.Total > q.Start+len(page); {
	case q.Start > 0, !behind && !more:
		out.Next = 0
	case !behind:
		out.Next = c.at
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
	return out, nil
}

// cursor goes through stacks.
type cursor struct {
	list []vm.LiveStack // all of them; or
	walk *heapWalk      // they are found on the way
	at   int            // the next one
	left int            // how many may still be looked at
}

// next returns the next stack; nil if there is none.
func (c *cursor) next() *vm.LiveStack {
	if c.left <= 0 {
		return nil
	}
	if c.walk != nil {
		for c.at >= len(c.walk.found) && c.walk.more && c.left > 0 {
			n := len(c.walk.found)
			if c.walk.part(); len(c.walk.found) == n {
				c.left -= walkPart // nothing but other objects
			}
		}
		c.list = c.walk.found
	}
	if c.at >= len(c.list) {
		return nil
	}
	c.at++
	c.left--
	return &c.list[c.at-1]
}

// more reports whether there may be stacks after.
func (c *cursor) more() bool { return c.at < len(c.list) || c.walk != nil && c.walk.more }

// kindOf describes where a stack stands, for a query.
func (ss *Stacks) kindOf(q Query, st *vm.Stack) *kind {
	s := ss.sym.Stack(st)
	k := &kind{wanted: q.matches(&s)}
	if k.wanted && q.Group != "" {
		k.group = groupKey(q.Group, &s)
	}
	if k.wanted && q.Text != "" {
		k.doing, k.exact = strings.ToLower(" "+s.Place()), s.Switched
	}
	return k
}

// hasText reports whether the title of a stack of the kind has a text.
func (k *kind) hasText(ss *Stacks, text string, st *vm.Stack) bool {
	if k.exact {
		if _, out := ss.switches(snapshot.StackID(st.ID())); out.Other != 0 {
			s := ss.sym.Stack(st)
			return strings.Contains(strings.ToLower(s.Title()), text)
		}
	}
	title := append(strconv.AppendUint(append(make([]byte, 0, 128), '#'), uint64(st.ID()), 10), k.doing...)
	return bytes.Contains(title, []byte(text))
}

// matches reports whether a query asks for stacks that stand where one stands.
func (q *Query) matches(s *snapshot.Stack) bool {
	name := func(want, have string) bool {
		return want == "" ||
			strings.Trim(strings.TrimPrefix(have, "$"), `"`) == strings.Trim(strings.TrimPrefix(want, "$"), `"`)
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

// groupKey returns what a stack has in common with others.
func groupKey(by string, s *snapshot.Stack) string {
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
	return s.Place()
}

// Groupings lists what a query can group by.
func Groupings() []string { return []string{"state", "tag", "function", "site"} }
