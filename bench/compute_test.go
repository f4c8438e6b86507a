package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/tetratelabs/wazero"

	"stackscope/bench/programs"
	"stackscope/internal/testing/cputime"
	"stackscope/vm"
)

// engines are the VM, the VM kept in the baseline form, and wazero's interpreter: each returns a
// program's run function.
var engines = []struct {
	name string
	load func(t testing.TB, name string) func(n int) int64
}{
	{"stackscope", func(t testing.TB, name string) func(int) int64 { return loadOurs(t, name, vm.Options{}) }},
	{
		"stackscope-baseline",
		func(t testing.TB, name string) func(int) int64 { return loadOurs(t, name, vm.Options{Baseline: true}) },
	},
	{"wazero-i", loadWazero},
}

func loadOurs(t testing.TB, name string, o vm.Options) func(int) int64 {
	text, err := programs.Text(name)
	if err != nil {
		t.Fatal(err)
	}
	m, fn := instantiateWith(t, name, text, o)
	return func(n int) int64 {
		r, err := m.Call(context.Background(), fn, vm.I32(int32(n)))
		if err != nil {
			t.Fatal(err)
		}
		return r[0].I64()
	}
}

func loadWazero(t testing.TB, name string) func(int) int64 {
	ctx := context.Background()
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { rt.Close(ctx) })
	in, err := rt.Instantiate(ctx, wasmOf(t, name))
	if err != nil {
		t.Fatal(err)
	}
	fn := in.ExportedFunction("run")
	return func(n int) int64 {
		r, err := fn.Call(ctx, uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		return int64(r[0])
	}
}

// BenchmarkCompute measures programs without switches, the engines one after the other within each
// program; their results are compared. cpu-ms/op is processor time, which
// other processes disturb less.
func BenchmarkCompute(b *testing.B) {
	for _, p := range programs.Compute() {
		n := p.Work / 10
		switch p.Name {
		case "fib":
			n = p.Work - 5
		case "matmul":
			n = 100
		}
		want, known := int64(0), false
		for _, e := range engines {
			b.Run(fmt.Sprintf("work=%s/n=%d/engine=%s", p.Name, n, e.name), func(b *testing.B) {
				run := e.load(b, p.Name)
				got := run(20) // memory keeps what a run leaves, so the first is compared
				if !known {
					want, known = got, true
				}
				if got != want {
					b.Fatalf("got %d, want %d", got, want)
				}
				t, turns := cputime.Used(), 0
				for b.Loop() {
					run(n)
					turns++
				}
				b.ReportMetric(float64((cputime.Used()-t).Microseconds())/1000/float64(turns), "cpu-ms/op")
			})
		}
	}
}
