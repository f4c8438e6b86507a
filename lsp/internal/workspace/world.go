package workspace

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide"
)

// World is the workspace as one request sees it: the open documents at its place in the stream, and
// the other files as they are on disk.
type World struct {
	files  *Files
	v      View
	config Config
	byPath map[string]*Document
	docs   map[*analysis.Snapshot]*Document
	// touched are the files that answers depended on, with their stamps; nil: not asked for.
	touched map[string]string
}

// NewWorld returns the workspace with the open documents of a view.
func NewWorld(v View, c Config, files *Files) *World {
	w := &World{
		files: files, v: v, config: c, byPath: map[string]*Document{}, docs: map[*analysis.Snapshot]*Document{},
	}
	for _, d := range v {
		if p := d.Path(); p != "" {
			w.byPath[p] = d
		}
	}
	return w
}

// Open returns the open documents.
func (w *World) Open() View { return w.v }

// DocOf returns the document that a snapshot is of. It waits for no other's.
func (w *World) DocOf(snap *analysis.Snapshot) *Document {
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

// stamp identifies the state of a file.
func (w *World) stamp(path string) string {
	if d := w.byPath[path]; d != nil && d.Version >= 0 {
		return "open " + strconv.FormatUint(d.Gen, 10)
	}
	return stampOf(path)
}

// Doc returns the document of a file, nil if there is none.
func (w *World) Doc(path string) *Document {
	path = filepath.Clean(path)
	if w.touched != nil {
		w.touched[path] = w.stamp(path)
	}
	if d := w.byPath[path]; d != nil {
		return d
	}
	d := w.files.load(path, w.config)
	if d != nil {
		w.byPath[path], w.docs[d.Snapshot()] = d, d
	}
	return d
}

// resolve finds the document of a module's name, as a document imports from it: by the setting
// `modules`; as a path, where the name is one; else a file of that name in the same folder. A text
// is preferred to the binary beside it.
func (w *World) resolve(from *Document, name string) *Document {
	if from.Path() == "" {
		return nil
	}
	dir := filepath.Dir(from.Path())
	try := func(p string) *Document {
		if d := w.Doc(p); d != nil && d != from {
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
			if inside(from.Path(), []string{r}) {
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

// module returns the module of a name, nil if it is not known.
func (w *World) module(from *Document, name string) *analysis.Module {
	d := w.resolve(from, name)
	if d == nil {
		return nil
	}
	if ms := d.Snapshot().Modules(); len(ms) == 1 && filepath.Ext(d.Path()) != ".wast" {
		return ms[0]
	}
	m, _ := d.Snapshot().Registered(nil, name)
	return m
}

// IDE returns the world as queries want it.
func (w *World) IDE() *ide.World {
	return &ide.World{
		Source: func(m *analysis.Module, name string) *analysis.Module {
			if from := w.DocOf(m.Snapshot()); from != nil {
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
func (w *World) names(m *analysis.Module) []string {
	out := slices.Sorted(maps.Keys(w.config.Modules))
	from := w.DocOf(m.Snapshot())
	if from == nil || from.Path() == "" {
		return out
	}
	dir, err := os.Open(filepath.Dir(from.Path()))
	if err != nil {
		return out
	}
	defer dir.Close()
	files, _ := dir.ReadDir(maxListed)
	for _, f := range files {
		if ext := filepath.Ext(f.Name()); f.Type().IsRegular() && (ext == ".wat" || ext == ".wasm") &&
			f.Name() != filepath.Base(from.Path()) {
			out = append(out, strings.TrimSuffix(f.Name(), ext), "./"+f.Name())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ImportsOf returns the names of the modules that a file imports from.
func ImportsOf(s *analysis.Snapshot) []string {
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
func (w *World) importers(m *analysis.Module) []ide.Importer {
	home := w.DocOf(m.Snapshot())
	if home == nil {
		return nil
	}
	var out []ide.Importer
	look := func(d *Document, names []string) {
		for _, n := range names {
			if w.module(d, n) != m {
				continue
			}
			for _, x := range d.Snapshot().Modules() {
				if _, own := d.Snapshot().Registered(x, n); !own {
					out = append(out, ide.Importer{Module: x, Name: n})
				}
			}
		}
	}
	open := map[string]bool{}
	for _, d := range w.v {
		open[d.Path()] = true
		if d != home {
			look(d, ImportsOf(d.Snapshot()))
		}
	}
	for _, p := range w.files.Paths() {
		if open[p] || p == home.Path() || filepath.Ext(p) == ".wasm" {
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
		d := w.Doc(p)
		if d == nil {
			continue
		}
		if !known {
			names = ImportsOf(d.Snapshot())
			w.files.mu.Lock()
			f.known, f.imports = true, names
			w.files.mu.Unlock()
		}
		look(d, names)
	}
	return out
}

// Diagnostics returns everything there is to say about a document: of its text, and of its imports
// from the other files of the workspace.
func (w *World) Diagnostics(d *Document) []diag.Diagnostic {
	ds := d.Snapshot().Diagnostics()
	ws := d.Snapshot().Modules()
	var links []diag.Diagnostic
	for _, m := range ws {
		if word, _ := m.Assertion(); word != "" {
			continue
		}
		links = append(links, m.LinkErrors(func(name string) *analysis.Module {
			if _, own := d.Snapshot().Registered(m, name); own {
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

// ImportsFrom reports whether a document imports from another.
func (w *World) ImportsFrom(d, other *Document) bool {
	for _, n := range ImportsOf(d.Snapshot()) {
		if w.resolve(d, n) == other {
			return true
		}
	}
	return false
}

// Report is what was reported of an unopened file, and what that depended on.
type Report struct {
	URI   uri.URI
	ID    string // a hash of items
	Items []protocol.Diagnostic

	gen  uint64            // of the settings
	deps map[string]string // the stamps of the files that were looked at
}

// Report returns the report of an unopened file, nil if it cannot be read. It is made again only if
// the settings, the file or another one that it depends on have changed.
func (w *World) Report(path string, make func(d *Document) (*Report, error)) (*Report, error) {
	f := w.files.file(path)
	if f == nil {
		return nil, nil
	}
	w.files.mu.Lock()
	r, gen := f.report, w.files.gen
	w.files.mu.Unlock()
	if r != nil && r.gen == gen {
		same := true
		for p, stamp := range r.deps {
			same = same && w.stamp(p) == stamp
		}
		if same {
			return r, nil
		}
	}
	w.touched = map[string]string{}
	d := w.Doc(path)
	if d == nil {
		return nil, nil
	}
	r, err := make(d)
	if err != nil {
		return nil, err
	}
	r.gen, r.deps, w.touched = gen, w.touched, nil
	w.files.mu.Lock()
	f.report = r
	w.files.mu.Unlock()
	return r, nil
}
