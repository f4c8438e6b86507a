package syntax

import (
	"sort"
	"unicode/utf8"
)

// reserved lexes a mixture of idchars and strings from i on, knowing that up to j it is idchars.
func (l *lexer) reserved(i, j int) int {
	for j < len(l.src) {
		if isIDChar(l.src[j]) {
			j++
			continue
		}
		if l.src[j] != '"' {
			break
		}
		e, ok := l.str(j)
		if !ok {
			l.put(TokBad, i, e, 0)
			return e
		}
		j = e
	}
	l.put(TokReserved, i, j, 0)
	return j
}

// str finds the end of the string that begins at i. If it is malformed or unclosed, ok is false and
// the end is where the damage is taken to end: before the closing parentheses at the line's end.
func (l *lexer) str(i int) (end int, ok bool) {
	src := l.src
	ok = true
	for j := i + 1; j < len(src); {
		c := src[j]
		switch {
		case c == '"':
			return j + 1, ok
		case c == '\\':
			w := escapeLen(src[j:])
			if w == 0 {
				ok = false
				w = 1
				if j+1 < len(src) && (src[j+1] == '"' || src[j+1] == '\\') {
					w = 2
				}
			}
			j += w
		case c == '\n' || c == '\r':
			return l.unclosed(i, j), false
		case c < 0x20 || c == 0x7f:
			ok = false
			j++
		case c < utf8.RuneSelf:
			j++
		default:
			r, w := utf8.DecodeRuneInString(src[j:])
			if r == utf8.RuneError && w <= 1 {
				ok = false
			}
			j += w
		}
	}
	return l.unclosed(i, len(src)), false
}

// unclosed returns where an unclosed string from i, with the line's end at j, is taken to end.
func (l *lexer) unclosed(i, j int) int {
	l.deep = append(l.deep, reach{i, j + 1})
	for j > i+1 && (l.src[j-1] == ' ' || l.src[j-1] == '\t' || l.src[j-1] == ')') {
		j--
	}
	return j
}

// escapeLen returns the length of an escape sequence at the start of s, or 0.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case 't', 'n', 'r', '"', '\'', '\\':
		return 2
	case 'u':
		if len(s) < 5 || s[2] != '{' {
			return 0
		}
		v, n, under := uint32(0), 0, true
		for j := 3; j < len(s); j++ {
			c := s[j]
			if c == '}' {
				if n == 0 || under || v >= 0x110000 || v >= 0xd800 && v < 0xe000 {
					return 0
				}
				return j + 1
			}
			if c == '_' {
				if under {
					return 0
				}
				under = true
				continue
			}
			h := hexVal(c)
			if h < 0 {
				return 0
			}
			under = false
			n++
			if v = v<<4 | uint32(h); v >= 0x110000 {
				v = 0x110000
			}
		}
		return 0
	}
	if len(s) >= 3 && hexVal(s[1]) >= 0 && hexVal(s[2]) >= 0 {
		return 3
	}
	return 0
}

func hexVal(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// annotEnd returns the end of the token `(@id` whose identifier begins at i.
func (l *lexer) annotEnd(i int) (int, bool) {
	j := i
	if j < len(l.src) && l.src[j] == '"' {
		e, ok := l.str(j)
		return e, ok && e > j+2
	}
	for j < len(l.src) && isIDChar(l.src[j]) {
		j++
	}
	return j, j > i
}

// lineComment goes over a comment whose text begins at i. If there is malformed UTF-8 in it, the
// comment is a TokBad from there on.
func (l *lexer) lineComment(i int) int {
	src := l.src
	bad := -1
	for i < len(src) {
		c := src[i]
		if c == '\n' || c == '\r' {
			break
		}
		if c < utf8.RuneSelf {
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(src[i:])
		if r == utf8.RuneError && w <= 1 && bad < 0 {
			bad = i
		}
		i += w
	}
	if bad >= 0 {
		l.put(TokBad, bad, i, 0)
	}
	return i
}

// blockComment goes over the comment that begins at i. One that is never closed is a TokBad up to
// the end of its line, so that it does not swallow the rest of the text.
func (l *lexer) blockComment(i int) int {
	src := l.src
	if l.known && i >= l.bad[0] {
		k := sort.SearchInts(l.bad, i)
		if k < len(l.bad) && l.bad[k] == i {
			return l.openComment(i)
		}
	}
	bad := -1
	var open []int
	for j := i; j < len(src); {
		c := src[j]
		switch {
		case c == '(' && j+1 < len(src) && src[j+1] == ';':
			open = append(open, j)
			j += 2
		case c == ';' && j+1 < len(src) && src[j+1] == ')':
			open = open[:len(open)-1]
			j += 2
			if len(open) == 0 {
				if bad >= 0 {
					l.put(TokBad, bad, j, 0)
				}
				return j
			}
		case c >= utf8.RuneSelf:
			r, w := utf8.DecodeRuneInString(src[j:])
			if r == utf8.RuneError && w <= 1 && bad < 0 {
				bad = j
			}
			j += w
		default:
			j++
		}
	}
	l.bad, l.known = open, true
	return l.openComment(i)
}

func (l *lexer) openComment(i int) int {
	j := i
	for j < len(l.src) && l.src[j] != '\n' && l.src[j] != '\r' {
		j++
	}
	j = l.unclosed(i+1, j)
	l.deep[len(l.deep)-1].end = endless
	l.put(TokBad, i, j, 0)
	return j
}

// badMessage reports what is wrong with a TokBad or TokReserved outside of annotations.
func badMessage(kind TokenKind, s string) string {
	if kind == TokReserved {
		switch {
		case s == "$" || s == `$""`:
			return "empty identifier"
		case len(s) > 1 && isIDChar(s[0]) && s[len(s)-1] == '"':
			return "unknown operator: white space is missing before the string"
		}
		return "unknown operator " + clip(s) + infixHint(s)
	}
	switch r, w := utf8.DecodeRuneInString(s); {
	case r == utf8.RuneError && w <= 1:
		return "malformed UTF-8 encoding"
	case hasPrefix(s, "(;"):
		return "unclosed comment"
	case hasPrefix(s, `$"`):
		return "empty identifier: the string is malformed or not closed"
	}
	q := -1
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			q = i
			break
		}
	}
	if q < 0 {
		if !utf8.ValidString(s) {
			return "malformed UTF-8 encoding"
		}
		return "illegal character"
	}
	for j := q + 1; j < len(s); {
		switch c := s[j]; {
		case c == '\\':
			w := escapeLen(s[j:])
			if w == 0 {
				return "illegal escape in a string"
			}
			j += w
		case c == '"':
			for q = j + 1; q < len(s) && s[q] != '"'; q++ {
			}
			j = q + 1
		case c < 0x20 || c == 0x7f:
			return "illegal character in a string"
		case c < utf8.RuneSelf:
			j++
		default:
			r, w := utf8.DecodeRuneInString(s[j:])
			if r == utf8.RuneError && w <= 1 {
				return "malformed UTF-8 encoding"
			}
			j += w
		}
	}
	return "unclosed string"
}

// clip shortens a text for a message.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
