package termdbg

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// stackView implements the commands that show and select stacks and frames.
type stackView struct {
	*target
	control *control
	lister  *lister
	data    *dataView
	table   table
}

func (sv *stackView) commands() []cmd {
	return []cmd{
		{
			name:    "stacks",
			aliases: []string{"threads", "goroutines", "grs"},
			group:   stacks,
			args:    "[KEY=VALUE… | group=KEY]",
			short:   "list the stacks and their states",
			long: `Keys are state (new, suspended, running, waiting), tag, function, site and text; max is how many to list.
stacks group=tag counts them by tag.`,
			serves: []string{"threads", "stackscope/stacks"},
			words:  queryWords, run: sv.cmdStacks,
		},
		{
			name: "ended", group: stacks, short: "list the stacks that have ended and that something still refers to",
			long:   "Each line says how the stack ended, and which tables, globals, objects and variables hold it.",
			serves: []string{"stackscope/stacks"}, run: sv.cmdEnded,
		},
		{name: "tree", group: stacks, short: "print the stack tree", run: func(args) { sv.console("tree") }},
		{
			name: "thread", aliases: []string{"t", "goroutine", "gr"}, group: stacks,
			args: "[#N | apply all|N… COMMAND]", short: "show stack #N: its frames, locals and operands",
			serves: []string{"stackscope/focus"}, words: threadWords, run: sv.cmdThread,
		},
		{
			name: "backtrace", aliases: []string{"bt", "where"}, group: stacks, args: "[N | -N | full | all]",
			short: "list the frames, across stacks", counted: true,
			long: "N lists the innermost N frames, -N the outermost; full includes the locals. Frames of a language's\n" +
				"runtime, and of sources that --skip names, are folded; all lists them, too.",
			serves: []string{"stackTrace"}, run: sv.cmdBacktrace,
		},
		{
			name: "frame", aliases: []string{"f"}, group: stacks, args: "[N]",
			short: "select frame N", run: sv.cmdFrame,
		},
		{
			name: "up", group: stacks, args: "[COUNT]",
			short: "select the frame that called this one, or waits for its stack", counted: true,
			run: func(a args) { sv.move(a, "up", 1) },
		},
		{
			name: "down", group: stacks, args: "[COUNT]",
			short: "select the frame that this one called, or whose stack it waits for", counted: true,
			run: func(a args) { sv.move(a, "down", -1) },
		},
		{name: "handlers", group: stacks, short: "show the handler or event clauses in force",
			run: sv.data.scoper(clauseScopes...)},
		{
			name: "history", aliases: []string{"events"}, group: stacks,
			short: "show the history of stack events",
			run:   func(args) { sv.console("history") },
		},
		{
			name: "why", group: stacks,
			short: "explain the trap, unhandled tag or event that stopped the program",
			run:   sv.cmdWhy,
		},
	}
}

// scopeCommands returns the rows that show the scopes of the selected frame.
func (sv *stackView) scopeCommands() []cmd {
	return []cmd{
		{
			name: "locals", aliases: []string{"vars"}, group: data, short: "show parameters and locals",
			serves: []string{"scopes"}, run: sv.data.scoper("Locals"),
		},
		{
			name:    "operands",
			aliases: []string{"stack", "regs"},
			group:   data,
			args:    "[#N]",
			short:   "show the operand stack; with an argument, show stack #N",
			words:   stackWords, run: func(a args) {
				if a.text != "" {
					sv.cmdThread(a)
					return
				}
				sv.data.scoper("Operand stack")(a)
			},
		},
		{name: "globals", group: data, short: "show the globals", run: sv.data.scoper("Globals")},
	}
}

func (sv *stackView) cmdStacks(a args) {
	if !sv.standing() {
		return
	}
	if a.text != "" {
		sv.queryStacks(a.text)
		return
	}
	for _, t := range sv.threads() {
		mark := "  "
		if t.Id == sv.thread {
			mark = sv.paint("36", "→ ")
		}
		sv.printf("%s%s\n", mark, t.Name)
	}
}

// queryStacks lists the matching stacks, or counts them by a key.
func (sv *stackView) queryStacks(text string) {
	q := map[string]any{"holders": false}
	keys := []string{"state", "tag", "function", "site", "text", "group", "max", "start", "roots", "children"}
	for _, w := range strings.Fields(text) {
		k, v, ok := strings.Cut(w, "=")
		if !ok {
			k, v = "text", w
		}
		k, err := choose("key", k, keys)
		if err != nil {
			sv.fail(err)
			return
		}
		switch k {
		case "max", "start", "children":
			n, err := strconv.Atoi(strings.TrimPrefix(v, "#"))
			if err != nil || n < 0 {
				sv.failf("%q is not a number", v)
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
	if !sv.request("stackscope/stacks", q, &b) {
		return
	}
	for _, g := range b.Groups {
		sv.printf("  %8d  %s\n", g.Count, g.Key)
	}
	for _, s := range b.Stacks {
		sv.printf("  %s\n", s.Title)
	}
	switch {
	case len(b.Groups) > 0:
	case b.Total > len(b.Stacks):
		sv.printf("  %d of %d\n", len(b.Stacks), b.Total)
	case b.Total == 0:
		sv.printf("  no matching stack\n")
	}
}

// cmdEnded lists the stacks that have ended and that something still refers to.
func (sv *stackView) cmdEnded(args) {
	if !sv.standing() {
		return
	}
	var b struct {
		Ended []struct {
			Title  string `json:"title"`
			HeldBy []struct {
				What  string `json:"what"`
				Stack int    `json:"stack"`
			} `json:"heldBy"`
			End struct {
				Skipped []struct {
					Func string `json:"func"`
					File string `json:"file"`
					Line int    `json:"line"`
					Text string `json:"text"`
				} `json:"skipped"`
			} `json:"end"`
		} `json:"ended"`
		Partial bool `json:"endedPartial"`
	}
	if !sv.request("stackscope/stacks", map[string]any{"ended": true, "max": 1, "roots": true}, &b) {
		return
	}
	for _, s := range b.Ended {
		sv.printf("  %s\n", s.Title)
		for _, h := range s.HeldBy {
			in := ""
			if h.Stack != 0 {
				in = fmt.Sprintf(" (#%d)", h.Stack)
			}
			sv.printf("     %s\n", sv.paint("2", "held by "+h.What+in))
		}
		for _, t := range s.End.Skipped {
			sv.printf("     %s\n", sv.paint("2", fmt.Sprintf("skipped %s at %s:%d in %s", t.Text, sv.relative(t.File), t.Line, t.Func)))
		}
	}
	switch {
	case b.Partial:
		sv.printf("  … there may be more: not everything was looked at\n")
	case len(b.Ended) == 0:
		sv.printf("  nothing refers to a stack that has ended\n")
	}
}

// console prints the adapter's answer to a word of its console.
func (sv *stackView) console(word string) {
	var b godap.EvaluateResponseBody
	if sv.standing() && sv.request("evaluate", godap.EvaluateArguments{Expression: word, Context: "repl"}, &b) {
		sv.printf("%s\n", b.Result)
	}
}

func (sv *stackView) cmdThread(a args) {
	if !sv.standing() {
		return
	}
	if rest, ok := strings.CutPrefix(a.text, "apply "); ok {
		sv.apply(rest)
		return
	}
	if a.text == "" {
		sv.printf("%s\n", sv.threadTitle(sv.thread))
		return
	}
	n, err := stackNumber(a.text)
	if err != nil {
		sv.fail(err)
		return
	}
	if err := sv.control.focus(n); err != nil {
		sv.fail(err)
		return
	}
	sv.printf("%s\n", sv.threadTitle(n))
	sv.trace(0, false, false)
}

// apply executes a command in several stacks.
func (sv *stackView) apply(text string) {
	var ids []int
	words := strings.Fields(text)
	i := 0
	for ; i < len(words); i++ {
		if words[i] == "all" {
			for _, t := range sv.threads() {
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
		sv.failf("thread apply needs stacks and a command, such as thread apply all backtrace")
		return
	}
	c, rest, err := sv.table.parseLine(strings.Join(words[i:], " "))
	if err == nil && c.group != stacks && c.group != data {
		err = fmt.Errorf("%s cannot be applied to several stacks", c.name)
	}
	if err != nil {
		sv.fail(err)
		return
	}
	thread, at := sv.thread, sv.at
	for _, id := range ids {
		if sv.interrupted || !sv.alive {
			return
		}
		sv.printf("%s\n", sv.paint("1", sv.threadTitle(id)))
		sv.thread = id
		if sv.loadFrames(0); len(sv.frames) == 0 {
			sv.failf("there is no stack #%d", id)
			continue
		}
		c.run(rest)
	}
	sv.thread = thread
	sv.loadFrames(0)
	sv.at = min(at, max(len(sv.frames)-1, 0))
}

func (sv *stackView) cmdBacktrace(a args) {
	if !sv.standing() {
		return
	}
	if a.text == "full" || a.text == "-full" {
		sv.trace(0, true, false)
		return
	}
	if a.text == "all" || a.text == "-all" {
		sv.trace(0, false, true)
		return
	}
	n, err := strconv.Atoi(a.text)
	if a.text != "" && (err != nil || n == 0) {
		sv.failf("%q is not a number of frames: use N, -N, full or all", a.text)
		return
	}
	sv.trace(n, false, false)
}

// trace shows frames: the innermost n, the outermost -n, or all that are loaded (0). Those that are
// folded are counted, unless all are to be shown.
func (sv *stackView) trace(n int, full, all bool) {
	frames := 0
	for i := range sv.frames {
		if sv.frames[i].PresentationHint != "label" {
			frames++
		}
	}
	at, folded := 0, 0
	unfolded := func() {
		if folded > 0 {
			sv.printf("     %s\n", sv.paint("2", fmt.Sprintf("… %s folded: bt all", number(folded, "frame"))))
		}
		folded = 0
	}
	for i := range sv.frames {
		f := &sv.frames[i]
		label := f.PresentationHint == "label"
		shown := n == 0 || n > 0 && at < n || n < 0 && at >= frames+n
		if !label {
			at++
		}
		if shown && !all && i != sv.at && f.folded() {
			folded++
			continue
		}
		if shown {
			unfolded()
		}
		switch {
		case !shown:
			continue
		case label:
			sv.printf("   %s\n", sv.paint("2", "── "+f.Name+" ──"))
			continue
		}
		mark := " "
		if i == sv.at {
			mark = sv.paint("36", "→")
		}
		sv.printf("%s%3d %s\n", mark, i, sv.where(f))
		if full {
			sv.data.scope(f.Id, "        ", "Locals")
		}
	}
	unfolded()
	if sv.more > 0 {
		sv.printf("     … %d more\n", sv.more)
	}
}

// number writes how many there are of something.
func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

func (sv *stackView) cmdFrame(a args) {
	if !sv.standing() {
		return
	}
	n := sv.at
	if a.text != "" {
		var err error
		if n, err = strconv.Atoi(a.text); err != nil {
			sv.failf("%q is not a frame number: use backtrace to list them", a.text)
			return
		}
	}
	if n < 0 || n >= len(sv.frames) || sv.frames[n].PresentationHint == "label" {
		sv.failf("there is no frame %d: use backtrace to list them", n)
		return
	}
	sv.selectFrame(n)
}

func (sv *stackView) selectFrame(n int) {
	sv.at, sv.lister.listed = n, span{}
	sv.printf("%3d %s\n", n, sv.where(&sv.frames[n]))
	if f := sv.frame(); f != nil && f.Source != nil {
		sv.source = f.Source
	}
	sv.lister.showLine()
}

// move selects a frame further out (1) or in (-1).
func (sv *stackView) move(a args, name string, by int) {
	n, err := count(a.text, name)
	if err != nil {
		sv.fail(err)
		return
	}
	if !sv.standing() {
		return
	}
	at, moved := sv.at, false
	for i := at + by; i >= 0 && i < len(sv.frames) && n > 0; i += by {
		if sv.frames[i].PresentationHint != "label" && !sv.frames[i].folded() {
			at, moved = i, true
			n--
		}
	}
	if !moved {
		end := "outermost"
		if by < 0 {
			end = "innermost"
		}
		sv.fail(errors.New("this is the " + end + " frame"))
		return
	}
	sv.selectFrame(at)
}

func (sv *stackView) cmdWhy(args) {
	if !sv.standing() {
		return
	}
	var b godap.ExceptionInfoResponseBody
	if !sv.request("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: sv.stop.ThreadId}, &b) {
		return
	}
	sv.printf("%s: %s\n", b.ExceptionId, b.Description)
	if x := b.Details; x != nil {
		if x.StackTrace != "" {
			sv.printf("%s\n", strings.TrimRight(x.StackTrace, "\n"))
		}
	}
}

func (sv *stackView) infoArgs(string) {
	f := sv.frame()
	if !sv.standing() {
		return
	}
	if f == nil {
		sv.failf("there is no frame")
		return
	}
	var b godap.StackTraceResponseBody
	a := map[string]any{
		"threadId": sv.thread,
		"levels":   sv.at + 1,
		"format": map[string]bool{
			"parameters": true, "parameterNames": true, "parameterTypes": true, "parameterValues": true,
		},
	}
	if sv.request("stackTrace", a, &b) && sv.at < len(b.StackFrames) {
		sv.printf("%s\n", b.StackFrames[sv.at].Name)
	}
}

func (sv *stackView) infoFrame(string) {
	if !sv.standing() {
		return
	}
	f := sv.frame()
	if f == nil {
		sv.failf("there is no frame")
		return
	}
	sv.printf("frame %d of %s: %s\n", sv.at, sv.threadTitle(sv.thread), sv.where(f))
	if f.InstructionPointerReference != "" {
		sv.printf("  code address %s\n", f.InstructionPointerReference)
	}
	sv.lister.showLine()
}
