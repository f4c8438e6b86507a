package loader

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/internal/files"
	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/vm/host/js"
	"stackscope/wasm"
	"stackscope/wasm/binary"
)

// glue returns the path of the JavaScript that the program runs with: the file that was named; else,
// if the program imports what nothing else offers, what its compiler has emitted beside it; "" if
// there is none.
func (p *Program) glue() string {
	for _, h := range p.Config.Hosts {
		if h.Name == "" && isScriptFile(h.Path) {
			return h.Path
		}
	}
	if p.Config.Path == "-" || len(p.unoffered()) == 0 {
		return ""
	}
	return js.Find(p.Config.Path)
}

// scripts returns the modules of the program's imports that are files of JavaScript.
func (p *Program) scripts() map[string]string {
	out := map[string]string{}
	for _, h := range p.Config.Hosts {
		if h.Name != "" && isScriptFile(h.Path) {
			out[h.Name] = h.Path
		}
	}
	return out
}

// unoffered returns the modules that the program imports from, and that neither the host nor another
// unit is.
func (p *Program) unoffered() []string {
	var out []string
	m := p.Main().Module
	strings, scripts := js.Imports(nil, m, nil), p.scripts()
	for _, im := range m.Imports {
		linked := slices.ContainsFunc(p.Units[:len(p.Units)-1], func(u *Unit) bool { return u.Name == im.Module })
		if linked || scripts[im.Module] != "" || host.Offers(im.Module) ||
			strings.Import(im.Module, im.Name, im.Kind) != nil {
			continue
		}
		if !slices.Contains(out, im.Module) {
			out = append(out, im.Module)
		}
	}
	return out
}

// Script starts the JavaScript of the program for a machine, with the event loop of the run; nil if
// it has none. The error is that of starting it.
func (p *Program) Script(m *vm.Machine, l *host.Loop, out, errs io.Writer) (*js.Host, error) {
	o := js.Options{
		Glue: p.glue(), Modules: p.scripts(), Stdout: out, Stderr: errs, Memory: p.Config.Limits.MaxMemory,
		Read:    func(path string) ([]byte, error) { return files.Read(context.Background(), path, files.MaxSize) },
		Compile: compileModule,
	}
	if o.Glue == "" && len(o.Modules) == 0 {
		return nil, nil
	}
	u := p.Main()
	o.Path, o.Data = u.path, u.data
	if u.data == nil {
		b, err := binary.Encode(u.Module)
		if err != nil {
			return nil, err
		}
		base := filepath.Base(p.Config.Path)
		o.Path, o.Data = strings.TrimSuffix(base, filepath.Ext(base))+".wasm", b
	}
	return js.New(m, l, o)
}

// compileModule reads a module that JavaScript makes.
func compileModule(b []byte) (*wasm.Module, error) {
	u, err := Binary("module", b, analysis.Options{})
	if err != nil {
		return nil, err
	}
	return u.Module, nil
}
