package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/internal/cli"
	"stackscope/internal/running"
)

// TestPs: a program that listens for debuggers is listed while it runs, and not afterwards.
func TestPs(t *testing.T) {
	t.Setenv("STACKSCOPE_RUN", filepath.Join(t.TempDir(), "run"))
	prog := filepath.Join(t.TempDir(), "p.wat")
	if err := os.WriteFile(prog, []byte(`(module (func (export "main") (param i32)))`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	says, ended := &announced{at: make(chan string, 1)}, make(chan int, 1)
	go func() {
		ended <- app().Run(ctx, []string{"run", "--listen", "127.0.0.1:0", "--wait", "--invoke", "main", prog, "7"},
			&cli.Env{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: says})
	}()
	at := <-says.at
	ps := func(args ...string) string {
		var out bytes.Buffer
		if code := app().Run(context.Background(), append([]string{"ps"}, args...),
			&cli.Env{Stdout: &out, Stderr: &out}); code != cli.OK {
			t.Errorf("exit code %d", code)
		}
		return out.String()
	}
	if got := ps(); !strings.Contains(got, " "+at+" ") || !strings.HasSuffix(got, "p.wat 7\n") {
		t.Errorf("ps prints %q", got)
	}
	var p running.Program
	if err := json.Unmarshal([]byte(ps("--format", "json")), &p); err != nil || p.PID != os.Getpid() ||
		p.Address != at ||
		p.Program != prog ||
		len(p.Args) != 1 {
		t.Errorf("%+v %v", p, err)
	}
	cancel()
	<-ended
	if got := ps(); got != "" {
		t.Errorf("after the end ps prints %q", got)
	}
}
