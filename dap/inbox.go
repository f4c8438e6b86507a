package dap

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	engine "stackscope/vm/debugger"
)

// inbox is what other goroutines hand to a session's. Handing in never waits: the engine must not
// wait for a session, which may be waiting for the engine. So everything in it is bounded: adjacent
// output becomes one event, and is left out beyond a size; of what replaces what came before only
// the last is kept.
type inbox struct {
	mu      sync.Mutex
	items   []any
	bytes   int      // of output
	outputs int      // how many items are output
	others  int      // how many items are of a kind that is counted
	left    *leftOut // where output was left out, if any was
	urgent  bool
	notify  chan struct{}
}

// The bounds of an inbox.
const (
	maxPendingBytes   = 256 << 10 // of output
	maxPendingOutputs = 200       // output items of different streams or places
	maxPendingOthers  = 1000      // items of other kinds that are not merged
	maxOutputEvent    = 64 << 10  // of one event
)

// leftOut is output that there was no room for.
type leftOut struct{ run, lines int }

// threadsChanged is that stacks have ended without an event for each.
type threadsChanged struct{ run int }

// engineUnits are units that became known, from the first to the last.
type engineUnits struct{ run, from, to int }

func newInbox() *inbox { return &inbox{notify: make(chan struct{}, 1)} }

// post hands something in; it never blocks.
func (b *inbox) post(x any) {
	b.mu.Lock()
	b.add(x)
	b.mu.Unlock()
	select {
	case b.notify <- struct{}{}:
	default:
	}
}

// take returns all that is there.
func (b *inbox) take() []any {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.items
	b.items, b.bytes, b.outputs, b.others, b.left, b.urgent = nil, 0, 0, 0, nil, false
	return x
}

// hasUrgent reports whether there is more than output.
func (b *inbox) hasUrgent() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.urgent
}

func (b *inbox) add(x any) {
	if o, ok := x.(engineOutput); ok {
		b.output(o)
		return
	}
	b.urgent = true
	switch x := x.(type) {
	case engineContinued:
		// A stop that was not reported yet needs no `continued`.
		if remove(b, func(s engineStop) bool { return s.run == x.run }) ||
			has(b, func(c engineContinued) bool { return c == x }) {
			return
		}
	case engineStop:
		remove(b, func(s engineStop) bool { return s.run == x.run })
	case engineUnit:
		for i, y := range b.items {
			if u, ok := y.(engineUnits); ok && u.run == x.run {
				b.items[i] = engineUnits{u.run, u.from, max(u.to, x.unit)}
				return
			}
		}
		b.items = append(b.items, engineUnits{x.run, x.unit, x.unit})
		return
	case engineBreakpoint:
		if replace(b, x, func(o engineBreakpoint) bool { return o.run == x.run && o.ID == x.ID }) {
			return
		}
	case engineData:
		if replace(b, x, func(o engineData) bool { return o.run == x.run && o.ID == x.ID }) {
			return
		}
	case engineCancelled:
		if b.others++; b.others > maxPendingOthers {
			if !has(b, func(c threadsChanged) bool { return c.run == x.run }) {
				b.items = append(b.items, threadsChanged{x.run})
			}
			return
		}
	case pauseLate:
		if has(b, func(p pauseLate) bool { return p == x }) {
			return
		}
	}
	b.items = append(b.items, x)
}

// output adds output to the last item, or as items of their own, or counts it as left out: then all
// that follows is too, until the session has caught up.
func (b *inbox) output(o engineOutput) {
	for o.text != "" {
		part := o
		part.text = cut(o.text, maxOutputEvent)
		if b.left != nil || b.bytes+len(part.text) > maxPendingBytes || !b.chunk(part) {
			if b.left == nil {
				b.left = &leftOut{run: o.run}
				b.items = append(b.items, b.left)
			}
			b.left.lines += lines(o.text)
			return
		}
		o.text = o.text[len(part.text):]
	}
}

// chunk adds output, if there is room for another item or it belongs to the last one.
func (b *inbox) chunk(o engineOutput) bool {
	if n := len(b.items); n > 0 {
		if last, ok := b.items[n-1].(*pendingOutput); ok && last.run == o.run && last.st == o.st &&
			last.text.Len()+len(o.text) <= maxOutputEvent {
			same := last.at.File == o.at.File && last.at.Line == o.at.Line
			if !same && b.outputs >= maxPendingOutputs {
				last.at, same = engine.Site{}, true // it is of several places
			}
			if same {
				last.text.WriteString(o.text)
				b.bytes += len(o.text)
				return true
			}
		}
	}
	if b.outputs >= 2*maxPendingOutputs {
		return false
	}
	p := &pendingOutput{run: o.run, st: o.st, at: o.at}
	p.text.WriteString(o.text)
	b.items = append(b.items, p)
	b.bytes += len(o.text)
	b.outputs++
	return true
}

// cut returns the beginning of a text, of whole characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	n := most
	for n > most-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// pendingOutput is output that waits for the session.
type pendingOutput struct {
	run  int
	st   engine.Stream
	at   engine.Site
	text strings.Builder
}

// lines counts the lines of a text, also one that does not end.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

func (l *leftOut) String() string {
	if l.lines == 1 {
		return "… 1 line left out\n"
	}
	return fmt.Sprintf("… %d lines left out\n", l.lines)
}

// has reports whether there is an item of a kind.
func has[T any](b *inbox, is func(T) bool) bool {
	return slices.ContainsFunc(b.items, func(x any) bool {
		t, ok := x.(T)
		return ok && is(t)
	})
}

// replace puts an item in the place of one of a kind, and reports whether there is one.
func replace[T any](b *inbox, x T, is func(T) bool) bool {
	for i, y := range b.items {
		if t, ok := y.(T); ok && is(t) {
			b.items[i] = x
			return true
		}
	}
	return false
}

// remove removes the items of a kind, and reports whether there were any.
func remove[T any](b *inbox, is func(T) bool) bool {
	n := len(b.items)
	b.items = slices.DeleteFunc(b.items, func(x any) bool {
		t, ok := x.(T)
		return ok && is(t)
	})
	return len(b.items) < n
}
