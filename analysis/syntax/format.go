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
}

// Format gives the edits that bring the module fields and commands that a span touches into the
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
	f := &formatter{t: t, opt: opt, nl: "\n"}
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

// gapKind is what should stand between two tokens.
type gapKind uint8

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
	edits []source.Edit

	// The group of units that are one module.
	groupEnd int  // behind its UnitClose
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

// gapText gives what stands before a token, from the token before it or the unit's start on.
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

// flatKind gives what stands before a token on one line.
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

// flatWidth gives the width of tokens [from, to) on one line, without the gap before the first,
// and whether they can be on one line.
func (f *formatter) flatWidth(from, to int) (int, bool) {
	first := f.tokWidth(f.u.Tokens[from])
	return first + int(f.width[to]-f.width[from+1]), f.brk[to] == f.brk[from+1]
}

// fits tells whether node n fits on the line, with the parentheses that close right behind it, if
// it begins at the column.
func (f *formatter) fits(n, col int) bool {
	d := &f.u.Nodes[n]
	w, ok := f.flatWidth(int(d.Tok), int(d.TokEnd))
	for j := int(d.TokEnd); col+w <= f.opt.Width && j < len(f.u.Tokens) && f.u.Tokens[j].Kind == TokRParen; j++ {
		w++
	}
	return ok && col+w <= f.opt.Width
}

// wasFlat tells whether node n stands on one line in the text.
func (f *formatter) wasFlat(n int) bool {
	d := &f.u.Nodes[n]
	return f.lines[d.TokEnd] == f.lines[d.Tok+1]
}

// newlineBefore tells whether there is a line end before a token.
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

// gap gives what should stand before token j, where old stands.
func (f *formatter) gap(old string, k gapKind, indent, j int) string {
	if k == gapKeep {
		return old
	}
	first := j == 0 && f.u.Off == 0 // nothing stands in front of it
	shut := j >= len(f.u.Tokens) || f.closes(j)
	lines := func(n, indent int) string {
		s := f.nl
		if n >= 2 {
			s += f.nl
		}
		return s + strings.Repeat(" ", indent*f.opt.Indent)
	}
	if isBlank(old) {
		switch k {
		case gapNone:
			return ""
		case gapSpace:
			return " "
		}
		if first {
			return ""
		}
		n := 1
		if k == gapLine && !shut {
			n = strings.Count(old, "\n")
			if n == 0 {
				n = strings.Count(old, "\r")
			}
		}
		return lines(n, indent)
	}
	cs, after := comments(old)
	inner := indent
	if shut && j < len(f.u.Tokens) {
		inner++
	}
	var b strings.Builder
	own, mustBreak := false, false
	for i, c := range cs {
		switch {
		case first && i == 0:
			own = true
		case mustBreak, c.nl > 0 && (k >= gapLine || c.line):
			n := c.nl
			if i == 0 && k != gapLine {
				n = 1
			}
			b.WriteString(lines(n, inner))
			own = true
		case i == 0 && j > 0 && f.u.Tokens[j-1].Kind == TokLParen && !c.line:
			own = false
		case i == 0 && c.line && c.nl == 0 && c.at > 0 && strings.Trim(old[:c.at], " ") == "":
			b.WriteString(old[:c.at]) // as its author aligned it
		default:
			b.WriteString(" ")
		}
		b.WriteString(c.text)
		mustBreak = c.line
	}
	last := cs[len(cs)-1]
	switch {
	case k >= gapLine && own && !last.line && after == 0 && j < len(f.u.Tokens):
		b.WriteString(" ")
	case mustBreak, k >= gapLine:
		n := after
		if shut {
			n = 1
		}
		b.WriteString(lines(n, indent))
	case k == gapSpace, !shut:
		b.WriteString(" ")
	}
	return b.String()
}

// closes tells whether a token ends something: comments before it belong inside.
func (f *formatter) closes(j int) bool {
	t := f.u.Tokens[j]
	if t.Kind == TokRParen {
		return true
	}
	if t.Kind != TokKeyword {
		return false
	}
	switch f.text[t.Off : t.Off+t.Len] {
	case "end", "delegate":
		return true
	}
	return false
}

// group looks at the module that begins with a UnitOpen.
func (f *formatter) group(i int) {
	f.groupEnd, f.flatMod, f.flatCmd, f.sameLine = i+1, false, false, false
	if o := f.t.Units[i]; o.entry.place == atTop && len(o.Nodes) > 0 && o.Nodes[0].Kind == KCommand {
		f.load(i)
		for x := 1; x < len(o.Nodes); x = int(o.Nodes[x].Next) {
			if o.Nodes[x].Kind == KModule {
				f.sameLine = !f.newlineBefore(int(o.Nodes[x].Tok))
			}
		}
	}
	w, ok := 0, true
	clean := true
	j := i
	for ; j < len(f.t.Units); j++ {
		u := f.t.Units[j]
		if j > i && (u.Kind == UnitOpen || u.Kind == UnitEnd || u.Kind == UnitCommand) {
			return // the module is not closed
		}
		clean = clean && len(u.Errors) == 0
		if len(u.Tokens) > 0 && ok && w <= f.opt.Width {
			f.load(j)
			fw, can := f.flatWidth(0, len(u.Tokens))
			w += fw + 1
			ok = ok && can
			if j > i && f.brk[1] > 0 {
				ok = false
			}
			if j > i && !isBlank(f.gapText(0)) {
				ok = false
			}
		} else if len(u.Tokens) == 0 {
			ok = false
		}
		if u.Kind == UnitClose {
			break
		}
	}
	if j >= len(f.t.Units) {
		return
	}
	f.groupEnd = j + 1
	if !ok || !clean {
		return
	}
	text := f.t.Src.Text
	o, c := f.t.Units[i], f.t.Units[j]
	start := o.Off + int(o.Tokens[0].Off)
	end := c.Off + int(c.Len)
	f.flatCmd = w-1 <= f.opt.Width && !strings.ContainsAny(text[start:end], "\r\n")
	f.flatMod = f.flatCmd
	if o.Nodes[0].Kind == KCommand && !f.flatCmd {
		m := o.Nodes[1]
		for x := 1; x < len(o.Nodes) && o.Nodes[x].Kind != KModule; x = int(o.Nodes[x].Next) {
			m = o.Nodes[x]
		}
		start = o.Off + int(o.Tokens[m.Tok].Off)
		end = c.Off + int(c.Tokens[0].Off) + 1
		f.flatMod = w <= f.opt.Width && !strings.ContainsAny(text[start:end], "\r\n")
	}
}

// unit places the tokens of a unit.
func (f *formatter) unit(i int) {
	f.load(i)
	u := f.u
	f.col = 0
	base := 0
	switch u.entry.place {
	case inModule:
		base = 1
	case inCommand:
		base = 2
		if f.sameLine {
			base = 1
		}
	}
	inGroup := i < f.groupEnd
	switch u.Kind {
	case UnitEnd:
		if s := f.t.Src.Text; s != "" && (u.Off > 0 || !isBlank(s)) {
			f.put(0, gapFirst, 0)
		} else {
			f.put(0, gapNone, 0)
		}
	case UnitOpen:
		f.put(0, gapLine, 0)
		m := 0
		for x := 1; x < len(u.Nodes); x = int(u.Nodes[x].Next) {
			if u.Nodes[x].Kind == KModule {
				m = x
			}
		}
		if m == 0 || inGroup && f.flatCmd {
			f.flat(1, len(u.Tokens), 0)
			return
		}
		at := int(u.Nodes[m].Tok)
		f.flat(1, at, 1)
		if f.newlineBefore(at) {
			f.put(at, gapFirst, 1)
		} else {
			f.put(at, gapSpace, 1)
		}
		f.flat(at+1, len(u.Tokens), 1)
	case UnitClose:
		if len(u.Tokens) == 0 {
			return
		}
		if inGroup && f.flatMod || f.t.Units[i-1].Kind == UnitOpen {
			f.put(0, gapNone, base)
		} else {
			f.shut(0, true, base-1)
		}
		for j := 1; j < len(u.Tokens); j++ {
			switch u.Tokens[j].Kind {
			case TokString:
				if f.newlineBefore(j) {
					f.put(j, gapFirst, 1)
				} else {
					f.put(j, gapSpace, 1)
				}
			case TokRParen:
				f.shut(j, true, 0)
			default:
				f.put(j, f.flatKind(j), 1)
			}
		}
	default:
		if len(u.Nodes) == 0 {
			return
		}
		switch {
		case inGroup && f.flatMod:
			f.put(0, gapSpace, base)
			f.flat(1, len(u.Tokens), base)
		case i > 0 && f.t.Units[i-1].Kind == UnitOpen:
			f.node(0, gapFirst, base)
		default:
			f.node(0, gapLine, base)
		}
	}
}
