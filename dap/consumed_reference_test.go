package dap_test

import (
	"stackscope/dap"
	"stackscope/internal/launch"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestConsumerOfLiveResumption names who used up a reference, as long as the resumption that did
// lasts.
func TestConsumerOfLiveResumption(t *testing.T) {
	p := wat(
		t,
		`(module (type $f (func)) (type $c (cont $f)) (global $k (mut (ref null $c)) (ref.null $c)) (elem declare func $task)
  (func $task
    (resume $c (global.get $k)))
  (func (export "main")
    (global.set $k (cont.new $c (ref.func $task)))
    (resume $c (global.get $k))))`,
	)
	c := connect(t, dap.Config{Load: launch.Load})
	if got := c.start(map[string]any{"program": p, "history": "off"}); got != "exception #2 prog.wat:3" {
		t.Fatal(got)
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 2}, &i)
	if want := "continuation already consumed\nit was to stack #2 $task, which was resumed at prog.wat:6 by stack #1"; i.Description != want {
		t.Error(i.Description)
	}
}

// TestConsumerLostFromHistory reports what is known of who used up a reference when the history has
// lost it.
func TestConsumerLostFromHistory(t *testing.T) {
	p := wat(t, `(module (type $f (func)) (type $c (cont $f)) (tag $y) (elem declare func $task)
  (func $task (loop $l (suspend $y) (br $l)))
  (func (export "main") (param $n i32) (local $old (ref null $c)) (local $k (ref null $c))
    (local.set $old (cont.new $c (ref.func $task)))
    (local.set $k (local.get $old))
    (loop $again
      (local.set $k (block $on (result (ref $c)) (resume $c (on $y $on) (local.get $k)) (unreachable)))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (resume $c (local.get $old))))`)
	for _, x := range []struct {
		launch map[string]any
		want   string
	}{
		{map[string]any{"args": []int{3}}, "it was to stack #2 $task, which was resumed at prog.wat:7 by stack #1"},
		{map[string]any{"args": []int{30}, "historyEvents": 16}, `it was to stack #2 $task; what consumed it is unknown: that was before the last 16 stack events ("historyEvents" in the launch configuration keeps more); since then that stack was used 29 times`},
		{map[string]any{"args": []int{30}, "historyEvents": 100}, "it was to stack #2 $task, which was resumed at prog.wat:7 by stack #1"},
		{map[string]any{"args": []int{1}, "history": "off"}, `it was to stack #2 $task; what consumed it is unknown: no history is kept ("history" is off); it was the last use of that stack`},
	} {
		c := connect(t, dap.Config{Load: launch.Load})
		x.launch["program"] = p
		if got := c.start(x.launch); got != "exception #1 prog.wat:9" {
			t.Fatal(got)
		}
		var i godap.ExceptionInfoResponseBody
		c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
		if want := "continuation already consumed\n" + x.want; i.Description != want {
			t.Errorf("%v: %s", x.launch, i.Description)
		}
	}
	// What an evaluation has used up is not in the history.
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "args": []int{1}}, lineOf(t, p, "(local.set $k (local.get $old))"))
	if got := c.eval(0, "repl", "(block $on (result (ref $c)) (resume $c (on $y $on) (local.get $old)) (unreachable)) (drop)"); got != "no value" {
		t.Error(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "exception #1 prog.wat:7" {
		t.Fatal(got)
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
	if i.Description != "continuation already consumed\nit was to stack #2 $task; an evaluation of the debugger consumed it, not the program" {
		t.Error(i.Description)
	}
	c = connect(t, dap.Config{Load: launch.Load})
	c.initialize()
	if got := c.refused("launch", map[string]any{"program": p, "historyEvents": 1 << 40}); !strings.Contains(
		got, "an integer from 0 to 10000000",
	) {
		t.Error(got)
	}
}
