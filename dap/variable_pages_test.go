package dap_test

import (
	"stackscope/dap"
	"stackscope/internal/launch"
	"testing"

	godap "github.com/google/go-dap"
)

// TestVariablePages asks for pages of many children that no client should, and sees what a client
// has to be told to show a memory's views.
func TestVariablePages(t *testing.T) {
	c, f := kindsSession(t)
	var e godap.EvaluateResponseBody
	c.must("evaluate", godap.EvaluateArguments{Expression: "$arr", FrameId: f, Context: "watch"}, &e)
	if e.IndexedVariables != 1_000_000 || e.NamedVariables != 0 {
		t.Errorf("%+v", e)
	}
	const huge = 1<<63 - 1
	for _, x := range []struct {
		filter               string
		start, count, expect int
	}{
		{"indexed", 999_990, 100, 10}, {"indexed", 999_990, huge, 10}, {"indexed", huge, huge, 0}, {"indexed", -5, 10, 10}, {"indexed", 0, 0, 1000},
		{"indexed", 500, 100, 100}, {"named", 0, 0, 0}, {"", 0, 3, 3}, {"", 1 << 40, 3, 0},
	} {
		var vs godap.VariablesResponseBody
		args := map[string]any{"variablesReference": e.VariablesReference, "start": x.start, "count": x.count}
		if x.filter != "" {
			args["filter"] = x.filter
		}
		c.must("variables", args, &vs)
		if len(vs.Variables) != x.expect {
			t.Errorf("%+v: %d", x, len(vs.Variables))
		}
	}
	c.must("evaluate", godap.EvaluateArguments{Expression: "memory $m", FrameId: f, Context: "watch"}, &e)
	var vs godap.VariablesResponseBody
	c.must("variables", map[string]any{"variablesReference": e.VariablesReference, "filter": "named"}, &vs)
	if e.NamedVariables != len(vs.Variables) || e.NamedVariables == 0 || e.IndexedVariables != 4096 {
		t.Errorf("%+v, and %d named", e, len(vs.Variables))
	}
	var st godap.StackTraceResponseBody
	c.must("stackTrace", map[string]any{"threadId": c.last.ThreadId, "startFrame": 0, "levels": huge}, &st)
	if len(st.StackFrames) != st.TotalFrames {
		t.Errorf("%+v", st)
	}
}

// TestVariablesWithoutPaging reads a large array without paging: the first elements, and how many
// there are more.
func TestVariablesWithoutPaging(t *testing.T) {
	p := wat(t, kinds)
	c := connect(t, dap.Config{Load: launch.Load})
	c.must("initialize", map[string]any{"adapterID": "wasm"}, nil)
	c.must("launch", map[string]any{"program": p, "args": []int{3}}, nil)
	c.await("initialized", nil)
	c.breakpoints(p, lineOf(t, p, "(i32.add (i32.const 40)"))
	c.must("configurationDone", nil, nil)
	c.stopped()
	var e godap.EvaluateResponseBody
	c.must("evaluate", godap.EvaluateArguments{Expression: "$arr", Context: "watch"}, &e)
	vs := c.children(e.VariablesReference)
	if n := len(vs); n != 1001 || vs[999].Name != "[999]" || vs[1000].Name != "…" ||
		vs[1000].Value != "999000 more: read each by its index" {
		t.Errorf("%d: %+v", n, vs[n-1])
	}
	c.must("evaluate", godap.EvaluateArguments{Expression: "$by", Context: "watch"}, &e)
	if vs := c.children(e.VariablesReference); len(vs) != 3 {
		t.Errorf("%+v", vs)
	}
}
