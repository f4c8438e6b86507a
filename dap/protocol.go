package dap

import (
	"encoding/json"

	godap "github.com/google/go-dap"
)

// This file holds what go-dap v0.12.0 lacks of DAP 1.71, or loses on the wire because a zero value
// is omitted. Structures embed go-dap's and shadow the fields in question.

// initializeArguments has defaults that a plain bool cannot distinguish from false.
type initializeArguments struct {
	godap.InitializeRequestArguments
	LinesStartAt1       *bool `json:"linesStartAt1"`
	ColumnsStartAt1     *bool `json:"columnsStartAt1"`
	SupportsANSIStyling bool  `json:"supportsANSIStyling,omitempty"`
}

// capabilities adds what is newer than go-dap.
type capabilities struct {
	godap.Capabilities
	SupportsANSIStyling         bool             `json:"supportsANSIStyling,omitempty"`
	SupportsDataBreakpointBytes bool             `json:"supportsDataBreakpointBytes,omitempty"`
	BreakpointModes             []breakpointMode `json:"breakpointModes,omitempty"`
}

// breakpointMode is a mode that a breakpoint can be set in.
type breakpointMode struct {
	Mode        string   `json:"mode"`
	Label       string   `json:"label"`
	Description string   `json:"description,omitempty"`
	AppliesTo   []string `json:"appliesTo"`
}

// sourceBreakpoint, functionBreakpoint and instructionBreakpoint add the mode.
type sourceBreakpoint struct {
	godap.SourceBreakpoint
	Mode string `json:"mode,omitempty"`
}

type instructionBreakpoint struct {
	godap.InstructionBreakpoint
	Mode string `json:"mode,omitempty"`
}

type setBreakpointsArguments struct {
	Source      godap.Source       `json:"source"`
	Breakpoints []sourceBreakpoint `json:"breakpoints,omitempty"`
	Lines       []int              `json:"lines,omitempty"`
}

type setInstructionBreakpointsArguments struct {
	Breakpoints []instructionBreakpoint `json:"breakpoints"`
}

// stackFrame can say that it cannot be restarted.
type stackFrame struct {
	godap.StackFrame
	CanRestart *bool `json:"canRestart,omitempty"`
}

type stackTraceBody struct {
	StackFrames []stackFrame `json:"stackFrames"`
	TotalFrames int          `json:"totalFrames"`
}

// continuedBody reports what a plain false would lose.
type continuedBody struct {
	ThreadID            int  `json:"threadId"`
	AllThreadsContinued bool `json:"allThreadsContinued"`
}

type continueResponseBody struct {
	AllThreadsContinued bool `json:"allThreadsContinued"`
}

// breakpoint has the reason why it is not verified.
type breakpoint struct {
	godap.Breakpoint
	Reason string `json:"reason,omitempty"`
}

type breakpointsBody struct {
	Breakpoints []breakpoint `json:"breakpoints"`
}

type breakpointEventBody struct {
	Reason     string     `json:"reason"`
	Breakpoint breakpoint `json:"breakpoint"`
}

// variable can point to where its value comes from.
type variable struct {
	godap.Variable
	DeclarationLocationReference int `json:"declarationLocationReference,omitempty"`
	ValueLocationReference       int `json:"valueLocationReference,omitempty"`
}

type variablesBody struct {
	Variables []variable `json:"variables"`
}

type evaluateBody struct {
	godap.EvaluateResponseBody
	ValueLocationReference int `json:"valueLocationReference,omitempty"`
}

// setVariableBody has the memory reference.
type setVariableBody struct {
	Value                  string `json:"value"`
	Type                   string `json:"type,omitempty"`
	VariablesReference     int    `json:"variablesReference"`
	NamedVariables         int    `json:"namedVariables,omitempty"`
	IndexedVariables       int    `json:"indexedVariables,omitempty"`
	MemoryReference        string `json:"memoryReference,omitempty"`
	ValueLocationReference int    `json:"valueLocationReference,omitempty"`
}

type locationsArguments struct {
	LocationReference int `json:"locationReference"`
}

type locationsBody struct {
	Source    *godap.Source `json:"source"`
	Line      int           `json:"line"`
	Column    int           `json:"column,omitempty"`
	EndLine   int           `json:"endLine,omitempty"`
	EndColumn int           `json:"endColumn,omitempty"`
}

// restartArguments carries the launch configuration again.
type restartArguments struct {
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// exitedBody is written even if the code is zero.
type exitedBody struct {
	ExitCode int `json:"exitCode"`
}

type outputBody struct {
	godap.OutputEventBody
	LocationReference int `json:"locationReference,omitempty"`
}

// focusArguments are those of the custom request stackscope/focus.
type focusArguments struct {
	ThreadID int `json:"threadId"`
}

// disassembleArguments are decoded leniently: clients send a negative offset too.
type disassembleArguments struct {
	MemoryReference   string `json:"memoryReference"`
	Offset            int    `json:"offset"`
	InstructionOffset int    `json:"instructionOffset"`
	InstructionCount  int    `json:"instructionCount"`
	ResolveSymbols    bool   `json:"resolveSymbols"`
}

// disassembled can say that there is no instruction.
type disassembled struct {
	godap.DisassembledInstruction
	PresentationHint string `json:"presentationHint,omitempty"`
}

type disassembleBody struct {
	Instructions []disassembled `json:"instructions"`
}

// module has the additional columns.
type module struct {
	godap.Module
	Dialect   string `json:"dialect,omitempty"`
	Functions int    `json:"functions"`
	Tags      int    `json:"tags"`
}

type moduleEventBody struct {
	Reason string `json:"reason"`
	Module module `json:"module"`
}

type modulesBody struct {
	Modules      []module `json:"modules"`
	TotalModules int      `json:"totalModules"`
}
