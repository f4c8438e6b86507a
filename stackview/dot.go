package stackview

import (
	"fmt"
	"strings"

	"stackscope/stackview/diagram"
	"stackscope/vm/debugger/snapshot"
)

var fillColors = [...]string{
	snapshot.New: "#e0f2f1", snapshot.Suspended: "#fff3cd", snapshot.Running: "#c8e6c9",
	snapshot.Waiting: "#d6e4f5", snapshot.Moribund: "#eeeeee",
}

// DOT renders the tree for Graphviz: solid edges from parent to child, dotted ones from creator
// to created.
func (t *Tree) DOT() string {
	var b strings.Builder
	b.WriteString("digraph stacks {\n  rankdir=TB;\n  node [shape=box style=\"rounded,filled\" fontname=\"monospace\"];\n")
	listed := map[snapshot.StackID]bool{}
	t.Walk(func(n *Node, _ int) bool { listed[n.ID] = true; return true })
	t.Walk(func(n *Node, _ int) bool {
		label := []string{n.Name(), n.Doing()}
		if n.State != snapshot.Suspended && !n.At.IsZero() {
			label = append(label, n.At.Short())
		}
		if len(n.HeldBy) > 0 {
			label = append(label, "held by "+Holders(n.HeldBy, 2))
		}
		fmt.Fprintf(&b, "  s%d [label=%s fillcolor=%q];\n", n.ID, diagram.Quote(strings.Join(label, "\n")),
			fillColors[n.State])
		switch {
		case n.Up != n.Parent && listed[n.Up]:
			fmt.Fprintf(&b, "  s%d -> s%d;\n", n.Up, n.ID)
		case listed[n.Up]:
			fmt.Fprintf(&b, "  s%d -> s%d [label=%s];\n", n.Parent, n.ID, diagram.Quote(n.ParentAt.Short()))
		}
		if n.Creator != n.Up && listed[n.Creator] {
			fmt.Fprintf(
				&b, "  s%d -> s%d [style=dotted label=%s];\n", n.Creator, n.ID, diagram.Quote(n.CreatedAt.Short()),
			)
		}
		return true
	})
	b.WriteString("}\n")
	return b.String()
}
