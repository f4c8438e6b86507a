package termdbg

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

func fileCommands() []cmd {
	return []cmd{
		{
			name: "list", aliases: []string{"l", "ls"}, group: files, args: "[PLACE | FROM,TO | -]",
			short: "show the source", again: true, serves: []string{"source"},
			run: (*debugger).cmdList,
		},
		{
			name: "disassemble", aliases: []string{"disas"}, group: files,
			args:  "[$FUNC | LINE | *ADDRESS]",
			short: "show the instructions of a function; /r with their bytes", slash: true,
			serves: []string{"disassemble"}, run: (*debugger).cmdDisassemble,
		},
		{
			name: "info", aliases: []string{"i"}, group: files, args: "TOPIC",
			short: "show breakpoints, locals, sources and more: help info", run: (*debugger).cmdInfo,
		},
	}
}

// instruction is a line of a disassembly.
type instruction struct {
	godap.DisassembledInstruction
	PresentationHint string `json:"presentationHint"`
}

// maxFunction is how many instructions of a function are looked at.
const maxFunction = 20_000

// disassembleFrom returns instructions from some after an address on; those outside of the code are
// left out.
func (d *debugger) disassembleFrom(at string, skip, n int) ([]instruction, error) {
	var b struct {
		Instructions []instruction `json:"instructions"`
	}
	a := map[string]any{"memoryReference": at, "instructionOffset": skip, "instructionCount": n}
	if err := d.ask("disassemble", a, &b); err != nil {
		return nil, err
	}
	var out []instruction
	var src *godap.Source
	for _, x := range b.Instructions {
		if x.PresentationHint == "invalid" {
			continue
		}
		if x.Location != nil { // it is given where it changes
			src = x.Location
		}
		x.Location = src
		out = append(out, x)
	}
	return out, nil
}

// eachFrom calls f with the instructions from an address on until it returns false, the code ends,
// or n were looked at. The chunks grow: most searches end soon.
func (d *debugger) eachFrom(at string, n int, f func(x *instruction) bool) error {
	skip := 0
	for chunk := firstChunk; n > 0; chunk = min(2*chunk, maxFunction) {
		code, err := d.disassembleFrom(at, skip, chunk)
		if err != nil {
			return err
		}
		for i := range code {
			if !f(&code[i]) {
				return nil
			}
		}
		if len(code) < chunk || d.interrupted {
			return nil
		}
		at, skip, n = code[len(code)-1].Address, 1, n-chunk
	}
	return nil
}

// firstChunk is how many instructions are asked for first.
const firstChunk = 64

// function returns the instructions of the function around an address.
func (d *debugger) function(at string) ([]instruction, error) {
	for n := firstChunk; ; n *= 8 {
		all, err := d.disassembleFrom(at, -n, n+1)
		if err != nil {
			return nil, err
		}
		here := slices.IndexFunc(all, func(x instruction) bool { return x.Address == at })
		if here < 0 {
			return nil, errors.New("there is no instruction at this address")
		}
		first := here
		for first > 0 && all[first].Symbol == "" {
			first--
		}
		if all[first].Symbol == "" && len(all) > n && n < maxFunction {
			continue
		}
		out := slices.Clone(all[first:here])
		err = d.eachFrom(at, maxFunction, func(x *instruction) bool {
			if x.Symbol != "" && x.Address != at {
				return false
			}
			out = append(out, *x)
			return true
		})
		return out, err
	}
}

// find returns the address of the first instruction of a function, or on a line.
func (d *debugger) find(p place) (string, error) {
	if p.code != "" {
		return p.code, nil
	}
	q, err := d.resolve(p)
	if err != nil {
		return "", err
	}
	var mods struct {
		TotalModules int `json:"totalModules"`
	}
	if err := d.ask("modules", godap.ModulesArguments{}, &mods); err != nil {
		return "", err
	}
	best, line := "", 0
	for unit := 1; unit <= min(mods.TotalModules, maxUnits); unit++ {
		at := fmt.Sprintf("0x%x", uint64(unit)<<32)
		err := d.eachFrom(at, maxSearch, func(x *instruction) bool {
			switch {
			case sourceKey(x.Location) != sourceKey(q.src):
				return x.Location == nil // a unit is in one file
			case x.Line < q.line, p.fn != "" && x.Symbol == "":
			case best == "", x.Line < line, x.Line == line && q.col > 0 && x.Column == q.col:
				best, line = x.Address, x.Line
			}
			return !(line == q.line && (q.col == 0 || p.fn != ""))
		})
		if err != nil && best == "" && unit == mods.TotalModules {
			return "", err
		}
	}
	if best == "" {
		return "", errors.New("there is no code there")
	}
	return best, nil
}

// Bounds of the search for the code of a line: modules, and instructions of each.
const (
	maxUnits  = 1000
	maxSearch = 4_000_000
)

func (d *debugger) cmdDisassemble(a args) {
	bytes := strings.ContainsAny(a.format, "r")
	if rest, ok := strings.CutPrefix(a.text, "-r"); ok {
		bytes, a.text = true, strings.TrimSpace(rest)
	}
	if strings.Trim(a.format, "rsm") != "" {
		d.failf("%q is not a format of disassemble: r shows the bytes", a.format)
		return
	}
	if !d.standing() {
		return
	}
	at, err := d.codeAt(a.text)
	var code []instruction
	if err == nil {
		code, err = d.function(at)
	}
	if err != nil {
		d.fail(err)
		return
	}
	d.instructions(code, bytes)
}

// codeAt returns the address of the code at a place; of "" that of the frame.
func (d *debugger) codeAt(text string) (string, error) {
	if text == "" || text == "$pc" {
		return d.codeAddress("$pc")
	}
	if n, err := strconv.ParseUint(text, 0, 64); err == nil && n>>32 != 0 {
		return d.codeAddress(text)
	}
	p, err := d.place(text)
	if err != nil {
		return "", err
	}
	return d.find(p)
}

// instructions prints instructions; an arrow marks where the frame stands.
func (d *debugger) instructions(code []instruction, bytes bool) {
	here := ""
	if f := d.frame(); f != nil {
		here = f.InstructionPointerReference
	}
	for _, x := range code {
		if d.interrupted {
			return
		}
		if x.Symbol != "" {
			d.printf("%s:\n", d.paint("1", x.Symbol))
		}
		mark := "  "
		if x.Address == here {
			mark = d.paint("36", "→ ")
		}
		raw := ""
		if bytes {
			raw = fmt.Sprintf("%-24s ", x.InstructionBytes)
		}
		d.printf("%s%s  %s%5d  %s\n", mark, d.paint("2", x.Address), raw, x.Line, x.Instruction)
	}
}

// examineCode is x/i.
func (d *debugger) examineCode(text string, n int) {
	x := &d.examined
	at, skip := x.code, 0
	var err error
	if text != "" {
		at, err = d.codeAt(text)
	} else if at == "" {
		at, err = d.codeAt("")
	}
	var code []instruction
	if err == nil {
		code, err = d.disassembleFrom(at, skip, n+1)
	}
	if err == nil && len(code) == 0 {
		err = errors.New("there is no code at this address")
	}
	if err != nil {
		d.fail(err)
		return
	}
	d.instructions(code[:min(n, len(code))], false)
	*x = examined{any: true, code: code[len(code)-1].Address}
}

// topic is something that info shows.
type topic struct {
	name   string
	other  []string
	short  string
	serves []string
	run    func(d *debugger, arg string)
}

func infoTopics() []topic {
	scope := func(name string) func(*debugger, string) {
		return func(d *debugger, _ string) { scoper(name)(d, args{}) }
	}
	run := func(f func(*debugger, args)) func(*debugger, string) {
		return func(d *debugger, arg string) { f(d, args{text: arg}) }
	}
	return []topic{
		{name: "args", short: "the parameters of the frame", run: (*debugger).infoArgs},
		{
			name: "breakpoints", other: []string{"b", "br", "bp"},
			short: "the breakpoints, watchpoints and catchpoints",
			run:   func(d *debugger, _ string) { d.listBreaks("") },
		},
		{name: "catch", short: "the events that catch can stop at", run: func(d *debugger, _ string) { d.listFilters() }},
		{
			name: "continuation", short: "what is known of the stack of the frame, if it does not run",
			run: scope("Continuation"),
		},
		{name: "display", short: "the expressions that are shown at every stop", run: (*debugger).infoDisplay},
		{
			name: "exception", other: []string{"signals"},
			short: "the trap, unhandled tag or event where the program stands", run: run((*debugger).cmdWhy),
		},
		{name: "frame", other: []string{"f"}, short: "the selected frame", run: (*debugger).infoFrame},
		{
			name: "functions", short: "the functions and exports; with a word those that contain it",
			run: (*debugger).infoFunctions,
		},
		{name: "globals", other: []string{"variables"}, short: "the globals", run: scope("Globals")},
		{name: "handlers", short: "the handlers in force", run: scope("Handlers in force")},
		{name: "line", short: "where the code of a line begins", run: (*debugger).infoLine},
		{name: "locals", other: []string{"lo"}, short: "the parameters and locals of the frame", run: scope("Locals")},
		{name: "memory", other: []string{"mem", "tables"}, short: "the memories and tables", run: scope("Memory")},
		{
			name: "modules", other: []string{"sharedlibrary"}, short: "the modules of the program",
			serves: []string{"modules"}, run: (*debugger).infoModules,
		},
		{
			name: "operands", other: []string{"registers"}, short: "the operand stack of the frame",
			run: scope("Operand stack"),
		},
		{
			name: "program", other: []string{"status"}, short: "whether the program runs, and where it stands",
			run: (*debugger).infoProgram,
		},
		{
			name: "sources", other: []string{"source"}, short: "the source files",
			serves: []string{"loadedSources"}, run: (*debugger).infoSources,
		},
		{name: "stack", other: []string{"s"}, short: "the frames, across stacks", run: run((*debugger).cmdBacktrace)},
		{name: "stacks", other: []string{"threads", "goroutines"}, short: "the stacks", run: run((*debugger).cmdStacks)},
		{
			name: "targets", short: "where a step into this statement can lead",
			run: func(d *debugger, _ string) { d.cmdStepto(args{}) },
		},
		{name: "tree", short: "the tree of stacks", run: func(d *debugger, _ string) { d.console("tree") }},
		{name: "watchpoints", short: "the watchpoints", run: func(d *debugger, _ string) { d.listBreaks("watchpoint") }},
	}
}

func (d *debugger) cmdInfo(a args) {
	word, rest, _ := strings.Cut(a.text, " ")
	if word == "" {
		for _, t := range infoTopics() {
			d.printf("  info %-12s %s\n", t.name, t.short)
		}
		return
	}
	var names []string
	for _, t := range infoTopics() {
		for _, o := range append([]string{t.name}, t.other...) {
			if o == word {
				t.run(d, strings.TrimSpace(rest))
				return
			}
		}
		names = append(names, t.name)
	}
	name, err := choose("topic", word, names)
	if err != nil {
		d.fail(err)
		return
	}
	for _, t := range infoTopics() {
		if t.name == name {
			t.run(d, strings.TrimSpace(rest))
		}
	}
}

func (d *debugger) infoArgs(string) {
	f := d.frame()
	if !d.standing() {
		return
	}
	if f == nil {
		d.failf("there is no frame")
		return
	}
	var b godap.StackTraceResponseBody
	a := map[string]any{
		"threadId": d.thread,
		"levels":   d.at + 1,
		"format": map[string]bool{
			"parameters": true, "parameterNames": true, "parameterTypes": true, "parameterValues": true,
		},
	}
	if d.request("stackTrace", a, &b) && d.at < len(b.StackFrames) {
		d.printf("%s\n", b.StackFrames[d.at].Name)
	}
}

func (d *debugger) infoDisplay(string) {
	if len(d.displays) == 0 {
		d.printf("nothing is displayed\n")
	}
	for _, x := range d.displays {
		d.printf("  %d: %s\n", x.n, x.expr)
	}
}

func (d *debugger) infoFrame(string) {
	if !d.standing() {
		return
	}
	f := d.frame()
	if f == nil {
		d.failf("there is no frame")
		return
	}
	d.printf("frame %d of %s: %s\n", d.at, d.threadTitle(d.thread), d.where(f))
	if f.InstructionPointerReference != "" {
		d.printf("  code address %s\n", f.InstructionPointerReference)
	}
	d.showLine()
}

func (d *debugger) infoFunctions(word string) {
	if !d.standing() {
		return
	}
	n := 0
	for _, t := range d.completions("") {
		if t.Type == "function" && strings.Contains(t.Label, word) {
			d.printf("  %s%s\n", t.Label, d.paint("2", "  "+t.Detail))
			n++
		}
	}
	if n == 0 {
		d.printf("  no function has %q in its name\n", word)
	}
}

func (d *debugger) infoLine(text string) {
	if !d.standing() {
		return
	}
	p, err := d.place(text)
	at := ""
	if err == nil {
		at, err = d.find(p)
	}
	if err == nil && p.src == nil {
		p, err = d.resolve(p)
	}
	if err != nil {
		d.fail(err)
		return
	}
	if p.src == nil {
		d.printf("%s\n", at)
		return
	}
	d.printf("%s:%d: the code begins at %s\n", d.name(p.src), p.line, at)
}

func (d *debugger) infoModules(string) {
	var b struct {
		Modules []struct {
			Name      string `json:"name"`
			Path      string `json:"path"`
			Dialect   string `json:"dialect"`
			Functions int    `json:"functions"`
			Tags      int    `json:"tags"`
		} `json:"modules"`
	}
	if !d.request("modules", godap.ModulesArguments{}, &b) {
		return
	}
	for _, m := range b.Modules {
		dialect := m.Dialect
		if dialect != "" {
			dialect = ", " + dialect
		}
		d.printf("  %s  %s (functions: %d, tags: %d%s)\n", m.Name, d.relative(m.Path), m.Functions, m.Tags, dialect)
	}
	if len(b.Modules) == 0 {
		d.printf("  there are no modules\n")
	}
}

func (d *debugger) infoSources(string) {
	var b godap.LoadedSourcesResponseBody
	if !d.request("loadedSources", godap.LoadedSourcesArguments{}, &b) {
		return
	}
	for i := range b.Sources {
		d.printf("  %s\n", d.name(&b.Sources[i]))
	}
	if len(b.Sources) == 0 {
		d.printf("  there are no sources\n")
	}
}

func (d *debugger) infoProgram(string) {
	switch {
	case !d.alive:
		d.printf("%s: not running\n", d.relative(d.o.Launch.Program))
	case d.running:
		d.printf("running\n")
	default:
		d.last = shown{}
		queued := d.queued
		d.arrivedAgain()
		d.queued = queued
	}
}
