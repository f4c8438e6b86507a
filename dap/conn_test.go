package dap_test

import (
	"fmt"
	"net"
	"testing"
	"time"

	"stackscope/dap"
)

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
