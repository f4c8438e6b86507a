package bench

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"stackscope/dap"
	"stackscope/internal/launch"
)

// crowdText makes a million stacks, suspends one in three of them, and walks through a loop with a
// step of its own.
const crowdText = `(module
  (type $f (func)) (type $ct (cont $f))
  (tag $pause)
  (table $t 1000000 (ref null $ct))
  (elem declare func $body $late)
  (func $body (suspend $pause))
  (func $late)
  (func (export "main") (local $i i32)
    (loop $next
      (table.set $t (local.get $i) (if (result (ref $ct)) (i32.rem_u (local.get $i) (i32.const 3))
        (then (cont.new $ct (ref.func $late)))
        (else (block $on_pause (result (ref $ct))
          (resume $ct (on $pause $on_pause) (cont.new $ct (ref.func $body)))
          (unreachable)))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 1000000))))
    (loop $walk
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $walk))))
`

// crowdLine is the line of the walk.
const crowdLine = 18

// crowd is a session that stands beside a million stacks.
type crowd struct {
	*dap.Client
	b     *testing.B
	stops chan struct{}
}

func newCrowd(b *testing.B) *crowd {
	here, there := net.Pipe()
	go func() { _ = dap.Serve(context.Background(), there, dap.Config{Load: launch.Load}) }()
	c := &crowd{b: b, stops: make(chan struct{}, 1)}
	c.Client = dap.NewClient(here, func(m *dap.Message) {
		if m != nil && m.Event == "stopped" {
			c.stops <- struct{}{}
		}
	}, nil)
	b.Cleanup(func() { c.Close() })
	p := filepath.Join(b.TempDir(), "crowd.wat")
	if err := os.WriteFile(p, []byte(crowdText), 0o666); err != nil {
		b.Fatal(err)
	}
	c.ask("initialize", map[string]any{"adapterID": "wasm", "supportsVariablePaging": true})
	c.ask("launch", map[string]any{"program": p})
	c.ask(
		"setBreakpoints",
		map[string]any{"source": map[string]any{"path": p}, "breakpoints": []any{map[string]any{"line": crowdLine}}},
	)
	c.ask("configurationDone", nil)
	<-c.stops
	c.ask("setBreakpoints", map[string]any{"source": map[string]any{"path": p}})
	return c
}

func (c *crowd) ask(command string, args any) {
	if err := c.Request(command, args, nil); err != nil {
		c.b.Fatal(fmt.Errorf("%s: %w", command, err))
	}
}

// step goes on to another stop: what was found out about the stacks is forgotten.
func (c *crowd) step() {
	c.ask("next", map[string]any{"threadId": 1})
	<-c.stops
}

// BenchmarkStacks measures what a client waits for that shows a million stacks (request
// stackscope/stacks): the first page of a stop, with the limit that a client has by default and
// with a filter; the page after that; and what looks at all stacks: an exact filter, groups, and a
// page far from the start once all are found.
func BenchmarkStacks(b *testing.B) {
	for _, x := range []struct {
		name string
		args map[string]any
		anew bool // at a new stop
	}{
		{"first=1000", nil, true},
		{"first=100", map[string]any{"max": 100}, true},
		{"first=100/roots", map[string]any{"max": 100, "roots": true}, true},
		{"first=100/state", map[string]any{"max": 100, "state": "suspended"}, true},
		{"first=100/text", map[string]any{"max": 100, "text": "#9999"}, true},
		{"next=100/state", map[string]any{"max": 100, "state": "suspended", "cursor": 300}, false},
		{"all=state", map[string]any{"max": 100, "state": "suspended", "exact": true}, true},
		{"all=groups", map[string]any{"group": "site"}, true},
		{"far=state", map[string]any{"start": 300_000, "max": 100, "state": "suspended"}, false},
	} {
		b.Run(x.name, func(b *testing.B) {
			c := newCrowd(b)
			for b.Loop() {
				if x.anew {
					b.StopTimer()
					c.step()
					b.StartTimer()
				}
				c.ask("stackscope/stacks", x.args)
			}
		})
	}
}
