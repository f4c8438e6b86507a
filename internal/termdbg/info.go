package termdbg

import (
	"path/filepath"
	"slices"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/wasm"
)

// info implements the command info.
type info struct {
	*target
	control *control
	breaks  *breakTable
	lister  *lister
	code    *codeView
	topics  []topic
}

func (in *info) commands() []cmd {
	return []cmd{
		{
			name: "info", aliases: []string{"i"}, group: files, args: "TOPIC", words: topicWords,
			short: "show breakpoints, locals, sources and more; see help info", run: in.cmdInfo,
		},
	}
}

// topic is something that info shows.
type topic struct {
	name   string
	other  []string
	short  string
	serves []string
	run    func(arg string)
}

// topics returns the topics of info.
func (d *debugger) topics() []topic {
	command := func(f func(args)) func(string) { return func(arg string) { f(args{text: arg}) } }
	scope := func(names ...string) func(string) { return command(d.data.scoper(names...)) }
	nouns := wasm.DialectNone.Info().Noun
	others := []string{"coroutine"} // where "stack" would be the frames
	for _, x := range wasm.Dialects() {
		if n := x.Info().Noun; n != nouns && n != "stack" && !slices.Contains(others, n) {
			others = append(others, n)
		}
	}
	return []topic{
		{name: "args", short: "the parameters of the frame", run: d.stacks.infoArgs},
		{
			name: "breakpoints", other: []string{"b", "br", "bp"},
			short: "the breakpoints, watchpoints and catchpoints",
			run:   func(string) { d.breakCmds.listBreaks("") },
		},
		{name: "catch", short: "the events for catch", run: func(string) { d.breakCmds.listFilters() }},
		{
			name: nouns, other: others,
			short: "the frame's stack (" + nouns + ", " + strings.Join(others, ", ") + "), if it is not running",
			run:   scope(stackScopes...),
		},
		{name: "display", short: "the displayed expressions", run: d.data.infoDisplay},
		{
			name: "exception", other: []string{"signals"},
			short: "the trap, unhandled tag or event that stopped the program", run: command(d.stacks.cmdWhy),
		},
		{name: "frame", other: []string{"f"}, short: "the selected frame", run: d.stacks.infoFrame},
		{
			name: "functions", short: "the functions and exports; with an argument, those that contain it",
			run: d.info.infoFunctions,
		},
		{name: "globals", other: []string{"variables"}, short: "the globals", run: scope("Globals")},
		{name: "handlers", short: "the handler or event clauses in force", run: scope(clauseScopes...)},
		{name: "line", short: "the address of the first instruction of a line", run: d.info.infoLine},
		{name: "locals", other: []string{"lo"}, short: "the parameters and locals of the frame", run: scope("Locals")},
		{name: "memory", other: []string{"mem", "tables"}, short: "the memories and tables", run: scope("Memory")},
		{
			name: "modules", other: []string{"sharedlibrary"}, short: "the modules of the program",
			serves: []string{"modules"}, run: d.info.infoModules,
		},
		{
			name: "operands", other: []string{"registers"}, short: "the operand stack of the frame",
			run: scope("Operand stack"),
		},
		{name: "pending", short: "the event that has arrived and was not taken yet", run: scope("Pending event")},
		{
			name: "program", other: []string{"status"}, short: "whether the program is running, and where it is stopped",
			run: d.info.infoProgram,
		},
		{
			name: "schedulers", short: "the stacks below those that manage them, in the order in which they stand in line",
			run: func(string) { d.stacks.console("schedulers") },
		},
		{
			name: "sources", other: []string{"source"}, short: "the source files, and where they are",
			serves: []string{"loadedSources"}, run: d.info.infoSources,
		},
		{name: "stack", other: []string{"s"}, short: "the frames, across stacks", run: command(d.stacks.cmdBacktrace)},
		{name: "stacks", other: []string{"threads", "goroutines"}, short: "the stacks",
			run: command(d.stacks.cmdStacks)},
		{
			name: "targets", short: "the step targets of this statement",
			run: func(string) { d.runner.cmdStepto(args{}) },
		},
		{name: "tree", short: "the stack tree", run: func(string) { d.stacks.console("tree") }},
		{
			name: "wasm", other: []string{"low"},
			short: "locals, operands, globals and memories of the frame as WebAssembly has them", run: d.data.infoWasm,
		},
		{name: "watchpoints", short: "the watchpoints", run: func(string) { d.breakCmds.listBreaks("watchpoint") }},
	}
}

func (in *info) cmdInfo(a args) {
	word, rest, _ := strings.Cut(a.text, " ")
	if word == "" {
		for _, t := range in.topics {
			in.printf("  info %-12s %s\n", t.name, t.short)
		}
		return
	}
	var names []string
	for _, t := range in.topics {
		for _, o := range append([]string{t.name}, t.other...) {
			if o == word {
				t.run(strings.TrimSpace(rest))
				return
			}
		}
		names = append(names, t.name)
	}
	name, err := choose("topic", word, names)
	if err != nil {
		in.fail(err)
		return
	}
	for _, t := range in.topics {
		if t.name == name {
			t.run(strings.TrimSpace(rest))
		}
	}
}

func (in *info) infoFunctions(word string) {
	if !in.standing() {
		return
	}
	n := 0
	for _, t := range in.completions("") {
		if t.Type == "function" && strings.Contains(t.Label, word) {
			in.printf("  %s%s\n", t.Label, in.paint("2", "  "+t.Detail))
			n++
		}
	}
	if n == 0 {
		in.printf("  no function name contains %q\n", word)
	}
}

func (in *info) infoLine(text string) {
	if !in.standing() {
		return
	}
	p, err := in.lister.place(text)
	if err == nil {
		p, err = in.breaks.locate(p)
	}
	switch {
	case err != nil:
		in.fail(err)
	case p.src == nil:
		in.printf("%s\n", p.code)
	default:
		in.printf("%s:%d: code starts at %s\n", in.name(p.src), p.line, p.code)
	}
}

func (in *info) infoModules(string) {
	var b struct {
		Modules []struct {
			Name      string `json:"name"`
			Path      string `json:"path"`
			Dialect   string `json:"dialect"`
			Functions int    `json:"functions"`
			Tags      int    `json:"tags"`
		} `json:"modules"`
	}
	if !in.request("modules", godap.ModulesArguments{}, &b) {
		return
	}
	for _, m := range b.Modules {
		dialect := m.Dialect
		if dialect != "" {
			dialect = ", " + dialect
		}
		in.printf("  %s  %s (functions: %d, tags: %d%s)\n", m.Name, in.relative(m.Path), m.Functions, m.Tags, dialect)
	}
	if len(b.Modules) == 0 {
		in.printf("  no modules\n")
	}
}

func (in *info) infoSources(word string) {
	if in.alive && !in.running {
		var b godap.EvaluateResponseBody
		if !in.request("evaluate", godap.EvaluateArguments{Expression: "sources", Context: "repl"}, &b) {
			return
		}
		n := 0
		for l := range strings.SplitSeq(b.Result, "\n") {
			if strings.Contains(l, word) {
				in.printf("  %s\n", in.relativeTo(l))
				n++
			}
		}
		if n == 0 {
			in.printf("  no source contains %q\n", word)
		}
		return
	}
	var b godap.LoadedSourcesResponseBody
	if !in.request("loadedSources", godap.LoadedSourcesArguments{}, &b) {
		return
	}
	for i := range b.Sources {
		in.printf("  %s\n", in.name(&b.Sources[i]))
	}
	if len(b.Sources) == 0 {
		in.printf("  no sources\n")
	}
}

// relativeTo makes the path at the beginning of a line relative, if it is below this directory.
func (in *info) relativeTo(line string) string {
	path, _, _ := strings.Cut(line, " ")
	if filepath.IsAbs(path) {
		return in.relative(path) + strings.TrimPrefix(line, path)
	}
	return line
}

func (in *info) infoProgram(string) {
	switch {
	case !in.alive:
		in.printf("%s: not running\n", in.relative(in.launch.Program))
	case in.running:
		in.printf("running\n")
	default:
		in.control.shown = shown{}
		queued := in.control.queued
		in.control.arrivedAgain()
		in.control.queued = queued
	}
}
