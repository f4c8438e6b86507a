package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
)

// Options are how a conversation is checked.
type Options struct {
	Schema *Schema       // validates every message, if set
	Strict bool          // also the rules that are narrower than the protocol
	Ignore map[Rule]bool // rules that are not checked
}

// Checker follows one conversation. Its methods may be called from several goroutines, in the order
// in which the messages pass: a request before it is handed to the adapter, what the adapter sends
// before it is handed to the client.
type Checker struct {
	mu       sync.Mutex
	o        Options
	found    []Problem // by the message that is looked at
	side     Side
	m        Message
	seq      [2]int
	open     [2]map[int]*asked // requests without a response, by who sent them
	answered bool              // initialize was answered
	asked    bool              // initialize was sent
	leaving  int               // the number of the first disconnect; 0: none
	client   map[string]bool   // what the client declared
	adapter  map[string]json.RawMessage
	run      run
	ids      ids
	lists    lists
}

// asked is a request without a response.
type asked struct {
	Message
	stop    int // the ordinal of the stop at which it was sent
	stopped bool
	cancel  bool // the other side asked for its cancellation
}

// New begins with an empty conversation.
func New(o Options) *Checker {
	c := &Checker{o: o, client: map[string]bool{}, adapter: map[string]json.RawMessage{}}
	c.open = [2]map[int]*asked{{}, {}}
	c.ids.init()
	c.lists.init()
	return c
}

// Message checks the next message and returns what is wrong with it.
func (c *Checker) Message(from Side, raw []byte) []Problem {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found, c.side, c.m = nil, from, Message{}
	if err := json.Unmarshal(raw, &c.m); err != nil {
		c.bad(JSON, "%v", err)
		if c.m.Type == "request" && c.m.Seq > 0 {
			// As far as it can be read it is a request: it may be answered.
			c.open[from][c.m.Seq] = &asked{Message: c.m}
		}
		return c.found
	}
	if c.o.Schema != nil {
		if err := c.o.Schema.Validate(raw); err != nil {
			c.bad(SchemaRule, "%s: %v", c.m.name(), err)
		}
	}
	c.numbered()
	switch c.m.Type {
	case "request":
		c.request()
	case "response":
		c.response()
	case "event":
		if from == Client {
			c.bad(JSON, "a client cannot send events")
		} else {
			c.event()
		}
	default:
		c.bad(JSON, "unknown message type %q", c.m.Type)
	}
	return c.found
}

// End reports that the conversation is over.
func (c *Checker) End() []Problem {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found, c.side, c.m = nil, Adapter, Message{}
	for seq, a := range c.open[Client] {
		if c.leaving == 0 || seq <= c.leaving {
			c.bad(Unanswered, "request %d, %s, has no response", seq, a.Command)
		}
	}
	return c.found
}

// name is what a message is about.
func (m *Message) name() string {
	if m.Type == "event" {
		return m.Event
	}
	return m.Command
}

// bad records a problem of the side that sends.
func (c *Checker) bad(r Rule, format string, a ...any) { c.blame(c.side, r, format, a...) }

func (c *Checker) blame(s Side, r Rule, format string, a ...any) {
	if !c.o.Ignore[r] {
		c.found = append(c.found, Problem{Rule: r, Side: s, Seq: c.m.Seq, Text: fmt.Sprintf(format, a...)})
	}
}

func (c *Checker) numbered() {
	if c.m.Seq != c.seq[c.side]+1 {
		c.bad(Seq, "%d follows %d", c.m.Seq, c.seq[c.side])
	}
	c.seq[c.side] = c.m.Seq
}

func (c *Checker) request() {
	if c.open[c.side][c.m.Seq] != nil {
		return // the wrong number was reported
	}
	a := &asked{Message: c.m, stop: c.run.stop, stopped: c.run.stands}
	c.open[c.side][c.m.Seq] = a
	if c.side == Adapter {
		c.reverse()
		return
	}
	switch {
	case c.m.Command == "initialize":
		if c.asked {
			c.bad(InitializeFirst, "initialize was sent again")
			return
		}
		c.asked = true
		c.declare()
	case !c.asked:
		c.bad(InitializeFirst, "%s was sent before initialize", c.m.Command)
	case c.m.Command == "disconnect" && c.leaving == 0:
		c.leaving = c.m.Seq
	case c.m.Command == "cancel":
		var x struct{ RequestID int }
		if decode(c.m.Arguments, &x) && c.open[Client][x.RequestID] != nil {
			c.open[Client][x.RequestID].cancel = true
		}
	}
	c.gated(a)
	c.uses(a)
	c.run.asks(c.m.Command)
}

func (c *Checker) response() {
	a := c.open[1-c.side][c.m.RequestSeq]
	if a == nil {
		c.bad(Answer, "%s: no open request %d", c.m.Command, c.m.RequestSeq)
		return
	}
	delete(c.open[1-c.side], c.m.RequestSeq)
	if a.Command != c.m.Command {
		c.bad(AnswerCommand, "request %d was %s, the response names %s", c.m.RequestSeq, a.Command, c.m.Command)
		return
	}
	if c.side == Client {
		return
	}
	if !c.m.Success {
		if c.m.Message == "cancelled" && !a.cancel && c.leaving == 0 {
			c.bad(Cancelled, "%s was not cancelled", a.Command)
		}
		c.run.refused(c.m.Command)
		return
	}
	if a.Command == "initialize" {
		c.answered = true
		var caps map[string]json.RawMessage
		decode(c.m.Body, &caps)
		c.offer(caps)
		return
	}
	c.executed(a)
	c.counts(a)
	c.handles(a)
	c.listed(a)
	c.resumed(a)
}

func (c *Checker) event() {
	if !c.answered {
		c.bad(InitializeFirst, "the event %s was sent before the response to initialize", c.m.Event)
	}
	c.declared()
	c.happens()
	c.lives()
}

// decode reads JSON leniently: what has another shape is reported by the schema.
func decode(raw json.RawMessage, into any) bool {
	return len(raw) > 0 && json.Unmarshal(raw, into) == nil
}

// isTrue reports if a JSON value is true.
func isTrue(raw json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("true")) }
