package dap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"stackscope/vm/debug"
)

// Launch is a launch configuration: `"type": "wasm", "request": "launch"`.
type Launch struct {
	Program     string  `json:"program"`
	Invoke      string  `json:"invoke,omitempty"`  // export to call; default: _start, main, or the only one
	Args        Strings `json:"args,omitempty"`    // as on the command line: 42, i64:42, f32:nan, ref.null
	Dialect     string  `json:"dialect,omitempty"` // overrides detection
	Imports     Pairs   `json:"imports,omitempty"` // NAME=FILE: modules to link
	Env         Pairs   `json:"env,omitempty"`
	Dirs        Pairs   `json:"dirs,omitempty"` // GUEST=HOST directories for WASI; a plain HOST stands for itself
	Cwd         string  `json:"cwd,omitempty"`  // relative paths start here
	StopOnEntry bool    `json:"stopOnEntry,omitempty"`
	NoDebug     bool    `json:"noDebug,omitempty"`
	Limits      Limits  `json:"limits,omitzero"`
	MaxThreads  int     `json:"maxThreads,omitempty"` // default 1000
	History     string  `json:"history,omitempty"`    // off, switches (default), full
	// HistoryEvents is how many events of stacks are kept; default 10,000, at most 10,000,000 (48 bytes each).
	HistoryEvents int      `json:"historyEvents,omitempty"`
	Stepping      string   `json:"stepping,omitempty"` // stack (default), control
	Trace         bool     `json:"trace,omitempty"`    // every event of a stack as console output
	WasiArgs      []string `json:"wasiArgs,omitempty"` // the program's own arguments, for WASI
	// CancelTag is the tag of the exception that terminateThreads throws into continuations; "": they are released.
	CancelTag string `json:"cancelTag,omitempty"`
	Stdin     string `json:"stdin,omitempty"`     // what the program reads from standard input
	StdinFile string `json:"stdinFile,omitempty"` // or the file with it
	// Console is where the program runs: internalConsole (default), integratedTerminal or externalTerminal.
	Console string `json:"console,omitempty"`
	// ChildSessions begins a session of its own for each file with a module that is linked.
	ChildSessions bool `json:"childSessions,omitempty"`
	// Module is the file that an attached session is about; "": all.
	Module string `json:"-"`
	// Disassembly is what the disassembly shows besides the instructions: nothing (wat, default), or the ops
	// of the register form that they became (register).
	Disassembly string `json:"disassembly,omitempty"`
	// PrintedURIs: the client shows the printed text of a binary module under `wasm-text:` and its path with `.wat`,
	// and wants such URIs as the paths of sources instead of references.
	PrintedURIs bool `json:"printedUris,omitempty"`
}

// Limits bound what a program may use; zero is the default.
type Limits struct {
	Fuel      uint64 `json:"fuel,omitempty"`
	MaxMemory uint64 `json:"maxMemory,omitempty"` // bytes
	MaxStacks int    `json:"maxStacks,omitempty"`
	MaxDepth  int    `json:"maxDepth,omitempty"`
}

// Strings is a list that in JSON may hold numbers, or be a single string.
type Strings []string

// UnmarshalJSON reads the list.
func (s *Strings) UnmarshalJSON(b []byte) error {
	var list []any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&list); err != nil {
		var one string
		if json.Unmarshal(b, &one) == nil {
			*s = strings.Fields(one)
			return nil
		}
		return fmt.Errorf("want a list of strings or numbers")
	}
	*s = nil
	for _, x := range list {
		switch x := x.(type) {
		case string:
			*s = append(*s, x)
		case json.Number:
			*s = append(*s, x.String())
		default:
			return fmt.Errorf("want a list of strings or numbers")
		}
	}
	return nil
}

// Pair is a name with a value.
type Pair struct{ Name, Value string }

// Pairs are names with values, in JSON an object or a list of "NAME=VALUE".
type Pairs []Pair

// UnmarshalJSON reads the pairs; those of an object are sorted by name.
func (p *Pairs) UnmarshalJSON(b []byte) error {
	*p = nil
	var list []string
	if json.Unmarshal(b, &list) == nil {
		for _, s := range list {
			n, v, ok := strings.Cut(s, "=")
			if !ok {
				v = n
			}
			*p = append(*p, Pair{n, v})
		}
		return nil
	}
	var m map[string]any
	if json.Unmarshal(b, &m) != nil {
		return fmt.Errorf(`want an object or a list of "NAME=VALUE"`)
	}
	for n, v := range m {
		if v != nil { // null in VS Code's env means: not set
			*p = append(*p, Pair{n, fmt.Sprint(v)})
		}
	}
	sort.Slice(*p, func(i, j int) bool { return (*p)[i].Name < (*p)[j].Name })
	return nil
}

// MarshalJSON writes an object.
func (p Pairs) MarshalJSON() ([]byte, error) {
	m := make(map[string]string, len(p))
	for _, x := range p {
		m[x.Name] = x.Value
	}
	return json.Marshal(m)
}

// parseLaunch reads and checks a configuration. Unknown fields are ignored: editors add their own.
func parseLaunch(raw json.RawMessage) (*Launch, error) {
	l := &Launch{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, l); err != nil {
			if te, ok := err.(*json.UnmarshalTypeError); ok {
				return nil, fmt.Errorf("launch configuration: %q cannot be a %s", te.Field, te.Value)
			}
			return nil, fmt.Errorf("launch configuration: %v", err)
		}
	}
	if l.Program == "" {
		return nil, fmt.Errorf(`launch configuration: "program" is missing: the .wat, .wasm or .wast file to run`)
	}
	if l.MaxThreads <= 0 {
		l.MaxThreads = defaultMaxThreads
	}
	switch l.Disassembly {
	case "", "wat", "register":
	default:
		return nil, fmt.Errorf(`launch configuration: "disassembly" is %q; it can be wat or register`, l.Disassembly)
	}
	switch l.Console {
	case "", consoleInternal, consoleIntegrated, consoleExternal:
	default:
		return nil, fmt.Errorf(`launch configuration: "console" is %q; it can be %s, %s or %s`, l.Console, consoleInternal, consoleIntegrated, consoleExternal)
	}
	switch l.History {
	case "":
		l.History = "switches"
	case "off", "switches", "full":
	default:
		return nil, fmt.Errorf(`launch configuration: "history" is %q; it can be off, switches or full`, l.History)
	}
	if err := CheckHistory(l.HistoryEvents); err != nil {
		return nil, fmt.Errorf("launch configuration: %v", err)
	}
	if l.HistoryEvents == 0 {
		l.HistoryEvents = HistorySize
	}
	if _, err := l.law(); err != nil {
		return nil, err
	}
	return l, nil
}

// HistorySize is how many events of stacks are kept if nobody says otherwise.
const HistorySize = 10_000

// maxHistory bounds how many can be.
const maxHistory = 10_000_000

// CheckHistory checks how many events of stacks are to be kept.
func CheckHistory(n int) error {
	if n < 0 || n > maxHistory {
		return fmt.Errorf(`"historyEvents" is %d; it can be up to %d`, n, maxHistory)
	}
	return nil
}

func (l *Launch) law() (debug.Law, error) {
	switch l.Stepping {
	case "", "stack":
		return debug.ByStack, nil
	case "control":
		return debug.ByControl, nil
	}
	return 0, fmt.Errorf(`launch configuration: "stepping" is %q; it can be stack or control`, l.Stepping)
}

// defaultMaxThreads is how many stacks are listed as threads if a configuration does not say.
const defaultMaxThreads = 1000

// Where a program can run.
const (
	consoleInternal   = "internalConsole"
	consoleIntegrated = "integratedTerminal"
	consoleExternal   = "externalTerminal"
)

// flags gives the configuration as arguments of `wasm-dap run`.
func (l *Launch) flags() []string {
	var out []string
	add := func(name, value string) {
		if value != "" && value != "0" {
			out = append(out, "--"+name, value)
		}
	}
	add("invoke", l.Invoke)
	add("dialect", l.Dialect)
	for _, x := range l.Imports {
		add("import", x.Name+"="+x.Value)
	}
	for _, x := range l.Env {
		add("env", x.Name+"="+x.Value)
	}
	for _, x := range l.Dirs {
		add("dir", x.Value+"::"+x.Name)
	}
	add("fuel", fmt.Sprint(l.Limits.Fuel))
	add("max-memory", fmt.Sprint(l.Limits.MaxMemory))
	add("max-stacks", fmt.Sprint(l.Limits.MaxStacks))
	add("max-depth", fmt.Sprint(l.Limits.MaxDepth))
	switch {
	case l.History == "off":
		out = append(out, "--history-events", "0")
	case l.HistoryEvents != HistorySize:
		add("history-events", fmt.Sprint(l.HistoryEvents))
	}
	out = append(append(out, l.Program), l.Args...)
	if len(l.WasiArgs) > 0 {
		out = append(append(out, "--"), l.WasiArgs...)
	}
	return out
}
