package vm_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/vm"
)

// reclaimPrograms make and drop objects: each exports `run : [i64] -> []`, which makes as many of a
// kind as it is told, and keeps none but the last.
var reclaimPrograms = []struct{ name, text string }{
	{"structs", `(module
  (type $s (struct (field (mut i64)) (field (ref null $s))))
  (func (export "run") (param $n i64) (local $last (ref null $s))
    (loop $more
      (local.set $last (struct.new $s (local.get $n) (struct.new $s (local.get $n) (ref.null $s))))
      (local.set $n (i64.sub (local.get $n) (i64.const 2)))
      (br_if $more (i64.gt_s (local.get $n) (i64.const 0))))))`},
	{"structs in a cycle", `(module
  (type $s (struct (field (mut (ref null $s)))))
  (func (export "run") (param $n i64) (local $last (ref null $s))
    (loop $more
      (local.set $last (struct.new_default $s))
      (struct.set $s 0 (local.get $last) (local.get $last))
      (local.set $n (i64.sub (local.get $n) (i64.const 1)))
      (br_if $more (i64.gt_s (local.get $n) (i64.const 0))))))`},
	{"arrays", `(module
  (type $a (array (mut i32)))
  (func (export "run") (param $n i64) (local $last (ref null $a))
    (loop $more
      (local.set $last (array.new $a (i32.wrap_i64 (local.get $n)) (i32.const 8)))
      (local.set $n (i64.sub (local.get $n) (i64.const 1)))
      (br_if $more (i64.gt_s (local.get $n) (i64.const 0))))))`},
	{"exceptions", `(module
  (tag $e (param i64))
  (func (export "run") (param $n i64) (local $last exnref)
    (loop $more
      (block $caught (result i64 exnref)
        (try_table (catch_ref $e $caught) (throw $e (local.get $n)))
        (unreachable))
      (local.set $last) (drop)
      (local.set $n (i64.sub (local.get $n) (i64.const 1)))
      (br_if $more (i64.gt_s (local.get $n) (i64.const 0))))))`},
	{"new continuations", `(module
  (type $f (func (param i64))) (type $k (cont $f))
  (func $body (param i64))
  (elem declare func $body)
  (func (export "run") (param $n i64) (local $last (ref null $k))
    (loop $more
      (local.set $last (cont.new $k (ref.func $body)))
      (local.set $n (i64.sub (local.get $n) (i64.const 1)))
      (br_if $more (i64.gt_s (local.get $n) (i64.const 0))))))`},
	{"suspended continuations", `(module
  (type $f (func (param i64))) (type $k (cont $f))
  (type $g (func)) (type $kg (cont $g))
  (tag $yield)
  (func $body (param i64) (suspend $yield))
  (elem declare func $body)
  (func (export "run") (param $n i64) (local $last (ref null $kg))
    (loop $more
      (block $suspended (result (ref $kg))
        (resume $k (on $yield $suspended) (local.get $n) (cont.new $k (ref.func $body)))
        (unreachable))
      (local.set $last)
      (local.set $n (i64.sub (local.get $n) (i64.const 1)))
      (br_if $more (i64.gt_s (local.get $n) (i64.const 0))))))`},
}

// TestReclaim makes and drops 2 million objects of each kind, or STACKSCOPE_RECLAIM: the heap stays
// small all the while, and is as before afterwards.
func TestReclaim(t *testing.T) {
	n := int64(2_000_000)
	if testing.Short() {
		n = 100_000
	}
	if v, err := strconv.ParseInt(os.Getenv("STACKSCOPE_RECLAIM"), 10, 64); err == nil {
		n = v
	}
	for _, p := range reclaimPrograms {
		t.Run(p.name, func(t *testing.T) {
			mod, ok := analysis.Open(source.NewFile("reclaim.wat", p.text), analysis.Options{}).Modules()[0].Lower()
			if !ok {
				t.Fatal("the module is wrong")
			}
			ctx := context.Background()
			m := vm.New(vm.Options{})
			in, err := m.Instantiate(ctx, mod, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			run := in.Export("run").(*vm.Func)
			before := heap(true)
			stop := watchHeap()
			start := time.Now()
			_, err = m.Call(ctx, run, vm.I64(n))
			took := time.Since(start)
			peak := stop()
			if err != nil {
				t.Fatal(err)
			}
			after := heap(true)
			t.Logf(
				"%d in %v (%d ns each): heap %d KiB before, at most %d KiB, %d KiB after a collection", n,
				took.Round(time.Millisecond), took.Nanoseconds()/n, before>>10, peak>>10, after>>10,
			)
			if limit := before + 64<<20; peak > limit {
				t.Errorf("the heap grew to %d MiB", peak>>20)
			}
			if limit := before + 4<<20; after > limit {
				t.Errorf("the heap has %d MiB after a collection", after>>20)
			}
			runtime.KeepAlive(in)
		})
	}
}

// heap returns the bytes on Go's heap, garbage that no collection has found yet included.
func heap(collect bool) uint64 {
	if collect {
		runtime.GC()
		runtime.GC() // what finalizers and pools held
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// watchHeap looks at the heap every 20 ms, until the function is called that it returns: that
// returns the most.
func watchHeap() func() uint64 {
	var wg sync.WaitGroup
	done := make(chan struct{})
	peak := uint64(0)
	wg.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				peak = max(peak, heap(false))
			}
		}
	})
	return func() uint64 {
		close(done)
		wg.Wait()
		return peak
	}
}
