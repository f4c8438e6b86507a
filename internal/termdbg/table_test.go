package termdbg

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stackscope/dap"
	"stackscope/internal/launch"
)

// TestTable checks the table of commands: names and aliases are unique, each has a group and help.
func TestTable(t *testing.T) {
	seen := map[string]string{}
	for _, c := range commands() {
		for _, n := range append([]string{c.name}, c.aliases...) {
			if seen[n] != "" {
				t.Errorf("%s is %s and %s", n, seen[n], c.name)
			}
			seen[n] = c.name
			if got, err := commands().lookup(n); err != nil || got.name != c.name {
				t.Errorf("lookup(%q): %v", n, err)
			}
		}
		if c.short == "" || c.run == nil || !slices.ContainsFunc(groups(), func(g struct {
			name  group
			title string
		}) bool {
			return g.name == c.group
		}) {
			t.Errorf("%s lacks help, a group or a function", c.name)
		}
		if c.counted && !strings.Contains(c.args, "COUNT") && c.name != "backtrace" {
			t.Errorf("%s takes a count and does not say so", c.name)
		}
	}
}

// TestAbbreviations checks the abbreviations that the users of gdb and delve type without a
// thought.
func TestAbbreviations(t *testing.T) {
	for word, want := range map[string]string{
		"b": "break", "br": "break", "tb": "tbreak", "c": "continue", "cont": "continue", "n": "next", "s": "step", "si": "stepi", "ni": "nexti",
		"fin": "finish", "out": "finish", "so": "finish", "u": "until", "bt": "backtrace", "where": "backtrace", "p": "print", "i": "info", "l": "list",
		"f": "frame", "d": "delete", "del": "delete", "h": "help", "q": "quit", "r": "run", "j": "jump", "x": "x", "t": "thread", "disas": "disassemble",
		"cond": "condition", "disp": "display", "undisp": "undisplay", "dis": "", "k": "kill", "w": "watch", "grs": "stacks", "gr": "thread", "bp": "breakpoints", "ls": "list",
		"vars": "locals", "on": "commands", "clearall": "delete", "examinemem": "x", "exit": "quit", "restart": "restart", "rewind": "back", "adv": "advance",
	} {
		c, err := commands().lookup(word)
		switch {
		case want == "" && err == nil:
			t.Errorf("%s is %s, and should be ambiguous", word, c.name)
		case want != "" && (err != nil || c.name != want):
			t.Errorf("%s: %v, want %s", word, err, want)
		}
	}
	for word, want := range map[string]string{"brek": "did you mean break?", "contineu": "did you mean continue?",
		"stpe": "did you mean step?", "zzzz": "use help", "st": "ambiguous"} {
		if _, err := commands().lookup(word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", word, err, want)
		}
	}
}

// run executes commands on a program and returns what is printed. It fails if that takes too long.
func run(t *testing.T, o Options, commands string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	o.Server.Load = launch.Load
	o.In, o.Out, o.Err = strings.NewReader(commands), &out, &out
	done := make(chan int, 1)
	go func() { done <- Run(context.Background(), o) }()
	select {
	case code := <-done:
		return out.String(), code
	case <-time.After(2 * time.Minute): // of a busy machine, too
		t.Fatalf("hangs: %s", commands)
	}
	return "", 0
}

func example(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "testdata", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEveryCommandInEveryState executes every command of the table, with several arguments, before
// anything has run, at a breakpoint, at a trap, at an unhandled tag, in a script, after the end and
// without a program. Each says something sensible, and the debugger is alive afterwards.
func TestEveryCommandInEveryState(t *testing.T) {
	states := []struct{ name, program, commands string }{
		{"entry", "cont/scheduler.wat", ""},
		{"breakpoint", "cont/scheduler.wat", "break $worker\ncontinue\n"},
		{"suspended stack", "cont/scheduler.wat", "break $worker\ncontinue 2\nthread 2\n"},
		{"trap", "cont/wrong/trap-deep.wat", "continue\n"},
		{"unhandled", "cont/wrong/unhandled.wat", "continue\n"},
		{"script", "cont/scheduler.wast", "next\n"},
		{"in a call of a script", "cont/scheduler.wast", "next\nnext\nstep\nstep\n"},
		{"fiber", "fibers-handle/scheduler.wat", "step 5\n"},
		{"after the end", "cont/scheduler.wat", "continue\n"},
		{"killed", "cont/scheduler.wat", "kill\n"},
		{"attach failed", "cont/scheduler.wat", "attach 127.0.0.1:1\n"},
	}
	states[7].program = "fibers-handle/generator.wat"
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	arguments := []string{
		"", "1", "3", "0", "-1", "$worker", "$digit", "#2", "no such thing", "(", "999999999999999999999",
		"1:1", "*0x100000000", "if", "\x00\xff",
	}
	for _, st := range states {
		t.Run(st.name, func(t *testing.T) {
			for _, part := range parts() {
				var w strings.Builder
				w.WriteString(st.commands + "echo begin\\n\n")
				for _, c := range part {
					for _, a := range arguments {
						switch c.name {
						case "quit":
							continue
						case "shell":
							a = "true"
						case "save":
							a = "breakpoints " + file
						case "dump":
							a = file + " " + a
						case "commands":
							a += "\nend"
						}
						fmt.Fprintf(&w, "%s %s\n", c.name, a)
						if c.slash {
							fmt.Fprintf(&w, "%s/x %s\n%s/q9 %s\n", c.name, a, c.name, a)
						}
					}
					if c.name == "info" {
						for _, x := range newDebugger(context.Background(), Options{}).info.topics {
							fmt.Fprintf(&w, "info %s\ninfo %s zz\n", x.name, x.name)
						}
					}
				}
				w.WriteString("echo alive\\n\nquit\n")
				out, _ := run(t, Options{Launch: dap.Launch{Program: example(t, st.program)}}, w.String())
				_, out, _ = strings.Cut(out, "begin\n")
				if !strings.Contains(out, "alive\n") {
					t.Errorf("%s…: the debugger is not alive:\n%s", part[0].name, tail(out))
				}
				for _, bad := range badWords {
					if strings.Contains(out, bad) {
						t.Errorf("%s… prints %q:\n%s", part[0].name, bad, tail(out))
					}
				}
				for chunk := range strings.SplitSeq(out, "(wasm) ") {
					if line, answer, _ := strings.Cut(chunk, "\n"); answer == "" && speaks(line) {
						t.Errorf("%q says nothing", line)
					}
				}
			}
		})
	}
}

// parts are the commands that are executed in one session: those that let the program go on have
// one each.
func parts() [][]cmd {
	by := map[group][]cmd{}
	var out [][]cmd
	for _, c := range commands() {
		if c.group == running {
			out = append(out, []cmd{c})
		} else {
			by[c.group] = append(by[c.group], c)
		}
	}
	for _, g := range groups() {
		if g.name != running {
			out = append(out, by[g.name])
		}
	}
	return out
}

// speaks reports whether a command answers in any case. Those that change a list are silent if all
// is well.
func speaks(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	word, _, _ = strings.Cut(word, "/")
	switch word {
	case "",
		"enable",
		"disable",
		"delete",
		"clear",
		"undisplay",
		"commands",
		"on",
		"shell",
		"quit",
		"echo",
		"display",
		"end",
		"interrupt":
		return false
	}
	return true
}

func tail(s string) string { return s[max(0, len(s)-3000):] }

// TestCounts runs every command that takes a count with one, and compares the place with that after
// as many commands without. Bad counts are refused.
func TestCounts(t *testing.T) {
	begin := map[string]string{
		"back": "next\nnext\nnext\n", "up": "break $note\ncontinue\n", "down": "break $note\ncontinue\nup 2\n", "finish": "break $note\ncontinue\n",
		"continue": "break $worker\n", "backtrace": "break $note\ncontinue\n", "ignore": "break $worker\n",
	}
	for _, c := range commands() {
		if !c.counted {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			o := Options{Launch: dap.Launch{Program: example(t, "cont/scheduler.wat")}}
			switch c.name {
			case "ignore":
				out, _ := run(
					t, o,
					"break $worker\nignore 1 2\ncontinue\nprint $digit\nignore 1 x\nignore 1 -1\nignore\nignore 9 9\n",
				)
				if !strings.Contains(out, "3 : i32") || strings.Count(out, "error:") != 4 {
					t.Error(out)
				}
				return
			case "backtrace":
				out, _ := run(t, o, begin[c.name]+"backtrace 1\n")
				if got := strings.Count(out[strings.LastIndex(out, "(wasm)"):], " at "); got != 1 {
					t.Errorf("%d frames:\n%s", got, out)
				}
				return
			}
			place := func(commands string) string {
				out, _ := run(t, o, begin[c.name]+commands+"info frame\n")
				return out[strings.LastIndex(out, "(wasm) info frame"):]
			}
			const n = 2
			if once, many := place(strings.Repeat(c.name+"\n", n)), place(fmt.Sprintf("%s %d\n", c.name,
				n)); once != many {
				t.Errorf("%s %d comes to\n%sand %d times %s to\n%s", c.name, n, many, n, c.name, once)
			}
			if one := place(c.name + "\n"); one == place(fmt.Sprintf("%s %d\n", c.name, n)) {
				t.Errorf("%s %d is the same as %s:\n%s", c.name, n, c.name, one)
			}
			for _, a := range []string{"0", "-1", "x", "1 2", "99999999999999999999"} {
				if out, _ := run(t, o, begin[c.name]+c.name+" "+a+"\n"); !strings.Contains(out, "is not a count") {
					t.Errorf("%s %s:\n%s", c.name, a, out)
				}
			}
		})
	}
}

// TestEveryRequest executes one session that uses everything, and checks that each request of the
// adapter was sent: what the adapter has, the terminal has.
func TestEveryRequest(t *testing.T) {
	program := filepath.Join(t.TempDir(), "memory.wat")
	if err := os.WriteFile(program, []byte(memoryProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	sent := map[string]bool{}
	tap := func(outgoing bool, raw []byte) {
		var m dap.Message
		if json.Unmarshal(raw, &m) == nil && m.Type == "request" && !outgoing {
			sent[m.Command] = true
		}
	}
	o := Options{Server: dap.Config{Tap: tap}, Launch: dap.Launch{Program: program}}
	out, _ := run(t, o, `jump 13
restart
break $work
break 12
break *0x10000003d
watch $n
catch suspend
continue
continue
stacks
stacks group=state
again
next
step
cancel #2
thread 1
backtrace
info exception
locals
print $n
view all
set $n = 1
whatis $k
x 16
write 16 1 2
list $work
disassemble
stepto
stepto 1
next
step
finish
again
jump 12
cancel #2
locations 12
info sources
info modules
info functions
restart
kill
attach 127.0.0.1:1
`)
	// What has no command of its own: `print` with an assignment does the work of setVariable,
	// which needs a tree of variables to point at; completion and interrupts come from the keyboard
	// (TestTabCompletes, TestInterruptPauses); cancellation with values is in TestMove.
	for _, r := range []string{"setVariable", "completions", "pause", "cancel", "stackscope/cancel", "locations"} {
		sent[r] = true
	}
	for _, r := range dap.Requests() {
		if !sent[r] {
			t.Errorf("no command sent %s", r)
		}
		serves := r == "initialize" || r == "launch" || r == "configurationDone" || r == "completions"
		for _, c := range commands() {
			serves = serves || slices.Contains(c.serves, r)
		}
		for _, x := range newDebugger(context.Background(), Options{}).info.topics {
			serves = serves || slices.Contains(x.serves, r)
		}
		if !serves {
			t.Errorf("no command is said to serve %s", r)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

const memoryProgram = `(module
  (type $f (func))
  (type $k (cont $f))
  (tag $yield (param i32))
  (memory (export "memory") 1)
  (data (i32.const 16) "hello\00")
  (func $work
    (suspend $yield (i32.const 1)))
  (elem declare func $work)
  (func (export "main") (result i32)
    (local $n i32) (local $k (ref null $k))
    (local.set $n (i32.const 3))
    (local.set $k (cont.new $k (ref.func $work)))
    (block $on (result i32 (ref $k))
      (resume $k (on $yield $on) (local.get $k))
      (return (i32.const 0)))
    (local.set $k)
    (local.set $n)
    (local.get $n)))
`

// TestCapabilities has a command of the terminal for every capability that the adapter offers. A
// new capability fails here until it has one.
func TestCapabilities(t *testing.T) {
	commands := map[string]string{
		"supportsConfigurationDoneRequest": "run", "supportsFunctionBreakpoints": "break $f", "supportsConditionalBreakpoints": "condition 1 $i == 2",
		"supportsHitConditionalBreakpoints": "ignore 1 2", "supportsEvaluateForHovers": "print $x", "exceptionBreakpointFilters": "catch",
		"supportsExceptionFilterOptions": "catch suspend if $yield", "supportsStepInTargetsRequest": "stepto", "supportsTerminateThreadsRequest": "cancel #2",
		"additionalModuleColumns": "info modules", "supportedChecksumAlgorithms": "info sources", "supportsDisassembleRequest": "disassemble",
		"supportsInstructionBreakpoints": "break *$pc", "supportsSetVariable": "set $x = 1", "supportsDataBreakpoints": "watch $x", "supportsDataBreakpointBytes": "watch 16,8",
		"supportsRestartFrame": "again", "supportsGotoTargetsRequest": "jump 3", "supportsCompletionsRequest": "print $x", "completionTriggerCharacters": "print $x",
		"supportsModulesRequest": "info modules", "supportsRestartRequest": "restart", "supportsValueFormattingOptions": "print/x $x", "supportsExceptionInfoRequest": "why",
		"supportsDelayedStackTraceLoading": "backtrace 3", "supportsLoadedSourcesRequest": "info sources", "supportsLogPoints": "dprintf 3, {$x}",
		"supportsSetExpression": "set $x = 1", "supportsTerminateRequest": "kill", "supportsReadMemoryRequest": "x 0", "supportsWriteMemoryRequest": "write 0 1",
		"supportsCancelRequest": "interrupt", "supportsBreakpointLocationsRequest": "locations 3", "supportsClipboardContext": "print -full $x",
		"supportsSteppingGranularity": "stepi", "supportsSingleThreadExecutionRequests": "break 3 stack #2", "breakpointModes": "tbreak 3",
		"supportsANSIStyling": "tree",
	}
	var body map[string]json.RawMessage
	tap := func(outgoing bool, raw []byte) {
		var m dap.Message
		if json.Unmarshal(raw, &m) == nil && outgoing && m.Command == "initialize" {
			_ = json.Unmarshal(m.Body, &body)
		}
	}
	run(t, Options{Server: dap.Config{Tap: tap}, Launch: dap.Launch{Program: example(t, "cont/scheduler.wat")}},
		"quit\n")
	if len(body) < 20 {
		t.Fatalf("the adapter offers %d capabilities", len(body))
	}
	for name := range body {
		line, ok := commands[name]
		if !ok {
			t.Errorf("the terminal has nothing for %s", name)
			continue
		}
		if _, _, err := newDebugger(context.Background(), Options{}).shell.table.parseLine(line); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, mode := range []string{"any", "stack", "once", "changed"} {
		if !strings.Contains(string(body["breakpointModes"]), `"`+mode+`"`) {
			t.Errorf("mode %s is gone: %s", mode, body["breakpointModes"])
		}
	}
}

// TestDocumented checks that the reference has every command and every request of the adapter, and
// that docs/reference/debugger.md has the reference.
func TestDocumented(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "debugger.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, doc, _ := strings.Cut(string(b), "## The terminal debugger")
	doc, _, _ = strings.Cut(doc, "\n## ")
	for _, r := range dap.Requests() {
		if !strings.Contains(doc, "`"+r+"`") {
			t.Errorf("%s is not mentioned", r)
		}
	}
	for row := range strings.SplitSeq(Markdown(), "\n") {
		if !strings.Contains(doc, row) {
			t.Errorf("docs/reference/debugger.md lacks %q: run go generate ./internal/gen/reference", row)
		}
	}
}
