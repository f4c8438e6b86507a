package dap_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"stackscope/dap"
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
			if _, err := io.WriteString(there, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(answer), answer)); err != nil {
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
