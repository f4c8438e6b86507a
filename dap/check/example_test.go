package check_test

import (
	"fmt"
	"strings"

	"stackscope/dap/check"
)

// A recorded conversation is checked message by message: here the adapter answers `threads` twice,
// and never answers `disconnect`.
func Example() {
	const transcript = `
→ {"type":"request","command":"initialize","arguments":{"adapterID":"wasm"}}
← {"type":"response","success":true,"command":"initialize"}
→ {"seq":2,"type":"request","command":"threads"}
← {"seq":2,"type":"response","request_seq":2,"success":true,"command":"threads","body":{"threads":[]}}
← {"seq":3,"type":"response","request_seq":2,"success":true,"command":"threads","body":{"threads":[]}}
→ {"seq":3,"type":"request","command":"disconnect"}
`
	entries, err := check.ReadTranscript(strings.NewReader(transcript))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := check.New(check.Options{})
	var found []check.Problem
	for _, e := range entries {
		found = append(found, c.Message(e.From, e.Raw)...)
	}
	for _, p := range append(found, c.End()...) {
		fmt.Println(p)
	}
	// Output:
	// adapter: answer: threads: no open request 2 (message 3)
	// adapter: unanswered: request 3, disconnect, has no response
}
