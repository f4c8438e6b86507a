package stackview

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"stackscope/vm/debugger/snapshot"
)

// Sizes of the drawing, in user units: a character of the 12-unit monospace font is about 7.3 wide.
const (
	charWidth = 7.3
	boxPad    = 10.0
	lineStep  = 16.0
	rowGap    = 18.0
	indent    = 36.0
)

type svgBox struct {
	n          *Node
	x, y, w, h float64
	lines      []string
}

// SVG renders the tree: a box for each stack, below and to the right of the one that resumed it.
func (t *Tree) SVG() string {
	var boxes []*svgBox
	at := map[snapshot.StackID]*svgBox{}
	y, width := 12.0, 0.0
	t.Walk(func(n *Node, depth int) bool {
		x := &svgBox{n: n, x: 12 + indent*float64(depth), y: y, lines: []string{n.Name(), n.Doing()}}
		if n.State != snapshot.Suspended && !n.At.IsZero() {
			x.lines[1] += " · " + n.At.Short()
		}
		if d := details(n); d != "" {
			x.lines = append(x.lines, d)
		}
		for _, l := range x.lines {
			x.w = max(x.w, 2*boxPad+charWidth*float64(utf8.RuneCountInString(l)))
		}
		x.h = boxPad + lineStep*float64(len(x.lines))
		y += x.h + rowGap
		width = max(width, x.x+x.w+12)
		boxes = append(boxes, x)
		at[n.ID] = x
		return true
	})
	foot := ""
	if t.Omitted > 0 {
		foot = fmt.Sprintf("… %d more", t.Omitted)
		y += lineStep
	}
	var b strings.Builder
	fmt.Fprintf(
		&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="monospace" font-size="12">`+"\n",
		max(width, 120),
		max(y, 40),
		max(width, 120),
		max(y, 40),
	)
	for _, x := range boxes {
		if p := at[x.n.Up]; p != nil && p != x {
			fmt.Fprintf(&b, `  <path d="M%.1f %.1fV%.1fH%.1f" fill="none" stroke="#555"/>`+"\n", p.x+14, p.y+p.h,
				x.y+x.h/2, x.x)
		}
	}
	for _, x := range boxes {
		fmt.Fprintf(
			&b,
			`  <g id="stack-%d" class="%s"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" fill="%s" stroke="#555"/>`,
			x.n.ID, x.n.State, x.x, x.y, x.w, x.h, fillColors[x.n.State],
		)
		for i, l := range x.lines {
			weight := ""
			if i == 0 {
				weight = ` font-weight="bold"`
			}
			fmt.Fprintf(
				&b, `<text x="%.1f" y="%.1f"%s>%s</text>`, x.x+boxPad, x.y+lineStep*float64(i+1), weight,
				html.EscapeString(l),
			)
		}
		b.WriteString("</g>\n")
	}
	if foot != "" {
		fmt.Fprintf(&b, `  <text x="12" y="%.1f">%s</text>`+"\n", y-6, foot)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
