package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"

	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
)

// Launch is a launch configuration: `"type": "wasm", "request": "launch"`. settings.go describes
// what the tags mean.
type Launch struct {
	Program string `json:"program" required:"true"`
	// export to call; default: _start, main, or the only one
	Invoke string `json:"invoke,omitempty"`
	// as on the command line: 42, i64:42, f32:nan, ref.null
	Args Strings `json:"args,omitempty"`
	// Drive is the drive script that calls the exports, instead of Invoke.
	Drive string `json:"drive,omitempty"`
	// Promising are the exports whose calls can wait for promises.
	Promising Strings `json:"promising,omitempty"`
	// Suspending are the imports, MODULE.NAME, whose calls wait for the promise that they return.
	Suspending Strings `json:"suspending,omitempty"`
	// of modules that do not declare one
	Dialect string `json:"dialect,omitempty" one:"cont stacks fibers-mount fibers-handle tasks none"`
	// NAME=FILE: modules to link
	Imports Pairs  `json:"imports,omitempty"`
	Env     Pairs  `json:"env,omitempty"`
	Dirs    Dirs   `json:"dirs,omitempty"` // GUEST=HOST directories for WASI; HOST alone is HOST=HOST
	Cwd     string `json:"cwd,omitempty"`  // relative paths start here
	// Line is the line of a command of a script: the commands before it run without a stop, and the
	// program ends after it. 0: all commands.
	Line        int  `json:"line,omitempty"`
	StopOnEntry bool `json:"stopOnEntry,omitempty"`
	// StopUnlessBreakpoint stops on entry if no breakpoint that the client has set can stop the
	// program.
	StopUnlessBreakpoint bool `json:"stopUnlessBreakpoint,omitempty" own:"true"`

	NoDebug    bool   `json:"noDebug,omitempty"`
	Limits     Limits `json:"limits,omitzero"`
	MaxThreads int    `json:"maxThreads,omitempty"`                      // default 1000
	History    string `json:"history,omitempty" one:"off switches full"` // default switches
	// HistoryEvents is how many events of stacks are kept; default 10,000, at most 10,000,000 (48
	// bytes each).
	HistoryEvents int     `json:"historyEvents,omitempty" max:"10000000"`
	Stepping      string  `json:"stepping,omitempty" one:"stack control"` // default stack
	Trace         bool    `json:"trace,omitempty"`                        // every event of a stack as console output
	WasiArgs      Strings `json:"wasiArgs,omitempty"`                     // the program's own arguments, for WASI
	// CancelTag is the tag of the exception that terminateThreads throws into continuations; "":
	// they are released.
	CancelTag string `json:"cancelTag,omitempty"`
	Stdin     string `json:"stdin,omitempty"`     // what the program reads from standard input
	StdinFile string `json:"stdinFile,omitempty"` // or the file with it
	// Console is where the program runs; default internalConsole.
	Console string `json:"console,omitempty" one:"internalConsole integratedTerminal externalTerminal"`
	// ChildSessions begins a session of its own for each file with a module that is linked.
	ChildSessions bool `json:"childSessions,omitempty"`
	// Context ends loading early; nil: nothing does.
	Context context.Context `json:"-"`
	// Module is the file that an attached session is about; "": all.
	Module string `json:"-"`
	// Attached reports that it stands for an attach configuration.
	Attached bool `json:"-"`
	// Disassembly is what the disassembly shows besides the instructions: nothing (wat, default),
	// or the fused operations that they became (fused; register is its old name).
	Disassembly string `json:"disassembly,omitempty" one:"wat fused" old:"register"`
	// PrintedURIs: the client shows the printed text of a binary module under `wasm-text:` and its
	// path with `.wat`, and wants such URIs as the paths of sources instead of references.
	PrintedURIs bool `json:"printedUris,omitempty" own:"true"`

	// SourceMap and SubstitutePath say where the files are whose paths the compiler recorded: paths
	// that begin with From begin with To here. Those of SourceMap are tried first.
	SourceMap      Rules         `json:"sourceMap,omitempty"`
	SubstitutePath Substitutions `json:"substitutePath,omitempty"`
	// SourcePaths are directories in which relative paths are looked for.
	SourcePaths Paths `json:"sourcePaths,omitempty"`
	// SkipFiles are globs of sources, `<runtime>` and such with `!` before them: see
	// debugger.Program.
	SkipFiles Paths `json:"skipFiles,omitempty"`
	// Printers are files with printers of library types.
	Printers Paths `json:"printers,omitempty"`
	// Host is who offers imports, besides the host: FILE, or NAME=FILE.
	Host Paths `json:"host,omitempty"`
	// View is the text that frames are shown in first; default source.
	View string `json:"view,omitempty" one:"source wat"`

	Warnings []string `json:"-"` // what in the configuration is unknown
}

// Attach is an attach configuration: `"type": "wasm", "request": "attach"`.
type Attach struct {
	// address of a running `wasm-dap run --listen`; for an adapter that has no program of its own
	Connect    string `json:"connect" required:"true"`
	MaxThreads int    `json:"maxThreads"` // as in a launch configuration
	CancelTag  string `json:"cancelTag"`
	// StopOnEntry stops a program that waits for its first session before its first instruction.
	StopOnEntry bool   `json:"stopOnEntry"`
	Module      string `json:"module" own:"true"` // show only stacks whose function is in this file

	SourceMap      Rules         `json:"sourceMap"` // as in a launch configuration
	SubstitutePath Substitutions `json:"substitutePath"`
	SourcePaths    Paths         `json:"sourcePaths"`
	SkipFiles      Paths         `json:"skipFiles"` // nil: as the program was run
	View           string        `json:"view" one:"source wat"`
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

// Paths is a list of strings, in JSON also a single one, which may have spaces.
type Paths []string

// UnmarshalJSON reads the list.
func (p *Paths) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*p = Paths{one}
		return nil
	}
	var list []string
	if json.Unmarshal(b, &list) != nil {
		return errors.New("want a list of strings")
	}
	*p = list
	return nil
}

// Rule replaces the beginning of a path that a compiler recorded, From, by To.
type Rule struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// ParseRule reads FROM=TO, as it is typed on a command line.
func ParseRule(s string) (Rule, error) {
	from, to, ok := strings.Cut(s, "=")
	if !ok || from == "" {
		return Rule{}, fmt.Errorf("want FROM=TO, not %q", s)
	}
	return Rule{from, to}, nil
}

// Rules are replacements of the beginnings of paths, in the order in which they are tried. In JSON
// they are an object from prefix to prefix, a list of {"from": …, "to": …}, of pairs, or of
// "FROM=TO".
type Rules []Rule

// UnmarshalJSON reads the rules; those of an object keep their order.
func (r *Rules) UnmarshalJSON(b []byte) error {
	want := errors.New(`want an object from prefix to prefix, or a list of {"from": …, "to": …}`)
	*r = nil
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		d := json.NewDecoder(bytes.NewReader(b))
		_, _ = d.Token()
		for d.More() {
			from, err := d.Token()
			if err != nil {
				return want
			}
			x := Rule{From: from.(string)}
			if d.Decode(&x.To) != nil {
				return fmt.Errorf("the value of %q is no string", x.From)
			}
			*r = append(*r, x)
		}
		return r.check()
	}
	var list []json.RawMessage
	if json.Unmarshal(b, &list) != nil {
		return want
	}
	for _, raw := range list {
		var x Rule
		var text string
		var pair []string
		switch {
		case json.Unmarshal(raw, &text) == nil:
			var err error
			if x, err = ParseRule(text); err != nil {
				return err
			}
		case json.Unmarshal(raw, &pair) == nil && len(pair) == 2:
			x = Rule{pair[0], pair[1]}
		case !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) || json.Unmarshal(raw, &x) != nil:
			return want
		}
		*r = append(*r, x)
	}
	return r.check()
}

// Substitutions are rules that are written as a list.
type Substitutions Rules

// UnmarshalJSON reads the rules, in each form that Rules have.
func (s *Substitutions) UnmarshalJSON(b []byte) error { return (*Rules)(s).UnmarshalJSON(b) }

// PathRules returns the rules of both settings, in the order in which they are tried.
func (l *Launch) PathRules() []Rule { return slices.Concat(l.SourceMap, Rules(l.SubstitutePath)) }

// check refuses rules that would match every path.
func (r Rules) check() error {
	for _, x := range r {
		if x.From == "" {
			return errors.New(`a prefix is empty: "sourcePaths" names directories for relative paths`)
		}
	}
	return nil
}

// Pair is a name with a value.
type Pair struct{ Name, Value string }

// Pairs are names with values, in JSON an object or a list of "NAME=VALUE".
type Pairs []Pair

// UnmarshalJSON reads the pairs; those of an object are sorted by name.
func (p *Pairs) UnmarshalJSON(b []byte) (err error) {
	*p, err = readPairs(b, false)
	return err
}

// MarshalJSON writes an object.
func (p Pairs) MarshalJSON() ([]byte, error) { return writePairs(p) }

// Dirs are the directories of a program under the names that it uses, in JSON an object or
// a list of "GUEST=HOST" and "HOST", which means HOST=HOST.
type Dirs []Pair

// UnmarshalJSON reads the directories; those of an object are sorted by name.
func (p *Dirs) UnmarshalJSON(b []byte) (err error) {
	*p, err = readPairs(b, true)
	return err
}

// MarshalJSON writes an object.
func (p Dirs) MarshalJSON() ([]byte, error) { return writePairs(p) }

// readPairs reads names with values. plain reports whether a name alone is its value too.
func readPairs(b []byte, plain bool) (out []Pair, err error) {
	want := errors.New(`want an object or a list of "NAME=VALUE"`)
	var list []string
	if json.Unmarshal(b, &list) == nil {
		for _, s := range list {
			n, v, ok := strings.Cut(s, "=")
			if !ok {
				v = n
			}
			if n == "" || !ok && !plain {
				return nil, fmt.Errorf(`%w, not %q`, want, s)
			}
			out = append(out, Pair{n, v})
		}
		return out, nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(b, &m) != nil {
		return nil, want
	}
	for n, raw := range m {
		var text string
		switch {
		case n == "":
			return nil, errors.New("a name is empty")
		case string(raw) == "null": // in VS Code's env that means: not set
			continue
		case json.Unmarshal(raw, &text) == nil:
		case raw[0] == '{' || raw[0] == '[':
			return nil, fmt.Errorf("the value of %q is %.60s; want a string", n, raw)
		default: // a number, true or false
			text = string(raw)
		}
		out = append(out, Pair{n, text})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

func writePairs(p []Pair) ([]byte, error) {
	m := make(map[string]string, len(p))
	for _, x := range p {
		m[x.Name] = x.Value
	}
	return json.Marshal(m)
}

// How messages name a configuration.
const (
	LaunchName = "launch configuration"
	AttachName = "attach configuration"
)

// ParseLaunch reads and checks a configuration. What is unknown is left out: see warnings.
func ParseLaunch(raw json.RawMessage) (*Launch, error) {
	l := &Launch{}
	var err error
	if l.Warnings, err = readConfig(raw, l, LaunchName); err != nil {
		return nil, err
	}
	switch {
	case l.Program == "":
		text := LaunchName + `: "program" is missing: name the .wat, .wasm or .wast file to run`
		for _, w := range l.Warnings {
			text += strings.Replace(w, LaunchName+":", ";", 1)
		}
		return nil, errors.New(text)
	case l.Drive != "" && (l.Invoke != "" || len(l.Args) > 0):
		return nil, fmt.Errorf(
			`%s: "drive" cannot be set together with "invoke" and "args": the script calls the exports`, LaunchName,
		)
	case l.Stdin != "" && l.StdinFile != "":
		return nil, fmt.Errorf(`%s: "stdin" and "stdinFile" cannot both be set`, LaunchName)
	case l.Cwd != "":
		if info, err := os.Stat(l.Cwd); err != nil || !info.IsDir() {
			return nil, fmt.Errorf(`%s: "cwd" is %q, which is not a directory`, LaunchName, l.Cwd)
		}
	}
	if _, err := symbols.NewSkip(l.SkipFiles); err != nil {
		return nil, fmt.Errorf(`%s: "skipFiles": %w`, LaunchName, err)
	}
	if l.MaxThreads == 0 {
		l.MaxThreads = DefaultMaxThreads
	}
	if l.History == "" {
		l.History = "switches"
	}
	if l.HistoryEvents == 0 {
		l.HistoryEvents = HistorySize
	}
	return l, nil
}

// ParseAttach reads and checks an attach configuration. The warnings name what is unknown.
func ParseAttach(raw json.RawMessage) (a *Attach, warnings []string, err error) {
	a = &Attach{}
	if warnings, err = readConfig(raw, a, AttachName); err != nil {
		return nil, nil, err
	}
	if _, err := symbols.NewSkip(a.SkipFiles); err != nil {
		return nil, nil, fmt.Errorf(`%s: "skipFiles": %w`, AttachName, err)
	}
	return a, warnings, nil
}

// HistorySize is how many stack events are kept by default.
const HistorySize = 10_000

// maxHistory bounds how many can be.
const maxHistory = 10_000_000

// CheckHistory checks how many events of stacks are to be kept.
func CheckHistory(n int) error {
	if n < 0 || n > maxHistory {
		return fmt.Errorf(`"historyEvents" is %d; the maximum is %d`, n, maxHistory)
	}
	return nil
}

// Law returns the step semantics that the configuration asks for.
func (l *Launch) Law() debugger.StepSemantics {
	if l.Stepping == "control" {
		return debugger.ByControl
	}
	return debugger.ByStack
}

// DefaultMaxThreads is how many stacks are listed as threads by default.
const DefaultMaxThreads = 1000

// Where a program can run.
const (
	ConsoleInternal   = "internalConsole"
	ConsoleIntegrated = "integratedTerminal"
	ConsoleExternal   = "externalTerminal"
)

// Flags returns the configuration as arguments of `wasm-dap run`.
func (l *Launch) Flags() []string {
	var out []string
	add := func(name, value string) {
		if value != "" && value != "0" {
			out = append(out, "--"+name, value)
		}
	}
	add("invoke", l.Invoke)
	add("dialect", l.Dialect)
	add("drive", l.Drive)
	for _, x := range l.Promising {
		add("promising", x)
	}
	for _, x := range l.Suspending {
		add("suspending", x)
	}
	for _, x := range l.Imports {
		add("import", x.Name+"="+x.Value)
	}
	for _, x := range l.Host {
		add("host", x)
	}
	for _, x := range l.Env {
		add("env", x.Name+"="+x.Value)
	}
	for _, x := range l.Dirs {
		add("dir", x.Value+"::"+x.Name)
	}
	for _, x := range l.PathRules() {
		add("source-map", x.From+"="+x.To)
	}
	for _, x := range l.SourcePaths {
		add("source-path", x)
	}
	for _, x := range l.SkipFiles {
		add("skip", x)
	}
	for _, x := range l.Printers {
		add("printers", x)
	}
	add("view", l.View)
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
