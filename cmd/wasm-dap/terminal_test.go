//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestAtTerminal runs the real program at a pseudo terminal that is its controlling one:
// completion, carets, Ctrl-C in a program that runs, the history file, and Ctrl-D.
func TestAtTerminal(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "loop.wat")
	if err := os.WriteFile(program, []byte(`(module
  (func (export "main") (param $number i32)
    (loop $again
      (local.set $number (i32.add (local.get $number) (i32.const 1)))
      (br $again))))
`), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := exec.LookPath("wasm-dap") // testscript.Main puts it there
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "debug", program, "7")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir, "TERM=xterm", "NO_COLOR=1")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 200})
	if err != nil {
		t.Skip("no pseudo terminal: ", err)
	}
	defer tty.Close()
	var mu sync.Mutex
	var out bytes.Buffer
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := tty.Read(b)
			mu.Lock()
			out.Write(b[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	escapes := regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)
	seen := 0
	for _, x := range []struct {
		keys, screen string
		pause        time.Duration
	}{
		{"", "(wasm) ", 0},
		{"p $nu\t\r", "p $number\r\n7 : i32", 0},
		{"stepi 2\r", "^~~~~~~~~", 0},
		{"continue\r", "continue\r\n", 100 * time.Millisecond},
		{"\x03", "Paused", 0},
		{"p 1\x03", "(wasm) \r\n(wasm) ", 0}, // the line is given up
		{"\x04", "(wasm) \r\n", 0},
	} {
		if _, err := tty.WriteString(x.keys); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
			mu.Lock()
			text := escapes.ReplaceAllString(out.String(), "")
			mu.Unlock()
			if i := strings.Index(text[min(seen, len(text)):], x.screen); i >= 0 {
				seen += i + len(x.screen)
				if x.screen == "(wasm) \r\n" {
					break
				}
				// The next keys wait for the next prompt, unless the program runs.
				if strings.HasSuffix(x.screen, "(wasm) ") {
					seen -= len("(wasm) ")
					break
				}
				if x.pause == 0 {
					if j := strings.Index(text[seen:], "(wasm) "); j >= 0 {
						seen += j
						break
					}
					seen -= i + len(x.screen)
				} else {
					break
				}
			}
			if time.Now().After(end) {
				_ = cmd.Process.Kill()
				t.Fatalf("after %q, %q does not come:\n%s", x.keys, x.screen, text)
			}
		}
		time.Sleep(x.pause)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(filepath.Join(dir, "stackscope", "debug_history"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error("the history file: ", info, err)
	}
}
