// Command reference writes tables of the code into the reference pages below docs/reference and
// into the extension's package.json: commands, settings, custom requests, diagnostics and code
// actions.
//
// A page is written by hand, but for the parts between a line `<!-- generated: NAME -->` and a line
// `<!-- end -->`. Text outside of those parts is kept.
package main

//go:generate go run .

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/internal/gen/genfile"
	"stackscope/internal/termdbg"
)

func main() {
	genfile.Main(filepath.Join("..", "..", ".."), func() (map[string][]byte, error) {
		return generate(filepath.Join("..", "..", ".."))
	})
}

const (
	folder   = "docs/reference"
	manifest = "editors/vscode/package.json"
)

// parts makes the generated parts of the pages, by name.
var parts = map[string]func(root string) (string, error){
	"wasm-ls":        func(root string) (string, error) { return commands(root, "wasm-ls") },
	"wasm-dap":       func(root string) (string, error) { return commands(root, "wasm-dap") },
	"debugger":       func(string) (string, error) { return termdbg.Markdown(), nil },
	"launch":         func(string) (string, error) { return settings("launch"), nil },
	"attach":         func(string) (string, error) { return settings("attach"), nil },
	"server":         func(string) (string, error) { return serverSettings(), nil },
	"lsp-requests":   func(string) (string, error) { return serverRequests(), nil },
	"lsp-commands":   func(string) (string, error) { return serverCommands(), nil },
	"dap-requests":   func(string) (string, error) { return adapterRequests(), nil },
	"code-actions":   func(string) (string, error) { return codeActions(), nil },
	"diagnostics":    func(string) (string, error) { return diag.Page(), nil },
	"words":          func(string) (string, error) { return designWords(), nil },
	"severity-table": func(string) (string, error) { return severityTable(), nil },
}

// generate returns the new text of each page that has a generated part, and of package.json.
func generate(root string) (map[string][]byte, error) {
	pages, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
	if err != nil {
		return nil, err
	}
	files, used := map[string][]byte{}, map[string]bool{}
	for _, name := range pages {
		is, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text, err := fill(root, string(is), used)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if strings.Contains(text, "<!-- generated: ") {
			files[folder+"/"+filepath.Base(name)] = []byte(text)
		}
	}
	for name := range parts {
		if !used[name] {
			return nil, fmt.Errorf("no page in %s has the part %q", folder, name)
		}
	}
	is, err := os.ReadFile(filepath.Join(root, manifest))
	if err != nil {
		return nil, err
	}
	files[manifest], err = extension(is)
	return files, err
}

var part = regexp.MustCompile(`(?ms)^<!-- generated: ([a-z-]+) -->\n.*?^<!-- end -->$`)

// fill replaces the generated parts of a page.
func fill(root, page string, used map[string]bool) (string, error) {
	var failed error
	text := part.ReplaceAllStringFunc(page, func(old string) string {
		name := part.FindStringSubmatch(old)[1]
		make, ok := parts[name]
		if !ok {
			failed = fmt.Errorf("there is no part %q", name)
			return old
		}
		body, err := make(root)
		if err != nil {
			failed = err
		}
		used[name] = true
		body = wrap(strings.Trim(body, "\n"))
		return "<!-- generated: " + name + " -->\n\n" + body + "\n\n<!-- end -->"
	})
	return text, failed
}

// commands returns the reference of a program, which the program prints itself.
func commands(root, program string) (string, error) {
	cmd := exec.Command("go", "run", "./cmd/"+program, "help", "--markdown")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	return string(out), err
}
