package check

// The schema that go-dap 0.12.0 carries is that of DAP 1.65 or so. This file has what was added
// since, up to 1.71, as small pieces of JSON schema written from the text of the specification.

// additions returns new properties by the name of the definition. A definition of a message is
// named by its part: `evaluate.body`, `output.event`, `locations.arguments`.
func additions() map[string]map[string]any {
	str, num, boolean := typ("string"), typ("integer"), typ("boolean")
	location := map[string]any{"valueLocationReference": num}
	return map[string]map[string]any{
		"Capabilities": {
			"supportsDataBreakpointBytes": boolean,
			"supportsANSIStyling":         boolean,
			"breakpointModes":             map[string]any{"type": "array", "items": ref("BreakpointMode")},
		},
		"InitializeRequestArguments":     {"supportsANSIStyling": boolean},
		"SourceBreakpoint":               {"mode": str},
		"InstructionBreakpoint":          {"mode": str},
		"ExceptionFilterOptions":         {"mode": str},
		"DataBreakpointInfoArguments":    {"bytes": num, "asAddress": boolean, "mode": str},
		"Breakpoint":                     {"reason": enum("pending", "failed")},
		"DisassembledInstruction":        {"presentationHint": enum("normal", "invalid")},
		"Variable":                       {"declarationLocationReference": num, "valueLocationReference": num},
		"EvaluateArguments":              {"line": num, "column": num, "source": ref("Source")},
		"StartDebuggingRequestArguments": {"outputPresentation": str},
		"evaluate.body":                  location,
		"setVariable.body":               {"memoryReference": str, "valueLocationReference": num},
		"setExpression.body":             {"memoryReference": str, "valueLocationReference": num},
		"output.event":                   {"locationReference": num},
	}
}

// definitions returns new types.
func definitions() map[string]any {
	str, num := typ("string"), typ("integer")
	return map[string]any{
		"BreakpointMode": map[string]any{
			"type": "object",
			"properties": map[string]any{
				"mode": str, "label": str, "description": str,
				// The list of values is open: source, exception, data, instruction.
				"appliesTo": map[string]any{"type": "array", "items": str},
			},
			"required": []any{"mode", "label", "appliesTo"},
		},
		"locations.arguments": map[string]any{
			"type":       "object",
			"properties": map[string]any{"locationReference": num},
			"required":   []any{"locationReference"},
		},
		"locations.body": map[string]any{
			"type":       "object",
			"properties": map[string]any{"source": ref("Source"), "line": num, "column": num, "endLine": num, "endColumn": num},
			"required":   []any{"source", "line"},
		},
	}
}

// open reports whether a definition allows adapters to add fields of their own.
func open(name string) bool {
	switch name {
	case "LaunchRequestArguments", "AttachRequestArguments", "Module":
		return true
	}
	return false
}

func typ(name string) any { return map[string]any{"type": name} }

func ref(name string) any { return map[string]any{"$ref": "#/definitions/" + name} }

func enum(values ...any) any { return map[string]any{"type": "string", "enum": values} }
