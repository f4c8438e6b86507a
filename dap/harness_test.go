package dap_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/dap/check"
	"stackscope/internal/testing/testprog"
	"stackscope/vm/debugger"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// client is a client under test: every message is checked and recorded.
type client struct {
	*dap.Client
	t      *testing.T
	events chan *dap.Message
	mu     sync.Mutex
	log    strings.Builder
	check  *check.Checker
	hide   string // a folder that differs from run to run
	last   godap.StoppedEventBody
	wrong  atomic.Bool // the test sends what it must not, on purpose
	served chan error
	sent   atomic.Int64 // the number of the last message that was sent
}

// lastSeq returns the number of the last request.
func (c *client) lastSeq() int { return int(c.sent.Load()) }

// load is a loader of programs made as data.
func load(l *dap.Launch) (*debugger.Program, error) {
	switch filepath.Base(l.Program) {
	case "test.wat":
		return testprog.Generator().Program("main"), nil
	case "wrong.wat":
		return nil, &dap.LoadError{
			Message:     "wrong.wat:1:2: unknown operator",
			Diagnostics: []dap.Diagnostic{{Path: "wrong.wat", Line: 1, Col: 2, Text: "wrong.wat:1:2: error: unknown operator"}},
		}
	}
	return nil, errors.New("no such file")
}

func connect(t *testing.T, cfg dap.Config) *client {
	here, there := net.Pipe()
	return over(t, cfg, here, there)
}

func over(t *testing.T, cfg dap.Config, here, there io.ReadWriteCloser) *client {
	if cfg.Load == nil {
		cfg.Load = load
	}
	c := &client{t: t, events: make(chan *dap.Message, 10000), served: make(chan error, 1)}
	c.check = check.New(check.Options{Schema: schema(t), Strict: true})
	if there != nil {
		go func() { c.served <- dap.Serve(context.Background(), there, cfg) }()
	}
	c.Client = dap.NewClient(here, func(m *dap.Message) { c.events <- m }, func(out bool, raw []byte) {
		c.mu.Lock()
		defer c.mu.Unlock()
		from := check.Adapter
		if out {
			from = check.Client
			var m dap.Message
			if json.Unmarshal(raw, &m) == nil {
				c.sent.Store(int64(m.Seq))
			}
		}
		for _, p := range c.check.Message(from, raw) {
			if p.Side == check.Adapter || !c.wrong.Load() {
				t.Errorf("protocol: %v in %s", p, raw)
			}
		}
		check.Write(&c.log, from, []byte(stable(raw)))
	})
	t.Cleanup(func() {
		c.Close()
		if there != nil {
			select {
			case <-c.served:
			case <-time.After(5 * time.Second):
				t.Error("the server does not end")
			}
		}
	})
	return c
}

// loadSchema reads the protocol's schema once.
var loadSchema = sync.OnceValues(func() (*check.Schema, error) {
	p, err := check.FindSchema()
	if err != nil {
		return nil, err
	}
	return check.LoadSchema(p, true)
})

func schema(t testing.TB) *check.Schema {
	t.Helper()
	s, err := loadSchema()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var seqs = regexp.MustCompile(`"(seq|request_seq)":\d+,?`)

// stable removes what differs from run to run.
func stable(raw []byte) string {
	s := seqs.ReplaceAllString(string(raw), "")
	if d, err := filepath.Abs(".."); err == nil {
		s = strings.ReplaceAll(s, d, "$ROOT")
	}
	return s
}

// must sends a request that has to succeed.
func (c *client) must(command string, args, body any) {
	c.t.Helper()
	if err := c.Request(command, args, body); err != nil {
		c.t.Fatalf("%s: %v", command, err)
	}
}

// refused sends a request that has to fail, and returns the error's text.
func (c *client) refused(command string, args any) string {
	c.t.Helper()
	c.wrong.Store(true)
	defer c.wrong.Store(false)
	err := c.Request(command, args, nil)
	var re *dap.RequestError
	if !errors.As(err, &re) {
		c.t.Fatalf("%s is not refused: %v", command, err)
	}
	return re.Message
}

// await waits for an event and decodes its body; other events are dropped.
func (c *client) await(name string, body any) {
	c.t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		select {
		case m := <-c.events:
			if m == nil {
				c.t.Fatalf("the connection ends where %q is awaited", name)
			}
			if m.Event != name {
				continue
			}
			if body != nil {
				if err := json.Unmarshal(m.Body, body); err != nil {
					c.t.Fatal(err)
				}
			}
			return
		case <-deadline:
			c.t.Fatalf("no event %q", name)
		}
	}
}

func (c *client) initialize() {
	c.t.Helper()
	c.must(
		"initialize",
		godap.InitializeRequestArguments{
			AdapterID: "wasm", ClientID: "test", LinesStartAt1: true,
			ColumnsStartAt1: true, PathFormat: "path", SupportsVariableType: true,
			SupportsVariablePaging: true, SupportsMemoryReferences: true, SupportsInvalidatedEvent: true,
			SupportsMemoryEvent: true,
		},
		nil,
	)
}

// start launches a program with breakpoints on lines and returns the first stop.
func (c *client) start(launch map[string]any, lines ...int) string {
	c.t.Helper()
	c.initialize()
	c.must("launch", launch, nil)
	c.await("initialized", nil)
	if len(lines) > 0 {
		c.breakpoints(launch["program"].(string), lines...)
	}
	c.must("configurationDone", nil, nil)
	return c.stopped()
}

func (c *client) breakpoints(path string, lines ...int) []godap.Breakpoint {
	c.t.Helper()
	a := godap.SetBreakpointsArguments{Source: godap.Source{Path: path}}
	for _, l := range lines {
		a.Breakpoints = append(a.Breakpoints, godap.SourceBreakpoint{Line: l})
	}
	var b godap.SetBreakpointsResponseBody
	c.must("setBreakpoints", a, &b)
	return b.Breakpoints
}

// stopped waits for a stop or the end: `breakpoint #2 test.wat:8`.
func (c *client) stopped() string {
	c.t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		select {
		case m := <-c.events:
			switch {
			case m == nil:
				c.t.Fatal("the connection ends where a stop is awaited")
			case m.Event == "terminated":
				return "terminated"
			case m.Event == "stopped":
				var b godap.StoppedEventBody
				if err := json.Unmarshal(m.Body, &b); err != nil {
					c.t.Fatal(err)
				}
				c.last = b
				f := c.frames(b.ThreadId)
				for _, x := range f {
					if x.PresentationHint != "label" {
						return fmt.Sprintf("%s #%d %s:%d", b.Reason, b.ThreadId, x.Source.Name, x.Line)
					}
				}
				return fmt.Sprintf("%s #%d", b.Reason, b.ThreadId)
			}
		case <-deadline:
			c.t.Fatal("no stop")
		}
	}
}

func (c *client) frames(thread int) []godap.StackFrame {
	c.t.Helper()
	var b godap.StackTraceResponseBody
	c.must("stackTrace", godap.StackTraceArguments{ThreadId: thread}, &b)
	return b.StackFrames
}

// step steps and returns where that leads.
func (c *client) step(command string, thread int, granularity string) string {
	c.t.Helper()
	args := map[string]any{"threadId": thread}
	if granularity != "" {
		args["granularity"] = granularity
	}
	c.must(command, args, nil)
	return c.stopped()
}

// scope returns the variables of a scope of a frame as `name=value`.
func (c *client) scope(frame int, name string) []godap.Variable {
	c.t.Helper()
	var sc godap.ScopesResponseBody
	c.must("scopes", godap.ScopesArguments{FrameId: frame}, &sc)
	for _, s := range sc.Scopes {
		if s.Name == name {
			return c.children(s.VariablesReference)
		}
	}
	return nil
}

func (c *client) children(ref int) []godap.Variable {
	c.t.Helper()
	var vs godap.VariablesResponseBody
	c.must("variables", godap.VariablesArguments{VariablesReference: ref}, &vs)
	return vs.Variables
}

func text(vs []godap.Variable) string {
	var out []string
	for _, v := range vs {
		out = append(out, v.Name+"="+v.Value)
	}
	return strings.Join(out, ", ")
}

// golden compares the transcript with a file.
func (c *client) golden(name string) {
	c.t.Helper()
	c.mu.Lock()
	got := c.log.String()
	c.mu.Unlock()
	if c.hide != "" {
		got = strings.ReplaceAll(got, c.hide, "$DIR")
	}
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			c.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			c.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	if got != string(want) {
		g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range g {
			if i >= len(w) || g[i] != w[i] {
				c.t.Fatalf(
					"%s differs at line %d (run with -update to rewrite)\ngot  %s\nwant %s", path, i+1, g[i],
					strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""),
				)
			}
		}
		c.t.Fatalf("%s has more lines", path)
	}
}
