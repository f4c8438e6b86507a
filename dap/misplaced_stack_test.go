package dap_test

import (
	"fmt"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/wasm"
)

// misplacedPrograms let #2, $worker, use itself as if it were suspended, and another stack, #3, that is
// suspended as if it were running: by the instruction USE in $worker, which has both in $me and
// $other.
var misplacedPrograms = map[wasm.Dialect]struct {
	text        string
	self, other []string // uses of either
}{
	wasm.DialectFibersMount: {`
  (tag $go) (tag $ret)
  (func $worker (param $me fiberref) (local $other fiberref)
    (local.set $other (fiber.new $ret ($go $worker)))
    USE) ;; use
  (func (export "main") (block $l (fiber.mount $go ($ret $l) (fiber.new $ret ($go $worker)))))`,
		[]string{
			"(fiber.mount $go (local.get $me))", "(fiber.release (local.get $me))",
		},
		[]string{
			"(fiber.dismount $go (local.get $other))",
			"(fiber.switch $go (local.get $other) (local.get $me))",
			"(fiber.switch_release $go (local.get $other) (local.get $me))",
		},
	},
	wasm.DialectFibersHandle: {`
  (type $ft (fiber)) (tag $go)
  (func $worker (param $me (ref null $ft)) (unreachable)
    (event $go (call $use (local.get $me) (fiber.new $worker))))
  (func $use (param $me (ref null $ft)) (param $other (ref null $ft))
    USE) ;; use
  (func (export "main") (fiber.resume (fiber.new $worker) $go))`,
		[]string{
			"(fiber.resume (local.get $me) $go)", "(fiber.release (local.get $me))",
			"(fiber.retireto (local.get $me) (local.get $me) $go)",
		},
		[]string{
			"(fiber.suspend (local.get $other) $go)", "(fiber.retire (local.get $other) $go)",
			"(fiber.switch (local.get $other) (local.get $me) $go)",
		},
	},
	wasm.DialectTasks: {`
  (tag $go)
  (func $worker (param $me taskref) (local $other taskref)
    (block $in (event.switch ($go $in)))
    (local.set $other (task.new $worker))
    USE ;; use
    (unreachable))
  (func (export "main") (block $l (task.resume $go (task.new $worker)) (event.switch ($go $l))))`,
		[]string{
			"(block $l (task.resume $go (local.get $me)) (event.switch ($go $l)))", "(task.release (local.get $me))",
		},
		[]string{
			"(block $l (task.suspend $go (local.get $other)) (event.switch ($go $l)))",
			"(task.retire $go (local.get $other))",
			"(block $l (task.switchto $go (local.get $other) (local.get $me)) (event.switch ($go $l)))",
		},
	},
}

// TestMisplacedStack names a fiber or task in an instruction that it is in the wrong place for: the
// explanation says which it is, and where it is.
func TestMisplacedStack(t *testing.T) {
	for _, d := range wasm.Dialects() {
		x, ok := misplacedPrograms[d]
		if ok == d.Info().OneShot {
			t.Errorf("programs of %s: %v", d, ok)
		}
		check := func(use, want string) {
			t.Run(d.String()+"/"+use, func(t *testing.T) {
				text := strings.Replace(x.text, "USE", use, 1)
				p := wat(t, fmt.Sprintf("(module (@stack-switching %q)%s)\n", d, text))
				c := real(t)
				if got := c.start(map[string]any{"program": p}); got != fmt.Sprint("exception #2 prog.wat:", lineOf(t, p, use)) {
					t.Fatal(got, c.output("stderr"))
				}
				var i godap.ExceptionInfoResponseBody
				c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 2}, &i)
				if _, after, _ := strings.Cut(i.Description, "\n"); !strings.HasPrefix(after, want) {
					t.Errorf("%s\nwant %s", i.Description, want)
				}
			})
		}
		for _, use := range x.self {
			check(use, fmt.Sprintf("it is #2 $worker · running; %s #1 at prog.wat:", d.Info().Linked))
		}
		for _, use := range x.other {
			check(use, "it is #3 $worker · not started")
		}
	}
}
