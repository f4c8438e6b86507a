package symbols

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"sync"

	"stackscope/analysis/source"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// Source is the text that places are in: a file that was read, the text of a binary module, or a
// file of source that debugging information names. The second is not made: what is asked about a
// line or a place is found out from the module, and the whole text only if somebody wants it. The
// third is read when somebody wants its text; see external. A Source is known by its pointer. It may
// be used by many goroutines.
//
// Offsets of a file count bytes. Those of a binary module's text, and of source, are 2³² times the
// line, and what is on the line before the place: in order, like the others, but only the Source has
// what is between two of them.
type Source struct {
	Name string // a path, or what to call it in messages

	file   *source.File // the text of a module that was written as text; nil: it is another
	module *wasm.Module // of the text of a binary module
	ext    *external    // of a file of source
	once   sync.Once
	made   *text.Layout // see layout
	summed sync.Once
	sum    string // see SHA256
}

// NewSource returns a file as a source.
func NewSource(f *source.File) *Source { return &Source{Name: f.Name, file: f} }

// PrintedSource returns the text of a module, as wasm/text prints it. The module must not change.
func PrintedSource(name string, m *wasm.Module) *Source { return &Source{Name: name, module: m} }

// Printed reports that the text is that of a binary module, and not what the user wrote.
func (s *Source) Printed() bool { return s.module != nil }

func (s *Source) layout() *text.Layout {
	s.once.Do(func() { s.made = text.NewLayout(s.module, text.Options{}) })
	return s.made
}

// offsetOf returns the offset of a place in a printed text.
func offsetOf(p text.Place) int { return snapshot.TextOffset(p.Line, p.Col) }

// placeOf is the way back; offsets outside of the text are moved to its ends.
func (s *Source) placeOf(off int) text.Place {
	line, col := snapshot.TextPlace(max(off, 0))
	if last := s.NumLines() - 1; line >= last {
		return text.Place{Line: last}
	}
	return text.Place{Line: line, Col: col}
}

// WriteTo writes the whole text.
func (s *Source) WriteTo(w io.Writer) (int64, error) {
	switch {
	case s.Printed():
		return s.layout().WriteTo(w)
	case s.ext != nil:
		return s.ext.writeTo(s, w)
	}
	n, err := io.WriteString(w, s.file.Text)
	return int64(n), err
}

// Text returns the whole text. That of a binary module is made each time, and many times the size
// of that.
func (s *Source) Text() string {
	switch {
	case s.Printed():
		return s.layout().Text()
	case s.ext != nil:
		return s.ext.contents(s).Text
	}
	return s.file.Text
}

// File returns the source as a file, with all of its text.
func (s *Source) File() *source.File {
	switch {
	case s.Printed():
		return source.NewFile(s.Name, s.Text())
	case s.ext != nil:
		return s.ext.contents(s)
	}
	return s.file
}

// SHA256 returns the checksum of the text, in hexadecimal digits. It is computed when it is first
// asked for; the text of a binary module goes through it without being kept.
func (s *Source) SHA256() string {
	s.summed.Do(func() {
		h := sha256.New()
		_, _ = s.WriteTo(h) // a hash takes everything
		s.sum = fmt.Sprintf("%x", h.Sum(nil))
	})
	return s.sum
}

// NumLines returns the number of lines, at least 1; more than any file has, of source whose text is
// not there.
func (s *Source) NumLines() int {
	switch {
	case s.Printed():
		return s.layout().NumLines()
	case s.ext != nil:
		return s.ext.numLines(s)
	}
	return s.file.NumLines()
}

// Lines returns the offsets that lines have, counted from 0: from that of the start of the first,
// up to, but without, that after the last. The end of the text belongs to its last line.
func (s *Source) Lines(first, last int) (from, to int) {
	return s.lineStart(first), s.lineStart(last + 1)
}

func (s *Source) lineStart(line int) int {
	switch {
	case s.ext != nil:
		return snapshot.TextOffset(max(0, line), 0)
	case s.Printed():
		return snapshot.TextOffset(max(0, min(line, s.NumLines())), 0)
	case line >= s.file.NumLines():
		return len(s.file.Text) + 1
	}
	return s.file.LineStart(line)
}

// LineText returns a line, counted from 0, without its end.
func (s *Source) LineText(line int) string {
	switch {
	case s.ext != nil:
		return s.ext.lineText(s, line)
	case line < 0 || line >= s.NumLines():
		return ""
	case s.Printed():
		return s.layout().Line(line)
	}
	from, to := s.Lines(line, line)
	return strings.TrimRight(s.file.Text[from:min(to, len(s.file.Text))], "\r\n")
}

// LineOf returns the line of an offset, counted from 0.
func (s *Source) LineOf(off int) int {
	switch {
	case s.Printed():
		return s.placeOf(off).Line
	case s.ext != nil:
		line, _ := snapshot.TextPlace(max(off, 0))
		return line
	}
	return s.file.LineOf(off)
}

// Position returns the position of an offset, clamped to the text; inside a character, its start.
func (s *Source) Position(off int, enc source.Encoding) source.Position {
	switch {
	case s.ext != nil:
		return s.ext.position(s, off, enc)
	case !s.Printed():
		return s.file.Position(off, enc)
	}
	p := s.placeOf(off)
	at := source.NewFile("", s.layout().Line(p.Line)).Position(p.Col, enc)
	return source.Position{Line: p.Line, Col: at.Col}
}

// LineCol returns the line and the column in characters, both counted from 1, as messages print
// them.
func (s *Source) LineCol(off int) (line, col int) {
	p := s.Position(off, source.UTF32)
	return p.Line + 1, p.Col + 1
}

// Offset returns the offset of a position. A column past the end means the end of the line, a line
// past the end the end of the text; a column inside a character means its start.
func (s *Source) Offset(p source.Position, enc source.Encoding) int {
	switch {
	case s.ext != nil:
		return s.ext.offset(s, p, enc)
	case !s.Printed():
		return s.file.Offset(p, enc)
	case p.Line < 0:
		return 0
	case p.Line >= s.NumLines():
		return s.lineStart(s.NumLines() - 1)
	}
	col := source.NewFile("", s.layout().Line(p.Line)).Offset(source.Position{Col: p.Col}, enc)
	return offsetOf(text.Place{Line: p.Line, Col: col})
}

// opens reports whether a parenthesis stands at an offset where an instruction begins.
func (s *Source) opens(off int) bool {
	return !s.Printed() && off < len(s.file.Text) && s.file.Text[off] == '('
}

// header returns the end of what opens at an offset with a parenthesis, up to the next one or the
// end of the line: `(event $yield`, and with its own closing one, `($yield $on_yield)`.
func (s *Source) header(off int) int {
	text := s.file.Text
	for i := off + 1; i < len(text); i++ {
		switch text[i] {
		case ')':
			if off < len(text) && text[off] == '(' {
				return i + 1
			}
			return i
		case '(', '\n', ';':
			for i > off+1 && (text[i-1] == ' ' || text[i-1] == '\t' || text[i-1] == '\r') {
				i--
			}
			return i
		}
	}
	return len(text)
}

// span returns n bytes from an offset on; they stand on one line of a printed text.
func (s *Source) span(off, n int) source.Span {
	if !s.Printed() {
		return source.Span{Start: off, End: min(off+n, len(s.file.Text))}
	}
	return source.Span{Start: off, End: off + n}
}

// starts returns the offsets of the instructions of a function of a printed text.
func (s *Source) starts(fn uint32) []int {
	ps := s.layout().Starts(fn)
	out := make([]int, len(ps))
	for i, p := range ps {
		out[i] = offsetOf(p)
	}
	return out
}

// instr returns the place of an instruction of a function of a printed text, which begins at an
// offset.
func (s *Source) instr(fn uint32, pc, start int) source.Span {
	return source.Span{Start: start, End: start + s.layout().Width(fn, pc)}
}

// function returns the offset of a function of a printed text, and that of the line after it.
func (s *Source) function(fn uint32) (from, behind int) {
	at, line, ok := s.layout().Func(fn)
	if !ok {
		return 0, 0
	}
	return offsetOf(at), snapshot.TextOffset(line, 0)
}
