package dap_test

import (
	"path/filepath"
	"sort"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestStepInTargetsOfDesigns steps into targets of resumes, mounts and switches in all five
// designs.
func TestStepInTargetsOfDesigns(t *testing.T) {
	for _, x := range []struct{ design, line, want, choose, to string }{
		{"cont", "(resume $ct", "into the stack that resume names; on $value → $on_value (cont.wat:33)", "on $value", "#1 filter"},
		{"stacks", "(switch $source", "switch to the stack that it names", "switch to", "#3 producer"},
		{"fibers-mount", "(fiber.mount $next", "into the stack that fiber.mount names; on $done → $on_done (fibers-mount.wat:40); on $value → $on_value (fibers-mount.wat:34)", "on $value", "filter"},
		{"fibers-handle", "(fiber.resume $next", "into the stack that fiber.resume names; on $next → its label (fibers-handle.wat:30); on $value → its label (fibers-handle.wat:36)", "on $value", "filter"},
		{"tasks", "(task.resume (local.get $source) ($next))", "into the stack that task.resume names; on $done → its label (tasks.wat:46); on $value → its label (tasks.wat:39)", "into", "producer"},
	} {
		t.Run(x.design, func(t *testing.T) {
			p, err := filepath.Abs(filepath.Join("../testdata/examples/scenario", x.design+".wat"))
			if err != nil {
				t.Fatal(err)
			}
			c := real(t)
			c.start(map[string]any{"program": p, "invoke": "run", "args": []any{9}}, lineOf(t, p, x.line))
			id := c.running()
			ts := c.targets(id)
			var labels []string
			chosen := 0
			for l, n := range ts {
				labels = append(labels, l)
				if strings.HasPrefix(l, x.choose) {
					chosen = n
				}
			}
			sort.Strings(labels)
			if got := strings.Join(labels, "; "); got != x.want {
				t.Errorf("%s", got)
			}
			c.breakpoints(p)
			c.must("stepIn", map[string]any{"threadId": id, "targetId": chosen}, nil)
			c.stopped()
			if f := c.frames(c.running())[0]; !strings.HasSuffix(x.to, strings.TrimPrefix(f.Name, "$")) {
				t.Errorf("it stops in %s", f.Name)
			}
		})
	}
}

// TestFusedOperations shows the fused operations beside the instructions, if that is asked for.
func TestFusedOperations(t *testing.T) {
	for _, form := range []string{"wat", "fused"} {
		c := real(t)
		p := wat(t, data)
		c.start(map[string]any{"program": p, "invoke": "main", "disassembly": form}, 17)
		f := c.frames(1)[0]
		var b godap.DisassembleResponseBody
		c.must(
			"disassemble",
			godap.DisassembleArguments{MemoryReference: f.InstructionPointerReference, InstructionCount: 40},
			&b,
		)
		ops := 0
		for _, x := range b.Instructions {
			if _, op, ok := strings.Cut(x.Instruction, "  ;; "); ok && !strings.Contains(op, "?") {
				ops++
			}
		}
		if (ops > 5) != (form == "fused") {
			t.Errorf("%s: %d instructions with ops: %+v", form, ops, b.Instructions)
		}
	}
	c := real(t)
	c.initialize()
	c.refused("launch", map[string]any{"program": wat(t, data), "disassembly": "machine"})
}
