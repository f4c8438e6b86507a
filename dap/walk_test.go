package dap_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
)

// What a walk remembers besides what a model does.
type walk struct {
	begin string // launch or attach
	gotos []int
	into  []int // targets of steps
	data  []string
	names []string // of the variables that were seen last, with where they are
	in    []int
	path  string // where the frames are that were seen last
	lines []int
}

// walkPrograms are those of fuzzPrograms that run, and others that have all kinds of data and
// stacks.
func walkPrograms(t testing.TB) []string {
	t.Helper()
	dir := t.TempDir()
	out := fuzzPrograms(t)[:5]
	for _, x := range []struct{ name, text string }{
		{"data.wat", `(module (type $f (func)) (type $c (cont $f)) (type $v (func (param i32))) (type $d (cont $v)) (type $p (struct (field $x (mut i32)) (field $next (mut (ref null $p))))) (type $a (array (mut i8)))
  (tag $y (param i32) (result i32)) (tag $e (param i32)) (memory (export "m") 1) (table $t 4 (ref null $c))
  (global $g (mut i64) (i64.const 7)) (global $h (mut (ref null $p)) (ref.null $p))
  (elem declare func $body)
  (func $inc (param $n i32) (result i32) (i32.add (local.get $n) (i32.const 1)))
  (func $body (local $i i32) (local $s (ref null $p)) (local $b (ref null $a))
    (local.set $b (array.new $a (i32.const 65) (i32.const 5)))
    (loop $l
      (local.set $s (struct.new $p (local.get $i) (global.get $h)))
      (global.set $h (local.get $s))
      (array.set $a (local.get $b) (i32.const 0) (call $inc (local.get $i)))
      (local.set $i (call $inc (suspend $y (local.get $i))))
      (i32.store (i32.const 16) (local.get $i))
      (global.set $g (i64.add (global.get $g) (i64.const 1)))
      (br_if $l (i32.lt_u (local.get $i) (i32.const 6)))))
  (func (export "main") (local $k (ref null $d)) (local $n i32)
    (table.set $t (i32.const 0) (cont.new $c (ref.func $body)))
    (table.set $t (i32.const 1) (cont.new $c (ref.func $body)))
    (loop $next
      (block $on (result i32 (ref $d))
        (resume $c (on $y $on) (table.get $t (i32.and (local.get $n) (i32.const 1))))
        (return))
      (local.set $k) (local.set $n)
      (block $done (block $more (result i32 (ref $d)) (resume $d (on $y $more) (local.get $n) (local.get $k)) (br $done)) (drop) (drop))
      (local.set $n (i32.const 1))
      (br $next))))`},
		{"relay.wat", `(module (type $f (func)) (type $c (cont $f)) (type $g (func (param i32))) (type $d (cont $g))
  (tag $y (param i32) (result i32)) (tag $e (param i32)) (memory (export "m") 1) (table $t 4 (ref null $d)) (global $last (mut i32) (i32.const 0))
  (elem declare func $body $outer)
  (func $inc (param $n i32) (result i32) (local $twice i32) (local.set $twice (i32.mul (local.get $n) (i32.const 2))) (i32.add (local.get $n) (i32.const 1)))
  (func $body (local $i i32)
    (loop $l
      (local.set $i (call $inc (suspend $y (local.get $i))))
      (i32.store (i32.const 16) (local.get $i))
      (br_if $l (i32.lt_u (local.get $i) (i32.const 4)))))
  (func $outer (resume $c (cont.new $c (ref.func $body))))
  (func $catch (param $n i32) (result i32)
    (block $h (result i32) (try_table (catch $e $h) (throw $e (local.get $n))) (unreachable)))
  (func (export "main") (local $k (ref null $d)) (local $n i32)
    (block $on (result i32 (ref $d))
      (resume $c (on $y $on) (cont.new $c (ref.func $outer)))
      (return))
    (local.set $k) (local.set $n)
    (loop $next
      (table.set $t (i32.const 2) (local.get $k))
      (global.set $last (call $catch (local.get $n)))
      (block $on (result i32 (ref $d))
        (resume $d (on $y $on) (call $inc (local.get $n)) (table.get $t (i32.const 2)))
        (return))
      (local.set $k) (local.set $n)
      (br_if $next (i32.lt_u (local.get $n) (i32.const 3))))
    (resume $d (i32.const 1) (table.get $t (i32.const 2)))))`},
		{"more.wast", `(module (type $f (func)) (type $c (cont $f)) (tag $y) (global $g (export "g") (mut i32) (i32.const 1))
  (func $b (suspend $y)) (elem declare func $b)
  (func $inc (export "inc") (param $n i32) (result i32) (local $m i32) (local.set $m (local.get $n)) (global.set $g (local.get $m)) (i32.add (local.get $m) (i32.const 1)))
  (func (export "trap") (unreachable))
  (func (export "go") (block $on (result (ref $c)) (resume $c (on $y $on) (cont.new $c (ref.func $b))) (return)) (drop)))
(assert_return (invoke "inc" (i32.const 1)) (i32.const 2))
(invoke "go")
(assert_trap (invoke "trap") "unreachable")
(assert_return (invoke "inc" (i32.const 1)) (i32.const 3))
(module (func (export "f") (param i32) (result i32) (local.get 0)))
(assert_return (invoke "f" (i32.const 1)) (i32.const 1))`},
	} {
		path := filepath.Join(dir, x.name)
		if err := os.WriteFile(path, []byte(x.text), 0o666); err != nil {
			t.Fatal(err)
		}
		out = append(out, path)
	}
	for _, design := range designs() {
		for name, text := range map[string]string{"alone": alone()[design], "deep": deep()[design]} {
			path := filepath.Join(dir, design+"-"+name+".wat")
			if name == "alone" { // it wants to know how
				text = strings.Replace(text, "(param $how i32)", "(local $how i32)", 1)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			out = append(out, path)
		}
	}
	slices.Sort(out[len(out)-2*len(designs()):])
	return out
}

// step does what the next bytes say: requests as a client sends them, with what it was given
// before.
func (w *walk) step(m *model, _ func(string)) {
	m.drain()
	if m.phase < unknown {
		w.start(m)
		return
	}
	if m.phase == ended {
		m.catchUp()
		if w.begin == "attach" {
			m.in = nil
			return
		}
		m.expect("restart", map[string]any{}, true)
		m.await(50 * time.Millisecond)
	}
	code := m.byte()
	later := code >= 192 // it does not wait for the response
	code %= 32
	if m.phase != stands {
		w.gone()
		later = later && code != 30
	}
	do := func(command string, args map[string]any) map[string]any {
		x := m.send(command, args, later)
		if x == nil || !x.Success {
			return nil
		}
		var body map[string]any
		json.Unmarshal(x.Body, &body)
		return body
	}
	list := func(body map[string]any, name string) (out []map[string]any) {
		items, _ := body[name].([]any)
		for _, x := range items {
			if o, ok := x.(map[string]any); ok {
				out = append(out, o)
			}
		}
		return out
	}
	number := func(o map[string]any, name string) int { n, _ := o[name].(float64); return int(n) }
	known := func(list []int) int { return pick(list, m.byte(), 1) }
	source := func() map[string]any { return map[string]any{"path": pick(m.programs, m.byte(), "")} }
	thread := func() int {
		if m.byte()%3 == 0 {
			return known(m.threads)
		}
		return m.thread
	}
	exprs := []string{
		"$i", "$n = 1", "$g = 9", "$i = 0", "$inc(1)", "inc(3)", "#2", "$s.$x = 4", "$b[0]", "$b[0] = 66",
		"i32[16]", "u8[16] = 3", "table $t[1]", "$h.$next", "(i32.add (i32.const 1) (i32.const 2))",
		"string[16]", "$g,x", "tree", "stacks", "history", "continue", "next", "step", "out", "cancel #2",
		"it->count", "*it", "it->name[1]", "sold = 3", "coins[9]", "this.words", "stop.parcels + 1", "sources",
		"cancel #2 $e 1", "cancel #2 $oops", "cancel #3 $back", "cancel #3", "$k", "$body()", "operand 0 = 1",
	}
	resumed := func() {
		w.gone()
		if !later {
			m.await(30 * time.Millisecond)
		}
	}
	switch code {
	case 0, 1:
		if b := do("stackTrace", map[string]any{"threadId": thread()}); b != nil {
			m.frames, w.lines = nil, nil
			for _, f := range list(b, "stackFrames") {
				if s, _ := f["source"].(map[string]any); s != nil {
					w.path, _ = s["path"].(string)
					w.lines = append(w.lines, number(f, "line"))
				}
				m.frames = append(m.frames, number(f, "id"))
				if s, _ := f["instructionPointerReference"].(string); s != "" {
					m.code = s
				}
			}
		}
	case 2, 3:
		if b := do("scopes", map[string]any{"frameId": known(m.frames)}); b != nil {
			for _, x := range list(b, "scopes") {
				m.refs = append(m.refs, number(x, "variablesReference"))
			}
		}
	case 4, 5, 6:
		ref := known(m.refs)
		if b := do("variables", map[string]any{"variablesReference": ref, "format": map[string]any{"hex": m.byte()%4 == 0}}); b != nil {
			w.names, w.in = nil, nil
			for _, x := range list(b, "variables") {
				if n := number(x, "variablesReference"); n > 0 {
					m.refs = append(m.refs, n)
				}
				name, _ := x["name"].(string)
				w.names, w.in = append(w.names, name), append(w.in, ref)
				if s, _ := x["memoryReference"].(string); s != "" {
					m.memory = s
				}
			}
		}
	case 7:
		i := m.byte()
		do(
			"setVariable",
			map[string]any{
				"variablesReference": pick(w.in, i, 1), "name": pick(w.names, i, "$i"),
				"value": pick([]string{"0", "1", "-1", "7", "null", "$k", "0x41", "1.5"}, m.byte(), ""),
			},
		)
	case 8, 9:
		i := m.byte()
		args := map[string]any{"variablesReference": pick(w.in, i, 1), "name": pick(w.names, i, "$i")}
		if m.byte()%4 == 0 {
			args = map[string]any{"name": strconv.Itoa(m.byte()), "asAddress": true, "bytes": 1 + m.byte()%8}
		}
		if m.byte()%3 == 0 {
			args["mode"] = "changed"
		}
		if b := do("dataBreakpointInfo", args); b != nil {
			if id, ok := b["dataId"].(string); ok {
				w.data = append(w.data, id)
			}
		}
	case 10, 11:
		bs := []any{}
		for range m.byte() % 4 {
			bs = append(
				bs,
				map[string]any{
					"dataId":     pick(w.data, m.byte(), "none"),
					"accessType": pick([]string{"read", "write", "readWrite"}, m.byte(), ""),
					"condition": pick(
						[]string{"", "", "", "$i > 1", "("}, m.byte(), "",
					),
					"hitCondition": pick([]string{"", "", "> 1", "x"}, m.byte(), ""),
				},
			)
		}
		do("setDataBreakpoints", map[string]any{"breakpoints": bs})
	case 12:
		at, line := source(), m.byte()%40
		if len(w.lines) > 0 && line%4 > 0 { // near a frame
			at, line = map[string]any{"path": w.path}, max(1, known(w.lines)+line%9-4)
		}
		if b := do("gotoTargets", map[string]any{"source": at, "line": line}); b != nil {
			w.gotos = nil
			for _, x := range list(b, "targets") {
				w.gotos = append(w.gotos, number(x, "id"))
			}
		}
	case 13:
		do("goto", map[string]any{"threadId": thread(), "targetId": known(w.gotos)})
		resumed()
	case 14:
		do("restartFrame", map[string]any{"frameId": known(m.frames)})
		resumed()
	case 15:
		if b := do("stepInTargets", map[string]any{"frameId": known(m.frames)}); b != nil {
			for _, x := range list(b, "targets") {
				w.into = append(w.into, number(x, "id"))
			}
		}
	case 16:
		do("stepIn", map[string]any{"threadId": m.thread, "targetId": known(w.into)})
		resumed()
	case 17, 18, 19, 20:
		do(
			pick([]string{"next", "stepIn", "stepOut", "continue"}, m.byte(), ""),
			map[string]any{"threadId": thread(), "singleThread": m.byte()%5 == 0},
		)
		resumed()
	case 21:
		id := known(m.threads)
		do("terminateThreads", map[string]any{"threadIds": []int{id}})
	case 22, 23:
		do(
			"evaluate",
			map[string]any{
				"expression": pick(exprs, m.byte(), ""), "frameId": known(m.frames),
				"context": pick([]string{"repl", "watch", "hover", "repl"}, m.byte(), ""),
			},
		)
	case 24:
		if b := do("threads", nil); b != nil {
			m.threads = nil
			for _, x := range list(b, "threads") {
				m.threads = append(m.threads, number(x, "id"))
			}
		}
	case 25:
		bs := []any{}
		for range m.byte() % 3 {
			bs = append(
				bs,
				map[string]any{
					"line":      1 + m.byte()%40,
					"mode":      pick([]string{"any", "stack", "once"}, m.byte(), ""),
					"condition": pick([]string{"", "", "#2", "$i > 0"}, m.byte(), ""),
				},
			)
		}
		at := source()
		if m.byte()%2 == 0 && w.path != "" { // where a frame is: a file of source, maybe
			at = map[string]any{"path": w.path}
		}
		do("setBreakpoints", map[string]any{"source": at, "breakpoints": bs})
		do("breakpointLocations", map[string]any{"source": at, "line": 1 + m.byte(), "endLine": 300})
	case 26:
		do(
			"setExceptionBreakpoints",
			map[string]any{
				"filters": []string{
					pick(
						[]string{"trap", "unhandled", "suspend", "resume", "create", "throw", "consumed", "assertion"},
						m.byte(), "",
					),
				},
				"filterOptions": []any{map[string]any{"filterId": "finish"}},
			},
		)
	case 27:
		do("completions", map[string]any{"frameId": known(m.frames), "text": "$", "column": 2})
		do("exceptionInfo", map[string]any{"threadId": m.thread})
		do("stackscope/view", pick([]map[string]any{
			{}, {"view": "wat"}, {"view": "source"}, {"frameId": known(m.frames)},
			{"frameId": known(m.frames), "view": "source"},
		}, m.byte(), nil))
	case 28:
		do(
			"stackscope/stacks",
			pick(
				[]map[string]any{
					{}, {"roots": true}, {"group": "site"}, {"state": "suspended", "max": 1}, {"children": 1},
					{"cursor": 1, "max": 1}, {"cursor": -3, "exact": true, "text": "#"},
					{"group": "tag", "exact": false, "cursor": 2},
				},
				m.byte(),
				nil,
			),
		)
		do("stackscope/focus", map[string]any{"threadId": known(m.threads)})
	case 29:
		do("pause", map[string]any{"threadId": m.thread})
		resumed()
	case 30:
		m.catchUp()
		m.await(100 * time.Millisecond)
	case 31:
		switch m.byte() % 8 {
		case 0:
			m.catchUp()
			do("restart", map[string]any{})
			resumed()
		case 1:
			do("disassemble", map[string]any{"memoryReference": m.code, "instructionCount": 8})
			do("readMemory", map[string]any{"memoryReference": m.memory, "count": 16})
			do("writeMemory", map[string]any{"memoryReference": m.memory, "offset": 16, "data": "AQID"})
		default:
			do(
				"setExpression",
				map[string]any{
					"expression": pick([]string{"$i", "$g", "$b[0]", "i32[16]"}, m.byte(), ""),
					"value":      "2", "frameId": known(m.frames),
				},
			)
		}
	}
}

// gone forgets what was good for a stop. What may be good still is now and then used again.
func (w *walk) gone() {
	if len(w.gotos) > 3 {
		w.gotos = w.gotos[1:]
	}
	if len(w.into) > 3 {
		w.into = w.into[1:]
	}
}

// start leads a session to where its program runs.
func (w *walk) start(m *model) {
	entry := m.byte()%3 > 0
	m.expect(
		"initialize",
		map[string]any{
			"adapterID": "wasm", "supportsVariableType": true,
			"supportsVariablePaging": true, "supportsMemoryReferences": true,
			"supportsMemoryEvent": true, "supportsInvalidatedEvent": true,
		},
		true,
	)
	args := map[string]any{"stopOnEntry": entry, "maxThreads": 8}
	if m.byte()%3 == 0 {
		args["cancelTag"] = pick([]string{"$e", "$oops", "$back"}, m.byte(), "")
	}
	if w.begin == "launch" {
		args["program"] = pick(m.programs, m.byte(), "")
		args["history"] = pick([]string{"off", "switches", "full"}, m.byte(), "")
		args["stepping"] = pick([]string{"stack", "control"}, m.byte(), "")
	}
	m.phase = initialized
	m.expect(w.begin, args, true)
	m.phase = launched
	m.expect("configurationDone", map[string]any{}, true)
	m.await(100 * time.Millisecond)
}

// TestWalks leads sessions at random over everything that a stopped program offers: launched ones,
// and ones that share a program with another session.
func TestWalks(t *testing.T) { walks(t, walkPrograms(t), 24) }

// TestSourceWalks does the same with programs that compilers emitted.
func TestSourceWalks(t *testing.T) {
	var programs []string
	for _, p := range []string{
		"c/stock", "cpp/route", "rust/tasks", "kotlin/parcels", "kotlin/weather", "assemblyscript/words",
	} {
		programs = append(programs, program(t, p+".wasm"))
	}
	walks(t, programs, 3)
}

// walks makes random walks through sessions over some programs.
func walks(t *testing.T, programs []string, seeds uint64) {
	from := uint64(0)
	if testing.Short() {
		seeds /= 4
	}
	if n, err := strconv.ParseUint(os.Getenv("STACKSCOPE_WALKS"), 10, 64); err == nil {
		seeds = n
	}
	if n, err := strconv.ParseUint(os.Getenv("STACKSCOPE_WALKS_FROM"), 10, 64); err == nil {
		from = n
	}
	for seed := from; seed < from+seeds; seed++ {
		rng := rand.New(rand.NewPCG(seed, 11))
		in := make([]byte, 600)
		for i := range in {
			in[i] = byte(rng.IntN(256))
		}
		if seed%3 > 0 {
			driveWith(t, dap.Config{Load: launch.Load}, programs, in, (&walk{begin: "launch"}).step)
			continue
		}
		p, err := launch.Load(&dap.Launch{Program: programs[rng.IntN(len(programs))]})
		if err != nil {
			t.Fatal(err)
		}
		target := dap.NewTarget(p, debugger.Options{History: 1000})
		stop := other(t, target, rng.IntN(2) == 0)
		driveWith(t, dap.Config{Target: target, Load: launch.Load}, []string{p.Path}, in, (&walk{begin: "attach"}).step)
		stop()
	}
}

// other attaches another session that now and then lets the program go on.
func other(t *testing.T, target *dap.Target, active bool) (stop func()) {
	here, there := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- dap.Serve(context.Background(), there, dap.Config{Target: target}) }()
	stops := make(chan bool, 1000)
	c := dap.NewClient(here, func(m *dap.Message) {
		if m == nil {
			close(stops)
		} else if m.Event == "stopped" && len(stops) < cap(stops) {
			stops <- true
		}
	}, nil)
	for _, r := range []string{"initialize", "attach", "configurationDone", "threads"} {
		if err := c.Request(r, map[string]any{"adapterID": "wasm"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		n := 0
		for range stops {
			if n++; active && n%5 == 0 {
				time.Sleep(2 * time.Millisecond)
				_ = c.Request("continue", map[string]any{"threadId": 1}, nil)
			}
		}
	}()
	return func() {
		_ = c.Request("disconnect", map[string]any{"terminateDebuggee": true}, nil)
		c.Close()
		<-served
		<-idle
	}
}
