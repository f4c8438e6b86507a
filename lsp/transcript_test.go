package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"stackscope/analysis/source"
)

// recorder is a client that speaks plain JSON and writes down every message in both directions.
type recorder struct {
	t    *testing.T
	conn net.Conn
	in   chan map[string]any
	log  strings.Builder
	id   int
}

func newRecorder(t *testing.T) (*recorder, chan error) {
	a, b := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), a, Options{Version: "test"}) }()
	r := &recorder{t: t, conn: b, in: make(chan map[string]any, 16)}
	t.Cleanup(func() { b.Close() })
	go r.read()
	return r, done
}

func (r *recorder) read() {
	defer close(r.in)
	in := bufio.NewReader(r.conn)
	for {
		n := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if strings.TrimSpace(line) == "" {
				break
			}
			fmt.Sscanf(line, "Content-Length: %d", &n)
		}
		buf := make([]byte, n)
		if _, err := io.ReadFull(in, buf); err != nil {
			return
		}
		var m map[string]any
		if json.Unmarshal(buf, &m) != nil {
			return
		}
		r.in <- m
	}
}

func (r *recorder) write(arrow string, m map[string]any) {
	delete(m, "jsonrpc")
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		r.t.Fatal(err)
	}
	fmt.Fprintf(&r.log, "%s %s", arrow, b.String())
}

func (r *recorder) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		r.t.Fatal(err)
	}
	fmt.Fprintf(r.conn, "Content-Length: %d\r\n\r\n%s", len(b), b)
	r.write("-->", m)
}

func (r *recorder) next() map[string]any {
	r.t.Helper()
	select {
	case m, ok := <-r.in:
		if !ok {
			r.t.Fatal("the server is gone")
		}
		c := map[string]any{}
		for k, v := range m {
			c[k] = v
		}
		r.write("<--", c)
		return m
	case <-time.After(20 * time.Second):
		r.t.Fatal("no message")
	}
	return nil
}

func (r *recorder) notify(method string, params any) {
	r.send(map[string]any{"method": method, "params": params})
}

func (r *recorder) call(method string, params any) any {
	r.t.Helper()
	r.id++
	m := map[string]any{"id": r.id, "method": method}
	if params != nil {
		m["params"] = params
	}
	r.send(m)
	res := r.next()
	if e, ok := res["error"]; ok {
		r.t.Errorf("%s: %v", method, e)
	}
	return res["result"]
}

type obj = map[string]any

// TestTranscript plays a whole session over a program whose handler label has the wrong type, and
// compares every message with the recording.
func TestTranscript(t *testing.T) {
	raw, err := os.ReadFile("../testdata/examples/cont/wrong/label.wat")
	if err != nil {
		t.Fatal(err)
	}
	const u = "file:///ws/label.wat"
	f := source.NewFile("/ws/label.wat", string(raw))
	doc := obj{"uri": u}
	pos := func(text, at string, skip int) obj {
		g := source.NewFile("", text)
		p := g.Position(strings.Index(text, at)+skip, source.UTF16)
		return obj{"line": p.Line, "character": p.Col}
	}
	r, done := newRecorder(t)
	r.call("initialize", obj{"processId": nil, "rootUri": nil, "capabilities": obj{
		"textDocument": obj{
			"publishDiagnostics": obj{"relatedInformation": true},
			"hover":              obj{"contentFormat": []string{"markdown"}},
		},
	}})
	r.notify("initialized", obj{})
	r.notify(
		"textDocument/didOpen",
		obj{"textDocument": obj{"uri": u, "languageId": "wat", "version": 1, "text": f.Text}},
	)
	ds := r.next()["params"].(obj)["diagnostics"].([]any)
	if len(ds) != 1 {
		t.Fatalf("%d diagnostics, want one", len(ds))
	}
	as := r.call("textDocument/codeAction", obj{"textDocument": doc, "range": ds[0].(obj)["range"],
		"context": obj{"diagnostics": ds}}).([]any)
	if len(as) == 0 {
		t.Fatal("no code action")
	}
	// Apply the first, from the last edit to the first.
	edits := as[0].(obj)["edit"].(obj)["changes"].(obj)[u].([]any)
	var changes []any
	text := f.Text
	for i := len(edits) - 1; i >= 0; i-- {
		e := edits[i].(obj)
		rg := e["range"].(obj)
		changes = append(changes, obj{"range": rg, "text": e["newText"]})
		off := func(k string) int {
			p := rg[k].(obj)
			return source.NewFile("", text).
				Offset(source.Position{Line: int(p["line"].(float64)), Col: int(p["character"].(float64))},
					source.UTF16)
		}
		text = text[:off("start")] + e["newText"].(string) + text[off("end"):]
	}
	r.notify("textDocument/didChange", obj{"textDocument": obj{"uri": u, "version": 2}, "contentChanges": changes})
	if ds := r.next()["params"].(obj)["diagnostics"].([]any); len(ds) != 0 {
		t.Errorf("after the fix: %v", ds)
	}
	r.call("textDocument/hover", obj{"textDocument": doc, "position": pos(text, "(resume", 1)})
	r.call("textDocument/rename", obj{"textDocument": doc, "position": pos(text, "$k", 0), "newName": "generator"})
	r.call("shutdown", nil)
	r.send(obj{"method": "exit"})
	if err := <-done; err != nil {
		t.Errorf("exit: %v", err)
	}
	const golden = "../testdata/lsp/session.transcript"
	got := r.log.String()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the session differs from %s (-update rewrites it):\n%s", golden, firstDifference(got, string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d:\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
