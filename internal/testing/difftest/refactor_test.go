package difftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/ide/action"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/vm"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// TestRefactorings extracts random runs of instructions of random modules to functions, inlines
// random calls, and compares what the modules do. STACKSCOPE_LONG sets how many modules.
func TestRefactorings(t *testing.T) {
	n := 40
	if s := os.Getenv("STACKSCOPE_LONG"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	dialects := []wasm.Dialect{
		wasm.DialectNone, wasm.DialectCont, wasm.DialectStacks, wasm.DialectFibersMount,
		wasm.DialectFibersHandle, wasm.DialectTasks,
	}
	made := map[action.RefactorKind]int{}
	for seed := range uint64(n) {
		c := Generate(seed, seed%4 == 0)
		if d := dialects[seed%uint64(len(dialects))]; d != wasm.DialectNone {
			c = GenerateStacks(seed, d)
		}
		src, _ := text.Print(c.Module, text.Options{})
		s := analysis.Open(source.NewFile("random.wat", src), analysis.Options{Dialect: c.Module.Dialect})
		if len(s.Modules()) != 1 || s.Modules()[0].HasErrors() {
			t.Fatalf("seed %d: the printed module has errors: %v", seed, s.Diagnostics())
		}
		r := rand.New(rand.NewPCG(seed, 7))
		want := outcomes(t, c, s)
		if seed%2 == 0 {
			s = foldAll(s)
		}
		if s.Modules()[0].HasErrors() {
			t.Fatalf("seed %d: the folded module has errors: %v\n%s", seed, s.Diagnostics(), s.File().Text)
		}
		for range 3 {
			kind, title, next := change(s, r)
			if next == nil {
				continue
			}
			made[kind]++
			got := outcomes(t, c, next)
			for i := range want {
				if want[i] != got[i] {
					t.Fatalf("seed %d: after %q, call %d gives %s, before %s\n%s", seed, title, i, got[i], want[i],
						next.File().Text)
				}
			}
			s = next
		}
	}
	if made[action.Extract] < n/4 || made[action.Inline] < n/8 {
		t.Errorf("too few changes: %d extractions and %d inlinings of %d modules", made[action.Extract],
			made[action.Inline], n)
	}
}

// foldAll writes all functions folded.
func foldAll(s *analysis.Snapshot) *analysis.Snapshot {
	for _, y := range s.Modules()[0].Symbols(analysis.SpaceFunc) {
		y, _ = s.Modules()[0].Symbol(y.Sym)
		for _, x := range action.Refactors(s, y.N.Keyword().Span().Start) {
			if x.Title == "Write the function folded" {
				s = s.EditAll(x.Make())
				break
			}
		}
	}
	return s
}

// change makes a random extraction or inlining; nil if none of some tries is possible.
func change(s *analysis.Snapshot, r *rand.Rand) (action.RefactorKind, string, *analysis.Snapshot) {
	m := s.Modules()[0]
	fns := m.Symbols(analysis.SpaceFunc)
	kind := action.Extract
	if r.IntN(2) == 0 {
		kind = action.Inline
	}
	for range 60 {
		b := m.Body(uint32(r.IntN(len(fns))))
		if b == nil || len(b.Instrs) < 2 {
			continue
		}
		i := r.IntN(len(b.Instrs) - 1)
		span := b.Node(i).Keyword().Span()
		if kind == action.Extract {
			span = b.Node(i).Span()
			for k := 1 + r.IntN(8); k > 0 && i+k < len(b.Instrs)-1; k-- {
				if n := b.Node(i + k); n.Kind() == syntax.KInstr || n.Kind() == syntax.KBlock {
					span = source.Span{Start: min(span.Start, n.Span().Start), End: max(span.End, n.Span().End)}
				}
			}
		} else if b.Instrs[i].Op != wasm.OpCall {
			continue
		}
		for _, x := range action.Selected(s, span) {
			if x.Kind == kind {
				if x.Kind == action.Extract && x.Title != "Extract into a function" ||
					x.Kind == action.Inline && x.Title != "Inline the call" {
					continue
				}
				return kind, x.Title, s.EditAll(x.Make())
			}
		}
	}
	return kind, "", nil
}

// outcomes runs the calls of a case on a text and returns what each gave.
func outcomes(t *testing.T, c *Case, s *analysis.Snapshot) []string {
	mod, ok := s.Modules()[0].Lower()
	if !ok {
		t.Fatalf("the module has errors: %v\n%s", s.Diagnostics(), s.File().Text)
	}
	ctx := context.Background()
	mach := vm.New(vm.Options{})
	inst, err := mach.Instantiate(ctx, mod, "random", nil)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for i := range c.Calls {
		call := &c.Calls[i]
		got, err := mach.Call(ctx, inst.Export(call.Name).(*vm.Func), call.Values()...)
		line := ""
		var trap *vm.Trap
		switch {
		case errors.As(err, &trap):
			line = fmt.Sprintf("trap %v", trap.Kind)
		case err != nil:
			line = "error"
		}
		for _, v := range got {
			if !v.Type.IsRef() {
				line += fmt.Sprintf(" %#x:%#x", v.Hi, v.Lo)
			}
		}
		if mem, ok := inst.Export(memoryExport).(*vm.Memory); ok {
			line += fmt.Sprintf(" memory %x", bytes.TrimRight(mem.Bytes()[:4096], "\x00"))
		}
		for k := range c.Module.Globals {
			if g, ok := inst.Export(fmt.Sprintf("g%d", k)).(*vm.Global); ok && !g.Get().Type.IsRef() {
				line += fmt.Sprintf(" g%d %#x", k, g.Get().Lo)
			}
		}
		out = append(out, line)
	}
	return out
}
