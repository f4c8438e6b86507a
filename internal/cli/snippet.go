package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

const (
	tabWidth     = 4   // columns between tab stops in a snippet
	defaultWidth = 100 // columns of a line where there is no terminal
	maxHelp      = 3   // fixes that are named
	maxRelated   = 8   // related places that are shown
)

// Snippets prints diagnostics with the lines that they are about, in columns characters at most.
type Snippets struct {
	W       io.Writer
	Color   bool
	Columns int // 0: a default
	// Fixes returns the fixes of a diagnostic; nil: those that it carries.
	Fixes func(d *diag.Diagnostic) []diag.Fix
}

// label is a place to underline.
type label struct {
	span    source.Span
	message string
	primary bool
}

// Print prints the diagnostics of a file. One without a text has no snippet.
func (s *Snippets) Print(f *source.File, ds []diag.Diagnostic) {
	for i := range ds {
		s.print(f, &ds[i])
	}
}

func (s *Snippets) print(f *source.File, d *diag.Diagnostic) {
	head := d.Severity.String()
	if d.Code != "" {
		head += "[" + string(d.Code) + "]"
	}
	var b strings.Builder
	b.WriteString(paint(s.Color, severityColors[d.Severity], head) + paint(s.Color, "1", ": "+oneLine(d.Message)) +
		"\n")
	labels := []label{{d.Span, "", true}}
	var notes []string
	for _, r := range d.Related {
		switch {
		case r.File != "" && r.File != f.Name:
			notes = append(notes, Relative(r.File)+": "+r.Message)
		case len(labels) <= maxRelated:
			labels = append(labels, label{r.Span, r.Message, false})
		}
	}
	gutter := 1
	for _, l := range labels {
		gutter = max(gutter, len(strconv.Itoa(f.LineOf(l.span.Start)+1)))
	}
	bar := paint(s.Color, "34;1", strings.Repeat(" ", gutter)+" |")
	b.WriteString(paint(s.Color, "34;1", strings.Repeat(" ", gutter)+"--> ") + Place(f, d.Span.Start) + "\n")
	if f.Text != "" {
		b.WriteString(bar + "\n")
		s.lines(&b, f, d.Severity, labels, gutter)
	}
	fixes := d.Fixes
	if s.Fixes != nil {
		fixes = s.Fixes(d)
	}
	if len(fixes)+len(notes) > 0 {
		if f.Text != "" {
			b.WriteString(bar + "\n")
		}
		eq := paint(s.Color, "34;1", strings.Repeat(" ", gutter)+" = ")
		for _, n := range notes {
			b.WriteString(eq + "note: " + oneLine(n) + "\n")
		}
		for i, x := range fixes {
			if i == maxHelp {
				fmt.Fprintf(&b, "%shelp: … %d more\n", eq, len(fixes)-i)
				break
			}
			b.WriteString(eq + paint(s.Color, "36;1", "help") + ": " + oneLine(x.Title) + "\n")
		}
	}
	b.WriteString("\n")
	io.WriteString(s.W, b.String())
}

// lines prints the lines of the labels in the order of the text, each followed by its underlines.
func (s *Snippets) lines(b *strings.Builder, f *source.File, sev diag.Severity, labels []label, gutter int) {
	slices.SortStableFunc(labels, func(x, y label) int { return f.LineOf(x.span.Start) - f.LineOf(y.span.Start) })
	last := -1
	for i := 0; i < len(labels); {
		n := f.LineOf(labels[i].span.Start)
		k := i
		for k < len(labels) && f.LineOf(labels[k].span.Start) == n {
			k++
		}
		if last >= 0 && n > last+1 {
			b.WriteString(paint(s.Color, "34;1", strings.Repeat(".", max(3, gutter))) + "\n")
		}
		last = n
		// The primary place comes first; the others follow, each on a line of its own.
		on := slices.Clone(labels[i:k])
		slices.SortStableFunc(on, func(x, y label) int { return btoi(y.primary) - btoi(x.primary) })
		columns := s.Columns
		if columns <= 0 {
			columns = defaultWidth
		}
		win := newWindow(f, n, on[0].span, max(20, columns-gutter-4))
		num := strconv.Itoa(n + 1)
		fmt.Fprintf(b, "%s %s\n", paint(s.Color, "34;1", strings.Repeat(" ", gutter-len(num))+num+" |"), win.text)
		for _, l := range on {
			from, to, ok := win.columns(l.span)
			if !ok { // cut off
				if l.message != "" {
					fmt.Fprintf(
						b, "%s note: %s: %s\n", paint(s.Color, "34;1", strings.Repeat(" ", gutter)+" |"),
						Place(f, l.span.Start), oneLine(l.message),
					)
				}
				continue
			}
			mark, color := "-", "34;1"
			if l.primary {
				mark, color = "^", severityColors[sev]
			}
			line := strings.Repeat(mark, max(1, to-from))
			if l.message != "" {
				line += " " + oneLine(l.message)
			}
			fmt.Fprintf(
				b, "%s %s%s\n", paint(s.Color, "34;1", strings.Repeat(" ", gutter)+" |"),
				strings.Repeat(" ", from), paint(s.Color, color, line),
			)
		}
		i = k
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// window is the part of a line that is shown, with the column of each of its bytes.
type window struct {
	text     string
	from, to int   // the offsets that are shown
	cols     []int // by offset from from: the column; one more for the end
}

// newWindow shows a line around a span in at most width columns: the whole line if that fits. What
// it looks at does not grow with the line.
func newWindow(f *source.File, n int, at source.Span, columns int) *window {
	ln := f.Line(n)
	from, to := ln.Start, ln.End
	reach := 4 * columns // bytes that are surely enough
	if to-from > reach {
		from = max(from, at.Start-reach/8)
		to = min(to, from+reach)
		for from > ln.Start && !utf8.RuneStart(f.Text[from]) {
			from--
		}
		for to < ln.End && !utf8.RuneStart(f.Text[to]) {
			to++
		}
	}
	w := layout(f.Text, from, to, 0)
	total := w.cols[len(w.cols)-1]
	if from == ln.Start && to == ln.End && total <= columns {
		return w
	}
	// Cut: some of the line before the place, and as much after it as fits.
	before := columns / 4
	if sp := w.cols[max(0, min(at.Start, to)-from)]; from == ln.Start && sp <= columns*2/3 {
		before = sp
	}
	pos := max(0, min(at.Start, to)-from)
	start := pos
	for start > 0 && w.cols[pos]-w.cols[start-1] <= before {
		start--
	}
	for start < pos && !utf8.RuneStart(f.Text[from+start]) {
		start++
	}
	lead := btoi(from+start > ln.Start)
	end := start
	for end < to-from && w.cols[end+1]-w.cols[start] <= columns-lead-1 {
		end++
	}
	for end > start && from+end < ln.End && !utf8.RuneStart(f.Text[from+end]) {
		end--
	}
	out := layout(f.Text, from+start, from+end, lead)
	for end > start && out.cols[end-start] > columns-1 { // tabs are wider here
		for end--; end > start && !utf8.RuneStart(f.Text[from+end]); end-- {
		}
		out = layout(f.Text, from+start, from+end, lead)
	}
	if lead > 0 {
		out.text = "…" + out.text
	}
	if from+end < ln.End {
		out.text += "…"
	}
	return out
}

// layout shows the text between two offsets from a column on.
func layout(text string, from, to, col int) *window {
	w := &window{from: from, to: to, cols: make([]int, 0, to-from+1)}
	var b strings.Builder
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(text[i:to])
		shown, n := string(r), runeWidth(r)
		switch {
		case r == utf8.RuneError && size <= 1:
			shown, n = "\ufffd", 1
		case r == '\t':
			n = tabWidth - col%tabWidth
			shown = strings.Repeat(" ", n)
		case unicode.IsControl(r) || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069:
			shown, n = "\ufffd", 1
		}
		for range size {
			w.cols = append(w.cols, col)
		}
		b.WriteString(shown)
		col += n
		i += size
	}
	w.cols = append(w.cols, col)
	w.text = b.String()
	return w
}

// columns returns the columns of a span on the line that is shown.
func (w *window) columns(sp source.Span) (from, to int, ok bool) {
	a, b := sp.Start, min(sp.End, w.to)
	if a < w.from || a > w.to {
		return 0, 0, false
	}
	from = w.cols[a-w.from]
	to = from + 1
	if b > a {
		to = max(to, w.cols[b-w.from])
	}
	return from, to, true
}

// runeWidth returns how many columns a character takes in a terminal.
func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1f300 && r <= 0x1faff:
		return 2
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Count counts diagnostics for a summary.
type Count struct{ Errors, Warnings, Others, Files, Checked int }

// Add counts the diagnostics of a file.
func (c *Count) Add(ds []diag.Diagnostic) {
	c.Checked++
	c.Files += btoi(len(ds) > 0)
	for i := range ds {
		switch ds[i].Severity {
		case diag.Error:
			c.Errors++
		case diag.Warning:
			c.Warnings++
		default:
			c.Others++
		}
	}
}

// String returns a sentence such as `2 errors, 1 warning in 3 files`.
func (c Count) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.Errors, "error"}, {c.Warnings, "warning"}, {c.Others, "hint"}} {
		if p.n > 0 {
			parts = append(parts, Plural(p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return "no problems in " + Plural(c.Checked, "file")
	}
	return strings.Join(parts, ", ") + " in " + Plural(c.Files, "file")
}

// Plural returns a number with a noun, such as `1 file` or `2 fixes`.
func Plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "x"):
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
