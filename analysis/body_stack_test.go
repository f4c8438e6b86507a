package analysis

import (
	"os"
	"slices"
	"testing"

	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
	"stackscope/wasm"
)

// TestOperandStacks compares the stacks of all bodies of the suites, which share their lower parts,
// with those that the typing engine has.
func TestOperandStacks(t *testing.T) {
	n := 0
	for _, path := range suite.Files(t) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range Open(source.NewFile(path, string(raw)), Options{}).Modules() {
			for fn := range m.Declared().Funcs {
				b := m.Body(uint32(fn))
				if b == nil {
					continue
				}
				ty := m.Env().NewTyper(nil)
				params := 0
				if ft := m.Declared().FuncType(m.Declared().Funcs[fn].Type); ft != nil {
					params = min(len(ft.Params), len(b.Locals))
				}
				ty.BeginLocals(b.Func, b.Locals[params:])
				snap := func() []wasm.ValType {
					h, ops := 0, ty.Operands()
					if cs := ty.Controls(); len(cs) > 0 {
						h = cs[len(cs)-1].Height
					}
					return ops[min(h, len(ops)):]
				}
				for i := range b.Instrs {
					if n++; !slices.Equal(snap(), b.StackBefore(i)) || len(snap()) != b.HeightBefore(i) {
						t.Fatalf("%s: function %d, before %d: %v, want %v", path, fn, i, b.StackBefore(i), snap())
					}
					before := slices.Clone(snap())
					ty.Step(&b.Instrs[i])
					if !slices.Equal(snap(), b.StackAfter(i)) || len(snap()) != b.HeightAfter(i) {
						t.Fatalf("%s: function %d, after %d: %v, want %v", path, fn, i, b.StackAfter(i), snap())
					}
					after, k := snap(), 0
					for k < min(len(before), len(after)) && before[k] == after[k] {
						k++
					}
					if x, y := b.Change(i); !slices.Equal(x, before[k:]) || !slices.Equal(y, after[k:]) {
						t.Fatalf(
							"%s: function %d, change of %d: %v %v, want %v %v", path, fn, i, x, y, before[k:],
							after[k:],
						)
					}
				}
			}
		}
	}
	if t.Logf("%d instructions", n); n < 50_000 {
		t.Error("too few")
	}
}
