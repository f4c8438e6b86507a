package vm_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/wasm"
)

// program is a module's fields in the text format. It exports `run : [] -> [i32]`; want is its
// result, or the beginning of the text of its trap.
type program struct{ name, want, text string }

// forms are the ways to run code, which must agree.
var forms = map[string]vm.Options{"fused": {}, "observed": {}, "baseline": {Baseline: true}, "stepping": {}}

// runPrograms runs each program in every form, in an instance of its own, and in one form twice in
// the same instance.
func runPrograms(t *testing.T, d wasm.Dialect, prelude string, ps []program) {
	for _, p := range ps {
		t.Run(p.name, func(t *testing.T) {
			u, err := loader.Text(
				source.NewFile("test.wat", "(module "+prelude+p.text+")"), analysis.Options{Dialect: d},
			)
			if err != nil {
				t.Fatal(err)
			}
			for form, opt := range forms {
				m := vm.New(opt)
				m.SetStepping(form == "stepping")
				in, err := m.Instantiate(context.Background(), u.Module, "", nil)
				if err != nil {
					t.Fatal(err)
				}
				if form == "observed" || form == "stepping" {
					m.SetObserver(func(e *vm.Event) { _ = e.Kind.String() })
				}
				got := outcome(in.Invoke(context.Background(), "run"))
				if got != p.want && (isNumber(p.want) || !strings.HasPrefix(got, p.want)) {
					t.Errorf("%s: got %q, want %q", form, got, p.want)
				}
				for _, s := range m.LiveStacks(0) {
					if s.Rooted() || s.State() == vm.StackRunning || s.State() == vm.StackMoribund {
						t.Errorf("%s: after the call, stack %d is %v", form, s.ID(), s.State())
					}
				}
			}
		})
	}
}

// text instantiates the modules of texts, which are linked by names m0, m1 …
func texts(t testing.TB, m *vm.Machine, imports vm.ImportMap, srcs ...string) []*vm.Instance {
	t.Helper()
	var ins []*vm.Instance
	for i, src := range srcs {
		u, err := loader.Text(source.NewFile("test.wat", src), analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in, err := m.Instantiate(context.Background(), u.Module, "", vm.ImportFunc(func(module, name string, kind wasm.ExternKind) vm.Extern {
			for j, in := range ins {
				if module == "m"+string(rune('0'+j)) {
					return in.Export(name)
				}
			}
			return imports.Import(module, name, kind)
		}))
		if err != nil {
			t.Fatalf("module %d: %v", i, err)
		}
		ins = append(ins, in)
	}
	return ins
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

func join(s []string) string { return strings.Join(s, " ") }

// heads are modules that keep a new stack, a suspended one and a segment in globals `new`, `one`
// and `seg`, and its inner stack in `in`; `use` uses the stack in `one`.
var heads = map[wasm.Dialect]string{
	wasm.DialectFibersMount: `
	  (tag $go) (tag $v) (tag $ret)
	  (global $new (export "new") (mut fiberref) (ref.null fiber)) (global $one (export "one") (mut fiberref) (ref.null fiber))
	  (global $seg (export "seg") (mut fiberref) (ref.null fiber)) (global $in (export "in") (mut fiberref) (ref.null fiber))
	  (func $f (param $me (ref fiber)) (fiber.dismount $v (local.get $me)))
	  (func $inner (param $me (ref fiber)) (global.set $in (local.get $me)) (fiber.dismount $v (global.get $seg)))
	  (func $outer (param $me (ref fiber)) (global.set $seg (local.get $me)) (block $h (fiber.mount $go ($v $h) (fiber.new $ret ($go $inner)))))
	  (func $make (result (ref fiber)) (fiber.new $ret ($go $f)))
	  (func $start (param $f fiberref) (block $h (fiber.mount $go ($v $h) (local.get $f)) (unreachable)))
	  (func (export "run") (result i32)
	    (global.set $new (call $make)) (global.set $one (call $make))
	    (call $start (global.get $one))
	    (call $start (fiber.new $ret ($go $outer)))
	    (i32.const 1))
	  (func (export "use") (result i32) (call $start (global.get $one)) (i32.const 1))`,
	wasm.DialectFibersHandle: `
	  (type $ft (fiber)) (tag $go) (tag $v)
	  (global $new (export "new") (mut (ref null $ft)) (ref.null $ft)) (global $one (export "one") (mut (ref null $ft)) (ref.null $ft))
	  (global $seg (export "seg") (mut (ref null $ft)) (ref.null $ft)) (global $in (export "in") (mut (ref null $ft)) (ref.null $ft))
	  (func $f (param $me (ref null $ft)) (unreachable) (event $go (fiber.suspend (local.get $me) $v)))
	  (func $inner (param $me (ref null $ft)) (global.set $in (local.get $me)) (fiber.suspend (global.get $seg) $v))
	  (func $outer (param $me (ref null $ft)) (unreachable) (event $go (global.set $seg (local.get $me)) (fiber.spawn $inner)))
	  (func $start (param $f (ref null $ft)) (handle (fiber.resume (local.get $f) $go) (unreachable) (event $v)))
	  (func (export "run") (result i32)
	    (global.set $new (fiber.new $f)) (global.set $one (fiber.new $f))
	    (call $start (global.get $one))
	    (call $start (fiber.new $outer))
	    (i32.const 1))
	  (func (export "use") (result i32) (call $start (global.get $one)) (i32.const 1))`,
	wasm.DialectTasks: `
	  (tag $go) (tag $v)
	  (global $new (export "new") (mut taskref) (ref.null task)) (global $one (export "one") (mut taskref) (ref.null task))
	  (global $seg (export "seg") (mut taskref) (ref.null task)) (global $in (export "in") (mut taskref) (ref.null task))
	  (func $f (param $me taskref) (block $on (event.switch ($go $on))) (task.suspend $v (local.get $me)) (event.switch))
	  (func $inner (param $me taskref) (block $on (event.switch ($go $on))) (global.set $in (local.get $me)) (task.suspend $v (global.get $seg)) (event.switch))
	  (func $outer (param $me taskref) (block $on (event.switch ($go $on))) (global.set $seg (local.get $me)) (task.resume $go (task.new $inner)) (event.switch))
	  (func $start (param $t taskref) (block $h (task.resume $go (local.get $t)) (event.switch ($v $h))))
	  (func (export "run") (result i32)
	    (global.set $new (task.new $f)) (global.set $one (task.new $f))
	    (call $start (global.get $one))
	    (call $start (task.new $outer))
	    (i32.const 1))
	  (func (export "use") (result i32) (call $start (global.get $one)) (i32.const 1))`,
}

// What suspended stacks tell, and that a debugger can end them.
func TestSuspendedStacks(t *testing.T) {
	for d, text := range heads {
		t.Run(d.String(), func(t *testing.T) {
			m := vm.New(vm.Options{})
			in := texts(t, m, nil, `(module (@stack-switching "`+d.String()+`")`+text+")")[0]
			if got := outcome(in.Invoke(context.Background(), "run")); got != "1" {
				t.Fatal(got)
			}
			stack := func(name string) *vm.Stack {
				s, _, stale := in.Export(name).(*vm.Global).Get().Ref.Stack()
				if s == nil || stale {
					t.Fatal(name, "names no stack")
				}
				return s
			}
			fresh, one, seg, inner := stack("new"), stack("one"), stack("seg"), stack("in")
			for _, s := range []struct {
				s     *vm.Stack
				state vm.StackState
				tag   string
			}{{fresh, vm.StackNew, ""}, {one, vm.StackSuspended, "$v"}, {seg, vm.StackWaiting, "$go"}, {inner, vm.StackSuspended, "$v"}} {
				site, tag := s.s.Site()
				if s.s.State() != s.state || s.s.Dialect() != d || site.PC < 0 || s.s.CreatedAt().Func == nil {
					t.Errorf(
						"stack %d: %v of %v at %v made at %v", s.s.ID(), s.s.State(), s.s.Dialect(), site,
						s.s.CreatedAt(),
					)
				}
				got := ""
				if tag != nil {
					got = tag.String()
				}
				if got != s.tag {
					t.Errorf("stack %d: tag %q, not %q", s.s.ID(), got, s.tag)
				}
			}
			if inner.Parent() != seg || seg.Leaf() != inner || inner.Head() != seg || seg.Parent() != nil {
				t.Error("the segment is wrong")
			}
			if n := len(m.LiveStacks(0)); n != 4 {
				t.Error(n, "live stacks")
			}
			if m.Release(inner) || !m.Release(seg) || !m.Release(one) || !m.Release(fresh) ||
				inner.State() != vm.StackMoribund {
				t.Error("release")
			}
			if n := len(m.LiveStacks(0)); n != 0 {
				t.Error(n, "live stacks after the release")
			}
			if got := outcome(in.Invoke(context.Background(), "use")); !strings.HasSuffix(got, "is moribund") {
				t.Error(got)
			}
		})
	}
}

// A function of the host can be what a stack runs.
func TestHostOnStacks(t *testing.T) {
	for d, c := range map[wasm.Dialect]struct{ text, want string }{
		wasm.DialectFibersMount: {`(import "host" "mount" (func $f (param i32 (ref fiber)) (result i32))) (tag $go) (tag $ret (param i32))
		  (func (export "run") (result i32)
		    (block $h (result i32) (fiber.mount $go ($ret $h) (fiber.new $ret ($go $f) (i32.const 20))) (i32.const -1)))`, "21"},
		wasm.DialectTasks: {`(import "host" "task" (func $f (param taskref))) (tag $go)
		  (func (export "run") (result i32) (task.resume $go (task.new $f)) (event.switch))`, "unhandled event $go"},
	} {
		m := vm.New(vm.Options{})
		host := vm.ImportMap{"host": {
			"mount": m.NewFunc(
				"mount",
				[]wasm.ValType{wasm.I32, wasm.Ref(false, wasm.HeapFiber)},
				[]wasm.ValType{wasm.I32},
				func(c *vm.Call) error {
					c.ReturnI32(0, c.I32(0)+1)
					return nil
				},
			),
			"task": m.NewFunc("task", []wasm.ValType{wasm.TaskRef}, nil, func(*vm.Call) error { return nil }),
		}}
		u, err := loader.Text(source.NewFile("test.wat", "(module "+c.text+")"), analysis.Options{Dialect: d})
		if err != nil {
			t.Fatal(err)
		}
		in, err := m.Instantiate(context.Background(), u.Module, "", host)
		if err != nil {
			t.Fatal(err)
		}
		if got := outcome(in.Invoke(context.Background(), "run")); got != c.want {
			t.Errorf("%v: %s, not %s", d, got, c.want)
		}
	}
}

// Too many stacks are a trap, in every design; the program's stacks stay as they are.
func TestTooManyStacks(t *testing.T) {
	for d, text := range map[wasm.Dialect]string{
		wasm.DialectStacks:       `(rec (type $c (stack (ref null $c)))) (func $f (param (ref null $c))) (table $t 100 (ref null $c)) (func $new (result (ref $c)) (stack.new $c $f))`,
		wasm.DialectFibersMount:  `(tag $r) (table $t 100 fiberref) (func $new (result fiberref) (fiber.new $r))`,
		wasm.DialectFibersHandle: `(type $ft (fiber)) (table $t 100 (ref null $ft)) (func $f (param (ref null $ft)) (event $e)) (tag $e) (func $new (result (ref $ft)) (fiber.new $f))`,
		wasm.DialectTasks:        `(table $t 100 taskref) (func $f (param taskref) (event.switch)) (func $new (result taskref) (task.new $f))`,
	} {
		m := vm.New(vm.Options{MaxStacks: 50})
		in := texts(t, m, nil, `(module (@stack-switching "`+d.String()+`")`+text+`
		  (func (export "run") (result i32) (local $i i32)
		    (loop $l
		      (table.set $t (local.get $i) (call $new))
		      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 60))))
		    (local.get $i)))`)[0]
		if got := outcome(in.Invoke(context.Background(), "run")); got != "call stack exhausted" {
			t.Errorf("%v: %s", d, got)
		}
		if n := len(m.LiveStacks(0)); n != 50 {
			t.Errorf("%v: %d live stacks", d, n)
		}
	}
}
