package lsp

import (
	"context"
	"sync"
)

// Everything that a client can pile up has a bound. Beyond it the server stops reading until it has
// caught up: requests that are worked on, answers that the client does not read, and versions of
// documents that are not analysed yet. What the server does by itself is done once at a time for
// each reason, and once more if there was a reason meanwhile.
const (
	maxWork       = 100      // requests that are worked on, also those that were cancelled
	maxWorkBytes  = 64 << 20 // of their parameters, unless a single one is larger
	maxEdits      = 100      // versions of documents that are not analysed yet
	maxEditsBytes = 64 << 20 // of what they replace and insert, unless a single one is larger
)

// room counts what is under way. The zero value has no bound.
type room struct {
	mu             sync.Mutex
	n, bytes       int
	most, mostByte int
	freed          chan struct{}
}

func (r *room) init(most, mostBytes int) {
	r.most, r.mostByte, r.freed = most, mostBytes, make(chan struct{}, 1)
}

// enter waits until there is room for something of a size. It reports whether there is: else the
// context has ended. Only one goroutine may wait.
func (r *room) enter(ctx context.Context, size int) bool {
	for {
		r.mu.Lock()
		if r.n == 0 || r.most == 0 || r.n < r.most && r.bytes+size <= r.mostByte {
			r.n++
			r.bytes += size
			r.mu.Unlock()
			return true
		}
		r.mu.Unlock()
		select {
		case <-r.freed:
		case <-ctx.Done():
			return false
		}
	}
}

// leave makes room.
func (r *room) leave(size int) {
	r.mu.Lock()
	r.n--
	r.bytes -= size
	r.mu.Unlock()
	select {
	case r.freed <- struct{}{}:
	default:
	}
}

// errands are what the server does by itself, by their reasons.
type errands struct {
	mu   sync.Mutex
	todo map[string]*errand
}

type errand struct{ again func(context.Context) }

// once does something in the background. While something with the same key is being done it is done
// after that, and replaces what else was to be done then.
func (s *session) once(key string, f func(ctx context.Context)) {
	e := &s.errands
	e.mu.Lock()
	defer e.mu.Unlock()
	if x := e.todo[key]; x != nil {
		x.again = f
		return
	}
	if e.todo == nil {
		e.todo = map[string]*errand{}
	}
	x := &errand{}
	e.todo[key] = x
	go func() {
		for f != nil {
			func() {
				defer s.recovered(key)
				f(s.ctx)
			}()
			e.mu.Lock()
			if f, x.again = x.again, nil; f == nil || s.ctx.Err() != nil {
				f = nil
				delete(e.todo, key)
			}
			e.mu.Unlock()
		}
	}()
}
