package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

// session is one client with at most one program at a time.
type session struct {
	cfg  Config
	conn *conn
	end  io.ReadWriteCloser // of the connection
	log  *slog.Logger

	table map[string]handler
	reqs  chan *Message
	done  chan struct{} // closed when the session is over

	inbox     inbox         // what the engine, and other sessions, tell
	freed     chan struct{} // a request that was read has been served
	mu        sync.Mutex    // guards what the reading goroutine hands in
	queued    int           // bytes of the requests that were read and not yet served
	cancelled map[int]bool
	readErr   error

	client    clientInfo
	phase     phase
	owner     owner
	launch    *Launch
	launchRaw json.RawMessage
	program   *engine.Program
	eng       *engine.Engine
	run       int  // ordinal of the engine; what older ones tell is ignored
	printed   bool // printed texts have URIs, not references

	progressID int

	target  *Target // what is attached to, or shared with child sessions
	keep    bool    // leave a target standing when the session ends
	unshare func()  // ends the child sessions' server
	shared  string  // its address
	onEntry bool    // stop the target on entry
	initRaw json.RawMessage
	relay   *relay
	replies map[int]func(*Message) // to requests of ours, by number

	outputs map[string]*godap.Source // of the files of the program; not changed while an engine runs

	opened  []string       // memory references that the client has read
	shown   engine.StackID // the stack that the client was told to show
	breaks  breakpoints
	handles handles
	stop    engine.Stop // the last stop, while standing
	pinned  []engine.StackID
	threads []thread // last known
	after   []func() // to do once the response is out

	life      context.Context // ends when nobody waits for answers any more
	abandon   func()          // ends it
	ctx       context.Context // of the request that is being executed
	interrupt func()          // ends it; guarded by mu, as are the next
	current   int             // the number of that request, 0 if there is none
}

// clientInfo is what the client said of itself.
type clientInfo struct {
	line0, col0   bool // lines, columns start at 0
	uri           bool // paths are URIs
	types, paging bool
	memoryRefs    bool
	invalidated   bool
	ansi          bool
	progress      bool
	children      bool // it can begin sessions when asked to
	terminal      bool // it can run commands in a terminal
	memoryEvent   bool
	id            string
}

// handler answers a request.
type handler func(s *session, m *Message) (body any, err error)

// userError is an error that the user should see at once, not only in a log.
type userError struct{ error }

// Unwrap returns the error.
func (e userError) Unwrap() error { return e.error }

func newSession(cfg Config, rwc io.ReadWriteCloser) *session {
	s := &session{
		cfg: cfg, conn: newConn(rwc, rwc), end: rwc, log: cfg.Log, table: handlers(),
		interrupt: func() {},
		reqs: make(
			chan *Message, maxRequests,
		), done: make(chan struct{}), freed: make(chan struct{}, 1), cancelled: map[int]bool{},
	}
	s.life, s.abandon = context.WithCancel(context.Background())
	s.ctx = s.life
	s.conn.tap = cfg.Tap
	s.inbox.notify = make(chan struct{}, 1)
	s.breaks.init()
	s.handles.init()
	return s
}

// serve executes the session until it is over.
func (s *session) serve() error {
	go s.read()
	defer close(s.done)
	defer s.abandon()
	defer s.kill()
	for s.phase != phaseOver {
		select {
		case m, ok := <-s.reqs:
			if !ok {
				return s.readErr
			}
			if s.inbox.pressing() { // what was only printed can wait
				s.hear()
			}
			switch {
			case s.phase == phaseRelaying:
				s.relay.forward(m)
			case m.Type == "response":
				s.answered(m)
			default:
				s.dispatch(m)
			}
			s.served(m)
			s.hear()
		case <-s.inbox.notify:
			s.hear()
		}
	}
	return nil
}

// read hands requests to the session.
func (s *session) read() {
	defer close(s.reqs)
	for {
		m, err := s.conn.read()
		var bad *badMessage
		switch {
		case errors.As(err, &bad):
			s.log.Warn("bad message", "error", err)
			if m == nil {
				continue
			}
			s.conn.fail(m, errBadRequest, false, err.Error())
			continue
		case err != nil:
			s.readErr = err
			s.noteLeaving()
			return
		}
		if m.Type != "request" && m.Type != "response" {
			s.log.Warn("message of unknown type", "type", m.Type)
			continue
		}
		switch {
		case m.Type != "request":
		case m.Command == "cancel":
			s.noteCancel(m)
		case m.Command == "disconnect":
			s.noteLeaving()
		}
		if !s.room(m) {
			return
		}
		select {
		case s.reqs <- m:
		case <-s.done:
			return
		}
	}
}

// The bounds of the requests that are read before they are served. The client waits beyond them.
const (
	maxRequests     = 64
	maxRequestBytes = 8 << 20 // unless a single one is larger
)

// room waits until there is room for another request. It reports whether the session goes on.
func (s *session) room(m *Message) bool {
	for {
		s.mu.Lock()
		if s.queued == 0 || s.queued+m.size <= maxRequestBytes {
			s.queued += m.size
			s.mu.Unlock()
			return true
		}
		s.mu.Unlock()
		select {
		case <-s.freed:
		case <-s.done:
			return false
		}
	}
}

// served makes room after a request.
func (s *session) served(m *Message) {
	s.mu.Lock()
	s.queued -= m.size
	s.mu.Unlock()
	select {
	case s.freed <- struct{}{}:
	default:
	}
}

// dispatch executes one request and answers it exactly once.
func (s *session) dispatch(m *Message) {
	wanted := s.begin(m)
	defer s.finished()
	if !wanted && s.phase != phaseNew { // before initialize a cancellation is refused like any other request
		s.conn.fail(m, errCancelled, false, "cancelled")
		return
	}
	s.after = s.after[:0]
	body, err := s.execute(m)
	var ue userError
	switch {
	case err == nil:
		s.conn.respond(m, body)
	case errors.Is(err, errRelayed):
	case errors.Is(err, engine.ErrCancelled), errors.Is(err, context.Canceled):
		s.conn.fail(m, errCancelled, false, "cancelled")
	case errors.Is(err, engine.ErrRunning):
		s.conn.fail(m, errNotStopped, false, "notStopped")
	default:
		s.conn.fail(m, errFailed, errors.As(err, &ue), err.Error())
	}
	for _, f := range s.after {
		f()
	}
}

// execute calls the handler. A panic of ours is answered, and the session goes on.
func (s *session) execute(m *Message) (body any, err error) {
	defer func() {
		if r := recover(); r != nil {
			stack := string(debug.Stack())
			if f, ok := r.(*engine.Fallen); ok {
				stack = f.Stack
			}
			s.log.Error("panic", "value", r, "stack", stack)
			body, err = nil, fmt.Errorf("fault of the debug adapter: %v", r)
		}
	}()
	h, ok := s.table[m.Command]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown request %q", m.Command)
	case s.phase == phaseNew && m.Command != "initialize" && m.Command != "disconnect":
		return nil, errors.New("the first request must be initialize")
	}
	return h(s, m)
}

// Ids of error responses.
const (
	errFailed     = 1000
	errBadRequest = 1001
	errNotStopped = 1002
	errCancelled  = 1003
)

// handle makes a handler of a function with typed arguments.
func handle[A any](f func(*session, *A) (any, error)) handler {
	return func(s *session, m *Message) (any, error) {
		a := new(A)
		if len(m.Arguments) > 0 {
			if err := json.Unmarshal(m.Arguments, a); err != nil {
				var te *json.UnmarshalTypeError
				if errors.As(err, &te) {
					return nil, fmt.Errorf("%s: argument %q cannot be a JSON %s", m.Command, te.Field, te.Value)
				}
				return nil, fmt.Errorf("%s: malformed arguments: %v", m.Command, err)
			}
		}
		return f(s, a)
	}
}

// Requests returns the names of the requests that a server answers, sorted.
func Requests() []string { return slices.Sorted(maps.Keys(handlers())) }

// handlers returns the table of requests.
func handlers() map[string]handler {
	return map[string]handler{
		"initialize": func(s *session, m *Message) (any, error) {
			s.initRaw = m.Arguments
			return handle((*session).onInitialize)(s, m)
		},
		"launch": (*session).onLaunch,
		"attach": func(s *session, m *Message) (any, error) {
			var a attachArguments
			if err := unmarshal(m.Arguments, &a); err == nil && a.Connect != "" && s.cfg.Target == nil &&
				s.mayBegin() == nil {
				return nil, s.onConnect(m, a.Connect)
			}
			return s.onAttach(m)
		},
		"configurationDone":         handle((*session).onConfigurationDone),
		"restart":                   handle((*session).onRestart),
		"terminate":                 handle((*session).onTerminate),
		"disconnect":                handle((*session).onDisconnect),
		"cancel":                    handle((*session).onCancel),
		"setBreakpoints":            handle((*session).onSetBreakpoints),
		"setFunctionBreakpoints":    handle((*session).onSetFunctionBreakpoints),
		"setExceptionBreakpoints":   handle((*session).onSetExceptionBreakpoints),
		"dataBreakpointInfo":        handle((*session).onDataBreakpointInfo),
		"setDataBreakpoints":        handle((*session).onSetDataBreakpoints),
		"gotoTargets":               handle((*session).onGotoTargets),
		"goto":                      handle((*session).onGoto),
		"restartFrame":              handle((*session).onRestartFrame),
		"breakpointLocations":       handle((*session).onBreakpointLocations),
		"continue":                  handle((*session).onContinue),
		"next":                      handle((*session).onNext),
		"stepIn":                    handle((*session).onStepIn),
		"stepOut":                   handle((*session).onStepOut),
		"pause":                     handle((*session).onPause),
		"threads":                   handle((*session).onThreads),
		"stackTrace":                handle((*session).onStackTrace),
		"scopes":                    handle((*session).onScopes),
		"variables":                 handle((*session).onVariables),
		"stepInTargets":             handle((*session).onStepInTargets),
		"terminateThreads":          handle((*session).onTerminateThreads),
		"disassemble":               handle((*session).onDisassemble),
		"setInstructionBreakpoints": handle((*session).onSetInstructionBreakpoints),
		"setVariable":               handle((*session).onSetVariable),
		"setExpression":             handle((*session).onSetExpression),
		"evaluate":                  handle((*session).onEvaluate),
		"completions":               handle((*session).onCompletions),
		"exceptionInfo":             handle((*session).onExceptionInfo),
		"readMemory":                handle((*session).onReadMemory),
		"writeMemory":               handle((*session).onWriteMemory),
		"source":                    handle((*session).onSource),
		"loadedSources":             handle((*session).onLoadedSources),
		"modules":                   handle((*session).onModules),
		"locations":                 handle((*session).onLocations),
		"stackscope/stacks":         handle((*session).onStacks),
		"stackscope/cancel":         handle((*session).onCancelStack),
		"stackscope/focus":          handle((*session).onFocus),
	}
}

// post hands something to the session's goroutine; it never blocks.
func (s *session) post(x any) { s.inbox.post(x) }

// hear deals with what was handed in.
func (s *session) hear() {
	for _, x := range s.inbox.take() {
		s.fromEngine(x)
	}
}

// kill ends the program, if one runs, and waits for it a while.
func (s *session) kill() {
	if s.eng == nil {
		return
	}
	if s.target != nil {
		s.target.detach(s, s.keep)
	}
	s.run++ // nothing it tells matters any more
	if s.phase == phaseStopped {
		s.phase = phaseRunning
	}
	if s.owner == ownerOther {
		s.eng = nil
		return
	}
	if s.unshare != nil {
		defer s.unshare()
	}
	s.eng.Kill()
	if s.eng.Started() {
		select {
		case <-s.eng.Done():
		case <-time.After(2 * time.Second):
			s.log.Warn("the program does not end: it is left behind")
		}
	}
	s.eng = nil
}

// then does something once the response is out.
func (s *session) then(f func()) { s.after = append(s.after, f) }
