package dap_test

import (
	"stackscope/dap"
	"stackscope/internal/launch"
	"testing"

	godap "github.com/google/go-dap"
)

// TestControlEventFilters stops at control events, narrowed by tag, stack and function.
func TestControlEventFilters(t *testing.T) {
	for _, x := range []struct{ filter, cond, want string }{
		{"create", "", "exception #1 test.wat:22 create: create of a continuation for $gen in #1 main"},
		{"resume", "", "exception #1 test.wat:27 resume: resume of #2 $gen by #1 main"},
		{"resume", "#2 and function $main", "exception #1 test.wat:27 resume: resume of #2 $gen by #1 main"},
		{"resume", "tag $yield", "exception #1 test.wat:27 resume: resume of #2 $gen by #1 main"},
		{"resume", "stack 3", "terminated"},
		{"suspend", "tag == $yield, stack == 2", "exception #2 test.wat:8 suspend: suspend of $yield in #2 $gen"},
		{"suspend", "$yield, function 0", "exception #2 test.wat:8 suspend: suspend of $yield in #2 $gen"},
		{"suspend", "function $main", "terminated"},
		{"finish", "function $gen", "exception #1 test.wat:28 finish: finish of #2 $gen"},
		{"finish", "stack 1", "terminated"},
		{"switch", "", "terminated"},
		{"throw", "", "terminated"},
	} {
		c := connect(t, dap.Config{})
		if bad := c.filtered(
			"test.wat", godap.ExceptionFilterOptions{FilterId: x.filter, Condition: x.cond},
		); bad != nil {
			t.Error(bad)
		}
		got := c.stopped()
		if got != "terminated" {
			var i godap.ExceptionInfoResponseBody
			c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
			got += " " + i.ExceptionId + ": " + i.Description
		}
		if got != x.want {
			t.Errorf("%s %q: %s", x.filter, x.cond, got)
		}
	}
	c := connect(t, dap.Config{})
	bad := c.filtered(
		"test.wat",
		godap.ExceptionFilterOptions{FilterId: "create", Condition: "tag $x"},
		godap.ExceptionFilterOptions{FilterId: "nothing"},
		godap.ExceptionFilterOptions{FilterId: "suspend", Condition: "when it rains"},
		godap.ExceptionFilterOptions{
			FilterId: "suspend", Condition: "$other",
		},
		godap.ExceptionFilterOptions{FilterId: "resume", Condition: "in $nowhere"},
	)
	if len(bad) != 5 || bad[3] != "no module has a tag $other" || bad[4] != "no module has a function $nowhere" {
		t.Error(bad)
	}
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

// TestConsumedAndThrowFilters stops at the use of a consumed reference, and before a throw that is
// caught.
func TestConsumedAndThrowFilters(t *testing.T) {
	p := wat(t, twice)
	c := connect(t, dap.Config{Load: launch.Load})
	c.filtered(
		p, godap.ExceptionFilterOptions{FilterId: "consumed"},
		godap.ExceptionFilterOptions{FilterId: "throw", Condition: "tag $e"},
	)
	if got := c.stopped(); got != "exception #1 prog.wat:6" {
		t.Error(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "exception #1 prog.wat:8" {
		t.Error(got)
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
	if want := "continuation already consumed\nit was to stack #2 $nop, which was resumed at prog.wat:7 by stack #1"; i.Description != want {
		t.Error(i.Description)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}
