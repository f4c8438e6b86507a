package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/wasm"
)

// jspi is a machine with an event loop, and modules whose imports the test provides. The log has
// what happens, in order.
type jspi struct {
	t    *testing.T
	m    *vm.Machine
	loop *host.Loop
	in   *vm.Instance
	log  []string
	wait func(n int32) (*host.Promise, []vm.Value, error) // of env.wait
}

// newJSPI instantiates a module. Its imports are those of the host; env.wait (i32) -> T, which is
// suspending; env.plain (i32), which calls the export "inner" before it returns; env.nested (i32) ->
// i32, which is suspending and calls the export "inner" as a promising one; env.log (i32).
func newJSPI(t *testing.T, text string, o vm.Options) *jspi {
	t.Helper()
	s := analysis.Open(source.NewFile("test.wat", text), analysis.Options{})
	mod, ok := s.Modules()[0].Lower()
	if !ok {
		t.Fatal(s.Diagnostics())
	}
	j := &jspi{t: t, m: vm.New(o), loop: &host.Loop{}}
	hosts, sys, err := host.Modules(j.m, host.Options{Loop: j.loop})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sys.Close() })
	j.wait = func(n int32) (*host.Promise, []vm.Value, error) {
		p, err := j.loop.New("wait")
		if err == nil {
			err = j.loop.After(uint64(n), "wait", func(context.Context) error {
				p.Resolve(vm.I32(n))
				return nil
			})
		}
		return p, nil, err
	}
	ctx := context.Background()
	env := map[string]func(c *vm.Call, args []vm.Value) (*host.Promise, []vm.Value, error){
		"wait": func(_ *vm.Call, args []vm.Value) (*host.Promise, []vm.Value, error) { return j.wait(args[0].I32()) },
		"log": func(_ *vm.Call, args []vm.Value) (*host.Promise, []vm.Value, error) {
			j.log = append(j.log, fmt.Sprint(args[0].I32()))
			return nil, nil, nil
		},
		"plain": func(c *vm.Call, args []vm.Value) (*host.Promise, []vm.Value, error) {
			_, err := j.m.Call(c.Context(), j.fn("inner"), args...)
			return nil, nil, err
		},
		"nested": func(c *vm.Call, args []vm.Value) (*host.Promise, []vm.Value, error) {
			p, err := j.loop.Call(c.Context(), j.m, j.fn("inner"), "inner", args...)
			return p, nil, err
		},
	}
	imports := vm.ImportFunc(func(module, name string, kind wasm.ExternKind) vm.Extern {
		f := env[name]
		if module != "env" || f == nil {
			return hosts.Import(module, name, kind)
		}
		return &vm.Generic{Kind: wasm.ExternFunc, Make: func(t vm.Declared) (vm.Extern, error) {
			return j.loop.Func(j.m, name, t, name == "wait" || name == "nested", true, f), nil
		}}
	})
	if j.in, err = j.m.Instantiate(ctx, mod, "", imports); err != nil {
		t.Fatal(err)
	}
	return j
}

func (j *jspi) fn(name string) *vm.Func {
	j.t.Helper()
	fn, ok := j.in.Export(name).(*vm.Func)
	if !ok {
		j.t.Fatalf("no export %q", name)
	}
	return fn
}

// promising calls an export as a promising one, and logs the outcome when it is there.
func (j *jspi) promising(name string, args ...int32) {
	j.t.Helper()
	var vs []vm.Value
	for _, a := range args {
		vs = append(vs, vm.I32(a))
	}
	p, err := j.loop.Call(context.Background(), j.m, j.fn(name), name, vs...)
	if err != nil {
		j.t.Fatal(err)
	}
	p.Settled(name, func(context.Context) error {
		switch r := p.Reason(); {
		case r.Err != nil:
			var trap *vm.Trap
			text := r.Err.Error()
			if errors.As(r.Err, &trap) {
				text = "trap: " + trap.Message
			}
			j.log = append(j.log, name+": "+text)
		case p.State() == host.Rejected:
			j.log = append(j.log, fmt.Sprint(name, ": rejected ", len(r.Values)))
		case len(p.Values()) == 0:
			j.log = append(j.log, name+" done")
		default:
			for _, v := range p.Values() {
				j.log = append(j.log, fmt.Sprint(name, " = ", v.I32()))
			}
		}
		return nil
	})
}

// run runs the loop until nothing is pending.
func (j *jspi) run() {
	j.t.Helper()
	for n := 0; n < 10_000; n++ {
		job, ok := j.loop.Next(1 << 40)
		if !ok {
			return
		}
		if err := job.Run(context.Background()); err != nil {
			j.t.Fatal(err)
		}
	}
	j.t.Fatal("the loop does not end")
}

const jspiImports = `
	(import "env" "wait" (func $wait (param i32) (result i32)))
	(import "env" "log" (func $log (param i32)))
	(import "promise" "error" (tag $error (param i32)))
`

const nested = `(import "env" "nested" (func $nested (param i32) (result i32)))`

// TestJSPI follows the official tests of JavaScript Promise Integration (js-promise-integration,
// test/js-api), and adds what the embedder of a virtual machine has to get right besides.
func TestJSPI(t *testing.T) {
	never := func(j *jspi) func(int32) (*host.Promise, []vm.Value, error) {
		return func(int32) (*host.Promise, []vm.Value, error) {
			p, err := j.loop.New("never")
			return p, nil, err
		}
	}
	now := func(end func(*jspi, *host.Promise)) func(j *jspi) func(int32) (*host.Promise, []vm.Value, error) {
		return func(j *jspi) func(int32) (*host.Promise, []vm.Value, error) {
			return func(int32) (*host.Promise, []vm.Value, error) {
				p, err := j.loop.New("now")
				end(j, p)
				return p, nil, err
			}
		}
	}
	for _, c := range []struct {
		name    string
		imports string
		text    string
		wait    func(j *jspi) func(int32) (*host.Promise, []vm.Value, error)
		do      func(j *jspi)
		want    string
	}{
		{
			name: "suspend once",
			text: `(func (export "test") (result i32) (call $wait (i32.const 42)))`,
			do:   func(j *jspi) { j.promising("test") },
			want: "test = 42",
		},
		{
			name: "suspend and resume in a loop",
			text: `(global $g (mut i32) (i32.const 0))
				(func (export "test") (result i32) (local $i i32)
					(local.set $i (i32.const 5))
					(loop $l
						(global.set $g (i32.add (global.get $g) (call $wait (local.get $i))))
						(local.set $i (i32.sub (local.get $i) (i32.const 1)))
						(br_if $l (local.get $i)))
					(global.get $g))`,
			do:   func(j *jspi) { j.promising("test") },
			want: "test = 15",
		},
		{
			name: "it suspends really, also for a promise that is fulfilled already",
			text: `(func (export "test") (result i32) (call $wait (i32.const 0)) (call $log (i32.const 1)))`,
			wait: now(func(_ *jspi, p *host.Promise) { p.Resolve(vm.I32(7)) }),
			do: func(j *jspi) {
				j.promising("test")
				j.log = append(j.log, "returned")
			},
			want: "returned, 1, test = 7",
		},
		{
			name: "it does not suspend if the import gives no promise",
			text: `(func (export "test") (result i32) (call $wait (i32.const 0)) (call $log (i32.const 1)))`,
			wait: func(*jspi) func(int32) (*host.Promise, []vm.Value, error) {
				return func(int32) (*host.Promise, []vm.Value, error) { return nil, []vm.Value{vm.I32(7)}, nil }
			},
			do: func(j *jspi) {
				j.promising("test")
				j.log = append(j.log, "returned")
			},
			want: "1, returned, test = 7",
		},
		{
			name: "throw after the first suspension",
			text: `(tag $t) (func (export "test") (drop (call $wait (i32.const 1))) (throw $t))`,
			do:   func(j *jspi) { j.promising("test") },
			want: "test: uncaught exception $t",
		},
		{
			name: "throw before any suspension",
			text: `(tag $t) (func (export "test") (throw $t))`,
			do:   func(j *jspi) { j.promising("test") },
			want: "test: uncaught exception $t",
		},
		{
			name: "trap after the first suspension",
			text: `(func (export "test") (drop (call $wait (i32.const 1))) (unreachable))`,
			do:   func(j *jspi) { j.promising("test") },
			want: "test: trap: unreachable",
		},
		{
			name: "recursion without end",
			text: `(func $f (export "test") (call $f))`,
			do:   func(j *jspi) { j.promising("test") },
			want: "test: trap: call stack exhausted",
		},
		{
			name: "a rejection is an exception at the call",
			text: `(func (export "test") (result i32)
				(block $l (result i32)
					(try_table (catch $error $l) (drop (call $wait (i32.const 1))))
					(i32.const 0)))`,
			wait: now(func(_ *jspi, p *host.Promise) { p.Reject(host.Reason{Values: []vm.Value{vm.I32(42)}}) }),
			do:   func(j *jspi) { j.promising("test") },
			want: "test = 42",
		},
		{
			name:    "a rejection with an exception throws that one",
			imports: nested,
			text: `(tag $t (export "t") (param i32))
				(func (export "inner") (param i32) (result i32)
					(drop (call $wait (i32.const 5))) (throw $t (i32.const 9)))
				(func (export "test") (result i32)
					(block $l (result i32)
						(try_table (catch $t $l) (drop (call $nested (i32.const 1))))
						(i32.const 0)))`,
			do:   func(j *jspi) { j.promising("test") },
			want: "test = 9",
		},
		{
			name: "an uncaught rejection rejects the promise of the call",
			text: `(func (export "test") (drop (call $wait (i32.const 1))))`,
			wait: now(func(_ *jspi, p *host.Promise) { p.Reject(host.Reason{}) }),
			do:   func(j *jspi) { j.promising("test") },
			want: "test: uncaught exception $promise.error",
		},
		{
			name:    "nested promising calls",
			imports: nested,
			text: `(func (export "inner") (param i32) (result i32)
					(call $log (i32.const 1)) (call $wait (i32.const 5)) (call $log (i32.const 3)))
				(func (export "test") (result i32)
					(call $nested (i32.const 0)) (call $log (i32.const 4)))
				(func (export "other") (call $log (i32.const 2)))`,
			do: func(j *jspi) {
				j.promising("test")
				j.promising("other")
			},
			want: "1, 2, other done, 3, 4, test = 5",
		},
		{
			name: "no promising call",
			text: `(func (export "test") (result i32) (call $wait (i32.const 1)))`,
			do: func(j *jspi) {
				_, err := j.m.Call(context.Background(), j.fn("test"))
				j.log = append(j.log, fmt.Sprint(err))
			},
			want: "suspension outside a promising call",
		},
		{
			name:    "a frame of the host is in between",
			imports: `(import "env" "plain" (func $plain (param i32)))`,
			text: `(func (export "inner") (param i32) (drop (call $wait (i32.const 1))))
				(func (export "test") (call $plain (i32.const 1)))`,
			do:   func(j *jspi) { j.promising("test") },
			want: "test: trap: suspension outside a promising call (a call of the host is in between)",
		},
		{
			name: "calls interleave in the order in which their promises are settled",
			text: `(func (export "test") (param $n i32)
					(call $log (call $wait (local.get $n)))
					(call $log (i32.add (i32.const 100) (call $wait (local.get $n)))))`,
			do: func(j *jspi) {
				j.promising("test", 3)
				j.promising("test", 1)
				j.promising("test", 2)
			},
			want: "1, 2, 101, test done, 3, 102, test done, 103, test done",
		},
		{
			name: "the instance is entered while calls wait",
			text: `(global $g (mut i32) (i32.const 0))
				(func (export "test") (result i32)
					(drop (call $wait (i32.const 9))) (global.get $g))
				(func (export "set") (param i32) (global.set $g (local.get 0)))`,
			do: func(j *jspi) {
				j.promising("test")
				if _, err := j.m.Call(context.Background(), j.fn("set"), vm.I32(77)); err != nil {
					j.t.Fatal(err)
				}
			},
			want: "test = 77",
		},
		{
			name: "a tail call waits",
			text: `(func $f (param i32) (result i32) (return_call $wait (local.get 0)))
				(func (export "test") (result i32) (i32.add (call $f (i32.const 4)) (i32.const 1)))
				(func (export "direct") (result i32) (return_call $wait (i32.const 2)))`,
			do: func(j *jspi) {
				j.promising("test")
				j.promising("direct")
			},
			want: "direct = 2, test = 5",
		},
		{
			name: "the import itself is the promising export",
			text: `(export "test" (func $wait))`,
			do:   func(j *jspi) { j.promising("test", 3) },
			want: "test = 3",
		},
		{
			name: "indirect calls and calls by reference wait",
			text: `(type $f (func (param i32) (result i32))) (table funcref (elem $wait)) (elem declare func $wait)
				(func (export "test") (result i32)
					(i32.add (call_indirect (type $f) (i32.const 3) (i32.const 0))
						(call_ref $f (i32.const 4) (ref.func $wait))))`,
			do:   func(j *jspi) { j.promising("test") },
			want: "test = 7",
		},
		{
			name: "operands and locals survive",
			text: `(func (export "test") (param $a i32) (result i32) (local $b i32) (local $r (ref null i31))
				(local.set $b (i32.const 1000)) (local.set $r (ref.i31 (i32.const 10000)))
				(i32.add (local.get $a)
					(i32.add (call $wait (i32.const 30)) (i32.add (local.get $b) (i31.get_u (local.get $r))))))`,
			do:   func(j *jspi) { j.promising("test", 2) },
			want: "test = 11032",
		},
		{
			name: "one call waits for ever",
			text: `(func (export "test") (drop (call $wait (i32.const 1))))`,
			wait: never,
			do: func(j *jspi) {
				j.promising("test")
				j.log = append(j.log, fmt.Sprint(len(j.m.Parked())), j.m.Parked()[0].Host().String())
				j.m.Parked()[0].Drop()
				j.log = append(j.log, fmt.Sprint(len(j.m.Parked()), j.m.LiveStacks(0)))
			},
			want: "1, wait, 0 []",
		},
		{
			name: "a value of another type",
			imports: `(import "promise" "await" (func $await (param externref) (result i64)))
				(import "promise" "after" (func $after (param i32 i32) (result externref)))`,
			text: `(func (export "test") (drop (call $await (call $after (i32.const 1) (i32.const 1)))))`,
			do:   func(j *jspi) { j.promising("test") },
			want: "test: trap: host function failed: the value of the promise is of type i32, " +
				"but the program expects type i64",
		},
		{
			name:    "what is no promise is awaited at once",
			imports: `(import "promise" "await" (func $await (param externref) (result externref)))`,
			text:    `(func (export "test") (result i32) (ref.is_null (call $await (ref.null extern))))`,
			do:      func(j *jspi) { j.promising("test") },
			want:    "test = 1",
		},
	} {
		for _, form := range []string{"fused", "baseline", "stepping"} {
			t.Run(c.name+"/"+form, func(t *testing.T) {
				j := newJSPI(t, "(module "+jspiImports+c.imports+c.text+")", vm.Options{Baseline: form == "baseline"})
				if form == "stepping" { // the instrumented form
					j.m.SetProbe(func(*vm.Stop) {})
					j.m.SetStepping(true)
				}
				if c.wait != nil {
					j.wait = c.wait(j)
				}
				c.do(j)
				j.run()
				if got := strings.Join(j.log, ", "); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			})
		}
	}
}

// TestWaitInDesigns suspends a call whose chain has a stack of each design, and lets another call
// try to take hold of that stack.
func TestWaitInDesigns(t *testing.T) {
	programs := map[wasm.Dialect]struct{ text, touch string }{
		wasm.DialectCont: {`
			(type $f (func (result i32))) (type $c (cont $f)) (tag $e)
			(elem declare func $body)
			(func $body (result i32) (i32.add (call $wait (i32.const 20)) (i32.const 1)))
			(func (export "test") (result i32)
				(block $on (result (ref $c))
					(return (resume $c (on $e $on) (cont.new $c (ref.func $body)))))
				(unreachable))
			(func (export "touch") (suspend $e))`, "unhandled tag $e"},
		wasm.DialectStacks: {`
			(rec (type $r (stack (param i32) (ref null $s))) (type $s (stack (ref null $r))))
			(global $main (mut (ref null $r)) (ref.null $r))
			(func $body (param $back (ref null $r))
				(global.set $main (local.get $back))
				(switch_retire $r (i32.add (call $wait (i32.const 20)) (i32.const 1)) (global.get $main)))
			(func (export "test") (result i32) (switch $s (stack.new $s $body)) (drop))
			(func (export "touch") (switch $r (i32.const 1) (global.get $main)) (drop))`,
			"switch across a host frame"},
		wasm.DialectFibersMount: {`
			(tag $go) (tag $ret (param i32)) (global $g (mut fiberref) (ref.null fiber))
			(func $body (param $me (ref fiber)) (result i32)
				(i32.add (call $wait (i32.const 20)) (i32.const 1)))
			(func (export "test") (result i32)
				(block $on (result i32)
					(global.set $g (fiber.new $ret ($go $body)))
					(fiber.mount $go ($ret $on) (global.get $g))
					(unreachable)))
			(func (export "touch") (fiber.release (global.get $g)))`, "fiber has a control parent"},
		wasm.DialectFibersHandle: {`
			(type $ft (fiber (result i32))) (tag $go) (global $g (mut (ref null $ft)) (ref.null $ft))
			(func $body (param $me (ref null $ft)) (result i32)
				(unreachable)
				(event $go (result i32) (i32.add (call $wait (i32.const 20)) (i32.const 1))))
			(func (export "test") (result i32)
				(global.set $g (fiber.new $body))
				(fiber.resume $go (global.get $g)))
			(func (export "touch") (fiber.release (global.get $g)))`, "fiber is not suspended"},
		wasm.DialectTasks: {`
			(tag $go) (tag $done (param i32)) (global $g (mut taskref) (ref.null task))
			(func $body (param $me taskref)
				(block $on (event.switch ($go $on)))
				(task.retire $done (local.get $me) (i32.add (call $wait (i32.const 20)) (i32.const 1))))
			(func (export "test") (result i32)
				(global.set $g (task.new $body))
				(block $on (result i32)
					(task.resume $go (global.get $g))
					(event.switch ($done $on))))
			(func (export "touch") (task.release (global.get $g)))`, "task is not suspended"},
	}
	for _, d := range wasm.Dialects() {
		p, ok := programs[d]
		if !ok {
			t.Errorf("%s: no program", d)
			continue
		}
		t.Run(d.String(), func(t *testing.T) {
			j := newJSPI(t, "(module "+jspiImports+p.text+")", vm.Options{})
			rec := vm.NewRecorder(100)
			j.m.SetRecorder(rec)
			j.promising("test")
			waits := j.m.Parked()
			if len(waits) != 1 {
				t.Fatalf("%d calls wait: %v", len(waits), j.log)
			}
			root, leaf := waits[0].Root(), waits[0].Leaf()
			if leaf.Dialect() != d || root == leaf || !leaf.InHost() || vm.ParkedCall(leaf) != waits[0] ||
				vm.ParkedCall(root) != waits[0] {
				t.Errorf("waiting: #%d (%s, in the host %v) in the chain of #%d", leaf.ID(), leaf.Dialect(),
					leaf.InHost(), root.ID())
			}
			held := map[uint64]bool{}
			for _, s := range j.m.LiveStacks(0) {
				held[s.ID()] = true
			}
			if !held[root.ID()] || !held[leaf.ID()] {
				t.Errorf("live stacks: %v", held)
			}
			if _, err := j.m.Call(context.Background(), j.fn("touch")); err == nil ||
				!strings.HasPrefix(err.Error(), p.touch) {
				t.Errorf("touch: %v, want %s", err, p.touch)
			}
			j.run()
			if got := strings.Join(j.log, ", "); got != "test = 21" {
				t.Error(got)
			}
			var kinds []string
			for _, e := range rec.All() {
				if e.Kind == vm.EventAwait || e.Kind == vm.EventSettle {
					kinds = append(kinds, fmt.Sprint(e.Kind, " #", e.Stack, " ", e.Site.Func))
				}
			}
			want := fmt.Sprintf("await #%d $body, settle #%[1]d $body", leaf.ID())
			if got := strings.Join(kinds, ", "); got != want {
				t.Errorf("events: %s, want %s", got, want)
			}
		})
	}
}

// TestWaitInHostBase suspends a call in a continuation whose function is the import itself, and one
// in a barrier.
func TestWaitInHostBase(t *testing.T) {
	j := newJSPI(t, `(module `+jspiImports+`
		(type $f (func (param i32) (result i32))) (type $c (cont $f)) (tag $e)
		(elem declare func $wait)
		(func (export "base") (result i32)
			(i32.add (resume $c (i32.const 5) (cont.new $c (ref.func $wait))) (i32.const 100)))
		(func (export "barrier") (result i32) (barrier (result i32) (call $wait (i32.const 1)))))`, vm.Options{})
	j.promising("base")
	j.promising("barrier")
	j.run()
	if got := strings.Join(j.log, ", "); got != "barrier: trap: suspension across a barrier, base = 105" {
		t.Error(got)
	}
}
