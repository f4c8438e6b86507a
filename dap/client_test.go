package dap_test

import (
	"fmt"
	"io"
	"net"
	"stackscope/dap"
	"strings"
	"testing"
	"time"
)

// TestUnreadableAnswer: an answer that cannot be read ends the request, and the client goes on.
func TestUnreadableAnswer(t *testing.T) {
	here, there := net.Pipe()
	go func() {
		buf := make([]byte, 1<<10)
		for _, answer := range []string{`{nonsense}`, `{"seq":2,"type":"response","request_seq":2,"success":true,"command":"threads"}`} {
			if _, err := there.Read(buf); err != nil {
				return
			}
			if _, err := io.WriteString(
				there, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(answer), answer),
			); err != nil {
				return
			}
		}
	}()
	c := dap.NewClient(here, nil, nil)
	defer c.Close()
	if err := c.Request("threads", nil, nil); err == nil || !strings.Contains(err.Error(), "threads") {
		t.Errorf("%v", err)
	}
	if err := c.Request("threads", nil, nil); err != nil {
		t.Error(err)
	}
}

// An end whose messages are watched reads on while a message of its own waits for the other end.
func TestReadWhileWriting(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	heard, seen := make(chan *dap.Message, 1), make(chan bool, 2)
	c := dap.NewClient(here, func(m *dap.Message) { heard <- m }, func(out bool, _ []byte) { seen <- out })
	defer c.Close()
	go c.Send("threads", nil) // a pipe without a buffer: it waits until somebody reads
	if out := <-seen; !out {
		t.Fatal("a message that was not sent")
	}
	const event = `{"seq":1,"type":"event","event":"initialized"}`
	if _, err := fmt.Fprintf(there, "Content-Length: %d\r\n\r\n%s", len(event), event); err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-heard:
		if m.Event != "initialized" {
			t.Error(m.Event)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for its own message")
	}
}
