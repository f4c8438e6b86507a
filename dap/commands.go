package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// handler answers a request.
type handler func(m *Message) (body any, err error)

// handle makes a handler of a function with typed arguments.
func handle[A any](f func(*A) (any, error)) handler {
	return func(m *Message) (any, error) {
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
		return f(a)
	}
}

// Requests returns the names of the requests that a server answers, sorted.
func Requests() []string { return slices.Sorted(maps.Keys(new(session).handlers())) }

// handlers returns the table of requests.
func (s *session) handlers() map[string]handler {
	return map[string]handler{
		"initialize":                s.onInitialize,
		"launch":                    s.onLaunch,
		"attach":                    s.onAttach,
		"configurationDone":         handle(s.onConfigurationDone),
		"restart":                   handle(s.onRestart),
		"terminate":                 handle(s.onTerminate),
		"disconnect":                handle(s.onDisconnect),
		"cancel":                    handle(s.cancels.onCancel),
		"setBreakpoints":            handle(s.breaks.onSetBreakpoints),
		"setFunctionBreakpoints":    handle(s.breaks.onSetFunctionBreakpoints),
		"setExceptionBreakpoints":   handle(s.breaks.onSetExceptionBreakpoints),
		"dataBreakpointInfo":        handle(s.data.onDataBreakpointInfo),
		"setDataBreakpoints":        handle(s.data.onSetDataBreakpoints),
		"gotoTargets":               handle(s.moves.onGotoTargets),
		"goto":                      handle(s.moves.onGoto),
		"restartFrame":              handle(s.moves.onRestartFrame),
		"breakpointLocations":       handle(s.breaks.onBreakpointLocations),
		"continue":                  handle(s.steps.onContinue),
		"next":                      handle(s.steps.onNext),
		"stepIn":                    handle(s.steps.onStepIn),
		"stepOut":                   handle(s.steps.onStepOut),
		"pause":                     handle(s.steps.onPause),
		"threads":                   handle(s.threads.onThreads),
		"stackTrace":                handle(s.threads.onStackTrace),
		"scopes":                    handle(s.vars.onScopes),
		"variables":                 handle(s.vars.onVariables),
		"stepInTargets":             handle(s.steps.onStepInTargets),
		"terminateThreads":          handle(s.ends.onTerminateThreads),
		"disassemble":               handle(s.code.onDisassemble),
		"setInstructionBreakpoints": handle(s.breaks.onSetInstructionBreakpoints),
		"setVariable":               handle(s.vars.onSetVariable),
		"setExpression":             handle(s.vars.onSetExpression),
		"evaluate":                  handle(s.eval.onEvaluate),
		"completions":               handle(s.eval.onCompletions),
		"exceptionInfo":             handle(s.steps.onExceptionInfo),
		"readMemory":                handle(s.mem.onReadMemory),
		"writeMemory":               handle(s.mem.onWriteMemory),
		"source":                    handle(s.src.onSource),
		"loadedSources":             handle(s.src.onLoadedSources),
		"modules":                   handle(s.src.onModules),
		"locations":                 handle(s.vars.onLocations),
		"stackscope/stacks":         handle(s.threads.onStacks),
		"stackscope/cancel":         handle(s.ends.onCancelStack),
		"stackscope/focus":          handle(s.threads.onFocus),
	}
}
