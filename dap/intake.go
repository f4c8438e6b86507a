package dap

import (
	"errors"
	"log/slog"
	"stackscope/dap/internal/wire"
	"sync"
)

// intake reads the messages of the client on a goroutine of its own, and keeps those that wait for
// the session. It is bounded: beyond it the client waits.
type intake struct {
	conn    *wire.Conn
	cancels *cancellation
	log     *slog.Logger

	reqs    chan *Message
	done    chan struct{} // closed when the session is over
	freed   chan struct{} // a request that was read has been served
	readErr error         // set before reqs is closed

	mu     sync.Mutex // guards queued
	queued int        // bytes of the requests that were read and not yet served
}

// The bounds of the requests that are read before they are served. The client waits beyond them.
const (
	maxRequests     = 64
	maxRequestBytes = 8 << 20 // unless a single one is larger
)

func newIntake(c *wire.Conn, cancels *cancellation, log *slog.Logger) *intake {
	return &intake{
		conn: c, cancels: cancels, log: log,
		reqs: make(chan *Message, maxRequests), done: make(chan struct{}), freed: make(chan struct{}, 1),
	}
}

// close ends the reading: the session is over.
func (in *intake) close() { close(in.done) }

// read hands requests to the session.
func (in *intake) read() {
	defer close(in.reqs)
	for {
		m, err := in.conn.Read()
		var bad *wire.BadMessage
		switch {
		case errors.As(err, &bad):
			in.log.Warn("bad message", "error", err)
			if m == nil {
				continue
			}
			in.conn.Fail(m, errBadRequest, false, err.Error())
			continue
		case err != nil:
			in.readErr = err
			in.cancels.leave()
			return
		}
		if m.Type != "request" && m.Type != "response" {
			in.log.Warn("message of unknown type", "type", m.Type)
			continue
		}
		switch {
		case m.Type != "request":
		case m.Command == "cancel":
			in.cancels.record(m)
		case m.Command == "disconnect":
			in.cancels.leave()
		}
		if !in.room(m) {
			return
		}
		select {
		case in.reqs <- m:
		case <-in.done:
			return
		}
	}
}

// room waits until there is room for another request. It reports whether the session continues.
func (in *intake) room(m *Message) bool {
	for {
		in.mu.Lock()
		if in.queued == 0 || in.queued+m.Size <= maxRequestBytes {
			in.queued += m.Size
			in.mu.Unlock()
			return true
		}
		in.mu.Unlock()
		select {
		case <-in.freed:
		case <-in.done:
			return false
		}
	}
}

// served makes room after a request.
func (in *intake) served(m *Message) {
	in.mu.Lock()
	in.queued -= m.Size
	in.mu.Unlock()
	select {
	case in.freed <- struct{}{}:
	default:
	}
}
