package wire

import (
	"fmt"
	"testing"
)

// TestAnswerCount counts the answers among other messages.
func TestAnswerCount(t *testing.T) {
	for body, want := range map[string]int{
		`{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}`:                                          1,
		`{"jsonrpc":"2.0","id":"a","error":{}}`:                                                     1,
		`{"jsonrpc":"2.0","method":"x","params":{},"id":3}`:                                         0,
		`{"jsonrpc":"2.0","method":"x"}`:                                                            0,
		`[{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":2,"result":"{\"jsonrpc\""}]`: 2,
	} {
		if got := answers([]byte(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))); got != want {
			t.Errorf("%s: %d", body, got)
		}
	}
}
