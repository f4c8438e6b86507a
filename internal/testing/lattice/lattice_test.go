// Package lattice holds the rule of which package may import which, as data, and the test of it.
package lattice

import (
	"go/ast"
	"go/token"
	"path"
	"sort"
	"strconv"
	"strings"
	"testing"
)

const module = "stackscope"

// allowed lists what each package may import from this module. What
// is not listed is forbidden. docs/design/architecture.md says why. Test files may import more.
var allowed = map[string][]string{
	"wasm":            {},
	"wasm/valid":      {"wasm"},
	"wasm/binary":     {"wasm"},
	"wasm/text":       {"wasm"},
	"analysis/source": {},
	"analysis/diag":   {"analysis/source"},
	"analysis/syntax": {"analysis/source", "analysis/diag", "wasm"},
	"analysis": {
		"analysis/internal/*", "analysis/syntax", "analysis/source", "analysis/diag", "wasm", "wasm/valid",
		"wasm/binary",
	},
	"analysis/internal/cursor": {"analysis/syntax", "analysis/source", "analysis/diag"},
	"analysis/internal/lower": {
		"analysis/internal/cursor", "analysis/internal/decl", "analysis/syntax", "analysis/diag", "wasm", "wasm/valid",
	},
	"analysis/internal/bind": {
		"analysis/internal/cursor", "analysis/internal/decl", "analysis/internal/lower", "analysis/syntax",
		"analysis/diag", "wasm",
	},
	"analysis/internal/linear": {
		"analysis/internal/cursor", "analysis/internal/decl", "analysis/internal/lower", "analysis/diag", "wasm",
	},
	"analysis/internal/lint": {
		"analysis/internal/cursor", "analysis/internal/decl", "analysis/internal/lower", "analysis/syntax",
		"analysis/diag", "wasm",
	},
	"analysis/internal/effects": {
		"analysis/internal/cursor", "analysis/internal/decl", "analysis/internal/lower", "analysis/diag", "wasm",
	},
	"analysis/internal/protocol": {
		"analysis/internal/cursor", "analysis/internal/decl", "analysis/internal/lower", "analysis/diag", "wasm",
		"wasm/valid",
	},
	"analysis/internal/decl": {
		"analysis/internal/cursor", "analysis/syntax", "analysis/diag", "wasm", "wasm/valid",
	},
	"analysis/ide/internal/query": {"analysis", "analysis/syntax", "analysis/source", "wasm"},
	"analysis/ide/internal/words": {"wasm"},
	"analysis/ide": {
		"analysis/ide/internal/query", "analysis/ide/internal/words", "analysis", "analysis/syntax", "analysis/source",
		"stackview/diagram", "wasm",
	},
	"analysis/ide/action": {
		"analysis/ide/internal/query", "analysis", "analysis/diag", "analysis/syntax", "analysis/source", "wasm",
		"wasm/valid",
	},
	"analysis/ide/completion": {
		"analysis/ide", "analysis/ide/internal/query", "analysis/ide/internal/words", "analysis", "analysis/syntax",
		"analysis/source", "wasm",
	},
	"analysis/debuginfo":           {},
	"analysis/debuginfo/dwarf":     {"analysis/debuginfo", "wasm"},
	"analysis/debuginfo/sourcemap": {"analysis/debuginfo", "wasm"},
	"analysis/debuginfo/sources":   {"analysis/debuginfo", "internal/files"},
	"analysis/debuginfo/listing": {
		"analysis/debuginfo", "analysis/debuginfo/sources", "wasm", "wasm/text",
	},
	"analysis/debuginfo/load": {
		"analysis/debuginfo", "analysis/debuginfo/dwarf", "analysis/debuginfo/sourcemap", "analysis/debuginfo/sources",
		"internal/files", "wasm", "wasm/binary",
	},
	"vm":                   {"wasm", "wasm/valid", "vm/internal/*"},
	"vm/internal/num":      {"wasm"},
	"vm/internal/simd":     {"wasm", "vm/internal/num"},
	"vm/internal/fused":    {},
	"vm/internal/code":     {"wasm", "vm/internal/fused"},
	"vm/internal/compile":  {"wasm", "wasm/valid", "vm/internal/code", "vm/internal/fused"},
	"vm/host":              {"vm", "wasm"},
	"vm/host/js":           {"vm/host", "vm/host/js/engine", "vm", "wasm"},
	"vm/host/js/engine":    {},
	"vm/debugger/expr":     {},
	"vm/debugger/snapshot": {"wasm"},
	"vm/debugger/step":     {"vm/debugger/symbols", "vm/debugger/snapshot"},
	"vm/debugger/arith":    {"vm/debugger/expr", "vm", "wasm"},
	"vm/debugger/lang": {
		"vm/debugger/arith", "vm/debugger/expr", "vm/debugger/snapshot", "analysis/debuginfo", "vm", "wasm", "internal/files",
	},
	"vm/debugger/symbols": {
		"analysis/debuginfo", "analysis/debuginfo/sources", "vm/debugger/arith", "vm/debugger/expr", "vm/debugger/snapshot", "vm", "wasm", "wasm/valid", "wasm/binary",
		"wasm/text", "analysis/source",
	},
	"vm/debugger/stacks": {"vm/debugger/symbols", "vm/debugger/snapshot", "vm", "wasm"},
	"vm/debugger/watch": {
		"vm/debugger/stacks", "vm/debugger/symbols", "vm/debugger/snapshot", "vm", "wasm",
	},
	"vm/debugger/inspect": {
		"vm/debugger/lang", "analysis/debuginfo",
		"vm/debugger/watch", "vm/debugger/stacks", "vm/debugger/symbols", "vm/debugger/arith", "vm/debugger/expr",
		"vm/debugger/snapshot", "vm", "wasm", "analysis/source",
	},
	"vm/debugger": {
		"vm/debugger/lang", "analysis/debuginfo", "analysis/debuginfo/sources",
		"vm/debugger/inspect", "vm/debugger/watch", "vm/debugger/stacks", "vm/debugger/symbols", "vm/debugger/step",
		"vm/debugger/arith", "vm/debugger/expr", "vm/debugger/snapshot", "vm", "wasm", "analysis/source",
	},
	"stackview":         {"stackview/diagram", "vm/debugger/snapshot", "wasm"},
	"stackview/diagram": {},
	"lsp/internal/wire": {},
	"lsp/internal/workspace": {
		"analysis/debuginfo/*",
		"analysis/ide", "analysis", "analysis/diag", "analysis/source", "analysis/syntax", "wasm", "wasm/binary",
		"wasm/text", "internal/files",
	},
	"lsp": {
		"analysis/debuginfo", "analysis/debuginfo/*", "lsp/internal/*", "analysis/ide", "analysis/ide/action", "analysis/ide/completion", "analysis", "analysis/diag", "analysis/source", "analysis/syntax", "wasm",
		"wasm/binary", "wasm/text", "internal/entry", "internal/files", "internal/loopback",
	},
	"dap": {
		"dap/config", "dap/internal/*", "internal/loopback", "vm/debugger", "vm/debugger/*", "vm", "stackview",
		"analysis/source", "analysis/debuginfo", "analysis/debuginfo/sources", "wasm",
	},
	"dap/config":                 {"vm/debugger", "vm/debugger/*"},
	"dap/internal/paths":         {"analysis/debuginfo/sources"},
	"dap/internal/*":             {},
	"dap/check":                  {},
	"dap/check/dapcheck":         {"dap/check"},
	"internal/testing/annotated": {"analysis/debuginfo", "wasm"},
	"internal/testing/genwat":    {"wasm"},
	"internal/testing/gendwarf":  {},
	"internal/gen/grammar":       {"internal/gen/grammar/tm"},
	"internal/gen/genfile":       {},
	"internal/gen/grammar/tm":    {"wasm"},
	"internal/testing/lattice":   {},

	"internal/testing/sidebyside": {"wasm"},

	"internal/files":    {},
	"internal/loopback": {},
	"internal/entry":    {"analysis/syntax", "wasm"},
	"internal/cli":      {"analysis/source", "analysis/diag", "wasm"},
	"internal/*":        {"*"},
	"cmd/*":             {"*"},
	"bench":             {"*"},
	"bench/*":           {"*"},
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, func(name string, _ *token.FileSet, f *ast.File) {
		pkg := path.Dir(name)
		rule := ruleFor(pkg)
		if rule == "" {
			if !seen[pkg] {
				t.Errorf("package %s is not in the lattice", pkg)
			}
			seen[pkg] = true
			return
		}
		for _, im := range f.Imports {
			imp, _ := strconv.Unquote(im.Path.Value)
			if strings.HasPrefix(imp, "go.uber.org/zap") && pkg != "internal/cli" {
				t.Errorf("%s imports %s; libraries take a *slog.Logger", name, imp)
			}
			if imp != module && !strings.HasPrefix(imp, module+"/") {
				continue
			}
			imp = strings.TrimPrefix(imp, module+"/")
			if !permits(allowed[rule], imp) {
				t.Errorf("%s imports %s; %s may import %v", name, imp, rule, allowed[rule])
			}
		}
	})
}

// ruleFor returns the key of the most precise rule for a package.
func ruleFor(pkg string) string {
	if _, ok := allowed[pkg]; ok {
		return pkg
	}
	keys := make([]string, 0, len(allowed))
	for k := range allowed {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return len(keys[i]) > len(keys[j]) })
	for _, k := range keys {
		if strings.HasSuffix(k, "/*") && strings.HasPrefix(pkg, strings.TrimSuffix(k, "*")) {
			return k
		}
	}
	return ""
}

func permits(list []string, imp string) bool {
	for _, l := range list {
		if l == "*" || l == imp || strings.HasSuffix(l, "/*") && strings.HasPrefix(imp, strings.TrimSuffix(l, "*")) {
			return true
		}
		if ok, _ := path.Match(l, imp); ok {
			return true
		}
	}
	return false
}
