package wasm

import "testing"

func TestElsewhere(t *testing.T) {
	for op, want := range map[Op]string{
		OpSuspend:   "Elsewhere: stacks `switch` · fibers-mount `fiber.dismount` · fibers-handle `fiber.suspend` · tasks `task.suspend`",
		OpStackBind: "Elsewhere: cont `cont.bind`",
		OpI32Add:    "",
		OpBarrier:   "",

		OpResumeThrow: "Elsewhere: stacks `switch_throw` · fibers-mount `fiber.mount` · fibers-handle `fiber.resume` · tasks `task.resume`",
		OpSwitchThrow: "Elsewhere: cont `switch` · fibers-mount `fiber.switch` · fibers-handle `fiber.switch` · tasks `task.switchto`",
		OpFiberMount:  "Elsewhere: cont `resume` · stacks `switch` · fibers-handle `fiber.resume` · tasks `task.resume`",

		OpMountFiberRelease:    "Elsewhere: fibers-handle `fiber.release` · tasks `task.release`",
		OpFiberSpawn:           "Elsewhere: cont `cont.new` · stacks `stack.new`, `stack.new_ref` · fibers-mount `fiber.mount_new` · tasks `task.new`",
		OpHandleFiberNew:       "Elsewhere: cont `cont.new` · stacks `stack.new`, `stack.new_ref` · fibers-mount `fiber.new` · tasks `task.new`",
		OpFiberDismountRelease: "Elsewhere: stacks `switch_retire` · fibers-handle `fiber.retire` · tasks `task.retire`",
		OpFiberRetireto:        "Elsewhere: stacks `switch_retire` · fibers-mount `fiber.switch_release` · tasks `task.retire`",
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

// TestRelativesAreKin checks, for each instruction of each design, that a relative does what the
// instruction does: one that ends another stack has no relative that ends the running one, and so
// on. Control may go to a parent in one design where it goes to a peer in another.
func TestRelativesAreKin(t *testing.T) {
	same := DoesCreate | DoesEnd | DoesEndOther
	for op := Op(1); op < NumOps; op++ {
		for d, os := range op.Relatives() {
			for _, o := range os {
				if a, b := op.Does()&same, o.Does()&same; a != b {
					t.Errorf("%s %s has the relative %s %s, which does something else", op.Info().Dialect, op, d, o)
				}
			}
		}
	}
}

// TestDoes checks what every instruction of every design does to stacks.
func TestDoes(t *testing.T) {
	want := map[Op]Does{
		OpContNew: DoesCreate, OpContBind: DoesConsume,
		OpSuspend:        DoesSwitch | DoesTrapUnheard,
		OpResume:         DoesSwitch | DoesWait | DoesConsume,
		OpResumeThrow:    DoesSwitch | DoesWait | DoesConsume | DoesThrow,
		OpResumeThrowRef: DoesSwitch | DoesWait | DoesConsume | DoesThrow,
		OpSwitch:         DoesSwitch | DoesConsume | DoesTrapUnheard,
		OpBarrier:        0,

		OpStackNew: DoesCreate, OpStackNewRef: DoesCreate, OpStackBind: DoesConsume,
		OpStacksSwitch: DoesSwitch | DoesConsume,
		OpSwitchRetire: DoesSwitch | DoesConsume | DoesEnd | DoesNotContinue,
		OpSwitchThrow:  DoesSwitch | DoesConsume | DoesThrow,
		OpReturnSwitch: DoesSwitch | DoesConsume | DoesLeave | DoesNotContinue,

		OpReturnSwitchThrow: DoesSwitch | DoesConsume | DoesLeave | DoesThrow | DoesNotContinue,

		OpMountFiberNew: DoesCreate, OpMountFiberRelease: DoesEndOther,
		OpFiberMount:           DoesSwitch | DoesWait | DoesFallThrough,
		OpMountFiberSwitch:     DoesSwitch | DoesFallThrough,
		OpFiberDismount:        DoesSwitch | DoesFallThrough,
		OpFiberMountNew:        DoesCreate | DoesEnter | DoesSwitch | DoesWait | DoesFallThrough,
		OpFiberSwitchNew:       DoesCreate | DoesEnter | DoesSwitch | DoesFallThrough,
		OpFiberDismountRelease: DoesSwitch | DoesEnd | DoesFallThrough,
		OpFiberSwitchRelease:   DoesSwitch | DoesEnd | DoesFallThrough,

		OpHandle: 0, OpEvent: 0, OpHandleFiberNew: DoesCreate, OpHandleFiberRelease: DoesEndOther,
		OpFiberSpawn:        DoesCreate | DoesEnter | DoesSwitch | DoesWait,
		OpFiberSuspend:      DoesSwitch | DoesTrapUnheard | DoesNotContinue,
		OpFiberResume:       DoesSwitch | DoesWait | DoesTrapUnheard,
		OpHandleFiberSwitch: DoesSwitch | DoesTrapUnheard | DoesNotContinue,
		OpFiberRetire:       DoesSwitch | DoesEnd | DoesTrapUnheard | DoesNotContinue,
		OpFiberRetireto:     DoesSwitch | DoesEnd | DoesTrapUnheard | DoesNotContinue,

		OpTaskNew: DoesCreate, OpTaskRelease: DoesEndOther,
		OpTaskSuspend:  DoesSwitch | DoesTrapUnheard,
		OpTaskResume:   DoesSwitch | DoesWait | DoesTrapUnheard,
		OpTaskSwitchto: DoesSwitch | DoesTrapUnheard,
		OpTaskRetire:   DoesSwitch | DoesEnd | DoesTrapUnheard | DoesNotContinue,
		OpEventSwitch:  DoesNotContinue,
	}
	for op := Op(1); op < NumOps; op++ {
		w, ok := want[op]
		if in := op.Info(); in.Dialect != DialectNone && !ok {
			t.Errorf("%s %s: no row says what it does to stacks", in.Dialect, op)
		}
		if got := op.Does(); got != w {
			t.Errorf("%s %s does %b, want %b", op.Info().Dialect, op, got, w)
		}
	}
}
