package termdbg

import (
	"fmt"
	"path/filepath"
	"strings"

	godap "github.com/google/go-dap"
)

// name gives a path as people want to see it: relative if it is below the working directory.
func (d *debugger) name(s *godap.Source) string {
	if s == nil {
		return "?"
	}
	if s.Path == "" {
		return s.Name
	}
	if rel, err := filepath.Rel(d.cwd, s.Path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return s.Path
}

// where gives `$f at file:line:col`.
func (d *debugger) where(f *frame) string {
	if f.Source == nil {
		return f.Name
	}
	return fmt.Sprintf("%s at %s:%d:%d", f.Name, d.name(f.Source), f.Line, f.Column)
}

// source gives the lines of a source.
func (d *debugger) source(s *godap.Source) []string {
	if s == nil {
		return nil
	}
	key := fmt.Sprintf("%d %s", s.SourceReference, s.Path)
	if l, ok := d.sources[key]; ok {
		return l
	}
	var b godap.SourceResponseBody
	if err := d.client.Request("source", godap.SourceArguments{Source: s, SourceReference: s.SourceReference}, &b); err != nil {
		return nil
	}
	lines := strings.Split(strings.ReplaceAll(b.Content, "\r\n", "\n"), "\n")
	if d.sources == nil {
		d.sources = map[string][]string{}
	}
	d.sources[key] = lines
	return lines
}

// showLine prints the line of the selected frame.
func (d *debugger) showLine() {
	f := d.frame()
	if f == nil || f.Source == nil {
		return
	}
	if lines := d.source(f.Source); f.Line >= 1 && f.Line <= len(lines) {
		d.printf("%s %s\n", d.paint("36", fmt.Sprintf("→ %4d", f.Line)), lines[f.Line-1])
	}
}

// listAround prints the lines around a 1-based line.
func (d *debugger) listAround(s *godap.Source, first, n int) {
	lines := d.source(s)
	if len(lines) == 0 {
		d.printf("there is no source\n")
		return
	}
	first = max(1, min(first, len(lines)))
	cur := 0
	if f := d.frame(); f != nil && f.Source != nil && f.Source.Path == s.Path && f.Source.SourceReference == s.SourceReference {
		cur = f.Line
	}
	for i := first; i < first+n && i <= len(lines); i++ {
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
		d.printf("%s%s %s\n", mark, num, lines[i-1])
	}
	d.listed = first + n
}

func (d *debugger) breakAt(s *godap.Source, line int) bool {
	for _, b := range d.breaks {
		if b.file != "" && b.file == s.Path && b.line == line {
			return true
		}
	}
	return false
}
