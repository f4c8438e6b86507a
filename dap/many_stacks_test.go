package dap_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"
)

// TestThreadListIsCut looks at more stacks than are listed.
func TestThreadListIsCut(t *testing.T) {
	p := filepath.Join(t.TempDir(), "many.wat")
	if err := os.WriteFile(p, []byte(many), 0o666); err != nil {
		t.Fatal(err)
	}
	c := real(t)
	if got := c.start(map[string]any{"program": p, "maxThreads": 100}); !strings.HasPrefix(got, "exception #1") {
		t.Fatal(got)
	}
	var th godap.ThreadsResponseBody
	begin := time.Now()
	c.must("threads", nil, &th)
	t.Logf("threads: %v", time.Since(begin))
	last := th.Threads[len(th.Threads)-1]
	if len(th.Threads) != 101 || th.Threads[0].Id != 1 || last.Name != "… 2901 more stacks" {
		t.Fatalf("%d threads, the last is %v", len(th.Threads), last)
	}
	f := c.frames(last.Id)
	if len(f) != 2 || !strings.HasPrefix(f[0].Name, "2000 × $body · not started") ||
		!strings.HasPrefix(f[1].Name, "901 × $body · suspended at $pause many.wat:7") {
		t.Errorf("%+v", f)
	}
	c.refused("continue", map[string]any{"threadId": last.Id, "singleThread": true})
	// A stack that is not listed can be chosen, and is listed from then on.
	c.must("stackscope/focus", map[string]any{"threadId": 2500}, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "pause #2500") {
		t.Error(got)
	}
	c.must("threads", nil, &th)
	found := false
	for _, x := range th.Threads {
		found = found || x.Id == 2500
	}
	if !found || len(th.Threads) != 101 {
		t.Errorf("the focused stack is not among %d threads", len(th.Threads))
	}
	var page struct {
		Total  int
		Stacks []struct{ ID int }
	}
	c.must("stackscope/stacks", map[string]any{"start": 2900, "max": 50}, &page)
	if page.Total != 3001 || len(page.Stacks) != 50 {
		t.Errorf("a page of %d stacks of %d", len(page.Stacks), page.Total)
	}
}

// crowd makes n stacks, suspends one in three of them, and walks through a loop with a step of its
// own.
func crowd(t testing.TB, n int) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "crowd.wat")
	text := fmt.Sprintf(`(module
  (type $f (func)) (type $ct (cont $f))
  (tag $pause) (tag $other)
  (table $t %d (ref null $ct))
  (elem declare func $body $late)
  (func $body (suspend $pause) (suspend $other))
  (func $late (suspend $other))
  (func (export "main") (local $i i32) (local $k (ref null $ct))
    (loop $next
      (local.set $k (if (result (ref $ct)) (i32.rem_u (local.get $i) (i32.const 3))
        (then (cont.new $ct (ref.func $late)))
        (else (block $on_pause (result (ref $ct))
          (resume $ct (on $pause $on_pause) (cont.new $ct (ref.func $body)))
          (unreachable)))))
      (table.set $t (local.get $i) (local.get $k))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const %d))))
    (local.set $i (i32.const 0))
    (loop $walk
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $walk (i32.lt_u (local.get $i) (i32.const 1000))))))
`, n, n)
	if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

// round is what an editor asks for at a stop: a step, the threads, a stack trace, its scopes and
// their variables.
func (c *client) round() {
	c.t.Helper()
	c.must("next", map[string]any{"threadId": 1}, nil)
	c.await("stopped", nil)
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	f := c.frames(1)[0]
	var sc godap.ScopesResponseBody
	c.must("scopes", godap.ScopesArguments{FrameId: f.Id}, &sc)
	for _, s := range sc.Scopes {
		if s.Name != "Memory" {
			c.children(s.VariablesReference)
		}
	}
}

// TestManyStacksPagesAndGroups looks at very many stacks: the list is cut, pages and groups are
// exact.
func TestManyStacksPagesAndGroups(t *testing.T) {
	const n = 60_000
	c := real(t)
	p := crowd(t, n)
	c.start(map[string]any{"program": p, "maxThreads": 200}, lineOf(t, p, "(loop $walk"))
	c.breakpoints(p)
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	last := th.Threads[len(th.Threads)-1]
	if len(th.Threads) != 201 || th.Threads[0].Id != 1 || last.Name != fmt.Sprintf("… %d more stacks", n-199) {
		t.Fatalf("%d threads, the last is %v", len(th.Threads), last)
	}
	begin := time.Now()
	for range 20 {
		c.round()
	}
	t.Logf("a round with %d stacks: %v", n, time.Since(begin)/20)
	page := func(args map[string]any) (total int, ids, children []int, groups string) {
		t.Helper()
		var b struct {
			Total  int
			Stacks []struct{ ID, ChildCount int }
			Groups []struct {
				Key   string
				Count int
			}
		}
		c.must("stackscope/stacks", args, &b)
		for _, s := range b.Stacks {
			ids, children = append(ids, s.ID), append(children, s.ChildCount)
		}
		var gs []string
		for _, g := range b.Groups {
			gs = append(gs, fmt.Sprintf("%d %s", g.Count, g.Key))
		}
		return b.Total, ids, children, strings.Join(gs, "; ")
	}
	for _, x := range []struct {
		args  map[string]any
		total int
		first string
	}{
		{map[string]any{"state": "suspended", "start": 10, "max": 2}, n / 3, "[32 35]"},
		{map[string]any{"tag": "$pause", "max": 1}, n / 3, "[2]"},
		{map[string]any{"function": "$late", "start": n/3*2 - 1}, n / 3 * 2, fmt.Sprint([]int{n + 1})},
		{map[string]any{"site": "6", "max": 1}, n / 3, "[2]"},
		{map[string]any{"site": "crowd.wat:6", "max": 1}, n / 3, "[2]"},
		{map[string]any{"text": "#5999", "max": 3}, 11, "[5999 59990 59991]"},
		{map[string]any{"roots": true, "max": 2}, n + 1, "[1 2]"},
		{map[string]any{"children": 1}, 0, "[]"},
		{map[string]any{"state": "moribund"}, 0, "[]"},
	} {
		x.args["exact"] = true
		total, ids, _, _ := page(x.args)
		if total != x.total || fmt.Sprint(ids) != x.first {
			t.Errorf("%v: %d, %v", x.args, total, ids)
		}
	}
	if _, _, _, groups := page(map[string]any{"group": "state"}); groups != fmt.Sprintf(
		"%d new; %d suspended; 1 running", n/3*2, n/3,
	) {
		t.Error(groups)
	}
	if _, _, _, groups := page(map[string]any{"group": "site", "state": "suspended"}); groups != fmt.Sprintf(
		"%d $body · suspended at $pause crowd.wat:6", n/3,
	) {
		t.Error(groups)
	}
	c.refused("stackscope/stacks", map[string]any{"group": "colour"})
	f := c.frames(last.Id)
	if len(f) != 2 || !strings.Contains(f[0].Name, "× $late · not started") {
		t.Errorf("%+v", f)
	}
}

// TestManyStacksByCursor pages through very many stacks: no answer looks at all of them, together
// they give what one does that is exact.
func TestManyStacksByCursor(t *testing.T) {
	const n = 30_000
	c := real(t)
	p := crowd(t, n)
	c.start(map[string]any{"program": p, "maxThreads": 200}, lineOf(t, p, "(loop $walk"))
	type answer struct {
		Stacks []struct{ ID int }
		Groups []struct {
			Key   string
			Count int
		}
		Total, Omitted, Alive, Next int
		Partial                     bool
	}
	ask := func(args map[string]any) (a answer) {
		t.Helper()
		c.must("stackscope/stacks", args, &a)
		return a
	}
	first := ask(map[string]any{})
	if len(first.Stacks) != 200 || !first.Partial || first.Alive != n || first.Total != n+1 || first.Omitted != n-199 ||
		first.Next != 199 {
		t.Errorf(
			"the first page: %d stacks, partial %v, %d alive, total %d, %d omitted, next %d", len(first.Stacks),
			first.Partial, first.Alive, first.Total, first.Omitted, first.Next,
		)
	}
	for name, x := range map[string]struct {
		args map[string]any
		want int
	}{
		"all":       {map[string]any{"max": 8_000}, n + 1},
		"roots":     {map[string]any{"max": 9_000, "roots": true, "function": "$late"}, n / 3 * 2},
		"suspended": {map[string]any{"max": 3_000, "state": "suspended"}, n / 3},
		"sparse":    {map[string]any{"text": "#2999"}, 11},
		"none":      {map[string]any{"state": "waiting"}, 0},
	} {
		seen := map[int]bool{}
		partial, total, pages := false, 0, 0
		for next := 0; pages == 0 || next > 0; pages++ {
			x.args["cursor"] = next
			a := ask(x.args)
			for _, s := range a.Stacks {
				if seen[s.ID] && s.ID != 1 { // the running one heads every page of the tree
					t.Fatalf("%s: #%d comes twice", name, s.ID)
				}
				seen[s.ID] = true
			}
			partial, total = partial || a.Partial, max(total, a.Total)
			if next = a.Next; pages > 30 {
				t.Fatalf("%s: the pages have no end", name)
			}
		}
		if len(seen) != x.want || !partial && name != "all" || pages < 2 || total < x.want/30 {
			t.Errorf(
				"%s: %d stacks on %d pages, want %d; partial: %v, total %d",
				name, len(seen), pages, x.want, partial, total,
			)
		}
	}
	// Groups are exact, unless they are asked for in parts: those are to be added up.
	whole, sum := ask(map[string]any{"group": "state"}), map[string]int{}
	if whole.Partial || whole.Next != 0 || whole.Total != n+1 {
		t.Errorf("groups: %+v", whole)
	}
	for next, pages := 0, 0; pages == 0 || next > 0; pages++ {
		a := ask(map[string]any{"group": "state", "exact": false, "cursor": next})
		for _, g := range a.Groups {
			sum[g.Key] += g.Count
		}
		if next = a.Next; a.Partial != true || pages > 30 {
			t.Fatalf("a part of the groups: %+v", a)
		}
	}
	for _, g := range whole.Groups {
		if sum[g.Key] != g.Count {
			t.Errorf("%s: %d, in parts %d", g.Key, g.Count, sum[g.Key])
		}
	}
	// Threads and focus leave the cursor as it is.
	a := ask(map[string]any{"state": "new", "max": 10})
	c.must("threads", nil, nil)
	c.must("stackscope/focus", map[string]any{"threadId": n}, nil)
	c.await("stopped", nil)
	b := ask(map[string]any{"state": "new", "max": 10, "cursor": a.Next})
	if a.Stacks[9].ID >= b.Stacks[0].ID || b.Stacks[0].ID > a.Stacks[9].ID+3 {
		t.Errorf("after %+v comes %+v", a.Stacks, b.Stacks)
	}
}

// TestManyStacksCancelled cancels requests that look at all stacks: what waits, and what is under
// way.
func TestManyStacksCancelled(t *testing.T) {
	const n = 210_000
	p := crowd(t, n)
	t.Run("session", func(t *testing.T) {
		c := real(t)
		c.start(map[string]any{"program": p}, lineOf(t, p, "(loop $walk"))
		m := <-c.Send("threads", nil)
		late := time.Millisecond
		for range 10 {
			done := c.Send("stackscope/stacks", map[string]any{"state": "suspended", "exact": true, "max": 1})
			time.Sleep(late) // it has begun, if the machine is not busy
			c.must("cancel", godap.CancelArguments{RequestId: m.RequestSeq + 1}, nil)
			if m = <-done; !m.Success {
				break
			}
			late /= 2 // it was through before: again, with everything to be found again
			c.must("next", map[string]any{"threadId": 1}, nil)
			c.await("stopped", nil)
			m = <-c.Send("threads", nil)
		}
		if m.Success || m.Message != "cancelled" {
			t.Errorf("%+v", m)
		}
		var b struct{ Total int }
		c.must("stackscope/stacks", map[string]any{"state": "suspended", "exact": true, "max": 1}, &b)
		if b.Total != n/3 {
			t.Errorf("%d stacks", b.Total)
		}
	})
	t.Run("engine", func(t *testing.T) {
		prog, err := launch.Load(&dap.Launch{Program: p})
		if err != nil {
			t.Fatal(err)
		}
		stopped := make(chan struct{}, 1)
		e := debugger.NewEngine(prog, debugger.Options{OnStop: func(debugger.Stop) { stopped <- struct{}{} }})
		if err := e.Breakpoints.Set("f", prog.Units[0].File, []*debugger.Breakpoint{{ID: 1, Line: lineOf(t, p, "(loop $walk") - 1}}); err != nil {
			t.Fatal(err)
		}
		e.Start()
		<-stopped
		for calls := range 60 {
			left := calls
			stop := func() bool { left--; return left < 0 }
			var got *debugger.Answer
			if x := e.Do(func() {
				got, err = e.Stacks.Query(
					debugger.Query{State: "suspended", Exact: true, Max: 1, Stop: stop},
				)
			}); x != nil {
				t.Fatal(x)
			}
			if left < 0 && err != debugger.ErrCancelled || left >= 0 && (err != nil || got.Total != n/3) {
				t.Errorf("stopped after %d: %+v, %v", calls, got, err)
			}
		}
		if err != nil {
			t.Errorf("it is never through: %v", err)
		}
		e.Kill()
		<-e.Done()
	})
}

// TestStacksBelowOne asks for what hangs below a stack.
func TestStacksBelowOne(t *testing.T) {
	c := connectGenerator(t)
	var b struct {
		Total  int
		Stacks []struct{ ID, ChildCount int }
	}
	c.must("stackscope/stacks", map[string]any{"roots": true}, &b)
	if b.Total != 1 || b.Stacks[0].ID != 1 || b.Stacks[0].ChildCount != 1 {
		t.Errorf("%+v", b)
	}
	c.must("stackscope/stacks", map[string]any{"children": 1}, &b)
	if b.Total != 1 || b.Stacks[0].ID != 2 {
		t.Errorf("%+v", b)
	}
}

// connectGenerator stops inside of the generator.
func connectGenerator(t *testing.T) *client {
	t.Helper()
	c := real(t)
	p := example(t, "generator.wat")
	c.start(map[string]any{"program": p}, lineOf(t, p, "suspend $yield"))
	return c
}

// bare is a client without checks, for benchmarks.
type bare struct {
	*dap.Client
	b     *testing.B
	stops chan struct{}
}

func (c *bare) must(command string, args, body any) {
	if err := c.Request(command, args, body); err != nil {
		c.b.Fatal(err)
	}
}

// stopIn launches a crowd and stops after its making.
func stopIn(b *testing.B, n int) *bare {
	here, there := net.Pipe()
	go func() { _ = dap.Serve(context.Background(), there, dap.Config{Load: launch.Load}) }()
	c := &bare{b: b, stops: make(chan struct{}, 1)}
	c.Client = dap.NewClient(here, func(m *dap.Message) {
		if m != nil && m.Event == "stopped" {
			c.stops <- struct{}{}
		}
	}, nil)
	b.Cleanup(func() { c.Close() })
	p := crowd(b, n)
	c.must("initialize", map[string]any{"adapterID": "wasm", "supportsVariablePaging": true}, nil)
	c.must("launch", map[string]any{"program": p}, nil)
	c.must(
		"setBreakpoints",
		map[string]any{"source": map[string]any{"path": p}, "breakpoints": []any{map[string]any{"line": 20}}},
		nil,
	)
	c.must("configurationDone", nil, nil)
	<-c.stops
	c.must("setBreakpoints", map[string]any{"source": map[string]any{"path": p}}, nil)
	return c
}

// BenchmarkRound measures what a step costs in an editor, beside very many stacks.
func BenchmarkRound(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("stacks=%d", n), func(b *testing.B) {
			c := stopIn(b, n)
			for b.Loop() {
				c.must("next", map[string]any{"threadId": 1}, nil)
				<-c.stops
				c.must("threads", nil, nil)
				var st godap.StackTraceResponseBody
				c.must("stackTrace", map[string]any{"threadId": 1, "levels": 20}, &st)
				var sc godap.ScopesResponseBody
				c.must("scopes", map[string]any{"frameId": st.StackFrames[0].Id}, &sc)
				for _, s := range sc.Scopes {
					c.must("variables", map[string]any{"variablesReference": s.VariablesReference, "count": 100}, nil)
				}
			}
		})
	}
}

// TestThreadsOfLongChain lists a running chain that is longer than a list may be: its innermost
// stacks.
func TestThreadsOfLongChain(t *testing.T) {
	const n = 30_000
	p := filepath.Join(t.TempDir(), "chain.wat")
	if err := os.WriteFile(p, []byte(`(module
  (type $f (func (param i32))) (type $c (cont $f))
  (elem declare func $nest)
  (func $nest (param $n i32)
    (if (i32.eqz (local.get $n)) (then
      (nop)
      (return)))
    (resume $c (i32.sub (local.get $n) (i32.const 1)) (cont.new $c (ref.func $nest))))
  (func (export "main") (call $nest (i32.const `+fmt.Sprint(n)+`))))
`), 0o666); err != nil {
		t.Fatal(err)
	}
	c := real(t)
	c.start(map[string]any{"program": p, "maxThreads": 50}, lineOf(t, p, "(nop)"))
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	if len(th.Threads) != 51 || th.Threads[0].Id != n+1 || th.Threads[49].Id != n-48 ||
		th.Threads[50].Name != fmt.Sprintf("… %d more stacks", n+1-50) {
		t.Errorf("%d threads, from %v to %v and %v", len(th.Threads), th.Threads[0], th.Threads[49], th.Threads[50])
	}
	for _, exact := range []bool{false, true} {
		var b struct {
			Stacks           []struct{ ID int }
			Running, Omitted int
			Total, Next      int
		}
		c.must("stackscope/stacks", map[string]any{"exact": exact}, &b)
		if b.Running != n+1 || len(b.Stacks) != 1 || b.Stacks[0].ID != n-48 || b.Omitted != n+1-50 || b.Total != n+1 ||
			b.Next != 0 {
			t.Errorf(
				"exact %v: running %d, the outermost is %v, %d omitted of %d, next %d", exact, b.Running,
				b.Stacks, b.Omitted, b.Total, b.Next,
			)
		}
	}
	if f := c.frames(n + 1); len(f) == 0 || f[0].Line != lineOf(t, p, "(nop)") {
		t.Errorf("%+v", f[:min(3, len(f))])
	}
}
