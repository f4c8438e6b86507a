package difftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"stackscope/vm"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/valid"
)

// TestAgainstWazero runs random modules here and in wazero's interpreter and compares results,
// traps, globals and memory after every call. DIFFTEST_N sets how many modules, DIFFTEST_SEED the
// first seed.
func TestAgainstWazero(t *testing.T) {
	n, first := 150, uint64(1)
	if testing.Short() {
		n = 20
	}
	if s := os.Getenv("DIFFTEST_N"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("DIFFTEST_SEED"); s != "" {
		first, _ = strconv.ParseUint(s, 10, 64)
	}
	for seed := first; seed < first+uint64(n); seed++ {
		c := Generate(seed, seed%2 == 0)
		valid.New(c.Module).
			Module(func(e valid.Error) { t.Fatalf("seed %d: the generator made an invalid module: %+v", seed, e) })
		code, err := binary.Encode(c.Module)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := compare(c, code); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// traps maps wazero's words to ours; it has one for an index out of bounds and a null element.
var traps = []struct {
	theirs string
	ours   []wasm.TrapKind
}{
	{"out of bounds memory access", []wasm.TrapKind{wasm.TrapMemoryOutOfBounds}},
	{"integer divide by zero", []wasm.TrapKind{wasm.TrapIntegerDivideByZero}},
	{"integer overflow", []wasm.TrapKind{wasm.TrapIntegerOverflow}},
	{"invalid conversion to integer", []wasm.TrapKind{wasm.TrapInvalidConversion}},
	{"invalid table access", []wasm.TrapKind{wasm.TrapUndefinedElement, wasm.TrapUninitializedElement}},
	{"indirect call type mismatch", []wasm.TrapKind{wasm.TrapIndirectCallType}},
	{"unreachable", []wasm.TrapKind{wasm.TrapUnreachable}},
}

func compare(c *Case, code []byte) error {
	ctx := context.Background()
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer rt.Close(ctx)
	theirs, err := rt.Instantiate(ctx, code)
	if err != nil {
		return fmt.Errorf("wazero does not take the module: %w", err)
	}
	// through the binary, so that the decoder takes part
	m, err := binary.Decode(code)
	if err != nil {
		return err
	}
	mach := vm.New(vm.Options{})
	ours, err := mach.Instantiate(ctx, m, "random", nil)
	if err != nil {
		return err
	}
	for _, call := range c.Calls {
		fn, ok := ours.Export(call.Name).(*vm.Func)
		if !ok {
			return fmt.Errorf("no function %s", call.Name)
		}
		want, werr := theirs.ExportedFunction(call.Name).Call(ctx, call.Args...)
		got, gerr := mach.Call(ctx, fn, call.Values()...)
		if err := sameOutcome(got, gerr, want, werr); err != nil {
			return fmt.Errorf("%s(%#x): %w", call.Name, call.Args, err)
		}
		mem := ours.Export(memoryExport).(*vm.Memory)
		theirMem, _ := theirs.Memory().Read(0, theirs.Memory().Size())
		if !bytes.Equal(mem.Bytes(), theirMem) {
			return fmt.Errorf("%s: memories differ (%d and %d bytes)", call.Name, len(mem.Bytes()), len(theirMem))
		}
		for i, g := range c.Module.Globals {
			if g.Type == wasm.V128 {
				continue
			}
			name := fmt.Sprintf("g%d", i)
			if a, b := ours.Export(name).(*vm.Global).Get().Lo, theirs.ExportedGlobal(name).Get(); a != b {
				return fmt.Errorf("%s: global %s is %#x, wazero's %#x", call.Name, name, a, b)
			}
		}
	}
	return nil
}

func sameOutcome(got []vm.Value, gerr error, want []uint64, werr error) error {
	if werr != nil {
		var trap *vm.Trap
		if !errors.As(gerr, &trap) {
			return fmt.Errorf("wazero traps (%v), we give %v %v", werr, got, gerr)
		}
		for _, k := range traps {
			if strings.Contains(werr.Error(), k.theirs) {
				if !slices.Contains(k.ours, trap.Kind) {
					return fmt.Errorf("wazero traps with %q, we with %q", k.theirs, trap.Kind)
				}
				return nil
			}
		}
		return fmt.Errorf("a trap that the test does not know: %v", werr)
	}
	if gerr != nil {
		return fmt.Errorf("wazero gives %#x, we fail: %w", want, gerr)
	}
	var flat []uint64
	for _, v := range got {
		flat = append(flat, v.Lo)
		if v.Type == wasm.V128 {
			flat = append(flat, v.Hi)
		}
	}
	if len(flat) != len(want) {
		return fmt.Errorf("%d words of results, wazero %d", len(flat), len(want))
	}
	for i := range flat {
		if flat[i] != want[i] {
			return fmt.Errorf("result word %d is %#x, wazero's %#x", i, flat[i], want[i])
		}
	}
	return nil
}
