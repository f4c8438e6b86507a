package vm_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/wasm"
)

// hoarders allocate for ever and keep everything, each in another way: `run` never returns.
var hoarders = []struct{ name, text string }{
	{"structures", `(type $s (struct (field i64) (field (ref null $s))))
	  (func (export "run") (local $l (ref null $s)) (loop $m (local.set $l (struct.new $s (i64.const 1) (local.get $l))) (br $m)))`},
	{"large structures", `(type $s (struct (field (ref null $s)) ` + strings.Repeat("(field i64)", 1000) + `))
	  (global $l (mut (ref null $s)) (ref.null $s))
	  (func (export "run") (local $n (ref null $s)) (loop $m
	    (local.set $n (struct.new_default $s)) (table.set $t (i32.const 0) (local.get $n)) (drop (table.grow $t (local.get $n) (i32.const 1))) (br $m)))
	  (table $t 1 (ref null $s))`},
	{"arrays of numbers", `(type $a (array (mut i32))) (type $s (struct (field (ref $a)) (field (ref null $s))))
	  (func (export "run") (local $l (ref null $s)) (loop $m (local.set $l (struct.new $s (array.new $a (i32.const 1) (i32.const 300)) (local.get $l))) (br $m)))`},
	{"arrays of references", `(type $a (array (mut anyref)))
	  (func (export "run") (local $l anyref) (loop $m (local.set $l (array.new $a (local.get $l) (i32.const 100))) (br $m)))`},
	{"fixed arrays", `(type $a (array (mut anyref)))
	  (func (export "run") (local $l anyref) (loop $m (local.set $l (array.new_fixed $a 2 (local.get $l) (local.get $l))) (br $m)))`},
	{"one huge array", `(type $a (array (mut i64)))
	  (func (export "run") (drop (array.new_default $a (i32.const 100000000))))`},
	{"exceptions", `(tag $e (param i64 exnref))
	  (func (export "run") (local $l exnref) (loop $m
	    (block $c (result i64 exnref exnref) (try_table (catch_ref $e $c) (throw $e (i64.const 1) (local.get $l))) (unreachable))
	    (local.set $l) (drop) (drop) (br $m)))`},
	{
		"new continuations",
		`(type $f (func)) (type $k (cont $f)) (type $s (struct (field (ref $k)) (field (ref null $s))))
	  (func $body (local i64 i64 i64)) (elem declare func $body)
	  (func (export "run") (local $l (ref null $s)) (loop $m (local.set $l (struct.new $s (cont.new $k (ref.func $body)) (local.get $l))) (br $m)))`,
	},
	{
		"suspended continuations",
		`(type $f (func)) (type $k (cont $f)) (type $s (struct (field (ref $k)) (field (ref null $s)))) (tag $y)
	  (func $deep (param i32) (if (local.get 0) (then (call $deep (i32.sub (local.get 0) (i32.const 1)))) (else (suspend $y))))
	  (func $body (call $deep (i32.const 20))) (elem declare func $body)
	  (func (export "run") (local $l (ref null $s)) (loop $m
	    (block $on (result (ref $k)) (resume $k (on $y $on) (cont.new $k (ref.func $body))) (unreachable))
	    (local.get $l) (struct.new $s) (local.set $l) (br $m)))`,
	},
	{"nested continuations", `(type $f (func)) (type $k (cont $f))
	  (func $body (resume $k (cont.new $k (ref.func $body)))) (elem declare func $body)
	  (func (export "run") (call $body))`},
	{"frames with many locals", `(func $f (export "run") (local ` + strings.Repeat("i64 ", 2000) + `) (call $f))`},
	{
		"frames with many references",
		`(func $f (export "run") (local ` + strings.Repeat("anyref ", 2000) + `) (call $f))`,
	},
	{
		"stacks",
		`(@stack-switching "stacks") (rec (type $c (stack (ref null $c)))) (type $s (struct (field (ref $c)) (field (ref null $s))))
	  (func $body (param (ref null $c)))
	  (func (export "run") (local $l (ref null $s)) (loop $m (local.set $l (struct.new $s (stack.new $c $body) (local.get $l))) (br $m)))`,
	},
	{"fibers", `(tag $r) (type $s (struct (field anyref) (field (ref null $s))))
	  (table $t 1 fiberref)
	  (func (export "run") (local $f fiberref) (loop $m (local.set $f (fiber.new $r)) (drop (table.grow $t (local.get $f) (i32.const 1))) (br $m)))`},
	{"tasks", `(func $f (param taskref) (event.switch)) (table $t 1 taskref)
	  (func (export "run") (loop $m (drop (table.grow $t (task.new $f) (i32.const 1))) (br $m)))`},
}

// Whatever a program allocates for ever, it ends in a trap, in each form of code, and the process
// stays small.
func TestOutOfMemory(t *testing.T) {
	const limit = 3 << 20
	ctx := context.Background()
	for _, p := range hoarders {
		t.Run(p.name, func(t *testing.T) {
			mod := mustLower(t, "(module "+p.text+")")
			for _, opt := range []vm.Options{{}, {Baseline: true}} {
				opt.MaxMemory = limit
				m := vm.New(opt)
				in, err := m.Instantiate(ctx, mod, "", nil)
				if err != nil {
					t.Fatal(err)
				}
				before := heap(true)
				for range 2 { // a trap does not make room for more
					stop := watchHeap()
					got := outcome(in.Invoke(ctx, "run"))
					peak := stop()
					if got != "out of memory" {
						t.Errorf("%+v: %s", opt, got)
					}
					if peak > before+16*limit {
						t.Errorf("%+v: the heap grew to %d MiB", opt, peak>>20)
					}
				}
				if after := heap(true); after > before+4*limit {
					t.Errorf("%+v: the heap has %d MiB after the calls", opt, after>>20)
				}
				runtime.KeepAlive(in)
			}
		})
	}
}

// mustLower returns the module of a text.
func mustLower(t *testing.T, text string) *wasm.Module {
	t.Helper()
	mod, ok := analysis.Open(source.NewFile("test.wat", text), analysis.Options{}).Modules()[0].Lower()
	if !ok {
		t.Fatalf("the module is wrong: %.200s", text)
	}
	return mod
}

// What a program drops does not count, however much that is.
func TestMemoryIsGivenBack(t *testing.T) {
	for _, p := range reclaimPrograms {
		mod := mustLower(t, p.text)
		m := vm.New(vm.Options{MaxMemory: 4 << 20})
		in, err := m.Instantiate(context.Background(), mod, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Invoke(context.Background(), "run", vm.I64(50_000)); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}

// What a module declares is refused as a whole, before any of it is made; growing beyond the limit
// is refused with -1.
func TestDeclaredMemory(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name, text string
		limit      uint64
		want       string // "" where it is accepted
	}{
		{"a hundred tables", strings.Repeat("(table 10000000 funcref)", 100), 0, "out of memory: the module declares tables of 16000000000 bytes, which is more than the limit"},
		{"more than 4 GiB", "(memory 65536) (memory 1)", 0, "out of memory: the module declares memories of 4295032832 bytes, which is more than the limit"},
		{"a 64-bit memory of everything", "(memory i64 0x1000000000000)", 0, "out of memory"},
		{"within a limit", "(memory 8) (table 1000 funcref)", 1 << 20, ""},
		{"beyond a limit", "(memory 8) (table 40000 funcref)", 1 << 20, "out of memory"},
		{"elements beyond a limit", "(elem func " + strings.Repeat("0 ", 70000) + ")", 1 << 20, "out of memory"},
	} {
		mod := mustLower(t, "(module (func) "+c.text+")")
		m := vm.New(vm.Options{MaxMemory: c.limit})
		before := heap(false)
		for range 3 { // what is refused is given back
			_, err := m.Instantiate(ctx, mod, "", nil)
			if c.want == "" {
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
				break
			}
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: %v", c.name, err)
			}
			if now := heap(false); now > before+64<<20 {
				t.Errorf("%s: %d MiB were made first", c.name, (now-before)>>20)
			}
		}
		if c.want == "" {
			continue
		}
		if _, err := m.Instantiate(ctx, mustLower(t, "(module (memory 10))"), "", nil); err != nil {
			t.Errorf("%s: afterwards: %v", c.name, err)
		}
	}
	in := texts(t, vm.New(vm.Options{MaxMemory: 1 << 20}), nil, `(module (memory 1) (table $t 1 funcref)
	  (func (export "memory") (param i32) (result i32) (memory.grow (local.get 0)))
	  (func (export "table") (param i32) (result i32) (table.grow $t (ref.null func) (local.get 0))))`)[0]
	for _, c := range []struct {
		name string
		n    int32
		want string
	}{
		{"memory", 20, "-1"}, {"memory", 7, "1"}, {"memory", 20, "-1"}, {"table", 40000, "-1"}, {"table", 20000, "1"}, {"table", 20000, "-1"}, {"memory", 7, "-1"},
	} {
		if got := outcome(in.Invoke(ctx, c.name, vm.I32(c.n))); got != c.want {
			t.Errorf("%s.grow by %d: %s, not %s", c.name, c.n, got, c.want)
		}
	}
}

// The peak counts stacks that were alive at one time: exactly where none is dropped, and no dropped
// ones.
func TestPeak(t *testing.T) {
	for _, c := range []struct {
		name, text string
		least      uint64
		most       uint64
	}{
		{"dropped", `(func (export "run") (result i32) (local $i i32)
		  (loop $l (drop (cont.new $k (ref.func $body)))
		    (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 10000))))
		  (local.get $i))`, 0, 1},
		{"dropped beside ten", `(table $t 10 (ref null $k))
		  (func (export "run") (result i32) (local $i i32)
		  (loop $l (table.set $t (i32.rem_u (local.get $i) (i32.const 10)) (cont.new $k (ref.func $body)))
		    (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 10000))))
		  (local.get $i))`, 10, 10},
		{"all finished", `(table $t 3000 (ref null $k))
		  (func (export "run") (result i32) (local $i i32)
		  (loop $l (table.set $t (local.get $i) (cont.new $k (ref.func $body)))
		    (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 3000))))
		  (loop $l (local.set $i (i32.sub (local.get $i) (i32.const 1))) (resume $k (table.get $t (local.get $i)))
		    (br_if $l (local.get $i)))
		  (local.get $i))`, 3000, 3000},
		{"nested", `(func $nest (param $n i32) (if (local.get $n) (then (resume $kn (i32.sub (local.get $n) (i32.const 1)) (cont.new $kn (ref.func $nest))))))
		  (type $fn (func (param i32))) (type $kn (cont $fn)) (elem declare func $nest)
		  (func (export "run") (result i32) (call $nest (i32.const 2000)) (i32.const 0))`, 2000, 2000},
		{"a generator a round", `(tag $y) (func $gen (suspend $y)) (elem declare func $gen)
		  (func (export "run") (result i32) (local $i i32)
		  (loop $l
		    (drop (block $on (result (ref $k)) (resume $k (on $y $on) (cont.new $k (ref.func $gen))) (unreachable)))
		    (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 10000))))
		  (local.get $i))`, 0, 2},
	} {
		for _, opt := range []vm.Options{{}, {Baseline: true}} {
			m := vm.New(opt)
			in := texts(t, m, nil, `(module (type $f (func)) (type $k (cont $f)) (func $body) (elem declare func $body) `+c.text+`)`)[0]
			if _, err := in.Invoke(context.Background(), "run"); err != nil {
				t.Fatal(c.name, err)
			}
			if p := m.Stats().Peak; p < c.least || p > c.most {
				t.Errorf("%s, %+v: a peak of %d, not %d to %d", c.name, opt, p, c.least, c.most)
			}
		}
	}
}

// A backtrace across many stacks has the innermost and the outermost ones.
func TestLongBacktrace(t *testing.T) {
	m := vm.New(vm.Options{})
	in := texts(t, m, nil, `(module (type $f (func (param i32))) (type $k (cont $f)) (elem declare func $nest)
	  (func $nest (export "run") (param $n i32)
	    (if (local.get $n) (then (resume $k (i32.sub (local.get $n) (i32.const 1)) (cont.new $k (ref.func $nest)))) (else (unreachable)))))`)[0]
	for _, n := range []int{119, 120, 5000} {
		_, err := in.Invoke(context.Background(), "run", vm.I32(int32(n)))
		var trap *vm.Trap
		if !errors.As(err, &trap) {
			t.Fatal(err)
		}
		bt, stacks, skipped := trap.Backtrace, 0, 0
		for i, st := range bt {
			stacks += 1 + st.Skipped
			skipped += st.Skipped
			if st.Skipped > 0 && i != 99 {
				t.Errorf("%d: stacks are left out after %d", n, i)
			}
		}
		if len(bt) != min(n+1, 120) || stacks != n+1 || skipped != n+1-len(bt) || !bt[len(bt)-1].Rooted {
			t.Errorf("%d: %d stacks, %d with those left out", n, len(bt), stacks)
		}
	}
}
