package dap_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"stackscope/analysis"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/analysis/source"
	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/internal/loader"
	"stackscope/internal/testing/annotated"
	"stackscope/vm/debugger"
)

// program returns the path of a file of testdata/programs.
func program(t *testing.T, name string) string {
	t.Helper()
	p, err := filepath.Abs(filepath.Join("..", "testdata", "programs", name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// built is when the copies of copied were made: all at once.
var built = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// copied copies files of testdata/programs into a directory, and returns their paths.
func copied(t *testing.T, dir string, names ...string) (out []string) {
	t.Helper()
	for _, n := range names {
		b, err := os.ReadFile(program(t, n))
		if err != nil {
			t.Fatal(err)
		}
		p := filepath.Join(dir, filepath.Base(n))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, p, string(b))
		if err := os.Chtimes(p, built, built); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// importantOutput returns the texts of category important that have arrived.
func (c *client) importantOutput() (out []string) {
	c.mu.Lock()
	log := c.log.String()
	c.mu.Unlock()
	for l := range strings.SplitSeq(log, "\n") {
		_, raw, ok := strings.Cut(l, "{")
		var m struct {
			Event string
			Body  godap.OutputEventBody
		}
		if ok && json.Unmarshal([]byte("{"+raw), &m) == nil && m.Event == "output" && m.Body.Category == "important" {
			out = append(out, strings.TrimSpace(m.Body.Output))
		}
	}
	return out
}

// breakAt launches a program with breakpoints on the lines of texts of a source, and returns the
// breakpoints and the first stop.
func (c *client) breakAt(conf map[string]any, source string, lines ...int) ([]godap.Breakpoint, string) {
	c.t.Helper()
	c.begin(conf)
	bs := c.breakpoints(source, lines...)
	c.must("configurationDone", nil, nil)
	return bs, c.stopped()
}

// TestSourceOfC drives a program of C: breakpoints, frames, sources, steps, views.
func TestSourceOfC(t *testing.T) {
	c := real(t)
	prog, src := program(t, "c/stock.wasm"), program(t, "c/stock.c")
	line := lineOf(t, src, "it->next = *at;")
	bs, stop := c.breakAt(map[string]any{"program": prog}, src, line, 500, 2)
	if b := bs[0]; !b.Verified || b.Line != line || b.Source.Path != src || b.InstructionReference == "" {
		t.Errorf("%+v", b)
	}
	if b := bs[1]; b.Verified || !strings.Contains(b.Message, "no code at or below line 500") {
		t.Errorf("%+v", b)
	}
	if want := "breakpoint #1 stock.c"; !strings.HasPrefix(stop, want) {
		t.Fatal(stop)
	}
	c.breakpoints(src, line)
	for stop != "breakpoint #1 stock.c:65" {
		c.must("continue", map[string]any{"threadId": 1}, nil)
		stop = c.stopped()
	}
	fs := c.frames(1)
	var names, folded []string
	for _, f := range fs {
		if f.PresentationHint == "subtle" {
			folded = append(folded, f.Name)
		} else {
			names = append(names, f.Name)
		}
	}
	if !slices.Equal(names, []string{"sort", "main"}) || len(folded) == 0 {
		t.Errorf("frames %v, folded %v", names, folded)
	}
	for _, f := range fs[:2] {
		if f.Source.Path != src || f.Source.SourceReference != 0 || len(f.Source.Checksums) == 0 {
			t.Errorf("%+v", f.Source)
		}
	}
	if f := fs[len(fs)-1]; f.Source == nil || f.Source.PresentationHint != "deemphasize" {
		t.Errorf("%+v", f.Source)
	}
	var loaded godap.LoadedSourcesResponseBody
	c.must("loadedSources", map[string]any{}, &loaded)
	if i := slices.IndexFunc(loaded.Sources, func(s godap.Source) bool { return s.Path == src }); i < 0 ||
		loaded.Sources[i].Checksums[0].Checksum == "" {
		t.Errorf("%+v", loaded)
	}
	var locs godap.BreakpointLocationsResponseBody
	c.must("breakpointLocations", map[string]any{"source": map[string]any{"path": src}, "line": 57, "endLine": 68}, &locs)
	var at []int
	for _, l := range locs.Breakpoints {
		if !slices.Contains(at, l.Line) {
			at = append(at, l.Line)
		}
	}
	if slices.Sort(at); len(at) < 6 || at[0] < 57 || at[len(at)-1] > 68 || !slices.Contains(at, 65) {
		t.Errorf("locations %v", at)
	}

	// A step by line is one of the source; by instruction, the disassembly has the source beside it.
	if got := c.step("next", 1, ""); got != "step #1 stock.c:66" {
		t.Error(got)
	}
	// What a pointer refers to is set, and watched, in the tree of variables.
	fs = c.frames(1)
	vars := c.scope(fs[0].Id, "Locals")
	it := vars[slices.IndexFunc(vars, func(v godap.Variable) bool { return v.Name == "it" })]
	inner := c.children(it.VariablesReference)
	ref := it.VariablesReference
	if len(inner) == 1 && inner[0].VariablesReference > 0 {
		ref = inner[0].VariablesReference
		inner = c.children(ref)
	}
	if i := slices.IndexFunc(inner, func(v godap.Variable) bool { return v.Name == "count" }); i < 0 ||
		inner[i].EvaluateName == "" {
		t.Errorf("%+v", inner)
	}
	var set godap.SetVariableResponseBody
	c.must("setVariable", godap.SetVariableArguments{VariablesReference: ref, Name: "count", Value: "2 * 21"}, &set)
	var now42 godap.EvaluateResponseBody
	c.must("evaluate", godap.EvaluateArguments{Expression: "it->count", FrameId: fs[0].Id, Context: "hover"}, &now42)
	if set.Value != "42" || now42.Result != "42" || now42.Type != "int" {
		t.Errorf("%+v %+v", set, now42)
	}
	var info godap.DataBreakpointInfoResponseBody
	c.must("dataBreakpointInfo", map[string]any{"variablesReference": ref, "name": "count"}, &info)
	if info.DataId == nil || !strings.Contains(info.Description, "count") {
		t.Errorf("%+v", info)
	}

	// The stack can go on at another line of the function.
	var targets godap.GotoTargetsResponseBody
	c.must("gotoTargets", map[string]any{"source": map[string]any{"path": src}, "line": line}, &targets)
	if len(targets.Targets) == 0 || targets.Targets[0].Line != line {
		t.Fatalf("%+v", targets)
	}
	c.must("goto", map[string]any{"threadId": 1, "targetId": targets.Targets[0].Id}, nil)
	if got := c.stopped(); got != "goto #1 stock.c:65" {
		t.Error(got)
	}
	if got := c.step("next", 1, ""); got != "step #1 stock.c:66" {
		t.Error(got)
	}
	before := c.frames(1)[0]
	if got := c.step("next", 1, "instruction"); got != "step #1 stock.c:66" {
		t.Error(got)
	}
	now := c.frames(1)[0]
	if now.InstructionPointerReference == before.InstructionPointerReference {
		t.Error("a step by instruction did not move")
	}
	var code godap.DisassembleResponseBody
	c.must("disassemble", map[string]any{
		"memoryReference": now.InstructionPointerReference, "instructionOffset": -10, "instructionCount": 20,
	}, &code)
	for _, x := range code.Instructions {
		if x.Location == nil || x.Location.Path != src || x.Line < 57 || x.Line > 69 {
			t.Fatalf("%+v", x)
		}
	}

	// The views of one function, and of all.
	var view struct{ View, Function string }
	c.must("stackscope/view", map[string]any{"frameId": now.Id}, &view)
	if view.View != "wat" || !strings.Contains(view.Function, "sort") {
		t.Errorf("%+v", view)
	}
	c.await("invalidated", nil)
	fs = c.frames(1)
	if fs[0].Source.Path == src || fs[1].Source.Path != src {
		t.Errorf("%+v %+v", fs[0].Source, fs[1].Source)
	}
	if got := text(c.scope(fs[0].Id, "Locals")); !strings.Contains(got, "param 0=") {
		t.Error(got)
	}
	c.must("stackscope/view", map[string]any{"view": "wat"}, nil)
	if fs = c.frames(1); fs[1].Source.Path == src {
		t.Errorf("%+v", fs[1].Source)
	}
	c.must("stackscope/view", map[string]any{"view": "source"}, nil)
	if fs = c.frames(1); fs[0].Source.Path != src || fs[1].Source.Path != src {
		t.Errorf("%+v %+v", fs[0].Source, fs[1].Source)
	}
	if got := c.refused("stackscope/view", map[string]any{"frameId": fs[len(fs)-1].Id}); !strings.Contains(got, "is not known") {
		t.Error(got)
	}
	if got := c.refused("stackscope/view", map[string]any{"view": "x"}); !strings.Contains(got, "want source or wat") {
		t.Error(got)
	}
	if got := c.scope(fs[0].Id, "WebAssembly"); len(got) < 2 || got[0].Name != "Locals" {
		t.Errorf("%+v", got)
	}

	if got := c.step("stepOut", 1, ""); !strings.HasSuffix(got, "stock.c:65") { // the breakpoint, once more
		t.Error(got)
	}
	c.breakpoints(src)
	if got := c.step("stepOut", 1, ""); !strings.HasPrefix(got, "step #1 stock.c:9") {
		t.Error(got)
	}
	c.finish(1)
	if got := c.importantOutput(); got != nil {
		t.Errorf("%q", got)
	}
}

// TestMissingSource debugs a program whose source is not there: frames are in the text format, the
// user is told once, and a rule that matches nothing changes nothing.
func TestMissingSource(t *testing.T) {
	for name, conf := range map[string]map[string]any{
		"none":     {},
		"no match": {"sourceMap": map[string]any{"/somewhere": t.TempDir()}},
	} {
		t.Run(name, func(t *testing.T) {
			c := real(t)
			conf["program"] = copied(t, t.TempDir(), "c/stock.wasm")[0]
			c.begin(conf)
			c.must("setFunctionBreakpoints", map[string]any{"breakpoints": []any{map[string]any{"name": "ways"}}}, nil)
			c.must("configurationDone", nil, nil)
			if got := c.stopped(); !strings.HasPrefix(got, "function breakpoint #1 stock.wasm (text):") {
				t.Error(got)
			}
			fs := c.frames(1)
			if fs[0].Name != "ways" || fs[0].Source.SourceReference == 0 {
				t.Errorf("%+v", fs[0])
			}
			if got := text(c.scope(fs[0].Id, "Locals")); !strings.Contains(got, "amount=10") {
				t.Error(got)
			}
			for range 3 {
				c.step("next", 1, "")
			}
			if got := c.importantOutput(); len(got) != 1 || !strings.Contains(got[0], `stock.c is not here`) {
				t.Errorf("%q", got)
			}
			var src godap.SourceResponseBody
			c.must("source", godap.SourceArguments{Source: fs[0].Source, SourceReference: fs[0].Source.SourceReference}, &src)
			if !strings.HasPrefix(src.Content, "(module") {
				t.Errorf("%.100s", src.Content)
			}
		})
	}
}

// TestMovedSource finds a source that is elsewhere than the compiler had it: by a rule, by a
// directory, or because it is the only one of this name that the client can mean.
func TestMovedSource(t *testing.T) {
	for _, name := range []string{"sourcePaths", "sourceMap", "name"} {
		t.Run(name, func(t *testing.T) {
			c := real(t)
			at := t.TempDir()
			prog := copied(t, at, "c/stock.wasm")[0]
			dir := filepath.Join(t.TempDir(), "moved")
			src := copied(t, dir, "c/stock.c")[0]
			conf := map[string]any{"program": prog}
			switch name {
			case "sourcePaths":
				conf["sourcePaths"] = []string{dir}
			case "sourceMap":
				conf["sourceMap"] = map[string]any{at: dir}
			}
			bs, stop := c.breakAt(conf, src, 73)
			if !bs[0].Verified || bs[0].Source.Path != src || stop != "breakpoint #1 stock.c:73" {
				t.Fatalf("%+v, %s", bs, stop)
			}
			if f := c.frames(1)[0]; f.Source.Path != src {
				t.Errorf("%+v", f.Source)
			}
			if got := c.importantOutput(); got != nil {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestChangedSource debugs a program whose source was changed after it was built: it is shown, and the
// user is told once.
func TestChangedSource(t *testing.T) {
	c := real(t)
	dir := t.TempDir()
	ps := copied(t, dir, "c/stock.wasm", "c/stock.c")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(ps[1], later, later); err != nil {
		t.Fatal(err)
	}
	bs, stop := c.breakAt(map[string]any{"program": ps[0]}, ps[1], 73)
	if !bs[0].Verified || bs[0].Message == "" || stop != "breakpoint #1 stock.c:73" {
		t.Fatalf("%+v, %s", bs, stop)
	}
	c.step("next", 1, "")
	if got := c.importantOutput(); len(got) != 1 || !strings.Contains(got[0], "stock.c") {
		t.Errorf("%q", got)
	}
}

// TestWrongSource sets breakpoints in files that are none of the program's.
func TestWrongSource(t *testing.T) {
	c := real(t)
	dir := t.TempDir()
	other := filepath.Join(dir, "other.c")
	same := filepath.Join(dir, "stock.c")
	write(t, other, "int x;\n")
	write(t, same, "int x;\n")
	c.begin(map[string]any{"program": program(t, "c/stock.wasm")})
	for path, want := range map[string]string{
		other:                        "no module that is loaded was compiled from this file",
		same:                         "the stock.c of the program is another file",
		filepath.Join(dir, "x.wat"):  "this file is not part of the program",
		filepath.Join(dir, "none.c"): "no module that is loaded was compiled from this file",
	} {
		if b := c.breakpoints(path, 1)[0]; b.Verified || !strings.Contains(b.Message, want) {
			t.Errorf("%s: %+v", path, b)
		}
	}
	c.must("disconnect", map[string]any{}, nil)

	c = real(t)
	c.begin(map[string]any{"program": example(t, "generator.wat")})
	if b := c.breakpoints(other, 1)[0]; !strings.Contains(b.Message, "compile it with -g") {
		t.Errorf("%+v", b)
	}
	c.must("disconnect", map[string]any{}, nil)
}

// TestMalformedDebuggingInformation runs programs whose DWARF, or map, is cut or damaged: they run to
// their end, with few warnings.
func TestMalformedDebuggingInformation(t *testing.T) {
	raw, err := os.ReadFile(program(t, "c/stock.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(raw), ".debug_info") + len(".debug_info")
	lines := strings.Index(string(raw), ".debug_line") + len(".debug_line")
	for name, damage := range map[string]func(b []byte){
		"entries":  func(b []byte) { fill(b[at+20:at+400], 0xff) },
		"length":   func(b []byte) { fill(b[at:at+4], 0xff) },
		"lines":    func(b []byte) { fill(b[lines:lines+60], 0x7f) },
		"all":      func(b []byte) { fill(b[at:at+900], 0x01) },
		"versions": func(b []byte) { b[at+4] = 99 },
	} {
		t.Run(name, func(t *testing.T) {
			b := slices.Clone(raw)
			damage(b)
			dir := t.TempDir()
			prog := filepath.Join(dir, "stock.wasm")
			write(t, prog, string(b))
			src := copied(t, dir, "c/stock.c")[0]
			c := real(t)
			c.begin(map[string]any{"program": prog, "stopOnEntry": true})
			c.breakpoints(src, 73)
			c.must("configurationDone", nil, nil)
			for got := c.stopped(); got != "terminated"; got = c.stopped() {
				c.look(1)
				c.breakpoints(src)
				c.must("continue", map[string]any{"threadId": 1}, nil)
			}
			if got := c.importantOutput(); len(got) != 1 {
				t.Errorf("%d warnings: %q", len(got), got)
			}
		})
	}
}

func fill(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}

// TestEmbeddedSource shows a source whose text comes with the program.
func TestEmbeddedSource(t *testing.T) {
	c := real(t)
	dir := t.TempDir()
	ps := copied(t, dir, "assemblyscript/words.wasm", "assemblyscript/words.wasm.map")
	env := filepath.Join(dir, "env.wat")
	write(t, env, `(module (func (export "abort") (param i32 i32 i32 i32)) (func (export "console.log") (param i32)))`)
	c.begin(map[string]any{"program": ps[0], "imports": map[string]any{"env": env}})
	c.must("setFunctionBreakpoints", map[string]any{"breakpoints": []any{map[string]any{"name": "count"}}}, nil)
	c.must("configurationDone", nil, nil)
	c.stopped()
	f := c.frames(c.last.ThreadId)[0]
	if f.Source.Name != "words.ts" || f.Source.SourceReference == 0 || f.Source.Origin == "" {
		t.Fatalf("%+v", f.Source)
	}
	var src godap.SourceResponseBody
	c.must("source", godap.SourceArguments{Source: f.Source, SourceReference: f.Source.SourceReference}, &src)
	want, err := os.ReadFile(program(t, "assemblyscript/words.ts"))
	if err != nil || src.Content != string(want) {
		t.Errorf("%.100q, %v", src.Content, err)
	}
	// A breakpoint by the reference, and one by the path as the compiler recorded it.
	a := godap.SetBreakpointsArguments{Source: *f.Source, Breakpoints: []godap.SourceBreakpoint{{Line: 30}}}
	var b godap.SetBreakpointsResponseBody
	c.must("setBreakpoints", a, &b)
	if !b.Breakpoints[0].Verified || b.Breakpoints[0].Source.SourceReference != f.Source.SourceReference {
		t.Errorf("%+v", b)
	}
	c.must("continue", map[string]any{"threadId": c.last.ThreadId}, nil)
	if got := c.stopped(); !strings.HasSuffix(got, "words.ts:30") {
		t.Error(got)
	}
}

// TestAttachedSources attaches two sessions to a program, one of which has its sources elsewhere.
func TestAttachedSources(t *testing.T) {
	at := t.TempDir()
	prog := copied(t, at, "c/stock.wasm")[0]
	dir := filepath.Join(t.TempDir(), "moved")
	src := copied(t, dir, "c/stock.c")[0]
	p, err := launch.Load(&dap.Launch{Program: prog})
	if err != nil {
		t.Fatal(err)
	}
	target := dap.NewTarget(p, debugger.Options{})
	c := connect(t, dap.Config{Target: target})
	c.initialize()
	c.must("attach", map[string]any{"sourcePaths": []string{dir}, "skipFiles": []string{"!<runtime>"}}, nil)
	c.await("initialized", nil)
	bs := c.breakpoints(src, 73)
	c.must("configurationDone", nil, nil)
	if got := c.stopped(); !bs[0].Verified || got != "breakpoint #1 stock.c:73" {
		t.Fatalf("%+v, %s", bs, got)
	}
	if f := c.frames(1)[0]; f.Source.Path != src {
		t.Errorf("%+v", f.Source)
	}
	other := connect(t, dap.Config{Target: target})
	other.initialize()
	other.must("attach", map[string]any{"view": "wat"}, nil)
	other.await("initialized", nil)
	other.must("configurationDone", nil, nil)
	other.stopped()
	if f := c.frames(1)[0]; f.Source.Path == src {
		t.Error("the view is not that of all sessions")
	}
	other.must("stackscope/view", map[string]any{"view": "source"}, nil)
	if f := other.frames(1)[0]; f.Source.Path == src || f.Name != "ways" {
		t.Errorf("%+v", f)
	}
	if f := c.frames(1)[0]; f.Source.Path != src {
		t.Errorf("%+v", f.Source)
	}
	wrong := connect(t, dap.Config{Target: target})
	wrong.initialize()
	if got := wrong.refused("attach", map[string]any{"skipFiles": []string{"[x"}}); !strings.Contains(got, "skipFiles") {
		t.Error(got)
	}
}

const inlinedProgram = `(module
  (func $twice (param i32) (result i32) ;;! fn twice 2
    local.get 0   ;;! 3 < sq 3
    local.get 0   ;;! 10 < id 11 < sq 3
    i32.mul       ;;! 11~ < sq 3
    i32.const 2   ;;! 4
    i32.mul)      ;;! 4~
  (func (export "main") (result i32) ;;! fn main 6
    i32.const 3   ;;! 7
    call $twice)) ;;! 8
`

// TestInlinedFrames shows calls that were inlined as frames of their own.
func TestInlinedFrames(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "main.c")
	write(t, src, strings.Repeat("int x;\n", 20))
	c := connect(t, dap.Config{Load: func(*dap.Launch) (*debugger.Program, error) {
		u, err := loader.Text(source.NewFile("prog.wat", inlinedProgram), analysis.Options{})
		if err != nil {
			return nil, err
		}
		if u.Info, err = annotated.Info(u.Module, inlinedProgram); err != nil {
			return nil, err
		}
		u.Sources = &sources.Finder{Dirs: []string{dir}}
		return &debugger.Program{Path: "prog.wat", Units: []*debugger.Unit{u.Unit}, Invoke: "main"}, nil
	}})
	bs, stop := c.breakAt(map[string]any{"program": "prog.wat"}, src, 10)
	if !bs[0].Verified || stop != "breakpoint #1 main.c:10" {
		t.Fatalf("%+v, %s", bs, stop)
	}
	var raw struct {
		StackFrames []struct {
			godap.StackFrame
			CanRestart *bool `json:"canRestart"`
		}
	}
	c.must("stackTrace", map[string]any{"threadId": 1}, &raw)
	var got []string
	ids := map[int]bool{}
	for _, f := range raw.StackFrames {
		ids[f.Id] = true
		got = append(got, fmt.Sprintf("%s:%d", f.Name, f.Line))
		var sc godap.ScopesResponseBody
		c.must("scopes", godap.ScopesArguments{FrameId: f.Id}, &sc)
		if may, inlined := f.CanRestart == nil, f.Name == "id" || f.Name == "sq"; may == inlined {
			t.Errorf("%s can be restarted: %v", f.Name, may)
		}
	}
	if want := []string{"id:10", "sq:11", "twice:3", "main:8"}; !slices.Equal(got, want) || len(ids) != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := c.refused("restartFrame", map[string]any{"frameId": raw.StackFrames[1].Id}); !strings.Contains(got, "inlined") {
		t.Error(got)
	}
	c.must("stackscope/view", map[string]any{"frameId": raw.StackFrames[0].Id, "view": "wat"}, nil)
	if fs := c.frames(1); len(fs) != 2 || fs[0].Source.Name != "prog.wat" {
		t.Errorf("%+v", fs)
	}
	c.breakpoints(src)
	c.finish(1)
}
