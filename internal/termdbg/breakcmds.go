package termdbg

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

const placeHelp = `A place is LINE, LINE:COL, FILE:LINE[:COL], +N, -N, $FUNC, an export, $TAG (each instruction that sends it), or
*ADDRESS (an instruction). Without a place it is where the program stands. A condition is an expression such as $i > 3
or (i32.eqz (local.get $x)); stack #3 binds the breakpoint to a stack.`

func breakCommands() []cmd {
	return []cmd{
		{
			name:    "break",
			aliases: []string{"b", "br"},
			group:   breakpoints,
			args:    "[PLACE] [stack #N] [if CONDITION]",
			short:   "set a breakpoint",
			long:    placeHelp,
			once:    true,
			serves: []string{
				"setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints",
			},
			run: func(d *debugger, a args) { d.breakAtPlace(a, false) },
		},
		{
			name: "tbreak", aliases: []string{"tb"}, group: breakpoints,
			args:  "[PLACE] [stack #N] [if CONDITION]",
			short: "set a breakpoint that is deleted at its first stop", once: true,
			run: func(d *debugger, a args) { d.breakAtPlace(a, true) },
		},
		{
			name:    "watch",
			aliases: []string{"w"},
			group:   breakpoints,
			args:    "[-r | -w | -rw] DATUM [if CONDITION]",
			short:   "stop when a local, global, field, element or memory changes",
			long: `A datum is $x, $p.$field, $a[3], table $t[4], i32[0x10], or ADDRESS,BYTES. -r stops at reads, -w at all writes,
-rw at both; display shows an expression at each stop instead.`,
			once:   true,
			serves: []string{"dataBreakpointInfo", "setDataBreakpoints"},
			run:    func(d *debugger, a args) { d.watch(a, "") },
		},
		{
			name: "rwatch", group: breakpoints, args: "DATUM [if CONDITION]",
			short: "stop when something is read", once: true,
			run: func(d *debugger, a args) { d.watch(a, "read") },
		},
		{
			name: "awatch", group: breakpoints, args: "DATUM [if CONDITION]",
			short: "stop when something is read or written", once: true,
			run: func(d *debugger, a args) { d.watch(a, "readWrite") },
		},
		{
			name:  "catch",
			group: breakpoints,
			args:  "[EVENT [off] [if CONDITION]]",
			short: "stop at a control event or a fault; without arguments list them",
			long: `A condition is tag $yield, stack 3 or function $gen; a bare $yield is a tag. Faults are on from the start;
catch trap off turns one off.`,
			once:   true,
			serves: []string{"setExceptionBreakpoints", "exceptionInfo"},
			run:    func(d *debugger, a args) { d.catch(a, false) },
		},
		{
			name: "tcatch", group: breakpoints, args: "EVENT [if CONDITION]",
			short: "like catch, for one stop", once: true,
			run: func(d *debugger, a args) { d.catch(a, true) },
		},
		{
			name:    "dprintf",
			aliases: []string{"log", "trace"},
			group:   breakpoints,
			args:    "PLACE[, TEXT]",
			short:   "print a text with {expressions} at a place, without a stop",
			long: `dprintf $worker, digit is {$digit}
dprintf 70, "%d of %d\n", $i, $n`,
			once: true,
			run:  (*debugger).cmdDprintf,
		},
		{
			name: "condition", aliases: []string{"cond"}, group: breakpoints, args: "N [CONDITION]",
			short: "give breakpoint N a condition, or none", once: true, run: (*debugger).cmdCondition,
		},
		{
			name: "ignore", group: breakpoints, args: "N COUNT",
			short: "let breakpoint N pass the next COUNT times", counted: true, once: true,
			run: (*debugger).cmdIgnore,
		},
		{
			name: "commands", aliases: []string{"on"}, group: breakpoints, args: "[N]",
			short: "execute commands when breakpoint N has stopped the program",
			long:  "The commands follow, a line each, up to a line with end. Without a number it is about the breakpoint set last.",
			once:  true, run: (*debugger).cmdCommands,
		},
		{
			name: "enable", group: breakpoints, args: "[once | delete] [N…]",
			short: "put breakpoints in force; for one stop with once or delete", once: true,
			run: func(d *debugger, a args) { d.enable(a, true) },
		},
		{
			name: "disable", group: breakpoints, args: "[N…]", short: "put breakpoints out of force",
			once: true, run: func(d *debugger, a args) { d.enable(a, false) },
		},
		{
			name: "delete", aliases: []string{"d", "clearall"}, group: breakpoints, args: "[N…]",
			short: "delete breakpoints, or all", once: true, run: (*debugger).cmdDelete,
		},
		{
			name: "clear", group: breakpoints, args: "[PLACE]", short: "delete the breakpoints at a place",
			once: true, run: (*debugger).cmdClear,
		},
		{
			name: "breakpoints", aliases: []string{"bp"}, group: breakpoints,
			short: "list the breakpoints; info breakpoints does the same",
			run:   func(d *debugger, _ args) { d.listBreaks("") },
		},
		{
			name: "locations", group: breakpoints, args: "[LINE]",
			short: "list where breakpoints can be set on a line", serves: []string{"breakpointLocations"},
			run: (*debugger).cmdLocations,
		},
		{
			name: "save", group: breakpoints, args: "breakpoints FILE",
			short: "write the breakpoints to a file that source reads", once: true, run: (*debugger).cmdSave,
		},
	}
}

// clauses takes `if CONDITION` and `stack #N` off the end of arguments.
func clauses(s string) (rest, cond string, stack int, err error) {
	s = " " + s + " "
	rest, cond, _ = strings.Cut(s, " if ")
	words := strings.Fields(rest)
	if n := len(words); n >= 2 && (words[n-2] == "stack" || words[n-2] == "thread") {
		if stack, err = stackNumber(words[n-1]); err != nil {
			return "", "", 0, err
		}
		words = words[:n-2]
	}
	return strings.Join(words, " "), strings.TrimSpace(cond), stack, nil
}

// stackNumber reads `#3` or `3`.
func stackNumber(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "#"))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a stack: stacks lists them", s)
	}
	return n, nil
}

func (d *debugger) breakAtPlace(a args, temp bool) {
	text, cond, stack, err := clauses(a.text)
	if err != nil {
		d.fail(err)
		return
	}
	p, err := d.place(text)
	if err != nil {
		d.fail(err)
		return
	}
	d.add(&brk{kind: p.kind(), at: p, cond: cond, stack: stack, temp: temp})
}

// kind is that of a breakpoint at a place.
func (p place) kind() brkKind {
	switch {
	case p.code != "":
		return bpCode
	case p.fn != "":
		return bpFunc
	}
	return bpLine
}

func (d *debugger) watch(a args, access string) {
	text := a.text
	for _, f := range []struct{ flag, access string }{{"-rw", "readWrite"}, {"-r", "read"}, {"-w", "write"}} {
		if rest, ok := strings.CutPrefix(text, f.flag+" "); ok && access == "" {
			text, access = strings.TrimSpace(rest), f.access
		}
	}
	expr, cond, stack, err := clauses(text)
	if err == nil && stack != 0 {
		err = fmt.Errorf("a watchpoint takes no stack: a local is watched in one activation, other data whoever touches it")
	}
	if err == nil && expr == "" {
		err = fmt.Errorf("watch needs a datum, such as $x or i32[0x10]: display shows an expression at each stop")
	}
	if err != nil {
		d.fail(err)
		return
	}
	if !d.standing() {
		return
	}
	type info struct {
		Name      string `json:"name"`
		FrameID   int    `json:"frameId,omitempty"`
		Bytes     int    `json:"bytes,omitempty"`
		AsAddress bool   `json:"asAddress,omitempty"`
		Mode      string `json:"mode,omitempty"`
	}
	x := info{Name: expr, FrameID: d.frameID()}
	if at, n, ok := strings.Cut(expr, ","); ok {
		if x.Bytes, err = strconv.Atoi(strings.TrimSpace(n)); err != nil || x.Bytes < 1 {
			d.failf("%q is not a number of bytes", strings.TrimSpace(n))
			return
		}
		x.Name, x.AsAddress = strings.TrimSpace(at), true
	} else if _, err := strconv.ParseUint(expr, 0, 64); err == nil {
		x.AsAddress = true
	}
	b := &brk{kind: bpData, expr: expr, cond: cond, access: access}
	if access == "" {
		x.Mode, b.access = "changed", "write"
	}
	var body struct {
		DataID      *string `json:"dataId"`
		Description string  `json:"description"`
	}
	if !d.request("dataBreakpointInfo", x, &body) {
		return
	}
	if body.DataID == nil {
		d.failf("%s", body.Description)
		return
	}
	b.data, b.title = *body.DataID, body.Description
	d.add(b)
}

// filterNames lists the exception filters.
func (d *debugger) filterNames() []string {
	var out []string
	for _, f := range d.offered.ExceptionBreakpointFilters {
		out = append(out, f.Filter)
	}
	return out
}

func (d *debugger) catch(a args, temp bool) {
	if a.text == "" {
		d.listFilters()
		return
	}
	word, cond, _ := strings.Cut(a.text, " ")
	name, err := choose("event", word, d.filterNames())
	if err != nil {
		d.fail(err)
		return
	}
	cond = strings.TrimSpace(cond)
	if cond == "off" {
		d.filtersOff[name] = true
		d.remove(d.catching(name)...)
		d.changed(&brk{kind: bpEvent})
		d.printf("the program does not stop at %s\n", name)
		return
	}
	if d.filtersOff[name] && !temp {
		delete(d.filtersOff, name)
	}
	rest, cut, stack, err := clauses(cond)
	if err != nil {
		d.fail(err)
		return
	}
	if rest != "" && cut != "" {
		rest += ", "
	}
	d.add(&brk{kind: bpEvent, filter: name, cond: rest + cut, stack: stack, temp: temp})
}

// catching returns the catchpoints of a filter.
func (d *debugger) catching(name string) []*brk {
	var out []*brk
	for _, b := range d.breaks {
		if b.kind == bpEvent && b.filter == name {
			out = append(out, b)
		}
	}
	return out
}

func (d *debugger) listFilters() {
	for _, f := range d.offered.ExceptionBreakpointFilters {
		state := "off"
		if f.Default && !d.filtersOff[f.Filter] {
			state = "on"
		}
		for _, b := range d.catching(f.Filter) {
			if !b.disabled {
				state = fmt.Sprintf("%d", b.n)
			}
		}
		d.printf("  %-10s %-4s %s\n", f.Filter, state, f.Description)
	}
}

func (d *debugger) cmdDprintf(a args) {
	at, text, _ := strings.Cut(a.text, ",")
	if !strings.Contains(a.text, ",") { // log PLACE TEXT
		at, text, _ = strings.Cut(a.text, " ")
	}
	text = strings.TrimSpace(text)
	if at == "" {
		d.failf("dprintf needs a place and a text: dprintf $worker, digit is {$digit}")
		return
	}
	text, err := printfText(text)
	var p place
	if err == nil {
		p, err = d.place(at)
	}
	if err == nil && p.src == nil {
		p, err = d.resolve(p)
	}
	if err != nil {
		d.fail(err)
		return
	}
	if text == "" {
		text = fmt.Sprintf("reached %s:%d", d.name(p.src), p.line)
	}
	d.add(&brk{kind: bpLine, at: p, log: text})
}

// printfText turns `"%d of %d\n", $i, $n` into `{$i} of {$n}`; any other text is a log message
// already.
func printfText(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	end := strings.LastIndex(s, `"`)
	if end == 0 {
		return "", fmt.Errorf("the text has no closing quote")
	}
	format := strings.NewReplacer(`\n`, " ", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(s[1:end])
	var exprs []string
	if rest := strings.TrimSpace(s[end+1:]); rest != "" {
		exprs = strings.Split(strings.TrimPrefix(rest, ","), ",")
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		if i++; i < len(format) && format[i] == '%' {
			b.WriteByte('%')
			continue
		}
		for i < len(format) && strings.IndexByte("0123456789.-+ lhjz", format[i]) >= 0 {
			i++
		}
		if i == len(format) || len(exprs) == 0 {
			return "", fmt.Errorf("the text has more %% than expressions follow")
		}
		suffix := map[byte]string{'x': ",x", 'u': ",u", 'o': ",o", 'c': ",c", 's': ",s"}[format[i]]
		fmt.Fprintf(&b, "{%s%s}", strings.TrimSpace(exprs[0]), suffix)
		exprs = exprs[1:]
	}
	if len(exprs) > 0 {
		return "", fmt.Errorf("there is no %% in the text for %s", strings.TrimSpace(exprs[0]))
	}
	return strings.TrimRight(b.String(), " "), nil
}

// numbered returns the breakpoints of a list of numbers and ranges such as 2-4; of "" all.
func (d *debugger) numbered(text string) ([]*brk, error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	if len(words) == 0 {
		if len(d.breaks) == 0 {
			return nil, fmt.Errorf("there are no breakpoints")
		}
		return slices.Clone(d.breaks), nil
	}
	var out []*brk
	for _, w := range words {
		if w == "last" && len(d.breaks) > 0 {
			out = append(out, d.breaks[len(d.breaks)-1])
			continue
		}
		from, to, ok := strings.Cut(w, "-")
		if !ok {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%q is not the number of a breakpoint", w)
		}
		found := false
		for _, b := range d.breaks {
			if b.n >= first && b.n <= last && b.n > 0 {
				found = true
				if !slices.Contains(out, b) {
					out = append(out, b)
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no breakpoint %s", w)
		}
	}
	return out, nil
}

// one returns the breakpoint that the first word of arguments names, and the rest.
func (d *debugger) one(text, command string) (*brk, string, error) {
	word, rest, _ := strings.Cut(text, " ")
	if word == "" {
		return nil, "", fmt.Errorf("%s needs the number of a breakpoint", command)
	}
	bs, err := d.numbered(word)
	if err != nil {
		return nil, "", err
	}
	return bs[0], strings.TrimSpace(rest), nil
}

func (d *debugger) cmdCondition(a args) {
	b, cond, err := d.one(a.text, "condition")
	if err != nil {
		d.fail(err)
		return
	}
	old := *b
	b.cond = strings.TrimSpace(strings.TrimPrefix(cond, "if "))
	if !d.changed(b) {
		*b = old
		return
	}
	if b.failed && !old.failed {
		d.failf("%s", b.message)
		*b = old
		d.changed(b)
		return
	}
	d.printf("%s %d: %s\n", b.noun(), b.n, d.describe(b))
}

func (d *debugger) cmdIgnore(a args) {
	b, rest, err := d.one(a.text, "ignore")
	if err != nil {
		d.fail(err)
		return
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 0 {
		d.failf("ignore needs a count: ignore %d 3", b.n)
		return
	}
	if b.kind == bpEvent {
		d.failf("a catchpoint has no count")
		return
	}
	b.ignore(n)
	d.changed(b)
	if n == 0 {
		d.printf("%s %d stops the next time\n", b.noun(), b.n)
		return
	}
	d.printf("%s %d passes the next %s\n", b.noun(), b.n, times(n))
}

// ignore lets a breakpoint pass so many times. A hit condition that was not there before counts
// from here on.
func (b *brk) ignore(n int) {
	was := b.hit
	if b.hit = fmt.Sprintf("> %d", n); b.hit == was {
		b.hit = fmt.Sprintf(">%d", n)
	}
	if n == 0 {
		b.hit = ""
	}
}

func times(n int) string {
	if n == 1 {
		return "time"
	}
	return fmt.Sprintf("%d times", n)
}

func (d *debugger) cmdCommands(a args) {
	var b *brk
	word, rest, _ := strings.Cut(a.text, " ")
	if word == "" {
		if len(d.breaks) == 0 {
			d.failf("there are no breakpoints")
			return
		}
		b = d.breaks[len(d.breaks)-1]
	} else {
		var err error
		if b, _, err = d.one(word, "commands"); err != nil {
			d.fail(err)
			return
		}
	}
	if b.log != "" {
		d.failf("%s %d does not stop the program", b.noun(), b.n)
		return
	}
	if rest = strings.TrimSpace(rest); rest != "" { // on N COMMAND
		b.commands = append(b.commands, rest)
		return
	}
	lines, err := d.body()
	if err != nil {
		d.fail(err)
		return
	}
	b.commands = lines
}

func (d *debugger) enable(a args, on bool) {
	word, rest, _ := strings.Cut(a.text, " ")
	retire := ""
	if on && (word == "once" || word == "delete") {
		retire = map[string]string{"once": "disable", "delete": "delete"}[word]
		a.text = rest
	}
	a.text = strings.TrimSpace(strings.TrimPrefix(a.text, "breakpoints"))
	bs, err := d.numbered(a.text)
	if err != nil {
		d.fail(err)
		return
	}
	for _, b := range bs {
		b.disabled, b.retire = !on, retire
	}
	d.changed(bs...)
	for _, b := range bs {
		if on && b.failed {
			d.failf("%s %d: %s", b.noun(), b.n, d.describe(b))
		}
	}
}

func (d *debugger) cmdDelete(a args) {
	a.text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(a.text, "breakpoints"), "display"))
	bs, err := d.numbered(a.text)
	if err != nil {
		d.fail(err)
		return
	}
	d.remove(bs...)
}

func (d *debugger) cmdClear(a args) {
	p, err := d.place(a.text)
	if err != nil {
		d.fail(err)
		return
	}
	var found []*brk
	for _, b := range d.breaks {
		switch {
		case p.fn != "" && b.at.fn == p.fn, p.code != "" && b.at.code == p.code:
			found = append(found, b)
		case p.src != nil && b.found.src != nil && sourceKey(b.found.src) == sourceKey(p.src) && (b.found.line == p.line || b.at.line == p.line),
			p.src != nil && b.found.src == nil && b.at.src != nil && sourceKey(b.at.src) == sourceKey(p.src) &&
				b.at.line == p.line:
			found = append(found, b)
		}
	}
	if n, err := strconv.Atoi(a.text); len(found) == 0 && err == nil { // clear N, as in delve
		for _, b := range d.breaks {
			if b.n == n {
				found = append(found, b)
			}
		}
	}
	if len(found) == 0 {
		d.failf("there is no breakpoint at %s", a.text)
		return
	}
	for _, b := range found {
		d.printf("deleted %s %d\n", b.noun(), b.n)
	}
	d.remove(found...)
}

// listBreaks lists the breakpoints as gdb does.
func (d *debugger) listBreaks(only string) {
	var bs []*brk
	for _, b := range d.breaks {
		if b.n > 0 && (only == "" || only == b.noun()) {
			bs = append(bs, b)
		}
	}
	if len(bs) == 0 {
		if only == "" {
			only = "breakpoint"
		}
		d.printf("there are no %ss\n", only)
		return
	}
	d.printf("Num  Type        Disp  Enb  Where\n")
	for _, b := range bs {
		disp, enb := "keep", "y"
		switch {
		case b.temp || b.retire == "delete":
			disp = "del"
		case b.retire == "disable":
			disp = "dis"
		}
		if b.disabled {
			enb = "n"
		}
		plain := *b
		plain.cond, plain.stack = "", 0
		d.printf("%-4d %-11s %-5s %-4s %s\n", b.n, b.noun(), disp, enb, d.describe(&plain))
		note := func(format string, args ...any) { d.printf("        "+format+"\n", args...) }
		if b.stack != 0 {
			note("only on stack #%d", b.stack)
		}
		if b.cond != "" {
			note("only if %s", b.cond)
		}
		if n, ok := strings.CutPrefix(b.hit, ">"); ok {
			note("passes %s", times(atoi(n)))
		}
		if b.log != "" {
			note("prints %s", b.log)
		}
		if b.hits > 0 {
			note("has stopped the program %s", once(b.hits))
		}
		for _, c := range b.commands {
			note("    %s", c)
		}
	}
}

func atoi(s string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(s))
	return n
}

func once(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (d *debugger) cmdLocations(a args) {
	p, err := d.place(a.text)
	if err == nil {
		p, err = d.resolve(p)
	}
	if err != nil {
		d.fail(err)
		return
	}
	var b godap.BreakpointLocationsResponseBody
	if !d.request("breakpointLocations", godap.BreakpointLocationsArguments{Source: *p.src, Line: p.line}, &b) {
		return
	}
	if len(b.Breakpoints) == 0 {
		d.printf("there is no code on line %d\n", p.line)
	}
	lines := d.text(p.src)
	for _, x := range b.Breakpoints {
		text := ""
		if x.Line >= 1 && x.Line <= len(lines) {
			r := []rune(lines[x.Line-1])
			text = string(r[min(runeColumn(lines[x.Line-1], x.Column), len(r)):])
		}
		shown, _ := window(text, 0)
		d.printf("  %d:%d  %s\n", x.Line, x.Column, shown)
	}
}

func (d *debugger) cmdSave(a args) {
	path, ok := strings.CutPrefix(a.text, "breakpoints ")
	path = strings.TrimSpace(path)
	if !ok || path == "" {
		d.failf("save needs a file: save breakpoints FILE")
		return
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.cwd, path)
	}
	var w strings.Builder
	for _, b := range d.breaks {
		if b.n == 0 {
			continue
		}
		w.WriteString(b.line() + "\n")
		if b.disabled {
			w.WriteString("disable last\n")
		}
		if len(b.commands) > 0 {
			w.WriteString("commands\n" + strings.Join(b.commands, "\n") + "\nend\n")
		}
	}
	if err := os.WriteFile(path, []byte(w.String()), 0o666); err != nil {
		d.fail(err)
		return
	}
	d.printf("saved to %s\n", d.relative(path))
}

// line returns the command that sets a breakpoint.
func (b *brk) line() string {
	var words []string
	switch {
	case b.log != "":
		return fmt.Sprintf("dprintf %s, %s", b.at, b.log)
	case b.kind == bpData && b.access == "read":
		words = []string{"rwatch", b.expr}
	case b.kind == bpData && b.access == "readWrite":
		words = []string{"awatch", b.expr}
	case b.kind == bpData && !strings.HasSuffix(b.data, "changed"):
		words = []string{"watch -w", b.expr}
	case b.kind == bpData:
		words = []string{"watch", b.expr}
	case b.kind == bpEvent && b.temp:
		words = []string{"tcatch", b.filter}
	case b.kind == bpEvent:
		words = []string{"catch", b.filter}
	case b.temp:
		words = []string{"tbreak", b.at.String()}
	default:
		words = []string{"break", b.at.String()}
	}
	if b.stack != 0 {
		words = append(words, fmt.Sprintf("stack #%d", b.stack))
	}
	if b.cond != "" {
		words = append(words, "if "+b.cond)
	}
	return strings.Join(words, " ")
}

// String returns the place as place reads it.
func (p place) String() string {
	switch {
	case p.fn != "":
		return p.fn
	case p.code != "":
		return "*" + p.code
	}
	file := p.src.Path
	if file == "" {
		file = strings.TrimSuffix(p.src.Name, " (text)")
	}
	if p.col > 0 {
		return fmt.Sprintf("%s:%d:%d", file, p.line, p.col)
	}
	return fmt.Sprintf("%s:%d", file, p.line)
}
