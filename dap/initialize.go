package dap

import (
	"errors"
	"fmt"

	godap "github.com/google/go-dap"

	"stackscope/internal/loopback"
)

func (s *session) onInitialize(m *Message) (any, error) {
	s.initRaw = m.Arguments
	return handle(s.initialize)(m)
}

func (s *session) initialize(a *initializeArguments) (any, error) {
	if s.prog.phase != phaseNew {
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
