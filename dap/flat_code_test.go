package dap_test

import (
	"os"
	"path/filepath"
	"slices"
	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/internal/loader"
	"stackscope/wasm/binary"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

const flatText = `(module
  (memory 1)
  (func $two (param $n i32) (result i32)
    local.get $n
    i32.const 2
    i32.mul)
  (func $main (export "main") (result i32) (local $i i32)
    i32.const 3
    call $two
    local.set $i
    local.get $i
    if (result i32)
      i32.const 1
      i32.const 1
      i32.add
    else
      i32.const 0
    end
    local.set $i
    block $b
      loop $l
        local.get $i
        i32.const 1
        i32.sub
        local.tee $i
        i32.eqz
        br_if $b
        br $l
      end
    end
    i32.const 7
    block (param i32) (result i32)
      i32.const 1
      i32.add
    end
    local.set $i
    nop
    local.get $i))
`

// binaryOf writes the binary form of a text.
func binaryOf(t *testing.T, text string) string {
	t.Helper()
	p, err := loader.Load(loader.Config{Path: wat(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := binary.Encode(p.Main().Unit.Module)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "prog.wasm")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// withoutParens returns a line of flat code without what is around it.
func withoutParens(line string) string { return strings.TrimRight(strings.TrimSpace(line), ")") }

// shownLine returns the text of the line that a thread's top frame is shown at.
func (c *client) shownLine(thread int) string {
	c.t.Helper()
	f := c.frames(thread)[0]
	var src godap.SourceResponseBody
	c.must("source", map[string]any{"source": f.Source, "sourceReference": f.Source.SourceReference}, &src)
	return withoutParens(strings.Split(src.Content, "\n")[f.Line-1])
}

// TestStepsInFlatCode steps by statement through flat code, as text and as a binary: a statement
// goes on until the operand stack is empty.
func TestStepsInFlatCode(t *testing.T) {
	text, bin := wat(t, flatText), binaryOf(t, flatText)
	loop := []string{"loop $l", "local.get $i", "br $l"}
	want := slices.Concat([]string{"i32.const 3", "local.get $i", "i32.const 1", "block $b"}, loop, loop[:2],
		[]string{"i32.const 7", "i32.const 1", "nop", "local.get $i"})
	for _, p := range []string{text, bin} {
		for _, granularity := range []string{"", "statement", "line"} {
			c := connect(t, dap.Config{Load: launch.Load})
			c.start(map[string]any{"program": p, "stopOnEntry": true})
			var got []string
			for range want {
				got = append(got, c.shownLine(1))
				c.step("next", 1, granularity)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s:\ngot  %q\nwant %q", p, granularity, got, want)
			}
		}
		// By instruction every one counts, and into a call it goes to the first statement there.
		c := connect(t, dap.Config{Load: launch.Load})
		c.start(map[string]any{"program": p, "stopOnEntry": true})
		c.step("next", 1, "instruction")
		if got := c.shownLine(1); got != "call $two" {
			t.Error(got)
		}
		c.step("stepIn", 1, "statement")
		if got := c.shownLine(1); got != "local.get $n" {
			t.Error(got)
		}
		c.step("stepOut", 1, "statement")
		if got := c.shownLine(1); got != "local.set $i" {
			t.Error(got)
		}
	}
}

// TestBreakpointsInFlatCode sets breakpoints inside statements of flat code: they stop there, and a
// step ends at the next statement.
func TestBreakpointsInFlatCode(t *testing.T) {
	p := wat(t, flatText)
	c := connect(t, dap.Config{Load: launch.Load})
	if got := c.start(map[string]any{"program": p}, 24); got != "breakpoint #1 prog.wat:24" {
		t.Fatal(got)
	}
	if got := c.step("next", 1, ""); got != "step #1 prog.wat:28" {
		t.Error(got)
	}
	if f := c.frames(1)[0]; f.Line != 28 || f.EndLine != 28 {
		t.Errorf("%+v", f)
	}
	c.breakpoints(p)
	c.step("next", 1, "")
	c.step("next", 1, "")
	if f := c.frames(1)[0]; f.Line != 22 || f.EndLine != 27 { // the whole statement
		t.Errorf("%+v", f)
	}
	// What is folded is a statement by itself, whatever it takes or leaves.
	p = wat(t, `(module (func $f (result i32) (i32.const 1))
  (func (export "main") (result i32 i32)
    (call $f)
    (call $f)
    i32.const 1
    i32.add
    (nop)
    (drop)
    (i32.const 5)))
`)
	c = connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "stopOnEntry": true})
	var got []int
	for range 5 {
		got = append(got, c.frames(1)[0].Line)
		c.step("next", 1, "")
	}
	if want := []int{3, 4, 7, 8, 9}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
