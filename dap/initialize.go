package dap

import (
	"errors"
	"fmt"

	godap "github.com/google/go-dap"
)

func (s *session) onInitialize(a *initializeArguments) (any, error) {
	if s.initialized {
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
	s.initialized = true
	return serverCapabilities(), nil
}

// serverCapabilities says what is offered. A flag that is on works, and has a test.
func serverCapabilities() capabilities {
	return capabilities{SupportsANSIStyling: true, SupportsDataBreakpointBytes: true, BreakpointModes: breakpointModes(), Capabilities: godap.Capabilities{
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
	}}
}

// noteCancel remembers a cancellation as soon as it is read: the request may still be in the queue.
func (s *session) noteCancel(m *Message) {
	var a godap.CancelArguments
	if unmarshal(m.Arguments, &a) != nil || a.RequestId == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.cancelled) < 1000 { // ids of requests that never come
		s.cancelled[a.RequestId] = true
	}
}

// unwanted gives what tells whether the request that is being executed was cancelled. It may be called
// from any goroutine.
func (s *session) unwanted() func() bool {
	seq := s.current
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.cancelled[seq]
	}
}

// onCancel answers: what could be cancelled was.
func (s *session) onCancel(a *godap.CancelArguments) (any, error) {
	s.mu.Lock()
	delete(s.cancelled, a.RequestId)
	s.mu.Unlock()
	return nil, nil
}
