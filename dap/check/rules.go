package check

// Rule names an invariant.
type Rule string

// The invariants. Strict ones are only checked if Options.Strict is set.
const (
	JSON               Rule = "json"
	SchemaRule         Rule = "schema"
	Seq                Rule = "seq"
	Answer             Rule = "answer"
	AnswerCommand      Rule = "answer-command"
	Unanswered         Rule = "unanswered"
	InitializeFirst    Rule = "initialize-first"
	InitializedOnce    Rule = "initialized-once"
	EndOnce            Rule = "end-once"
	AfterEnd           Rule = "after-end"
	StopWithoutResume  Rule = "stop-without-resume"
	StopBeforeResponse Rule = "stop-before-response"
	StoppedThread      Rule = "stopped-thread"
	ThreadPairs        Rule = "thread-pairs"
	ProgressPairs      Rule = "progress-pairs"
	ModulePairs        Rule = "module-pairs"
	DeadID             Rule = "dead-id"
	InspectRunning     Rule = "inspect-running"
	IDRange            Rule = "id-range"
	Count              Rule = "count"
	BreakpointIDs      Rule = "breakpoint-ids"
	ClientCapability   Rule = "client-capability"
	AdapterCapability  Rule = "adapter-capability"
	Cancelled          Rule = "cancelled"
	ReusedID           Rule = "reused-id"
	StrictEnd          Rule = "strict-end"
	StrictStop         Rule = "strict-stop"
)

// Doc reports what a rule asks.
type Doc struct {
	Rule   Rule
	Strict bool // checked only on request: the protocol allows what it forbids
	Text   string
}

// Rules returns all rules in the order in which they are documented.
func Rules() []Doc {
	return []Doc{
		{JSON, false, "a message is a JSON object with a type that exists"},
		{SchemaRule, false, "a message is valid by the schema of DAP 1.71"},
		{Seq, false, "the messages of each side are numbered 1, 2, 3 …"},
		{Answer, false, "a response answers a request that was sent and not answered before"},
		{AnswerCommand, false, "a response names the command of its request"},
		{Unanswered, false, "at the end no request is left without a response (but those sent after disconnect)"},
		{
			InitializeFirst, false,
			"the first request is initialize, is sent once, and the adapter sends nothing before its response",
		},
		{InitializedOnce, false, "the event initialized comes once, after the response to initialize"},
		{EndOnce, false, "terminated and exited come once in each run of the program"},
		{
			AfterEnd, false,
			"after terminated nothing reports a running program: no stopped, continued, process, initialized, no successful resume",
		},
		{
			StopWithoutResume, false,
			"stopped comes only if something may have run since the last one, or if a custom request was answered",
		},
		{StopBeforeResponse, false, "the response to a step, pause or goto comes before the stop it leads to"},
		{StoppedThread, false, "the thread that stopped is in the list of threads"},
		{ThreadPairs, false, "a thread starts once, exits once, and is not listed afterwards"},
		{ProgressPairs, false, "progressUpdate and progressEnd belong to a progressStart, and nothing follows progressEnd"},
		{ModulePairs, false, "modules and sources that are changed or removed were there"},
		{
			DeadID, false,
			"ids of frames and variables are valid only during the stop that they came from, and are refused afterwards",
		},
		{InspectRunning, false, "no stack trace, scopes or variables of a running program"},
		{IDRange, false, "ids are from 1 to 2³¹-1 (references to variables from 0)"},
		{Count, false, "as many breakpoints and instructions as requested, and at most as many frames, variables or bytes"},
		{BreakpointIDs, false, "an id names one breakpoint at a time; events and stops name breakpoints that exist"},
		{ClientCapability, false, "the adapter sends no event, request or field that the client did not declare"},
		{
			AdapterCapability, false,
			"the client sends no request that the adapter did not declare, and the adapter executes none",
		},
		{Cancelled, false, "a request is answered `cancelled` only if it was cancelled"},
		{ReusedID, true, "an id of a frame or of variables is never reused at another stop"},
		{StrictEnd, true, "after terminated come only exited and breakpoint"},
		{StrictStop, true, "stopped names a thread and reports that all threads stopped"},
	}
}
