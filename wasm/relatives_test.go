package wasm

import "testing"

func TestElsewhere(t *testing.T) {
	for op, want := range map[Op]string{
		OpSuspend:   "Elsewhere: stacks `switch` · fibers-mount `fiber.dismount` · fibers-handle `fiber.suspend` · tasks `task.suspend`",
		OpStackBind: "Elsewhere: cont `cont.bind`",
		OpI32Add:    "",
		OpBarrier:   "",
	} {
		if got := op.Elsewhere(); got != want {
			t.Errorf("%s: %s, want %s", op, got, want)
		}
	}
	for op := Op(1); op < NumOps; op++ {
		for d, os := range op.Relatives() {
			for _, o := range os {
				if o.Info().Dialect != d || d == op.Info().Dialect {
					t.Errorf("%s has %s as a relative in %s", op, o, d)
				}
			}
		}
	}
}
