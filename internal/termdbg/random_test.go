package termdbg

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stackscope/dap"
)

// TestRandomCommands executes random commands on the examples of all designs. Whatever comes, the
// debugger goes on, and it says nothing that only its developers understand. STACKSCOPE_LONG is how
// many sessions of each program.
func TestRandomCommands(t *testing.T) {
	sessions := 1
	if n, err := strconv.Atoi(os.Getenv("STACKSCOPE_LONG")); err == nil {
		sessions = n
	}
	programs, err := filepath.Glob(filepath.Join("..", "..", "testdata", "examples", "*", "*.wa*t"))
	if err != nil || len(programs) < 20 {
		t.Fatal(err, programs)
	}
	more, _ := filepath.Glob(filepath.Join("..", "..", "testdata", "examples", "*", "wrong", "*.wa*t"))
	for i, p := range append(programs, more...) {
		for n := range sessions {
			r := rand.New(rand.NewPCG(uint64(i), uint64(n)))
			var w strings.Builder
			for range 40 {
				w.WriteString(randomCommand(r) + "\n")
			}
			w.WriteString("echo alive\\n\n")
			path, _ := filepath.Abs(p)
			out, code := run(t, Options{Launch: dap.Launch{Program: path, Limits: dap.Limits{Fuel: 1_000_000}}},
				w.String())
			if code == 1 && !strings.Contains(out, prompt) {
				continue // it cannot be run
			}
			if !strings.Contains(out, "alive\n") {
				t.Errorf("%s, session %d: the debugger is not alive:\n%s\n%s", p, n, w.String(), tail(out))
			}
			for _, bad := range badWords {
				if strings.Contains(out, bad) {
					t.Errorf("%s, session %d: %q:\n%s\n%s", p, n, bad, w.String(), tail(out))
				}
			}
		}
	}
}

// badWords are what no user should read.
var badWords = []string{
	"internal error in the debug adapter", "internal error", "panic", "%!", "<nil>", "unknown request",
	"malformed arguments",
}

func randomCommand(r *rand.Rand) string {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	count := func() string { return pick("", "", "", " 2", " 3", " 20") }
	line := func() string { return strconv.Itoa(1 + r.IntN(90)) }
	stack := func() string { return fmt.Sprintf("#%d", 1+r.IntN(5)) }
	number := func() string { return strconv.Itoa(1 + r.IntN(5)) }
	where := func() string {
		return pick(line(), line(), line()+":"+line(), "$worker", "main", "$yield", "*$pc", "+3", "")
	}
	expr := func() string {
		return pick(
			"$i", "$n", "$k", "#2", "#1.state", "$i + 1", "local 0", "operand 0", "i32[16]", "(i32.const 1)",
			"$i == 1",
		)
	}
	switch r.IntN(26) {
	case 0, 1, 2:
		return pick("step", "next", "stepi", "nexti", "finish") + count()
	case 3:
		return "continue" + count()
	case 4, 5:
		return pick("break ", "tbreak ", "until ", "advance ") + where()
	case 6:
		return "break " + where() + " stack " + stack() + " if " + expr()
	case 7:
		return pick("watch ", "rwatch ", "awatch ", "watch -w ") + pick("$i", "local 0", "global 0", "16", "16,8")
	case 8:
		return pick(
			"catch ", "tcatch ",
		) + pick(
			"suspend", "resume", "switch", "create", "finish", "throw", "trap off", "trap", "suspend $yield",
			"resume stack 2",
		)
	case 9:
		return pick("enable ", "disable ", "delete ", "enable once ", "condition ") + number()
	case 10:
		return "ignore " + number() + " " + number()
	case 11:
		return pick("dprintf ", "clear ", "locations ", "list ", "jump ", "disassemble ", "info line ") + where()
	case 12:
		return pick("thread ", "cancel ", "cancel #9 ", "thread apply all print ") + stack()
	case 13:
		return pick(
			"backtrace", "stacks", "tree", "handlers", "history", "why", "thread apply all backtrace 2",
			"stacks group=tag",
		)
	case 14:
		return pick("up", "down") + count()
	case 15:
		return pick("again", "again 1", "frame 1", "stepto", "stepto 1")
	case 16, 17:
		return pick("print ", "print/x ", "display ", "whatis ", "call ", "set ", "print -full ") + expr()
	case 18:
		return "set " + pick("$i", "$n", "local 0", "i32[16]") + " = " + number()
	case 19:
		return pick("x 16", "x/4xw 16", "x/s 0", "x", "x/3i", "write 16 1", "x/2xg $i")
	case 20:
		return "back" + count()
	case 21:
		return pick("run", "restart", "kill")
	case 22:
		return "info " + pick(
			"breakpoints", "args", "frame", "functions", "modules", "memory", "program", "targets", "display",
			"continuation",
		)
	case 23:
		return "commands " + number() + "\nprint $i\nend"
	case 24:
		return pick(
			"undisplay", "until", "locals", "globals", "operands", "interrupt", "detach", "list", "list -",
			"disassemble/r",
		)
	}
	return pick("attach 127.0.0.1:1", "next", "step", "continue", "restart", "delete")
}
