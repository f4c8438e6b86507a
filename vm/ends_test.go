package vm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/wasm"
)

// deadPrograms export, in each design, `make`, which creates two stacks, lets them end, and leaves
// references to them in $a and $b, and `use`, which passes the stale $a to the stale $b.
var deadPrograms = map[wasm.Dialect]string{
	wasm.DialectCont: `
	  (type $f0 (func)) (type $c0 (cont $f0)) (type $f (func (param (ref null $c0)))) (type $ct (cont $f))
	  (elem declare func $w0 $w)
	  (global $a (mut (ref null $c0)) (ref.null $c0)) (global $b (mut (ref null $ct)) (ref.null $ct))
	  (func $w0) (func $w (param (ref null $c0)))
	  (func (export "make")
	    (global.set $a (cont.new $c0 (ref.func $w0))) (global.set $b (cont.new $ct (ref.func $w)))
	    (resume $c0 (global.get $a)) (resume $ct (ref.null $c0) (global.get $b)))
	  (func (export "use") (resume $ct (global.get $a) (global.get $b)))`,
	wasm.DialectStacks: `
	  (rec (type $k (stack (ref null $k)))) (type $ct (stack (param (ref null $k)) (ref null $k)))
	  (global $a (mut (ref null $k)) (ref.null $k)) (global $b (mut (ref null $ct)) (ref.null $ct))
	  (func $w0 (param $back (ref null $k)) (switch_retire $k (local.get $back)))
	  (func $w (param (ref null $k)) (param $back (ref null $k)) (switch_retire $k (local.get $back)))
	  (func (export "make")
	    (global.set $a (stack.new $k $w0)) (global.set $b (stack.new $ct $w))
	    (drop (switch $k (global.get $a))) (drop (switch $ct (ref.null $k) (global.get $b))))
	  (func (export "use") (drop (switch $ct (global.get $a) (global.get $b))))`,
	wasm.DialectFibersMount: `
	  (tag $go) (tag $give (param fiberref)) (tag $ret)
	  (global $a (mut fiberref) (ref.null fiber)) (global $b (mut fiberref) (ref.null fiber))
	  (func $w (param (ref fiber)))
	  (func (export "make")
	    (global.set $a (fiber.new $ret ($go $w))) (global.set $b (fiber.new $ret ($go $w)))
	    (block $l (fiber.mount $go ($ret $l) (global.get $a)))
	    (block $l (fiber.mount $go ($ret $l) (global.get $b))))
	  (func (export "use") (fiber.mount $give (global.get $a) (global.get $b)))`,
	wasm.DialectFibersHandle: `
	  (type $ft (fiber)) (tag $go) (tag $give (param (ref null $ft)))
	  (global $a (mut (ref null $ft)) (ref.null $ft)) (global $b (mut (ref null $ft)) (ref.null $ft))
	  (func $w (param (ref null $ft)) (unreachable) (event $go))
	  (func (export "make")
	    (global.set $a (fiber.new $w)) (global.set $b (fiber.new $w))
	    (fiber.resume (global.get $a) $go) (fiber.resume (global.get $b) $go))
	  (func (export "use") (fiber.resume (global.get $b) $give (global.get $a)))`,
	wasm.DialectTasks: `
	  (tag $go) (tag $give (param taskref)) (tag $done)
	  (global $a (mut taskref) (ref.null task)) (global $b (mut taskref) (ref.null task))
	  (func $w (param $me taskref)
	    (block $in (event.switch ($go $in)))
	    (task.retire $done (local.get $me)))
	  (func (export "make")
	    (global.set $a (task.new $w)) (global.set $b (task.new $w))
	    (block $l (task.resume $go (global.get $a)) (event.switch ($done $l)))
	    (block $l (task.resume $go (global.get $b)) (event.switch ($done $l))))
	  (func (export "use")
	    (block $l (task.resume $give (global.get $b) (global.get $a)) (event.switch ($done $l))))`,
}

// endForms are the forms with a recorder, and without.
func endForms() map[string]func() (*vm.Machine, *vm.Recorder) {
	out := map[string]func() (*vm.Machine, *vm.Recorder){}
	for form, opt := range forms {
		out[form] = func() (*vm.Machine, *vm.Recorder) {
			m, rec := vm.New(opt), vm.NewRecorder(16)
			m.SetStepping(form == "stepping")
			if form == "observed" {
				m.SetObserver(func(*vm.Event) {})
			}
			m.SetRecorder(rec)
			return m, rec
		}
	}
	out["unwatched"] = func() (*vm.Machine, *vm.Recorder) { return vm.New(vm.Options{}), nil }
	return out
}

func designText(t *testing.T, d wasm.Dialect, text string) *wasm.Module {
	t.Helper()
	u, err := loader.Text(source.NewFile("test.wat", "(module "+text+")"), analysis.Options{Dialect: d})
	if err != nil {
		t.Fatal(err)
	}
	return u.Module
}

// TestStaleReferences uses references to stacks that have ended: the trap has the reference that it is
// about, and that has the number of its stack, whatever has taken over the storage since. The end is
// kept for the last 16,384.
func TestStaleReferences(t *testing.T) {
	ctx := context.Background()
	for _, d := range wasm.Dialects() {
		if deadPrograms[d] == "" {
			t.Errorf("no program of %s", d)
			continue
		}
		mod := designText(t, d, deadPrograms[d])
		for form, machine := range endForms() {
			m, rec := machine()
			in, err := m.Instantiate(ctx, mod, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			invoke := func(name string) error { _, err := in.Invoke(ctx, name); return err }
			if err := invoke("make"); err != nil { // rooted #1, then #2 and #3
				t.Fatal(d, form, err)
			}
			old := in.Global(0).Get().Ref
			use := func(want uint64) {
				t.Helper()
				var trap *vm.Trap
				if err := invoke("use"); !errors.As(err, &trap) || trap.Kind != d.Info().Stale || !trap.Kind.Stale() {
					t.Fatal(d, form, err)
				}
				if got := trap.Stale.StackID(); got != want || trap.Stale.StackDialect() != d {
					t.Errorf("%s, %s: a use of #%d, want #%d", d, form, got, want)
				}
			}
			use(3)
			if fn := old.EndedBase(); fn == nil {
				t.Errorf("%s, %s: no name as long as the storage was not used again", d, form)
			}
			rounds := 100
			if form == "fused" {
				rounds = 9000
			}
			last := uint64(0)
			for range rounds {
				if err := invoke("make"); err != nil {
					t.Fatal(d, form, err)
				}
				last = in.Global(1).Get().Ref.StackID()
			}
			use(last)
			if _, _, stale := old.Stack(); !stale || old.StackID() != 2 || old.EndedBase() != nil {
				t.Errorf("%s, %s: stale %v, #%d", d, form, stale, old.StackID())
			}
			if rec == nil {
				continue
			}
			if ev, ok := rec.End(last); !ok || ev.Stack != last || ev.End == vm.EndNone || ev.Base == nil {
				t.Errorf("%s, %s: %+v", d, form, ev)
			}
			if _, ok := rec.End(2); ok != (form != "fused") || rec.KeepsEnds() != ok {
				t.Errorf("%s, %s: the end of #2 is kept: %v; all: %v", d, form, ok, rec.KeepsEnds())
			}
		}
	}
}

// segmentPrograms have a fiber or task #2 in $a with #3 below it, which `start` leaves suspended as one
// segment, within a try each; `release` ends it, and `retire` lets #3 end it.
var segmentPrograms = map[wasm.Dialect]string{
	wasm.DialectFibersMount: `
	  (tag $go) (tag $yield) (tag $done) (tag $ret)
	  (global $a (mut fiberref) (ref.null fiber))
	  (func $outer (param $me (ref fiber))
	    (global.set $a (local.get $me))
	    (block $c (try_table (catch_all $c)
	      (block $r (fiber.mount $go ($ret $r) (fiber.new $ret ($go $inner)))))))
	  (func $inner (param $me (ref fiber))
	    (block $c (try_table (catch_all $c)
	      (block $l (fiber.dismount $yield ($go $l) (global.get $a)) (unreachable))
	      (fiber.dismount_release $done (global.get $a)))))
	  (func (export "start") (block $l (fiber.mount $go ($yield $l) (fiber.new $ret ($go $outer))) (unreachable)))
	  (func (export "release") (fiber.release (global.get $a)))
	  (func (export "retire") (block $l (fiber.mount $go ($done $l) (global.get $a)) (unreachable)))`,
	wasm.DialectFibersHandle: `
	  (type $ft (fiber)) (tag $go) (tag $yield) (tag $done)
	  (global $a (mut (ref null $ft)) (ref.null $ft))
	  (func $outer (param $me (ref null $ft)) (unreachable) (event $go
	    (global.set $a (local.get $me))
	    (block $c (try_table (catch_all $c) (fiber.resume (fiber.new $inner) $go)))))
	  (func $inner (param $me (ref null $ft)) (unreachable) (event $go
	    (block $c (try_table (catch_all $c)
	      (handle (fiber.suspend (global.get $a) $yield) (event $go))
	      (fiber.retire (global.get $a) $done)))))
	  (func (export "start") (handle (fiber.resume (fiber.new $outer) $go) (event $yield)))
	  (func (export "release") (fiber.release (global.get $a)))
	  (func (export "retire") (handle (fiber.resume (global.get $a) $go) (event $done)))`,
	wasm.DialectTasks: `
	  (tag $go) (tag $yield) (tag $done)
	  (global $a (mut taskref) (ref.null task))
	  (func $outer (param $me taskref)
	    (block $in (event.switch ($go $in)))
	    (global.set $a (local.get $me))
	    (block $c (try_table (catch_all $c)
	      (block $r (task.resume $go (task.new $inner)) (event.switch ($done $r)))))
	    (unreachable))
	  (func $inner (param $me taskref)
	    (block $in (event.switch ($go $in)))
	    (block $c (try_table (catch_all $c)
	      (block $l (task.suspend $yield (global.get $a)) (event.switch ($go $l)))
	      (task.retire $done (global.get $a))))
	    (unreachable))
	  (func (export "start") (block $l (task.resume $go (task.new $outer)) (event.switch ($yield $l))))
	  (func (export "release") (task.release (global.get $a)))
	  (func (export "retire") (block $l (task.resume $go (global.get $a)) (event.switch ($done $l))))`,
}

// TestSegmentEnds ends segments of two stacks, in the designs in which a stack is released: both ends
// are recorded, with who did it, with what they ended, and with the tries that they were in.
func TestSegmentEnds(t *testing.T) {
	ctx := context.Background()
	for _, d := range wasm.Dialects() {
		if d.Info().OneShot {
			continue
		}
		if segmentPrograms[d] == "" {
			t.Errorf("no program of %s", d)
			continue
		}
		mod := designText(t, d, segmentPrograms[d])
		for form, machine := range endForms() {
			for _, how := range []string{"release", "retire", "debugger"} {
				m, rec := machine()
				if rec == nil {
					continue
				}
				in, err := m.Instantiate(ctx, mod, "", nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := in.Invoke(ctx, "start"); err != nil {
					t.Fatal(d, form, err)
				}
				if how == "debugger" {
					st, _, _ := in.Global(0).Get().Ref.Stack()
					if !m.Release(st) {
						t.Fatal("not released")
					}
				} else if _, err := in.Invoke(ctx, how); err != nil {
					t.Fatal(d, form, err)
				}
				line := func(id uint64) string {
					ev, _ := rec.End(id)
					return fmt.Sprint(ev.End, " by ", ev.By, " with ", ev.With, " tag ", ev.Tag, ", tries ", len(ev.Skipped.Tries))
				}
				want := map[string][2]string{
					"release":  {fmt.Sprint(vm.EndReleased, " by 4 with 0 tag <nil>, tries 1"), fmt.Sprint(vm.EndReleased, " by 4 with 2 tag <nil>, tries 1")},
					"retire":   {fmt.Sprint(vm.EndRetired, " by 3 with 0 tag $done, tries 1"), fmt.Sprint(vm.EndReleased, " by 3 with 2 tag <nil>, tries 1")},
					"debugger": {fmt.Sprint(vm.EndByDebugger, " by 0 with 0 tag <nil>, tries 1"), fmt.Sprint(vm.EndByDebugger, " by 0 with 2 tag <nil>, tries 1")},
				}[how]
				if a, b := line(2), line(3); a != want[0] || b != want[1] {
					t.Errorf("%s, %s, %s:\n%s, want %s\n%s, want %s", d, form, how, a, want[0], b, want[1])
				}
				n := 0
				for _, k := range rec.SkippedTries() {
					n += k
				}
				if n != 2 {
					t.Errorf("%s, %s, %s: %d tries skipped in all", d, form, how, n)
				}
			}
		}
	}
}
