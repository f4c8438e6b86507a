package dap

import (
	"path"
	"sort"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/analysis/source"
	engine "stackscope/vm/debugger"
	"stackscope/wasm"
)

// completion is an item with a start that may be 0.
type completion struct {
	godap.CompletionItem
	Start int `json:"start"`
}

type completionsBody struct {
	Targets []completion `json:"targets"`
}

// completer collects what can complete a word.
type completer struct {
	before string // the line up to the word
	prefix string // what is there of the word
	seen   map[string]bool
	items  []godap.CompletionItem
}

// newCompleter takes the word at an offset of a line apart. A mnemonic is a word, with its points;
// of a path the word is what follows the last point.
func newCompleter(line string, at int) *completer {
	c := &completer{seen: map[string]bool{}}
	split := func(ends string) {
		start := at
		for start > 0 && strings.IndexByte(ends, line[start-1]) < 0 {
			start--
		}
		if i := strings.LastIndexByte(line[start:at], '$'); i > 0 { // `1-$x`: a name may have a `-` in it, but no `$`
			start += i
		}
		c.before, c.prefix = line[:start], line[start:at]
	}
	if split(wordEnds); !c.atMnemonic() {
		split(wordEnds + ".")
	}
	return c
}

// wordEnds are the characters that no word has.
const wordEnds = " \t()[],=<>!&|+*/%^~?:\""

// atMnemonic reports whether the word follows a parenthesis that does not begin a call.
func (c *completer) atMnemonic() bool {
	outer, ok := strings.CutSuffix(c.before, "(")
	return ok && (outer == "" || strings.ContainsAny(outer[len(outer)-1:], " \t()[,="))
}

func (c *completer) add(label, kind, detail string) {
	if key := kind + label; strings.HasPrefix(label, c.prefix) && !c.seen[key] {
		c.seen[key] = true
		c.items = append(c.items, godap.CompletionItem{
			Label: label, Type: godap.CompletionItemType(kind), Detail: detail,
		})
	}
}

func (c *completer) vars(kind string, vs []engine.Var) {
	for _, v := range vs {
		c.add(v.Name, kind, v.Type)
	}
}

// path returns the path that ends in the line's last point, without it: `$p.$x`, `$a[1]`, `memory
// $m`.
func (c *completer) path() (string, bool) {
	s, ok := strings.CutSuffix(c.before, ".")
	if !ok {
		if s, ok = strings.CutSuffix(c.before, "->"); !ok {
			return "", false
		}
	}
	i, depth := len(s), 0
	for ; i > 0; i-- {
		switch b := s[i-1]; {
		case depth == 0 && (strings.HasSuffix(s[:i], "->") || strings.HasSuffix(s[:i], "::")):
			i--
		case b == ']':
			depth++
		case b == '[' && depth > 0:
			depth--
		case depth == 0 && strings.IndexByte(" \t()[,=<>!&|+*/%^~?:\"", b) >= 0:
			if space := word(s[:i]); b == ' ' && isSpace(space) {
				return space + " " + s[i:], true
			}
			return s[i:], true
		}
	}
	return s, true
}

// word returns the last word of a text that ends in a blank.
func word(s string) string {
	s = strings.TrimRight(s, " ")
	return s[strings.LastIndexAny(s, " \t(),=<>!&|+*/%^~?:")+1:]
}

// isSpace reports whether a word begins a path into an index space.
func isSpace(w string) bool {
	switch w {
	case "local", "param", "global", "table", "memory":
		return true
	}
	return false
}

// named returns those variables that a name can be used for, without what their names begin with.
func named(vs []engine.Var, cut string) []engine.Var {
	var out []engine.Var
	for _, v := range vs {
		if v.Name = strings.TrimPrefix(v.Name, cut); cut != "" || strings.HasPrefix(v.Name, "$") {
			out = append(out, v)
		}
	}
	return out
}

// consoleWords are the words that the console understands.
func consoleWords() []string {
	return []string{
		"cancel", "continue", "help", "history", "next", "out", "schedulers", "sources", "step", "stacks", "tree",
	}
}

// complete fills in what fits in a frame.
func (c *completer) complete(e *engine.Engine, f engine.Frame, stacks func() []engine.Stack) {
	if c.atMnemonic() {
		for _, n := range wasm.Mnemonics() {
			c.add(n, "function", wasm.Lookup(n)[0].Signature())
		}
		return
	}
	if base, ok := c.path(); ok {
		if inSource(f) {
			c.vars("property", members(e, f, base))
		}
		c.vars("property", e.Evaluator.Members(f, base))
		return
	}
	if strings.HasPrefix(c.prefix, "#") {
		for _, st := range stacks() {
			id, title, _ := strings.Cut(st.Title(), " ")
			c.add(id, "reference", title)
		}
		return
	}
	if strings.TrimSpace(c.before) == "" {
		for _, w := range consoleWords() {
			c.add(w, "keyword", "")
		}
		c.vars("variable", e.Inspector.Tables(f))
		c.vars("variable", e.Inspector.Memories(f))
	}
	if strings.HasSuffix(c.before, " ") {
		switch space := word(c.before); space {
		case "local", "param":
			c.vars("variable", named(e.Inspector.Locals(f), space+" "))
			return
		case "global":
			c.vars("variable", named(e.Inspector.Globals(f), space+" "))
			return
		case "table":
			c.vars("variable", named(e.Inspector.Tables(f), space+" "))
			return
		case "memory":
			c.vars("variable", named(e.Inspector.Memories(f), space+" "))
			return
		}
	}
	if inSource(f) {
		c.vars("variable", e.Inspector.SourceNames(f))
	}
	if inSource(f) {
		c.functions(f)
	}
	c.vars("variable", named(e.Inspector.Locals(f), ""))
	c.vars("variable", named(e.Inspector.Globals(f), ""))
	for _, fn := range e.Evaluator.Callables(f) {
		c.add(fn.Name, "function", fn.Type)
	}
}

// maxNamed is how many functions of a module are completed by the names that the source has.
const maxNamed = 5000

// functions adds the functions that people wrote, by their names in the source.
func (c *completer) functions(f engine.Frame) {
	info := f.Function.Unit.Info
	for i := range min(len(f.Module.Funcs), maxNamed) {
		if len(f.Module.Funcs[i].Body) == 0 {
			continue
		}
		if fn := info.Func(uint32(i)); fn != nil && !fn.Runtime && len(fn.Rows) > 0 && fn.Name != "" {
			c.add(fn.Name, "function", path.Base(fn.Decl.String()))
		}
	}
}

// members returns what is in a value of the source, or in what a pointer points to.
func members(e *engine.Engine, f engine.Frame, expr string) []engine.Var {
	vs, err := e.Evaluator.Eval(f, expr, 0)
	if err != nil || len(vs) != 1 || vs[0].Children == nil || vs[0].Page != nil {
		return nil
	}
	out := vs[0].Children()
	if len(out) == 1 && strings.HasPrefix(out[0].Name, "*") && out[0].Children != nil {
		out = out[0].Children()
	}
	return out
}

// onCompletions completes variables, what is in them, functions, stacks, mnemonics after a
// parenthesis, and words of the console.
func (ev *evaluator) onCompletions(a *godap.CompletionsArguments) (any, error) {
	out := completionsBody{Targets: []completion{}}
	text := source.NewFile("", a.Text)
	n := 0
	if a.Line > 0 {
		n = min(max(ev.client.fromLine(a.Line), 0), text.NumLines()-1)
	}
	at := text.Offset(source.Position{Line: n, Col: max(ev.client.fromCol(a.Column), 0)}, source.UTF16)
	from := text.LineStart(n)
	c := newCompleter(a.Text[from:at], at-from)
	err := ev.prog.whenStopped(func(e *engine.Engine) error {
		f, err := ev.vars.frame(a.FrameId)
		if err == nil {
			c.complete(e, f, func() []engine.Stack { return ev.threads.snapshot(false).Stacks })
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	// Positions count from the beginning of the text, in UTF-16 units.
	width := func(s string) int { return source.NewFile("", s).Position(len(s), source.UTF16).Col }
	start := ev.client.col(width(strings.ReplaceAll(a.Text[:from], "\n", " ") + c.before))
	for _, x := range c.items {
		x.Length = width(c.prefix)
		out.Targets = append(out.Targets, completion{x, start})
	}
	sort.SliceStable(out.Targets, func(i, j int) bool { return out.Targets[i].Label < out.Targets[j].Label })
	return out, nil
}
