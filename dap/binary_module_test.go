package dap_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/wasm/binary"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestBreakpointsInBinary sets breakpoints with the path of a .wasm: they are in its printed text,
// and say where.
func TestBreakpointsInBinary(t *testing.T) {
	p := binaryOf(t, flatText)
	c := connect(t, dap.Config{Load: launch.Load})
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.await("initialized", nil)
	var src godap.LoadedSourcesResponseBody
	c.must("loadedSources", nil, &src)
	var text godap.SourceResponseBody
	c.must("source", map[string]any{"sourceReference": src.Sources[0].SourceReference}, &text)
	line := slices.IndexFunc(
		strings.Split(text.Content, "\n"), func(s string) bool { return withoutParens(s) == "i32.mul" },
	) + 1
	var out godap.SetBreakpointsResponseBody
	c.must(
		"setBreakpoints",
		map[string]any{"source": map[string]any{"path": p}, "breakpoints": []any{map[string]any{"line": line}}},
		&out,
	)
	want := fmt.Sprintf("at line %d of the printed text of prog.wasm: i32.mul", line)
	if b := out.Breakpoints[0]; !b.Verified || b.Line != line || b.Message != want ||
		b.Source.SourceReference != src.Sources[0].SourceReference {
		t.Errorf("%+v", b)
	}
	var at godap.BreakpointLocationsResponseBody
	c.must("breakpointLocations", map[string]any{"source": map[string]any{"path": p}, "line": line}, &at)
	if len(at.Breakpoints) == 0 {
		t.Error("no locations")
	}
	c.must("configurationDone", nil, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "breakpoint #1") {
		t.Error(got)
	}
	if got := c.shownLine(1); got != "i32.mul" {
		t.Error(got)
	}
	// They are there after a restart, and can be removed.
	c.must("restart", map[string]any{}, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "breakpoint #1") {
		t.Error(got)
	}
	c.must("setBreakpoints", map[string]any{"source": map[string]any{"path": p}, "breakpoints": []any{}}, &out)
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

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

// TestBinaryModuleIsPrinted debugs a binary module: its source is the printed text.
func TestBinaryModuleIsPrinted(t *testing.T) {
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

// binarySession debugs a binary module in a client that asks the adapter for the text, and returns
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
