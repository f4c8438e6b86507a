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

// breakCommands implements the commands that set, list and change breakpoints.
type breakCommands struct {
	*target
	breaks *breakTable
	lister *lister
	shell  *shell
}

const placeHelp = `A place is LINE, LINE:COL, FILE:LINE[:COL], +N, -N, a function (sum, $sum, tasks::parse, an export),
$TAG (each instruction that sends the tag), on $TAG (each clause that takes it) or *ADDRESS (an
instruction). FILE is a source: main.c, src/main.c. The default is the current place. A condition is
an expression of the source, such as it->count > 3, or of the text format: $i > 3,
(i32.eqz (local.get $x)). stack #3 limits the breakpoint to one stack.`

func (bc *breakCommands) commands() []cmd {
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
			words: placeWords, run: func(a args) { bc.breakAtPlace(a, false) },
		},
		{
			name: "tbreak", aliases: []string{"tb"}, group: breakpoints,
			args:  "[PLACE] [stack #N] [if CONDITION]",
			short: "set a breakpoint that is deleted after its first stop", once: true,
			words: placeWords, run: func(a args) { bc.breakAtPlace(a, true) },
		},
		{
			name:    "watch",
			aliases: []string{"w"},
			group:   breakpoints,
			args:    "[-r | -w | -rw] DATUM [if CONDITION]",
			short:   "stop when a local, global, field, element or memory changes",
			long: `A datum is $x, $p.$field, $a[3], table $t[4], i32[0x10] or ADDRESS,BYTES. -r stops at reads, -w at all
writes, -rw at both. Use display to show an expression at each stop instead.`,
			once:   true,
			serves: []string{"dataBreakpointInfo", "setDataBreakpoints"},
			words:  exprWords, run: func(a args) { bc.watch(a, "") },
		},
		{
			name: "rwatch", group: breakpoints, args: "DATUM [if CONDITION]",
			short: "stop when a datum is read", once: true,
			words: exprWords, run: func(a args) { bc.watch(a, "read") },
		},
		{
			name: "awatch", group: breakpoints, args: "DATUM [if CONDITION]",
			short: "stop when a datum is read or written", once: true,
			words: exprWords, run: func(a args) { bc.watch(a, "readWrite") },
		},
		{
			name:  "catch",
			group: breakpoints,
			args:  "[EVENT [off] [if CONDITION]]",
			short: "stop at a control event or a fault; without arguments, list them",
			long: `A condition is tag $yield, stack 3 or function $gen; $yield alone is a tag. Of resume and switch it is
what is sent, or what a clause takes when control comes back. Faults are on by default; catch trap
off turns one off.`,
			once:   true,
			serves: []string{"setExceptionBreakpoints", "exceptionInfo"},
			words:  filterWords, run: func(a args) { bc.catch(a, false) },
		},
		{
			name: "tcatch", group: breakpoints, args: "EVENT [if CONDITION]",
			short: "like catch, for one stop", once: true,
			words: filterWords, run: func(a args) { bc.catch(a, true) },
		},
		{
			name:    "dprintf",
			aliases: []string{"log", "trace"},
			group:   breakpoints,
			args:    "PLACE[, TEXT]",
			short:   "print a text with {expressions} at a place without stopping",
			long: `For example dprintf $worker, digit is {$digit}
or, with a format, dprintf 70, "%d of %d\n", $i, $n`,
			once:  true,
			words: placeWords, run: bc.cmdDprintf,
		},
		{
			name: "condition", aliases: []string{"cond"}, group: breakpoints, args: "N [CONDITION]",
			short: "set or remove the condition of breakpoint N", once: true, words: conditionWords,
			run: bc.cmdCondition,
		},
		{
			name: "ignore", group: breakpoints, args: "N COUNT",
			short: "skip the next COUNT hits of breakpoint N", counted: true, once: true,
			words: breakWords, run: bc.cmdIgnore,
		},
		{
			name: "commands", aliases: []string{"on"}, group: breakpoints, args: "[N]",
			short: "execute commands when breakpoint N stops the program",
			long:  "The commands follow, one per line, up to a line with end. The default is the last breakpoint.",
			once:  true, words: breakWords, run: bc.cmdCommands,
		},
		{
			name: "enable", group: breakpoints, args: "[once | delete] [N…]",
			short: "enable breakpoints; with once or delete, for one stop", once: true,
			words: breakWords, run: func(a args) { bc.enable(a, true) },
		},
		{
			name: "disable", group: breakpoints, args: "[N…]", short: "disable breakpoints",
			once: true, words: breakWords, run: func(a args) { bc.enable(a, false) },
		},
		{
			name: "delete", aliases: []string{"d", "clearall"}, group: breakpoints, args: "[N…]",
			short: "delete breakpoints; without arguments, all", once: true, words: breakWords, run: bc.cmdDelete,
		},
		{
			name: "clear", group: breakpoints, args: "[PLACE]", short: "delete the breakpoints at a place",
			once: true, words: placeWords, run: bc.cmdClear,
		},
		{
			name: "breakpoints", aliases: []string{"bp"}, group: breakpoints,
			short: "list the breakpoints, like info breakpoints",
			run:   func(args) { bc.listBreaks("") },
		},
		{
			name: "locations", group: breakpoints, args: "[LINE]",
			short: "list where breakpoints can be set on a line", serves: []string{"breakpointLocations"},
			words: placeWords, run: bc.cmdLocations,
		},
		{
			name: "save", group: breakpoints, args: "breakpoints FILE",
			short: "write the breakpoints to a file that source reads", once: true, words: fileWords, run: bc.cmdSave,
		},
	}
}

// clauses splits `if CONDITION` and `stack #N` from the end of the arguments.
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
		return 0, fmt.Errorf("%q is not a stack: use stacks to list them", s)
	}
	return n, nil
}

func (bc *breakCommands) breakAtPlace(a args, temp bool) {
	text, cond, stack, err := clauses(a.text)
	if err != nil {
		bc.fail(err)
		return
	}
	p, err := bc.lister.place(text)
	if err != nil {
		bc.fail(err)
		return
	}
	bc.breaks.add(&brk{kind: p.kind(), at: p, cond: cond, stack: stack, temp: temp})
}

// kind returns the kind of a breakpoint at the place.
func (p place) kind() brkKind {
	switch {
	case p.code != "":
		return bpCode
	case p.fn != "":
		return bpFunc
	}
	return bpLine
}

func (bc *breakCommands) watch(a args, access string) {
	text := a.text
	for _, f := range []struct{ flag, access string }{{"-rw", "readWrite"}, {"-r", "read"}, {"-w", "write"}} {
		if rest, ok := strings.CutPrefix(text, f.flag+" "); ok && access == "" {
			text, access = strings.TrimSpace(rest), f.access
		}
	}
	expr, cond, stack, err := clauses(text)
	if err == nil && stack != 0 {
		err = fmt.Errorf("a watchpoint takes no stack: a local is watched in one activation, other data on all stacks")
	}
	if err == nil && expr == "" {
		err = fmt.Errorf("watch needs a datum, such as $x or i32[0x10]; use display to show an expression at each stop")
	}
	if err != nil {
		bc.fail(err)
		return
	}
	if !bc.standing() {
		return
	}
	type info struct {
		Name      string `json:"name"`
		FrameID   int    `json:"frameId,omitempty"`
		Bytes     int    `json:"bytes,omitempty"`
		AsAddress bool   `json:"asAddress,omitempty"`
		Mode      string `json:"mode,omitempty"`
	}
	x := info{Name: expr, FrameID: bc.frameID()}
	if at, n, ok := strings.Cut(expr, ","); ok {
		if x.Bytes, err = strconv.Atoi(strings.TrimSpace(n)); err != nil || x.Bytes < 1 {
			bc.failf("%q is not a number of bytes", strings.TrimSpace(n))
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
	if !bc.request("dataBreakpointInfo", x, &body) {
		return
	}
	if body.DataID == nil {
		bc.failf("%s", body.Description)
		return
	}
	b.data, b.title = *body.DataID, body.Description
	bc.breaks.add(b)
}

func (bc *breakCommands) catch(a args, temp bool) {
	if a.text == "" {
		bc.listFilters()
		return
	}
	word, cond, _ := strings.Cut(a.text, " ")
	name, err := bc.filterNamed(word)
	if err != nil {
		bc.fail(err)
		return
	}
	cond = strings.TrimSpace(cond)
	if cond == "off" {
		bc.breaks.off[name] = true
		bc.breaks.remove(bc.breaks.catching(name)...)
		bc.breaks.changed(&brk{kind: bpEvent})
		bc.printf("the program no longer stops at %s\n", name)
		return
	}
	if bc.breaks.off[name] && !temp {
		delete(bc.breaks.off, name)
	}
	rest, cut, stack, err := clauses(cond)
	if err != nil {
		bc.fail(err)
		return
	}
	if rest != "" && cut != "" {
		rest += ", "
	}
	bc.breaks.add(&brk{kind: bpEvent, filter: name, cond: rest + cut, stack: stack, temp: temp})
}

// filterNamed returns the filter that a word, or a part of one, names: by its name, or as the
// program's design calls what it stops at.
func (bc *breakCommands) filterNamed(word string) (string, error) {
	names := bc.breaks.filterNames()
	as := map[string]string{}
	for _, f := range bc.offered.ExceptionBreakpointFilters {
		for w := range strings.SplitSeq(strings.ToLower(f.Label), " or ") {
			if !strings.Contains(w, " ") && !slices.Contains(names, w) && !strings.HasPrefix(w, f.Filter) {
				as[w] = f.Filter
				names = append(names, w)
			}
		}
	}
	name, err := choose("event", word, names)
	if f, ok := as[name]; ok {
		name = f
	}
	return name, err
}

func (bc *breakCommands) listFilters() {
	for _, f := range bc.offered.ExceptionBreakpointFilters {
		state := "off"
		if f.Default && !bc.breaks.off[f.Filter] {
			state = "on"
		}
		for _, b := range bc.breaks.catching(f.Filter) {
			if !b.disabled {
				state = fmt.Sprintf("%d", b.n)
			}
		}
		bc.printf("  %-10s %-4s %s\n", f.Filter, state, f.Description)
	}
}

func (bc *breakCommands) cmdDprintf(a args) {
	at, text, _ := strings.Cut(a.text, ",")
	if !strings.Contains(a.text, ",") { // log PLACE TEXT
		at, text, _ = strings.Cut(a.text, " ")
	}
	text = strings.TrimSpace(text)
	if at == "" {
		bc.failf("dprintf needs a place and a text, such as dprintf $worker, digit is {$digit}")
		return
	}
	text, err := printfText(text)
	var p place
	if err == nil {
		p, err = bc.lister.place(at)
	}
	if err == nil && p.src == nil {
		p, err = bc.breaks.resolve(p)
	}
	if err != nil {
		bc.fail(err)
		return
	}
	if text == "" {
		text = fmt.Sprintf("reached %s:%d", bc.name(p.src), p.line)
	}
	bc.breaks.add(&brk{kind: bpLine, at: p, log: text})
}

// printfText turns `"%d of %d\n", $i, $n` into `{$i} of {$n}`; any other text is a log message
// already.
func printfText(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	end := strings.LastIndex(s, `"`)
	if end == 0 {
		return "", fmt.Errorf("missing closing quote")
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
			return "", fmt.Errorf("the text has more %% verbs than expressions")
		}
		suffix := map[byte]string{'x': ",x", 'u': ",u", 'o': ",o", 'c': ",c", 's': ",s"}[format[i]]
		fmt.Fprintf(&b, "{%s%s}", strings.TrimSpace(exprs[0]), suffix)
		exprs = exprs[1:]
	}
	if len(exprs) > 0 {
		return "", fmt.Errorf("the text has no %% verb for %s", strings.TrimSpace(exprs[0]))
	}
	return strings.TrimRight(b.String(), " "), nil
}

func (bc *breakCommands) cmdCondition(a args) {
	b, cond, err := bc.breaks.one(a.text, "condition")
	if err != nil {
		bc.fail(err)
		return
	}
	old := *b
	b.cond = strings.TrimSpace(strings.TrimPrefix(cond, "if "))
	if !bc.breaks.changed(b) {
		*b = old
		return
	}
	if b.failed && !old.failed {
		bc.failf("%s", b.message)
		*b = old
		bc.breaks.changed(b)
		return
	}
	bc.printf("%s %d: %s\n", b.noun(), b.n, bc.breaks.describe(b))
}

func (bc *breakCommands) cmdIgnore(a args) {
	b, rest, err := bc.breaks.one(a.text, "ignore")
	if err != nil {
		bc.fail(err)
		return
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 0 {
		bc.failf("ignore needs a count, such as ignore %d 3", b.n)
		return
	}
	if b.kind == bpEvent {
		bc.failf("a catchpoint has no hit count")
		return
	}
	b.ignore(n)
	bc.breaks.changed(b)
	if n == 0 {
		bc.printf("%s %d stops at its next hit\n", b.noun(), b.n)
		return
	}
	bc.printf("%s %d skips its next %s\n", b.noun(), b.n, hits(n))
}

// ignore skips the next n hits of a breakpoint. A new hit condition counts
// from now on.
func (b *brk) ignore(n int) {
	was := b.hit
	if b.hit = fmt.Sprintf("> %d", n); b.hit == was {
		b.hit = fmt.Sprintf(">%d", n)
	}
	if n == 0 {
		b.hit = ""
	}
}

func hits(n int) string {
	if n == 1 {
		return "hit"
	}
	return fmt.Sprintf("%d hits", n)
}

func (bc *breakCommands) cmdCommands(a args) {
	var b *brk
	word, rest, _ := strings.Cut(a.text, " ")
	if word == "" {
		if len(bc.breaks.all) == 0 {
			bc.failf("no breakpoints")
			return
		}
		b = bc.breaks.all[len(bc.breaks.all)-1]
	} else {
		var err error
		if b, _, err = bc.breaks.one(word, "commands"); err != nil {
			bc.fail(err)
			return
		}
	}
	if b.log != "" {
		bc.failf("%s %d does not stop the program", b.noun(), b.n)
		return
	}
	if rest = strings.TrimSpace(rest); rest != "" { // on N COMMAND
		b.commands = append(b.commands, rest)
		return
	}
	lines, err := bc.shell.body()
	if err != nil {
		bc.fail(err)
		return
	}
	b.commands = lines
}

func (bc *breakCommands) enable(a args, on bool) {
	word, rest, _ := strings.Cut(a.text, " ")
	retire := ""
	if on && (word == "once" || word == "delete") {
		retire = map[string]string{"once": "disable", "delete": "delete"}[word]
		a.text = rest
	}
	a.text = strings.TrimSpace(strings.TrimPrefix(a.text, "breakpoints"))
	bs, err := bc.breaks.numbered(a.text)
	if err != nil {
		bc.fail(err)
		return
	}
	for _, b := range bs {
		b.disabled, b.retire = !on, retire
	}
	bc.breaks.changed(bs...)
	for _, b := range bs {
		if on && b.failed {
			bc.failf("%s %d: %s", b.noun(), b.n, bc.breaks.describe(b))
		}
	}
}

func (bc *breakCommands) cmdDelete(a args) {
	a.text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(a.text, "breakpoints"), "display"))
	bs, err := bc.breaks.numbered(a.text)
	if err != nil {
		bc.fail(err)
		return
	}
	bc.breaks.remove(bs...)
}

func (bc *breakCommands) cmdClear(a args) {
	p, err := bc.lister.place(a.text)
	if err != nil {
		bc.fail(err)
		return
	}
	var found []*brk
	for _, b := range bc.breaks.all {
		switch {
		case p.fn != "" && b.at.fn == p.fn, p.code != "" && b.at.code == p.code:
			found = append(found, b)
		case p.src != nil && b.found.src != nil && sourceKey(b.found.src) == sourceKey(p.src) &&
			(b.found.line == p.line || b.at.line == p.line),
			p.src != nil && b.found.src == nil && b.at.src != nil && sourceKey(b.at.src) == sourceKey(p.src) &&
				b.at.line == p.line:
			found = append(found, b)
		}
	}
	if n, err := strconv.Atoi(a.text); len(found) == 0 && err == nil { // clear N, as in delve
		for _, b := range bc.breaks.all {
			if b.n == n {
				found = append(found, b)
			}
		}
	}
	if len(found) == 0 {
		bc.failf("there is no breakpoint at %s", a.text)
		return
	}
	for _, b := range found {
		bc.printf("deleted %s %d\n", b.noun(), b.n)
	}
	bc.breaks.remove(found...)
}

// listBreaks lists the breakpoints as gdb does.
func (bc *breakCommands) listBreaks(only string) {
	var bs []*brk
	for _, b := range bc.breaks.all {
		if b.n > 0 && (only == "" || only == b.noun()) {
			bs = append(bs, b)
		}
	}
	if len(bs) == 0 {
		if only == "" {
			only = "breakpoint"
		}
		bc.printf("no %ss\n", only)
		return
	}
	bc.printf("Num  Type        Disp  Enb  Where\n")
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
		bc.printf("%-4d %-11s %-5s %-4s %s\n", b.n, b.noun(), disp, enb, bc.breaks.describe(&plain))
		note := func(format string, args ...any) { bc.printf("        "+format+"\n", args...) }
		if b.stack != 0 {
			note("only on stack #%d", b.stack)
		}
		if b.cond != "" {
			note("only if %s", b.cond)
		}
		if n, ok := strings.CutPrefix(b.hit, ">"); ok {
			note("skips %s", hits(atoi(n)))
		}
		if b.log != "" {
			note("prints %s", b.log)
		}
		if b.hits > 0 {
			note("stopped the program %s", once(b.hits))
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

func (bc *breakCommands) cmdLocations(a args) {
	p, err := bc.lister.place(a.text)
	if err == nil {
		p, err = bc.breaks.resolve(p)
	}
	if err != nil {
		bc.fail(err)
		return
	}
	var b godap.BreakpointLocationsResponseBody
	if !bc.request("breakpointLocations", godap.BreakpointLocationsArguments{Source: *p.src, Line: p.line}, &b) {
		return
	}
	if len(b.Breakpoints) == 0 {
		bc.printf("there is no code on line %d\n", p.line)
	}
	lines := bc.lister.text(p.src)
	for _, x := range b.Breakpoints {
		text := ""
		if x.Line >= 1 && x.Line <= len(lines) {
			r := []rune(lines[x.Line-1])
			text = string(r[min(runeColumn(lines[x.Line-1], x.Column), len(r)):])
		}
		shown, _ := window(text, 0)
		bc.printf("  %d:%d  %s\n", x.Line, x.Column, shown)
	}
}

func (bc *breakCommands) cmdSave(a args) {
	path, ok := strings.CutPrefix(a.text, "breakpoints ")
	path = strings.TrimSpace(path)
	if !ok || path == "" {
		bc.failf("save needs a file, such as save breakpoints FILE")
		return
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(bc.cwd, path)
	}
	var w strings.Builder
	for _, b := range bc.breaks.all {
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
		bc.fail(err)
		return
	}
	bc.printf("saved to %s\n", bc.relative(path))
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

// String returns the place in the form that place reads.
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
