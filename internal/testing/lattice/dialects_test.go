package lattice

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// mayName lists the files besides tests that may name the constant of a dialect: the tables, and
// the files of the designs. Elsewhere ask the table of dialects (docs/design/adding-a-dialect.md).
var mayName = []string{
	"analysis/internal/bind/ready_tasks.go",
	"analysis/internal/bind/types_handle.go",
	"analysis/internal/lint/rules_handle.go",
	"analysis/internal/lint/rules_tasks.go",
	"internal/testing/difftest/stacks.go",
	"vm/switch_cont.go",
	"vm/switch_cont_fused.go",
	"vm/switch_handle.go",
	"vm/switch_mount.go",
	"vm/switch_stacks.go",
	"vm/switch_stacks_fused.go",
	"vm/switch_tasks.go",
	"wasm/dialects.go",
	"wasm/op_table.go",
}

func TestDialectConstants(t *testing.T) {
	if len(mayName) > 15 {
		t.Errorf("%d files may name the constant of a dialect, at most 15 should", len(mayName))
	}
	names := []string{"DialectCont", "DialectStacks", "DialectFibersMount", "DialectFibersHandle", "DialectTasks"}
	var found []string
	eachFile(t, func(name string, _ *token.FileSet, f *ast.File) {
		named := false
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			named = named || ok && slices.Contains(names, id.Name)
			return !named
		})
		if named {
			found = append(found, name)
		}
	})
	for _, f := range found {
		if !slices.Contains(mayName, f) {
			t.Errorf("%s names the constant of a dialect: ask the table of dialects instead", f)
		}
	}
	for _, f := range mayName {
		if !slices.Contains(found, f) {
			t.Errorf("%s names no constant of a dialect any more: remove it from the list", f)
		}
	}
}
