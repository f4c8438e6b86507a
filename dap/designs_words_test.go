package dap_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/internal/testing/sidebyside"
	"stackscope/wasm"
)

// TestDesignsSideBySide debugs the scenario of the five designs as an editor does it. What it shows
// of a stack has the words of the stack's own design, and none that only other designs have; the
// rest is compared with testdata/designs.txt.
func TestDesignsSideBySide(t *testing.T) {
	var log sidebyside.Log
	for _, d := range wasm.Dialects() {
		p, err := filepath.Abs(filepath.Join("../testdata/examples/scenario", d.String()+".wat"))
		if err != nil {
			t.Fatal(err)
		}
		c := real(t)
		add := func(step, format string, args ...any) { log.Add(step, d, fmt.Sprintf(format, args...)) }
		c.start(map[string]any{"program": p, "invoke": "run", "args": []any{7}},
			lineOf(t, p, "(local.set $i (i32.add (local.get $i)"))
		for _, f := range c.offered() {
			add("filters", "%-11s %s: %s", f.Filter, f.Label, f.Description)
		}
		c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
		add("stopped", "%s", c.stopped())
		var th godap.ThreadsResponseBody
		c.must("threads", nil, &th)
		for _, x := range th.Threads {
			add("threads", "%s", x.Name)
		}
		for _, x := range th.Threads {
			for _, f := range c.frames(x.Id) {
				add("stack traces", "#%d %s%s", x.Id, strings.Repeat(" ", len(f.PresentationHint)), f.Name)
				if f.PresentationHint == "label" {
					continue
				}
				var sc godap.ScopesResponseBody
				c.must("scopes", godap.ScopesArguments{FrameId: f.Id}, &sc)
				for _, s := range sc.Scopes {
					add("scopes", "#%d %s: %s: %s", x.Id, f.Name, s.Name, text(c.children(s.VariablesReference)))
				}
			}
		}
		var tree struct {
			Stacks []json.RawMessage `json:"stacks"`
		}
		c.must("stackscope/stacks", nil, &tree)
		for _, x := range tree.Stacks {
			add("stackscope/stacks", "%s", strings.Join(shown(t, x), "\n"))
		}
		for _, word := range []string{"tree", "#2", "#3", "history"} {
			var b godap.EvaluateResponseBody
			c.must("evaluate", godap.EvaluateArguments{Expression: word, Context: "repl"}, &b)
			add("console: "+word, "%s", b.Result)
		}
		c.breakpoints(p)
		var filters []string
		for _, f := range c.offered() {
			filters = append(filters, f.Filter)
		}
		c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: filters}, nil)
		for range 40 {
			c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
			if c.stopped() == "terminated" {
				break
			}
			add("every event", "%s", c.last.Description)
			var b godap.StepInTargetsResponseBody
			f := c.frames(c.last.ThreadId)
			for i := range f {
				if f[i].PresentationHint != "label" {
					c.must("stepInTargets", godap.StepInTargetsArguments{FrameId: f[i].Id}, &b)
					break
				}
			}
			for _, x := range b.Targets {
				add("every event", "  step: %s", x.Label)
			}
		}
		add("output", "%s", c.output("console")+c.output("stderr")+c.output("stdout"))

		c.mu.Lock()
		for _, l := range strings.Split(c.log.String(), "\n") {
			raw, ok := strings.CutPrefix(l, "← ")
			if !ok || strings.Contains(raw, `"command":"initialize"`) { // before a program is known: all words
				continue
			}
			for _, f := range sidebyside.Foreign(d, strings.Join(shown(t, json.RawMessage(raw)), "\n")) {
				t.Errorf("%s: %s", d, f)
			}
		}
		c.mu.Unlock()
	}
	path := filepath.Join("testdata", "designs.txt")
	if *update {
		write(t, path, log.String())
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := log.String(); got != string(want) {
		t.Errorf("%s differs (run with -update to rewrite):\n%s", path, got)
	}
}

// offered returns the exception filters that were offered last.
func (c *client) offered() []godap.ExceptionBreakpointsFilter {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var b struct {
		Body struct {
			Capabilities struct {
				Filters []godap.ExceptionBreakpointsFilter `json:"exceptionBreakpointFilters"`
			} `json:"capabilities"`
		} `json:"body"`
	}
	for _, l := range strings.Split(c.log.String(), "\n") {
		if raw, ok := strings.CutPrefix(l, "← "); ok && strings.Contains(raw, `"event":"capabilities"`) {
			if err := json.Unmarshal([]byte(raw), &b); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	return b.Body.Capabilities.Filters
}

// shown returns the texts of a message that are for people: not the names of files, the source, and
// what stands for something.
func shown(t *testing.T, raw json.RawMessage) (out []string) {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case string:
			switch key {
			case "name", "title", "doing", "details", "value", "description", "label", "text", "result", "output",
				"message", "what", "typeName", "stackTrace", "detail":
				out = append(out, v)
			}
		case []any:
			for _, x := range v {
				walk(key, x)
			}
		case map[string]any:
			for _, k := range sorted(v) {
				if k != "source" && k != "sources" && k != "at" {
					walk(k, v[k])
				}
			}
		}
	}
	walk("", v)
	return out
}

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// TestMixedDesigns links modules of two designs: each stack has the words of its own, and what a
// search passes is named in that of the stack that waits there.
func TestMixedDesigns(t *testing.T) {
	lib := wat(t, `(module $lib (@stack-switching "fibers-mount")
  (import "app" "send" (func $send))
  (tag $go) (tag $done)
  (func $work (param $me (ref fiber))
    (call $send)) ;; works
  (func (export "through")
    (block $l (fiber.mount $go ($done $l) (fiber.new $done ($go $work))))))`)
	tags := filepath.Join(t.TempDir(), "tags.wat")
	write(t, tags, `(module $tags (@stack-switching "cont") (tag $t)
  (func (export "send") (suspend $t)))`)
	p := filepath.Join(t.TempDir(), "app.wat")
	write(t, p, `(module $app (@stack-switching "cont")
  (type $f (func)) (type $c (cont $f))
  (import "lib" "through" (func $through))
  (tag $t)
  (func $body (call $through)) (elem declare func $body)
  (func (export "main")
    (block $on (result (ref $c))
      (resume $c (on $t $on) (cont.new $c (ref.func $body)))
      (return))
    (drop)))`)
	c := real(t)
	c.initialize()
	c.must("launch", map[string]any{"program": p, "imports": []string{"app=" + tags, "lib=" + lib}}, nil)
	c.await("initialized", nil)
	c.breakpoints(lib, lineOf(t, lib, ";; works"))
	c.must("configurationDone", nil, nil)
	c.stopped()
	labels := func() (out []string) {
		for _, f := range c.frames(3) {
			if f.PresentationHint == "label" {
				out = append(out, f.Name)
			}
		}
		return out
	}
	if got := strings.Join(labels(), "; "); !strings.HasPrefix(got, "mounted by #2 $body at ") ||
		!strings.Contains(got, "; resumed by #1 main at ") {
		t.Error(got)
	}
	labelled := map[string]bool{}
	for _, f := range c.offered() {
		labelled[f.Filter+": "+f.Label] = true
	}
	if !labelled["resume: Resume or mount"] || !labelled["suspend: Suspend or dismount"] {
		t.Error(labelled)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 3}, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "exception #3") { // no tag passes a fiber
		t.Fatal(got)
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 3}, &i)
	if !strings.HasPrefix(i.ExceptionId, "unhandled tag") ||
		!strings.Contains(i.Description, "it waits for a fiber, and no tag passes that") {
		t.Errorf("%+v", i)
	}
}
