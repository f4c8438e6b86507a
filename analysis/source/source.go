package source

import (
	"sort"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// Span is a range of byte offsets, End exclusive.
type Span struct{ Start, End int }

// Contains reports whether the offset is in the span or right after it.
func (s Span) Contains(off int) bool { return s.Start <= off && off <= s.End }

// Encoding is the unit in which a protocol counts columns.
type Encoding uint8

// The encodings of LSP 3.17 `positionEncodings`.
const (
	UTF8 Encoding = iota
	UTF16
	UTF32
)

// Position is a 0-based line and column; the column counts units of an Encoding.
type Position struct{ Line, Col int }

// File is an immutable text with a line index. Lines end with "\n", "\r\n" or "\r".
type File struct {
	Name  string // a path, a URI, or what to call it in messages
	Text  string
	lines []int32 // offsets of line starts; lines[0] == 0
	cols  atomic.Pointer[columns]
}

// NewFile indexes a text of at most 2 GiB.
func NewFile(name, text string) *File {
	return &File{Name: name, Text: text, lines: lineStarts(make([]int32, 1, 16+len(text)/24), text, 0)}
}

// lineStarts appends the starts of the lines that begin in text, which stands at offset base.
func lineStarts(out []int32, text string, base int) []int32 {
	if strings.IndexByte(text, '\r') < 0 {
		for i := 0; ; {
			j := strings.IndexByte(text[i:], '\n')
			if j < 0 {
				return out
			}
			i += j + 1
			out = append(out, int32(base+i))
		}
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			out = append(out, int32(base+i+1))
		case '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			out = append(out, int32(base+i+1))
		}
	}
	return out
}

// NumLines returns the number of lines, at least 1.
func (f *File) NumLines() int { return len(f.lines) }

// LineStart returns the offset of a 0-based line; past the last line the text's length.
func (f *File) LineStart(line int) int {
	if line < 0 {
		return 0
	}
	if line >= len(f.lines) {
		return len(f.Text)
	}
	return int(f.lines[line])
}

// Line returns the span of a 0-based line without its line end.
func (f *File) Line(line int) Span {
	s, e := f.LineStart(line), f.LineStart(line+1)
	for e > s && (f.Text[e-1] == '\n' || f.Text[e-1] == '\r') {
		e--
	}
	return Span{s, e}
}

// LineOf returns the 0-based line of an offset, which is clamped to the text.
func (f *File) LineOf(off int) int {
	return sort.Search(len(f.lines), func(i int) bool { return int(f.lines[i]) > off }) - 1 + btoi(off < 0)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Position returns the position of an offset, clamped to the text; inside a character, its start.
func (f *File) Position(off int, enc Encoding) Position {
	off = charStart(f.Text, max(0, min(off, len(f.Text))))
	line := f.LineOf(off)
	return Position{line, f.units(int(f.lines[line]), off, enc)}
}

// LineCol returns the 1-based line and 1-based column in characters, as messages print them.
func (f *File) LineCol(off int) (line, col int) {
	p := f.Position(off, UTF32)
	return p.Line + 1, p.Col + 1
}

// Offset returns the offset of a position. A column past the end means the end of the line, a line
// past the end the end of the text; a column inside a character means its start.
func (f *File) Offset(p Position, enc Encoding) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(f.lines) {
		return len(f.Text)
	}
	ln := f.Line(p.Line)
	if enc == UTF8 {
		return charStart(f.Text, ln.Start+min(max(0, p.Col), ln.End-ln.Start))
	}
	from, n := f.near(ln, p.Col, enc)
	for i := from; i < ln.End; {
		r, w := utf8.DecodeRuneInString(f.Text[i:ln.End])
		u := width(r, w, enc)
		if n+u > p.Col {
			return i
		}
		n, i = n+u, i+w
	}
	return ln.End
}

// charStart moves an offset inside a well-formed character to its start.
func charStart(s string, off int) int {
	for k := 1; k < utf8.UTFMax && off-k >= 0 && off < len(s); k++ {
		if utf8.RuneStart(s[off]) {
			return off
		}
		if _, w := utf8.DecodeRuneInString(s[off-k:]); w > k {
			return off - k
		}
	}
	return off
}

func width(r rune, w int, enc Encoding) int {
	switch {
	case enc == UTF8:
		return w
	case enc == UTF16 && r >= 0x10000:
		return 2
	}
	return 1
}

// Units returns the length of a text in units of the encoding.
func Units(s string, enc Encoding) int {
	if enc == UTF8 {
		return len(s)
	}
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			n, i = n+1, i+1
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		n, i = n+width(r, w, enc), i+w
	}
	return n
}

// Edit replaces a span by a text.
type Edit struct {
	Span
	New string
}

// Apply returns the file after one edit; its span is clamped to the text.
func (f *File) Apply(e Edit) *File {
	s := max(0, min(e.Start, len(f.Text)))
	t := max(s, min(e.End, len(f.Text)))
	var b strings.Builder
	b.Grow(len(f.Text) - (t - s) + len(e.New))
	b.WriteString(f.Text[:s])
	b.WriteString(e.New)
	b.WriteString(f.Text[t:])
	text := b.String()
	// Lines before the one the edit begins on stay, the one before it too: a "\r" may meet a "\n".
	first := max(0, f.LineOf(s)-1)
	last := f.LineOf(t) + 2 // from here on, line starts only move
	d := len(text) - len(f.Text)
	g := &File{Name: f.Name, Text: text, lines: make([]int32, first+1, len(f.lines)+strings.Count(e.New, "\n")+4)}
	copy(g.lines, f.lines[:first+1])
	from, to := int(f.lines[first]), len(text)
	if last < len(f.lines) {
		to = int(f.lines[last]) + d
	}
	g.lines = lineStarts(g.lines, text[from:to], from)
	if last < len(f.lines) {
		for _, o := range f.lines[last+1:] {
			g.lines = append(g.lines, o+int32(d))
		}
	}
	return g
}

// ApplyEdits returns the file after edits that lie in its text in ascending order and do not
// overlap.
func (f *File) ApplyEdits(es []Edit) *File {
	if len(es) == 1 {
		return f.Apply(es[0])
	}
	n := len(f.Text)
	for _, e := range es {
		n += len(e.New) - (e.End - e.Start)
	}
	var b strings.Builder
	b.Grow(n)
	at := 0
	for _, e := range es {
		b.WriteString(f.Text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(f.Text[at:])
	return NewFile(f.Name, b.String())
}

// ApplyAll returns the text after edits that do not overlap, given in any order with offsets of the
// original text. ok is false if they overlap or lie outside.
func ApplyAll(text string, edits []Edit) (out string, ok bool) {
	es := append([]Edit(nil), edits...)
	sort.SliceStable(es, func(i, j int) bool { return es[i].Start < es[j].Start })
	var b strings.Builder
	at := 0
	for _, e := range es {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			return text, false
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String(), true
}

// Difference returns the edit that makes b of a, without what both begin and end with. It does not
// cut a character in two.
func Difference(a, b string) Edit {
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	end := 0
	for end < len(a)-from && end < len(b)-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for from > 0 && from < len(a) && a[from]&0xc0 == 0x80 { // not inside a character
		from--
	}
	for end > 0 && a[len(a)-end]&0xc0 == 0x80 {
		end--
	}
	return Edit{Span: Span{Start: from, End: len(a) - end}, New: b[from : len(b)-end]}
}
