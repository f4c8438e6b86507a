package dap

import (
	"errors"
	"stackscope/dap/internal/wire"

	godap "github.com/google/go-dap"
)

// outbox is what the session sends: responses, what follows them, events, and requests to the
// client.
type outbox struct {
	conn    *wire.Conn
	client  *clientInfo
	after   []func()               // to do once the response is out
	replies map[int]func(*Message) // to requests of ours, by number
}

// event sends an event.
func (o *outbox) event(name string, body any) { o.conn.Event(name, body) }

// drop forgets what was to be done after the response.
func (o *outbox) drop() { o.after = o.after[:0] }

// finish does what was to be done once the response is out.
func (o *outbox) finish() {
	for _, f := range o.after {
		f()
	}
}

// maxAsked bounds the requests that a client has not answered yet.
const maxAsked = 500

var errAsked = errors.New("the client does not answer")

// then does something once the response is out.
func (o *outbox) then(f func()) { o.after = append(o.after, f) }

// invalidate reports, if the client supports it, that variables may have changed.
func (o *outbox) invalidate() {
	if o.client.invalidated {
		o.then(func() {
			o.event("invalidated", godap.InvalidatedEventBody{Areas: []godap.InvalidatedAreas{"variables"}})
		})
	}
}

// ask sends a request to the client; the session calls f with the response.
func (o *outbox) ask(command string, args any, f func(*Message)) {
	if o.replies == nil {
		o.replies = map[int]func(*Message){}
	}
	if len(o.replies) >= maxAsked {
		f(&Message{Type: "response", Command: command, Message: errAsked.Error()})
		return
	}
	o.conn.Write(func(seq int) any {
		o.replies[seq] = f
		return wire.Request{Seq: seq, Type: "request", Command: command, Arguments: args}
	})
}

// answered receives the client's response to a request of ours.
func (o *outbox) answered(m *Message) {
	if f := o.replies[m.RequestSeq]; f != nil {
		delete(o.replies, m.RequestSeq)
		f(m)
	}
}
