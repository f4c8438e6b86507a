// Package check reports whether a conversation keeps the rules of the Debug Adapter Protocol 1.71.
// It sees only the messages, never the adapter or the client, as they pass (a
// Checker after a tap or in a proxy) or from a recorded transcript.
//
// Two things are checked. Every message is validated against the protocol's JSON schema (Schema),
// and the sequence of messages against invariants (Rules): one response for each request, ids that
// end with the stop they were made at, nothing after `terminated`, and so on. What an adapter may
// do by the specification's text is never a problem, unless Options.Strict asks for the narrower
// rules that this project's own adapter keeps.
//
// The command in dap/check/dapcheck runs it over a transcript, or as a proxy before any adapter.
package check

import (
	"encoding/json"
	"fmt"
)

// Side is one end of a conversation.
type Side int

// The two ends.
const (
	Client Side = iota
	Adapter
)

// String returns `client` or `adapter`.
func (s Side) String() string {
	if s == Client {
		return "client"
	}
	return "adapter"
}

// Message is the envelope of any message, with arguments and body left raw.
type Message struct {
	Seq        int             `json:"seq"`
	Type       string          `json:"type"` // request, response, event
	Command    string          `json:"command,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	RequestSeq int             `json:"request_seq,omitempty"`
	Success    bool            `json:"success,omitempty"`
	Message    string          `json:"message,omitempty"`
	Event      string          `json:"event,omitempty"`
	Body       json.RawMessage `json:"body,omitempty"`
}

// Problem is a rule that a message breaks.
type Problem struct {
	Rule Rule
	Side Side   // who breaks it
	Seq  int    // of the message, among those of its sender; 0: none in particular
	Text string // what is wrong
}

// Error returns the problem in one line.
func (p Problem) Error() string {
	if p.Seq == 0 {
		return fmt.Sprintf("%s: %s: %s", p.Side, p.Rule, p.Text)
	}
	return fmt.Sprintf("%s: %s: %s (message %d)", p.Side, p.Rule, p.Text, p.Seq)
}
