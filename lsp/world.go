package lsp

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide"
)

// world is the workspace as one request sees it: the open documents at its place in the stream, and
// the other files as they are on disk.
type world struct {
	files  *workspace
	v      view
	config Config
	byPath map[string]*document
	docs   map[*analysis.Snapshot]*document
	// touched are the files that answers depended on, with their stamps; nil: not asked for.
	touched map[string]string
}

// world returns the workspace that a request sees.
func (s *session) world(ctx context.Context) *world {
	v, _ := ctx.Value(viewKey{}).(view)
	return s.worldOf(v)
}

func (s *session) worldOf(v view) *world {
	w := &world{
		files: &s.files, v: v, config: s.store.settings(), byPath: map[string]*document{},
		docs: map[*analysis.Snapshot]*document{},
	}
	for _, d := range v {
		if p := d.path(); p != "" {
			w.byPath[p] = d
		}
	}
	return w
}

// docOf returns the document that a snapshot is of. It waits for no other's.
func (w *world) docOf(snap *analysis.Snapshot) *document {
	if d := w.docs[snap]; d != nil {
		return d
	}
	for _, d := range w.v {
		if d.made.Load() == snap {
			return d
		}
	}
	return nil
}

// stamp tells one state of a file from another.
func (w *world) stamp(path string) string {
	if d := w.byPath[path]; d != nil && d.version >= 0 {
		return "open " + strconv.FormatUint(d.gen, 10)
	}
	return stampOf(path)
}

// doc returns the document of a file, nil if there is none.
func (w *world) doc(path string) *document {
	path = filepath.Clean(path)
	if w.touched != nil {
		w.touched[path] = w.stamp(path)
	}
	if d := w.byPath[path]; d != nil {
		return d
	}
	d := w.files.load(path, w.config)
	if d != nil {
		w.byPath[path], w.docs[d.snap()] = d, d
	}
	return d
}

// resolve finds the document behind a module's name, as a document imports from it: by the setting
// `modules`; as a path, where the name is one; else a file of that name in the same folder. A text
// is preferred to the binary beside it.
func (w *world) resolve(from *document, name string) *document {
	if from.path() == "" {
		return nil
	}
	dir := filepath.Dir(from.path())
	try := func(p string) *document {
		if d := w.doc(p); d != nil && d != from {
			return d
		}
		return nil
	}
	if p, ok := w.config.Modules[name]; ok {
		if p == "" {
			return nil
		}
		p = filepath.FromSlash(p)
		if filepath.IsAbs(p) {
			return try(p)
		}
		roots := w.files.roots()
		for _, r := range roots { // the folder that the document is in comes first
			if inside(from.path(), []string{r}) {
				if d := try(filepath.Join(r, p)); d != nil {
					return d
				}
			}
		}
		for _, r := range roots {
			if d := try(filepath.Join(r, p)); d != nil {
				return d
			}
		}
		return try(filepath.Join(dir, p))
	}
	if strings.ContainsAny(name, "\\\x00") || name == "" || strings.Contains(name, "://") {
		return nil
	}
	switch ext := filepath.Ext(name); {
	case isSource(name):
		p := filepath.Join(dir, filepath.FromSlash(name))
		if ext == ".wasm" {
			if d := try(strings.TrimSuffix(p, ext) + ".wat"); d != nil {
				return d
			}
		}
		return try(p)
	case strings.Contains(name, "/"):
		return nil
	}
	for _, ext := range []string{".wat", ".wasm"} {
		if d := try(filepath.Join(dir, name+ext)); d != nil {
			return d
		}
	}
	return nil
}

// module returns the module behind a name, nil if it is not known.
func (w *world) module(from *document, name string) *analysis.Module {
	d := w.resolve(from, name)
	if d == nil {
		return nil
	}
	if ms := d.snap().Modules(); len(ms) == 1 && filepath.Ext(d.path()) != ".wast" {
		return ms[0]
	}
	m, _ := d.snap().Registered(nil, name)
	return m
}

// ide returns the world as queries want it.
func (w *world) ide() *ide.World {
	return &ide.World{
		Source: func(m *analysis.Module, name string) *analysis.Module {
			if from := w.docOf(m.Snapshot()); from != nil {
				return w.module(from, name)
			}
			return nil
		},
		Importers: w.importers,
		Names:     w.names,
	}
}

// maxListed bounds how many files of a folder are offered as modules.
const maxListed = 1000

// names returns the names that a module could import from: the settings' and those of the files
// beside it.
func (w *world) names(m *analysis.Module) []string {
	out := slices.Sorted(maps.Keys(w.config.Modules))
	from := w.docOf(m.Snapshot())
	if from == nil || from.path() == "" {
		return out
	}
	dir, err := os.Open(filepath.Dir(from.path()))
	if err != nil {
		return out
	}
	defer dir.Close()
	files, _ := dir.ReadDir(maxListed)
	for _, f := range files {
		if ext := filepath.Ext(f.Name()); f.Type().IsRegular() && (ext == ".wat" || ext == ".wasm") &&
			f.Name() != filepath.Base(from.path()) {
			out = append(out, strings.TrimSuffix(f.Name(), ext), "./"+f.Name())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// imports gives the names of the modules that a file imports from.
func importsOf(s *analysis.Snapshot) []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range s.Modules() {
		for _, im := range m.Declared().Imports {
			if !seen[im.Module] {
				seen[im.Module] = true
				out = append(out, im.Module)
			}
		}
	}
	return out
}

// importers returns the modules of other files that import from m.
func (w *world) importers(m *analysis.Module) []ide.Importer {
	home := w.docOf(m.Snapshot())
	if home == nil {
		return nil
	}
	var out []ide.Importer
	look := func(d *document, names []string) {
		for _, n := range names {
			if w.module(d, n) != m {
				continue
			}
			for _, x := range d.snap().Modules() {
				if _, own := d.snap().Registered(x, n); !own {
					out = append(out, ide.Importer{Module: x, Name: n})
				}
			}
		}
	}
	open := map[string]bool{}
	for _, d := range w.v {
		open[d.path()] = true
		if d != home {
			look(d, importsOf(d.snap()))
		}
	}
	for _, p := range w.files.paths() {
		if open[p] || p == home.path() || filepath.Ext(p) == ".wasm" {
			continue
		}
		f := w.files.file(p)
		if f == nil {
			continue
		}
		w.files.mu.Lock()
		known, names := f.known, f.imports
		w.files.mu.Unlock()
		if known && len(names) == 0 {
			continue
		}
		d := w.doc(p)
		if d == nil {
			continue
		}
		if !known {
			names = importsOf(d.snap())
			w.files.mu.Lock()
			f.known, f.imports = true, names
			w.files.mu.Unlock()
		}
		look(d, names)
	}
	return out
}

// diagnostics returns everything there is to say about a document: of its text, and of its imports
// from the other files of the workspace.
func (w *world) diagnostics(d *document) []diag.Diagnostic {
	ds := d.snap().Diagnostics()
	ws := d.snap().Modules()
	var links []diag.Diagnostic
	for _, m := range ws {
		if word, _ := m.Assertion(); word != "" {
			continue
		}
		links = append(links, m.LinkErrors(func(name string) *analysis.Module {
			if _, own := d.snap().Registered(m, name); own {
				return nil
			}
			return w.module(d, name)
		}, false)...)
	}
	if len(links) == 0 {
		return ds
	}
	return append(append(make([]diag.Diagnostic, 0, len(ds)+len(links)), ds...), links...)
}

// importsFrom reports whether a document imports from another.
func (w *world) importsFrom(d, other *document) bool {
	for _, n := range importsOf(d.snap()) {
		if w.resolve(d, n) == other {
			return true
		}
	}
	return false
}
