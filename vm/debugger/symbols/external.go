package symbols

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/analysis/source"
	"stackscope/vm/debugger/snapshot"
)

// external is a file of source that debugging information names. Its text is read when it is first
// asked for; places do not need it. Offsets are 2³² times the line, and the column as the
// information counts it, both from 0.
type external struct {
	file   *debuginfo.File
	finder *sources.Finder

	once  sync.Once
	found sources.Found
	err   error
	text  *source.File // empty if it is not found
}

// errNoSources is the error of a file whose text is not known.
var errNoSources = errors.New("its text is not there")

// externalSource returns a file that debugging information names as a source.
func externalSource(f *debuginfo.File, fd *sources.Finder) *Source {
	s := &Source{Name: f.Path, ext: &external{file: f, finder: fd}}
	if fd != nil {
		if path, ok := fd.Path(f); ok {
			s.Name = path
		}
	}
	return s
}

// External returns the file that debugging information names; nil: the source is the text of a
// module.
func (s *Source) External() *debuginfo.File {
	if s.ext == nil {
		return nil
	}
	return s.ext.file
}

// Found returns the text of a file that debugging information names, and where it is; the error
// says, for people, why it cannot be read.
func (s *Source) Found() (sources.Found, error) {
	x := s.ext
	x.once.Do(func() {
		switch {
		case x.finder != nil:
			x.found, x.err = x.finder.Find(x.file)
		case x.file.Text != nil:
			x.found.Text, x.err = x.file.Text()
		default:
			x.err = errNoSources
		}
		if x.err != nil {
			x.found.Text = ""
		}
		x.text = source.NewFile(s.Name, x.found.Text)
	})
	return x.found, x.err
}

// contents returns the text of an external file as far as it is known.
func (x *external) contents(s *Source) *source.File {
	_, _ = s.Found() // without it, the text is empty
	return x.text
}

// units is what the columns of the file count.
func (x *external) units() source.Encoding {
	if x.file.Bytes {
		return source.UTF8
	}
	return source.UTF16
}

func (x *external) numLines(s *Source) int {
	if _, err := s.Found(); err != nil {
		return math.MaxInt32
	}
	return x.text.NumLines()
}

func (x *external) lineText(s *Source, line int) string {
	text := x.contents(s)
	if line < 0 || line >= text.NumLines() {
		return ""
	}
	l := text.Line(line)
	return strings.TrimRight(text.Text[l.Start:l.End], "\r\n")
}

func (x *external) position(s *Source, off int, enc source.Encoding) source.Position {
	line, col := snapshot.TextPlace(max(off, 0))
	if enc != x.units() {
		col = recount(x.lineText(s, line), col, x.units(), enc)
	}
	return source.Position{Line: line, Col: col}
}

func (x *external) offset(s *Source, p source.Position, enc source.Encoding) int {
	col := max(p.Col, 0)
	if enc != x.units() {
		col = recount(x.lineText(s, p.Line), col, enc, x.units())
	}
	return snapshot.TextOffset(max(p.Line, 0), col)
}

// recount converts a column of a line. After the end of the line it stays as it is.
func recount(line string, col int, from, to source.Encoding) int {
	if line == "" || col > len(line) {
		return col
	}
	f := source.NewFile("", line)
	return f.Position(f.Offset(source.Position{Col: col}, from), to).Col
}

func (x *external) writeTo(s *Source, w io.Writer) (int64, error) {
	n, err := io.WriteString(w, x.contents(s).Text)
	return int64(n), err
}

// spanOf returns where a place is in the source of its file.
func spanOf(p debuginfo.Place) source.Span {
	at := snapshot.TextOffset(max(p.Line-1, 0), max(p.Col-1, 0))
	return source.Span{Start: at, End: at}
}

// externals are the files of source that the units of a program name: one for each path. They may
// be used by many goroutines.
type externals struct {
	mu    sync.Mutex
	files map[*debuginfo.File]*Source
	paths map[string]*Source // by Source.Name
	used  map[*Source][]uses
}

// uses is that a unit has code of a file.
type uses struct {
	unit int
	file *debuginfo.File
}

func newExternals() *externals {
	return &externals{
		files: map[*debuginfo.File]*Source{}, paths: map[string]*Source{}, used: map[*Source][]uses{},
	}
}

// of returns the source of a file that the information of a unit names.
func (x *externals) of(fd *sources.Finder, unit int, f *debuginfo.File) *Source {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := x.files[f]; s != nil {
		return s
	}
	s := externalSource(f, fd)
	if same := x.paths[s.Name]; same != nil {
		s = same
	} else {
		x.paths[s.Name] = s
	}
	x.files[f] = s
	x.used[s] = append(x.used[s], uses{unit, f})
	return s
}

// AnySource reports whether something is known of the source of a unit.
func (c *Code) AnySource() bool {
	return slices.ContainsFunc(c.list, func(u *Unit) bool { return u.Info != nil })
}

// Externals returns the files of source of a unit. It may be called from any goroutine.
func (c *Code) Externals(unit int) []*Source {
	u := c.Units()[unit]
	if u.Info == nil {
		return nil
	}
	var out []*Source
	seen := map[*Source]bool{}
	for _, f := range u.Info.Files() {
		if s := c.externals.of(u.Sources, unit, f); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// Sources returns the sources of all units: their texts, and the files of source that they were
// compiled from. It may be called from any goroutine.
func (c *Code) Sources() []*Source {
	var out []*Source
	seen := map[*Source]bool{}
	add := func(s *Source) {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	for i, u := range c.Units() {
		add(u.File)
		for _, s := range c.Externals(i) {
			add(s)
		}
	}
	return out
}

// usesOf returns the units that have code of a file of source, by number.
func (c *Code) usesOf(s *Source) []uses {
	for i := range c.Units() {
		c.Externals(i)
	}
	c.externals.mu.Lock()
	defer c.externals.mu.Unlock()
	return slices.Clone(c.externals.used[s])
}
