package dap

import (
	"fmt"
	"io"
	"math/rand/v2"
	"stackscope/dap/internal/wire"
	"strings"
	"testing"

	engine "stackscope/vm/debugger"
)

// size returns how many bytes of texts an inbox holds, and how many items.
func (b *inbox) size() (text, items int) {
	for _, x := range b.items {
		switch x := x.(type) {
		case *pendingOutput:
			text += x.text.Len()
		case engineCancelled:
			text += len(x.Text)
		}
	}
	return text, len(b.items)
}

// TestInboxBounded fills an inbox that nobody empties, with everything that an engine and other
// sessions hand in, and sees that it stays small and keeps what matters.
func TestInboxBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := newInbox()
	total := 0
	for i := range 60_000 {
		switch n := r.IntN(20); n {
		default:
			text := fmt.Sprintln("line", i)
			if r.IntN(1000) == 0 {
				text = strings.Repeat("long\n", 100_000)
			}
			total += strings.Count(text, "\n")
			b.post(engineOutput{1, engine.Stream(r.IntN(3)), text, engine.Site{File: "a.wat", Line: r.IntN(50)}})
		case 0:
			b.post(engineStop{1, engine.Stop{Stack: engine.StackID(i)}})
		case 1:
			b.post(engineContinued{1})
		case 2:
			b.post(engineUnit{1, i})
		case 3:
			b.post(engineBreakpoint{1, engine.Breakpoint{ID: r.IntN(30), Line: i}})
		case 4:
			b.post(engineData{1, engine.DataBreakpoint{ID: r.IntN(30)}})
		case 5:
			b.post(engineCancelled{1, engine.Cancelled{Stack: engine.StackID(i), Text: "#3 was ended"}})
		case 6:
			b.post(pauseLate{1})
		}
		if i%1000 == 0 {
			if text, items := b.size(); text > maxPendingBytes+maxPendingOthers*20 ||
				items > 2*maxPendingOutputs+maxPendingOthers+100 {
				t.Fatalf("%d bytes in %d items", text, items)
			}
		}
	}
	b.post(engineStop{1, engine.Stop{Stack: 77}})
	b.post(engineEnd{1, engine.End{Code: 5}})
	if !b.hasUrgent() {
		t.Error("nothing presses")
	}
	stops, ends, units, got := 0, 0, 0, 0
	for _, x := range b.take() {
		switch x := x.(type) {
		case engineStop:
			stops++
			if x.Stack != 77 {
				t.Errorf("stop of #%d", x.Stack)
			}
		case engineEnd:
			ends++
		case engineUnits:
			units++
		case *leftOut:
			got += x.lines
		case *pendingOutput:
			got += strings.Count(x.text.String(), "\n")
		}
	}
	// A chunk may end inside a line, which then counts twice.
	if stops != 1 || ends != 1 || units != 1 || got < total || got > total+200 {
		t.Errorf("%d stops, %d ends, %d units, %d of %d lines", stops, ends, units, got, total)
	}
	if text, items := b.size(); text != 0 || items != 0 || b.hasUrgent() {
		t.Error("it is not empty")
	}
	b.post(engineOutput{1, engine.Stdout, "again\n", engine.Site{}})
	if x := b.take(); len(x) != 1 || b.hasUrgent() {
		t.Errorf("%v", x)
	}
}

// TestInboxMerges makes one event of adjacent output, but keeps the order with all else.
func TestInboxMerges(t *testing.T) {
	b := newInbox()
	at := func(line int) engine.Site { return engine.Site{File: "a.wat", Line: line} }
	for _, x := range []any{
		engineOutput{1, engine.Stdout, "a\n", at(1)}, engineOutput{1, engine.Stdout, "b\n", at(1)}, engineOutput{1, engine.Stderr, "c\n", at(1)}, engineOutput{1, engine.Stderr, "d\n", at(2)},
		engineStop{1, engine.Stop{Stack: 3}}, engineContinued{1},
		engineOutput{1, engine.Stderr, "e\n", at(2)}, engineStop{1, engine.Stop{Stack: 4}},
	} {
		b.post(x)
	}
	var got []string
	for _, x := range b.take() {
		switch x := x.(type) {
		case *pendingOutput:
			got = append(got, strings.ReplaceAll(x.text.String(), "\n", ""))
		case engineStop:
			got = append(got, fmt.Sprint("#", x.Stack))
		default:
			got = append(got, fmt.Sprintf("%T", x))
		}
	}
	if s := strings.Join(got, " "); s != "ab c de #4" {
		t.Error(s)
	}
}

// TestCancelledBounded records cancellations of requests that never come.
func TestCancelledBounded(t *testing.T) {
	c := newCancellation()
	for i := range 10 * maxCancelled {
		c.record(&Message{Arguments: []byte(fmt.Sprintf(`{"requestId":%d}`, i+1))})
		if len(c.cancelled) > maxCancelled {
			t.Fatalf("%d are remembered", len(c.cancelled))
		}
	}
	if !c.cancelled[10*maxCancelled] {
		t.Error("the last one is not")
	}
}

// TestRepliesBounded asks a client that never answers.
func TestRepliesBounded(t *testing.T) {
	o := &outbox{conn: wire.New(strings.NewReader(""), io.Discard)}
	refused := 0
	for range 2 * maxAsked {
		o.ask("startDebugging", nil, func(m *Message) {
			if !m.Success {
				refused++
			}
		})
	}
	if len(o.replies) != maxAsked || refused != maxAsked {
		t.Errorf("%d wait and %d were refused", len(o.replies), refused)
	}
}
