package dap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

const drivenProgram = `(module
  (import "env" "fetch" (func $fetch (param i32) (result i32)))
  (func (export "main") (param $n i32) (result i32)
    (local $a i32)
    (local.set $a (call $fetch (local.get $n)))
    (i32.add (local.get $a) (i32.const 1)))
  (func (export "tick") (param i32)
    (nop)))
`

const drivenScript = `(suspending "env" "fetch")
(promising "main")
(promise $main (invoke "main" (i32.const 7)))
(invoke "tick" (i32.const 1))
(at 10 (resolve "env" "fetch" (i32.const 41)))
(at 20 (invoke "tick" (i32.const 2)))
(assert_return (await $main) (i32.const 43))
(run)
`

// driven writes the program and its script, and returns a launch configuration.
func driven(t *testing.T) map[string]any {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"p.wat": drivenProgram, "p.drive": drivenScript} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]any{"program": filepath.Join(dir, "p.wat"), "drive": "p.drive", "cwd": dir}
}

// TestDrivenSession debugs several calls of exports in one session: a call that waits for a promise
// is a thread, a step over the call that waits ends when it continues, a step out of an export leads
// to the next event, and so does a restart to the first.
func TestDrivenSession(t *testing.T) {
	const id = 1<<31 - 2
	c := real(t)
	conf := driven(t)
	conf["stopOnEntry"] = true
	if got := c.start(conf); got != "entry #2147483646 p.drive:3" {
		t.Fatal(got)
	}
	threads := func(want ...string) {
		t.Helper()
		var th godap.ThreadsResponseBody
		c.must("threads", nil, &th)
		var got []string
		for _, x := range th.Threads {
			got = append(got, x.Name)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("threads %q, want %q", got, want)
		}
	}
	step := func(command string, thread int, want string) {
		t.Helper()
		if got := c.step(command, thread, ""); got != want {
			t.Fatalf("%s: %s, want %s", command, got, want)
		}
	}
	threads(`script · command 1 of 6: promise $main "main" at p.drive:3`)
	step("stepIn", id, "step #1 p.wat:5")
	if fs := c.frames(1); fs[len(fs)-1].Name != `promise $main "main"` || fs[len(fs)-1].Line != 3 {
		t.Errorf("%+v", fs)
	}
	var b godap.SetBreakpointsResponseBody
	c.must("setBreakpoints", godap.SetBreakpointsArguments{
		Source:      godap.Source{Path: filepath.Join(conf["cwd"].(string), "p.drive")},
		Breakpoints: []godap.SourceBreakpoint{{Line: 4}},
	}, &b)
	if len(b.Breakpoints) != 1 || !b.Breakpoints[0].Verified || b.Breakpoints[0].Line != 4 {
		t.Errorf("%+v", b)
	}
	step("next", 1, "breakpoint #2147483646 p.drive:4") // main waits
	threads(
		"script · command 2 of 6: invoke \"tick\" at p.drive:4",
		"#1 main · waits for promise 2 (env.fetch) at p.wat:5",
	)
	step("stepIn", id, "step #2 p.wat:8")
	threads("#2 tick · running", "#1 main · waits for promise 2 (env.fetch) at p.wat:5")
	step("stepOut", 2, "step #2147483646 p.drive:7")
	step("next", id, "step #2147483646 p.drive:5")
	step("next", id, "step #1 p.wat:5") // the call continues, and its line is not done
	step("next", 1, "step #1 p.wat:6")
	// main is 42, not 43
	c.must("next", map[string]any{"threadId": 1}, nil)
	if got := c.stopped(); got != "exception #2147483646 p.drive:3" {
		t.Fatal(got)
	}
	c.must("restart", nil, nil)
	if got := c.stopped(); got != "entry #2147483646 p.drive:3" {
		t.Fatal(got)
	}
}

// TestDrivenStepOver steps over a call that waits, without breakpoints: others run meanwhile.
func TestDrivenStepOver(t *testing.T) {
	const id = 1<<31 - 2
	c := real(t)
	conf := driven(t)
	conf["stopOnEntry"] = true
	c.start(conf)
	if got := c.step("stepIn", id, ""); got != "step #1 p.wat:5" {
		t.Fatal(got)
	}
	if got := c.step("next", 1, ""); got != "step #1 p.wat:6" {
		t.Error(got)
	}
}

// TestDriveRefused launches with configurations that cannot be right.
func TestDriveRefused(t *testing.T) {
	for _, x := range []struct {
		change map[string]any
		want   string
	}{
		{map[string]any{"invoke": "main"}, `"drive" cannot be set together with "invoke" and "args"`},
		{map[string]any{"drive": "nothing.drive"}, "cannot read nothing.drive"},
		{map[string]any{"drive": "bad.drive"}, "bad.drive:1:1: unknown command `sleep`"},
		{map[string]any{"promising": []string{"nothing"}}, `promising: the program exports no function "nothing"`},
		{map[string]any{"suspending": []string{"env.nothing"}}, `suspending: no module imports a function "env.nothing"`},
	} {
		c := real(t)
		conf := driven(t)
		bad := filepath.Join(conf["cwd"].(string), "bad.drive")
		if err := os.WriteFile(bad, []byte("(sleep 5)"), 0o666); err != nil {
			t.Fatal(err)
		}
		for k, v := range x.change {
			conf[k] = v
		}
		c.initialize()
		if got := c.refused("launch", conf); !strings.Contains(got, x.want) {
			t.Errorf("%v: %s, want %s", x.change, got, x.want)
		}
	}
}
