package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"stackscope/dap"
)

// side is one of the adapters.
type side struct {
	name    string
	adapter []string
	peer    bool
}

// session is a session with an adapter in a process of its own.
type session struct {
	*dap.Client
	cmd    *exec.Cmd
	events chan event
}

// event is an event, and when it came.
type event struct {
	*dap.Message
	at time.Time
}

var address = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// open starts an adapter and connects to it.
func (s *side) open() (*session, error) {
	cmd := exec.Command(s.adapter[0], s.adapter[1:]...)
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	addr := make(chan string, 1)
	go func() {
		in := bufio.NewScanner(r)
		for in.Scan() {
			if a := address.FindString(in.Text()); a != "" {
				select {
				case addr <- a:
				default:
				}
			}
		}
	}()
	var conn net.Conn
	var err error
	select {
	case a := <-addr:
		conn, err = net.Dial("tcp", a)
	case <-time.After(20 * time.Second):
		err = fmt.Errorf("%s does not listen", s.adapter[0])
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, err
	}
	x := &session{cmd: cmd, events: make(chan event, 1<<16)}
	x.Client = dap.NewClient(conn, func(m *dap.Message) { x.events <- event{m, time.Now()} }, nil)
	return x, nil
}

// close ends the session and its process.
func (x *session) close() {
	done := x.Send("disconnect", map[string]any{"terminateDebuggee": true})
	select {
	case <-done:
	case <-time.After(5 * time.Second):
	}
	x.Close()
	x.cmd.Process.Kill()
	x.cmd.Wait()
}

// await waits for an event.
func (x *session) await(name string, body any) (time.Time, error) {
	timeout := time.After(2 * time.Minute)
	for {
		select {
		case e := <-x.events:
			if e.Message == nil {
				return time.Time{}, fmt.Errorf("the connection ends where %s is awaited", name)
			}
			if e.Event == "terminated" && name != "terminated" {
				return time.Time{}, fmt.Errorf("the program ends where %s is awaited", name)
			}
			if e.Event == name {
				if body != nil {
					return e.at, json.Unmarshal(e.Body, body)
				}
				return e.at, nil
			}
		case <-timeout:
			return time.Time{}, fmt.Errorf("no event %s", name)
		}
	}
}

// launch launches a program, sets a breakpoint if line is not 0, and returns the time from the
// request to the end of the configuration.
func (x *session) launch(args map[string]any, path string, line int) (time.Time, error) {
	if err := x.Request("initialize", map[string]any{"adapterID": "x", "linesStartAt1": true, "columnsStartAt1": true,
		"pathFormat": "path", "supportsVariableType": true, "supportsVariablePaging": true}, nil); err != nil {
		return time.Time{}, err
	}
	begin := time.Now()
	answer := x.Send("launch", args)
	if _, err := x.await("initialized", nil); err != nil {
		return begin, err
	}
	if line > 0 {
		if err := x.Request("setBreakpoints", map[string]any{"source": map[string]any{"path": path},
			"breakpoints": []any{map[string]any{"line": line}}}, nil); err != nil {
			return begin, err
		}
	}
	if err := x.Request("configurationDone", map[string]any{}, nil); err != nil {
		return begin, err
	}
	if m := <-answer; m == nil || !m.Success {
		return begin, fmt.Errorf("launch is refused: %+v", m)
	}
	return begin, nil
}

// steps measures steps and rounds of questions in one session.
func (s *side) steps(p *programs, stacks, steps int, t *table) error {
	x, err := s.open()
	if err != nil {
		return err
	}
	defer x.close()
	path, args := p.path("stacks.wat"), map[string]any{}
	if s.peer {
		path = p.path("main.go")
		args = map[string]any{"mode": "exec", "program": p.path("target"), "args": []string{strconv.Itoa(stacks)}}
	} else {
		if err := p.write("stacks.wat", fmt.Sprintf(stacksText, stacks)); err != nil {
			return err
		}
		args["program"] = path
	}
	if _, err := x.launch(args, path, stopLine[s.peer]); err != nil {
		return err
	}
	var stop struct{ ThreadID int }
	if _, err := x.await("stopped", &stop); err != nil {
		return err
	}
	if err := x.Request("setBreakpoints", map[string]any{"source": map[string]any{"path": path},
		"breakpoints": []any{}}, nil); err != nil {
		return err
	}
	for i := range steps {
		begin := time.Now()
		answer := x.Send("next", map[string]any{"threadId": stop.ThreadID})
		at, err := x.await("stopped", &stop)
		if err != nil {
			return err
		}
		<-answer
		listed, err := x.look(stop.ThreadID)
		if err != nil {
			return err
		}
		end := time.Now()
		if i == 0 {
			continue // the first one warms up
		}
		t.add(fmt.Sprintf("step → stopped, %d stacks", stacks), s, at.Sub(begin), limit(2, true))
		t.add(
			fmt.Sprintf("step, threads, stack, scopes, variables, %d stacks", stacks), s, end.Sub(begin),
			map[int]must{1000: limit(10, false), 100000: limit(20, false)}[stacks],
		)
		t.note(fmt.Sprintf("threads listed, %d stacks", stacks), s, listed)
	}
	return nil
}

// look asks what an editor asks for at a stop.
func (x *session) look(thread int) (listed int, err error) {
	var th struct{ Threads []json.RawMessage }
	if err := x.Request("threads", nil, &th); err != nil {
		return 0, err
	}
	var st struct{ StackFrames []struct{ ID int } }
	if err := x.Request("stackTrace", map[string]any{"threadId": thread, "startFrame": 0, "levels": 20},
		&st); err != nil {
		return 0, err
	}
	if len(st.StackFrames) == 0 {
		return 0, fmt.Errorf("the stack trace is empty")
	}
	var sc struct {
		Scopes []struct {
			VariablesReference int
			Expensive          bool
		}
	}
	if err := x.Request("scopes", map[string]any{"frameId": st.StackFrames[0].ID}, &sc); err != nil {
		return 0, err
	}
	for _, v := range sc.Scopes {
		if !v.Expensive {
			if err := x.Request("variables", map[string]any{"variablesReference": v.VariablesReference},
				nil); err != nil {
				return 0, err
			}
		}
	}
	return len(th.Threads), nil
}

// launches measures the time from launch to the first stop: of a module of 1 MB, as text and
// binary; of the peer, its program.
func (s *side) launches(p *programs, t *table) error {
	type job struct {
		name, path string
		args       map[string]any
		line       int
	}
	jobs := []job{
		{name: "launch → first stop, 1 MB of text", path: p.path("large.wat")},
		{name: "launch → first stop, 1 MB binary", path: p.path("large.wasm")},
	}
	for i := range jobs {
		jobs[i].args = map[string]any{
			"program": jobs[i].path, "stopOnEntry": true, "invoke": "last",
			"args": []string{"1", "2", "3"}, "imports": []string{"env=" + p.path("env.wat")},
		}
	}
	if s.peer {
		jobs = []job{
			{
				name: "launch → first stop, 1 MB of text", path: p.path("main.go"),
				line: lineOf(goroutinesText, "hold :="),
				args: map[string]any{"mode": "exec", "program": p.path("target"), "args": []string{"10"}},
			},
		}
	}
	for _, j := range jobs {
		x, err := s.open()
		if err != nil {
			return err
		}
		begin, err := x.launch(j.args, j.path, j.line)
		if err == nil {
			var at time.Time
			if at, err = x.await("stopped", nil); err == nil {
				t.add(j.name, s, at.Sub(begin), limit(150, false))
			}
		}
		x.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// attached runs a program with and without a debugger that has nothing to do. The time of the run
// under the debugger is that from configurationDone to terminated.
func attached(ours string, s *side, p *programs, t *table) error {
	begin := time.Now()
	out, err := exec.Command(ours, "run", "--time", p.path("work.wat")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	_, rest, ok := strings.Cut(string(out), "elapsed_ns=")
	ns, err := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	if !ok || err != nil {
		return fmt.Errorf("no elapsed_ns in %q after %v", out, time.Since(begin))
	}
	t.attach("run", time.Duration(ns))
	x, err := s.open()
	if err != nil {
		return err
	}
	defer x.close()
	if _, err := x.launch(map[string]any{"program": p.path("work.wat")}, "", 0); err != nil {
		return err
	}
	start := time.Now()
	at, err := x.await("terminated", nil)
	if err != nil {
		return err
	}
	t.attach("debugger", at.Sub(start))
	return nil
}
