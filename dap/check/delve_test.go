package check_test

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stackscope/dap"
	"stackscope/dap/check"
)

// target is a Go program with a line to stop at.
const target = `package main

import "fmt"

func add(a, b int) int {
	return a + b
}

func main() {
	sum := 0
	for i := range 3 {
		sum = add(sum, i)
	}
	fmt.Println(sum)
}
`

// TestDelve runs the checker on a session of another adapter: delve, if DLV names it (`go install
// github.com/go-delve/delve/cmd/dlv@v1.27.1`). What it finds are delve's own deviations, by rule.
func TestDelve(t *testing.T) {
	dlv := os.Getenv("DLV")
	if dlv == "" {
		t.Skip("DLV does not name a delve")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": target, "go.mod": "module target\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "target")
	build := exec.Command("go", "build", "-gcflags", "all=-N -l", "-o", bin, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	adapter := delve(t, dlv)
	path, err := check.FindSchema()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := check.LoadSchema(path, false)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	found := map[check.Rule][]string{}
	messages := 0
	k := check.New(check.Options{Schema: schema})
	here, there := net.Pipe()
	proxied := make(chan error, 1)
	go func() {
		proxied <- check.Proxy(there, adapter, func(from check.Side, raw []byte) {
			mu.Lock()
			defer mu.Unlock()
			messages++
			for _, p := range k.Message(from, raw) {
				found[p.Rule] = append(found[p.Rule], p.Error())
			}
		})
	}()
	events := make(chan *dap.Message, 1000)
	c := dap.NewClient(here, func(m *dap.Message) { events <- m }, nil)
	must := func(command string, args, body any) {
		t.Helper()
		if err := c.Request(command, args, body); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
	}
	await := func(name string, body any) {
		t.Helper()
		for {
			select {
			case m := <-events:
				if m == nil {
					t.Fatalf("the connection ends where %s is awaited", name)
				}
				if m.Event == name {
					if body != nil {
						if err := json.Unmarshal(m.Body, body); err != nil {
							t.Fatal(err)
						}
					}
					return
				}
			case <-time.After(time.Minute):
				t.Fatalf("no event %s", name)
			}
		}
	}
	var stopped struct{ ThreadID int }
	look := func() {
		t.Helper()
		await("stopped", &stopped)
		must("threads", nil, nil)
		var st struct{ StackFrames []struct{ ID int } }
		must("stackTrace", map[string]any{"threadId": stopped.ThreadID, "levels": 5}, &st)
		var sc struct {
			Scopes []struct{ VariablesReference int }
		}
		must("scopes", map[string]any{"frameId": st.StackFrames[0].ID}, &sc)
		for _, s := range sc.Scopes {
			must("variables", map[string]any{"variablesReference": s.VariablesReference}, nil)
		}
		must("evaluate", map[string]any{"expression": "sum", "frameId": st.StackFrames[0].ID, "context": "hover"}, nil)
	}
	must(
		"initialize",
		map[string]any{
			"adapterID": "go", "linesStartAt1": true, "columnsStartAt1": true,
			"pathFormat": "path", "supportsVariableType": true,
		},
		nil,
	)
	launched := c.Send("launch", map[string]any{"mode": "exec", "program": bin})
	await("initialized", nil)
	must(
		"setBreakpoints",
		map[string]any{
			"source":      map[string]any{"path": filepath.Join(dir, "main.go")},
			"breakpoints": []any{map[string]any{"line": 12}},
		},
		nil,
	)
	must("setExceptionBreakpoints", map[string]any{"filters": []string{}}, nil)
	must("configurationDone", map[string]any{}, nil)
	if m := <-launched; m == nil || !m.Success {
		t.Fatalf("launch: %+v", m)
	}
	look()
	for _, command := range []string{"next", "stepIn"} {
		must(command, map[string]any{"threadId": stopped.ThreadID}, nil)
		look()
	}
	must(
		"setBreakpoints",
		map[string]any{"source": map[string]any{"path": filepath.Join(dir, "main.go")}, "breakpoints": []any{}},
		nil,
	)
	must("continue", map[string]any{"threadId": stopped.ThreadID}, nil)
	await("terminated", nil)
	must("disconnect", map[string]any{}, nil)
	c.Close()
	if err := <-proxied; err != nil {
		t.Log(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, p := range k.End() {
		found[p.Rule] = append(found[p.Rule], p.Error())
	}
	t.Logf("%d messages", messages)
	for rule, list := range found {
		t.Logf("%s, %d times: %s", rule, len(list), list[0])
	}
	// What delve 1.27.1 does: events and responses get their numbers before they queue for the
	// connection, so they overtake each other; and it says terminated twice, at the end and again
	// at disconnect.
	known := map[check.Rule]bool{check.Seq: true, check.EndOnce: true}
	for rule, list := range found {
		if !known[rule] {
			t.Errorf("%s: %s", rule, strings.Join(list, "\n"))
		}
	}
	if messages < 40 {
		t.Error("there was hardly a conversation")
	}
}

// delve starts delve's adapter and connects to it.
func delve(t *testing.T, dlv string) net.Conn {
	cmd := exec.Command(dlv, "dap", "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	in := bufio.NewScanner(out)
	for in.Scan() {
		if _, addr, ok := strings.Cut(in.Text(), "listening at: "); ok {
			go func() { // what it prints must not fill the pipe
				for in.Scan() {
				}
			}()
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			return conn
		}
	}
	t.Fatal("delve does not listen")
	return nil
}
