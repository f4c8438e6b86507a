package dap_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stackscope/vm/debugger"
)

// The programs that sessions of the model run: stacks that come and go, one that runs for ever, one
// that traps in a stack, more stacks than are listed, a script, and a text that is wrong.
func fuzzPrograms(t testing.TB) []string {
	t.Helper()
	dir := t.TempDir()
	var out []string
	for _, p := range []struct{ name, text string }{
		{"gen.wat", `(module (type $f (func)) (type $c (cont $f)) (tag $y (param i32)) (memory (export "m") 1) (global $g (mut i32) (i32.const 7))
  (func $body (local $i i32)
    (loop $l (suspend $y (local.get $i))
      (i32.store (i32.const 16) (local.get $i))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $l (i32.lt_u (local.get $i) (i32.const 3)))))
  (elem declare func $body)
  (func (export "main") (local $k (ref null $c))
    (local.set $k (cont.new $c (ref.func $body)))
    (loop $next
      (block $on (result i32 (ref $c))
        (resume $c (on $y $on) (local.get $k))
        (return))
      (local.set $k)
      (global.set $g)
      (br $next))))`},
		{"spin.wat", `(module (func (export "main") (loop $l (br $l))))`},
		{"trap.wat", `(module (type $f (func)) (type $c (cont $f)) (tag $t)
  (func $b (suspend $t)) (elem declare func $b)
  (func (export "main") (resume $c (cont.new $c (ref.func $b)))))`},
		{"many.wat", `(module (type $f (func)) (type $c (cont $f)) (table $t 64 (ref null $c)) (func $b) (elem declare func $b)
  (func (export "main") (local $i i32)
    (loop $l (table.set $t (local.get $i) (cont.new $c (ref.func $b)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $l (i32.lt_u (local.get $i) (i32.const 64))))
    (unreachable)))`},
		{"script.wast", `(module (func (export "f") (result i32) (i32.const 1)))
(assert_return (invoke "f") (i32.const 2))
(assert_return (invoke "f") (i32.const 1))`},
		{"wrong.wat", `(module (func (i32.add)))`},
	} {
		path := filepath.Join(dir, p.name)
		if err := os.WriteFile(path, []byte(p.text), 0o666); err != nil {
			t.Fatal(err)
		}
		out = append(out, path)
	}
	return out
}

// op does what the next bytes say. The numbers of the cases are the corpus's alphabet: add at the
// end.
func (m *model) op(garbage func(string)) {
	m.drain()
	code := m.byte()
	later := code >= 128 // a request that does not wait for the ones before
	if later {
		code -= 128
	}
	program := func() string { return pick(m.programs, m.byte(), "") }
	known := func(list []int) int { return pick(list, m.byte(), 0) }
	do := func(command string, args any) { m.send(command, args, later) }
	// must is a request whose outcome the model knows, if the requests before it are answered.
	must := func(command string, args any, ok bool) map[string]any {
		if later {
			m.send(command, args, true)
			return nil
		}
		x := m.expect(command, args, ok)
		if x == nil {
			return nil
		}
		var body map[string]any
		json.Unmarshal(x.Body, &body)
		return body
	}
	ids := func(body map[string]any, list, field string) []int {
		var out []int
		items, _ := body[list].([]any)
		for _, x := range items {
			o, _ := x.(map[string]any)
			if n, _ := o[field].(float64); n > 0 {
				out = append(out, int(n))
			}
			for name, into := range map[string]*string{
				"instructionPointerReference": &m.code, "memoryReference": &m.memory,
			} {
				if s, _ := o[name].(string); s != "" {
					*into = s
				}
			}
		}
		return out
	}
	resume := func(command string, args any) {
		m.catchUp()
		m.await(0)
		switch p := m.phase; {
		case p == stands && !later:
			if m.expect(command, args, true) == nil {
				return
			}
			m.await(20 * time.Millisecond)
		case p == connected || p == ended || p == initialized || p == launched:
			must(command, args, false)
		default:
			do(command, args)
		}
	}
	exprs := []string{"$i", "1", "", "(", "#1", "#2", "tree", "stacks", "$g", "$i = 3", "(i32.const 1", "history", "$k"}
	switch code % 48 {
	case 0:
		if ok := m.phase == connected; must(
			"initialize",
			map[string]any{
				"adapterID": "wasm", "supportsVariableType": m.byte()%2 == 0,
				"supportsMemoryReferences": true, "supportsMemoryEvent": m.byte()%2 == 0,
			},
			ok,
		) != nil ||
			later && ok {
			m.phase = initialized
		}
	case 1:
		m.catchUp()
		path, entry := program(), m.byte()%2 == 0
		ok := m.phase == initialized && filepath.Base(path) != "wrong.wat"
		p := m.phase
		must("launch", map[string]any{"program": path, "stopOnEntry": entry, "maxThreads": 16}, ok)
		if ok && p == initialized {
			m.phase = launched
		}
	case 2:
		m.catchUp()
		if m.phase == launched {
			m.expect("configurationDone", map[string]any{}, true)
			m.await(50 * time.Millisecond)
		} else {
			do("configurationDone", map[string]any{})
		}
	case 3:
		do(
			"setBreakpoints",
			map[string]any{
				"source": map[string]any{"path": program()},
				"breakpoints": []any{
					map[string]any{"line": m.byte() % 20},
					map[string]any{"line": m.byte() % 20, "condition": pick(exprs, m.byte(), "")},
				},
			},
		)
	case 4:
		do(
			"setFunctionBreakpoints",
			map[string]any{
				"breakpoints": []any{map[string]any{"name": pick([]string{"$body", "main", "$none", ""}, m.byte(), "")}},
			},
		)
	case 5:
		do(
			"setExceptionBreakpoints",
			map[string]any{
				"filters":       []string{pick([]string{"trap", "suspend", "resume", "none", "create"}, m.byte(), "")},
				"filterOptions": []any{map[string]any{"filterId": "finish", "condition": pick(exprs, m.byte(), "")}},
			},
		)
	case 6:
		if b := must("threads", nil, m.phase != connected); b != nil && m.phase == stands {
			m.threads = ids(b, "threads", "id")
		}
	case 7:
		m.catchUp()
		if m.phase == stands && !later {
			if b := must("stackTrace", map[string]any{"threadId": m.thread, "levels": m.byte() % 4}, true); b != nil {
				m.frames = ids(b, "stackFrames", "id")
			}
		} else {
			do("stackTrace", map[string]any{"threadId": known(m.threads)})
		}
	case 8:
		m.catchUp()
		if m.phase == stands && len(m.frames) > 0 && !later {
			if b := must("scopes", map[string]any{"frameId": known(m.frames)}, true); b != nil {
				m.refs = append(m.refs, ids(b, "scopes", "variablesReference")...)
			}
		} else {
			do("scopes", map[string]any{"frameId": m.byte()})
		}
	case 9:
		m.catchUp()
		if m.phase == stands && len(m.refs) > 0 && !later {
			if b := must("variables", map[string]any{"variablesReference": known(m.refs), "start": m.byte() % 3, "count": m.byte() % 5}, true); b != nil {
				m.refs = append(m.refs, ids(b, "variables", "variablesReference")...)
			}
		} else {
			do("variables", map[string]any{"variablesReference": m.byte()})
		}
	case 10:
		do(
			"evaluate",
			map[string]any{
				"expression": pick(exprs, m.byte(), ""), "frameId": known(m.frames),
				"context": pick([]string{"repl", "hover", "watch", "clipboard"}, m.byte(), ""),
			},
		)
	case 11:
		do(
			"setVariable",
			map[string]any{
				"variablesReference": known(m.refs), "name": pick(exprs, m.byte(), ""),
				"value": pick(exprs, m.byte(), ""),
			},
		)
	case 12:
		do(
			"setExpression",
			map[string]any{
				"expression": pick(exprs, m.byte(), ""), "value": pick(exprs, m.byte(), ""),
				"frameId": known(m.frames),
			},
		)
	case 13:
		resume(
			"next",
			map[string]any{
				"threadId":    m.thread,
				"granularity": pick([]string{"statement", "line", "instruction"}, m.byte(), ""),
			},
		)
	case 14:
		resume(
			"stepIn",
			map[string]any{
				"threadId":    m.thread,
				"granularity": pick([]string{"statement", "line", "instruction"}, m.byte(), ""),
			},
		)
	case 15:
		resume("stepOut", map[string]any{"threadId": m.thread})
	case 16:
		resume("continue", map[string]any{"threadId": m.thread})
	case 17:
		do("next", map[string]any{"threadId": known(m.threads), "singleThread": true})
	case 18:
		do("pause", map[string]any{"threadId": m.thread})
	case 19:
		m.catchUp()
		m.await(100 * time.Millisecond)
	case 20:
		do("stepInTargets", map[string]any{"frameId": known(m.frames)})
	case 21:
		id := known(m.threads)
		do("terminateThreads", map[string]any{"threadIds": []int{id}})
		if m.thread == id && id != int(debugger.ScriptThread) { // that is refused
			m.thread = 1 // the first stack is there as long as the program
		}
	case 22:
		m.catchUp()
		do("restart", map[string]any{})
	case 23:
		do(
			"disassemble",
			map[string]any{"memoryReference": m.code, "instructionOffset": m.byte() - 128, "instructionCount": m.byte()},
		)
	case 24:
		do("readMemory", map[string]any{"memoryReference": m.memory, "offset": m.byte(), "count": m.byte()})
	case 25:
		do("writeMemory", map[string]any{"memoryReference": m.memory, "offset": m.byte(), "data": "AQID"})
	case 26:
		start, most := m.byte(), m.byte()
		do(
			"stackscope/stacks",
			map[string]any{"start": start % 3, "max": most % 5, "cursor": start / 16 % 4, "exact": most%2 == 1},
		)
	case 27:
		do("stackscope/focus", map[string]any{"threadId": known(m.threads)})
	case 28:
		do("terminate", map[string]any{})
	case 29:
		m.catchUp()
		m.expect("disconnect", map[string]any{"terminateDebuggee": m.byte()%2 == 0}, true)
		m.phase = left
	case 30:
		do("modules", map[string]any{})
	case 31:
		do("loadedSources", map[string]any{})
	case 32:
		do("source", map[string]any{"sourceReference": m.byte()})
	case 33:
		do(
			"completions",
			map[string]any{"text": pick(exprs, m.byte(), ""), "column": m.byte() % 6, "frameId": known(m.frames)},
		)
	case 34:
		do("exceptionInfo", map[string]any{"threadId": m.thread})
	case 35:
		do("breakpointLocations", map[string]any{"source": map[string]any{"path": program()}, "line": m.byte() % 20})
	case 36:
		do(
			"setInstructionBreakpoints",
			map[string]any{"breakpoints": []any{map[string]any{"instructionReference": m.code, "offset": m.byte()}}},
		)
	case 37:
		do("locations", map[string]any{"locationReference": m.byte()})
	case 38: // cancel what may be waiting, or may never come
		do("cancel", map[string]any{"requestId": m.byte() % 64})
	case 39: // many at once, then a cancellation of one of them
		for range 3 {
			m.send("threads", nil, true)
			m.send("stackTrace", map[string]any{"threadId": m.thread}, true)
		}
		m.send("cancel", map[string]any{"requestId": m.byte() % 64}, true)
	case 40: // a frame of an earlier stop
		if m.dead > 0 && m.phase != left {
			must("scopes", map[string]any{"frameId": m.dead}, false)
		}
	case 41: // arguments of another shape
		do(
			pick(
				[]string{"stackTrace", "next", "setBreakpoints", "evaluate", "launch", "initialize", "variables", "cancel"},
				m.byte(), "",
			),
			pick(
				[]any{
					nil, []int{1}, "x", 7,
					map[string]any{"threadId": "1", "source": 3, "breakpoints": map[string]any{}},
					map[string]any{"variablesReference": -1, "frameId": 1 << 40},
				},
				m.byte(),
				nil,
			),
		)
	case 42:
		do(pick([]string{"nonsense", "", "stackscope/none", "stepBack", "reverseContinue"}, m.byte(), ""), map[string]any{})
	case 43: // requests that adapters serve in their own time
		do(
			pick([]string{"gotoTargets", "goto", "restartFrame", "dataBreakpointInfo", "setDataBreakpoints"}, m.byte(), ""),
			map[string]any{"source": map[string]any{"path": program()}, "line": m.byte() % 20,
				"threadId": m.thread, "targetId": m.byte(), "frameId": known(m.frames), "name": pick(exprs, m.byte(), ""), "variablesReference": known(m.refs), "breakpoints": []any{map[string]any{"dataId": fmt.Sprint(m.byte())}}},
		)
	case 44: // garbage between messages
		m.write(
			[]byte(
				pick(
					[]string{
						"\r\n", "garbage\n", "Content-Length: x\r\n\r\n", "Content-Length: -5\r\n\r\n",
						"\x00\xff\xfe", "X: y\r\n\r\n", "Content-Type: a\r\nContent-Length: 2\r\n\r\n{}",
						"Content-Length: 0\r\n\r\n",
					},
					m.byte(),
					"",
				),
			),
		)
	case 45: // a message that is delimited rightly, and is none
		raw := pick(
			[]string{
				"{", "[]", "null", `{"seq":900001,"type":"request","command":7}`,
				`{"seq":"x","type":"request"}`, `{"seq":900002,"type":"note"}`,
				`{"seq":900003,"type":"response","request_seq":1,"success":true,"command":"threads"}`,
				"\xff\xfe",
			},
			m.byte(),
			"",
		)
		garbage(raw)
		m.write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(raw), raw))
	case 46: // a message that is cut off: the rest never comes
		m.write([]byte("Content-Length: 100\r\n\r\n{\"seq\":1"))
		m.in, m.phase = nil, left
		m.c.Close()
	case 47: // the connection breaks
		m.in, m.phase = nil, left
		m.c.Close()
	}
}

// write sends bytes that are no message of the client.
func (m *model) write(b []byte) {
	m.catchUp()
	m.pipe.SetWriteDeadline(time.Now().Add(10 * time.Second))
	if _, err := m.pipe.Write(b); err != nil && m.phase != left {
		m.complain("%q cannot be sent: %v", b, err)
	}
	m.pipe.SetWriteDeadline(time.Time{})
}

// sessions are whole sessions in the alphabet of op: one for each program.
func sessions() [][]byte {
	look := []byte{6, 7, 0, 8, 0, 9, 0, 0, 0, 9, 1, 0, 3, 10, 0, 0, 1, 34, 26, 0, 3}
	join := func(parts ...[]byte) (out []byte) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	return [][]byte{
		join(
			[]byte{0, 0, 0, 1, 0, 0, 3, 0, 4, 5, 1, 5, 0, 1, 2}, look, []byte{13, 0}, look,
			[]byte{40, 14, 0, 14, 0, 20, 1, 15}, look, []byte{23, 120, 20, 24, 0, 9, 16, 16, 16, 19, 28, 29, 0},
		),
		join([]byte{0, 0, 1, 1, 1, 1, 2, 18, 19}, look, []byte{16, 6, 7, 0, 18, 19, 27, 0, 22, 18, 19, 29, 0}),
		join([]byte{0, 1, 0, 1, 2, 1, 2}, look, []byte{21, 1, 16, 19, 22, 19, 29, 1}),
		join([]byte{0, 0, 0, 1, 3, 1, 2}, look, []byte{21, 3, 27, 5, 6, 13, 2, 29, 0}),
		join([]byte{0, 0, 0, 1, 4, 0, 2}, look, []byte{13, 0, 13, 0, 16, 19, 29, 0}),
		{0, 0, 0, 1, 5, 0, 1, 0, 0, 2, 29, 0},
	}
}

// FuzzRequests lets the bytes lead a session. Whatever they are, the adapter answers every request
// once, keeps the protocol, does not hang, and leaves nothing running.
func FuzzRequests(f *testing.F) {
	for _, s := range sessions() {
		f.Add(s)
		for _, b := range []byte{44, 45, 46, 38, 39, 41} {
			mixed := []byte{}
			for i, x := range s {
				if mixed = append(mixed, x); i%7 == 6 {
					mixed = append(mixed, b, byte(i))
				}
			}
			f.Add(mixed)
		}
	}
	programs := fuzzPrograms(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) <= 256 {
			drive(t, programs, in)
		}
	})
}

// TestEveryPoint ends whole sessions at every point: with disconnect, by breaking the connection,
// in the middle of a message, with requests unanswered; and continues after garbage and
// cancellations at every point.
func TestEveryPoint(t *testing.T) {
	programs := fuzzPrograms(t)
	for n, s := range sessions() {
		for at := range s {
			if testing.Short() && at%5 != 0 {
				continue
			}
			ends := [][]byte{{29, 0}, {47}, {46}, {128 + 6, 128 + 7, 128 + 18, 39, 3, 47}}
			drive(t, programs, append(append([]byte{}, s[:at]...), ends[at%len(ends)]...))
			between := [][]byte{{44, byte(at)}, {45, byte(at)}, {38, byte(at)}, {39, byte(at)}}
			drive(t, programs, append(append(append([]byte{}, s[:at]...), between[(at+n)%len(between)]...), s[at:]...))
		}
	}
}

// TestRandomSessions leads sessions at random.
func TestRandomSessions(t *testing.T) {
	programs := fuzzPrograms(t)
	all := sessions()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		in := []byte{0, 0, 0, 1, byte(rng.IntN(5)), byte(rng.IntN(2))}
		if seed%3 == 0 {
			in = append([]byte{}, all[rng.IntN(len(all))]...)
		}
		for range 80 {
			in = append(in, byte(rng.IntN(256)))
		}
		drive(t, programs, in)
	}
}
