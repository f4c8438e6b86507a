package dap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/dap/check"
	"stackscope/internal/launch"
	"stackscope/internal/testing/testprog"
	"stackscope/vm/debugger"
	"stackscope/wasm/binary"
)

// begin sends what every client begins with, up to `initialized`.
func (c *client) begin(conf map[string]any) {
	c.t.Helper()
	c.initialize()
	c.must("launch", conf, nil)
	c.await("initialized", nil)
}

// look asks what an editor asks at a stop: threads, the stack of one, the scopes of its first
// frame, and the variables of those that are not expensive.
func (c *client) look(thread int) []godap.StackFrame {
	c.t.Helper()
	c.must("threads", nil, nil)
	frames := c.frames(thread)
	var sc godap.ScopesResponseBody
	c.must("scopes", godap.ScopesArguments{FrameId: frames[0].Id}, &sc)
	for _, s := range sc.Scopes {
		if !s.Expensive {
			c.children(s.VariablesReference)
		}
	}
	return frames
}

// finish lets the program run to its end and ends the session.
func (c *client) finish(thread int) {
	c.t.Helper()
	c.must("continue", map[string]any{"threadId": thread}, nil)
	if got := c.stopped(); got != "terminated" {
		c.t.Fatal(got)
	}
	c.must("disconnect", map[string]any{}, nil)
}

// TestGolden holds whole sessions, one of each kind, to their transcripts: with -update they are
// written again, and the difference is to be read.
func TestGolden(t *testing.T) {
	for name, run := range map[string]func(t *testing.T) *client{
		"script": func(t *testing.T) *client {
			c := real(t)
			p := filepath.Join(t.TempDir(), "script.wast")
			write(t, p, "(module (func (export \"f\") (result i32) (i32.const 1)))\n(assert_return (invoke \"f\") (i32.const 2))\n(assert_return (invoke \"f\") (i32.const 1))\n")
			c.hide = filepath.Dir(p)
			if got := c.start(map[string]any{"program": p, "stopOnEntry": true}); !strings.HasPrefix(got, "entry #") {
				t.Fatal(got)
			}
			c.must("threads", nil, nil)
			for got := ""; got != "terminated"; got = c.stopped() {
				c.must("next", map[string]any{"threadId": c.last.ThreadId}, nil)
			}
			c.must("disconnect", map[string]any{}, nil)
			return c
		},
		"binary": func(t *testing.T) *client {
			c := real(t)
			p := filepath.Join(t.TempDir(), "generator.wasm")
			raw, err := binary.Encode(testprog.Generator().Program("main").Units[0].Module)
			if err != nil {
				t.Fatal(err)
			}
			write(t, p, string(raw))
			c.hide = filepath.Dir(p)
			c.start(map[string]any{"program": p, "invoke": "main", "stopOnEntry": true})
			f := c.look(1)
			c.must(
				"source", godap.SourceArguments{Source: f[0].Source, SourceReference: f[0].Source.SourceReference}, nil,
			)
			c.must("modules", map[string]any{}, nil)
			c.must("loadedSources", map[string]any{}, nil)
			c.finish(1)
			return c
		},
		"attach": func(t *testing.T) *client {
			target := dap.NewTarget(
				testprog.Generator().Program("main"), debugger.Options{OnEnd: func(debugger.End) {}},
			)
			c := attach(t, target, 8)
			if got := c.stopped(); got != "breakpoint #2 test.wat:8" {
				t.Fatal(got)
			}
			c.look(2)
			c.breakpoints("test.wat")
			c.finish(2)
			return c
		},
		"stacks": func(t *testing.T) *client {
			c := real(t)
			p := filepath.Join(t.TempDir(), "many.wat")
			write(t, p, many)
			c.hide = filepath.Dir(p)
			c.start(map[string]any{"program": p, "maxThreads": 3})
			c.look(1)
			c.frames(threadOfRest(c))
			c.must("stackscope/stacks", map[string]any{"start": 2998, "max": 2}, nil)
			c.must("stackscope/focus", map[string]any{"threadId": 2000}, nil)
			c.stopped()
			c.must("threads", nil, nil)
			c.must("exceptionInfo", map[string]any{"threadId": 1}, nil)
			c.finish(1)
			return c
		},
		"filters": func(t *testing.T) *client {
			c := real(t)
			c.begin(map[string]any{"program": example(t, "wrong/unhandled.wat")})
			c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{"unhandled", "trap"},
				FilterOptions: []godap.ExceptionFilterOptions{{FilterId: "create", Condition: "function $relay"}, {FilterId: "suspend", Condition: "tag $yield"}, {FilterId: "finish", Condition: "nonsense("}}}, nil)
			c.must("configurationDone", nil, nil)
			for c.stopped() != "terminated" {
				c.must("threads", nil, nil)
				if c.last.Reason == "exception" && c.last.Text != "" {
					c.must("exceptionInfo", map[string]any{"threadId": c.last.ThreadId}, nil)
				}
				c.must("continue", map[string]any{"threadId": c.last.ThreadId}, nil)
			}
			c.must("disconnect", map[string]any{}, nil)
			return c
		},
		"disassembly": func(t *testing.T) *client {
			c := real(t)
			p := example(t, "generator.wat")
			c.start(map[string]any{"program": p}, lineOf(t, p, "(suspend $yield"))
			f := c.frames(2)
			var d godap.DisassembleResponseBody
			c.must("disassemble", godap.DisassembleArguments{MemoryReference: f[0].InstructionPointerReference, InstructionOffset: -4, InstructionCount: 8, ResolveSymbols: true}, &d)
			c.must("setInstructionBreakpoints", godap.SetInstructionBreakpointsArguments{
				Breakpoints: []godap.InstructionBreakpoint{{InstructionReference: d.Instructions[6].Address}},
			}, nil)
			c.step("next", 2, "instruction")
			c.must("continue", map[string]any{"threadId": 2}, nil)
			c.stopped()
			c.breakpoints(p)
			c.must("setInstructionBreakpoints", godap.SetInstructionBreakpointsArguments{
				Breakpoints: []godap.InstructionBreakpoint{},
			}, nil)
			c.finish(2)
			return c
		},
		"refusals": func(t *testing.T) *client {
			c := connect(t, dap.Config{Load: launch.Load})
			c.refused("threads", nil)
			c.initialize()
			c.refused("launch", map[string]any{})
			c.refused("next", map[string]any{"threadId": 1})
			c.refused("nonsense", map[string]any{})
			c.must("disconnect", map[string]any{}, nil)
			return c
		},
	} {
		t.Run(name, func(t *testing.T) { run(t).golden(name) })
	}
}

// threadOfRest returns the entry that stands for the stacks that are not listed.
func threadOfRest(c *client) int {
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	return th.Threads[len(th.Threads)-1].Id
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestGoldenConversations runs the checker on the transcripts as they are in the tree.
func TestGoldenConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, f := range files {
		in, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := check.ReadTranscript(in)
		in.Close()
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, p := range check.Transcript(entries, check.Options{Schema: schema(t), Strict: true}, true) {
			if p.Side == check.Adapter || filepath.Base(f) != "refusals.golden" {
				t.Errorf("%s: %v", f, p)
			}
		}
	}
}
