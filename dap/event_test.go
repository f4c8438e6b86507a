package dap_test

import (
	"testing"

	godap "github.com/google/go-dap"
)

// TestUnhandledEvent explains, in the designs with events, which clauses the stack had that was to
// take one.
func TestUnhandledEvent(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"fibers-mount", `(module (@stack-switching "fibers-mount")
  (tag $go) (tag $done) (tag $other)
  (func $body (param $me (ref fiber)))
  (func (export "main")
    (block $l
      (fiber.mount $go ($other $l) (fiber.new $done ($go $body))))))
`, "unhandled event $done\n  #1 main, at prog.wat:6: it takes only $other there"},
		{"fibers-handle", `(module (@stack-switching "fibers-handle")
  (tag $go) (tag $other)
  (type $ft (fiber))
  (func $body (param $me (ref $ft))
    (event $other))
  (func (export "main")
    (fiber.resume $go (fiber.new $body))))
`, "unhandled event $go\n  #2 $body, at prog.wat:4: it takes only $other there"},
		{"tasks", `(module (@stack-switching "tasks")
  (tag $go) (tag $other)
  (func $body (param $me taskref)
    (block $l (event.switch ($other $l))))
  (func (export "main")
    (block $l
      (task.resume (task.new $body) ($go))
      (event.switch ($other $l)))))
`, "unhandled event $go\n  #2 $body, at prog.wat:4: it takes only $other there"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := real(t)
			if got := c.start(map[string]any{"program": wat(t, x.text)}); got == "terminated" {
				t.Fatal(c.output("stderr"))
			}
			var i godap.ExceptionInfoResponseBody
			c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
			if i.Description != x.want {
				t.Errorf("%s", i.Description)
			}
		})
	}
}
