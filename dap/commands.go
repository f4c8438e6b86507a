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
		"stackscope/view":           handle(s.threads.onView),
	}
}

// CustomRequest describes a request that the Debug Adapter Protocol does not have.
// docs/reference/requests.md is generated from it.
type CustomRequest struct {
	Name        string
	Description string // one sentence
	Arguments   []Field
	Result      []Field // of the response's body
}

// Field is a member of a JSON object.
type Field struct {
	Name        string
	Type        string // as JSON Schema names it; `T[]` is an array of T
	Description string
	Sub         []Field // of an object, or of the objects of an array
}

// CustomRequests lists the custom requests, by name. There are no custom events.
func CustomRequests() []CustomRequest {
	site := []Field{
		{"func", "string", "the function", nil},
		{"file", "string", "the file; see `sources` for what a client can open", nil},
		{"line", "integer", "from 1", nil},
		{"col", "integer", "from 1, in characters", nil},
		{"offset", "integer", "from 0, in bytes; left out for printed text", nil},
		{"text", "string", "the mnemonic of the instruction", nil},
	}
	end := []Field{
		{"kind", "string", "`returned`, `retired`, `released`, `threw`, `trapped`, `exited` or `ended` (by the debugger)", nil},
		{"by", "integer", "the stack that released it, or that trapped", nil},
		{"with", "integer", "the stack at the head of the segment that ended together with it", nil},
		{"at", "object", "the instruction that ended it", site},
		{"tag", "string", "the event that it retired with, or the tag of the exception", nil},
		{"skipped", "object[]", "the tries whose catch clauses were skipped: it was not unwound", site},
		{"more", "integer", "number of tries that `skipped` leaves out", nil},
		{"text", "string", "the same in words", nil},
	}
	unlisted := []Field{
		{"what", "string", "what the stacks have in common", nil},
		{"count", "integer", "number of stacks", nil},
	}
	stack := []Field{
		{"id", "integer", "the thread id", nil},
		{"name", "string", "number and function: `#3 $generator`", nil},
		{"title", "string", "the name and what the stack is doing", nil},
		{"state", "string", "`new`, `suspended`, `running`, `waiting` or `moribund`", nil},
		{"doing", "string", "what it is doing, in the words of its design", nil},
		{"details", "string[]", "its parent, holders and creator, in the words of its design", nil},
		{"dialect", "string", "the stack-switching dialect that created it", nil},
		{"rooted", "boolean", "it was made for a call from the host", nil},
		{"function", "string", "the function of the innermost frame", nil},
		{"tag", "string", "the tag that it suspended with", nil},
		{"at", "object", "where it is", site},
		{"frames", "integer", "number of frames", nil},
		{"resumes", "integer", "how often it was resumed, mounted or switched to", nil},
		{"resumedBy", "integer", "its parent: the stack that waits for it", nil},
		{"resumedAt", "object", "where its parent waits", nil},
		{"switchedBy", "integer", "the stack that switched to it", nil},
		{"switchedAt", "object", "where that stack switched to it", nil},
		{"switchedTo", "integer", "the stack that it switched to", nil},
		{"createdBy", "integer", "the stack that created it", nil},
		{"createdAt", "object", "where it was created", nil},
		{"heldBy", "object[]", "what holds a reference to it", nil},
		{"end", "object", "how it ended, if it has and that is known", end},
		{"pending", "object", "the event that has arrived and that it has not taken yet", []Field{
			{"tag", "string", "the tag", nil},
			{"values", "string[]", "the payload, as constants of the text format", nil},
		}},
		{"awaits", "string", "the promise that it waits for", nil},
		{"managedBy", "integer", "the stack that manages it", nil},
		{"manages", "integer", "with `by`: number of stacks that it manages", nil},
		{"queue", "object", "where it stands in line", []Field{
			{"in", "string", "the line: `table $queue`", nil},
			{"position", "integer", "from 1", nil},
			{"of", "integer", "number of stacks in the line", nil},
		}},
		{"unlisted", "object[]", "with `by`: what it manages and is left out", unlisted},
		{"modules", "object[]", "the modules whose frames it holds, captured, if there are several", []Field{
			{"module", "string", "`$name`, or the name that others import it under", nil},
			{"frames", "integer", "number of frames", nil},
		}},
		{"children", "object[]", "the stacks that it waits for", nil},
		{"childCount", "integer", "number of its children where `children` is left out", nil},
	}
	return []CustomRequest{
		{
			Name: "stackscope/cancel",
			Description: "Ends a suspended stack: throws a tag into its continuation, " +
				"or releases it without running anything.",
			Arguments: []Field{
				{"threadId", "integer", "the stack", nil},
				{"tag", "string", "the tag of the exception; default: the launch setting `cancelTag`, else release", nil},
				{"values", "string[]", "the values of the tag", nil},
			},
		},
		{
			Name:        "stackscope/focus",
			Description: "Shows a stack: the adapter sends `stopped` for it without running anything.",
			Arguments:   []Field{{"threadId", "integer", "the stack", nil}},
		},
		{
			Name:        "stackscope/stacks",
			Description: "Returns the tree of stacks, a flat page of the stacks that match a filter, or counts by group.",
			Arguments: []Field{
				{"max", "integer", "maximum number of stacks; default: the launch setting `maxThreads`", nil},
				{"start", "integer", "number of stacks to skip; in a tree, of those outside the running chain", nil},
				{"cursor", "integer", "where to continue: `next` of the previous answer", nil},
				{"exact", "boolean", "look at all stacks, however long that takes; default: only with `group`", nil},
				{"holders", "boolean", "find what holds each stack; default true", nil},
				{"ended", "boolean", "also list the stacks that have ended; default: with the first page of the tree", nil},
				{"roots", "boolean", "filter: stacks that no other stack waits for", nil},
				{"children", "integer", "filter: stacks that this stack waits for", nil},
				{"state", "string", "filter: `new`, `suspended`, `running` or `waiting`", nil},
				{"tag", "string", "filter: suspended with this tag", nil},
				{"function", "string", "filter: the function of the innermost frame", nil},
				{"site", "string", "filter: `file:line`, or a line", nil},
				{"text", "string", "filter: part of the title", nil},
				{"group", "string", "count by `state`, `tag`, `function` or `site`", nil},
				{"by", "string", "`scheduler`: a tree in which each stack is below the one that manages it", nil},
			},
			Result: []Field{
				{"running", "integer", "the running stack", nil},
				{"stacks", "object[]", "the stacks", stack},
				{"omitted", "integer", "number of stacks beyond the limit", nil},
				{"unlisted", "object[]", "with `by`: of those, what nobody manages", unlisted},
				{"finished", "integer", "number of finished stacks", nil},
				{"ended", "object[]", "the stacks that have ended and that something still refers to: see `heldBy`", nil},
				{"endedPartial", "boolean", "not everything was looked at: there may be more of these", nil},
				{"groups", "object[]", "with `group`: the counts, the largest first", []Field{
					{"key", "string", "what the stacks have in common", nil},
					{"count", "integer", "number of stacks", nil},
					{"first", "integer", "one of them", nil},
				}},
				{"sources", "object", "the source that a client can open, by the file name of a site", nil},
				{"total", "integer", "number of stacks that match", nil},
				{"partial", "boolean", "only some stacks were looked at: `total` and `groups` count those", nil},
				{"alive", "integer", "if partial: upper bound for the number of live stacks", nil},
				{"next", "integer", "if partial: the cursor of the next page", nil},
			},
		},
		{
			Name: "stackscope/view",
			Description: "Shows compiled functions in the text format or in their source: those of all frames, " +
				"or the function of one. The adapter sends `invalidated` with the area `stacks`.",
			Arguments: []Field{
				{"view", "string", "`source` or `wat`; default: the other one", nil},
				{"frameId", "integer", "the frame of the function; default: all functions", nil},
			},
			Result: []Field{
				{"view", "string", "the view that is shown now", nil},
				{"function", "string", "the function; left out for all", nil},
			},
		},
	}
}
