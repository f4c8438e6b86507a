package vm_test

import (
	"context"
	"strings"
	"testing"

	"stackscope/vm"
)

const cancellable = `
  (global $a (export "a") (mut (ref null $kr)) (ref.null $kr)) (global $done (export "done") (mut i32) (i32.const 0))
  (tag $stop (export "stop")) (tag $other (export "other"))
  (func $catches (result i32)
    (block $h (try_table (catch $stop $h) (suspend $e)))
    (global.set $done (i32.add (global.get $done) (i32.const 1)))
    (i32.const 7))
  (func $leaks (result i32) (suspend $e) (i32.const 8))
  (func $traps (result i32) (block $h (try_table (catch $stop $h) (suspend $e))) (unreachable))
  (func $again (result i32) (block $h (try_table (catch $stop $h) (suspend $e))) (suspend $e) (i32.const 9))
  (elem declare func $catches $leaks $traps $again)
  (table $fs funcref (elem $catches $leaks $traps $again))
  (func (export "run") (param $which i32) (param $begin i32) (result i32) (local $k (ref null $kr))
    (local.set $k (cont.new $kr (ref.cast (ref $fr) (table.get $fs (local.get $which)))))
    (if (local.get $begin) (then
      (local.set $k (block $on (result (ref $kr)) (resume $kr (on $e $on) (local.get $k)) (return (i32.const -1))))))
    (global.set $a (local.get $k))
    (i32.const 1))`

// TestCancelStacks throws exceptions into continuations from outside: they catch them, or end by
// them, by a trap, by a suspension that nothing handles; and the machine is as before.
func TestCancelStacks(t *testing.T) {
	for _, x := range []struct {
		which, begin int32
		tag          string
		returned     bool
		err          string
		done         int32
	}{
		{0, 1, "stop", true, "", 1},
		{0, 1, "other", false, "", 0},
		{0, 0, "stop", false, "", 0},
		{1, 1, "stop", false, "", 0},
		{2, 1, "stop", false, "unreachable", 0},
		{3, 1, "stop", false, "unhandled tag", 0},
	} {
		for _, stepping := range []bool{false, true} {
			m, in := instance(t, `(module (@stack-switching "cont")`+contPrelude+cancellable+")")
			m.SetStepping(stepping)
			if _, err := in.Invoke(context.Background(), "run", vm.I32(x.which), vm.I32(x.begin)); err != nil {
				t.Fatal(err)
			}
			live := m.LiveStacks(0)
			if len(live) != 1 {
				t.Fatalf("%d stacks", len(live))
			}
			st, id := live[0].Stack, live[0].ID()
			below := 0
			m.SetProbe(func(s *vm.Stop) {
				if p := s.Stack.Parent(); p != nil && p.OfDebugger() && !s.Stack.OfDebugger() {
					below++
				}
				if s.Stack.OfDebugger() {
					t.Error("a stop in what is no code of the program")
				}
			})
			returned, err := m.Cancel(context.Background(), st, vm.NewExn(in.Export(x.tag).(*vm.Tag)))
			m.SetProbe(nil)
			if returned != x.returned || (err != nil) != (x.err != "") ||
				err != nil && !strings.Contains(err.Error(), x.err) {
				t.Errorf("%+v: %v, %v", x, returned, err)
			}
			if stepping && x.begin == 1 && x.tag == "stop" && x.which != 1 && below == 0 {
				t.Errorf("%+v: nothing was seen", x)
			}
			if got := in.Export("done").(*vm.Global).Get().I32(); got != x.done {
				t.Errorf("%+v: done %d", x, got)
			}
			if st.ID() == id && st.State() != vm.StackMoribund || len(m.LiveStacks(0)) != 0 || m.Running() != nil {
				t.Errorf("%+v: it is still there", x)
			}
			if _, err := in.Invoke(context.Background(), "run", vm.I32(0), vm.I32(1)); err != nil {
				t.Error(err)
			}
		}
	}
}
