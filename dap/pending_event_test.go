package dap_test

import (
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/stackview"
	"stackscope/wasm"
)

// payloads are programs that give a new stack, $worker, the number 41 with its first event, or as
// its argument.
var payloads = map[wasm.Dialect]string{
	wasm.DialectCont: `
  (type $ft (func (param i32))) (type $ct (cont $ft)) (elem declare func $worker)
  (func $worker (param $n i32)
    (global.set $got (local.get $n)))
  (func (export "main") (result i32)
    (resume $ct (i32.const 41) (cont.new $ct (ref.func $worker)))
    (global.get $got))`,
	wasm.DialectStacks: `
  (rec (type $back (stack (ref null $ct))) (type $ct (stack (param i32) (ref null $back))))
  (func $worker (param $n i32) (param $back (ref null $back))
    (global.set $got (local.get $n))
    (switch_retire $back (local.get $back)))
  (func (export "main") (result i32)
    (drop (switch $ct (i32.const 41) (stack.new $ct $worker)))
    (global.get $got))`,
	wasm.DialectFibersMount: `
  (tag $go (param i32)) (tag $ret)
  (func $worker (param $me (ref fiber)) (param $n i32)
    (global.set $got (local.get $n)))
  (func (export "main") (result i32)
    (block $l (fiber.mount $go ($ret $l) (i32.const 41) (fiber.new $ret ($go $worker))))
    (global.get $got))`,
	wasm.DialectFibersHandle: `
  (type $ft (fiber)) (tag $go (param i32))
  (func $worker (param $me (ref null $ft))
    (unreachable)
    (event $go
      (global.set $got)))
  (func (export "main") (result i32)
    (fiber.resume (fiber.new $worker) $go (i32.const 41))
    (global.get $got))`,
	wasm.DialectTasks: `
  (tag $go (param i32)) (tag $done)
  (func $worker (param $me (ref task))
    (block $in (result i32)
      (event.switch ($go $in)))
    (global.set $got)
    (task.retire $done (local.get $me)))
  (func (export "main") (result i32)
    (block $l
      (task.resume $go (task.new $worker) (i32.const 41))
      (event.switch ($done $l)))
    (global.get $got))`,
}

// TestPayloadOfEvent steps onto a stack that is given a value. In the design where an event waits for
// an instruction that takes it, the value is in a scope, and can be set there; in the others it is a
// parameter or an operand.
func TestPayloadOfEvent(t *testing.T) {
	for _, d := range wasm.Dialects() {
		t.Run(d.String(), func(t *testing.T) {
			if payloads[d] == "" {
				t.Fatal("no program")
			}
			c := real(t)
			text := "(module (@stack-switching \"" + d.String() + "\")\n  (global $got (mut i32) (i32.const 0))" + payloads[d] + ")\n"
			p := wat(t, text)
			got := c.start(map[string]any{"program": p, "stopOnEntry": true})
			for i := 0; i < 20 && c.last.ThreadId != 2; i++ {
				got = c.step("stepIn", c.last.ThreadId, "instruction")
			}
			if c.last.ThreadId != 2 {
				t.Fatal(got)
			}
			frame := c.frames(2)[0].Id
			var scopes godap.ScopesResponseBody
			c.must("scopes", godap.ScopesArguments{FrameId: frame}, &scopes)
			var all []string
			pending := 0
			for _, s := range scopes.Scopes {
				for _, v := range c.children(s.VariablesReference) {
					all = append(all, v.Name+" = "+v.Value)
				}
				if s.Name == "Pending event" {
					pending = s.VariablesReference
				}
			}
			var th godap.ThreadsResponseBody
			c.must("threads", nil, &th)
			title := th.Threads[0].Name
			var js stackview.JSONTree
			c.must("stackscope/stacks", nil, &js)
			node := js.Stacks[0]
			for node.ID != 2 && len(node.Children) > 0 {
				node = node.Children[0]
			}
			want := "41"
			if d.Info().EventSwitch {
				if pending == 0 || !strings.HasSuffix(title, "running, event $go pending") || node.Pending == nil ||
					node.Pending.Tag != "$go" || len(node.Pending.Values) != 1 || node.Pending.Values[0] != "(i32.const 41)" {
					t.Fatalf("scope %d, %q, %+v", pending, title, node.Pending)
				}
				if got := c.eval(frame, "watch", "event 0"); got != "41" {
					t.Error(got)
				}
				for _, bad := range []string{"event 1", "event $go", "event"} {
					if got := c.eval(frame, "watch", bad); !strings.HasPrefix(got, "(") {
						t.Errorf("%s is %s", bad, got)
					}
				}
				var set godap.SetVariableResponseBody
				c.must("setVariable", godap.SetVariableArguments{VariablesReference: pending, Name: "[0]", Value: "42"}, &set)
				c.refused("setVariable", godap.SetVariableArguments{VariablesReference: pending, Name: "event", Value: "$x"})
				if want = "42"; set.Value != want {
					t.Error(set.Value)
				}
				for i := 0; i < 3 && len(c.scope(frame, "Pending event")) > 0; i++ { // until the event.switch takes it
					c.step("stepIn", 2, "instruction")
					frame = c.frames(2)[0].Id
				}
				if vs := c.scope(frame, "Operand stack"); len(vs) != 1 || vs[0].Value != want {
					t.Errorf("%+v", vs)
				}
				c.must("threads", nil, &th)
				if strings.Contains(th.Threads[0].Name, "pending") {
					t.Error(th.Threads[0].Name)
				}
			} else if pending != 0 || node.Pending != nil || !strings.Contains(strings.Join(all, "\n"), " = 41") {
				t.Errorf("scope %d, %+v, %q", pending, node.Pending, all)
			}
			c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
			if got := c.stopped(); got != "terminated" {
				t.Fatal(got)
			}
			if out := c.output("console"); !strings.Contains(out, "main returned (i32.const "+want+")") {
				t.Error(out)
			}
		})
	}
}
