package dap

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/analysis/source"
	"stackscope/internal/loopback"
	engine "stackscope/vm/debugger"
)

// clientInfo is what the client declared in initialize, and the conversions to the positions and
// paths that it understands.
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

// line returns a 0-based line as the client counts.
func (c *clientInfo) line(n int) int {
	if c.line0 {
		return n
	}
	return n + 1
}

// col returns a 0-based column as the client counts.
func (c *clientInfo) col(n int) int {
	if c.col0 {
		return n
	}
	return n + 1
}

// fromLine and fromCol are the ways back.
func (c *clientInfo) fromLine(n int) int {
	if c.line0 {
		return n
	}
	return n - 1
}

func (c *clientInfo) fromCol(n int) int {
	if c.col0 {
		return n
	}
	return n - 1
}

// path returns a path in the client's form.
func (c *clientInfo) path(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	if c.uri {
		p = filepath.ToSlash(p)
		if !strings.HasPrefix(p, "/") {
			p = "/" + p
		}
		return (&url.URL{Scheme: "file", Path: p}).String()
	}
	return p
}

// position returns a place as the client counts: columns in UTF-16 units.
func (c *clientInfo) position(f *engine.Source, off int) (line, col int) {
	p := f.Position(off, source.UTF16)
	return c.line(p.Line), c.col(p.Col)
}

// selects reports whether the client selects the range of a frame in its editor where the program
// stops. In VS Code the next key that is pressed would replace the statement, so its frames have no
// end.
func (c *clientInfo) selects() bool {
	id := strings.ToLower(c.id)
	return strings.HasPrefix(id, "vscod") || id == "code-server" || id == "codium"
}

func (s *session) onInitialize(m *Message) (any, error) {
	s.initRaw = m.Arguments
	return handle(s.initialize)(m)
}

func (s *session) initialize(a *initializeArguments) (any, error) {
	if s.prog.phase != phaseNew {
		return nil, errors.New("initialize was already sent")
	}
	switch a.PathFormat {
	case "", "path":
	case "uri":
		s.client.uri = true
	default:
		return nil, userError{fmt.Errorf("path format %q is not supported: use path or uri", a.PathFormat)}
	}
	s.client.line0 = a.LinesStartAt1 != nil && !*a.LinesStartAt1
	s.client.col0 = a.ColumnsStartAt1 != nil && !*a.ColumnsStartAt1
	s.client.types = a.SupportsVariableType
	s.client.paging = a.SupportsVariablePaging
	s.client.memoryRefs = a.SupportsMemoryReferences
	s.client.invalidated = a.SupportsInvalidatedEvent
	s.client.memoryEvent = a.SupportsMemoryEvent
	s.client.ansi = a.SupportsANSIStyling
	s.client.progress = a.SupportsProgressReporting
	s.client.children = a.SupportsStartDebuggingRequest
	s.client.terminal = a.SupportsRunInTerminalRequest
	s.client.id = a.ClientID
	s.prog.phase = phaseInitialized
	loopback.Established(s.end)
	return serverCapabilities(), nil
}

// serverCapabilities reports what is offered. A flag that is on works, and has a test.
func serverCapabilities() capabilities {
	return capabilities{
		SupportsANSIStyling:         true,
		SupportsDataBreakpointBytes: true,
		BreakpointModes:             breakpointModes(),
		Capabilities: godap.Capabilities{
			SupportsConfigurationDoneRequest:  true,
			SupportsFunctionBreakpoints:       true,
			SupportsConditionalBreakpoints:    true,
			SupportsHitConditionalBreakpoints: true,
			SupportsEvaluateForHovers:         true,
			ExceptionBreakpointFilters:        exceptionFilters(nil),
			SupportsExceptionFilterOptions:    true,
			SupportsStepInTargetsRequest:      true,
			SupportsTerminateThreadsRequest:   true,
			AdditionalModuleColumns: []godap.ColumnDescriptor{
				{AttributeName: "dialect", Label: "Dialect", Type: "string"},
				{AttributeName: "functions", Label: "Functions", Type: "number"},
				{AttributeName: "tags", Label: "Tags", Type: "number"},
			},
			SupportedChecksumAlgorithms:           []godap.ChecksumAlgorithm{checksumAlgorithm, "MD5"},
			SupportsDisassembleRequest:            true,
			SupportsInstructionBreakpoints:        true,
			SupportsSetVariable:                   true,
			SupportsDataBreakpoints:               true,
			SupportsRestartFrame:                  true,
			SupportsGotoTargetsRequest:            true,
			SupportsCompletionsRequest:            true,
			CompletionTriggerCharacters:           []string{"$", "("},
			SupportsModulesRequest:                true,
			SupportsRestartRequest:                true,
			SupportsValueFormattingOptions:        true,
			SupportsExceptionInfoRequest:          true,
			SupportsDelayedStackTraceLoading:      true,
			SupportsLoadedSourcesRequest:          true,
			SupportsLogPoints:                     true,
			SupportsSetExpression:                 true,
			SupportsTerminateRequest:              true,
			SupportsReadMemoryRequest:             true,
			SupportsWriteMemoryRequest:            true,
			SupportsCancelRequest:                 true,
			SupportsBreakpointLocationsRequest:    true,
			SupportsClipboardContext:              true,
			SupportsSteppingGranularity:           true,
			SupportsSingleThreadExecutionRequests: true,
		},
	}
}
