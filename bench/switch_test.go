package bench

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
)

// load instantiates a program and gives its run function.
func load(b *testing.B, name string, args ...any) (*vm.Machine, *vm.Func) {
	b.Helper()
	text := programs[name]
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	return instantiate(b, name, text)
}

func instantiate(b testing.TB, name, text string) (*vm.Machine, *vm.Func) {
	b.Helper()
	u, err := loader.Text(source.NewFile(name+".wat", text), analysis.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m := vm.New(vm.Options{})
	in, err := m.Instantiate(context.Background(), u.Module, name, nil)
	if err != nil {
		b.Fatal(err)
	}
	return m, in.Export("run").(*vm.Func)
}

// units runs n units in one call.
func units(b *testing.B, m *vm.Machine, fn *vm.Func, n int) {
	if _, err := m.Call(context.Background(), fn, vm.I32(int32(n))); err != nil {
		b.Fatal(err)
	}
}

// perUnit measures a program by the unit: many in a call, so that the call does not count.
func perUnit(b *testing.B, name string, args ...any) {
	m, fn := load(b, name, args...)
	measure(b, m, fn)
}

func unitsOf(b *testing.B, text string) {
	m, fn := instantiate(b, "bench", text)
	measure(b, m, fn)
}

func measure(b *testing.B, m *vm.Machine, fn *vm.Func) {
	const batch = 100_000
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		units(b, m, fn, batch)
		n += batch
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/unit")
}

// BenchmarkSwitch compares a generator's step with Go's own in the same run, and measures the other
// switches. The figure to read is ns/unit.
func BenchmarkSwitch(b *testing.B) {
	b.Run("work=gen/engine=stackscope", func(b *testing.B) { perUnit(b, "gen") })
	b.Run("work=gen/engine=iter.Pull", func(b *testing.B) {
		const batch = 100_000
		next, stop := iter.Pull(func(yield func(int32) bool) {
			for i := int32(0); yield(i); i++ {
			}
		})
		defer stop()
		n, sum := 0, int64(0)
		for b.Loop() {
			for range batch {
				v, _ := next()
				sum += int64(v)
			}
			n += batch
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/unit")
	})
	b.Run("work=switch/engine=stackscope", func(b *testing.B) { perUnit(b, "switch") })
	b.Run("work=create/engine=stackscope", func(b *testing.B) { perUnit(b, "create") })
	for _, depth := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprintf("work=deep/resumes=%d/engine=stackscope", depth), func(b *testing.B) { perUnit(b, "deep", depth) })
	}
	b.Run("work=sched/engine=stackscope", func(b *testing.B) { perUnit(b, "sched") })
}

// BenchmarkCompute measures programs without switches.
func BenchmarkCompute(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
	}{{"fib", 25}, {"sieve", 1_000_000}, {"mix", 1_000_000}} {
		b.Run(fmt.Sprintf("work=%s/n=%d/engine=stackscope", c.name, c.n), func(b *testing.B) {
			m, fn := load(b, c.name)
			for b.Loop() {
				units(b, m, fn, c.n)
			}
		})
	}
}
