package dap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"stackscope/internal/launch"
	"stackscope/wasm/binary"

	"stackscope/dap"
)

// many makes 3,000 stacks, suspends 1,000 of them, and traps.
const many = `(module
  (type $f (func))
  (type $ct (cont $f))
  (tag $pause)
  (table $t 3000 (ref null $ct))
  (elem declare func $body)
  (func $body (suspend $pause))
  (func (export "main")
    (local $i i32)
    (loop $next
      (table.set $t (local.get $i) (cont.new $ct (ref.func $body)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 3000))))
    (local.set $i (i32.const 0))
    (loop $next
      (table.set $t (local.get $i)
        (block $on_pause (result (ref $ct))
          (resume $ct (on $pause $on_pause) (table.get $t (local.get $i)))
          (unreachable)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 1000))))
    (unreachable)))
`

// TestManyStacks looks at more stacks than are listed.
func TestManyStacks(t *testing.T) {
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

// TestBinary debugs a binary module: its source is the printed text.
func TestBinary(t *testing.T) {
	prog, err := launch.Load(&dap.Launch{Program: example(t, "generator.wat")})
	if err != nil {
		t.Fatal(err)
	}
	b, err := binary.Encode(prog.Units[0].Module)
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(t.TempDir(), "generator.wasm")
	if err := os.WriteFile(p, b, 0o666); err != nil {
		t.Fatal(err)
	}
	text := binarySession(t, p)
	// An editor that shows the text itself sets breakpoints in its own document, before anything
	// stops.
	line := 1 + strings.Count(text[:strings.Index(text, "suspend $yield")], "\n")
	c := real(t)
	c.initialize()
	c.must("launch", map[string]any{"program": p, "printedUris": true}, nil)
	c.await("initialized", nil)
	own := "wasm-text:" + filepath.ToSlash(p) + ".wat" // as VS Code writes it
	if bs := c.breakpoints(own, line); !bs[0].Verified || bs[0].Line != line || bs[0].Source == nil ||
		bs[0].Source.Path != "wasm-text://"+filepath.ToSlash(p)+".wat" {
		t.Fatalf("%+v", bs)
	}
	if bs := c.breakpoints(p, line); !bs[0].Verified || bs[0].Line != line ||
		bs[0].Source.Path != "wasm-text://"+filepath.ToSlash(p)+".wat" {
		t.Errorf("a line of the binary file: %+v", bs)
	}
	c.breakpoints(p)
	c.must("configurationDone", nil, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "breakpoint #2 generator.wasm") {
		t.Error(got)
	}
	if src := c.frames(2)[0].Source; src == nil || src.SourceReference != 0 ||
		src.Path != "wasm-text://"+filepath.ToSlash(p)+".wat" {
		t.Errorf("%+v", src)
	}
}

// binarySession debugs a binary module in a client that asks the adapter for the text, and gives
// it.
func binarySession(t *testing.T, p string) string {
	c := real(t)
	c.start(map[string]any{"program": p, "stopOnEntry": true})
	src := c.frames(1)[0].Source
	if src == nil || src.SourceReference == 0 {
		t.Fatalf("%+v", src)
	}
	var body godap.SourceResponseBody
	c.must("source", godap.SourceArguments{Source: src, SourceReference: src.SourceReference}, &body)
	line := 0
	for i, l := range strings.Split(body.Content, "\n") {
		if strings.Contains(l, "suspend $yield") {
			line = i + 1
		}
	}
	var r godap.SetBreakpointsResponseBody
	c.must(
		"setBreakpoints",
		godap.SetBreakpointsArguments{Source: *src, Breakpoints: []godap.SourceBreakpoint{{Line: line}}}, &r,
	)
	if !r.Breakpoints[0].Verified || r.Breakpoints[0].Line != line {
		t.Fatalf("line %d: %+v", line, r.Breakpoints)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "breakpoint #2 generator.wasm") {
		t.Error(got)
	}
	return body.Content
}
