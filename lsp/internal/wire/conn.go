package wire

import (
	"bytes"
	"context"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// MaxUnread is how many answers may wait to be written while the client does not read.
const MaxUnread = 100

// Conn is the connection. It counts the answers that wait to be written.
type Conn struct {
	io.ReadWriteCloser
	mu      sync.Mutex
	writing bool
	unread  int
	written chan struct{}
}

// NewConn returns a connection over a byte stream.
func NewConn(rwc io.ReadWriteCloser) *Conn {
	return &Conn{ReadWriteCloser: rwc, written: make(chan struct{}, 1)}
}

// Answered records that an answer is about to be written.
func (w *Conn) Answered() {
	w.mu.Lock()
	w.unread++
	w.mu.Unlock()
}

// CaughtUp waits while the client does not read and many answers wait for it. Only one goroutine
// may wait.
func (w *Conn) CaughtUp(ctx context.Context) {
	for {
		w.mu.Lock()
		wait := w.writing && w.unread >= MaxUnread
		w.mu.Unlock()
		if !wait {
			return
		}
		select {
		case <-w.written:
		case <-ctx.Done():
			return
		}
	}
}

// Write writes one message: package jsonrpc2 writes each at once.
func (w *Conn) Write(b []byte) (int, error) {
	w.mu.Lock()
	w.writing = true
	w.mu.Unlock()
	n, err := w.ReadWriteCloser.Write(b)
	w.mu.Lock()
	w.writing = false
	w.unread = max(w.unread-answers(b), 0)
	w.mu.Unlock()
	select {
	case w.written <- struct{}{}:
	default:
	}
	return n, err
}

// answers counts the responses in a message: one, or those of a batch.
func answers(message []byte) int {
	const response = `{"jsonrpc":"2.0","id":`
	_, body, _ := bytes.Cut(message, []byte("\r\n\r\n"))
	switch {
	case bytes.HasPrefix(body, []byte("["+response)):
		return bytes.Count(body, []byte(response))
	case bytes.HasPrefix(body, []byte(response)):
		return 1
	}
	return 0
}

// Codec encodes payloads with the union-aware functions of package protocol.
type Codec struct{}

func (Codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

// Unmarshal decodes the answer to a request of ours. Package protocol lets strings and raw messages
// point into b, which the next message overwrites: what is decoded points into a copy.
func (Codec) Unmarshal(b []byte, v any) error { return protocol.Unmarshal(bytes.Clone(b), v) }
