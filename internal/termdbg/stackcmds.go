package termdbg

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

func stackCommands() []cmd {
	return []cmd{
		{
			name:    "stacks",
			aliases: []string{"threads", "goroutines", "grs"},
			group:   stacks,
			args:    "[KEY=VALUE… | group=KEY]",
			short:   "list the stacks and what they are doing",
			long: `Keys are state (new, suspended, running, waiting), tag, function, site and text; max is how many to list.
stacks group=tag counts them by tag.`,
			serves: []string{"threads", "stackscope/stacks"},
			run:    (*debugger).cmdStacks,
		},
		{name: "tree", group: stacks, short: "draw the tree of stacks", run: func(d *debugger, _ args) { d.console("tree") }},
		{
			name: "thread", aliases: []string{"t", "goroutine", "gr"}, group: stacks,
			args: "[#N | apply all|N… COMMAND]", short: "show stack #N: its frames, locals and operands",
			serves: []string{"stackscope/focus"}, run: (*debugger).cmdThread,
		},
		{
			name: "backtrace", aliases: []string{"bt", "where"}, group: stacks, args: "[N | -N | full]",
			short: "show the frames, across stacks", counted: true,
			long:   "N shows the innermost N frames, -N the outermost; full shows the locals too.",
			serves: []string{"stackTrace"}, run: (*debugger).cmdBacktrace,
		},
		{
			name: "frame", aliases: []string{"f"}, group: stacks, args: "[N]",
			short: "select frame N", run: (*debugger).cmdFrame,
		},
		{
			name: "up", group: stacks, args: "[COUNT]",
			short: "select the frame that called or resumed this one", counted: true,
			run: func(d *debugger, a args) { d.move(a, "up", 1) },
		},
		{
			name: "down", group: stacks, args: "[COUNT]",
			short: "select the frame that this one called or resumed", counted: true,
			run: func(d *debugger, a args) { d.move(a, "down", -1) },
		},
		{name: "handlers", group: stacks, short: "show the handlers in force", run: scoper("Handlers in force")},
		{
			name: "history", aliases: []string{"events"}, group: stacks,
			short: "show what happened to stacks",
			run:   func(d *debugger, _ args) { d.console("history") },
		},
		{
			name: "why", group: stacks,
			short: "explain the trap, the unhandled tag or the event where the program stands",
			run:   (*debugger).cmdWhy,
		},
	}
}

func (d *debugger) cmdStacks(a args) {
	if !d.standing() {
		return
	}
	if a.text != "" {
		d.queryStacks(a.text)
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

// queryStacks lists the stacks that fit, or counts them by a key.
func (d *debugger) queryStacks(text string) {
	q := map[string]any{"holders": false}
	keys := []string{"state", "tag", "function", "site", "text", "group", "max", "start", "roots", "children"}
	for _, w := range strings.Fields(text) {
		k, v, ok := strings.Cut(w, "=")
		if !ok {
			k, v = "text", w
		}
		k, err := choose("key", k, keys)
		if err != nil {
			d.fail(err)
			return
		}
		switch k {
		case "max", "start", "children":
			n, err := strconv.Atoi(strings.TrimPrefix(v, "#"))
			if err != nil || n < 0 {
				d.failf("%q is not a number", v)
				return
			}
			q[k] = n
		case "roots":
			q[k] = v != "false"
		default:
			q[k] = v
		}
	}
	var b struct {
		Stacks []struct {
			Title string `json:"title"`
		} `json:"stacks"`
		Groups []struct {
			Key   string `json:"key"`
			Count int    `json:"count"`
		} `json:"groups"`
		Total int `json:"total"`
	}
	if !d.request("stackscope/stacks", q, &b) {
		return
	}
	for _, g := range b.Groups {
		d.printf("  %8d  %s\n", g.Count, g.Key)
	}
	for _, s := range b.Stacks {
		d.printf("  %s\n", s.Title)
	}
	switch {
	case len(b.Groups) > 0:
	case b.Total > len(b.Stacks):
		d.printf("  %d of %d\n", len(b.Stacks), b.Total)
	case b.Total == 0:
		d.printf("  no stack is like that\n")
	}
}

// console shows what the adapter answers to a word of its console.
func (d *debugger) console(word string) {
	var b godap.EvaluateResponseBody
	if d.standing() && d.request("evaluate", godap.EvaluateArguments{Expression: word, Context: "repl"}, &b) {
		d.printf("%s\n", b.Result)
	}
}

func (d *debugger) cmdThread(a args) {
	if !d.standing() {
		return
	}
	if rest, ok := strings.CutPrefix(a.text, "apply "); ok {
		d.apply(rest)
		return
	}
	if a.text == "" {
		d.printf("%s\n", d.threadTitle(d.thread))
		return
	}
	n, err := stackNumber(a.text)
	if err != nil {
		d.fail(err)
		return
	}
	if err := d.focus(n); err != nil {
		d.fail(err)
		return
	}
	d.printf("%s\n", d.threadTitle(n))
	d.trace(0, false)
}

// focus shows another stack.
func (d *debugger) focus(n int) error {
	if n == scriptThread {
		d.thread = n
		d.loadFrames(0)
		return nil
	}
	if err := d.ask("stackscope/focus", map[string]any{"threadId": n}, nil); err != nil {
		return err
	}
	stop, hits, exception, caught := d.stop, d.hits, d.exception, d.caught
	silent := d.silent
	d.silent = true
	d.wait() // the adapter says that the program has stopped in this stack
	d.silent = silent
	d.stop, d.hits, d.exception, d.caught = stop, hits, exception, caught
	d.last = shown{}
	return nil
}

// scriptThread is the id that the adapter gives to a script between two of its calls.
const scriptThread = 1<<31 - 2

// apply executes a command in several stacks.
func (d *debugger) apply(text string) {
	var ids []int
	words := strings.Fields(text)
	i := 0
	for ; i < len(words); i++ {
		if words[i] == "all" {
			for _, t := range d.threads() {
				if t.Id != moreThreads {
					ids = append(ids, t.Id)
				}
			}
			i++
			break
		}
		n, err := stackNumber(words[i])
		if err != nil {
			break
		}
		ids = append(ids, n)
	}
	if len(ids) == 0 || i == len(words) {
		d.failf("thread apply needs stacks and a command: thread apply all backtrace")
		return
	}
	c, rest, err := parseLine(strings.Join(words[i:], " "))
	if err == nil && c.group != stacks && c.group != data {
		err = fmt.Errorf("%s cannot be applied to several stacks", c.name)
	}
	if err != nil {
		d.fail(err)
		return
	}
	thread, at := d.thread, d.at
	for _, id := range ids {
		if d.interrupted || !d.alive {
			return
		}
		d.printf("%s\n", d.paint("1", d.threadTitle(id)))
		d.thread = id
		if d.loadFrames(0); len(d.frames) == 0 {
			d.failf("there is no stack #%d", id)
			continue
		}
		c.run(d, rest)
	}
	d.thread = thread
	d.loadFrames(0)
	d.at = min(at, max(len(d.frames)-1, 0))
}

// moreThreads is the id of the adapter's entry for the stacks that are not listed.
const moreThreads = 1<<31 - 1

func (d *debugger) cmdBacktrace(a args) {
	if !d.standing() {
		return
	}
	if a.text == "full" || a.text == "-full" {
		d.trace(0, true)
		return
	}
	n, err := strconv.Atoi(a.text)
	if a.text != "" && (err != nil || n == 0) {
		d.failf("%q is not a number of frames", a.text)
		return
	}
	d.trace(n, false)
}

// trace shows frames: the innermost n, the outermost -n, or all that are loaded (0).
func (d *debugger) trace(n int, full bool) {
	frames := 0
	for i := range d.frames {
		if d.frames[i].PresentationHint != "label" {
			frames++
		}
	}
	at := 0
	for i := range d.frames {
		f := &d.frames[i]
		label := f.PresentationHint == "label"
		shown := n == 0 || n > 0 && at < n || n < 0 && at >= frames+n
		if !label {
			at++
		}
		switch {
		case !shown:
			continue
		case label:
			d.printf("   %s\n", d.paint("2", "── "+f.Name+" ──"))
			continue
		}
		mark := " "
		if i == d.at {
			mark = d.paint("36", "→")
		}
		d.printf("%s%3d %s\n", mark, i, d.where(f))
		if full {
			d.scope(f.Id, "Locals", "        ")
		}
	}
	if d.more > 0 {
		d.printf("     … %d more\n", d.more)
	}
}

func (d *debugger) cmdFrame(a args) {
	if !d.standing() {
		return
	}
	n := d.at
	if a.text != "" {
		var err error
		if n, err = strconv.Atoi(a.text); err != nil {
			d.failf("%q is not the number of a frame: backtrace shows them", a.text)
			return
		}
	}
	if n < 0 || n >= len(d.frames) || d.frames[n].PresentationHint == "label" {
		d.failf("there is no frame %d: backtrace shows them", n)
		return
	}
	d.selectFrame(n)
}

func (d *debugger) selectFrame(n int) {
	d.at, d.listed = n, span{}
	d.printf("%3d %s\n", n, d.where(&d.frames[n]))
	if f := d.frame(); f != nil && f.Source != nil {
		d.source = f.Source
	}
	d.showLine()
}

// move selects a frame further out (1) or in (-1).
func (d *debugger) move(a args, name string, by int) {
	n, err := count(a.text, name)
	if err != nil {
		d.fail(err)
		return
	}
	if !d.standing() {
		return
	}
	at, moved := d.at, false
	for i := at + by; i >= 0 && i < len(d.frames) && n > 0; i += by {
		if d.frames[i].PresentationHint != "label" {
			at, moved = i, true
			n--
		}
	}
	if !moved {
		end := "outermost"
		if by < 0 {
			end = "innermost"
		}
		d.fail(errors.New("this is the " + end + " frame"))
		return
	}
	d.selectFrame(at)
}

func (d *debugger) cmdWhy(args) {
	if !d.standing() {
		return
	}
	var b godap.ExceptionInfoResponseBody
	if !d.request("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: d.stop.ThreadId}, &b) {
		return
	}
	d.printf("%s: %s\n", b.ExceptionId, b.Description)
	if x := b.Details; x != nil {
		if x.StackTrace != "" {
			d.printf("%s\n", strings.TrimRight(x.StackTrace, "\n"))
		}
	}
}

// scoper shows the variables of a scope.
func scoper(name string) func(*debugger, args) {
	return func(d *debugger, _ args) {
		if d.standing() && !d.scope(d.frameID(), name, "  ") {
			d.printf("  (none)\n")
		}
	}
}

// scope shows the variables of a scope of a frame and reports whether the frame has it.
func (d *debugger) scope(frame int, name, indent string) bool {
	var b godap.ScopesResponseBody
	if !d.request("scopes", godap.ScopesArguments{FrameId: frame}, &b) {
		return true
	}
	for _, sc := range b.Scopes {
		if sc.Name == name {
			if d.variables(sc.VariablesReference, indent) == 0 {
				d.printf("%s(empty)\n", indent)
			}
			return true
		}
	}
	return false
}
