package host

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"stackscope/vm"
	"stackscope/wasm"
)

// program is an instance that has a memory of one page and a wrapper for each function of modules
// of the host, exported by its name.
type program struct {
	t    *testing.T
	m    *vm.Machine
	inst *vm.Instance
	mem  []byte
}

func newProgram(t *testing.T, m *vm.Machine, sigs map[string]wasm.SubType, imports Module) *program {
	t.Helper()
	mod := &wasm.Module{
		Names: wasm.NewNames(), Start: wasm.BadIndex,
		Mems: []wasm.Memory{{Limits: wasm.Limits{Min: 1}, Import: -1}},
	}
	mod.Exports = []wasm.Export{{Name: "memory", Kind: wasm.ExternMemory}}
	var names []string
	for name := range imports {
		if _, ok := sigs[name]; ok {
			names = append(names, name)
		}
	}
	for i, name := range names {
		sig := sigs[name]
		sig.Kind, sig.Final = wasm.CompFunc, true
		mod.Types = append(mod.Types, sig)
		mod.Recs = append(mod.Recs, wasm.RecGroup{Start: uint32(i), Len: 1})
		mod.Imports = append(mod.Imports, wasm.Import{Module: "host", Name: name, Kind: wasm.ExternFunc,
			Index: uint32(i)})
		mod.Funcs = append(mod.Funcs, wasm.Func{Type: uint32(i), Import: int32(i)})
	}
	for i, name := range names {
		f := wasm.Func{Type: uint32(i), Import: -1}
		for p := range mod.Types[i].Params {
			f.Body = append(f.Body, wasm.Instr{Op: wasm.OpLocalGet, A: uint32(p)})
		}
		f.Body = append(f.Body, wasm.Instr{Op: wasm.OpCall, A: uint32(i)}, wasm.Instr{Op: wasm.OpEnd})
		mod.Exports = append(mod.Exports, wasm.Export{Name: name, Kind: wasm.ExternFunc, Index: uint32(len(mod.Funcs))})
		mod.Funcs = append(mod.Funcs, f)
	}
	inst, err := m.Instantiate(context.Background(), mod, "program", imports)
	if err != nil {
		t.Fatal(err)
	}
	return &program{t, m, inst, inst.Memory(0).Bytes()}
}

// call calls a function; arguments are int, int64 (i64) and uint64 (i64).
func (p *program) call(ctx context.Context, name string, args ...any) ([]vm.Value, error) {
	p.t.Helper()
	fn, ok := p.inst.Export(name).(*vm.Func)
	if !ok {
		p.t.Fatalf("no function %s", name)
	}
	vs := make([]vm.Value, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case int:
			vs[i] = vm.I32(int32(a))
		case uint32:
			vs[i] = vm.I32(int32(a))
		case int64:
			vs[i] = vm.I64(a)
		case uint64:
			vs[i] = vm.I64(int64(a))
		default:
			p.t.Fatalf("argument %T", a)
		}
	}
	return p.m.Call(ctx, fn, vs...)
}

func TestSpectest(t *testing.T) {
	m := vm.New(vm.Options{})
	var out bytes.Buffer
	mod := Spectest(m, &out)
	for name, want := range map[string]vm.Value{"global_i32": vm.I32(666), "global_i64": vm.I64(666),
		"global_f32": vm.F32(666.6), "global_f64": vm.F64(666.6)} {
		if g := mod[name].(*vm.Global); g.Get() != want {
			t.Errorf("%s is %v", name, g.Get())
		}
	}
	for name, is64 := range map[string]bool{"table": false, "table64": true} {
		tab := mod[name].(*vm.Table)
		if ty, l := tab.Type(); tab.Len() != 10 || ty != wasm.FuncRef || l.Max != 20 || !l.HasMax || l.Is64 != is64 {
			t.Errorf("%s: %d elements, %v", name, tab.Len(), l)
		}
	}
	if mem := mod["memory"].(*vm.Memory); mem.Pages() != 1 || mem.Type().Max != 2 {
		t.Error("memory")
	}
	call := func(name string, args ...vm.Value) {
		t.Helper()
		if _, err := m.Call(context.Background(), mod[name].(*vm.Func), args...); err != nil {
			t.Error(name, err)
		}
	}
	call("print")
	call("print_i32", vm.I32(-1))
	call("print_i64", vm.I64(-1<<63))
	call("print_f32", vm.F32(0.1))
	call("print_f64", vm.Value{Type: wasm.F64, Lo: 0xfff0000000000000})
	call("print_i32_f32", vm.I32(1), vm.F32(2.5))
	call("print_f64_f64", vm.F64(1e300), vm.Value{Type: wasm.F64, Lo: 0x7ff8000000000000})
	want := "-1 : i32\n-9223372036854775808 : i64\n0.1 : f32\n-inf : f64\n1 : i32\n2.5 : f32\n1e+300 : f64\nnan : f64\n"
	if out.String() != want {
		t.Errorf("printed %q", out.String())
	}
	if Spectest(m, nil).Import("spectest", "unknown", wasm.ExternFunc) != nil {
		t.Error("an import that is not there")
	}
}

func TestAsync(t *testing.T) {
	m := vm.New(vm.Options{})
	l := &Loop{}
	mod := l.Module(m)
	call := func(name string, args ...int32) [2]int32 {
		t.Helper()
		vs := make([]vm.Value, len(args))
		for i, a := range args {
			vs[i] = vm.I32(a)
		}
		rs, err := m.Call(context.Background(), mod[name].(*vm.Func), vs...)
		if err != nil {
			t.Fatal(err)
		}
		r := [2]int32{rs[0].I32()}
		if len(rs) > 1 {
			r[1] = rs[1].I32()
		}
		return r
	}
	is := func(got, want [2]int32, now uint64) {
		t.Helper()
		if got != want || l.Now() != now {
			t.Errorf("got %v at %d, want %v at %d", got, l.Now(), want, now)
		}
	}
	none := [2]int32{-1, 0}
	is(call("wait"), none, 0)
	is(call("poll"), none, 0)
	is(call("request", 30, 100), [2]int32{0}, 0)
	is(call("request", 10, 101), [2]int32{1}, 0)
	is(call("request", 10, 102), [2]int32{2}, 0)
	is(call("request", -5, 103), [2]int32{3}, 0)
	is(call("request", 0, 104), [2]int32{4}, 0)
	is(call("poll"), [2]int32{3, 103}, 0)
	is(call("wait"), [2]int32{4, 104}, 0) // due already: the clock stays
	is(call("poll"), none, 0)
	is(call("wait"), [2]int32{1, 101}, 10)
	if p := l.Pending(); len(p) != 2 || p[0] != (Request{2, 10, 102}) || p[1] != (Request{0, 30, 100}) {
		t.Errorf("pending %v", p)
	}
	is(call("poll"), [2]int32{2, 102}, 10)
	is(call("request", 1, 105), [2]int32{5}, 10) // before what was asked for earlier
	is(call("wait"), [2]int32{5, 105}, 11)
	is(call("wait"), [2]int32{0, 100}, 30)
	is(call("wait"), none, 30)

	l.now, l.next = ^uint64(0)-1, 1<<31-1
	is(call("request", 5, 1), [2]int32{1<<31 - 1}, ^uint64(0)-1)
	is(call("wait"), [2]int32{1<<31 - 1, 1}, ^uint64(0)) // the clock does not wrap
	_, err := m.Call(context.Background(), mod["request"].(*vm.Func), vm.I32(1), vm.I32(1))
	var trap *vm.Trap
	if !errors.As(err, &trap) || trap.Kind != wasm.TrapHost || !strings.Contains(err.Error(), "more requests") {
		t.Errorf("the request after the last id: %v", err)
	}
}

func TestModules(t *testing.T) {
	m := vm.New(vm.Options{})
	mods, sys, err := Modules(m, Options{WASI: WASI{Dirs: []Dir{{"/", t.TempDir()}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range [][2]string{{SpectestName, "print_i32"}, {AsyncName, "wait"}, {WASIName, "fd_write"},
		{WASIName, "proc_exit"}} {
		if mods.Import(n[0], n[1], wasm.ExternFunc) == nil {
			t.Error("no import", n)
		}
	}
	if err := sys.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := Modules(m, Options{WASI: WASI{Dirs: []Dir{{"/", t.TempDir() + "/no"}}}}); err == nil {
		t.Error("a directory that is not there")
	}
	if _, err := (WASI{Env: []string{"A=\x00"}}).System(); err == nil {
		t.Error("a zero byte in the environment")
	}
}
