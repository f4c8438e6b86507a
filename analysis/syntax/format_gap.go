package syntax

import "strings"

// MaxIndent is how many levels are indented at most. Without a limit the white space of n nested
// blocks would take n² bytes.
const MaxIndent = 64

// gapKind is what should stand between two tokens.
type gapKind uint8

// gap returns what should stand before token j, where old stands.
func (f *formatter) gap(old string, k gapKind, indent, j int) string {
	if k == gapKeep {
		return old
	}
	first := j == 0 && f.u.Off == 0 // nothing stands before it
	shut := j >= len(f.u.Tokens) || f.closes(j)
	lines := func(n, indent int) string {
		s := f.nl
		if n >= 2 {
			s += f.nl
		}
		return s + strings.Repeat(f.step, min(indent, MaxIndent))
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

// closes reports whether a token ends something: comments before it belong inside.
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
