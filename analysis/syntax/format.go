package syntax

import (
	"strings"
	"unicode/utf8"

	"stackscope/analysis/source"
)

// FormatOptions are the options of the formatter. The zero value means the defaults.
type FormatOptions struct {
	Width  int // of a line, in characters; 100 if 0
	Indent int // spaces a level; 2 if 0
	// Tabs indents with one tab a level instead. Indent is then how wide a tab is shown.
	Tabs bool
}

// Format returns the edits that bring the module fields and commands that a span touches into the
// canonical layout. Only white space changes: tokens and comments stay, and so does one blank line
// where there are some. What has syntax errors is left as it is. Formatting what is formatted gives
// no edit.
//
// A field stands on a line of its own; a folded instruction on one line if it fits and its author
// did not begin a new line for the first operand, else its operands on a line each; functions and
// blocks stay on one line if they were and fit; flat instructions stand on a line each, indented by
// their blocks. A closing parenthesis stays on a line of its own if it was.
func Format(t *Tree, opt FormatOptions, span source.Span) []source.Edit {
	if opt.Width <= 0 {
		opt.Width = 100
	}
	if opt.Indent <= 0 {
		opt.Indent = 2
	}
	f := &formatter{t: t, opt: opt, nl: "\n", step: strings.Repeat(" ", opt.Indent)}
	if opt.Tabs {
		f.step = "\t"
	}
	if i := strings.IndexByte(t.Src.Text, '\n'); i > 0 && t.Src.Text[i-1] == '\r' {
		f.nl = "\r\n"
	}
	for i := 0; i < len(t.Units); i++ {
		if t.Units[i].Kind == UnitOpen {
			f.group(i)
		}
		u := t.Units[i]
		if u.Off > span.End || u.Off+int(u.Len) < span.Start || len(u.Errors) > 0 || u.Kind == UnitStray {
			continue
		}
		f.unit(i)
	}
	return f.edits
}

// FormatAll is Format of the whole text.
func FormatAll(t *Tree, opt FormatOptions) []source.Edit {
	return Format(t, opt, source.Span{End: len(t.Src.Text)})
}

const (
	gapNone gapKind = iota
	gapSpace
	gapLine  // a line end, blank lines kept
	gapFirst // a line end, blank lines dropped
	gapKeep  // what stands there
)

type formatter struct {
	t     *Tree
	opt   FormatOptions
	nl    string
	step  string // one level of indentation
	edits []source.Edit

	// The group of units that are one module.
	groupEnd int  // after its UnitClose
	flatMod  bool // the module stands on one line
	flatCmd  bool // the command around it too
	sameLine bool // `(module` stands on the line of the command around it

	// The unit.
	u     Placed
	ui    int
	text  string
	width []int32 // width[i]: of tokens [0, i) with the gaps before them, on one line
	brk   []int32 // brk[i]: how many gaps before tokens [0, i) cannot be on one line
	lines []int32 // lines[i]: how many gaps before tokens [0, i) hold a line end in the text
	exp   []bool  // by node: see expanded
	verb  []bool  // the gap before the token stays as it is; nil if none does
	col   int
}

// load prepares a unit.
func (f *formatter) load(i int) {
	f.ui, f.u = i, f.t.Units[i]
	f.text = f.t.Src.Text[f.u.Off : f.u.Off+int(f.u.Len)]
	n := len(f.u.Tokens)
	f.width = append(f.width[:0], 0)
	f.brk = append(f.brk[:0], 0)
	f.lines = append(f.lines[:0], 0)
	f.verb = nil
	for _, d := range f.u.Nodes {
		if d.Kind == KAnnot {
			if f.verb == nil {
				f.verb = make([]bool, n)
			}
			for j := d.Tok + 1; j < d.TokEnd; j++ {
				f.verb[j] = true
			}
		}
	}
	w, b, l := int32(0), int32(0), int32(0)
	for j := range n {
		g := f.gapText(j)
		if strings.ContainsAny(g, "\r\n") {
			l++
		}
		f.lines = append(f.lines, l)
		s := ""
		if g == "" || isBlank(g) && !f.isVerb(j) {
			if f.flatKind(j) == gapSpace {
				w++
			}
		} else {
			s = f.gap(g, f.flatKind(j), 0, j)
			if strings.ContainsAny(s, "\r\n") {
				b++
			}
			w += int32(utf8.RuneCountInString(s))
		}
		t := f.u.Tokens[j]
		w += int32(f.tokWidth(t))
		f.width = append(f.width, w)
		f.brk = append(f.brk, b)
	}
	f.exp = append(f.exp[:0], make([]bool, len(f.u.Nodes))...)
	for i := len(f.exp) - 1; i >= 0; i-- {
		f.exp[i] = f.isExpanded(i)
	}
}

// isWord reports whether a token has a text.
func (f *formatter) isWord(j uint32, s string) bool {
	t := f.u.Tokens[j]
	return f.text[t.Off:t.Off+t.Len] == s
}

func (f *formatter) tokWidth(t Token) int {
	if t.Kind == TokString || t.Kind == TokID || t.Kind == TokAnnot {
		return utf8.RuneCountInString(f.text[t.Off : t.Off+t.Len])
	}
	return int(t.Len)
}

func (f *formatter) isVerb(j int) bool { return f.verb != nil && f.verb[j] }

func isBlank(s string) bool {
	for i := 0; i < len(s); i++ {
		if class[s[i]] != cSpace {
			return false
		}
	}
	return true
}

// gapText returns what stands before a token, from the token before it or the unit's start on.
func (f *formatter) gapText(j int) string {
	from := uint32(0)
	if j > 0 {
		from = f.u.Tokens[j-1].Off + f.u.Tokens[j-1].Len
	}
	if j >= len(f.u.Tokens) {
		return f.text[from:]
	}
	return f.text[from:f.u.Tokens[j].Off]
}

// flatKind returns what stands before a token on one line.
func (f *formatter) flatKind(j int) gapKind {
	switch {
	case f.isVerb(j):
		return gapKeep
	case j == 0:
		return gapNone
	case f.u.Tokens[j-1].Kind == TokLParen || f.u.Tokens[j].Kind == TokRParen:
		return gapNone
	}
	return gapSpace
}

// flatWidth returns the width of tokens [from, to) on one line, without the gap before the first,
// and whether they can be on one line.
func (f *formatter) flatWidth(from, to int) (int, bool) {
	first := f.tokWidth(f.u.Tokens[from])
	return first + int(f.width[to]-f.width[from+1]), f.brk[to] == f.brk[from+1]
}

// fits reports whether node n fits on the line, with the parentheses that close right after it, if
// it begins at the column.
func (f *formatter) fits(n, col int) bool {
	d := &f.u.Nodes[n]
	w, ok := f.flatWidth(int(d.Tok), int(d.TokEnd))
	for j := int(d.TokEnd); col+w <= f.opt.Width && j < len(f.u.Tokens) && f.u.Tokens[j].Kind == TokRParen; j++ {
		w++
	}
	return ok && col+w <= f.opt.Width
}

// wasFlat reports whether node n stands on one line in the text.
func (f *formatter) wasFlat(n int) bool {
	d := &f.u.Nodes[n]
	return f.lines[d.TokEnd] == f.lines[d.Tok+1]
}

// newlineBefore reports whether there is a line end before a token.
func (f *formatter) newlineBefore(j int) bool { return f.lines[j+1] > f.lines[j] }

// put places a token: what stands before it, at which level of indentation if it begins a line.
func (f *formatter) put(j int, k gapKind, indent int) {
	if f.isVerb(j) {
		k = gapKeep
	}
	old := f.gapText(j)
	s := f.gap(old, k, indent, j)
	if s != old {
		end := f.u.Off + len(f.text)
		if j < len(f.u.Tokens) {
			end = f.u.Off + int(f.u.Tokens[j].Off)
		}
		f.edits = append(f.edits, source.Edit{Span: source.Span{Start: end - len(old), End: end}, New: s})
	}
	if i := strings.LastIndexAny(s, "\r\n"); i >= 0 {
		f.col = utf8.RuneCountInString(s[i+1:])
		if f.opt.Tabs {
			f.col += strings.Count(s[i+1:], "\t") * (f.opt.Indent - 1)
		}
	} else {
		f.col += utf8.RuneCountInString(s)
	}
	if j < len(f.u.Tokens) {
		f.col += f.tokWidth(f.u.Tokens[j])
	}
}

// flat places tokens [from, to) on one line.
func (f *formatter) flat(from, to, indent int) {
	for j := from; j < to; j++ {
		f.put(j, f.flatKind(j), indent)
	}
}
