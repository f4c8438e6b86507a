package loader

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// MissingError is the error of a program that imports what nothing offers.
type MissingError struct {
	Message string // several lines
	Err     *vm.LinkError
}

// Error returns the message.
func (e *MissingError) Error() string { return e.Message }

// Unwrap returns the error of linking.
func (e *MissingError) Unwrap() error { return e.Err }

// Bounds of what is said of missing imports.
const (
	maxListed      = 5
	maxDeclaration = 200 // bytes
)

// Explain returns an error of linking with how to bring what is missing; other errors as they are.
func (p *Program) Explain(err error) error {
	var le *vm.LinkError
	if !errors.As(err, &le) || len(le.Missing) == 0 {
		return err
	}
	u := p.unitOf(le.In)
	name := filepath.Base(u.File.Name)
	var b strings.Builder
	switch n, all := len(le.Missing), len(le.In.Imports); {
	case n == 1:
		fmt.Fprintf(&b, "unknown import: %s imports what nothing offers:\n", name)
	case n == all:
		fmt.Fprintf(&b, "unknown imports: %s has %d imports, and nothing offers them:\n", name, n)
	default:
		fmt.Fprintf(&b, "unknown imports: %s has %d imports, and nothing offers %d of them:\n", name, all, n)
	}
	var modules []string
	for k, i := range le.Missing {
		im := &le.In.Imports[i]
		if k < maxListed {
			fmt.Fprintf(&b, "  %s\n", short(text.Import(le.In, im)))
		}
		if !slices.Contains(modules, im.Module) && len(modules) <= maxListed {
			modules = append(modules, im.Module)
		}
	}
	if n := len(le.Missing) - maxListed; n > 0 {
		fmt.Fprintf(&b, "  and %d more\n", n)
	}
	if s := madeFor(le, p.Config.Path); s != "" && p.glue() == "" {
		b.WriteString(s + "\n")
	}
	b.WriteString(advice(modules))
	return &MissingError{b.String(), le}
}

// glues are compilers whose modules import JavaScript: how their imports look, and what they emit.
var glues = []struct {
	module, name string // begins so
	compiler     string
	file         string // beside the module; % is its name without the ending
	instead      string // if the file cannot be run
}{
	{"js_code", "", "Kotlin", "%.import-object.mjs", ""},
	{"intrinsics", "", "Kotlin", "%.import-object.mjs", ""},
	{"wbg", "", "wasm-bindgen", "%.js", ""},
	{"__wbindgen_", "", "rustc for wasm-bindgen", "", "run wasm-bindgen over it"},
	{"./", "__wb", "wasm-bindgen", "%.js", ""},
	{"dart2wasm", "", "Dart", "%.mjs", ""},
	{"gojs", "", "Go for browsers", "", "build with GOOS=wasip1"},
	{"go", "runtime.", "Go for browsers", "", "build with GOOS=wasip1"},
	{"env", "emscripten_", "Emscripten", "", "link with -sSTANDALONE_WASM"},
	{"env", "__syscall_", "Emscripten", "", "link with -sSTANDALONE_WASM"},
	{"env", "console.", "AssemblyScript", "%.js", ""},
}

// madeFor returns a sentence with the compiler whose JavaScript the missing imports look made for; ""
// if none is known.
func madeFor(le *vm.LinkError, path string) string {
	for _, i := range le.Missing {
		im := &le.In.Imports[i]
		for _, g := range glues {
			if !strings.HasPrefix(im.Module, g.module) || !strings.HasPrefix(im.Name, g.name) {
				continue
			}
			base := filepath.Base(path)
			if g.instead != "" {
				return fmt.Sprintf("This looks like the output of %s, whose JavaScript is not run here: %s.", g.compiler, g.instead)
			}
			name := strings.TrimSuffix(strings.TrimSuffix(base, filepath.Ext(base)), "_bg")
			file := strings.Replace(g.file, "%", name, 1)
			return fmt.Sprintf(
				"This looks like the output of %s, but %s is not beside %s: put it there, or name it with --host FILE.",
				g.compiler, file, base,
			)
		}
	}
	return ""
}

// unitOf returns the unit of a module, the main one if there is none.
func (p *Program) unitOf(m *wasm.Module) *Unit {
	for _, u := range p.Units {
		if u.Module == m {
			return u
		}
	}
	return p.Main()
}

// short cuts a declaration that is too long for a line.
func short(s string) string {
	if len(s) <= maxDeclaration {
		return s
	}
	return strings.ToValidUTF8(s[:maxDeclaration], "") + "…"
}

// advice returns how to bring modules of imports.
func advice(modules []string) string {
	var own, other []string
	for _, m := range modules {
		if host.Offers(m) {
			own = append(own, short(text.Quote(m)))
		} else {
			other = append(other, short(text.Quote(m)))
		}
	}
	s := ""
	if len(own) > 0 {
		s = fmt.Sprintf("The host has %s, but without these names. ", strings.Join(own, ", "))
	}
	switch {
	case len(other) > maxListed:
		other = append(other[:maxListed], "…")
		fallthrough
	case len(other) > 0:
		s += fmt.Sprintf(
			"Bring your own for %s: --import NAME=FILE or --host NAME=FILE, "+
				"\"imports\" or \"host\" in a launch configuration.",
			strings.Join(other, ", "),
		)
	}
	return strings.TrimSpace(s)
}
