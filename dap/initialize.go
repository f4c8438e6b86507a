package dap

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	godap "github.com/google/go-dap"

	"stackscope/internal/loopback"
)

func (s *session) onInitialize(a *initializeArguments) (any, error) {
	if s.phase != phaseNew {
		return nil, errors.New("initialize was sent before")
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
	s.phase = phaseInitialized
	loopback.Established(s.end)
	return serverCapabilities(), nil
}

// selects reports whether the client selects the range of a frame in its editor where the program
// stops. In VS Code the next key that is pressed would replace the statement, so its frames have no
// end.
func (c *clientInfo) selects() bool {
	id := strings.ToLower(c.id)
	return strings.HasPrefix(id, "vscod") || id == "code-server" || id == "codium"
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
			ExceptionBreakpointFilters:        exceptionFilters(),
			SupportsExceptionFilterOptions:    true,
			SupportsStepInTargetsRequest:      true,
			SupportsTerminateThreadsRequest:   true,
			AdditionalModuleColumns: []godap.ColumnDescriptor{
				{AttributeName: "dialect", Label: "Dialect", Type: "string"},
				{AttributeName: "functions", Label: "Functions", Type: "number"},
				{AttributeName: "tags", Label: "Tags", Type: "number"},
			},
			SupportedChecksumAlgorithms:           []godap.ChecksumAlgorithm{checksumAlgorithm},
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

// noteCancel remembers a cancellation as soon as it is read: the request may still be in the queue.
func (s *session) noteCancel(m *Message) {
	var a godap.CancelArguments
	if unmarshal(m.Arguments, &a) != nil || a.RequestId == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.RequestId == s.current {
		s.interrupt()
		return
	}
	if len(s.cancelled) >= maxCancelled { // ids of requests that were answered, or never come
		clear(s.cancelled)
	}
	s.cancelled[a.RequestId] = true
}

// maxCancelled bounds how many cancellations are remembered.
const maxCancelled = 1000

// leaveTime is how long requests may take that were sent before the client went.
const leaveTime = time.Second

// noteLeaving records that the client goes, or its connection: nobody waits any more for what takes
// long.
func (s *session) noteLeaving() { time.AfterFunc(leaveTime, s.abandon) }

// begin makes a request the one that is being executed. It reports whether it is still wanted.
func (s *session) begin(m *Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	unwanted := s.cancelled[m.Seq]
	delete(s.cancelled, m.Seq)
	s.current = m.Seq
	s.ctx, s.interrupt = context.WithCancel(s.life)
	return !unwanted
}

// finished ends the execution of a request.
func (s *session) finished() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupt()
	s.current = 0
}

// onCancel answers: what could be cancelled was.
func (s *session) onCancel(a *godap.CancelArguments) (any, error) {
	s.mu.Lock()
	delete(s.cancelled, a.RequestId)
	s.mu.Unlock()
	return nil, nil
}
