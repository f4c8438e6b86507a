package bench

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/bench/programs"
	"stackscope/internal/loader"
	"stackscope/vm"
)

// load instantiates a program and returns its run function.
func load(b testing.TB, name string) (*vm.Machine, *vm.Func) {
	b.Helper()
	text, err := programs.Text(name)
	if err != nil {
		b.Fatal(err)
	}
	return instantiate(b, name, text)
}

func instantiate(b testing.TB, name, text string) (*vm.Machine, *vm.Func) {
	b.Helper()
	return instantiateWith(b, name, text, vm.Options{})
}

func instantiateWith(b testing.TB, name, text string, o vm.Options) (*vm.Machine, *vm.Func) {
	b.Helper()
	u, err := loader.Text(source.NewFile(name+".wat", text), analysis.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m := vm.New(o)
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
func perUnit(b *testing.B, name string) {
	m, fn := load(b, name)
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
	for _, p := range programs.Switches() {
		if p.Name != "gen" && p.Name != "deep" {
			b.Run("work="+p.Name+"/engine=stackscope", func(b *testing.B) { perUnit(b, p.Name) })
		}
	}
	for _, depth := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprintf("work=deep/resumes=%d/engine=stackscope", depth), func(b *testing.B) {
			text, err := programs.Deep(depth)
			if err != nil {
				b.Fatal(err)
			}
			unitsOf(b, text)
		})
	}
}
