package vm_test

import (
	"context"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
)

// walked keeps stacks wherever one can be: in globals, two tables, structures that hang together,
// and in the locals of stacks that are suspended, and hang below others.
const surveyed = `(module
  (type $f (func)) (type $c (cont $f)) (tag $y) (tag $out)
  (type $cell (struct (field (ref null $c)) (field (ref null $cell))))
  (global $g (mut (ref null $c)) (ref.null $c))
  (global $cells (mut (ref null $cell)) (ref.null $cell))
  (table $a 40 (ref null $c)) (table $b 25 (ref null $c))
  (elem declare func $plain $holds $outer)
  (func $plain (suspend $y))
  (func $holds (local $k (ref null $c)) (local.set $k (cont.new $c (ref.func $plain))) (suspend $y) (resume $c (local.get $k)))
  (func $outer (resume $c (cont.new $c (ref.func $holds))))
  (func $started (param $k (ref $c)) (result (ref $c))
    (block $on (result (ref $c)) (resume $c (on $y $on) (local.get $k)) (unreachable)))
  (func (export "run") (local $i i32)
    (global.set $g (call $started (cont.new $c (ref.func $outer))))
    (loop $l
      (table.set $a (local.get $i) (call $started (cont.new $c (ref.func $holds))))
      (global.set $cells (struct.new $cell (call $started (cont.new $c (ref.func $plain))) (global.get $cells)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $l (i32.lt_u (local.get $i) (i32.const 25))))
    (loop $l
      (local.set $i (i32.sub (local.get $i) (i32.const 1)))
      (table.set $b (local.get $i) (cont.new $c (ref.func $outer)))
      (br_if $l (local.get $i)))
    (suspend $out)))`

// TestHeapWalk: whatever the parts are in which a heap walk is made, it finds every stack once, in
// the same order.
func TestHeapWalk(t *testing.T) {
	u, err := loader.Text(source.NewFile("m.wat", surveyed), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := vm.New(vm.Options{})
	in, err := m.Instantiate(context.Background(), u.Module, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	looked := false
	m.SetProbe(func(*vm.Stop) { // at the suspension that nothing takes
		looked = true
		survey := func(part int) (ids []uint64) {
			seen := map[uint64]bool{}
			s := m.WalkHeap(func(st *vm.Stack, _ vm.Holder) {
				if seen[st.ID()] {
					t.Errorf("in parts of %d: #%d is found twice", part, st.ID())
				}
				seen[st.ID()] = true
				ids = append(ids, st.ID())
			})
			calls := 1
			for s.More(part) {
				if calls++; calls > 10_000 {
					t.Fatalf("in parts of %d: it has no end", part)
				}
			}
			if part == 1 && calls < 50 {
				t.Errorf("only %d parts", calls)
			}
			return ids
		}
		want := survey(1 << 30)
		if len(want) != 1+3+25*2+25+25 || len(want) != len(m.LiveStacks(0)) {
			t.Errorf("%d stacks, of %d", len(want), len(m.LiveStacks(0)))
		}
		for part := 1; part < 120; part++ {
			got := survey(part)
			for i := range want {
				if len(got) != len(want) || got[i] != want[i] {
					t.Fatalf("in parts of %d: %d, want %d", part, got, want)
				}
			}
		}
		s, n := m.WalkHeap(func(*vm.Stack, vm.Holder) {}), 0
		if m.LiveStacks(0); s.Valid() {
			t.Error("a heap walk continues though another one was made")
		}
		for st := range m.Chain() {
			if n++; !m.WalkHeap(func(*vm.Stack, vm.Holder) {}).Found(st) {
				t.Error("the running chain is not found at once")
			}
		}
		if n != 1 {
			t.Errorf("a chain of %d", n)
		}
	})
	if _, err := in.Invoke(context.Background(), "run"); err == nil || !looked {
		t.Errorf("%v, looked: %v", err, looked)
	}
}
