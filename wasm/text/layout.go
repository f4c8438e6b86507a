package text

import (
	"io"
	"sort"
	"strings"
	"sync"

	"stackscope/wasm"
)

// Place is a place in a text: a line, counted from 0, and how many bytes of the line stand before
// it.
type Place struct{ Line, Col int }

// Layout reports where in a module's text its parts stand, and what stands on a line, without
// making the text: what it does is proportional to the number of fields of the module, and to the
// size of the function that it is asked about. The text is Print's with the same options. The
// module must not change. A Layout may be used by many goroutines.
type Layout struct {
	mu     sync.Mutex
	p      *printer
	fields []field
	starts []int // by field: its first line; after the last one, how many lines stand before the end of the text
	funcs  []int // by function index: its field or import, -1: none
	at     *body // where the last row was asked for
}

// NewLayout returns the layout of a module's text.
func NewLayout(m *wasm.Module, o Options) *Layout {
	l := &Layout{p: newPrinter(m, o), funcs: make([]int, len(m.Funcs))}
	l.fields = l.p.fields()
	l.starts = make([]int, len(l.fields)+1)
	for i := range l.funcs {
		l.funcs[i] = -1
	}
	line := 1
	for i, f := range l.fields {
		l.starts[i] = line
		line += l.p.lines(f)
		switch {
		case f.kind == fieldFunc:
			l.funcs[f.i] = i
		case f.kind == fieldImport && m.Imports[f.i].Kind == wasm.ExternFunc &&
			int64(m.Imports[f.i].Index) < int64(len(l.funcs)):
			l.funcs[m.Imports[f.i].Index] = i
		}
	}
	l.starts[len(l.fields)] = line
	return l
}

// NumLines returns the number of lines, the empty one at the end included.
func (l *Layout) NumLines() int { return l.starts[len(l.fields)] + 1 }

// WriteTo writes the whole text.
func (l *Layout) WriteTo(w io.Writer) (n int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	write := func(put func()) {
		if err != nil {
			return
		}
		var k int
		k, err = w.Write(l.print(put))
		n += int64(k)
	}
	write(l.p.head)
	for _, f := range l.fields {
		write(func() { l.p.field(f) })
	}
	write(func() { l.p.put(")\n") })
	return n, err
}

// Text returns the whole text.
func (l *Layout) Text() string {
	var b strings.Builder
	_, _ = l.WriteTo(&b) // a Builder takes everything
	return b.String()
}

// print returns what is put; it is good until something else is.
func (l *Layout) print(put func()) []byte {
	l.p.b = l.p.b[:0]
	put()
	return l.p.b
}

// Func returns where the field or the import of a function begins, and the line after its last
// one. ok is false if the text has none.
func (l *Layout) Func(fn uint32) (from Place, behind int, ok bool) {
	if int64(fn) >= int64(len(l.funcs)) || l.funcs[fn] < 0 {
		return Place{}, 0, false
	}
	i := l.funcs[fn]
	return Place{l.starts[i], len(l.p.o.Indent)}, l.starts[i+1], true
}

// body returns a function that has a body in the text.
func (l *Layout) body(fn uint32) (f *wasm.Func, first int, ok bool) {
	if int64(fn) >= int64(len(l.funcs)) || l.funcs[fn] < 0 || l.fields[l.funcs[fn]].kind != fieldFunc {
		return nil, 0, false
	}
	f = &l.p.m.Funcs[fn]
	return f, l.starts[l.funcs[fn]] + headerLines(f), true
}

// Starts returns where the instructions of a function's body begin. The `end` of the function is
// its `)`.
func (l *Layout) Starts(fn uint32) []Place {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, first, ok := l.body(fn)
	if !ok {
		return nil
	}
	out := make([]Place, 0, len(f.Body))
	b := l.p.body(fn, f)
	l.print(b.flush)
	for line := first; b.pc < rows(f); line++ {
		if len(b.hints) > 0 && int(b.hints[0].PC) == b.pc {
			line++
		}
		col := min(b.depth(), maxIndent) * len(l.p.o.Indent)
		if b.opensClause() {
			col++
		}
		out = append(out, Place{line, col})
		b.skip()
	}
	if len(out) < len(f.Body) {
		last := first + rowLine(f, rows(f)) - 1
		text := strings.TrimSuffix(l.line(last), ")")
		if last == l.NumLines()-2 { // with the `)` of the module
			text = strings.TrimSuffix(text, ")")
		}
		out = append(out, Place{last, len(text)})
	}
	return out
}

// Width returns how many bytes an instruction of a function takes: its mnemonic and immediates. The
// `end` of the function takes one.
func (l *Layout) Width(fn uint32, pc int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, _, ok := l.body(fn)
	switch {
	case !ok || pc < 0 || pc >= len(f.Body):
		return 0
	case pc >= rows(f):
		return 1
	}
	b := l.seek(fn, f, pc)
	var s Span
	l.print(func() { s = b.row() })
	return int(s.To - s.From)
}

// seek returns the body of a function before a row. It goes on from where it was, if it can.
func (l *Layout) seek(fn uint32, f *wasm.Func, pc int) *body {
	if l.at == nil || l.at.f != f || l.at.pc > pc {
		l.at = l.p.body(fn, f)
		l.print(l.at.flush)
	}
	for l.at.pc < pc {
		l.at.skip()
	}
	return l.at
}

// Line returns a line, counted from 0, without its line end; "" if there is none.
func (l *Layout) Line(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.line(n)
}

func (l *Layout) line(n int) string {
	var text string
	i := sort.Search(len(l.fields), func(i int) bool { return l.starts[i] > n }) - 1
	switch {
	case n < 0 || n >= l.NumLines()-1:
		return ""
	case i < 0:
		text = string(l.print(l.p.head))
	case l.fields[i].kind == fieldFunc:
		text = l.funcLine(l.fields[i].i, n-l.starts[i])
	default:
		text = nth(l.print(func() { l.p.field(l.fields[i]) }), n-l.starts[i])
	}
	if n == l.NumLines()-2 {
		text += ")"
	}
	return text
}

// funcLine returns a line of a function, counted from its first.
func (l *Layout) funcLine(fn uint32, n int) string {
	f := &l.p.m.Funcs[fn]
	k := n - headerLines(f)
	if k < 0 {
		return nth(l.print(l.p.body(fn, f).header), n)
	}
	pc := sort.Search(rows(f), func(pc int) bool { return rowLine(f, pc) >= k })
	b := l.seek(fn, f, pc)
	lines := strings.Split(string(l.print(func() { b.row() })), "\n")
	return lines[len(lines)-1-(rowLine(f, pc)-k)] // a hint stands before its instruction
}

// nth returns a line of lines that each begin with their line end.
func nth(text []byte, n int) string {
	return strings.Split(string(text), "\n")[n+1]
}
