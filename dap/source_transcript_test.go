package dap_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// sourceSession drives a program in its source, and writes down what a user sees.
type sourceSession struct {
	*client
	b    strings.Builder
	ids  map[string]string // of threads, by how they are written: numbers in order of appearance
	path string
}

var threadIDs = regexp.MustCompile(`\B#\d+\b`)

func (s *sourceSession) note(format string, args ...any) {
	text := threadIDs.ReplaceAllStringFunc(fmt.Sprintf(format, args...), func(id string) string {
		if s.ids[id] == "" {
			s.ids[id] = fmt.Sprintf("#%c", 'a'+len(s.ids))
		}
		return s.ids[id]
	})
	s.b.WriteString(text + "\n")
}

// at writes down a stop with its thread and frames.
func (s *sourceSession) at(stop string) {
	if stop == "terminated" {
		s.note("terminated")
		return
	}
	var th godap.ThreadsResponseBody
	s.must("threads", nil, &th)
	s.note("stop: %s", s.last.Reason)
	for _, t := range th.Threads {
		mark := " "
		if t.Id == s.last.ThreadId {
			mark = "*"
		}
		s.note("  %s %s", mark, t.Name)
	}
	folded := 0
	for _, f := range s.frames(s.last.ThreadId) {
		switch {
		case f.PresentationHint == "label":
			s.note("    -- %s", f.Name)
		case f.PresentationHint == "subtle":
			folded++
		default:
			s.note("    %s %s:%d:%d", f.Name, f.Source.Name, f.Line, f.Column)
		}
	}
	s.note("    folded: %v", folded > 0)
}

// locals writes down the variables of the source, with their types.
func (s *sourceSession) locals() {
	for _, v := range s.scope(s.frames(s.last.ThreadId)[0].Id, "Locals") {
		s.note("  %s = %s : %s", v.Name, v.Value, v.Type)
	}
}

func (s *sourceSession) eval(context string, exprs ...string) {
	id := s.frames(s.last.ThreadId)[0].Id
	for _, x := range exprs {
		var b godap.EvaluateResponseBody
		err := s.Request("evaluate", godap.EvaluateArguments{Expression: x, FrameId: id, Context: context}, &b)
		if err != nil {
			s.note("  %s %s: %v", context, x, err)
			continue
		}
		s.note("  %s %s: %s : %s", context, x, b.Result, b.Type)
	}
}

// set sets a local in the tree of variables.
func (s *sourceSession) set(name, value string) {
	var sc godap.ScopesResponseBody
	s.must("scopes", godap.ScopesArguments{FrameId: s.frames(s.last.ThreadId)[0].Id}, &sc)
	var b godap.SetVariableResponseBody
	s.must("setVariable", godap.SetVariableArguments{
		VariablesReference: sc.Scopes[0].VariablesReference, Name: name, Value: value,
	}, &b)
	s.note("  set %s = %s", name, b.Value)
}

// watch waits for the next change of an expression.
func (s *sourceSession) watch(expr string) {
	var info godap.DataBreakpointInfoResponseBody
	s.must("dataBreakpointInfo", map[string]any{
		"name": expr, "frameId": s.frames(s.last.ThreadId)[0].Id,
	}, &info)
	s.note("  watch %s: %s", expr, info.Description)
	if info.DataId == nil {
		return
	}
	s.must("setDataBreakpoints", map[string]any{
		"breakpoints": []any{map[string]any{"dataId": info.DataId, "accessType": "write"}},
	}, nil)
	s.resume()
	s.note("  %s", s.last.Description)
	s.must("setDataBreakpoints", map[string]any{"breakpoints": []any{}}, nil)
}

func (s *sourceSession) resume() {
	s.must("continue", map[string]any{"threadId": s.last.ThreadId}, nil)
	s.at(s.stopped())
}

func (s *sourceSession) do(steps ...string) {
	for _, k := range steps {
		s.note("%s", k)
		s.must(k, map[string]any{"threadId": s.last.ThreadId}, nil)
		s.at(s.stopped())
	}
}

// breaks sets breakpoints on the lines that have some texts.
func (s *sourceSession) breaks(texts ...string) {
	var lines []int
	for _, x := range texts {
		lines = append(lines, lineOf(s.t, s.path, x))
	}
	for _, b := range s.breakpoints(s.path, lines...) {
		s.note("breakpoint %v %s:%d %s", b.Verified, filepath.Base(s.path), b.Line, b.Message)
	}
}

// TestSourceTranscripts holds sessions over programs of four languages to what they looked like; with
// -update they are written again.
func TestSourceTranscripts(t *testing.T) {
	for name, x := range map[string]struct {
		program, source string
		at              string // where it stops first
		run             func(s *sourceSession)
	}{
		"c": {"c/stock.wasm", "c/stock.c", "it->next = *at;", func(s *sourceSession) {
			s.locals()
			s.eval("hover", "it->count", "it->name", "*it", "list", "nothing")
			s.eval("watch", "it->count * 2 + 1", "it->price > 10", "it->kind", "order", "&it->count")
			s.eval("repl", "it->count = 8", "it->count")
			s.set("sorted", "0")
			s.do("next", "next", "stepIn")
			s.breaks("sold += n")
			s.resume()
			s.watch("sold")
			s.breaks("int with = ways(")
			s.resume()
			s.locals()
			s.do("stepIn", "next", "stepOut")
			s.breaks()
		}},
		"rust": {"rust/tasks.wasm", "rust/tasks.rs", "match &self.state {", func(s *sourceSession) {
			s.locals()
			s.eval("hover", "self.title", "self.id", "*self")
			s.breaks()
			s.do("next", "stepOut", "next")
			s.locals()
		}},
		"kotlin": {"kotlin/parcels.wasm", "kotlin/parcels.kt", "yield(a)", func(s *sourceSession) {
			s.locals()
			s.do("next") // over a suspension: it stays in the sequence
			s.eval("hover", "a + b", "limit")
			s.breaks("        pause()")
			s.resume()
			s.locals()
			s.eval("watch", "stop.name", "stop.parcels + delivered", "stops")
			s.set("delivered", "40")
			s.breaks()
			s.do("next", "next", "stepOut")
		}},
		"assemblyscript": {"assemblyscript/words.wasm", "assemblyscript/words.ts", "this.total++;",
			func(s *sourceSession) {
				s.locals()
				s.eval("hover", "text", "this")
				s.breaks()
				s.do("next", "stepIn", "next", "stepOut", "next")
			}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sourceSession{client: real(t), ids: map[string]string{}, path: program(t, x.source)}
			s.begin(map[string]any{"program": program(t, x.program)})
			s.breaks(x.at)
			s.must("configurationDone", nil, nil)
			s.at(s.stopped())
			x.run(s)
			s.must("continue", map[string]any{"threadId": s.last.ThreadId}, nil)
			for got := s.stopped(); got != "terminated"; got = s.stopped() {
				s.at(got)
				s.must("continue", map[string]any{"threadId": s.last.ThreadId}, nil)
			}
			s.must("disconnect", map[string]any{}, nil)
			if got := s.importantOutput(); got != nil {
				t.Errorf("%q", got)
			}
			path := filepath.Join("testdata", "source-"+name+".txt")
			if *update {
				write(t, path, s.b.String())
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.b.String(); got != string(want) {
				t.Errorf("%s differs (run with -update to rewrite it):\n%s", path, got)
			}
		})
	}
}
