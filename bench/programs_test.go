// Package bench holds the benchmarks that compare the product with others, or with itself.
package bench

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"

	"stackscope/bench/programs"
	"stackscope/vm"
	wb "stackscope/wasm/binary"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
)

// wasmOf returns a program in the binary format.
func wasmOf(t testing.TB, name string) []byte {
	t.Helper()
	text, err := programs.Text(name)
	if err != nil {
		t.Fatal(err)
	}
	u, err := loader.Text(source.NewFile(name+".wat", text), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := wb.Encode(u.Module)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func run(t testing.TB, name string, n int) int64 {
	t.Helper()
	m, fn := load(t, name)
	r, err := m.Call(context.Background(), fn, vm.I32(int32(n)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r[0].I64()
}

// The programs do what they are named for.
func TestPrograms(t *testing.T) {
	h := sha256.New()
	for range 3 {
		var block [64]byte
		for i := range block {
			block[i] = byte(i)
		}
		h.Write(block[:])
	}
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range 9 {
		for j := range 9 {
			for k := range 9 {
				sum += float64((i*9+k)&15) * float64((k*9+j)&7)
			}
		}
	}
	for _, c := range []struct {
		name string
		n    int
		want int64
	}{
		{"gen", 10, 55},
		{"create", 10, 10},
		{"create_suspend", 10, 10},
		{"fib", 15, 610},
		{"sieve", 1000, 168},
		{"sha256", 3, int64(binary.BigEndian.Uint64(state[4:]))},
		{"matmul", 9, int64(math.Float64bits(sum))},
	} {
		if got := run(t, c.name, c.n); got != c.want {
			t.Errorf("%s(%d) = %#x, want %#x", c.name, c.n, got, c.want)
		}
	}
	for _, p := range programs.Switches() {
		run(t, p.Name, 1000)
	}
}

// wazero gets the same results.
func TestProgramsBeside(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	for _, p := range programs.Compute() {
		n := min(20, p.Work)
		in, err := r.Instantiate(ctx, wasmOf(t, p.Name))
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		want, err := in.ExportedFunction("run").Call(ctx, uint64(n))
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		if got := run(t, p.Name, n); !slices.Equal([]uint64{uint64(got)}, want) {
			t.Errorf("%s(%d) = %#x, wazero gets %#x", p.Name, n, got, want)
		}
		in.Close(ctx)
	}
}
