package dap_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
)

// moveWalk leads a session that moves, restarts, cancels and releases whatever stacks there are.
type moveWalk struct {
	program string
	moved   int // how often a stack that does not run was moved or restarted
	frames  []godap.StackFrame
}

// moveWait is how long the program may run before it is paused.
const moveWait = 100 * time.Millisecond

// movePrograms are those whose stacks stand still in many ways.
func movePrograms(t *testing.T) []string {
	t.Helper()
	texts := map[string]string{"throwing": throwing, "cleaning": cleaning}
	for d, x := range alone() {
		texts["alone "+d] = strings.Replace(x, "(param $how i32)", "(local $how i32)", 1)
	}
	for d, x := range deep() {
		texts["deep "+d] = x
	}
	dir := t.TempDir()
	var out []string
	for name, text := range texts {
		p := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".wat")
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// begin lets the program come to where stacks are suspended.
func (w *moveWalk) begin(m *model) {
	for _, name := range []string{";; between\n", ";; here\n"} {
		text, _ := os.ReadFile(w.program)
		if before, _, ok := strings.Cut(string(text), name); ok {
			m.expect(
				"setBreakpoints",
				map[string]any{
					"source":      map[string]any{"path": w.program},
					"breakpoints": []any{map[string]any{"line": 1 + strings.Count(before, "\n")}},
				},
				true,
			)
			m.expect("continue", map[string]any{"threadId": 1}, true)
			m.await(moveWait)
		}
	}
}

// step does what the next bytes say.
func (w *moveWalk) step(m *model, _ func(string)) {
	m.drain()
	switch m.phase {
	case connected:
		m.expect("initialize", map[string]any{"adapterID": "wasm"}, true)
		m.phase = initialized
		m.expect(
			"launch",
			map[string]any{
				"program": w.program, "stopOnEntry": true,
				"cancelTag": pick([]string{"", "$oops", "$cancel"}, m.byte(), ""),
			},
			true,
		)
		m.phase = launched
		m.expect("configurationDone", map[string]any{}, true)
		m.await(moveWait)
		w.begin(m)
		return
	case ended:
		m.catchUp()
		m.expect("restart", map[string]any{}, true)
		m.await(moveWait)
		w.begin(m)
		return
	case unknown: // it runs in a circle
		m.send("pause", map[string]any{"threadId": 1}, false)
		m.await(moveWait)
		return
	}
	do := func(command string, args map[string]any, out any) bool {
		x := m.send(command, args, false)
		return x != nil && x.Success && (out == nil || json.Unmarshal(x.Body, out) == nil)
	}
	look := func() (thread int) {
		var ts godap.ThreadsResponseBody
		do("threads", nil, &ts)
		thread = pick(ts.Threads, m.byte(), godap.Thread{Id: m.thread}).Id
		var st godap.StackTraceResponseBody
		w.frames = nil
		if do("stackTrace", map[string]any{"threadId": thread}, &st) {
			for _, f := range st.StackFrames {
				if f.PresentationHint == "" {
					w.frames = append(w.frames, f)
				}
			}
		}
		return thread
	}
	told := func() {
		if m.await(moveWait); m.phase == stands && strings.Contains(m.told, " when it is ") {
			w.moved++
		}
	}
	switch code := m.byte() % 16; code {
	case 0, 1, 2, 3: // goto
		thread := look()
		if len(w.frames) == 0 {
			return
		}
		line := max(1, pick(w.frames, m.byte()%2, w.frames[0]).Line+m.byte()%11-5)
		var ts godap.GotoTargetsResponseBody
		if do("gotoTargets", map[string]any{"source": map[string]any{"path": w.program}, "line": line}, &ts) &&
			do("goto", map[string]any{
				"threadId": thread, "targetId": pick(ts.Targets, m.byte(), ts.Targets[0]).Id,
			}, nil) {
			told()
		}
	case 4, 5:
		if look(); len(w.frames) > 0 &&
			do("restartFrame", map[string]any{"frameId": pick(w.frames, m.byte(), w.frames[0]).Id}, nil) {
			told()
		}
	case 6:
		if do(
			"stackscope/cancel",
			map[string]any{"threadId": look(), "tag": pick([]string{"$oops", "$cancel", "$back"}, m.byte(), "")},
			nil,
		) {
			m.await(moveWait)
		}
	case 7:
		if do("terminateThreads", map[string]any{"threadIds": []int{look()}}, nil) {
			m.await(moveWait)
		}
	case 8:
		do("stackscope/stacks", map[string]any{"holders": true}, nil)
	case 9:
		bs := []any{}
		for range m.byte() % 3 {
			bs = append(bs, map[string]any{"line": 1 + m.byte()%45})
		}
		do("setBreakpoints", map[string]any{"source": map[string]any{"path": w.program}, "breakpoints": bs}, nil)
	case 10:
		look()
		if len(w.frames) > 0 {
			do(
				"evaluate",
				map[string]any{
					"expression": pick([]string{"$x = 3", "$k", "$n = 0", "$how = 2"}, m.byte(), ""),
					"frameId":    pick(w.frames, m.byte(), w.frames[0]).Id, "context": "repl",
				},
				nil,
			)
		}
	case 11:
		if do("continue", map[string]any{"threadId": look(), "singleThread": m.byte()%2 == 0}, nil) {
			m.await(moveWait)
		}
	default:
		command := pick([]string{"next", "stepIn", "stepOut"}, m.byte(), "")
		args := map[string]any{"threadId": look(), "singleThread": m.byte()%4 == 0}
		if m.byte()%2 == 0 {
			args["granularity"] = "instruction"
		}
		if do(command, args, nil) {
			m.await(moveWait)
		}
	}
}

// TestMoveWalks moves, restarts, cancels and releases stacks at random, in programs of all designs.
func TestMoveWalks(t *testing.T) {
	programs := movePrograms(t)
	seeds, from := uint64(len(programs)), uint64(0)
	if n, err := strconv.ParseUint(os.Getenv("STACKSCOPE_WALKS"), 10, 64); err == nil {
		seeds = n
	}
	if n, err := strconv.ParseUint(os.Getenv("STACKSCOPE_WALKS_FROM"), 10, 64); err == nil {
		from = n
	}
	moved := map[string]int{}
	for seed := from; seed < from+seeds; seed++ {
		rng := rand.New(rand.NewPCG(seed, 7))
		in := make([]byte, 700)
		for i := range in {
			in[i] = byte(rng.IntN(256))
		}
		w := &moveWalk{program: programs[seed%uint64(len(programs))]}
		driveWith(t, dap.Config{Load: launch.Load}, programs, in, w.step)
		moved[filepath.Base(w.program)] += w.moved
	}
	t.Log(fmt.Sprint(moved))
	for name, n := range moved {
		if n == 0 && seeds >= uint64(len(programs)) {
			t.Errorf("%s: no stack that does not run was moved", name)
		}
	}
}
