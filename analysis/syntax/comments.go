package syntax

import (
	"sort"
	"strings"

	"stackscope/analysis/source"
)

// Comment is a comment.
type Comment struct {
	Span  source.Span
	Text  string // as written; a line comment without white space at its end
	Line  bool   // `;;` to the end of the line, else `(; ;)`
	Lines int    // line ends between what stands before it and it
}

// Comments returns the comments that begin in [from, to) of the text, in order.
func Comments(t *Tree, from, to int) []Comment {
	var out []Comment
	for ui := t.UnitAt(from); ui < len(t.Units) && t.Units[ui].Off < to; ui++ {
		u := t.Units[ui]
		// Begin at the gap that holds from.
		j := sort.Search(len(u.Tokens), func(j int) bool { return u.Off+int(u.Tokens[j].Off) > from })
		for ; j <= len(u.Tokens); j++ {
			a, b := u.Off, u.Off+int(u.Len)
			if j > 0 {
				a += int(u.Tokens[j-1].Off + u.Tokens[j-1].Len)
			}
			if j < len(u.Tokens) {
				b = u.Off + int(u.Tokens[j].Off)
			}
			if a >= to {
				return out
			}
			if a == b {
				continue
			}
			cs, _ := comments(t.Src.Text[a:b])
			for _, c := range cs {
				s := source.Span{Start: a + c.at, End: a + c.at + len(c.text)}
				if s.Start >= from && s.Start < to {
					out = append(out, Comment{s, c.text, c.line, c.nl})
				}
			}
		}
	}
	return out
}

// Doc returns the doc comment of a module field, or of a type in a `rec`: the `;;` lines right
// above it, without an empty line between, and without the semicolons. It is "" if there is none.
func Doc(n N) string {
	if n.T == nil {
		return ""
	}
	start := n.Span().Start
	text := n.T.Src.Text
	from := n.Unit().Off
	cs := Comments(n.T, from, start)
	end := start
	first := len(cs)
	for i := len(cs) - 1; i >= 0; i-- {
		c := cs[i]
		gap := text[c.Span.End:end]
		if !c.Line || c.Lines == 0 && c.Span.Start > 0 && from > 0 || !isBlank(gap) || strings.Count(gap, "\n") > 1 ||
			strings.Count(gap, "\r") > 1 {
			break
		}
		end = c.Span.Start
		first = i
	}
	var lines []string
	for _, c := range cs[first:] {
		s := strings.TrimLeft(c.Text, ";")
		lines = append(lines, strings.TrimPrefix(s, " "))
	}
	return strings.Join(lines, "\n")
}

// comment is a comment in a gap.
type comment struct {
	at   int // in the gap
	text string
	line bool // up to the end of the line
	nl   int  // line ends before it, from the last comment on
}

// comments takes a gap apart; nl counts the line ends after the last comment.
func comments(gap string) (cs []comment, nl int) {
	for i := 0; i < len(gap); {
		switch c := gap[i]; {
		case c == '\n', c == '\r':
			if c == '\r' && i+1 < len(gap) && gap[i+1] == '\n' {
				i++
			}
			nl++
			i++
		case c == ';':
			j := i
			for j < len(gap) && gap[j] != '\n' && gap[j] != '\r' {
				j++
			}
			cs = append(cs, comment{i, strings.TrimRight(gap[i:j], " \t"), true, nl})
			nl = 0
			i = j
		case c == '(':
			j := commentEnd(gap, i)
			cs = append(cs, comment{i, gap[i:j], false, nl})
			nl = 0
			i = j
		default:
			i++
		}
	}
	return
}

// commentEnd returns the end of the block comment that begins at i.
func commentEnd(s string, i int) int {
	for d := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "(;"):
			d++
			i += 2
		case strings.HasPrefix(s[i:], ";)"):
			i += 2
			if d--; d == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(s)
}
