package termdbg

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// span is a range of lines, counted from 1; last is the last one.
type span struct{ first, last int }

// relative returns a path as people want to see it: relative if it is below the working directory.
func (d *debugger) relative(path string) string {
	if rel, err := filepath.Rel(d.cwd, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

func (d *debugger) name(s *godap.Source) string {
	switch {
	case s == nil:
		return "?"
	case s.Path == "":
		return s.Name
	}
	return d.relative(s.Path)
}

// where returns `$f at file:line:col`.
func (d *debugger) where(f *frame) string {
	if f.Source == nil {
		return f.Name
	}
	return fmt.Sprintf("%s at %s:%d:%d", f.Name, d.name(f.Source), f.Line, f.Column)
}

// text returns the lines of a source.
func (d *debugger) text(s *godap.Source) []string {
	if s == nil {
		return nil
	}
	key := sourceKey(s)
	if l, ok := d.sources[key]; ok {
		return l
	}
	var b godap.SourceResponseBody
	if d.ask("source", godap.SourceArguments{Source: s, SourceReference: s.SourceReference}, &b) != nil {
		// A script without a module in text is no source of the adapter's, but a file.
		info, err := os.Stat(s.Path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			return nil
		}
		content, err := os.ReadFile(s.Path)
		if err != nil {
			return nil
		}
		b.Content = string(content)
	}
	lines := strings.Split(strings.ReplaceAll(b.Content, "\r\n", "\n"), "\n")
	if d.sources == nil {
		d.sources = map[string][]string{}
	}
	d.sources[key] = lines
	return lines
}

// maxShown bounds what is shown of a line, in characters.
const maxShown = 400

// showLine prints the line of the selected frame, with a caret line below it unless the place is
// all of the line.
func (d *debugger) showLine() {
	f := d.frame()
	if f == nil || f.Source == nil {
		return
	}
	lines := d.text(f.Source)
	if f.Line < 1 || f.Line > len(lines) {
		return
	}
	line, caret := lines[f.Line-1], ""
	first, last := runeColumn(line, f.Column), len([]rune(line))
	if f.EndLine == f.Line {
		last = runeColumn(line, f.EndColumn)
	}
	text, from := window(line, first)
	if begin := len(line) - len(strings.TrimLeft(line, " \t")); first > begin ||
		f.EndLine == f.Line && strings.Trim(string([]rune(line)[min(last, len([]rune(line))):]), " \t)") != "" {
		caret = carets(text, first-from, last-from)
	}
	d.printf("%s %s\n", d.paint("36", fmt.Sprintf("→ %4d", f.Line)), text)
	if caret != "" {
		d.printf("       %s\n", d.paint("36", caret))
	}
}

// runeColumn returns the index in runes of a column in UTF-16 units, counted from 1.
func runeColumn(line string, col int) int {
	n, units := 0, 1
	for _, r := range line {
		if units >= col {
			break
		}
		if units++; r > 0xffff {
			units++
		}
		n++
	}
	return n
}

// window returns what is shown of a line in which a column matters, and the index of its first
// rune.
func window(line string, col int) (string, int) {
	r := []rune(line)
	if len(r) <= maxShown {
		return line, 0
	}
	from := max(0, col-maxShown/2)
	return string(r[from:min(len(r), from+maxShown)]), from
}

// carets returns the line that marks the runes from first to last, without last, of a line.
func carets(line string, first, last int) string {
	var b strings.Builder
	n := 0
	for _, r := range line {
		switch {
		case n >= first && n >= last && n > first:
			return b.String()
		case n == first:
			b.WriteByte('^')
		case n > first:
			b.WriteByte('~')
		case r == '\t':
			b.WriteByte('\t')
		default:
			b.WriteByte(' ')
		}
		n++
	}
	return b.String()
}

// cmdList shows lines: those around a place, a range, or what follows or precedes the lines shown
// last.
func (d *debugger) cmdList(a args) {
	const n = 11
	src := d.current()
	if d.listed.last > 0 {
		src = d.source
	}
	switch {
	case a.text == "-" && d.listed.last > 0 && d.listed.first <= 1:
		d.failf("line 1 was shown already")
		return
	case a.text == "-" && d.listed.last > 0:
		d.list(src, max(1, d.listed.first-n), d.listed.first-1)
		return
	case a.text == "" && d.listed.last > 0:
		d.list(src, d.listed.last+1, d.listed.last+n)
		return
	case a.text == "" || a.text == "-":
		d.around(src, max(d.currentLine(), 1), n)
		return
	}
	if from, to, ok := strings.Cut(a.text, ","); ok {
		p, err := d.place(from)
		if err != nil {
			d.fail(err)
			return
		}
		if p, err = d.resolve(p); err != nil {
			d.fail(err)
			return
		}
		last := p.line + n - 1
		if to = strings.TrimSpace(to); to != "" {
			x, err := strconv.Atoi(to)
			if err != nil || x < p.line {
				d.failf("%q is not a line at or below line %d", to, p.line)
				return
			}
			last = x
		}
		d.list(p.src, p.line, last)
		return
	}
	p, err := d.place(a.text)
	if err == nil {
		p, err = d.resolve(p)
	}
	if err != nil {
		d.fail(err)
		return
	}
	d.around(p.src, p.line, n)
}

// around shows n lines around a line.
func (d *debugger) around(s *godap.Source, line, n int) {
	first := max(1, line-n/2)
	d.list(s, first, first+n-1)
}

// list shows the lines of a range.
func (d *debugger) list(s *godap.Source, first, last int) {
	lines := d.text(s)
	switch {
	case len(lines) == 0:
		d.failf("there is no source")
		return
	case first > len(lines) || last < 1:
		d.failf("%s has %d lines", d.name(s), len(lines))
		return
	}
	d.source = s
	first, last = max(1, first), min(last, len(lines))
	cur := 0
	if f := d.frame(); f != nil && sourceKey(f.Source) == sourceKey(s) {
		cur = f.Line
	}
	for i := first; i <= last && !d.interrupted; i++ {
		mark := " "
		if d.breakAt(s, i) {
			mark = d.paint("31", "●")
		}
		num := fmt.Sprintf("%4d", i)
		if i == cur {
			num = d.paint("36", "→"+num)
		} else {
			num = " " + num
		}
		text, _ := window(lines[i-1], 0)
		d.printf("%s%s %s\n", mark, num, text)
	}
	d.listed = span{first, last}
}

// breakAt reports whether a breakpoint is on a line.
func (d *debugger) breakAt(s *godap.Source, line int) bool {
	for _, b := range d.breaks {
		if !b.disabled && !b.failed && b.found.src != nil && sourceKey(b.found.src) == sourceKey(s) && b.found.line == line {
			return true
		}
	}
	return false
}
