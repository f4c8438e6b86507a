package check

import (
	"strings"
	"testing"
)

func schema(t testing.TB, closed bool) *Schema {
	t.Helper()
	p, err := FindSchema()
	if err != nil {
		t.Fatal(err)
	}
	s, err := LoadSchema(p, closed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchema holds that the schema is that of DAP 1.71, and that it finds mistakes.
func TestSchema(t *testing.T) {
	s := schema(t, true)
	if r, e := s.Commands(); r != 45 || e != 17 {
		t.Errorf("%d requests and %d events; DAP 1.71 has 45 and 17", r, e)
	}
	lax := schema(t, false)
	for _, c := range []struct{ message, want, lax string }{
		{`{"seq":1,"type":"request","command":"next","arguments":{"threadId":1,"granularity":"line"}}`, "", ""},
		{`{"seq":1,"type":"request","command":"next"}`, "missing property 'arguments'", "missing property 'arguments'"},
		{`{"seq":1,"type":"request","command":"next","arguments":{}}`, "at '/arguments': missing property 'threadId'", "threadId"},
		{`{"seq":1,"type":"request","command":"next","arguments":{"threadId":1.5}}`, "/arguments/threadId", "threadId"},
		{`{"seq":1,"type":"request","command":"next","arguments":{"threadId":1,"granularity":"page"}}`, "/arguments/granularity", "granularity"},
		{`{"seq":1,"type":"request","command":"next","arguments":{"threadId":1,"thread":1}}`, "additional properties 'thread'", ""},
		{`{"seq":1,"type":"request","command":"launch","arguments":{"program":"a.wat"}}`, "", ""},
		{`{"seq":1,"type":"request","command":"restart","arguments":{"arguments":{"program":"a.wat"}}}`, "", ""},
		{`{"seq":1,"type":"request","command":"restart","arguments":{"arguments":3}}`, "/arguments/arguments", "/arguments/arguments"},
		{`{"seq":1,"type":"request","command":"x/own","arguments":7}`, "", ""},
		{`{"seq":1,"type":"request","command":"locations","arguments":{"locationReference":7}}`, "", ""},
		{`{"seq":1,"type":"request","command":"locations","arguments":{}}`, "locationReference", "locationReference"},
		{`{"seq":1,"type":"response","request_seq":1,"success":true,"command":"locations","body":{"line":3}}`, "source", "source"},
		{`{"seq":1,"type":"response","request_seq":1,"success":true,"command":"threads","body":{"threads":[{"id":1,"name":"a"}]}}`, "", ""},
		{`{"seq":1,"type":"response","request_seq":1,"success":true,"command":"threads"}`, "body", "body"},
		{`{"seq":1,"type":"response","request_seq":1,"success":true,"command":"threads","body":{"threads":[{"id":"1","name":"a"}]}}`, "/body/threads/0/id", "id"},
		{`{"seq":1,"type":"response","request_seq":1,"success":true,"command":"stackTrace","body":{"stackFrames":[{"id":1,"name":"a","line":1,"column":1,"presentationHint":"bold"}]}}`, "presentationHint", "presentationHint"},
		{`{"seq":1,"type":"response","request_seq":1,"success":false,"command":"threads","message":"no"}`, "", ""},
		{`{"seq":1,"type":"response","request_seq":1,"success":false,"command":"threads","body":{"error":{"id":1}}}`, "format", "format"},
		{`{"seq":1,"type":"response","request_seq":1,"success":true,"command":"variables","body":{"variables":[{"name":"a","value":"1","variablesReference":0,"valueLocationReference":2}]}}`, "", ""},
		{`{"seq":1,"type":"response","request_seq":1,"success":true,"command":"initialize","body":{"supportsANSIStyling":true,"breakpointModes":[{"mode":"a","label":"A","appliesTo":["source"]}]}}`, "", ""},
		{`{"seq":1,"type":"response","request_seq":1,"success":true,"command":"initialize","body":{"breakpointModes":[{"mode":"a"}]}}`, "label", "label"},
		{`{"seq":1,"type":"event","event":"stopped","body":{"reason":"step"}}`, "", ""},
		{`{"seq":1,"type":"event","event":"stopped","body":{"threadId":1}}`, "reason", "reason"},
		{`{"seq":1,"type":"event","event":"stopped"}`, "body", "body"},
		{`{"seq":1,"type":"event","event":"output","body":{"output":"x","locationReference":1}}`, "", ""},
		{`{"seq":"1","type":"event","event":"initialized"}`, "json", "json"},
	} {
		for _, k := range []struct {
			s    *Schema
			want string
		}{{s, c.want}, {lax, c.lax}} {
			err := k.s.Validate([]byte(c.message))
			if (err == nil) != (k.want == "") || err != nil && !strings.Contains(err.Error(), k.want) {
				t.Errorf("%s\ngot  %v\nwant %q", c.message, err, k.want)
			}
		}
	}
}
