// Package diagram draws state machines: as text, Mermaid, DOT and SVG. A Diagram is a plain value
// whose strings come from whoever made it; nothing in it has to be safe for a format.
package diagram

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is what a state is, which decides its color.
type Kind string

// The kinds.
const (
	Start     Kind = "start"     // nothing has run yet
	Suspended Kind = "suspended" // another stack has to resume it
	Waiting   Kind = "waiting"   // it waits for a stack that it resumed
	End       Kind = "end"       // nothing comes after it
)

// Node is a state.
type Node struct {
	Label string `json:"label"`
	Kind  Kind   `json:"kind"`
	// Note is added to the label where there is room: a place in the text, say.
	Note string `json:"note,omitempty"`
}

// Edge is a transition. From and To are indices of nodes.
type Edge struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Label string `json:"label"`
}

// Diagram is a state machine. The first node is where it begins.
type Diagram struct {
	Title string `json:"title"`
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
	// Notes are said below it, one on a line.
	Notes []string `json:"notes,omitempty"`
}

// ways are the edges from a node with those to one node together, in the order of the edges.
func (d *Diagram) ways(from int) []Edge {
	var out []Edge
next:
	for _, e := range d.Edges {
		if e.From != from {
			continue
		}
		for i := range out {
			if out[i].To == e.To {
				out[i].Label += ", " + e.Label
				continue next
			}
		}
		out = append(out, e)
	}
	return out
}

// Text writes a line for each state: its number and label, and what leads to which states. At most
// most lines are written, then `…`; 0 is no bound.
func (d *Diagram) Text(most int) string {
	lines := make([]string, 0, len(d.Nodes)+len(d.Notes))
	width := 0
	for i, n := range d.Nodes {
		width = max(width, utf8.RuneCountInString(number(i)+n.Label))
	}
	for i, n := range d.Nodes {
		l := number(i) + n.Label
		if w := d.takes(i); w != "" {
			l += strings.Repeat(" ", width-utf8.RuneCountInString(l)) + "  " + w
		}
		lines = append(lines, l)
	}
	lines = append(lines, d.Notes...)
	if most > 0 && len(lines) > most {
		lines = append(lines[:most-1], "…")
	}
	return strings.Join(lines, "\n") + "\n"
}

// takes writes what leads from a state to others, those that lead to the same ones together.
func (d *Diagram) takes(from int) string {
	var labels []string
	to := map[string][]int{}
	for _, e := range d.Edges {
		if e.From != from {
			continue
		}
		if to[e.Label] == nil {
			labels = append(labels, e.Label)
		}
		to[e.Label] = append(to[e.Label], e.To)
	}
	var out []string
	for _, l := range labels {
		slices.Sort(to[l])
		line := l + " →"
		for _, k := range to[l] {
			line += " " + strconv.Itoa(k)
		}
		out = append(out, line)
	}
	return strings.Join(out, " · ")
}

func number(i int) string { return strconv.Itoa(i) + " " }

// Mermaid writes a state diagram of Mermaid.
func (d *Diagram) Mermaid() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	for i, n := range d.Nodes {
		fmt.Fprintf(&b, "    s%d: %s\n", i, mermaidText(n.Label))
	}
	if len(d.Nodes) > 0 {
		b.WriteString("    [*] --> s0\n")
	}
	for i, n := range d.Nodes {
		for _, e := range d.ways(i) {
			fmt.Fprintf(&b, "    s%d --> s%d: %s\n", e.From, e.To, mermaidText(e.Label))
		}
		if n.Kind == End {
			fmt.Fprintf(&b, "    s%d --> [*]\n", i)
		}
	}
	for _, n := range d.Notes {
		b.WriteString("    %% " + oneLine(n) + "\n")
	}
	return b.String()
}

// mermaidText returns a text that Mermaid shows as it is: its entities stand for what has a meaning.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		switch r {
		case ':', ';', '#', '"', '<', '>', '{', '}', '[', ']', '%', '`', '\\', '&':
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

var fills = map[Kind]string{Start: "#e0f2f1", Suspended: "#fff3cd", Waiting: "#d6e4f5", End: "#eeeeee"}

// DOT writes a graph for Graphviz.
func (d *Diagram) DOT() string {
	var b strings.Builder
	title := strings.Join(append([]string{d.Title}, d.Notes...), "\n")
	b.WriteString("digraph protocol {\n  rankdir=TB;\n  label=" + Quote(title) +
		";\n  node [shape=box style=\"rounded,filled\" fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n")
	for i, n := range d.Nodes {
		label := n.Label
		if n.Note != "" {
			label += "\n" + n.Note
		}
		fmt.Fprintf(&b, "  s%d [label=%s fillcolor=%q];\n", i, Quote(label), fills[n.Kind])
	}
	for i := range d.Nodes {
		for _, e := range d.ways(i) {
			fmt.Fprintf(&b, "  s%d -> s%d [label=%s];\n", e.From, e.To, Quote(e.Label))
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// Quote returns a text as a string of DOT.
func Quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// Sizes of the drawing, in user units: a character of the 12-unit monospace font is about 7.3 wide.
const (
	charWidth = 7.3
	boxPad    = 10.0
	lineStep  = 16.0
	rowGap    = 18.0
	portStep  = 13.0
	laneStep  = 14.0
	margin    = 12.0
)

// SVG draws the machine: the states one below the other, transitions down on their right, transitions
// up and to the same state on their left. It has no script, and colors that suit dark and light.
func (d *Diagram) SVG() string {
	// An edge has a lane of its own; its label stands at its source. The labels of the left side
	// stand left of the lanes.
	var left, right []Edge
	leftText, rightText := 0.0, 0.0
	ends := [2][]int{make([]int, len(d.Nodes)), make([]int, len(d.Nodes))} // of edges, by side and box
	for i := range d.Nodes {
		for _, e := range d.ways(i) {
			t := charWidth * float64(utf8.RuneCountInString(e.Label))
			side := 0
			if e.To > e.From {
				right, rightText = append(right, e), max(rightText, t)
				side = 1
			} else {
				left, leftText = append(left, e), max(leftText, t)
			}
			ends[side][e.From]++
			ends[side][e.To]++
		}
	}
	type box struct{ y, h float64 }
	boxes := make([]box, len(d.Nodes))
	y, w := margin+lineStep+8, 0.0
	for i, n := range d.Nodes {
		w = max(w, 2*boxPad+charWidth*float64(max(utf8.RuneCountInString(n.Label), utf8.RuneCountInString(n.Note))))
		h := boxPad + lineStep
		if n.Note != "" {
			h += lineStep
		}
		h = max(h, 8+portStep*float64(max(ends[0][i], ends[1][i])))
		boxes[i] = box{y, h}
		y += h + rowGap
	}
	x := margin + leftText + laneStep*float64(len(left)+2)
	edge := x + w
	width := edge + laneStep*float64(len(right)+2) + rightText + margin
	foot := y
	y += lineStep * float64(len(d.Notes))
	var b strings.Builder
	for _, l := range append([]string{d.Title}, d.Notes...) {
		width = max(width, 2*margin+charWidth*float64(utf8.RuneCountInString(l)))
	}
	fmt.Fprintf(
		&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f"`+
			` font-family="monospace" font-size="12">`+"\n", width, y, width, y,
	)
	b.WriteString(`  <defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"` +
		` orient="auto"><path d="M0 0L8 4L0 8z" fill="#888"/></marker></defs>` + "\n")
	text := func(x, y float64, attributes, s string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" %s>%s</text>`, x, y, attributes, html.EscapeString(s))
	}
	const plain = `fill="currentColor"`
	text(margin, margin+lineStep-4, plain+` font-weight="bold"`, d.Title)
	b.WriteString("\n")
	ports := make([]int, len(d.Nodes)) // how many edges have begun or ended at each box, on a side
	port := func(i int) float64 {
		ports[i]++
		return boxes[i].y + 10 + portStep*float64(ports[i]-1)
	}
	side := func(es []Edge, from, dir, labels float64, anchor string) {
		clear(ports)
		for k, e := range es {
			lane := from + dir*laneStep*float64(k+1)
			a, z := port(e.From), port(e.To)
			fmt.Fprintf(
				&b, `  <path d="M%.1f %.1fH%.1fV%.1fH%.1f" fill="none" stroke="#888" marker-end="url(#arrow)"/>`,
				from, a, lane, z, from,
			)
			fmt.Fprintf(
				&b, `<path d="M%.1f %.1fH%.1f" stroke="#888" stroke-dasharray="1 3"/>`, lane, a, labels-dir*3,
			)
			text(labels, a+4, plain+` text-anchor="`+anchor+`"`, e.Label)
			b.WriteString("\n")
		}
	}
	side(right, edge, 1, edge+laneStep*float64(len(right)+1), "start")
	side(left, x, -1, x-laneStep*float64(len(left)+1), "end")
	for i, n := range d.Nodes {
		at := boxes[i]
		fmt.Fprintf(
			&b, `  <g id="state-%d"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" fill="%s" stroke="#555"/>`,
			i, x, at.y, w, at.h, fills[n.Kind],
		)
		text(x+boxPad, at.y+lineStep, `fill="#222" font-weight="bold"`, n.Label)
		if n.Note != "" {
			text(x+boxPad, at.y+2*lineStep, `fill="#222"`, n.Note)
		}
		b.WriteString("</g>\n")
	}
	for i, l := range d.Notes {
		text(margin, foot+lineStep*float64(i), plain, l)
		b.WriteString("\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}
