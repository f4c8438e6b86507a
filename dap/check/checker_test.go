package check

import (
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
)

// begin is how every conversation of the table begins, unless it says so itself.
const begin = `
→ {"type":"request","command":"initialize","arguments":{"adapterID":"x","supportsVariableType":true,"supportsMemoryReferences":true}}
← {"type":"response","success":true,"command":"initialize","body":{"supportsConfigurationDoneRequest":true,"supportsSteppingGranularity":true,"supportsDisassembleRequest":true,"supportsReadMemoryRequest":true,"supportsCancelRequest":true,"supportsRestartRequest":true}}
← {"type":"event","event":"initialized"}
→ {"type":"request","command":"launch","arguments":{}}
← {"type":"response","success":true,"command":"launch"}
`

// stop is a first stop with a frame 1000 and its scope 2000.
const stop = `
← {"type":"event","event":"stopped","body":{"reason":"entry","threadId":1,"allThreadsStopped":true}}
→ {"type":"request","command":"threads"}
← {"type":"response","success":true,"command":"threads","body":{"threads":[{"id":1,"name":"a"}]}}
→ {"type":"request","command":"stackTrace","arguments":{"threadId":1}}
← {"type":"response","success":true,"command":"stackTrace","body":{"stackFrames":[{"id":1000,"name":"f","line":1,"column":1}],"totalFrames":1}}
→ {"type":"request","command":"scopes","arguments":{"frameId":1000}}
← {"type":"response","success":true,"command":"scopes","body":{"scopes":[{"name":"L","variablesReference":2000,"expensive":false}]}}
`

// step is a step and its stop.
const step = `
→ {"type":"request","command":"next","arguments":{"threadId":1}}
← {"type":"response","success":true,"command":"next"}
← {"type":"event","event":"stopped","body":{"reason":"step","threadId":1,"allThreadsStopped":true}}
`

const end = `
← {"type":"event","event":"exited","body":{"exitCode":0}}
← {"type":"event","event":"terminated"}
`

// req and res make a request with arguments and a response with a body.
func req(command, args string) string {
	return `→ {"type":"request","command":"` + command + `","arguments":` + args + "}\n"
}

func res(command, body string) string {
	return `← {"type":"response","success":true,"command":"` + command + `","body":` + body + "}\n"
}

func ev(event, body string) string {
	return `← {"type":"event","event":"` + event + `","body":` + body + "}\n"
}

// TestRules holds that each rule is silent about a right conversation and finds what breaks it.
func TestRules(t *testing.T) {
	o := Options{Schema: schema(t, true), Strict: true}
	vars := req(
		"variables", `{"variablesReference":2000}`,
	) + res(
		"variables",
		`{"variables":[{"name":"a","value":"1","type":"i32","memoryReference":"0","variablesReference":0}]}`,
	)
	bps := func(ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, `{"verified":true,"id":`+id+`}`)
		}
		return res("setBreakpoints", `{"breakpoints":[`+strings.Join(list, ",")+`]}`)
	}
	two := req("setBreakpoints", `{"source":{"path":"a"},"breakpoints":[{"line":1},{"line":2}]}`)
	tested := map[Rule]bool{}
	for _, c := range []struct {
		name, talk string
		want       []Rule // none: it is right
	}{
		{"a session", begin + two + bps("1", "2") + stop + vars + step + ev("breakpoint", `{"reason":"changed","breakpoint":{"id":1,"verified":true}}`) + end, nil},
		{"a second run", begin + stop + end + req("restart", `{}`) + res("restart", `{}`) + ev("stopped", `{"reason":"entry","threadId":1,"allThreadsStopped":true}`) + end, nil},
		{"two gotos at once", begin + ev("capabilities", `{"capabilities":{"supportsGotoTargetsRequest":true}}`) + stop + req("goto", `{"threadId":1,"targetId":1}`) + req("goto", `{"threadId":1,"targetId":1}`) + `← {"type":"response","request_seq":6,"success":true,"command":"goto"}` + "\n" + ev("stopped", `{"reason":"goto","threadId":1,"allThreadsStopped":true}`) + `← {"type":"response","request_seq":7,"success":false,"command":"goto","message":"gone"}`, nil},
		{"shown again before a pause is answered", begin + stop + req("x/show", `{}`) + res("x/show", `{}`) + req("pause", `{"threadId":1}`) + ev("stopped", `{"reason":"goto","threadId":1,"allThreadsStopped":true}`) + res("pause", `{}`) + vars, nil},
		{"a step asked for while a stop is on its way", begin + stop + req("next", `{"threadId":1}`) + res("next", `{}`) + req("next", `{"threadId":1}`) + ev("stopped", `{"reason":"breakpoint","threadId":1,"allThreadsStopped":true}`) + res("next", `{}`) + vars, []Rule{DeadID, DeadID, InspectRunning}},
		{"shown again", begin + stop + req("x/show", `{}`) + res("x/show", `{}`) + ev("stopped", `{"reason":"pause","threadId":1,"allThreadsStopped":true}`) + vars, nil},
		{"cancelled", begin + stop + req("variables", `{"variablesReference":2000}`) + req("cancel", `{"requestId":6}`) + `← {"type":"response","success":false,"message":"cancelled","command":"variables"}` + "\n" + res("cancel", `{}`), nil},
		{"refused with a dead id", begin + stop + step + req("scopes", `{"frameId":1000}`) + `← {"type":"response","success":false,"message":"no frame","command":"scopes"}`, []Rule{DeadID}},
		{"threads come and go", begin + ev("thread", `{"reason":"started","threadId":1}`) + ev("thread", `{"reason":"exited","threadId":1}`) + ev("thread", `{"reason":"started","threadId":1}`), nil},
		{"modules come and go", begin + ev("module", `{"reason":"new","module":{"id":1,"name":"a"}}`) + ev("module", `{"reason":"changed","module":{"id":1,"name":"a"}}`) + ev("module", `{"reason":"removed","module":{"id":1,"name":"a"}}`), nil},

		{"no JSON", begin + `← {"type":"event","event":3}`, []Rule{JSON}},
		{"no type", begin + `← {"type":"note"}`, []Rule{JSON}},
		{"an event of the client", begin + `→ {"type":"event","event":"initialized"}`, []Rule{JSON}},
		{"a missing field", begin + ev("output", `{"category":"stdout"}`), []Rule{SchemaRule}},
		{"an unknown field", begin + ev("output", `{"output":"","colour":1}`), []Rule{SchemaRule}},
		{"a wrong number", begin + `← {"seq":9,"type":"event","event":"output","body":{"output":""}}`, []Rule{Seq}},
		{"two responses", begin + req("threads", `{}`) + strings.Repeat(res("threads", `{"threads":[]}`), 2), []Rule{Answer}},
		{"an answer to nothing", begin + res("threads", `{"threads":[]}`), []Rule{Answer}},
		{"an answer to something else", begin + `→ {"seq":3,"type":"request","command":"threads"}` + "\n" + `← {"seq":4,"type":"response","request_seq":3,"success":true,"command":"pause"}`, []Rule{AnswerCommand}},
		{"no answer", begin + req("threads", `{}`), []Rule{Unanswered}},
		{"no answer after disconnect", begin + req("disconnect", `{}`) + res("disconnect", `{}`) + req("threads", `{}`), nil},
		{"another request first", req("launch", `{}`) + res("launch", `{}`), []Rule{InitializeFirst}},
		{"initialize again", begin + req("initialize", `{"adapterID":"x"}`) + `← {"type":"response","success":false,"message":"again","command":"initialize"}`, []Rule{InitializeFirst}},
		{"an event first", `← {"type":"event","event":"output","body":{"output":""}}`, []Rule{InitializeFirst}},
		{"initialized twice", begin + `← {"type":"event","event":"initialized"}`, []Rule{InitializedOnce}},
		{"terminated twice", begin + end + `← {"type":"event","event":"terminated"}`, []Rule{EndOnce}},
		{"exited twice", begin + end + ev("exited", `{"exitCode":0}`), []Rule{EndOnce}},
		{"stopped after terminated", begin + end + ev("stopped", `{"reason":"pause","threadId":1,"allThreadsStopped":true}`), []Rule{AfterEnd}},
		{"a step after terminated", begin + end + req("next", `{"threadId":1}`) + res("next", `{}`), []Rule{AfterEnd}},
		{"stopped twice", begin + stop + ev("stopped", `{"reason":"pause","threadId":1,"allThreadsStopped":true}`), []Rule{StopWithoutResume}},
		{"stopped before the response", begin + stop + req("next", `{"threadId":1}`) + ev("stopped", `{"reason":"step","threadId":1,"allThreadsStopped":true}`) + res("next", `{}`), []Rule{StopBeforeResponse}},
		{"a stopped thread that is not listed", begin + ev("stopped", `{"reason":"entry","threadId":3,"allThreadsStopped":true}`) + req("threads", `{}`) + res("threads", `{"threads":[{"id":1,"name":"a"}]}`), []Rule{StoppedThread}},
		{"a stop that a custom request showed, on its way when the program goes on", begin + stop + req("x/show", `{}`) + res("x/show", `{}`) + req("continue", `{"threadId":1}`) + ev("stopped", `{"reason":"pause","threadId":3,"allThreadsStopped":true}`) + res("continue", `{}`) + req("threads", `{}`) + res("threads", `{"threads":[{"id":1,"name":"a"}]}`), nil},
		{"started twice", begin + strings.Repeat(ev("thread", `{"reason":"started","threadId":1}`), 2), []Rule{ThreadPairs}},
		{"exited thread again", begin + strings.Repeat(ev("thread", `{"reason":"exited","threadId":1}`), 2), []Rule{ThreadPairs}},
		{"a listed thread that exited", begin + stop + ev("thread", `{"reason":"exited","threadId":4}`) + req("threads", `{}`) + res("threads", `{"threads":[{"id":1,"name":"a"},{"id":4,"name":"a"}]}`), []Rule{ThreadPairs}},
		{"progress of nothing", strings.Replace(begin, `"adapterID"`, `"supportsProgressReporting":true,"adapterID"`, 1) + ev("progressEnd", `{"progressId":"a"}`), []Rule{ProgressPairs}},
		{"a removed module that never was", begin + ev("module", `{"reason":"removed","module":{"id":1,"name":"a"}}`), []Rule{ModulePairs}},
		{"a removed source that never was", begin + ev("loadedSource", `{"reason":"removed","source":{"path":"a"}}`), []Rule{ModulePairs}},
		{"a dead frame", begin + stop + step + req("scopes", `{"frameId":1000}`) + res("scopes", `{"scopes":[]}`), []Rule{DeadID, DeadID}},
		{"dead variables", begin + stop + step + req("variables", `{"variablesReference":2000}`) + res("variables", `{"variables":[]}`), []Rule{DeadID, DeadID}},
		{"a frame that never was", begin + stop + req("evaluate", `{"expression":"1","frameId":7}`) + res("evaluate", `{"result":"1","variablesReference":0}`), []Rule{DeadID, DeadID}},
		{"a stack of a program that runs", begin + stop + req("continue", `{"threadId":1}`) + res("continue", `{}`) + req("stackTrace", `{"threadId":1}`) + res("stackTrace", `{"stackFrames":[{"id":7,"name":"f","line":1,"column":1}]}`), []Rule{InspectRunning}},
		{"a frame without an id", begin + stop + req("stackTrace", `{"threadId":1}`) + res("stackTrace", `{"stackFrames":[{"id":0,"name":"f","line":1,"column":1}]}`), []Rule{IDRange}},
		{"a thread of 64 bits", begin + ev("thread", `{"reason":"started","threadId":4294967296}`), []Rule{IDRange}},
		{"too many frames", begin + stop + req("stackTrace", `{"threadId":1,"levels":1}`) + res("stackTrace", `{"stackFrames":[{"id":7,"name":"f","line":1,"column":1},{"id":8,"name":"f","line":1,"column":1}]}`), []Rule{Count}},
		{"too few in all", begin + stop + req("stackTrace", `{"threadId":1}`) + res("stackTrace", `{"totalFrames":1,"stackFrames":[{"id":7,"name":"f","line":1,"column":1},{"id":8,"name":"f","line":1,"column":1}]}`), []Rule{Count}},
		{"too many variables", begin + stop + req("variables", `{"variablesReference":2000,"filter":"indexed","count":1}`) + res("variables", `{"variables":[{"name":"a","value":"1","variablesReference":0},{"name":"b","value":"1","variablesReference":0}]}`), []Rule{Count}},
		{"too few instructions", begin + stop + req("disassemble", `{"memoryReference":"0","instructionCount":2}`) + res("disassemble", `{"instructions":[]}`), []Rule{Count}},
		{"too many bytes", begin + stop + req("readMemory", `{"memoryReference":"0","count":2}`) + res("readMemory", `{"address":"0","data":"AAAAAAAA"}`), []Rule{Count}},
		{"too few breakpoints", begin + two + bps("1"), []Rule{Count}},
		{"one id for two breakpoints", begin + two + bps("1", "1"), []Rule{BreakpointIDs}},
		{"an event of no breakpoint", begin + ev("breakpoint", `{"reason":"changed","breakpoint":{"id":7,"verified":true}}`), []Rule{BreakpointIDs}},
		{"a hit of no breakpoint", begin + ev("stopped", `{"reason":"breakpoint","threadId":1,"allThreadsStopped":true,"hitBreakpointIds":[7]}`), []Rule{BreakpointIDs}},
		{"an event that was not declared", begin + ev("invalidated", `{}`) + ev("memory", `{"memoryReference":"0","offset":0,"count":1}`) + ev("progressStart", `{"progressId":"a","title":"a"}`), []Rule{ClientCapability, ClientCapability, ClientCapability}},
		{"a field that was not declared", strings.Replace(begin, `,"supportsMemoryReferences":true`, "", 1) + stop + vars, []Rule{ClientCapability}},
		{"a type that was not declared", strings.Replace(begin, `,"supportsVariableType":true`, "", 1) + stop + vars, []Rule{ClientCapability}},
		{"a reverse request that was not declared", begin + `← {"type":"request","command":"runInTerminal","arguments":{"cwd":"","args":[]}}`, []Rule{ClientCapability}},
		{"a request that is not offered", begin + stop + req("stepBack", `{"threadId":1}`) + res("stepBack", `{}`), []Rule{AdapterCapability, AdapterCapability}},
		{"an argument that is not offered", begin + stop + req("next", `{"threadId":1,"singleThread":true}`) + res("next", `{}`), []Rule{AdapterCapability}},
		{"a capability that comes later", begin + stop + ev("capabilities", `{"capabilities":{"supportsStepBack":true}}`) + req("stepBack", `{"threadId":1}`) + res("stepBack", `{}`), nil},
		{"cancelled by nobody", begin + req("threads", `{}`) + `← {"type":"response","success":false,"message":"cancelled","command":"threads"}`, []Rule{Cancelled}},
		{"an id again", begin + stop + step + req("stackTrace", `{"threadId":1}`) + res("stackTrace", `{"stackFrames":[{"id":1000,"name":"f","line":1,"column":1}]}`), []Rule{ReusedID}},
		{"output after terminated", begin + end + ev("output", `{"output":"x"}`), []Rule{StrictEnd}},
		{"a stop of one thread", begin + ev("stopped", `{"reason":"entry","threadId":1}`), []Rule{StrictStop}},
	} {
		entries, err := ReadTranscript(strings.NewReader(c.talk))
		if err != nil && !(len(c.want) == 1 && c.want[0] == JSON) {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err != nil {
			// What cannot be read from a transcript comes as it is.
			k := New(o)
			if p := k.Message(Adapter, []byte(`{"seq":1,"type":"event","event":3}`)); len(p) != 1 || p[0].Rule != JSON {
				t.Errorf("%s: %v", c.name, p)
			}
			tested[JSON] = true
			continue
		}
		var got []Rule
		problems := Transcript(entries, o, slices.Contains(c.want, Unanswered) || strings.Contains(c.name, "answer"))
		for _, p := range problems {
			got = append(got, p.Rule)
			tested[p.Rule] = true
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, problems, c.want)
		}
		// A rule that is ignored, or narrower than the protocol, is silent.
		lax := Options{Schema: o.Schema, Ignore: map[Rule]bool{}}
		for _, r := range c.want {
			lax.Ignore[r] = true
		}
		if p := Transcript(entries, lax, true); len(c.want) > 0 &&
			slices.ContainsFunc(p, func(p Problem) bool { return slices.Contains(c.want, p.Rule) }) {
			t.Errorf("%s: ignored rules speak: %v", c.name, p)
		}
	}
	for _, d := range Rules() {
		if !tested[d.Rule] {
			t.Errorf("no conversation breaks the rule %s", d.Rule)
		}
		if d.Text == "" {
			t.Errorf("%s has no text", d.Rule)
		}
	}
}

// TestProxy carries a conversation both ways without changing a byte.
func TestProxy(t *testing.T) {
	c1, c2 := net.Pipe()
	a1, a2 := net.Pipe()
	var seen bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- Proxy(c2, a1, func(from Side, raw []byte) { Write(&seen, from, raw) }) }()
	up := "X-Header: 1\r\ncontent-length: 8\r\n\r\n{\"a\": 1}"
	down := "Content-Length: 2\r\n\r\n{}"
	got := make([]byte, len(up))
	go c1.Write([]byte(up))
	if _, err := io.ReadFull(a2, got); err != nil || string(got) != up {
		t.Fatalf("%q, %v", got, err)
	}
	go a2.Write([]byte(down))
	got = make([]byte, len(down))
	if _, err := io.ReadFull(c1, got); err != nil || string(got) != down {
		t.Fatalf("%q, %v", got, err)
	}
	a2.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if want := "→ {\"a\":1}\n← {}\n"; seen.String() != want {
		t.Errorf("%q", seen.String())
	}
	for _, bad := range []string{"nonsense\r\n\r\n", "A: b\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 9\r\n\r\n{}"} {
		c1, c2 := net.Pipe()
		a1, a2 := net.Pipe()
		go func() {
			a2.Write([]byte(bad))
			a2.Close()
		}()
		if err := Proxy(c2, a1, func(Side, []byte) {}); err == nil {
			t.Errorf("%q is carried", bad)
		}
		c1.Close()
	}
}

// TestMarks reads the marks of several logs.
func TestMarks(t *testing.T) {
	e, err := ReadTranscript(
		strings.NewReader(`2026-01-01 debug layer=dap [<- from client]{"seq":1,"type":"request","command":"threads"}
a line of something else
2026-01-01 debug layer=dap [-> to client]{"seq":1,"type":"response","request_seq":1,"success":true,"command":"threads"}
--> {"seq":2,"type":"request","command":"pause"}
`),
	)
	if err != nil || len(e) != 3 || e[0].From != Client || e[1].From != Adapter || e[2].From != Client {
		t.Errorf("%v, %v", e, err)
	}
}
