package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"stackscope/bench/programs"
	"stackscope/vm"
	"stackscope/wasm"
)

// dialect returns a program of the tables in a design.
func dialect(t testing.TB, name string, d wasm.Dialect) string {
	text, err := programs.Text(name + "-" + d.String())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// BenchmarkDialects measures the same in each design: in pipe a unit is one value, four switches;
// in ends it is a stack that is made, resumed, and ends. In pipe no design should be slower than
// cont by half.
func BenchmarkDialects(b *testing.B) {
	for _, name := range []string{"pipe", "ends"} {
		for _, d := range wasm.Dialects() {
			b.Run(
				"work="+name+"/dialect="+d.String()+"/engine=stackscope",
				func(b *testing.B) { unitsOf(b, dialect(b, name, d)) },
			)
		}
	}
}

// BenchmarkClauses measures an event that the last of so many clauses takes: a unit is that event,
// and the one that asks for it. It should not take longer for many clauses than for 16.
func BenchmarkClauses(b *testing.B) {
	for _, n := range []int{1, 4, 16, 256} {
		texts := programs.ClausePrograms(n)
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			b.Run(
				fmt.Sprintf("work=%s/clauses=%d/engine=stackscope", name, n),
				func(b *testing.B) { unitsOf(b, texts[name]) },
			)
		}
	}
}

// The last clause takes each event, in the fused form: nothing allocates for it.
func TestClauses(t *testing.T) {
	for _, n := range []int{1, 4, 5, 6, 256} {
		for name, text := range programs.ClausePrograms(n) {
			m, fn := instantiate(t, name, text)
			run := func(n int32) {
				before := m.Stats().Switches
				if _, err := m.Call(context.Background(), fn, vm.I32(n)); err != nil {
					t.Fatalf("%s, %d clauses: %v", name, n, err)
				}
				if got := m.Stats().Switches - before; got < uint64(n) {
					t.Fatalf("%s, %d clauses: %d switches", name, n, got)
				}
			}
			few, many := testing.AllocsPerRun(3, func() { run(10) }), testing.AllocsPerRun(3, func() { run(1000) })
			if many > few+5 {
				t.Errorf("%s, %d clauses: %v allocations for 1000 events, %v for 10", name, n, many, few)
			}
		}
	}
}

// The designs agree on the scenario, also in which stack has control when, and none allocates for a
// switch.
func TestDialects(t *testing.T) {
	var first []uint64
	for _, d := range wasm.Dialects() {
		m, fn := instantiate(t, d.String(), dialect(t, "pipe", d))
		var to []uint64 // who gets control
		m.SetObserver(func(e *vm.Event) {
			switch e.Kind {
			case vm.EventResume:
				to = append(to, e.Stack)
			case vm.EventSuspend, vm.EventSwitch:
				to = append(to, e.Other)
			}
		})
		if _, err := m.Call(context.Background(), fn, vm.I32(5)); err != nil {
			t.Fatal(err)
		}
		m.SetObserver(nil)
		if first == nil {
			first = to
		}
		if len(to) != 20 || !slices.Equal(to, first) {
			t.Errorf("%v: control goes to %v, in cont to %v", d, to, first)
		}
		sum := func(n int32) {
			r, err := m.Call(context.Background(), fn, vm.I32(n))
			if err != nil {
				t.Fatalf("%v: %v", d, err)
			}
			if want := int64(n) * int64(n+1); r[0].I64() != want {
				t.Errorf("%v: %d, not %d", d, r[0].I64(), want)
			}
		}
		few, many := testing.AllocsPerRun(3, func() { sum(10) }), testing.AllocsPerRun(3, func() { sum(1000) })
		if many > few+5 {
			t.Errorf("%v: %v allocations for 4000 switches, %v for 40", d, many, few)
		}
	}
}
