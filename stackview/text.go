package stackview

import (
	"fmt"
	"strings"

	"stackscope/vm/debugger/snapshot"
)

// Style selects the colours of text; the zero Style has none.
type Style struct{ Color bool }

func (s Style) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

var stateColors = [...]string{
	snapshot.New: "36", snapshot.Suspended: "33", snapshot.Running: "32;1", snapshot.Waiting: "34",
	snapshot.Moribund: "2",
}

// Text renders the tree with one line for each stack and a second one for its origin and holders.
//
//	#1 main · waiting for #3 · gen.wat:30
//	└─ #3 $generator · running · gen.wat:12
//	      resumed by #1 at gen.wat:30 · created by #1 at gen.wat:28
//	#4 $task · suspended at $yield gen.wat:21
//	   held by table $queue[2] · created by #1 at gen.wat:44
func (t *Tree) Text(s Style) string {
	var b strings.Builder
	if len(t.Roots) == 0 {
		b.WriteString("no stacks\n")
	}
	depth := 0
	var walk func(ns []*Node, indent string, nested bool)
	walk = func(ns []*Node, indent string, nested bool) {
		depth++
		defer func() { depth-- }()
		if next, left := skip(ns, depth); left > 0 {
			fmt.Fprintf(&b, "%s… %d more stacks, each below the one before\n", indent, left)
			ns = next
		}
		for i, n := range ns {
			branch, below := "", indent
			if nested {
				branch, below = "├─ ", indent+"│  "
				if i == len(ns)-1 {
					branch, below = "└─ ", indent+"   "
				}
			}
			fmt.Fprintf(&b, "%s%s%s\n", indent, branch, headline(n, s))
			if d := details(n); d != "" {
				bar := "   "
				if len(n.Children) > 0 {
					bar = "│  "
				}
				fmt.Fprintf(&b, "%s%s%s\n", below, bar, s.paint("2", d))
			}
			walk(n.Children, below, true)
			if len(n.Unlisted) > 0 {
				fmt.Fprintf(&b, "%s… also %s\n", below, snapshot.Counts(n.Unlisted))
			}
		}
	}
	walk(t.Roots, "", false)
	if len(t.Unlisted) > 0 {
		fmt.Fprintf(&b, "… also %s\n", snapshot.Counts(t.Unlisted))
	}
	if t.Omitted > 0 {
		fmt.Fprintf(&b, "… %d more %s\n", t.Omitted, plural(t.Omitted, "stack"))
	}
	for i, n := range t.Ended {
		if i == 0 {
			b.WriteString("ended, and still referred to:\n")
		}
		if i == maxEndedLines {
			fmt.Fprintf(&b, "… %d more that have ended\n", len(t.Ended)-i)
			break
		}
		fmt.Fprintf(&b, "%s\n", headline(n, s))
		if len(n.HeldBy) > 0 {
			fmt.Fprintf(&b, "   %s\n", s.paint("2", details(n)))
		}
	}
	if t.EndedPartial {
		b.WriteString("… there may be more that have ended: not everything was looked at\n")
	}
	if t.Finished > 0 {
		fmt.Fprintf(&b, "%d finished %s\n", t.Finished, plural(t.Finished, "stack"))
	}
	return b.String()
}

// maxEndedLines bounds how many stacks that have ended the text of a tree lists.
const maxEndedLines = 20

// skip shortens a long chain that continues with ns, so that a tree is not thousands of levels
// deep. It returns the nodes after those that it omits, and the number of these.
func skip(ns []*Node, depth int) ([]*Node, int) {
	const first, last = 40, 10
	if depth <= first {
		return ns, 0
	}
	n := 0
	for at := ns; len(at) == 1; at = at[0].Children {
		n++
	}
	if n <= 2*last {
		return ns, 0
	}
	n -= last
	for range n {
		ns = ns[0].Children
	}
	return ns, n
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// headline returns the first line of a stack: its name, state and position.
func headline(n *Node, s Style) string {
	t := s.paint("1", n.Name()) + " · " + s.paint(stateColors[n.State], n.Doing())
	if n.State != snapshot.Suspended && n.State != snapshot.New && n.Awaits == "" && !n.At.IsZero() {
		t += " · "
		if n.Func != "" && n.Func != n.Base {
			t += n.Func + " "
		}
		t += n.At.Short()
	}
	if n.Manages > 0 {
		t += " · manages " + n.managed()
	}
	return t
}

// placed writes a place: " at main.wat:12"; "" if there is none to show.
func placed(s snapshot.Site) string {
	if s.IsZero() {
		return ""
	}
	return " at " + s.Short()
}

// managed counts the stacks that a stack manages, in the words of their design.
func (n *Node) managed() string {
	one, many := "stack", "stacks"
	for i, c := range n.Children {
		switch w := c.Words(); {
		case i == 0:
			one, many = w.Noun, w.Plural
		case many != w.Plural:
			one, many = "stack", "stacks"
		}
	}
	if n.Manages == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n.Manages, many)
}

// details returns the second line of a stack.
func details(n *Node) string { return strings.Join(n.Details(), " · ") }

// Details returns what there is to know of a stack besides its name and what it does, in the words
// of its design: what resumed or mounted, holds and created it.
func (n *Node) Details() []string {
	var d []string
	w := n.Words()
	if n.SwitchedBy != 0 {
		d = append(d, fmt.Sprintf("%s #%d at %s", w.SwitchBy, n.SwitchedBy, n.SwitchedAt.Short()))
	}
	switch {
	case n.Parent != 0 && n.SwitchedBy != 0:
		d = append(d, fmt.Sprintf("%s #%d%s", w.Parent, n.Parent, placed(n.ParentAt)))
	case n.Parent != 0:
		d = append(d, fmt.Sprintf("%s #%d%s", w.Linked, n.Parent, placed(n.ParentAt)))
	}
	if n.Queue != nil {
		d = append(d, n.Queue.String())
	}
	if len(n.HeldBy) > 0 {
		d = append(d, "held by "+Holders(n.HeldBy, 3))
	}
	if len(n.Modules) > 0 {
		d = append(d, "frames of "+snapshot.ModuleList(n.Modules))
	}
	if n.Creator != 0 {
		d = append(d, fmt.Sprintf("created by #%d%s", n.Creator, placed(n.CreatedAt)))
	}
	return d
}

// Holders lists at most limit holders.
func Holders(hs []snapshot.Holder, limit int) string {
	var out []string
	for i, h := range hs {
		if i == limit {
			out = append(out, fmt.Sprintf("%d more", len(hs)-limit))
			break
		}
		out = append(out, h.String())
	}
	return strings.Join(out, ", ")
}
