package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackscope/dap"
	"stackscope/dap/check"
	"stackscope/internal/cli"
)

// announced hands on what a server writes to standard error first: where it listens.
type announced struct {
	bytes.Buffer
	at chan string
}

func (a *announced) Write(b []byte) (int, error) {
	if a.Len() == 0 {
		a.at <- strings.TrimSpace(string(b))
	}
	return a.Buffer.Write(b)
}

// TestRecording records sessions over TCP, each in a file of its own, which the checker reads.
func TestRecording(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session")
	ctx, cancel := context.WithCancel(context.Background())
	says, ended := &announced{at: make(chan string, 1)}, make(chan int, 1)
	go func() {
		ended <- app().Run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--transcript", file},
			&cli.Env{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: says})
	}()
	at := <-says.at
	prog := filepath.Join(t.TempDir(), "p.wat")
	if err := os.WriteFile(prog, []byte(`(module (func (export "main") (nop)))`), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		conn, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		events := make(chan string, 100)
		c := dap.NewClient(conn, func(m *dap.Message) {
			if m != nil {
				events <- m.Event
			}
		}, nil)
		for _, r := range []struct {
			command string
			args    any
			until   string
		}{{"initialize", map[string]any{"adapterID": "wasm"}, ""}, {"launch", map[string]any{"program": prog},
			"initialized"}, {"configurationDone", nil, "terminated"}, {"disconnect", map[string]any{}, ""}} {
			if err := c.Request(r.command, r.args, nil); err != nil {
				t.Fatalf("%s: %v", r.command, err)
			}
			for got := ""; r.until != "" && got != r.until; {
				select {
				case got = <-events:
				case <-time.After(10 * time.Second):
					t.Fatalf("no %s", r.until)
				}
			}
		}
		c.Close()
	}
	cancel()
	<-ended
	schema, err := check.FindSchema()
	if err != nil {
		t.Fatal(err)
	}
	s, err := check.LoadSchema(schema, true)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 2; n++ {
		in, err := os.Open(fmt.Sprintf("%s.%d", file, n))
		if err != nil {
			t.Fatal(err)
		}
		entries, err := check.ReadTranscript(in)
		in.Close()
		if err != nil || len(entries) < 10 {
			t.Fatalf("session %d has %d messages, %v", n, len(entries), err)
		}
		for _, p := range check.Transcript(entries, check.Options{Schema: s, Strict: true}, true) {
			t.Errorf("session %d: %v", n, p)
		}
	}
}
