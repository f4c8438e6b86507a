package dap_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
)

const data = `(module
  (type $point (struct (field $x (mut i32)) (field $y (mut i64))))
  (type $bytes (array (mut i8)))
  (import "spectest" "print_i32" (func $print (param i32)))
  (memory $m 1)
  (data (i32.const 100) "hello, world")
  (table $t 4 funcref)
  (global $g (mut i32) (i32.const 0))
  (elem declare func $bump)
  (func $bump (param $by i32)
    (global.set $g (i32.add (global.get $g) (local.get $by))))
  (func (export "double") (param $n i32) (result i32)
    (i32.mul (local.get $n) (i32.const 2)))
  (func (export "main") (local $p (ref null $point)) (local $a (ref null $bytes)) (local $i i32)
    (local.set $p (struct.new $point (i32.const 3) (i64.const 4)))
    (local.set $a (array.new_data $bytes $d (i32.const 0) (i32.const 5)))
    (nop)
    (call $bump (i32.const 1))
    (i32.store8 (i32.const 18) (i32.const 7))
    (i32.store (i32.const 16) (i32.const 9))
    (i64.store offset=8 (i32.const 8) (i64.const -1))
    (memory.fill (i32.const 0) (i32.const 1) (i32.const 17))
    (table.set $t (i32.const 2) (ref.func $bump))
    (struct.set $point $x (local.get $p) (i32.const 8))
    (array.set $bytes (local.get $a) (i32.const 1) (i32.const 65))
    (local.set $i (i32.load (i32.const 16)))
    (call $bump (i32.const 1))
    (call $bump (i32.const 0))
    (local.set $i (i32.const 5)))
  (data $d "tests"))
`

// dataSession stops at the nop of the program above.
func dataSession(t *testing.T) (*client, godap.StackFrame) {
	t.Helper()
	p := wat(t, data)
	c := connect(t, dap.Config{Load: launch.Load})
	if got := c.start(map[string]any{"program": p, "invoke": "main"}, lineOf(t, p, "(nop)")); got != "breakpoint #1 prog.wat:17" {
		t.Fatal(got)
	}
	return c, c.frames(1)[0]
}

type dataInfo struct {
	DataID      *string
	Description string
	AccessTypes []string
	CanPersist  bool
}

func (c *client) dataInfo(args map[string]any) dataInfo {
	c.t.Helper()
	var i dataInfo
	c.must("dataBreakpointInfo", args, &i)
	return i
}

// dataStop goes on and returns where it stops and the text of the stop.
func (c *client) dataStop() string {
	c.t.Helper()
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	var s godap.StoppedEventBody
	for m := range c.events {
		if m.Event == "terminated" {
			return "terminated"
		}
		if m.Event == "stopped" {
			if err := json.Unmarshal(m.Body, &s); err != nil {
				c.t.Fatal(err)
			}
			return s.Reason + ": " + s.Text
		}
	}
	return ""
}

// TestDataBreakpoints stops after accesses to memory, globals, table slots, fields, elements and
// locals.
func TestDataBreakpoints(t *testing.T) {
	for _, x := range []struct {
		name   string
		info   map[string]any // with scope: the name of the scope that the variable is in
		scope  string
		path   []string
		access string
		extra  map[string]any
		want   []string
	}{
		{"global", map[string]any{"name": "$g"}, "Globals", nil, "write", nil, []string{
			"global $g was written at prog.wat:11: 0 → 1", "global $g was written at prog.wat:11: 1 → 2", "terminated"}},
		{"global, every write", map[string]any{"name": "$g", "mode": "written"}, "", nil, "write", nil, []string{
			"global $g was written at prog.wat:11: 0 → 1", "global $g was written at prog.wat:11: 1 → 2", "global $g was written at prog.wat:11: 2 → 2", "terminated"}},
		{"global, read", map[string]any{"name": "$g"}, "", nil, "read", nil, []string{"global $g was read at prog.wat:11: 0", "global $g was read at prog.wat:11: 1", "global $g was read at prog.wat:11: 2", "terminated"}},
		{"global, condition", map[string]any{"name": "$g", "mode": "written"}, "", nil, "write", map[string]any{"condition": "$by == 0"}, []string{"global $g was written at prog.wat:11: 2 → 2", "terminated"}},
		{"global, hit", map[string]any{"name": "$g"}, "", nil, "write", map[string]any{"hitCondition": "2"}, []string{"global $g was written at prog.wat:11: 1 → 2", "terminated"}},
		{"memory", map[string]any{"name": "16", "asAddress": true, "bytes": 4}, "", nil, "write", nil, []string{
			"memory $m at 0x10 was written at prog.wat:19: 0 (0x00000000) → 458752 (0x00070000)",
			"memory $m at 0x10 was written at prog.wat:20: 458752 (0x00070000) → 9 (0x00000009)",
			"memory $m at 0x10 was written at prog.wat:21: 9 (0x00000009) → -1 (0xffffffff)",
			"memory $m at 0x10 was written at prog.wat:22: -1 (0xffffffff) → -255 (0xffffff01)", "terminated"}},
		{"memory, read", map[string]any{"name": "0x10", "asAddress": true, "bytes": 1}, "", nil, "read", nil, []string{
			"memory $m at 0x10 was read at prog.wat:26: 1 (0x01)", "terminated"}},
		{"view", map[string]any{"name": "i64[16]"}, "", nil, "readWrite", map[string]any{"hitCondition": ">= 4"}, []string{
			"memory $m at 0x10 was written at prog.wat:22: -1 (0xffffffffffffffff) → -255 (0xffffffffffffff01)",
			"memory $m at 0x10 was read at prog.wat:26: -255 (0xffffffffffffff01)", "terminated"}},
		{"table", map[string]any{"name": "table $t[2]"}, "", nil, "write", nil, []string{"table $t[2] was written at prog.wat:23: null → func $bump", "terminated"}},
		{"field", map[string]any{"name": "$p.$x"}, "", nil, "write", nil, []string{"field $x of a structure was written at prog.wat:24: 3 → 8", "terminated"}},
		{"element", map[string]any{"name": "$a[1]"}, "", nil, "write", nil, []string{"element 1 of an array was written at prog.wat:25: 101 → 65", "terminated"}},
		{"local", map[string]any{"name": "$i"}, "Locals", nil, "write", nil, []string{
			`$i of "main" in stack #1 was written at prog.wat:26: 0 → -255`, `$i of "main" in stack #1 was written at prog.wat:29: -255 → 5`, "terminated"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, f := dataSession(t)
			args := map[string]any{"frameId": f.Id}
			for k, v := range x.info {
				args[k] = v
			}
			if x.scope != "" { // by the variable, not by an expression
				var sc godap.ScopesResponseBody
				c.must("scopes", godap.ScopesArguments{FrameId: f.Id}, &sc)
				for _, s := range sc.Scopes {
					if s.Name == x.scope {
						args["variablesReference"] = s.VariablesReference
						c.children(s.VariablesReference)
					}
				}
			}
			i := c.dataInfo(args)
			if i.DataID == nil || len(i.AccessTypes) != 3 {
				t.Fatalf("%+v", i)
			}
			b := map[string]any{"dataId": *i.DataID, "accessType": x.access}
			for k, v := range x.extra {
				b[k] = v
			}
			var out godap.SetDataBreakpointsResponseBody
			c.must("setDataBreakpoints", map[string]any{"breakpoints": []any{b}}, &out)
			if len(out.Breakpoints) != 1 || !out.Breakpoints[0].Verified {
				t.Fatalf("%+v", out)
			}
			for _, want := range x.want {
				got := c.dataStop()
				if want != "terminated" {
					want = "data breakpoint: " + want
				}
				if got != want {
					t.Fatalf("got  %s\nwant %s", got, want)
				}
			}
		})
	}
}

// TestDataBreakpointsRefused asks for what cannot be watched, and watches a local whose frame ends.
func TestDataBreakpointsRefused(t *testing.T) {
	c, f := dataSession(t)
	for _, args := range []map[string]any{
		{"name": "nothing", "frameId": f.Id}, {"name": "70000", "asAddress": true, "frameId": f.Id},
		{"name": "65535", "asAddress": true, "bytes": 2, "frameId": f.Id}, {"name": "#1", "frameId": f.Id},
	} {
		if i := c.dataInfo(args); i.DataID != nil || i.Description == "" {
			t.Errorf("%v: %+v", args, i)
		}
	}
	var out godap.SetDataBreakpointsResponseBody
	c.must(
		"setDataBreakpoints",
		map[string]any{
			"breakpoints": []any{
				map[string]any{"dataId": "nonsense"},
				map[string]any{"dataId": "global:1:0", "hitCondition": "often"},
			},
		},
		&out,
	)
	for _, b := range out.Breakpoints {
		if b.Verified || b.Message == "" {
			t.Errorf("%+v", b)
		}
	}
	p := f.Source.Path
	c.breakpoints(p, lineOf(t, p, "(global.set $g"))
	c.must("setDataBreakpoints", map[string]any{"breakpoints": []any{}}, nil)
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	c.stopped()
	i := c.dataInfo(map[string]any{"name": "$by", "frameId": c.frames(1)[0].Id})
	if i.DataID == nil || i.CanPersist {
		t.Fatalf("%+v", i)
	}
	c.must(
		"setDataBreakpoints",
		map[string]any{"breakpoints": []any{map[string]any{"dataId": *i.DataID, "accessType": "write"}}}, &out,
	)
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	c.stopped()
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	var ev godap.BreakpointEventBody
	c.await("breakpoint", &ev)
	if ev.Breakpoint.Verified || ev.Breakpoint.Message != "the frame of this local has ended" {
		t.Errorf("%+v", ev)
	}
}

// TestDataBreakpointsPersist watches a global and memory in another run, from before it has begun.
func TestDataBreakpointsPersist(t *testing.T) {
	c, f := dataSession(t)
	c.breakpoints(f.Source.Path)
	i := c.dataInfo(map[string]any{"name": "$g", "frameId": f.Id})
	if !i.CanPersist {
		t.Fatalf("%+v", i)
	}
	c.must(
		"setDataBreakpoints",
		map[string]any{"breakpoints": []any{map[string]any{"dataId": *i.DataID, "accessType": "write"}}}, nil,
	)
	want := "data breakpoint: global $g was written at prog.wat:11: 0 → 1"
	if got := c.dataStop(); got != want {
		t.Fatal(got)
	}
	c.must("restart", map[string]any{}, nil)
	var s godap.StoppedEventBody
	c.await("stopped", &s)
	if got := s.Reason + ": " + s.Text; got != want {
		t.Error(got)
	}
	c = connect(t, dap.Config{Load: launch.Load})
	c.initialize()
	c.must("launch", map[string]any{"program": wat(t, data), "invoke": "main"}, nil)
	c.await("initialized", nil)
	var b godap.SetDataBreakpointsResponseBody
	c.must(
		"setDataBreakpoints",
		map[string]any{"breakpoints": []any{map[string]any{"dataId": *i.DataID, "accessType": "write"}}}, &b,
	)
	if b.Breakpoints[0].Verified {
		t.Error("verified before there is anything to watch")
	}
	c.must("configurationDone", nil, nil)
	var ev godap.BreakpointEventBody
	c.await("breakpoint", &ev)
	if !ev.Breakpoint.Verified || ev.Breakpoint.Message != "global $g" {
		t.Errorf("%+v", ev)
	}
	c.await("stopped", &s)
	if got := s.Reason + ": " + s.Text; got != want {
		t.Error(got)
	}
}

// TestDataBreakpointOnLocalAfterRestart watches a local again when the program has been restarted:
// in the activation of the same function at the same depth of the same stack.
func TestDataBreakpointOnLocalAfterRestart(t *testing.T) {
	p := wat(t, `(module (type $f (func)) (type $c (cont $f)) (elem declare func $task)
  (func $other (local $i i32) (local.set $i (i32.const 1)))
  (func $task (local $i i32)
    (nop)
    (local.set $i (i32.const 5)))
  (func (export "main") (call $other) (resume $c (cont.new $c (ref.func $task)))))`)
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p}, lineOf(t, p, "(nop)"))
	i := c.dataInfo(map[string]any{"name": "$i", "frameId": c.frames(2)[0].Id})
	c.must(
		"setDataBreakpoints",
		map[string]any{"breakpoints": []any{map[string]any{"dataId": *i.DataID, "accessType": "write"}}}, nil,
	)
	c.breakpoints(p)
	if got, want := c.dataStop(), "data breakpoint: $i of $task in stack #2 was written at prog.wat:5: 0 → 5"; got != want {
		t.Fatal(got)
	}
	c.must("restart", map[string]any{}, nil)
	var ev godap.BreakpointEventBody
	c.await("breakpoint", &ev)
	if ev.Breakpoint.Verified || ev.Breakpoint.Message != "waits for $task in stack #2" {
		t.Errorf("%+v", ev)
	}
	if c.await("breakpoint", &ev); !ev.Breakpoint.Verified {
		t.Errorf("%+v", ev)
	}
	if got := c.stopped(); got != "data breakpoint #2 prog.wat:5" {
		t.Fatal(got)
	}
}

// TestDataBreakpointOnHostWrite stops after a call of the host that writes what is watched.
func TestDataBreakpointOnHostWrite(t *testing.T) {
	p := wat(t, `(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "main") (result i32)
    (i32.store (i32.const 0) (i32.const 100))
    (i32.store (i32.const 4) (i32.const 50))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (i32.load8_u (i32.const 100))))
`)
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "stdin": "A"}, 5)
	c.breakpoints(p)
	i := c.dataInfo(map[string]any{"name": "100", "asAddress": true, "bytes": 1, "frameId": c.frames(1)[0].Id})
	c.must(
		"setDataBreakpoints",
		map[string]any{"breakpoints": []any{map[string]any{"dataId": *i.DataID, "accessType": "write"}}}, nil,
	)
	if got := c.dataStop(); got != "data breakpoint: memory 0 at 0x64 was written at prog.wat:7: 0 (0x00) → 65 (0x41)" {
		t.Error(got)
	}
}

// TestDataBreakpointAccesses writes the value that is there, then another one, then reads, for
// every kind of datum and every way to touch it, and compares what each access type and mode stops
// at. The stop names the datum, the old and the new value.
func TestDataBreakpointAccesses(t *testing.T) {
	const module = `(module
  (type $s (struct (field $i (mut i32)) (field $b (mut i8)) (field $v (mut v128)) (field $r (mut funcref))))
  (type $a (array (mut i8)))
  (type $f (func (param i32 i32)))
  (memory $m 1)
  (data (i32.const 16) "\01\00\00\00")
  (data $one "\01\00\00\00") (data $two "\02\00\00\00")
  (table $t 4 funcref)
  (elem (table $t) (i32.const 1) func $nop $nop $main)
  (elem $nops func $nop $nop) (elem $mains func $main $main)
  (global $g (mut f64) (f64.const 1))
  (elem declare func $other)
  (func $nop (param i32 i32))
  (func $other (param i32 i32))
  (func $main (export "main") (local $l i32) (local $s (ref null $s)) (local $a (ref null $a))
    (local.set $l (i32.const 1))
    (local.set $s (struct.new $s (i32.const 1) (i32.const 1) (v128.const i64x2 1 1) (ref.func $nop)))
    (local.set $a (array.new $a (i32.const 1) (i32.const 8)))
    (nop)
    %s
    %s
    %s
    (nop)))
`
	for _, x := range []struct{ datum, same, change, read, want string }{
		{"$g", `(global.set $g (f64.const 1))`, `(global.set $g (f64.const 2))`, `(drop (global.get $g))`, "global $g: 1 → 2"},
		{"$l", `(local.set $l (i32.const 1))`, `(local.set $l (i32.const 2))`, `(drop (local.get $l))`, "$l of $main in stack #1: 1 → 2"},
		{"$l", `(drop (local.tee $l (i32.const 1)))`, `(drop (local.tee $l (i32.const 2)))`, `(drop (local.get $l))`, "$l of $main in stack #1: 1 → 2"},
		{"i32[16]", `(i32.store (i32.const 16) (i32.const 1))`, `(i32.store (i32.const 16) (i32.const 2))`, `(drop (i32.load (i32.const 16)))`, "memory $m at 0x10: 1 (0x00000001) → 2 (0x00000002)"},
		{"i32[16]", `(i32.store8 (i32.const 17) (i32.const 0))`, `(i32.store16 (i32.const 15) (i32.const 0x200))`, `(drop (i64.load (i32.const 12)))`, "memory $m at 0x10: 1 (0x00000001) → 2 (0x00000002)"},
		{"i32[16]", `(v128.store (i32.const 16) (v128.const i32x4 1 0 0 0))`, `(v128.store8_lane 0 (i32.const 16) (v128.const i8x16 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0))`, `(drop (v128.load8_splat (i32.const 19)))`, "memory $m at 0x10: 1 (0x00000001) → 2 (0x00000002)"},
		{"i32[16]", `(memory.fill (i32.const 17) (i32.const 0) (i32.const 9))`, `(memory.fill (i32.const 16) (i32.const 2) (i32.const 1))`, `(memory.copy (i32.const 64) (i32.const 0) (i32.const 32))`, "memory $m at 0x10: 1 (0x00000001) → 2 (0x00000002)"},
		{"i32[16]", `(memory.init $one (i32.const 16) (i32.const 0) (i32.const 4))`, `(memory.init $two (i32.const 16) (i32.const 0) (i32.const 4))`, `(drop (f32.load (i32.const 16)))`, "memory $m at 0x10: 1 (0x00000001) → 2 (0x00000002)"},
		{"table $t[1]", `(table.set $t (i32.const 1) (ref.func $nop))`, `(table.set $t (i32.const 1) (ref.func $main))`, `(drop (table.get $t (i32.const 1)))`, "table $t[1]: func $nop → func $main"},
		{"table $t[1]", `(table.fill $t (i32.const 0) (ref.func $nop) (i32.const 3))`, `(table.copy (i32.const 0) (i32.const 2) (i32.const 2))`, `(table.copy (i32.const 0) (i32.const 1) (i32.const 1))`, "table $t[1]: func $nop → func $main"},
		{"table $t[1]", `(table.init $t $nops (i32.const 0) (i32.const 0) (i32.const 2))`, `(table.init $t $mains (i32.const 0) (i32.const 0) (i32.const 2))`, `(drop (table.get $t (i32.const 1)))`, "table $t[1]: func $nop → func $main"},
		{"table $t[1]", `(table.set $t (i32.const 1) (ref.func $nop))`, `(table.set $t (i32.const 1) (ref.func $other))`, `(call_indirect $t (type $f) (i32.const 0) (i32.const 0) (i32.const 1))`, "table $t[1]: func $nop → func $other"},
		{"$s.$i", `(struct.set $s $i (local.get $s) (i32.const 1))`, `(struct.set $s $i (local.get $s) (i32.const 2))`, `(drop (struct.get $s $i (local.get $s)))`, "field $i of a structure: 1 → 2"},
		{"$s.$b", `(struct.set $s $b (local.get $s) (i32.const 0x101))`, `(struct.set $s $b (local.get $s) (i32.const 2))`, `(drop (struct.get_u $s $b (local.get $s)))`, "field $b of a structure: 1 → 2"},
		{"$s.$v", `(struct.set $s $v (local.get $s) (v128.const i64x2 1 1))`, `(struct.set $s $v (local.get $s) (v128.const i64x2 1 2))`, `(drop (struct.get $s $v (local.get $s)))`, ""},
		{"$s.$r", `(struct.set $s $r (local.get $s) (ref.func $nop))`, `(struct.set $s $r (local.get $s) (ref.null func))`, `(drop (struct.get $s $r (local.get $s)))`, "field $r of a structure: func $nop → null"},
		{"$a[3]", `(array.set $a (local.get $a) (i32.const 3) (i32.const 1))`, `(array.set $a (local.get $a) (i32.const 3) (i32.const 2))`, `(drop (array.get_s $a (local.get $a) (i32.const 3)))`, "element 3 of an array: 1 → 2"},
		{"$a[3]", `(array.fill $a (local.get $a) (i32.const 0) (i32.const 1) (i32.const 8))`, `(array.fill $a (local.get $a) (i32.const 3) (i32.const 2) (i32.const 1))`, `(array.copy $a $a (local.get $a) (i32.const 0) (local.get $a) (i32.const 3) (i32.const 1))`, "element 3 of an array: 1 → 2"},
		{"$a[3]", `(array.init_data $a $one (local.get $a) (i32.const 3) (i32.const 0) (i32.const 1))`, `(array.init_data $a $two (local.get $a) (i32.const 3) (i32.const 0) (i32.const 1))`, `(drop (array.get_u $a (local.get $a) (i32.const 3)))`, "element 3 of an array: 1 → 2"},
	} {
		for _, how := range []struct {
			access, mode          string
			same, changed, toRead bool
		}{
			{"", "", false, true, false}, {"write", "", false, true, false}, {"write", "changed", false, true, false}, {"write", "written", true, true, false},
			{"read", "", false, false, true}, {"readWrite", "", true, true, true}, {"readWrite", "changed", false, true, true},
		} {
			p := wat(t, fmt.Sprintf(module, x.same, x.change, x.read))
			c := connect(t, dap.Config{Load: launch.Load})
			c.start(map[string]any{"program": p}, lineOf(t, p, "(nop)"))
			args := map[string]any{"name": x.datum, "frameId": c.frames(1)[0].Id}
			if how.mode != "" {
				args["mode"] = how.mode
			}
			i := c.dataInfo(args)
			if i.DataID == nil {
				t.Fatalf("%s: %s", x.datum, i.Description)
			}
			b := map[string]any{"dataId": *i.DataID}
			if how.access != "" {
				b["accessType"] = how.access
			}
			c.must("setDataBreakpoints", map[string]any{"breakpoints": []any{b}}, nil)
			var got []string
			for c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil); ; c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil) {
				at := c.stopped()
				if !strings.HasPrefix(at, "data breakpoint") {
					break
				}
				if x.want != "" && how.access != "read" && len(got) == 0 && !how.same && c.last.Description != x.want {
					t.Errorf("%s: %q, want %q", x.change, c.last.Description, x.want)
				}
				got = append(got, c.last.Description)
			}
			want := 0
			for _, stops := range []bool{how.same, how.changed, how.toRead} {
				if stops {
					want++
				}
			}
			if len(got) != want || how.same && !strings.HasSuffix(got[0], ", as before") ||
				how.toRead && !strings.Contains(got[want-1], " read: ") {
				t.Errorf("%s, %s, %q %q: %q, want %d stops", x.datum, x.change, how.access, how.mode, got, want)
			}
			c.Close()
		}
	}
}

// TestDataBreakpointAtLastInstruction watches what the last instruction of a call writes, after
// which nothing is executed.
func TestDataBreakpointAtLastInstruction(t *testing.T) {
	p := script(t, `(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data "\64\00\00\00\01\00\00\00")
  (func (export "main") (result i32)
    (memory.init 0 (i32.const 0) (i32.const 0) (i32.const 8))
    (return_call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8))))
(invoke "main")
(invoke "main")
`)
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "stdin": "AB"}, 6)
	c.breakpoints(p)
	i := c.dataInfo(map[string]any{"name": "100", "asAddress": true, "bytes": 1, "frameId": c.frames(1)[0].Id})
	c.must(
		"setDataBreakpoints",
		map[string]any{"breakpoints": []any{map[string]any{"dataId": *i.DataID, "accessType": "write"}}}, nil,
	)
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "data breakpoint #2147483646 s.wast:9" ||
		c.last.Description != "memory 0 at 0x64: 0 (0x00) → 65 (0x41)" {
		t.Error(got, c.last.Description)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
	if got := c.output("console"); !strings.Contains(
		got, "memory 0 at 0x64 was written at s.wast:7: 65 (0x41) → 66 (0x42)",
	) {
		t.Error(got)
	}
}
