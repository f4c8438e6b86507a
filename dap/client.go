package dap

import (
	"encoding/json"
	"fmt"
	"io"
	"stackscope/dap/internal/wire"
	"sync"
)

// Message is any message as it came, with arguments and body left raw.
type Message = wire.Message

// Client is the client's end of a connection: the terminal debugger and the tests drive a server
// with it. Its methods may be called from several goroutines.
type Client struct {
	c       *wire.Conn
	mu      sync.Mutex
	waiting map[int]chan *Message
	closed  bool
	err     error
	onEvent func(*Message)
	onAsk   func(*Message) any
	rwc     io.Closer
}

// RequestError is a request that the server refused.
type RequestError struct {
	Command string
	Message string
}

// Error returns the server's text.
func (e *RequestError) Error() string { return e.Message }

// NewClient begins reading from a connection. onEvent is called for every event, in order, from the
// reading goroutine, so it must not wait for a response. tap, if any, sees every message.
func NewClient(rwc io.ReadWriteCloser, onEvent func(*Message), tap func(outgoing bool, message []byte)) *Client {
	c := &Client{c: wire.New(rwc, rwc), waiting: map[int]chan *Message{}, onEvent: onEvent, rwc: rwc}
	c.c.Tap, c.c.Max = tap, wire.MaxAnswer
	go c.read()
	return c
}

func (c *Client) read() {
	for {
		m, err := c.c.Read()
		if err != nil {
			_, goOn := err.(*wire.BadMessage)
			c.mu.Lock()
			// An answer that cannot be read may be to any request: none is left to wait for ever.
			for id, w := range c.waiting {
				close(w)
				delete(c.waiting, id)
			}
			c.closed, c.err = !goOn, err
			c.mu.Unlock()
			if goOn {
				continue
			}
			if c.onEvent != nil {
				c.onEvent(nil)
			}
			return
		}
		switch m.Type {
		case "response":
			c.mu.Lock()
			w := c.waiting[m.RequestSeq]
			delete(c.waiting, m.RequestSeq)
			c.mu.Unlock()
			if w != nil {
				w <- m
			}
		case "request":
			c.mu.Lock()
			ask := c.onAsk
			c.mu.Unlock()
			go func() {
				var body any
				if ask != nil {
					body = ask(m)
				}
				if ask == nil {
					c.c.Fail(m, errFailed, false, "this client does not answer requests")
					return
				}
				c.c.Respond(m, body)
			}()
		case "event":
			if c.onEvent != nil {
				c.onEvent(m)
			}
		}
	}
}

// Send sends a request without waiting; the channel gets the response, and is closed without one if
// the connection ends.
func (c *Client) Send(command string, args any) <-chan *Message {
	ch, _ := c.Start(command, args)
	return ch
}

// Start is Send that also returns the number of the request, by which it can be cancelled.
func (c *Client) Start(command string, args any) (<-chan *Message, int) {
	ch := make(chan *Message, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		close(ch)
		return ch, 0
	}
	seq := c.c.Write(func(seq int) any {
		c.waiting[seq] = ch
		return wire.Request{Seq: seq, Type: "request", Command: command, Arguments: args}
	})
	return ch, seq
}

// Request sends a request, waits for the response, and decodes its body into body if that is not
// nil. The error is a *RequestError if the server refused.
func (c *Client) Request(command string, args, body any) error {
	m, ok := <-c.Send(command, args)
	return Decode(command, m, ok, body)
}

// Decode reads the response that came from the channel of Send: ok reports whether one came, and
// body, if it is not nil, receives the response's body. The error is a *RequestError if the server
// refused.
func Decode(command string, m *Message, ok bool, body any) error {
	if !ok {
		return fmt.Errorf("%s: no answer: the connection is closed or broken", command)
	}
	if !m.Success {
		var e struct {
			Error struct {
				Format    string            `json:"format"`
				Variables map[string]string `json:"variables"`
			} `json:"error"`
		}
		text := m.Message
		if json.Unmarshal(m.Body, &e) == nil && e.Error.Variables["text"] != "" {
			text = e.Error.Variables["text"]
		}
		return &RequestError{command, text}
	}
	if body != nil && len(m.Body) > 0 {
		return json.Unmarshal(m.Body, body)
	}
	return nil
}

// OnRequest sets what answers requests of the server (runInTerminal, startDebugging) with a body;
// it is called on a goroutine of its own. Without it they are refused.
func (c *Client) OnRequest(answer func(*Message) any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onAsk = answer
}

// Close closes the connection.
func (c *Client) Close() error { return c.rwc.Close() }
