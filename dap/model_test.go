package dap_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"stackscope/dap"
	"stackscope/dap/check"
	"stackscope/internal/launch"
)

// phase is how far the session is for a client that sees every message.
type phase int

const (
	connected phase = iota // nothing was sent
	initialized
	launched // not configured yet
	unknown  // the program may run, stand, or have ended
	stands
	ended // terminated came
	left  // disconnect was answered
)

// model drives a session with a string of bytes: each byte chooses a request, the next ones its
// arguments. It remembers what a client has seen, so that most requests are ones that a client
// sends, and reports what must come of them.
type model struct {
	t        testing.TB
	c        *dap.Client
	pipe     net.Conn
	programs []string
	in       []byte
	phase    phase
	thread   int
	told     string // the description of the last stop
	threads  []int
	frames   []int // of this stop
	refs     []int
	dead     int    // the number of a frame of an earlier stop; 0: none
	code     string // an instructionPointerReference
	memory   string // a memoryReference
	pending  []<-chan *dap.Message
	bodies   map[<-chan *dap.Message]string
	resumes  map[<-chan *dap.Message]bool // the request lets the program go on, if it is executed
	resumed  int                          // number of the last response that says so
	stop     int                          // number of the last stop
	events   chan *dap.Message
	ahead    *dap.Message // an event that was taken out of events, and not looked at yet
	served   chan error
	mu       sync.Mutex
	trail    []string // what was done, for the report
	problems []string
}

// drive runs a session and returns what is wrong.
func drive(t testing.TB, programs []string, in []byte) {
	t.Helper()
	driveWith(t, dap.Config{Load: launch.Load}, programs, in, (*model).op)
}

// driveWith is drive with another alphabet: op does what the next bytes say.
func driveWith(t testing.TB, cfg dap.Config, programs []string, in []byte, op func(m *model, garbage func(string))) {
	t.Helper()
	before := runtime.NumGoroutine()
	here, there := net.Pipe()
	m := &model{
		t: t, pipe: here, programs: programs, in: in,
		events: make(chan *dap.Message, 100000), served: make(chan error, 1),
		bodies: map[<-chan *dap.Message]string{}, resumes: map[<-chan *dap.Message]bool{},
	}
	k := check.New(check.Options{Schema: schema(t), Strict: true})
	m.phase = connected
	go func() { m.served <- dap.Serve(context.Background(), there, cfg) }()
	tap := func(out bool, raw []byte) {
		m.mu.Lock()
		defer m.mu.Unlock()
		from := check.Adapter
		if out {
			from = check.Client
		}
		for _, p := range k.Message(from, raw) {
			if p.Side == check.Adapter {
				m.problems = append(m.problems, fmt.Sprintf("%v in %.300s", p, raw))
			}
		}
		if strings.Contains(string(raw), "internal error in the debug adapter") {
			m.problems = append(m.problems, string(raw))
		}
		if len(m.trail) < 400 {
			m.trail = append(m.trail, fmt.Sprintf("%v %.200s", from, raw))
		}
	}
	m.c = dap.NewClient(here, func(x *dap.Message) { m.events <- x }, tap)
	garbage := func(raw string) {
		m.mu.Lock()
		k.Message(check.Client, []byte(raw)) // the client is wrong on purpose
		m.mu.Unlock()
	}
	for len(m.in) > 0 && m.phase != left && !t.Failed() {
		op(m, garbage)
	}
	m.catchUp()
	if m.phase != left {
		// The connection ends at whatever point the bytes end.
		m.c.Close()
	}
	select {
	case <-m.served:
	case <-time.After(10 * time.Second):
		m.complain("the server does not end")
	}
	m.c.Close()
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		buf := make([]byte, 1<<16)
		m.complain("%d goroutines are left\n%s", n-before, buf[:runtime.Stack(buf, true)])
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.problems) > 0 {
		t.Fatalf("%q\n%s\n%s", in, strings.Join(m.problems, "\n"), strings.Join(m.trail, "\n"))
	}
}

func (m *model) complain(format string, a ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.problems = append(m.problems, fmt.Sprintf(format, a...))
}

// byte returns the next byte, or 0.
func (m *model) byte() int {
	if len(m.in) == 0 {
		return 0
	}
	b := m.in[0]
	m.in = m.in[1:]
	return int(b)
}

func pick[T any](list []T, n int, none T) T {
	if len(list) == 0 {
		return none
	}
	return list[n%len(list)]
}

// catchUp waits for the responses that are still to come: each request gets exactly one (the
// checker sees to the "exactly").
func (m *model) catchUp() {
	for _, w := range m.pending {
		m.answer(w)
	}
	m.pending = nil
	m.drain()
}

// answer waits for a response.
func (m *model) answer(w <-chan *dap.Message) *dap.Message {
	select {
	case x := <-w:
		// A stop that the adapter told of before was on its way when the request was sent: it was
		// executed there.
		if x != nil && x.Success && m.resumes[w] {
			if m.resumed = x.Seq; m.phase == stands && m.stop < x.Seq {
				m.phase = unknown
			}
		}
		return x
	case <-time.After(20 * time.Second):
		m.complain("%s is not answered", m.bodies[w])
		return nil
	}
}

// drain looks at the events that came.
func (m *model) drain() { m.drainBefore(math.MaxInt) }

// drainBefore looks at the events that came before a message with a number.
func (m *model) drainBefore(seq int) {
	for {
		if m.ahead == nil {
			select {
			case m.ahead = <-m.events:
				if m.ahead == nil {
					m.event(nil)
					return
				}
			default:
				return
			}
		}
		if m.ahead.Seq > seq {
			return
		}
		x := m.ahead
		m.ahead = nil
		m.event(x)
	}
}

func (m *model) event(x *dap.Message) {
	if x == nil {
		m.phase = left
		return
	}
	switch x.Event {
	case "stopped":
		var b struct {
			ThreadID    int
			Description string
		}
		json.Unmarshal(x.Body, &b)
		if x.Seq < m.resumed {
			return
		}
		if strings.HasPrefix(b.Description, "Showing") {
			return // of stackscope/focus: the program stands where it stood, or went on since
		}
		if len(m.frames) > 0 && m.phase != stands {
			m.dead = m.frames[0]
		}
		if m.phase != stands {
			m.frames, m.refs = nil, nil
		}
		m.phase, m.thread, m.stop, m.told = stands, b.ThreadID, x.Seq, b.Description
		m.threads = append(m.threads[:0], b.ThreadID)
	case "continued": // because of stacks that are cancelled, or a word of the console
		if m.phase == stands {
			m.phase = unknown
		}
	case "terminated":
		m.phase = ended
	}
}

// await waits for a stop or the end, for a while.
func (m *model) await(d time.Duration) {
	after := time.After(d)
	for m.drain(); m.phase == unknown; {
		select {
		case x := <-m.events:
			m.event(x)
		case <-after:
			return
		}
	}
}

// send sends a request. If nothing else waits for a response, it waits for this one, so that what
// must come of it is known; if later is set, it does not.
func (m *model) send(command string, args any, later bool) *dap.Message {
	m.drain()
	w := m.c.Send(command, args)
	m.bodies[w] = command
	resumes := false
	switch command {
	case "continue",
		"next",
		"stepIn",
		"stepOut",
		"stepBack",
		"reverseContinue",
		"goto",
		"restartFrame",
		"restart",
		"configurationDone":
		resumes = true
	}
	if command == "evaluate" { // a word of the console can let the program go on
		if a, _ := args.(map[string]any); stepWord(fmt.Sprint(a["expression"])) {
			resumes = true
		}
	}
	m.resumes[w] = resumes
	gone := func() {
		if m.phase == stands || m.phase == launched || command == "restart" && m.phase == ended {
			m.phase = unknown
		}
	}
	if later {
		if resumes {
			gone()
		}
		m.pending = append(m.pending, w)
		return nil
	}
	for _, p := range m.pending {
		m.answer(p)
	}
	m.pending = nil
	x := m.answer(w)
	if x != nil && x.Success && resumes {
		m.drainBefore(x.Seq) // a stop that came before is not the one that it leads to
		gone()
	}
	return x
}

func stepWord(s string) bool { return s == "continue" || s == "next" || s == "step" || s == "out" }

// expect sends a request and holds that it is executed, or refused.
func (m *model) expect(command string, args any, ok bool) *dap.Message {
	m.catchUp()
	p := m.phase
	x := m.send(command, args, false)
	if x == nil {
		if p != left && m.phase != left {
			m.complain("%s has no answer", command)
		}
		return nil
	}
	if x.Success != ok {
		m.complain("%s in phase %d: success is %v (%s)", command, p, x.Success, x.Body)
	}
	if !x.Success {
		return nil
	}
	return x
}
