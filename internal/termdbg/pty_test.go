//go:build linux || darwin

package termdbg

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"stackscope/dap"
	"stackscope/internal/launch"
)

// ptyScreen is a session at a pseudo terminal.
type ptyScreen struct {
	t    *testing.T
	pty  *os.File
	done chan int
	read chan struct{} // closed when nothing more comes

	mu  sync.Mutex
	out bytes.Buffer
	at  int // what was seen before is not looked at again
}

// atTerminal debugs a program at a pseudo terminal.
func atTerminal(t *testing.T, program, historyFile string) *ptyScreen {
	t.Helper()
	path, err := filepath.Abs(program)
	if err != nil {
		t.Fatal(err)
	}
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminal: ", err)
	}
	_ = pty.Setsize(master, &pty.Winsize{Rows: 40, Cols: 200})
	s := &ptyScreen{t: t, pty: master, done: make(chan int, 1), read: make(chan struct{})}
	go func() {
		s.done <- Run(context.Background(), Options{
			Launch: dap.Launch{Program: path}, Server: dap.Config{Load: launch.Load},
			In: slave, Out: slave, Err: slave, History: historyFile,
		})
		slave.Close()
	}()
	go func() {
		defer close(s.read)
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			s.mu.Lock()
			s.out.Write(b[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { master.Close() })
	return s
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// text returns all that is on the screen.
func (s *ptyScreen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return escapes.ReplaceAllString(s.out.String(), "")
}

// see waits until a text is on the screen, after what was seen before.
func (s *ptyScreen) see(text string) {
	s.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		all := s.text()
		if i := strings.Index(all[min(s.at, len(all)):], text); i >= 0 {
			s.at += i + len(text)
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("%q does not come; the screen is\n%s", text, all[min(s.at, len(all)):])
		}
	}
}

func (s *ptyScreen) typed(keys string) {
	s.t.Helper()
	if _, err := s.pty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the end of the session and returns what is on the screen.
func (s *ptyScreen) ends() (string, int) {
	s.t.Helper()
	select {
	case code := <-s.done:
		<-s.read // the other end is closed: all that was written has been read
		s.mu.Lock()
		defer s.mu.Unlock()
		return escapes.ReplaceAllString(s.out.String(), ""), code
	case <-time.After(20 * time.Second):
		s.t.Fatal("the session does not end")
	}
	return "", 0
}

const scheduler = "../../testdata/examples/cont/scheduler.wat"

// TestTabCompletes completes a command, a name from its first letters, the only file, and lists
// what there is to choose from.
func TestTabCompletes(t *testing.T) {
	s := atTerminal(t, scheduler, "")
	for _, x := range []struct{ keys, screen string }{
		{"until $not\t\r", "until $note\r\nReached"}, // a function
		{"p $dig\t\r", "p $digit\r\n1 : i32"},        // the first character stays single
		{"p (i32.add (local.get $di\t) (i32.const 1))\r", "p (i32.add (local.get $digit) (i32.const 1))\r\n2 : i32"},
		{"p $di, 1\x1b[D\x1b[D\x1b[D\t\r", "p $digit, 1"}, // inside of a line
		{"p (i32.eq\t)\r", "i32.eq   i32.eqz\r\n"},        // a choice
		{"st\t\r", "stacks  step    stepi   stepto\r\n"},
		{"hel\tstac\t\r", "help stacks\r\n"},
		{"info br\t\r", "info breakpoints\r\n"},
		{"break $wor\t if $dig\t == 7\r", "break $worker if $digit == 7\r\n"},
		{"condition 1\t $dig\t == 8\r", "condition 1 $digit == 8\r\n"},
		{"thread #\t\r", "#1  #2  #3  #4"},
		{"catch sus\t\r", "catch suspend\r\n"},
		{"source ../../testdata/examples/co\t\r", "source ../../testdata/examples/cont/\r\n"},
		{"\t\r", "again"},
	} {
		s.see("(wasm) ")
		s.typed(x.keys)
		s.see(x.screen)
		s.at = strings.LastIndex(s.text(), "\n")
	}
	s.typed("quit\r")
	if _, code := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestEndOfInput ends the session with Ctrl-D: the shell's prompt begins a line of its own.
func TestEndOfInput(t *testing.T) {
	s := atTerminal(t, scheduler, "")
	s.see("(wasm) ")
	s.typed("\x04")
	if out, code := s.ends(); code != 0 || !strings.HasSuffix(out, "(wasm) \r\n") {
		t.Errorf("exit code %d, the screen is %q", code, out)
	}
}

// TestInterruptAtPrompt discards a line with Ctrl-C. The session continues, and nothing is
// executed.
func TestInterruptAtPrompt(t *testing.T) {
	s := atTerminal(t, scheduler, "")
	s.see("(wasm) ")
	s.typed("next\r")
	s.see("88 ")
	s.see("(wasm) ")
	s.typed("delete 5\x03")
	s.see("(wasm) ")
	s.typed("\r") // repeats next
	s.see("89 ")
	s.typed("quit\r")
	s.ends()
}

// TestInterruptPauses pauses a program with Ctrl-C.
func TestInterruptPauses(t *testing.T) {
	program := filepath.Join(t.TempDir(), "loop.wat")
	if err := os.WriteFile(program,
		[]byte("(module (func (export \"main\") (local $i i32)\n  (loop $l\n    (local.set $i (i32.add (local.get $i) (i32.const 1)))\n    (br $l))))\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := atTerminal(t, program, "")
	s.see("(wasm) ")
	for _, command := range []string{"continue", "finish", "step 1000000000"} {
		s.typed(command + "\r")
		s.see(command + "\r\n")
		time.Sleep(50 * time.Millisecond)
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGINT) // what Ctrl-C makes of a terminal that is not raw
		if strings.HasPrefix(command, "step") {            // the interrupt can come between two steps
			s.see("→ ")
		} else {
			s.see("Paused")
		}
		s.see("(wasm) ")
	}
	s.typed("quit\r")
	s.ends()
}

// TestHistoryFile keeps the lines that were typed, for their owner only and not for ever.
func TestHistoryFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "stackscope", "debug_history")
	s := atTerminal(t, scheduler, file)
	s.see("(wasm) ")
	s.typed("info breakpoints\rinfo breakpoints\r print 1\r\x04")
	s.ends()
	b, err := os.ReadFile(file)
	if err != nil || string(b) != "info breakpoints\n" {
		t.Fatalf("%v: %q", err, b)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("up\ndown\n", maxHistory)), 0o600); err != nil {
		t.Fatal(err)
	}
	s = atTerminal(t, scheduler, file)
	s.see("(wasm) ")
	s.typed("\x1b[A\r") // the line before
	s.see("down\r\n")
	s.typed("info display\r")
	s.see("no displays")
	s.typed("quit\r")
	s.ends()
	b, _ = os.ReadFile(file)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != maxHistory || lines[len(lines)-2] != "info display" {
		t.Errorf("%d lines, the last are %q", len(lines), lines[max(0, len(lines)-3):])
	}
}

// TestTabCompletesSource completes names of the source: files, functions, variables, members.
func TestTabCompletesSource(t *testing.T) {
	s := atTerminal(t, filepath.Join("..", "..", "testdata", "programs", "c", "stock.wasm"), "")
	for _, x := range []struct{ keys, screen string }{
		{"break stock.c\t65\r", "break stock.c:65\r\nbreakpoint 1"},
		{"break by_n\t\r", "break by_name\r\nbreakpoint 2"},
		{"delete 2\r", "(wasm)"},
		{"continue\r", "65 "},
		{"p sorte\t\r", "p sorted\r\n"},
		{"p it->nex\t\r", "p it->next\r\n0x"},
		{"p it->flags.she\t\r", "p it->flags.shelf\r\n1 : unsigned int"},
		{"view \t\r", "all     source  wat"},
		{"view w\t\r", "view wat\r\nview of sort: wat"},
	} {
		s.see("(wasm) ")
		s.typed(x.keys)
		s.see(x.screen)
		s.at = strings.LastIndex(s.text(), "\n")
	}
	s.typed("quit\r")
	if _, code := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
