// Package listing joins the printed text of a module with the source that it was compiled from: the
// places of source of an offset in the text, and the text with lines of source between its own.
package listing

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// Listing is a printed module with what is known of its source. It may be used by many goroutines.
type Listing struct {
	Text string

	m      *wasm.Module
	mp     *text.Map
	info   *debuginfo.Info
	finder *sources.Finder
	mu     sync.Mutex
	lines  map[*debuginfo.File][]string
}

// Level is a call that an instruction is in: its function, or one that was inlined.
type Level struct {
	Func    string // as the source writes it; "" if that is not known
	Inlined bool
	Place   debuginfo.Place
	Path    string // of the file on this machine; "": it is not there
	Text    string // the line, without the space around it; "" if it is not known
}

// New prints a module and joins it with its information. A Listing without information, nil, has no
// places.
func New(m *wasm.Module, info *debuginfo.Info, finder *sources.Finder) *Listing {
	l := &Listing{m: m, info: info, finder: finder, lines: map[*debuginfo.File][]string{}}
	l.Text, l.mp = text.Print(m, text.Options{})
	return l
}

// At returns the calls around the instruction at an offset of the text, innermost first. Of the
// first line of a function it is the function with the place of its declaration. It returns nothing
// where the source is not known.
func (l *Listing) At(off int) []Level {
	fn, pc, ok := l.mp.At(wasm.Pos(off))
	if !ok {
		return nil
	}
	f := l.info.Func(fn)
	if f == nil {
		return nil
	}
	if from := l.mp.Funcs[fn].From; !strings.Contains(l.Text[from:off], "\n") {
		return l.Func(fn)
	}
	place, ok := f.Place(pc)
	if !ok {
		return nil
	}
	var out []Level
	for _, s := range f.Chain(pc) {
		if s.Kind == debuginfo.ScopeInline {
			out = append(out, l.level(s.Name, true, place))
			place = s.Call
		}
	}
	return append(out, l.level(f.Name, false, place))
}

// Func returns a function with the place of its declaration, in a list of one; of an unknown one it
// is empty.
func (l *Listing) Func(fn uint32) []Level {
	f := l.info.Func(fn)
	if f == nil || f.Decl.File == nil {
		return nil
	}
	return []Level{l.level(f.Name, false, f.Decl)}
}

// Name returns the range of offsets of the name of a function, or of the word `func`; ok is false for
// an import.
func (l *Listing) Name(fn uint32) (from, to int, ok bool) {
	if int64(fn) >= int64(len(l.mp.Funcs)) {
		return 0, 0, false
	}
	from = int(l.mp.Funcs[fn].From) + len("(")
	if !strings.HasPrefix(l.Text[from:], "func") {
		return 0, 0, false // an import
	}
	to = from + len("func")
	if rest := l.Text[to:]; strings.HasPrefix(rest, " $") {
		from = to + 1
		to = from + strings.IndexAny(l.Text[from:], " )\n")
		if strings.HasPrefix(rest, ` $"`) {
			to = from + 2 + strings.IndexByte(l.Text[from+2:], '"') + 1
		}
	}
	return from, to, to > from
}

// NumFuncs returns the number of functions.
func (l *Listing) NumFuncs() int { return len(l.m.Funcs) }

func (l *Listing) level(name string, inlined bool, p debuginfo.Place) Level {
	v := Level{Func: name, Inlined: inlined, Place: p}
	if p.File == nil {
		return v
	}
	if l.finder != nil {
		v.Path, _ = l.finder.Path(p.File)
	}
	if ls := l.linesOf(p.File); p.Line >= 1 && p.Line <= len(ls) {
		v.Text = strings.TrimSpace(ls[p.Line-1])
	}
	return v
}

// linesOf returns the lines of a file; none if its text is not there.
func (l *Listing) linesOf(f *debuginfo.File) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	ls, ok := l.lines[f]
	if !ok {
		if l.finder == nil {
			l.finder = &sources.Finder{}
		}
		if found, err := l.finder.Find(f); err == nil {
			ls = strings.Split(strings.ReplaceAll(found.Text, "\r\n", "\n"), "\n")
		}
		l.lines[f] = ls
	}
	return ls
}

// String returns `main.c:12`, with the file's name alone.
func (v Level) String() string {
	if v.Place.File == nil {
		return ""
	}
	name := sources.Slashes(v.Place.File.Path)
	return fmt.Sprintf("%s:%d", name[strings.LastIndexByte(name, '/')+1:], v.Place.Line)
}

// Interleaved returns the text with a comment before the instructions of each line of source, and
// before each function: `;; main.c:12  int x = 1;`. It is the same module.
func (l *Listing) Interleaved() string {
	var b strings.Builder
	done := 0
	insert := func(at int, v Level) {
		line := strings.LastIndexByte(l.Text[:at], '\n') + 1
		if line < done {
			return
		}
		b.WriteString(l.Text[done:line])
		done = line
		rest := l.Text[line:]
		b.WriteString(rest[:len(rest)-len(strings.TrimLeft(rest, " "))])
		b.WriteString(";; " + comment(v.String()))
		if v.Inlined && v.Func != "" {
			b.WriteString(comment(" (inlined " + v.Func + ")"))
		}
		if v.Text != "" {
			b.WriteString("  " + comment(v.Text))
		}
		b.WriteByte('\n')
	}
	for fn := range l.m.Funcs {
		f := l.info.Func(uint32(fn))
		if f == nil {
			continue
		}
		var last debuginfo.Place
		if f.Decl.File != nil && len(l.m.Funcs[fn].Body) > 0 {
			insert(int(l.mp.Funcs[fn].From), l.level("", false, f.Decl))
			last = f.Decl
		}
		for _, row := range f.Rows {
			if row.File == nil || row.File == last.File && row.Line == last.Line {
				continue
			}
			last = row.Place
			at, ok := l.mp.Instr(uint32(fn), row.PC)
			if !ok {
				continue
			}
			v := l.level("", false, row.Place)
			for _, s := range f.Chain(row.PC) {
				if s.Kind == debuginfo.ScopeInline {
					v.Func, v.Inlined = s.Name, true
					break
				}
			}
			insert(int(at.From), v)
		}
	}
	b.WriteString(l.Text[done:])
	return b.String()
}

// maxComment is how many bytes of a line of source are shown.
const maxComment = 400

// comment returns a text that can stand in a comment of one line.
func comment(s string) string {
	if len(s) > maxComment {
		s = strings.ToValidUTF8(s[:maxComment], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029:
			return '·' // nothing that hides what follows, or ends the line
		}
		return r
	}, s)
}
