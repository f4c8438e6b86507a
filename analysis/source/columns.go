package source

import (
	"sort"
	"unicode/utf8"
)

// columns has checkpoints of a text, so that a column of a long line is found without counting from
// the start of the line. They are made when such a column is first asked for.
type columns struct{ marks []mark }

// mark is a checkpoint: the first character at or after a multiple of markEvery bytes, and how many
// units of UTF-16 and UTF-32 stand before it in the text.
type mark struct{ off, utf16, utf32 int32 }

const markEvery = 256

func (m mark) units(enc Encoding) int {
	if enc == UTF16 {
		return int(m.utf16)
	}
	return int(m.utf32)
}

// columns returns the checkpoints.
func (f *File) columns() *columns {
	if c := f.cols.Load(); c != nil {
		return c
	}
	c := &columns{marks: make([]mark, 0, len(f.Text)/markEvery+1)}
	var m mark
	for i := 0; i < len(f.Text); {
		if i >= len(c.marks)*markEvery {
			m.off = int32(i)
			c.marks = append(c.marks, m)
		}
		if f.Text[i] < utf8.RuneSelf {
			m.utf16, m.utf32, i = m.utf16+1, m.utf32+1, i+1
			continue
		}
		r, w := utf8.DecodeRuneInString(f.Text[i:])
		m.utf16, m.utf32, i = m.utf16+int32(width(r, w, UTF16)), m.utf32+1, i+w
	}
	f.cols.Store(c)
	return c
}

// upTo counts the units before an offset of the text.
func (f *File) upTo(off int, enc Encoding) int {
	if off == 0 {
		return 0
	}
	marks := f.columns().marks
	i := min(off/markEvery, len(marks)-1)
	if i > 0 && int(marks[i].off) > off {
		i--
	}
	m := marks[i]
	if i+1 < len(marks) && marks[i+1].off-m.off == marks[i+1].utf32-m.utf32 { // a byte each
		return m.units(enc) + off - int(m.off)
	}
	return m.units(enc) + Units(f.Text[m.off:off], enc)
}

// units counts the units between two offsets of a line, neither of which is inside a character.
func (f *File) units(from, to int, enc Encoding) int {
	if enc == UTF8 || to-from <= 2*markEvery {
		return Units(f.Text[from:to], enc)
	}
	return f.upTo(to, enc) - f.upTo(from, enc)
}

// near returns an offset of a line at or before a column, and the column of that offset.
func (f *File) near(line Span, col int, enc Encoding) (off, at int) {
	if line.End-line.Start <= 2*markEvery || col <= markEvery {
		return line.Start, 0
	}
	marks := f.columns().marks
	first := f.upTo(line.Start, enc)
	i := sort.Search(len(marks), func(i int) bool { return marks[i].units(enc) > first+col }) - 1
	if i < 0 || int(marks[i].off) <= line.Start {
		return line.Start, 0
	}
	if int(marks[i].off) > line.End { // the column is past the end of the line
		return line.End, f.units(line.Start, line.End, enc)
	}
	return int(marks[i].off), marks[i].units(enc) - first
}
