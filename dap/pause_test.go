package dap_test

import (
	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm"
	"stackscope/vm/debugger"
	"strings"
	"testing"
	"time"
)

// TestPauseInBulkInstruction pauses and ends a program that does nothing but fill 64 MiB of memory
// over and over.
func TestPauseInBulkInstruction(t *testing.T) {
	p := wat(t, `(module
  (memory 1024)
  (func (export "main")
    (loop $l
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x4000000))
      (br $l))))
`)
	c := connect(t, dap.Config{Load: launch.Load})
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.must("configurationDone", nil, nil)
	c.must("pause", map[string]any{"threadId": 1}, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "pause #1 prog.wat") {
		t.Fatal(got)
	}
	c.must("continue", map[string]any{"threadId": 1}, nil)
	c.must("terminate", nil, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

// TestPauseInHostCall pauses a program that waits in a call of the host while all other stacks are
// suspended.
func TestPauseInHostCall(t *testing.T) {
	p := wat(t, `(module
  (type $f (func)) (type $c (cont $f))
  (import "host" "wait" (func $wait)) (tag $pause)
  (table $t 3 (ref null $c))
  (elem declare func $body)
  (func $body (suspend $pause))
  (func $start (result (ref $c))
    (block $on (result (ref $c)) (resume $c (on $pause $on) (cont.new $c (ref.func $body))) (unreachable)))
  (func (export "main")
    (table.set $t (i32.const 0) (call $start))
    (table.set $t (i32.const 1) (call $start))
    (call $wait)
    (nop)))
`)
	in, release := make(chan struct{}), make(chan struct{})
	c := connect(t, dap.Config{Load: func(l *dap.Launch) (*debugger.Program, error) {
		d, err := launch.Load(l)
		if err == nil {
			d.Prepare = func(r *debugger.Runner) debugger.Session {
				wait := r.Machine.NewFunc("host.wait", nil, nil, func(*vm.Call) error {
					close(in)
					<-release
					return nil
				})
				return debugger.Session{Imports: vm.ImportMap{"host": {"wait": wait}}}
			}
		}
		return d, err
	}})
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.must("configurationDone", nil, nil)
	<-in
	c.must("pause", map[string]any{"threadId": 1}, nil)
	const want = "the program is in a host call: #1 main called host.wait at prog.wat:12; it stops when that call returns; all other stacks are suspended, 2 of them: none of them continues until the host returns\n"
	for got := ""; got == ""; time.Sleep(10 * time.Millisecond) {
		if got = c.output("console"); got != "" && got != want {
			t.Error(got)
		}
	}
	close(release)
	if got := c.stopped(); !strings.HasPrefix(got, "pause #1 prog.wat") && got != "terminated" {
		t.Error(got)
	}
}
