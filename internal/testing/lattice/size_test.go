package lattice

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"testing"
)

// The limits of size for hand-written code, tests left out.
const (
	maxFiles   = 30  // of a package
	maxMethods = 40  // of a type
	maxLines   = 150 // of a function
)

// larger lists what is larger than the limits, with its own limit. docs/design/architecture.md,
// "Exceptions", has the reasons. A limit that is not needed any more is an error.
var larger = map[string]int{
	"files of vm":                48,
	"methods of analysis.Module": 77,
}

// TestSizes checks the limits of size.
func TestSizes(t *testing.T) {
	sizes := map[string]int{}
	limits := map[string]int{}
	add := func(key string, n, limit int) { sizes[key] += n; limits[key] = limit }
	eachFile(t, func(name string, fset *token.FileSet, f *ast.File) {
		if ast.IsGenerated(f) {
			return
		}
		pkg := path.Dir(name)
		add("files of "+pkg, 1, maxFiles)
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			id := pkg + "." + fn.Name.Name
			if r := receiver(fn); r != "" {
				add(fmt.Sprintf("methods of %s.%s", pkg, r), 1, maxMethods)
				id = fmt.Sprintf("%s.%s.%s", pkg, r, fn.Name.Name)
			}
			if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; n > maxLines {
				add("lines of "+id, n, maxLines)
			}
		}
	})
	for key, n := range sizes {
		limit, ok := larger[key]
		switch {
		case n > max(limit, limits[key]):
			t.Errorf("%s: %d, at most %d", key, n, max(limit, limits[key]))
		case ok && n <= limits[key]:
			t.Errorf("%s: %d; it needs no exception", key, n)
		}
	}
	for key := range larger {
		if _, ok := sizes[key]; !ok {
			t.Errorf("%s: there is no such thing; it needs no exception", key)
		}
	}
}

// receiver returns the name of the type that a method belongs to, "" for a function.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	x := fn.Recv.List[0].Type
	for {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.IndexListExpr:
			x = y.X
		case *ast.Ident:
			return y.Name
		default:
			return ""
		}
	}
}
