package binary_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/testing/genwat"
	"stackscope/wasm"
	"stackscope/wasm/binary"
)

// TestParallel: several goroutines read the same from a large module as one, and find the same
// errors.
func TestParallel(t *testing.T) {
	text := genwat.Text(genwat.Options{Bytes: 1_300_000, Seed: 5, Stacks: true})
	m, ok := analysis.Open(source.NewFile("large.wat", text), analysis.Options{}).Modules()[0].Lower()
	if !ok {
		t.Fatal("the generated text has errors")
	}
	b, err := binary.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) < 150_000 {
		t.Fatalf("%d bytes are not read by several goroutines", len(b))
	}
	decode := func(procs int, b []byte) (*wasm.Module, error) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		return binary.Decode(b)
	}
	same := func(what string, b []byte) (failed bool) {
		one, oneErr := decode(1, b)
		many, manyErr := decode(4, b)
		if !reflect.DeepEqual(oneErr, manyErr) || !reflect.DeepEqual(one, many) {
			t.Errorf(
				"%s: one goroutine: %v; several: %v; the same modules: %v", what, oneErr, manyErr,
				reflect.DeepEqual(one, many),
			)
		}
		return oneErr != nil
	}
	if same("the module", b) {
		t.Error("it cannot be read")
	}
	r := rand.New(rand.NewPCG(1, 2))
	wrong := 0
	for range 40 {
		c := bytes.Clone(b)
		for range 1 + r.IntN(4) {
			c[8+r.IntN(len(c)-8)] ^= byte(1 << r.IntN(8))
		}
		if same("a changed module", c) {
			wrong++
		}
		if same("a part of the module", b[:8+r.IntN(len(b)-8)]) {
			wrong++
		}
	}
	if wrong < 40 {
		t.Errorf("only %d of 80 have errors", wrong)
	}
}
