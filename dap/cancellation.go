package dap

import (
	"context"
	"sync"
	"time"

	godap "github.com/google/go-dap"
)

// cancellation records which requests the client does not want any more, and interrupts the one
// that is being executed.
type cancellation struct {
	life    context.Context // ends when nobody waits for answers any more
	abandon func()          // ends it
	ctx     context.Context // of the request that is being executed; only the session's goroutine uses it

	mu        sync.Mutex // guards what follows
	cancelled map[int]bool
	interrupt func() // ends ctx
	current   int    // the number of the request that is being executed, 0 if there is none
}

// maxCancelled bounds how many cancellations are remembered.
const maxCancelled = 1000

// leaveTime is how long requests may take that were sent before the client went.
const leaveTime = time.Second

func newCancellation() *cancellation {
	c := &cancellation{cancelled: map[int]bool{}, interrupt: func() {}}
	c.life, c.abandon = context.WithCancel(context.Background())
	c.ctx = c.life
	return c
}

// record remembers a cancellation as soon as it is read: the request may still be in the queue.
func (c *cancellation) record(m *Message) {
	var a godap.CancelArguments
	if unmarshal(m.Arguments, &a) != nil || a.RequestId == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.RequestId == c.current {
		c.interrupt()
		return
	}
	if len(c.cancelled) >= maxCancelled { // ids of requests that were answered, or never come
		clear(c.cancelled)
	}
	c.cancelled[a.RequestId] = true
}

// leave records that the client goes, or its connection: nobody waits any more for what takes
// long.
func (c *cancellation) leave() { time.AfterFunc(leaveTime, c.abandon) }

// begin makes a request the one that is being executed. It reports whether it is still wanted.
func (c *cancellation) begin(m *Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	unwanted := c.cancelled[m.Seq]
	delete(c.cancelled, m.Seq)
	c.current = m.Seq
	c.ctx, c.interrupt = context.WithCancel(c.life)
	return !unwanted
}

// finished ends the execution of a request.
func (c *cancellation) finished() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interrupt()
	c.current = 0
}

// onCancel answers: what could be cancelled was.
func (c *cancellation) onCancel(a *godap.CancelArguments) (any, error) {
	c.mu.Lock()
	delete(c.cancelled, a.RequestId)
	c.mu.Unlock()
	return nil, nil
}
