package termdbg

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/dap"
	"stackscope/internal/launch"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// session runs commands on a program of the examples, and returns all that is printed.
func session(t *testing.T, program, commands string) (string, int) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	path, err := filepath.Abs(filepath.Join("testdata", "examples", "cont", program))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code := Run(context.Background(), Options{
		Launch: dap.Launch{
			Program: path,
		}, Server: dap.Config{Load: launch.Load}, In: strings.NewReader(commands), Out: &out, Err: &out,
	})
	root, _ := os.Getwd()
	return strings.ReplaceAll(out.String(), root, "$ROOT"), code
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("internal", "termdbg", "testdata", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update to rewrite):\n%s", path, got)
	}
}

// TestScheduler is the main job of the README.
func TestScheduler(t *testing.T) {
	got, code := session(t, "scheduler.wat", `help
help next
list
break $worker
break 500
continue
locals
stacks
tree
where
handlers
display $times
next
next
step
up
down
delete 1
operands
thread 3
print $digit
print (i32.add (local.get $digit) (i32.const 40))
print $nothing
set $digit = 9
globals
info breakpoints
back
until $note
history
disp
x 0
nonsense
continue
stacks
restart
list 40
quit
`)
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	golden(t, "scheduler", got)
}

func TestUnhandled(t *testing.T) {
	got, _ := session(t, "wrong/unhandled.wat", "continue\nwhere\ntree\ncontinue\nquit\n")
	golden(t, "unhandled", got)
}

func TestWrongProgram(t *testing.T) {
	got, code := session(t, "wrong/label.wat", "quit\n")
	if code != 1 || !strings.Contains(got, "label.wat:") {
		t.Errorf("exit code %d:\n%s", code, got)
	}
}

// TestBack goes back, from a stop and from the end, and is told where there is nothing before.
func TestBack(t *testing.T) {
	got, code := session(t, "generator.wat", `back
break $elements
continue
next
next
back
print $i
until 24
continue
back
back
delete
continue
back
quit
`)
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	golden(t, "back", got)
}

// TestMove makes stacks go on elsewhere, begins frames again, cancels with stops in the clean-up,
// and goes back before all that.
func TestMove(t *testing.T) {
	got, code := session(t, "cancel.wat", `break 48
continue
where
break 26
cancel #2 $cancel
cancel
cancel two
cancel #2 $cancel 9
where
next
continue
cancel #2
back
again
jump 23
stack 1
again
back
back
back
delete 2
stack 2
jump 23
stack 2
again
jump 5000
jump
again 77
cancel #2 $cancel 9
stack 1
jump 50
jump 48
print $n
again
back
cancel #2
stacks
back
stacks
delete 2
stack 2
jump 23
again
cancel #2 $cancel 9
back
cancel #2
stacks
stack 1
jump 50
back
stacks
back
stacks
quit
`)
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	golden(t, "move", got)
}

// TestRestartOfWhatEnds starts a program again and again that ends before its first instruction:
// its end may be told before the debugger has seen that it was started.
func TestRestartOfWhatEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prog.wat")
	text := `(module (func (import "nowhere" "f")) (func (export "main")))`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := run(t, Options{Launch: dap.Launch{Program: path}}, strings.Repeat("run\n", 300)+"echo alive\\n\n")
	if !strings.Contains(out, "alive\n") {
		t.Error(tail(out))
	}
}

// TestReturnSwitch steps over instructions that leave their function and switch, or throw on another
// stack, and looks at a stack that calls another function when control comes back.
func TestReturnSwitch(t *testing.T) {
	got, code := session(t, "../stacks/turnstile.wat", `break $locked
continue
next
next
where
stacks
next
where
locals
tree
delete
break $unlocked
continue
next
stacks
thread 2
where
locals
thread 1
delete
break $close
continue
next
where
out
history
continue
quit
`)
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	golden(t, "turnstile", got)
}
