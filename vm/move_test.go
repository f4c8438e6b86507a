package vm

import (
	"strings"
	"testing"

	"stackscope/wasm"
)

// TestSomeStacks looks at some of many stacks: the running chain always, then no more than asked
// for.
func TestSomeStacks(t *testing.T) {
	const n = 1000
	m, fn := start(t, farmModule(n))
	call(t, m, fn, I32(n))
	found, all := m.SomeStacks(50)
	if all || len(found) > 50 {
		t.Errorf("%d stacks, all: %v", len(found), all)
	}
	if found, all = m.SomeStacks(100 * n); !all || len(found) != n {
		t.Errorf("%d stacks, all: %v", len(found), all)
	}
	if m.Count() != n {
		t.Error(m.Count())
	}
}

// TestJump moves a frame where that is possible, restarts it, and finds its mark.
func TestJump(t *testing.T) {
	mod := module([]wasm.SubType{ftype(nil, nil)}, testFunc(0, nil,
		i32c(1), ins(wasm.OpDrop), ins(wasm.OpNop), blk(wasm.OpBlock, 0), ins(wasm.OpUnreachable), ins(wasm.OpEnd)))
	m, fn := start(t, mod)
	stops := 0
	m.SetProbe(func(s *Stop) {
		if s.Reason != StopBreak {
			return
		}
		f := s.Stack.Frame(s.Stack.NumFrames() - 1)
		switch stops++; stops {
		case 1:
			for pc, why := range map[int]string{1: "height", 5: "cannot be reached", 9: "no such instruction", -1: "no such instruction"} {
				if err := f.CanJump(pc); err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("to %d: %v", pc, err)
				}
			}
			f.SetMark(7)
			if err := f.Restart(); err != nil {
				t.Error(err)
			}
		case 2:
			if f.Mark() != 7 {
				t.Error("the activation is not the same")
			}
			if err := f.Jump(6); err != nil {
				t.Error(err)
			}
		}
	})
	m.SetBreakpoint(fn, 2)
	call(t, m, fn)
	if stops != 2 {
		t.Error(stops)
	}
}

// TestRestart makes frames begin again: after a trap, and of a stack that waits, whose child ends.
func TestRestart(t *testing.T) {
	mod := module([]wasm.SubType{ftype(nil, nil)}, testFunc(
		0,
		nil,
		ins(
			wasm.OpGlobalGet,
		),
		ins(wasm.OpI32Eqz),
		blk(wasm.OpIf, 0),
		i32c(1),
		ins(wasm.OpGlobalSet),
		ins(wasm.OpUnreachable),
		ins(wasm.OpEnd),
	))
	mod.Globals = []wasm.Global{{Type: wasm.I32, Mut: true, Init: []wasm.Instr{i32c(0), {Op: wasm.OpEnd}}}}
	m, fn := start(t, mod)
	faults := 0
	m.SetProbe(func(s *Stop) {
		if s.Reason == StopTrap {
			faults++
			if err := s.Stack.Frame(0).Restart(); err != nil {
				t.Error(err)
			}
		}
	})
	call(t, m, fn)
	if faults != 1 {
		t.Error(faults)
	}
}
