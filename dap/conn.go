// Package dap is a debug adapter: the Debug Adapter Protocol 1.71 over the engine in vm/debugger.
//
// One goroutine reads, one executes the session, one runs the program; all writing goes through one
// lock. Protocol structures are those of go-dap; where that version lacks a field or loses a zero
// value, protocol.go has an overlay.
package dap

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	godap "github.com/google/go-dap"
)

// The sizes of the largest messages that are read, in bytes. An adapter is sent small ones; it
// sends whole sources, and the printed text of a large binary is some 30 times its size.
const (
	maxMessage = 64 << 20
	maxAnswer  = 1 << 30
)

// Message is any message as it came, with arguments and body left raw.
type Message struct {
	Seq        int             `json:"seq"`
	Type       string          `json:"type"`
	Command    string          `json:"command,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	RequestSeq int             `json:"request_seq,omitempty"`
	Success    bool            `json:"success,omitempty"`
	Message    string          `json:"message,omitempty"`
	Event      string          `json:"event,omitempty"`
	Body       json.RawMessage `json:"body,omitempty"`
	size       int             // in bytes, as it came
}

// request, response and event are the envelopes that are written.
type request struct {
	Seq       int    `json:"seq"`
	Type      string `json:"type"`
	Command   string `json:"command"`
	Arguments any    `json:"arguments,omitempty"`
}

type response struct {
	Seq        int    `json:"seq"`
	Type       string `json:"type"`
	RequestSeq int    `json:"request_seq"`
	Success    bool   `json:"success"`
	Command    string `json:"command"`
	Message    string `json:"message,omitempty"`
	Body       any    `json:"body,omitempty"`
}

type event struct {
	Seq   int    `json:"seq"`
	Type  string `json:"type"`
	Event string `json:"event"`
	Body  any    `json:"body,omitempty"`
}

// badMessage is a message that could be delimited but not understood: reading can go on.
type badMessage struct{ err error }

func (b *badMessage) Error() string { return b.err.Error() }

// conn is one end of a connection.
type conn struct {
	r   *bufio.Reader
	max int64      // the size of the largest message that is read
	mu  sync.Mutex // guards w, seq and err
	w   *bufio.Writer
	seq int
	err error // first error of writing; nothing is written after it

	// held while tap runs, and never while a message is on its way: the other end may not read
	// before it has written
	tapping sync.Mutex
	tap     func(outgoing bool, message []byte) // sees every message, in order
}

func newConn(r io.Reader, w io.Writer) *conn {
	return &conn{r: bufio.NewReaderSize(r, 1<<16), max: maxMessage, w: bufio.NewWriterSize(w, 1<<16)}
}

// read returns the next message. Anything before a Content-Length header is skipped; other headers
// are ignored. The error is a *badMessage if it concerns this message alone.
func (c *conn) read() (*Message, error) {
	n, err := c.header()
	if err != nil {
		return nil, err
	}
	if n > c.max {
		if _, err := io.CopyN(io.Discard, c.r, n); err != nil {
			return nil, err
		}
		return nil, &badMessage{fmt.Errorf("message of %d bytes is larger than %d", n, c.max)}
	}
	raw, err := c.body(int(n))
	if err != nil {
		return nil, err
	}
	c.tell(false, raw)
	m := &Message{size: len(raw)}
	if err := json.Unmarshal(raw, m); err != nil {
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) && m.Seq != 0 {
			return m, &badMessage{fmt.Errorf("malformed message: field %q cannot be a JSON %s", te.Field, te.Value)}
		}
		return nil, &badMessage{fmt.Errorf("malformed message: %v", err)}
	}
	return m, nil
}

// body reads as many bytes. It takes memory as they come, not as they are announced.
func (c *conn) body(n int) ([]byte, error) {
	const step = 64 << 10
	raw := make([]byte, 0, min(n, step))
	for len(raw) < n {
		from := len(raw)
		raw = slices.Grow(raw, min(n-from, max(step, from)))
		raw = raw[:min(n, cap(raw))]
		if _, err := io.ReadFull(c.r, raw[from:]); err != nil {
			return nil, err
		}
	}
	return raw, nil
}

// tell shows a message to the tap.
func (c *conn) tell(outgoing bool, raw []byte) {
	if c.tap != nil {
		c.tapping.Lock()
		defer c.tapping.Unlock()
		c.tap(outgoing, raw)
	}
}

// header reads lines up to an empty one and gives the Content-Length among them.
func (c *conn) header() (int64, error) {
	n := int64(-1)
	for {
		line, err := c.line()
		if err != nil {
			return 0, err
		}
		if line == "" {
			if n >= 0 {
				return n, nil
			}
			continue
		}
		// Garbage may stand right before a header, without a line end.
		if v, ok := contentLength(line); ok {
			n = v
		}
	}
}

// contentLength looks for the last Content-Length in a line: that line may begin with bytes that
// are no text.
func contentLength(line string) (int64, bool) {
	const key = "content-length:"
	for i := len(line) - len(key); i >= 0; i-- {
		if strings.EqualFold(line[i:i+len(key)], key) {
			v, err := strconv.ParseInt(strings.TrimSpace(line[i+len(key):]), 10, 48)
			return v, err == nil && v >= 0
		}
	}
	return 0, false
}

// line reads a line without its end. Of a line longer than the buffer only the tail is kept.
func (c *conn) line() (string, error) {
	for {
		b, err := c.r.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return "", err
		}
		return strings.TrimRight(string(b), "\r\n"), nil
	}
}

// write numbers a message and sends it. Errors are kept: a client that is gone is noticed by read.
func (c *conn) write(make func(seq int) any) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0
	}
	c.seq++
	raw, err := json.Marshal(make(c.seq))
	if err != nil {
		c.seq--
		c.err = err
		return 0
	}
	c.tell(true, raw)
	if err := godap.WriteBaseMessage(c.w, raw); err != nil {
		c.err = err
	} else if err := c.w.Flush(); err != nil {
		c.err = err
	}
	return c.seq
}

// respond answers a request with a body.
func (c *conn) respond(m *Message, body any) {
	c.write(func(seq int) any {
		return response{Seq: seq, Type: "response", RequestSeq: m.Seq, Success: true, Command: m.Command, Body: body}
	})
}

// fail answers a request with an error that is shown to the user if show is set.
func (c *conn) fail(m *Message, id int, show bool, text string) {
	c.write(func(seq int) any {
		return response{Seq: seq, Type: "response", RequestSeq: m.Seq, Command: m.Command, Message: text,
			Body: godap.ErrorResponseBody{
				Error: &godap.ErrorMessage{Id: id, Format: "{text}", Variables: map[string]string{"text": text}, ShowUser: show},
			}}
	})
}

// event sends an event.
func (c *conn) event(name string, body any) {
	c.write(func(seq int) any { return event{Seq: seq, Type: "event", Event: name, Body: body} })
}
