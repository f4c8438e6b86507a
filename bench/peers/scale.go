package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/wasm"
)

// scaleStacks is how many stacks are suspended at once.
const scaleStacks = 1_000_000

// scale is a program with n suspended stacks of two frames each, in a table. Every step of it, the
// making of a stack or its next turn, is told to the host.
const scale = `(module
  (import "bench" "tick" (func $tick))
  (type $f (func)) (type $c (cont $f))
  (tag $y)
  (table $t 0 10000000 (ref null $c))
  (func $inner (param $a i32) (param $b i32) (local $s i32)
    (local.set $s (i32.add (local.get $a) (local.get $b)))
    (loop $l
      (suspend $y)
      (local.set $s (i32.add (local.get $s) (local.get $b)))
      (br $l)))
  (func $outer (local $x i32) (local $y i32)
    (local.set $x (i32.const 3))
    (call $inner (local.get $x) (i32.const 7)))
  (elem declare func $outer)
  (func $turn (param $i i32)
    (local.get $i)
    (block $h (result (ref $c))
      (resume $c (on $y $h) (table.get $t (local.get $i)))
      (unreachable))
    (table.set $t))
  (func (export "fill") (param $n i32) (local $i i32)
    (drop (table.grow $t (ref.null $c) (local.get $n)))
    (loop $l
      (table.set $t (local.get $i) (cont.new $c (ref.func $outer)))
      (call $turn (local.get $i))
      (call $tick)
      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n)))))
  (func (export "turn") (param $n i32) (local $i i32)
    (loop $l
      (call $turn (local.get $i))
      (call $tick)
      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))))`

// gaps measures the time between steps.
type gaps struct {
	last  time.Time
	worst time.Duration
	long  int // over longPause
}

// longPause is what the program may not stand still for.
const longPause = 20 * time.Millisecond

func (g *gaps) tick() {
	now := time.Now()
	if d := now.Sub(g.last); d > g.worst {
		g.worst = d
	}
	if now.Sub(g.last) > longPause {
		g.long++
	}
	g.last = now
}

func (g *gaps) text() string {
	s := duration(g.worst.Seconds())
	if g.long > 0 {
		s += fmt.Sprintf(" (%d over %v)", g.long, longPause)
	}
	return s
}

// scaleTable measures a million suspended stacks: memory, the longest time between two steps while
// they are made and while they take turns beside a collector that never rests, and the collector's
// own pauses. Each run has a machine of its own; there are at most three.
func scaleTable(s *settings) error {
	header(
		"run", "heap each", "resident each", "making one", "longest step", "a turn, collecting all the time",
		"longest step", "longest pause of the collector", "collecting all", "finding all stacks",
		"finding 1,000",
	)
	for r := range min(s.runs, 3) {
		if err := scaleRun(r + 1); err != nil {
			return err
		}
	}
	return nil
}

func scaleRun(r int) error {
	u, err := loader.Text(source.NewFile("scale.wat", scale), analysis.Options{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	m := vm.New(vm.Options{MaxStacks: 2 * scaleStacks})
	g := &gaps{}
	tick := m.NewFunc("tick", nil, nil, func(*vm.Call) error {
		g.tick()
		return nil
	})
	imports := vm.ImportFunc(func(string, string, wasm.ExternKind) vm.Extern { return tick })
	in, err := m.Instantiate(ctx, u.Module, "scale", imports)
	if err != nil {
		return err
	}
	step := func(name string) (each time.Duration, worst gaps, err error) {
		*g = gaps{last: time.Now()}
		t := time.Now()
		_, err = m.Call(ctx, in.Export(name).(*vm.Func), vm.I32(scaleStacks))
		return time.Since(t) / scaleStacks, *g, err
	}
	debug.FreeOSMemory()
	heap, rss := heapBytes(), residentBytes()
	pausesBefore := pauses()
	making, makingGaps, err := step("fill")
	if err != nil {
		return err
	}
	rssAfter := residentBytes()
	t := time.Now()
	runtime.GC()
	collecting := time.Since(t)
	heapAfter := heapBytes()

	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	}()
	turn, turnGaps, err := step("turn")
	close(done)
	<-stopped
	if err != nil {
		return err
	}
	worst := longest(pausesBefore, pauses())
	t = time.Now()
	all := m.LiveStacks(0)
	finding := time.Since(t)
	if len(all) != scaleStacks {
		return fmt.Errorf("%d stacks are found, not %d", len(all), scaleStacks)
	}
	t = time.Now()
	if some, _ := m.SomeStacks(1000); len(some) == 0 {
		return fmt.Errorf("no stack is found")
	}
	some := time.Since(t)
	if m.Stats().Created != scaleStacks || !all[0].Dialect().Info().Upstream {
		return fmt.Errorf("%d stacks were made", m.Stats().Created)
	}
	each := func(after, before uint64) string {
		if after < before {
			return "–"
		}
		return fmt.Sprintf("%.0f B", float64(after-before)/scaleStacks)
	}
	row(
		strconv.Itoa(r), each(heapAfter, heap), each(rssAfter, rss), duration(making.Seconds()),
		makingGaps.text(), duration(turn.Seconds()), turnGaps.text(), duration(worst),
		duration(collecting.Seconds()), duration(finding.Seconds()), duration(some.Seconds()),
	)
	runtime.KeepAlive(m)
	return nil
}

// heapBytes returns how much of Go's heap is in use.
func heapBytes() uint64 {
	runtime.GC()
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	return ms.HeapAlloc
}

// residentBytes returns the resident memory of the process, 0 where the system does not tell.
func residentBytes() uint64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(l, "VmRSS:"); ok {
			kb, _ := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "kB")), 10, 64)
			return kb << 10
		}
	}
	return 0
}

// pauses returns the histogram of the collector's pauses of the whole program.
func pauses() *metrics.Float64Histogram {
	s := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	h := s[0].Value.Float64Histogram()
	return &metrics.Float64Histogram{Counts: append([]uint64(nil), h.Counts...), Buckets: h.Buckets}
}

// longest returns the upper bound of the longest pause between two histograms, in seconds.
func longest(before, after *metrics.Float64Histogram) float64 {
	for i := len(after.Counts) - 1; i >= 0; i-- {
		if after.Counts[i] > before.Counts[i] {
			if up := after.Buckets[i+1]; !math.IsInf(up, 1) {
				return up
			}
			return after.Buckets[i]
		}
	}
	return 0
}
