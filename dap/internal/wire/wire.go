// Package wire reads and writes the messages of the Debug Adapter Protocol.
//
// A [Conn] is one end of a connection, an adapter's or a client's. Read returns the next message
// with its arguments and body left raw; a *[BadMessage] concerns one message only, and reading can
// continue. Writing numbers the messages and may be done from several goroutines.
package wire

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
	MaxMessage = 64 << 20
	MaxAnswer  = 1 << 30
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
	Size       int             `json:"-"` // in bytes, as it came
}

// Request is a request that is written.
type Request struct {
	Seq       int    `json:"seq"`
	Type      string `json:"type"`
	Command   string `json:"command"`
	Arguments any    `json:"arguments,omitempty"`
}

// Response is a response that is written.
type Response struct {
	Seq        int    `json:"seq"`
	Type       string `json:"type"`
	RequestSeq int    `json:"request_seq"`
	Success    bool   `json:"success"`
	Command    string `json:"command"`
	Message    string `json:"message,omitempty"`
	Body       any    `json:"body,omitempty"`
}

// Event is an event that is written.
type Event struct {
	Seq   int    `json:"seq"`
	Type  string `json:"type"`
	Event string `json:"event"`
	Body  any    `json:"body,omitempty"`
}

// BadMessage is a message that could be delimited but not understood: reading can go on.
type BadMessage struct{ err error }

func (b *BadMessage) Error() string { return b.err.Error() }

// Conn is one end of a connection.
type Conn struct {
	r   *bufio.Reader
	Max int64      // the size of the largest message that is read
	mu  sync.Mutex // guards w, seq and err
	w   *bufio.Writer
	seq int
	err error // first error of writing; nothing is written after it

	// held while tap runs, and never while a message is on its way: the other end may not read
	// before it has written
	tapping sync.Mutex
	Tap     func(outgoing bool, message []byte) // sees every message, in order
}

func New(r io.Reader, w io.Writer) *Conn {
	return &Conn{r: bufio.NewReaderSize(r, 1<<16), Max: MaxMessage, w: bufio.NewWriterSize(w, 1<<16)}
}

// Read returns the next message. Anything before a Content-Length header is skipped; other headers
// are ignored. The error is a *badMessage if it concerns this message alone.
func (c *Conn) Read() (*Message, error) {
	n, err := c.header()
	if err != nil {
		return nil, err
	}
	if n > c.Max {
		if _, err := io.CopyN(io.Discard, c.r, n); err != nil {
			return nil, err
		}
		return nil, &BadMessage{fmt.Errorf("message of %d bytes exceeds the limit of %d", n, c.Max)}
	}
	raw, err := c.body(int(n))
	if err != nil {
		return nil, err
	}
	c.show(false, raw)
	m := &Message{Size: len(raw)}
	if err := json.Unmarshal(raw, m); err != nil {
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) && m.Seq != 0 {
			return m, &BadMessage{fmt.Errorf("malformed message: field %q cannot be a JSON %s", te.Field, te.Value)}
		}
		return nil, &BadMessage{fmt.Errorf("malformed message: %v", err)}
	}
	return m, nil
}

// body reads as many bytes. It takes memory as they come, not as they are announced.
func (c *Conn) body(n int) ([]byte, error) {
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

// show hands a message to the tap.
func (c *Conn) show(outgoing bool, raw []byte) {
	if c.Tap != nil {
		c.tapping.Lock()
		defer c.tapping.Unlock()
		c.Tap(outgoing, raw)
	}
}

// header reads lines up to an empty one and returns the Content-Length among them.
func (c *Conn) header() (int64, error) {
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
		// Garbage may precede a header, without a line end.
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
func (c *Conn) line() (string, error) {
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

// Write numbers a message and sends it. Errors are kept: a client that is gone is noticed by read.
func (c *Conn) Write(make func(seq int) any) int {
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
	c.show(true, raw)
	if err := godap.WriteBaseMessage(c.w, raw); err != nil {
		c.err = err
	} else if err := c.w.Flush(); err != nil {
		c.err = err
	}
	return c.seq
}

// Respond answers a request with a body.
func (c *Conn) Respond(m *Message, body any) {
	c.Write(func(seq int) any {
		return Response{Seq: seq, Type: "response", RequestSeq: m.Seq, Success: true, Command: m.Command, Body: body}
	})
}

// Fail answers a request with an error that is shown to the user if show is set.
func (c *Conn) Fail(m *Message, id int, show bool, text string) {
	c.Write(func(seq int) any {
		return Response{Seq: seq, Type: "response", RequestSeq: m.Seq, Command: m.Command, Message: text,
			Body: godap.ErrorResponseBody{
				Error: &godap.ErrorMessage{
					Id: id, Format: "{text}", Variables: map[string]string{"text": text}, ShowUser: show,
				},
			}}
	})
}

// Event sends an event.
func (c *Conn) Event(name string, body any) {
	c.Write(func(seq int) any { return Event{Seq: seq, Type: "event", Event: name, Body: body} })
}

// Send writes a message as it is.
func (c *Conn) Send(m Message) {
	c.Write(func(int) any { return m })
}
