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

// completeLine completes a line at the cursor: as far as the candidates agree. If they agree no
// further than what is there, they are returned to be listed.
func (d *debugger) completeLine(line string, pos int) (string, int, []string) {
	before, after := line[:pos], line[pos:]
	start, words := d.candidates(before)
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

// candidates returns what can stand where the last word of a line begins, and where that is.
func (d *debugger) candidates(line string) (int, []string) {
	trimmed := strings.TrimLeft(line, " ")
	lead := len(line) - len(trimmed)
	word, rest, ok := strings.Cut(trimmed, " ")
	if !ok {
		name, _, slash := strings.Cut(word, "/")
		if slash {
			return len(line), nil
		}
		var out []string
		cs := commands()
		for i := range cs {
			if strings.HasPrefix(cs[i].name, name) {
				out = append(out, cs[i].name)
			}
		}
		slices.Sort(out)
		return lead, out
	}
	c, _, err := parseLine(word)
	if err != nil {
		return len(line), nil
	}
	at := len(line) - len(strings.TrimLeft(rest, " "))
	return d.arguments(c, line, at)
}

// arguments completes the arguments of a command, which begin at an offset of the line.
func (d *debugger) arguments(c *cmd, line string, at int) (int, []string) {
	text := line[at:]
	last := at + strings.LastIndexAny(text, " \t,") + 1
	word := line[last:]
	first := !strings.ContainsAny(text, " \t")
	begin := func(words []string) (int, []string) { return last, beginning(words, word) }
	if i := strings.LastIndex(" "+text, " if "); i >= 0 && c.group == breakpoints && len(text) >= i+3 {
		return d.expression(line, at+i+3)
	}
	switch c.name {
	case "help":
		var names []string
		for i := range commands() {
			names = append(names, commands()[i].name)
		}
		for _, g := range groups() {
			names = append(names, string(g.name))
		}
		return begin(names)
	case "info":
		if !first {
			return len(line), nil
		}
		var names []string
		for _, t := range infoTopics() {
			names = append(names, t.name)
		}
		return begin(names)
	case "print", "call", "whatis", "display", "set", "watch", "rwatch", "awatch", "x", "dump", "write":
		return d.expression(line, at)
	case "condition":
		if !first {
			return d.expression(line, at+strings.IndexByte(text, ' ')+1)
		}
		return begin(d.numbers())
	case "break", "tbreak", "until", "advance", "list", "clear", "jump", "dprintf", "disassemble", "locations":
		return begin(d.placeNames())
	case "catch", "tcatch":
		if first {
			return begin(d.filterNames())
		}
		return begin([]string{"function", "if", "off", "stack", "tag"})
	case "delete", "enable", "disable", "ignore", "commands":
		return begin(d.numbers())
	case "thread", "cancel", "operands":
		if c.name == "thread" && first {
			return begin(append(d.stackNames(), "apply"))
		}
		return begin(d.stackNames())
	case "stacks":
		return begin(
			[]string{
				"function=", "group=function", "group=site", "group=state", "group=tag", "max=", "site=",
				"state=new", "state=running", "state=suspended", "state=waiting", "tag=", "text=",
			},
		)
	case "source", "restore", "save":
		return last, fileNames(d.cwd, word)
	}
	return len(line), nil
}

// beginning returns those of the words that begin with a text, sorted.
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

func (d *debugger) numbers() []string {
	var out []string
	for _, b := range d.breaks {
		out = append(out, fmt.Sprint(b.n))
	}
	return out
}

func (d *debugger) stackNames() []string {
	var out []string
	if !d.alive || d.running {
		return nil
	}
	for _, t := range d.threads() {
		if t.Id < scriptThread {
			out = append(out, fmt.Sprintf("#%d", t.Id))
		}
	}
	return out
}

// placeNames lists the functions and files.
func (d *debugger) placeNames() []string {
	var out []string
	for _, t := range d.completions("") {
		if t.Type == "function" {
			out = append(out, t.Label)
		}
	}
	if d.client == nil {
		return out
	}
	var b godap.LoadedSourcesResponseBody
	_ = d.ask("loadedSources", godap.LoadedSourcesArguments{}, &b)
	for _, s := range b.Sources {
		out = append(out, strings.TrimSuffix(s.Name, " (text)")+":")
	}
	return out
}

// completions asks the adapter what an expression can go on with.
func (d *debugger) completions(text string) []godap.CompletionItem {
	if !d.alive || d.running {
		return nil
	}
	var b godap.CompletionsResponseBody
	_ = d.ask(
		"completions",
		godap.CompletionsArguments{FrameId: d.frameID(), Text: text, Column: len(utf16.Encode([]rune(text))) + 1},
		&b,
	)
	return b.Targets
}

// expression completes an expression that begins at an offset of the line.
func (d *debugger) expression(line string, at int) (int, []string) {
	text := line[at:]
	units := utf16.Encode([]rune(text))
	start := len(line)
	var out []string
	for _, t := range d.completions(text) {
		if t.Type == "keyword" { // a word of the console
			continue
		}
		// The start is a column, counted from 1 as was agreed.
		n := min(max(t.Start-1, 0), len(units))
		start = at + len(string(utf16.Decode(units[:n])))
		out = append(out, t.Label)
	}
	if len(out) == 0 {
		return len(line), nil
	}
	return start, beginning(out, line[start:])
}

// fileNames lists the files that a path can go on with.
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
