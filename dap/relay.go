package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"stackscope/dap/config"
	"stackscope/dap/internal/wire"
	"sync"
	"time"
)

// relay makes a session a mere go-between for a server elsewhere: what the client sends goes there,
// what comes from there goes to the client.
type relay struct {
	there   *wire.Conn
	command string // the client's request that made it
	seq     int

	mu       sync.Mutex
	requests map[int]int // of the other end: its numbers by those that the client received
}

// connectTime bounds how long the other end may take to be there.
const connectTime = 10 * time.Second

// onConnect hands the session over to the server at an address: it is initialized as this one was,
// and gets the client's attach.
func (s *session) onConnect(m *Message, address string) error {
	c, err := Dial(address)
	if err != nil {
		return userError{fmt.Errorf("cannot attach: %v", err)}
	}
	return s.relayTo(c, m, m.Arguments)
}

// relayTo begins to relay, with an attach in place of the client's request.
func (s *session) relayTo(c net.Conn, m *Message, args json.RawMessage) error {
	r := &relay{there: wire.New(c, c), command: m.Command, seq: m.Seq, requests: map[int]int{}}
	r.there.Max = wire.MaxAnswer
	r.there.Send(Message{Seq: 1, Type: "request", Command: "initialize", Arguments: s.initRaw})
	for {
		m, err := r.there.Read()
		if err != nil {
			c.Close()
			return userError{fmt.Errorf("the server at %s does not answer: %v", c.RemoteAddr(), err)}
		}
		if m.Type == "response" {
			break
		}
	}
	s.relay, s.prog.phase = r, phaseRelaying
	r.there.Send(Message{Seq: m.Seq, Type: "request", Command: "attach", Arguments: args})
	go func() {
		defer s.inbox.post(relayEnded{})
		for {
			m, err := r.there.Read()
			if err != nil {
				s.log.Info("relay ended", "error", err)
				return
			}
			if m.Type == "request" && r.full() {
				r.there.Fail(m, errFailed, false, errAsked.Error())
				continue
			}
			s.out.conn.Write(func(seq int) any { return r.envelope(m, seq) })
		}
	}()
	return errRelayed
}

// full reports whether the client has too many requests to answer.
func (r *relay) full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.requests) >= maxAsked
}

// envelope returns a message of the other end as the client gets it.
func (r *relay) envelope(m *Message, seq int) any {
	var body any
	if len(m.Body) > 0 {
		body = m.Body
	}
	switch m.Type {
	case "response":
		if m.RequestSeq == r.seq {
			m.Command = r.command
		}
		return wire.Response{
			Seq: seq, Type: m.Type, RequestSeq: m.RequestSeq, Success: m.Success,
			Command: m.Command, Message: m.Message, Body: body,
		}
	case "event":
		return wire.Event{Seq: seq, Type: m.Type, Event: m.Event, Body: body}
	}
	r.mu.Lock()
	r.requests[seq] = m.Seq
	r.mu.Unlock()
	return wire.Request{Seq: seq, Type: m.Type, Command: m.Command, Arguments: m.Arguments}
}

// errRelayed reports that a request will be answered by the other end.
var errRelayed = fmt.Errorf("relayed")

// relayEnded is that the other end is gone.
type relayEnded struct{}

// forward passes a message of the client on.
func (r *relay) forward(m *Message) {
	if m.Type == "response" {
		r.mu.Lock()
		seq, ok := r.requests[m.RequestSeq]
		delete(r.requests, m.RequestSeq)
		r.mu.Unlock()
		if !ok {
			return
		}
		r.there.Write(func(int) any {
			return wire.Response{
				Seq: m.Seq, Type: m.Type, RequestSeq: seq, Success: m.Success,
				Command: m.Command, Message: m.Message, Body: m.Body,
			}
		})
		return
	}
	r.there.Send(*m)
}

// onTerminalLaunch runs the program in a terminal of the client, and relays to it: it connects to
// us.
func (s *session) onTerminalLaunch(m *Message, l *config.Launch) error {
	listener, err := Listen("127.0.0.1:0")
	if err != nil {
		return userError{err}
	}
	s.prog.phase = phaseStarting
	kind := "integrated"
	if l.Console == config.ConsoleExternal {
		kind = "external"
	}
	cwd := l.Cwd
	if cwd == "" {
		cwd = filepath.Dir(l.Program)
	}
	args := append([]string{}, s.cfg.Self...)
	args = append(args, "run", "--connect", listener.Addr().String())
	args = append(args, l.Flags()...)
	s.out.ask(
		"runInTerminal",
		map[string]any{"kind": kind, "title": filepath.Base(l.Program), "cwd": cwd, "args": args},
		func(answer *Message) {
			if !answer.Success {
				s.prog.notStarted()
				listener.Close()
				why := "the client did not start the program in a terminal: " + answer.Message
				s.out.conn.Fail(m, errFailed, true, why)
				return
			}
			go func() {
				defer listener.Close()
				if t, ok := listener.(*net.TCPListener); ok {
					_ = t.SetDeadline(time.Now().Add(connectTime))
				}
				c, err := listener.Accept()
				s.inbox.post(terminalReady{m, c, err, l})
			}()
		},
	)
	return errRelayed
}

// terminalReady is that the program in the terminal has connected, or not.
type terminalReady struct {
	m      *Message
	c      net.Conn
	err    error
	launch *config.Launch
}

func (s *session) onTerminalReady(x terminalReady) {
	err := x.err
	if err == nil {
		args, _ := json.Marshal(
			config.Attach{
				MaxThreads: x.launch.MaxThreads, CancelTag: x.launch.CancelTag, StopOnEntry: x.launch.StopOnEntry,
			},
		)
		err = s.relayTo(x.c, x.m, args)
	}
	if err != nil && !errors.Is(err, errRelayed) {
		s.prog.notStarted()
		s.out.conn.Fail(x.m, errFailed, true, err.Error())
	}
}
