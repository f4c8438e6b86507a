package termdbg

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	godap "github.com/google/go-dap"
)

// completion completes command lines.
type completion struct {
	*target
	breaks *breakTable
	table  table
	topics []topic
}

// completeLine completes a line at the cursor: as far as the candidates agree. If they agree no
// further than what is there, they are returned to be listed.
func (cp *completion) completeLine(line string, pos int) (string, int, []string) {
	before, after := line[:pos], line[pos:]
	start, words := cp.candidates(before)
	if len(words) == 0 {
		return line, pos, nil
	}
	common := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	common = strings.ToValidUTF8(common, "")
	if typed := before[start:]; len(words) > 1 && len(common) <= len(typed) {
		return line, pos, words
	}
	if len(words) == 1 && !strings.HasSuffix(common, "/") && !strings.HasSuffix(common, ":") &&
		!strings.HasPrefix(after, " ") &&
		start == 0 {
		common += " "
	}
	out := before[:start] + common
	return out + after, len(out), nil
}

// candidates returns what the last word of a line can be, and the offset of that word.
func (cp *completion) candidates(line string) (int, []string) {
	trimmed := strings.TrimLeft(line, " ")
	lead := len(line) - len(trimmed)
	word, rest, ok := strings.Cut(trimmed, " ")
	if !ok {
		name, _, slash := strings.Cut(word, "/")
		if slash {
			return len(line), nil
		}
		var out []string
		for i := range cp.table {
			if strings.HasPrefix(cp.table[i].name, name) {
				out = append(out, cp.table[i].name)
			}
		}
		slices.Sort(out)
		return lead, out
	}
	c, _, err := cp.table.parseLine(word)
	if err != nil {
		return len(line), nil
	}
	at := len(line) - len(strings.TrimLeft(rest, " "))
	return cp.arguments(c, line, at)
}

// arguments completes the arguments of a command, which begin at an offset of the line.
func (cp *completion) arguments(c *cmd, line string, at int) (int, []string) {
	text := line[at:]
	last := at + strings.LastIndexAny(text, " \t,") + 1
	word := line[last:]
	first := !strings.ContainsAny(text, " \t")
	begin := func(words []string) (int, []string) { return last, beginning(words, word) }
	if i := strings.LastIndex(" "+text, " if "); i >= 0 && c.group == breakpoints && len(text) >= i+3 {
		return cp.expression(line, at+i+3)
	}
	switch c.words {
	case helpWords:
		var names []string
		for i := range cp.table {
			names = append(names, cp.table[i].name)
		}
		for _, g := range groups() {
			names = append(names, string(g.name))
		}
		return begin(names)
	case topicWords:
		if !first {
			return len(line), nil
		}
		var names []string
		for _, t := range cp.topics {
			names = append(names, t.name)
		}
		return begin(names)
	case exprWords:
		return cp.expression(line, at)
	case conditionWords:
		if !first {
			return cp.expression(line, at+strings.IndexByte(text, ' ')+1)
		}
		return begin(cp.breaks.numbers())
	case placeWords:
		return begin(cp.placeNames())
	case filterWords:
		if first {
			return begin(cp.breaks.filterNames())
		}
		return begin([]string{"function", "if", "off", "stack", "tag"})
	case breakWords:
		return begin(cp.breaks.numbers())
	case threadWords:
		if first {
			return begin(append(cp.stackNames(), "apply"))
		}
		return begin(cp.stackNames())
	case stackWords:
		return begin(cp.stackNames())
	case queryWords:
		return begin([]string{
			"function=", "group=function", "group=site", "group=state", "group=tag", "max=", "site=",
			"state=new", "state=running", "state=suspended", "state=waiting", "tag=", "text=",
		})
	case viewWords:
		return begin([]string{"all", "source", "wat"})
	case fileWords:
		return last, fileNames(cp.cwd, word)
	}
	return len(line), nil
}

// beginning returns the words that start with a text, sorted.
func beginning(words []string, text string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(w, text) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out
}

func (cp *completion) stackNames() []string {
	var out []string
	if !cp.alive || cp.running {
		return nil
	}
	for _, t := range cp.threads() {
		if t.Id < scriptThread {
			out = append(out, fmt.Sprintf("#%d", t.Id))
		}
	}
	return out
}

// placeNames lists the functions and files.
func (cp *completion) placeNames() []string {
	var out []string
	for _, t := range cp.completions("") {
		if t.Type == "function" {
			out = append(out, t.Label)
		}
	}
	if cp.conn == nil {
		return out
	}
	var b godap.LoadedSourcesResponseBody
	_ = cp.ask("loadedSources", godap.LoadedSourcesArguments{}, &b)
	for _, s := range b.Sources {
		if s.PresentationHint == "deemphasize" {
			continue
		}
		out = append(out, strings.TrimSuffix(s.Name, " (text)")+":")
	}
	return out
}

// expression completes an expression that begins at an offset of the line.
func (cp *completion) expression(line string, at int) (int, []string) {
	text := line[at:]
	units := utf16.Encode([]rune(text))
	start := len(line)
	var out []string
	for _, t := range cp.completions(text) {
		if t.Type == "keyword" { // a word of the console
			continue
		}
		// The start is a column, 1-based.
		n := min(max(t.Start-1, 0), len(units))
		start = at + len(string(utf16.Decode(units[:n])))
		out = append(out, t.Label)
	}
	if len(out) == 0 {
		return len(line), nil
	}
	return start, beginning(out, line[start:])
}

// fileNames lists the completions of a path.
func fileNames(cwd, path string) []string {
	dir, name := filepath.Split(path)
	at := dir
	if !filepath.IsAbs(at) {
		at = filepath.Join(cwd, at)
	}
	es, err := os.ReadDir(at)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range es {
		if !strings.HasPrefix(e.Name(), name) || strings.HasPrefix(e.Name(), ".") && name == "" {
			continue
		}
		n := dir + e.Name()
		if e.IsDir() {
			n += string(filepath.Separator)
		}
		out = append(out, n)
	}
	return out
}
