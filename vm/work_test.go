package vm_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"stackscope/vm"
	"stackscope/wasm"
)

// bulkInstructions are the instructions whose operands decide how long they take, each doing the
// same amount of work: bulkBytes.
const bulkBytes = 1 << 20

var bulkInstructions = []struct{ name, text string }{
	{"memory.fill", `(memory.fill (i32.const 0) (i32.const 7) (i32.const 0x100000))`},
	{"memory.fill with zero", `(memory.fill (i32.const 0) (i32.const 0) (i32.const 0x100000))`},
	{"memory.copy", `(memory.copy (i32.const 16) (i32.const 0) (i32.const 0x100000))`},
	{"memory.init", `(memory.init $data (i32.const 0) (i32.const 0) (i32.const 0x100000))`},
	{"memory.grow", `(drop (memory.grow (i32.const 16)))`},
	{"table.fill", `(table.fill $t (i32.const 0) (ref.func $other) (i32.const 0x10000))`},
	{"table.copy", `(table.copy $t $t (i32.const 1) (i32.const 0) (i32.const 0x10000))`},
	{"table.init", `(table.init $t $elem (i32.const 0) (i32.const 0) (i32.const 0x10000))`},
	{"table.grow", `(drop (table.grow $t (ref.func $other) (i32.const 0x10000)))`},
	{"array.new", `(drop (array.new $bytes (i32.const 1) (i32.const 0x100000)))`},
	{"array.new of references", `(drop (array.new $refs (ref.func $other) (i32.const 0x10000)))`},
	{"array.new_default", `(drop (array.new_default $longs (i32.const 0x20000)))`},
	{"array.new_data", `(drop (array.new_data $bytes $data (i32.const 0) (i32.const 0x100000)))`},
	{"array.new_elem", `(drop (array.new_elem $refs $elem (i32.const 0) (i32.const 0x10000)))`},
	{"array.fill", `(array.fill $longs (global.get $l) (i32.const 0) (i64.const 1) (i32.const 0x20000))`},
	{
		"array.copy",
		`(array.copy $longs $longs (global.get $l) (i32.const 1) (global.get $l) (i32.const 0) (i32.const 0x20000))`,
	},
	{
		"array.init_data",
		`(array.init_data $longs $data (global.get $l) (i32.const 0) (i32.const 0) (i32.const 0x20000))`,
	},
	{
		"array.init_elem",
		`(array.init_elem $refs $elem (global.get $r) (i32.const 0) (i32.const 0) (i32.const 0x10000))`,
	},
}

// bulkModule returns a module that exports `loop`, which executes an instruction for ever, and
// `line`, which does so 30 times without a loop or call. Both count the rounds in the global
// "rounds"; after the first they call `now`.
func bulkModule(t *testing.T, text string) *wasm.Module {
	t.Helper()
	round := `(if (i32.eq (global.get $rounds) (i32.const 1)) (then (call $now)))
	  ` + text + `
	  (global.set $rounds (i32.add (global.get $rounds) (i32.const 1)))`
	need := func(name string, n int) int { // segments of a megabyte take time to read
		if strings.Contains(text, name) {
			return n
		}
		return 0
	}
	src := `(module
	  (type $bytes (array (mut i8))) (type $longs (array (mut i64))) (type $refs (array (mut funcref)))
	  (import "host" "now" (func $now))
	  (memory 20) (data $data "` + strings.Repeat("x", need("$data", bulkBytes)) + `")
	  (table $t 0x10001 funcref) (elem $elem func ` + strings.Repeat("0 ", need("$elem", bulkBytes/16)) + `)
	  (elem declare func $other) (func $other)
	  (global $rounds (export "rounds") (mut i32) (i32.const 0))
	  (global $l (ref $longs) (array.new_default $longs (i32.const 0x20001)))
	  (global $r (ref $refs) (array.new_default $refs (i32.const 0x10001)))
	  (func (export "loop") (loop $l ` + round + ` (br $l)))
	  (func (export "line") ` + strings.Repeat(round, 30) + `))`
	return mustLower(t, src)
}

// bulkInstance instantiates a bulkModule with what `now` does.
func bulkInstance(t *testing.T, m *vm.Machine, mod *wasm.Module, now func()) *vm.Instance {
	t.Helper()
	in, err := m.Instantiate(
		context.Background(), mod, "",
		vm.ImportMap{"host": {"now": m.NewFunc("now", nil, nil, func(*vm.Call) error { now(); return nil })}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

var bulkForms = []struct {
	name string
	opt  vm.Options
	step bool
}{{"fused", vm.Options{}, false}, {"baseline", vm.Options{Baseline: true}, false}, {"instrumented", vm.Options{}, true}}

// Fuel, termination and timeouts end bulk instructions after a bounded amount of work, in each form
// of code the same.
func TestBulkWork(t *testing.T) {
	const fuel = 40_000
	slice := 8192 * 256 / bulkBytes // instructions between two looks at the flags
	for _, c := range bulkInstructions {
		t.Run(c.name, func(t *testing.T) {
			mod, used := bulkModule(t, c.text), ""
			for _, form := range bulkForms {
				run := func(opt vm.Options, export string, now func(*vm.Machine, context.CancelFunc)) (string, int) {
					opt.Baseline = form.opt.Baseline
					m := vm.New(opt)
					m.SetStepping(form.step)
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					in := bulkInstance(t, m, mod, func() { now(m, cancel) })
					got := outcome(in.Invoke(ctx, export))
					rounds := int(in.Export("rounds").(*vm.Global).Get().I32())
					return fmt.Sprintf("%s after %d rounds and %d", got, rounds, m.Stats().Fuel), rounds
				}
				nothing := func(*vm.Machine, context.CancelFunc) {}
				text, n := run(vm.Options{Fuel: fuel}, "loop", nothing)
				if !strings.HasPrefix(text, "out of fuel") || n > fuel*256/bulkBytes {
					t.Errorf("%s: with fuel: %s", form.name, text)
				}
				if used == "" {
					used = text
				}
				if text != used {
					t.Errorf("%s: %s, not %s", form.name, text, used)
				}
				for _, export := range []string{"loop", "line"} {
					text, n = run(vm.Options{}, export, func(m *vm.Machine, _ context.CancelFunc) { m.Terminate() })
					if !strings.HasPrefix(text, "interrupted") || n > 1+slice+1 {
						t.Errorf("%s, %s: terminated: %s", form.name, export, text)
					}
				}
				text, _ = run(vm.Options{}, "loop", func(_ *vm.Machine, cancel context.CancelFunc) { cancel() })
				if !strings.HasPrefix(text, "interrupted") { // when depends on another goroutine
					t.Errorf("%s: cancelled: %s", form.name, text)
				}
			}
		})
	}
}

// A pause that is asked for comes within a bounded amount of work.
func TestBulkPause(t *testing.T) {
	for _, c := range bulkInstructions[:3] {
		mod := bulkModule(t, c.text)
		for _, form := range bulkForms[:2] {
			m := vm.New(form.opt)
			paused := int32(-1)
			var in *vm.Instance
			m.SetProbe(func(s *vm.Stop) {
				if s.Reason == vm.StopPause {
					paused = in.Export("rounds").(*vm.Global).Get().I32()
					m.Terminate()
				}
			})
			in = bulkInstance(t, m, mod, m.RequestPause)
			if got := outcome(in.Invoke(context.Background(), "line")); got != "interrupted" || paused < 1 ||
				paused > 4 {
				t.Errorf("%s, %s: %s, paused after %d rounds", c.name, form.name, got, paused)
			}
		}
	}
}

// Long instructions are done in chunks, with the same result as at once.
func TestBulkChunks(t *testing.T) {
	const n = 3<<20 + 12345
	src := `(module
	  (memory (export "m") 200)
	  (type $a (array (mut i16)))
	  (func (export "fill") (param i32 i32 i32) (memory.fill (local.get 0) (local.get 1) (local.get 2)))
	  (func (export "copy") (param i32 i32 i32) (memory.copy (local.get 0) (local.get 1) (local.get 2)))
	  (func (export "array") (param $n i32) (result i32) (local $a (ref $a)) (local $i i32)
	    (local.set $a (array.new $a (i32.const 0xabcd) (local.get $n)))
	    (loop $l
	      (if (i32.ne (array.get_u $a (local.get $a) (local.get $i)) (i32.const 0xabcd)) (then (return (local.get $i))))
	      (local.set $i (i32.add (local.get $i) (i32.const 1001)))
	      (br_if $l (i32.lt_u (local.get $i) (local.get $n))))
	    (array.get_u $a (local.get $a) (i32.sub (local.get $n) (i32.const 1)))))`
	in := texts(t, vm.New(vm.Options{}), nil, src)[0]
	ctx := context.Background()
	mem := in.Export("m").(*vm.Memory).Bytes()
	want := bytes.Clone(mem)
	for i := range want {
		want[i] = byte(i * 7 >> 3)
	}
	copy(mem, want)
	for _, x := range [][3]int{{0, 5000, n}, {5000, 0, n}, {3 << 20, 0, n}, {0, 3 << 20, n}, {77, 77, n}} {
		if _, err := in.Invoke(ctx, "copy", vm.I32(int32(x[0])), vm.I32(int32(x[1])), vm.I32(int32(x[2]))); err != nil {
			t.Fatal(err)
		}
		copy(want[x[0]:x[0]+x[2]], want[x[1]:x[1]+x[2]])
		if !bytes.Equal(mem, want) {
			t.Errorf("memory.copy %v", x)
		}
	}
	for _, b := range []byte{9, 0} {
		if _, err := in.Invoke(ctx, "fill", vm.I32(13), vm.I32(int32(b)), vm.I32(n)); err != nil {
			t.Fatal(err)
		}
		copy(want[13:], bytes.Repeat([]byte{b}, n))
		if !bytes.Equal(mem, want) {
			t.Errorf("memory.fill with %d", b)
		}
	}
	if got := outcome(in.Invoke(ctx, "array", vm.I32(n))); got != "43981" {
		t.Error("array.new:", got)
	}
}
