package termdbg

import (
	"encoding/base64"
	"fmt"
	"sort"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// cmd is a command of the debugger.
type cmd struct {
	name    string
	aliases []string
	args    string
	help    string
	run     func(d *debugger, args string)
}

// commands lists the commands in the order of help.
func commands() []cmd {
	return append([]cmd{
		{"break", []string{"b"}, "[LINE | FILE:LINE[:COL] | $FUNC] [if CONDITION]", "set a breakpoint; without arguments list them", (*debugger).cmdBreak},
		{"delete", []string{"d"}, "[N]", "remove breakpoint N, or all", (*debugger).cmdDelete},
		{"list", []string{"l"}, "[LINE | $FUNC]", "show the source", (*debugger).cmdList},
		{"step", []string{"s"}, "", "follow control into calls, resumed, suspended and switched stacks", stepper("stepIn", "statement")},
		{"next", []string{"n"}, "", "go on to the next statement on this stack", stepper("next", "statement")},
		{"out", []string{"finish"}, "", "finish this activation", stepper("stepOut", "statement")},
		{"stepi", []string{"si"}, "", "like step, by one instruction", stepper("stepIn", "instruction")},
		{"nexti", []string{"ni"}, "", "like next, by one instruction", stepper("next", "instruction")},
		{"back", []string{"rs"}, "", "go back to the stop before, by running the program anew up to there", (*debugger).cmdBack},
		{"continue", []string{"c"}, "", "go on until something stops the program", (*debugger).cmdContinue},
		{"until", []string{"u"}, "LINE | FILE:LINE | $FUNC", "go on until a place is reached", (*debugger).cmdUntil},
		{"stacks", []string{"threads"}, "", "list the stacks and what they are doing", (*debugger).cmdStacks},
		{"tree", nil, "", "draw the tree of stacks", (*debugger).cmdTree},
		{"where", []string{"bt", "backtrace"}, "", "show the frames, across stacks", (*debugger).cmdWhere},
		{"frame", []string{"f"}, "N", "look at frame N", (*debugger).cmdFrame},
		{"up", nil, "", "look at the frame that called or resumed this one", func(d *debugger, _ string) { d.move(1) }},
		{"down", nil, "", "look at the frame that this one called or resumed", func(d *debugger, _ string) { d.move(-1) }},
		{"locals", []string{"vars"}, "", "show parameters and locals", scoper("Locals")},
		{"stack", nil, "[N]", "show the operand stack; with a number look at stack #N", (*debugger).cmdStack},
		{"globals", nil, "", "show the globals", scoper("Globals")},
		{"handlers", nil, "", "show the handlers in force", scoper("Handlers in force")},
		{"memory", []string{"x"}, "ADDRESS [BYTES]", "show memory 0", (*debugger).cmdMemory},
		{"print", []string{"p"}, "EXPRESSION", "evaluate $x, #3, or (i32.add (local.get $x) (i32.const 1))", (*debugger).cmdPrint},
		{"set", nil, "$X = VALUE", "set a local or global", (*debugger).cmdSet},
		{"watch", []string{"w"}, "[EXPRESSION]", "show an expression at every stop; without one show all", (*debugger).cmdWatch},
		{"unwatch", nil, "[N]", "forget watch N, or all", (*debugger).cmdUnwatch},
		{"history", nil, "", "show what happened to stacks", func(d *debugger, _ string) { d.console("history") }},
		{"restart", []string{"run", "r"}, "", "run the program anew", (*debugger).cmdRestart},
		{"help", []string{"h", "?"}, "[COMMAND]", "explain commands", (*debugger).cmdHelp},
		{"quit", []string{"q", "exit"}, "", "end the program and the debugger", func(d *debugger, _ string) { d.quit = true }},
	}, moveCommands()...)
}

// lookup finds a command by name, alias or unambiguous beginning.
func lookup(word string) (*cmd, error) {
	var found []*cmd
	cs := commands()
	for i := range cs {
		c := &cs[i]
		if c.name == word {
			return c, nil
		}
		for _, a := range c.aliases {
			if a == word {
				return c, nil
			}
		}
		if strings.HasPrefix(c.name, word) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("unknown command %q: try help", word)
	case 1:
		return found[0], nil
	}
	var names []string
	for _, c := range found {
		names = append(names, c.name)
	}
	return nil, fmt.Errorf("%q can be %s", word, strings.Join(names, " or "))
}

func (d *debugger) command(line string) {
	word, args, _ := strings.Cut(line, " ")
	c, err := lookup(word)
	if err != nil {
		d.fail(err)
		return
	}
	c.run(d, strings.TrimSpace(args))
}

func (d *debugger) cmdHelp(args string) {
	if args != "" {
		c, err := lookup(args)
		if err != nil {
			d.fail(err)
			return
		}
		d.printf("%s %s\n  %s\n", c.name, c.args, c.help)
		if len(c.aliases) > 0 {
			d.printf("  also: %s\n", strings.Join(c.aliases, ", "))
		}
		return
	}
	for _, c := range commands() {
		d.printf("  %s%s %s\n", d.paint("1", c.name), strings.Repeat(" ", 9-len(c.name)), c.help)
	}
	d.printf("Step over stays on this stack, step follows control, out finishes this activation.\n")
}

// needProgram says so if the program has ended.
func (d *debugger) needProgram() bool {
	if !d.alive {
		d.printf("the program has ended: restart runs it anew\n")
	}
	return d.alive
}

// resume lets the program go on and waits for what comes.
func (d *debugger) resume(request string, args any) {
	d.act(func() bool { return d.request(request, args, nil) })
}

func stepper(request string, g godap.SteppingGranularity) func(*debugger, string) {
	return func(d *debugger, _ string) {
		d.resume(request, godap.NextArguments{ThreadId: d.thread, Granularity: g})
	}
}

func (d *debugger) cmdContinue(string) {
	d.resume("continue", godap.ContinueArguments{ThreadId: d.thread})
}

func (d *debugger) cmdRestart(string) {
	if !d.request("restart", map[string]any{}, nil) {
		return
	}
	d.alive, d.trail = true, nil
	d.wait()
}

func (d *debugger) cmdUntil(args string) {
	if args == "" {
		d.printf("until needs a place: a line, FILE:LINE or $FUNC\n")
		return
	}
	if !d.needProgram() {
		return
	}
	b, err := d.location(args)
	if err != nil {
		d.fail(err)
		return
	}
	b.temp = true
	if d.addBreak(b) {
		d.cmdContinue("")
	} else {
		d.dropTemporary()
	}
}

func (d *debugger) cmdStacks(string) {
	if !d.needProgram() {
		return
	}
	for _, t := range d.threads() {
		mark := "  "
		if t.Id == d.thread {
			mark = d.paint("36", "→ ")
		}
		d.printf("%s%s\n", mark, t.Name)
	}
}

func (d *debugger) cmdTree(string) { d.console("tree") }

// console shows what the adapter answers to a word of its console.
func (d *debugger) console(word string) {
	var b godap.EvaluateResponseBody
	if d.needProgram() && d.request("evaluate", godap.EvaluateArguments{Expression: word, Context: "repl"}, &b) {
		d.printf("%s\n", b.Result)
	}
}

func (d *debugger) cmdWhere(string) {
	if !d.needProgram() {
		return
	}
	for i := range d.frames {
		f := &d.frames[i]
		if f.PresentationHint == "label" {
			d.printf("   %s\n", d.paint("2", "── "+f.Name+" ──"))
			continue
		}
		mark := " "
		if i == d.at {
			mark = d.paint("36", "→")
		}
		d.printf("%s%3d %s\n", mark, i, d.where(f))
	}
}

func (d *debugger) cmdFrame(args string) {
	n, err := strconv.Atoi(args)
	if err != nil || n < 0 || n >= len(d.frames) || d.frames[n].PresentationHint == "label" {
		d.printf("frame needs the number of a frame: where shows them\n")
		return
	}
	d.selectFrame(n)
}

func (d *debugger) selectFrame(n int) {
	d.at, d.listed = n, 0
	d.printf("%3d %s\n", n, d.where(&d.frames[n]))
	d.showLine()
}

// move looks at the next frame outwards (1) or inwards (-1).
func (d *debugger) move(by int) {
	for i := d.at + by; i >= 0 && i < len(d.frames); i += by {
		if d.frames[i].PresentationHint != "label" {
			d.selectFrame(i)
			return
		}
	}
	d.printf("there is no further frame\n")
}

func (d *debugger) cmdStack(args string) {
	if args == "" {
		scoper("Operand stack")(d, "")
		return
	}
	n, err := strconv.Atoi(strings.TrimPrefix(args, "#"))
	if err != nil {
		d.printf("stack needs the number of a stack: stacks lists them\n")
		return
	}
	if !d.needProgram() {
		return
	}
	old := d.thread
	d.thread = n
	d.loadFrames()
	if len(d.frames) == 0 {
		d.thread = old
		d.loadFrames()
		return
	}
	for _, t := range d.threads() {
		if t.Id == n {
			d.printf("%s\n", t.Name)
		}
	}
	d.cmdWhere("")
}

// scoper shows the variables of a scope.
func scoper(name string) func(*debugger, string) {
	return func(d *debugger, _ string) {
		if !d.needProgram() {
			return
		}
		var b godap.ScopesResponseBody
		if !d.request("scopes", godap.ScopesArguments{FrameId: d.frameID()}, &b) {
			return
		}
		for _, sc := range b.Scopes {
			if sc.Name == name {
				if d.variables(sc.VariablesReference, "  ") == 0 {
					d.printf("  (empty)\n")
				}
				return
			}
		}
		d.printf("  (none)\n")
	}
}

// variables prints the children of a variable and gives how many there are.
func (d *debugger) variables(ref int, indent string) int {
	var b godap.VariablesResponseBody
	if !d.request("variables", godap.VariablesArguments{VariablesReference: ref, Count: 200}, &b) {
		return 0
	}
	width := 0
	for _, v := range b.Variables {
		width = max(width, len(v.Name))
	}
	for _, v := range b.Variables {
		t := ""
		if v.Type != "" {
			t = d.paint("2", " : "+v.Type)
		}
		d.printf("%s%-*s = %s%s\n", indent, width, v.Name, v.Value, t)
	}
	return len(b.Variables)
}

func (d *debugger) cmdPrint(args string) {
	if args == "" {
		d.printf("print needs an expression\n")
		return
	}
	if !d.needProgram() {
		return
	}
	var b godap.EvaluateResponseBody
	if !d.request("evaluate", godap.EvaluateArguments{Expression: args, FrameId: d.frameID(), Context: "watch"}, &b) {
		return
	}
	t := ""
	if b.Type != "" {
		t = d.paint("2", " : "+b.Type)
	}
	d.printf("%s%s\n", b.Result, t)
	if b.VariablesReference > 0 {
		d.variables(b.VariablesReference, "  ")
	}
}

func (d *debugger) cmdSet(args string) {
	name, value, ok := strings.Cut(args, "=")
	if !ok {
		name, value, ok = strings.Cut(args, " ")
	}
	if !ok {
		d.printf("set needs a name and a value: set $x = 42\n")
		return
	}
	var b godap.SetExpressionResponseBody
	a := godap.SetExpressionArguments{Expression: strings.TrimSpace(name), Value: strings.TrimSpace(value), FrameId: d.frameID()}
	if d.needProgram() && d.request("setExpression", a, &b) {
		d.printf("%s = %s\n", a.Expression, b.Value)
	}
}

func (d *debugger) cmdWatch(args string) {
	if args != "" {
		d.watches = append(d.watches, watch{expr: args})
	}
	if len(d.watches) == 0 {
		d.printf("nothing is watched\n")
		return
	}
	d.showWatches()
}

func (d *debugger) cmdUnwatch(args string) {
	n, err := strconv.Atoi(args)
	switch {
	case args == "":
		d.watches = nil
	case err != nil || n < 1 || n > len(d.watches):
		d.printf("there is no watch %s\n", args)
	default:
		d.watches = append(d.watches[:n-1], d.watches[n:]...)
	}
}

// showWatches shows the watched expressions; those that changed stand out.
func (d *debugger) showWatches() {
	if !d.alive {
		return
	}
	for i := range d.watches {
		w := &d.watches[i]
		var b godap.EvaluateResponseBody
		value := ""
		if err := d.client.Request("evaluate", godap.EvaluateArguments{Expression: w.expr, FrameId: d.frameID(), Context: "watch"}, &b); err != nil {
			value = "(" + err.Error() + ")"
		} else {
			value = b.Result
		}
		note := ""
		if w.value != "" && w.value != value {
			note = d.paint("33", "  (was "+w.value+")")
		}
		w.value = value
		d.printf("  %d: %s = %s%s\n", i+1, w.expr, value, note)
	}
}

func (d *debugger) cmdMemory(args string) {
	if !d.needProgram() {
		return
	}
	f := strings.Fields(args)
	if len(f) == 0 {
		d.printf("memory needs an address\n")
		return
	}
	at, err := strconv.ParseInt(f[0], 0, 64)
	n := int64(64)
	if len(f) > 1 && err == nil {
		n, err = strconv.ParseInt(f[1], 0, 64)
	}
	if err != nil || at < 0 || n < 0 {
		d.printf("memory needs an address and a number of bytes\n")
		return
	}
	ref := d.memoryReference()
	if ref == "" {
		d.printf("there is no memory here\n")
		return
	}
	var b godap.ReadMemoryResponseBody
	if !d.request("readMemory", godap.ReadMemoryArguments{MemoryReference: ref, Offset: int(at), Count: int(n)}, &b) {
		return
	}
	data, _ := base64.StdEncoding.DecodeString(b.Data)
	for i := 0; i < len(data); i += 16 {
		row := data[i:min(i+16, len(data))]
		text := []byte(string(row))
		for j, c := range text {
			if c < ' ' || c > '~' {
				text[j] = '.'
			}
		}
		d.printf("  %08x  %-47s  %s\n", at+int64(i), fmt.Sprintf("% x", row), text)
	}
	if b.UnreadableBytes > 0 {
		d.printf("  %d bytes are beyond the end\n", b.UnreadableBytes)
	}
}

// memoryReference gives the reference of the first memory of the frame, "" if there is none.
func (d *debugger) memoryReference() string {
	var sc godap.ScopesResponseBody
	if d.client.Request("scopes", godap.ScopesArguments{FrameId: d.frameID()}, &sc) != nil {
		return ""
	}
	for _, x := range sc.Scopes {
		if x.Name != "Memory" {
			continue
		}
		var vs godap.VariablesResponseBody
		if d.client.Request("variables", godap.VariablesArguments{VariablesReference: x.VariablesReference}, &vs) == nil {
			for _, v := range vs.Variables {
				if v.MemoryReference != "" {
					return v.MemoryReference
				}
			}
		}
	}
	return ""
}

func (d *debugger) cmdList(args string) {
	const n = 11
	f := d.frame()
	var src *godap.Source
	if f != nil {
		src = f.Source
	}
	first := 0
	switch {
	case args != "":
		b, err := d.location(args)
		if err != nil {
			d.fail(err)
			return
		}
		if b.fn != "" {
			d.printf("list needs a line\n")
			return
		}
		src, first = &godap.Source{Path: b.file}, b.line-n/2
	case src == nil:
		d.printf("there is no source here\n")
		return
	case d.listed > 0:
		first = d.listed
	default:
		first = f.Line - n/2
	}
	d.listAround(src, first, n)
}

// complete gives the completions of a line.
func (d *debugger) complete(line string) []string {
	word, rest, ok := strings.Cut(line, " ")
	if !ok {
		var out []string
		for _, c := range commands() {
			if strings.HasPrefix(c.name, word) {
				out = append(out, c.name+" ")
			}
		}
		return out
	}
	c, err := lookup(word)
	if err != nil || !d.alive {
		return nil
	}
	switch c.name {
	case "print", "watch", "set":
	case "help":
		var out []string
		for _, x := range commands() {
			if strings.HasPrefix(x.name, rest) {
				out = append(out, word+" "+x.name)
			}
		}
		return out
	default:
		return nil
	}
	var b godap.CompletionsResponseBody
	if d.client.Request("completions", godap.CompletionsArguments{FrameId: d.frameID(), Text: rest, Column: len(rest) + 1}, &b) != nil {
		return nil
	}
	var out []string
	for _, t := range b.Targets {
		if t.Type == "keyword" {
			continue
		}
		out = append(out, word+" "+rest[:t.Start]+t.Label)
	}
	sort.Strings(out)
	return out
}
